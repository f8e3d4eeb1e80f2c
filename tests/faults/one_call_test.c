/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Calls over one short text use scanners that the database keeps. After the first call they
 * allocate nothing, take no lock and read no environment. Calls inside of calls, of many threads
 * and of a forked process find the same matches. The number of kept scanners is bounded, and they
 * are freed with the database. The linker replaces the functions (--wrap).
 */
#include "faults/watched_calls.h"
#include "run/idle.h"
#include "sanitizers.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static random_source source;

static size_t idle_scanners(const trawl_db *db) {
    size_t count = 0;
    for (size_t i = 0; i < TRAWL_IDLE_SLOTS; i++)
        count += __atomic_load_n(&db->idle[i].scanner, __ATOMIC_RELAXED) != NULL;
    return count;
}

/* ------------------------------------------------------------------ memory */

static int ignore(const trawl_match *match, void *context) {
    (void)match;
    (void)context;
    return 0;
}

static int stop(const trawl_match *matches, size_t count, void *context) {
    (void)matches;
    (void)count;
    (void)context;
    return 1;
}

/* All calls over one text; `matches` is used again. */
static void use(const trawl_db *db, const test_case *test, size_t length, uint64_t *counts,
                trawl_matches *matches) {
    const uint8_t *text = test->text;
    uint64_t total, again;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.threads = 2; /* the text is so short that one thread scans it */
    assert_int_equal(trawl_scan(db, text, length, NULL, ignore, NULL, NULL), TRAWL_OK);
    (void)trawl_scan_batches(db, text, length, &options, stop, NULL, NULL);
    assert_int_equal(trawl_count(db, text, length, &options, &total, NULL, NULL), TRAWL_OK);
    assert_int_equal(trawl_count(db, text, length, NULL, &again, counts, NULL), TRAWL_OK);
    assert_int_equal(total, again);
    assert_int_equal(trawl_collect_into(db, text, length, NULL, matches, NULL), TRAWL_OK);
    assert_int_equal(matches->count, total);
}

/* Engines that sort their matches, and rabin-karp, allocate in a scan unless a scanner has reserved
 * memory for that. */
static bool allocates(combination which) {
    return strcmp(which.engine, "rabin-karp") == 0 || strcmp(which.engine, "wu-manber") == 0 ||
           strcmp(which.engine, "ac-split") == 0;
}

static void check_memory(combination which, const test_case *test, trawl_match_kind kind) {
    combination_failure failure;
    trawl_db *db;
    long before = atomic_load(&live);
    if (combination_compile(which, test, kind, &db, &failure) != COMBINATION_COMPILED)
        return;
    trawl_matches matches = {.count = 0};
    uint64_t *counts = calloc(test->count, sizeof(*counts));
    for (int round = 0; round < 4; round++) /* automata prepare themselves when they are used */
        use(db, test, test->length, counts, &matches);
    watch();
    for (size_t length = 0; length < test->length; length = 2 * length + 1)
        use(db, test, length, counts, &matches);
    assert_nothing_watched(which, kind, allocates(which));
    assert_int_equal(idle_scanners(db), 1);
    trawl_matches_free(&matches);
    free(counts);
    trawl_db_free(db);
    assert_int_equal(atomic_load(&live), before);
}

static void later_calls_allocate_nothing(void **state) {
    (void)state;
    static const char words[] = "abcdefghijklmnopqrstuvwxyz ";
    enum { length = TESTS_ARE_SLOW ? 2000 : 8000, dense_length = 1000 };
    test_case cases[] = {random_letters(&source, 6, 2, 5, words, length),
                         random_letters(&source, 300, 5, 9, words, length),
                         random_letters(&source, 40, 12, 20, "acgt", length),
                         random_letters(&source, 30, 1, 20, "a", dense_length)};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (size_t c = 0; c < combination_count(); c++)
            for (int kind = 0; kind < MATCH_KINDS; kind++)
                check_memory(combination_at(c), &cases[i], (trawl_match_kind)kind);
        test_case_free(&cases[i]);
    }
}

/* ------------------------------------------------------------------ calls at the same time */

typedef struct nested {
    const trawl_db *db;
    const test_case *test;
    size_t depth;
    uint64_t found;
} nested;

static int scan_again(const trawl_match *match, void *context) {
    (void)match;
    nested *outer = context;
    if (outer->found++ == 0 && outer->depth != 0) {
        nested inner = {.db = outer->db, .test = outer->test, .depth = outer->depth - 1};
        assert_int_equal(trawl_scan(outer->db, outer->test->text, outer->test->length, NULL,
                                    scan_again, &inner, NULL),
                         TRAWL_OK);
        outer->found += inner.found;
    }
    return 0;
}

static trawl_db *compile(const test_case *test) {
    combination_failure failure;
    trawl_db *db;
    combination which = {.engine = "qgram"};
    assert_int_equal(combination_compile(which, test, TRAWL_MATCH_ALL, &db, &failure),
                     COMBINATION_COMPILED);
    return db;
}

static void calls_inside_of_calls(void **state) {
    (void)state;
    enum { DEPTH = 3 * TRAWL_IDLE_SLOTS };
    test_case test = random_letters(&source, 40, 3, 9, "abcdef", 600);
    trawl_db *db = compile(&test);
    uint64_t total;
    assert_int_equal(trawl_count(db, test.text, test.length, NULL, &total, NULL, NULL), TRAWL_OK);
    assert_true(total != 0);
    for (int round = 0; round < 2; round++) {
        nested all = {.db = db, .test = &test, .depth = DEPTH};
        assert_int_equal(trawl_scan(db, test.text, test.length, NULL, scan_again, &all, NULL),
                         TRAWL_OK);
        assert_int_equal(all.found, (DEPTH + 1) * total);
        assert_int_equal(idle_scanners(db), TRAWL_IDLE_SLOTS);
    }
    trawl_db_free(db);
    test_case_free(&test);
}

typedef struct caller {
    const trawl_db *db;
    const test_case *test;
    const uint64_t *totals; /* by length */
    uint64_t wrong;
} caller;

enum { ROUNDS = TESTS_ARE_SLOW ? 300 : 2000, CALLERS = 5, LENGTHS = 600 };

static void *call(void *context) {
    caller *self = context;
    uint64_t found;
    for (size_t round = 0; round < ROUNDS; round++) {
        size_t length = (round * 7919) % LENGTHS;
        found = 0;
        if (trawl_count(self->db, self->test->text, length, NULL, &found, NULL, NULL) != TRAWL_OK ||
            found != self->totals[length])
            self->wrong++;
    }
    return NULL;
}

static void count_lengths(const trawl_db *db, const test_case *test, uint64_t *totals) {
    for (size_t length = 0; length < LENGTHS; length++)
        assert_int_equal(trawl_count(db, test->text, length, NULL, &totals[length], NULL, NULL),
                         TRAWL_OK);
}

/* In the child of a fork: 0 if the calls work there. */
static int call_in_child(trawl_db *db, const test_case *test, const uint64_t *totals) {
    caller alone = {.db = db, .test = test, .totals = totals};
    (void)call(&alone);
    trawl_db_free(db);
    return alone.wrong != 0;
}

static void fork_callers(trawl_db *db, const test_case *test, const uint64_t *totals) {
    for (int round = 0; round < 10; round++) {
        pid_t child = fork();
        if (child == 0)
            _exit(call_in_child(db, test, totals));
        int how;
        assert_true(child > 0);
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_int_equal(how, 0);
    }
}

/* ThreadSanitizer allows no fork beside other threads. AddressSanitizer's allocator (GCC 12) does
 * not take its locks before a fork, so a child can wait forever for a thread that it does not have.
 */
enum { FORKS_BESIDE_THREADS = !TESTS_ARE_SANITIZED };

static void threads_and_forks(void **state) {
    (void)state;
    test_case test = random_letters(&source, 40, 3, 9, "abcdef", LENGTHS);
    trawl_db *db = compile(&test);
    uint64_t totals[LENGTHS];
    count_lengths(db, &test, totals);
    pthread_t threads[CALLERS];
    caller callers[CALLERS];
    for (size_t i = 0; i < CALLERS; i++) {
        callers[i] = (caller){.db = db, .test = &test, .totals = totals};
        assert_int_equal(pthread_create(&threads[i], NULL, call, &callers[i]), 0);
    }
    if (FORKS_BESIDE_THREADS)
        fork_callers(db, &test, totals);
    for (size_t i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(callers[i].wrong, 0);
    }
    fork_callers(db, &test, totals);
    assert_in_range(idle_scanners(db), 1, CALLERS + 1);
    trawl_db_free(db);
    test_case_free(&test);
}

/* A thread that scans for the first time, with a set that needs a pair of automata
 * (run/case_pair.h) whose making takes some milliseconds; and a fork meanwhile, whose child scans
 * too. */
static trawl_db *compile_mixed(size_t count) {
    trawl_patterns *patterns = NULL;
    trawl_db *db = NULL;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "ac-nfa";
    options.matches = TRAWL_MATCH_LEFTMOST_FIRST;
    assert_int_equal(trawl_patterns_new(&patterns, NULL), TRAWL_OK);
    for (size_t i = 0; i < count; i++) {
        char bytes[16];
        int length = snprintf(bytes, sizeof bytes, "Ab%zx", i);
        assert_int_equal(trawl_patterns_add(patterns, bytes, (size_t)length,
                                            i % 2 != 0 ? TRAWL_PATTERN_CASE_INSENSITIVE : 0, NULL),
                         TRAWL_OK);
    }
    assert_int_equal(trawl_compile(patterns, &options, &db, NULL), TRAWL_OK);
    trawl_patterns_free(patterns);
    return db;
}

static void *first_scan(void *db) {
    (void)trawl_scan(db, "aB1", 3, NULL, ignore, NULL, NULL);
    return NULL;
}

static void fork_while_automata_are_made(void **state) {
    (void)state;
    for (int round = 0; FORKS_BESIDE_THREADS && round < 4; round++) {
        pthread_t thread;
        int how;
        uint64_t total = 0;
        trawl_db *db = compile_mixed(60000);
        assert_int_equal(pthread_create(&thread, NULL, first_scan, db), 0);
        usleep((useconds_t)(1 + 4 * round) * 1000);
        pid_t child = fork();
        if (child == 0) {
            (void)alarm(60); /* else a child that waits for a lost thread would do so for ever */
            bool right = trawl_count(db, "aB1", 3, NULL, &total, NULL, NULL) == TRAWL_OK;
            _exit(right && total == 1 ? 0 : 1);
        }
        assert_true(child > 0);
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_int_equal(how, 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        trawl_db_free(db);
    }
}

/* ------------------------------------------------------------------ failures */

static int append(const trawl_match *match, void *context) {
    (void)match;
    ++*(uint64_t *)context;
    return 0;
}

/* Each allocation fails once: the call says so, keeps nothing, and at last one is right. */
static void without_memory(void **state) {
    (void)state;
    test_case test = random_letters(&source, 30, 2, 9, "abcd", 1000);
    for (size_t c = 0; c < combination_count(); c++)
        for (int kind = 0; kind < MATCH_KINDS; kind++) {
            combination_failure failure;
            trawl_db *db;
            long before = atomic_load(&live);
            uint64_t found = 0, total = 0;
            trawl_status status = TRAWL_ERROR_MEMORY;
            if (combination_compile(combination_at(c), &test, (trawl_match_kind)kind, &db,
                                    &failure) != COMBINATION_COMPILED)
                continue;
            for (long n = 0; status != TRAWL_OK; n++) {
                trawl_error error = {.message = ""};
                found = 0;
                atomic_store(&countdown, n);
                status = trawl_scan(db, test.text, test.length, NULL, append, &found, &error);
                atomic_store(&countdown, -1);
                assert_true(status == TRAWL_OK || status == TRAWL_ERROR_MEMORY);
                assert_true((status == TRAWL_OK) == (error.message[0] == '\0'));
                assert_int_equal(idle_scanners(db), status == TRAWL_OK);
            }
            assert_int_equal(trawl_count(db, test.text, test.length, NULL, &total, NULL, NULL),
                             TRAWL_OK);
            assert_int_equal(found, total);
            trawl_db_free(db);
            assert_int_equal(atomic_load(&live), before);
        }
    test_case_free(&test);
}

int main(void) {
    source = random_for_case(random_seed(), 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_calls_allocate_nothing), cmocka_unit_test(calls_inside_of_calls),
        cmocka_unit_test(threads_and_forks), cmocka_unit_test(fork_while_automata_are_made),
        cmocka_unit_test(without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
