/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * When threads start: not for small texts. A stream, a scanner of records and a replacer keep
 * theirs between calls. A fork copies only the thread that calls it, so in the child of a fork
 * their threads are missing: there these objects work as in the parent, and can be closed. The
 * linker replaces pthread_create (--wrap).
 */
#include "sanitizers.h"
#include "trawl/trawl_records.h"
#include "trawl/trawl_replace.h"
#include "trawl/trawl_study.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#if TESTS_THREAD_SANITIZER
/* Else it ends a child that starts threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) {
    return "die_after_fork=0";
}
#endif

static atomic_ulong started, running; /* threads */

/* The function and the argument of a new thread. */
typedef struct beginning {
    void *(*work)(void *);
    void *context;
} beginning;

static void *begin(void *context) {
    beginning here = *(beginning *)context;
    free(context);
    atomic_fetch_add(&running, 1);
    return here.work(here.context);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*work)(void *), void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*work)(void *), void *context);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*work)(void *), void *context) {
    beginning *first = malloc(sizeof *first);
    assert_non_null(first);
    *first = (beginning){work, context};
    atomic_fetch_add(&started, 1);
    return __real_pthread_create(thread, attributes, begin, first);
}

/* AddressSanitizer allocates memory in a thread that begins, and does not take the locks of its
 * allocator before a fork: in the child they would be held for ever. */
static void wait_for_sanitizer(void) {
    while (TESTS_ADDRESS_SANITIZER && atomic_load(&running) != atomic_load(&started))
        (void)sched_yield();
}

enum { LINE = 16, SMALL = 1024, LARGE = 1 << 20, THREADS = 4 };
static const char line[LINE + 1] = "a fox, and cats ";
static uint8_t text[LARGE];
static trawl_span spans[LARGE / LINE];
static trawl_db *db;

static int make_db(void **state) {
    (void)state;
    trawl_patterns *patterns = NULL;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.matches = TRAWL_MATCH_LEFTMOST_FIRST;
    for (size_t i = 0; i < LARGE / LINE; i++) {
        memcpy(text + i * LINE, line, LINE);
        spans[i] = (trawl_span){.bytes = text + i * LINE, .length = LINE};
    }
    assert_int_equal(trawl_patterns_new(&patterns, NULL), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(patterns, "fox", 3, 0, NULL), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(patterns, "cat", 3, 0, NULL), TRAWL_OK);
    assert_int_equal(trawl_compile(patterns, &options, &db, NULL), TRAWL_OK);
    trawl_patterns_free(patterns);
    return 0;
}

static int free_db(void **state) {
    (void)state;
    trawl_db_free(db);
    return 0;
}

/* All that keeps threads between calls. */
typedef struct kept {
    trawl_stream *stream;
    trawl_record_scanner *records;
    trawl_replacer *replacer;
    uint64_t streamed; /* bytes of the stream */
} kept;

static kept open_all(size_t chunk_bytes) {
    kept all = {.streamed = 0};
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    trawl_replace_options replacing = TRAWL_REPLACE_OPTIONS;
    options.threads = THREADS;
    options.study = &study;
    study.chunk_bytes = chunk_bytes;
    replacing.kind = TRAWL_REPLACE_MASK;
    replacing.scan = &options;
    assert_int_equal(trawl_stream_open(db, &options, NULL, NULL, &all.stream, NULL), TRAWL_OK);
    assert_int_equal(trawl_record_scanner_open(db, &options, &all.records, NULL), TRAWL_OK);
    assert_int_equal(trawl_replacer_open(db, &replacing, &all.replacer, NULL), TRAWL_OK);
    return all;
}

/* Each of these searches `length` bytes, and says whether it has found two matches a line. The last
 * one of a stream depends on text still to come. */
static bool use_stream(kept *all, size_t length) {
    all->streamed += length;
    return trawl_stream_write(all->stream, text, length, NULL) == TRAWL_OK &&
           trawl_stream_flush(all->stream, NULL) == TRAWL_OK &&
           trawl_stream_matches(all->stream) == all->streamed / LINE * 2 - 1;
}

static bool use_records(kept *all, size_t length) {
    trawl_records records = TRAWL_RECORDS;
    trawl_record_counts counts = TRAWL_RECORD_COUNTS;
    records.count = length / LINE;
    records.spans = spans;
    return trawl_records_count(all->records, &records, &counts, NULL) == TRAWL_OK &&
           counts.total == length / LINE * 2;
}

static bool use_replacer(kept *all, size_t length) {
    uint64_t replaced = 0, needed = 0;
    trawl_status status =
        trawl_replace_into(all->replacer, text, length, NULL, 0, &needed, &replaced);
    return status == TRAWL_ERROR_LIMIT && needed == length && replaced == length / LINE * 2;
}

static bool (*const uses[])(kept *, size_t) = {use_stream, use_records, use_replacer};
enum { USES = sizeof(uses) / sizeof(uses[0]) };

static bool use_all(kept *all, size_t length) {
    bool right = true;
    for (size_t i = 0; i < USES; i++)
        right = uses[i](all, length) && right;
    return right;
}

static bool close_all(kept *all) {
    trawl_record_scanner_close(all->records);
    trawl_replacer_close(all->replacer);
    return trawl_stream_close(all->stream, NULL) == TRAWL_OK;
}

/* ------------------------------------------------------------------ small texts */

static int ignore(const trawl_match *match, void *context) {
    (void)match;
    (void)context;
    return 0;
}

static void small_texts_start_no_threads(void **state) {
    (void)state;
    /* The longest text of whole lines that one thread searches. */
    enum { NOT_SHARED = (1 << 16) - LINE };
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    trawl_scan_report report = TRAWL_SCAN_REPORT;
    uint64_t total;
    kept all = open_all(0);
    options.threads = THREADS;
    options.report = &report; /* such a scan uses no scanner that the database keeps */
    atomic_store(&started, 0);
    atomic_store(&running, 0);
    assert_int_equal(trawl_scan(db, text, NOT_SHARED, &options, ignore, NULL, NULL), TRAWL_OK);
    assert_int_equal(trawl_count(db, text, NOT_SHARED, &options, &total, NULL, NULL), TRAWL_OK);
    assert_true(use_all(&all, NOT_SHARED));
    assert_int_equal(atomic_load(&started), 0);
    assert_int_equal(trawl_scan(db, text, LARGE, &options, ignore, NULL, NULL), TRAWL_OK);
    assert_int_equal(atomic_load(&started), THREADS - 1);
    assert_int_equal(trawl_count(db, text, LARGE, &options, &total, NULL, NULL), TRAWL_OK);
    assert_int_equal(atomic_load(&started), 2 * (THREADS - 1));
    for (size_t i = 0; i < USES; i++) {
        assert_true(uses[i](&all, LARGE));
        assert_int_equal(atomic_load(&started), (3 + i) * (THREADS - 1));
    }
    assert_true(use_all(&all, LARGE)); /* with the same threads */
    assert_int_equal(atomic_load(&started), (2 + USES) * (THREADS - 1));
    assert_true(close_all(&all));
}

/* ------------------------------------------------------------------ forks */

/* Bytes that each thread takes, so that small texts are spread too. */
enum { CHUNK = 64 };

/* Runs `work` in the child of a fork and, if `again`, in the child's child. */
static void in_child(bool (*work)(kept *all), kept *all, bool again) {
    int how;
    wait_for_sanitizer();
    pid_t child = fork();
    if (child == 0) {
        (void)alarm(60); /* else a child that waits for a lost thread would do so for ever */
        if (again) {
            bool right = use_all(all, SMALL);
            in_child(work, all, false);
            _exit(right ? 0 : 1);
        }
        _exit(work(all) ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
}

static bool use_and_close(kept *all) {
    bool right = use_all(all, SMALL);
    right = use_all(all, SMALL) && right;
    return close_all(all) && right;
}

/* The threads are just falling asleep when the fork comes, so one of them may hold a lock. */
static void forks_beside_sleeping_threads(void **state) {
    (void)state;
    enum { ROUNDS = TESTS_ARE_SLOW ? 10 : 100 };
    kept all = open_all(CHUNK);
    for (int round = 0; round < ROUNDS; round++) {
        assert_true(use_all(&all, SMALL));
        in_child(round % 2 == 0 ? use_and_close : close_all, &all, round % 4 == 3);
    }
    assert_true(use_and_close(&all));
}

/* A fork before the threads start. */
static void forks_before_threads(void **state) {
    (void)state;
    kept all = open_all(CHUNK);
    in_child(close_all, &all, false);
    in_child(use_and_close, &all, true);
    assert_true(use_and_close(&all));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_texts_start_no_threads),
                                       cmocka_unit_test(forks_beside_sleeping_threads),
                                       cmocka_unit_test(forks_before_threads)};
    return cmocka_run_group_tests(tests, make_db, free_db);
}
