/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * One database and many threads: callers that scan at the same time, and runners that use several
 * threads. Small enough for ThreadSanitizer.
 */
#include "combinations.h"
#include "generate.h"
#include "sanitizers.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CALLERS = 6, ROUNDS = TESTS_ARE_SLOW ? 4 : 12 };

typedef struct caller {
    const trawl_db *db;
    const test_case *test;
    const match_list *expected;
    uint64_t number;
    bool threaded; /* each call uses threads itself */
    char complaint[640];
} caller;

static void *call(void *context) {
    caller *self = context;
    random_source random = random_for_case(random_seed(), self->number);
    for (int round = 0; round < ROUNDS && !self->complaint[0]; round++) {
        runner how = runner_random(&random, self->test->length);
        how.origin = RUNNER_COMPILED;
        how.threads = self->threaded ? (uint32_t)random_between(&random, 2, 3) : 1;
        char what[sizeof(self->complaint)];
        if (!runner_check(&how, self->db, self->test->text, self->test->length, self->expected,
                          &random, what, sizeof(what)))
            memcpy(self->complaint, what, sizeof(what));
    }
    return NULL;
}

static void scan_at_once(const trawl_db *db, const test_case *test, const match_list *expected,
                         bool threaded) {
    pthread_t threads[CALLERS];
    caller callers[CALLERS];
    for (uint64_t i = 0; i < CALLERS; i++) {
        callers[i] = (caller){
            .db = db, .test = test, .expected = expected, .number = i, .threaded = threaded};
        assert_int_equal(pthread_create(&threads[i], NULL, call, &callers[i]), 0);
    }
    for (size_t i = 0; i < CALLERS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < CALLERS; i++)
        if (callers[i].complaint[0])
            fail_msg("thread %zu: %s", i, callers[i].complaint);
}

static void test_all(bool threaded) {
    for (uint64_t index = 0; index < (TESTS_ARE_SLOW ? 3 : 9); index++) {
        test_case test = {0};
        match_list expected = {0};
        random_source random = random_for_case(random_seed(), 1000 + index);
        generate_case(&random, SIZE_MAX, &test);
        trawl_match_kind kind = (trawl_match_kind)(index % MATCH_KINDS);
        test_case_search(&test, kind, &expected);
        for (size_t c = 0; c < combination_count(); c++) {
            combination_failure failure;
            trawl_db *db;
            if (combination_compile(combination_at(c), &test, kind, &db, &failure) ==
                COMBINATION_FAILED)
                fail_msg("%s", failure.what);
            if (db)
                scan_at_once(db, &test, &expected, threaded);
            trawl_db_free(db);
        }
        match_list_free(&expected);
        test_case_free(&test);
    }
}

static void serial_scans_of_one_database_at_once(void **state) {
    (void)state;
    test_all(false);
}

static void threaded_scans_of_one_database_at_once(void **state) {
    (void)state;
    test_all(true);
}

/* The callback may come from any thread, but never from two at once. */
typedef struct entry {
    int inside;
    uint64_t calls;
    uint64_t last_end;
    bool overlapped;
    bool disordered;
} entry;

static int enter(const trawl_match *match, void *context) {
    entry *state = context;
    if (__atomic_add_fetch(&state->inside, 1, __ATOMIC_RELAXED) != 1)
        state->overlapped = true;
    state->disordered |= match->end < state->last_end;
    state->last_end = match->end;
    state->calls++; /* unprotected on purpose: ThreadSanitizer sees calls that are not ordered */
    __atomic_sub_fetch(&state->inside, 1, __ATOMIC_RELAXED);
    return 0;
}

static void callbacks_come_one_by_one(void **state) {
    (void)state;
    size_t length = TESTS_ARE_SLOW ? 20000 : 1000000;
    uint8_t *text = malloc(length);
    memset(text, 'a', length);
    trawl_error error;
    trawl_patterns *patterns;
    trawl_db *db;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(patterns, "aa", 2, 0, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(patterns, "a", 1, 0, &error), TRAWL_OK);
    assert_int_equal(trawl_compile(patterns, NULL, &db, &error), TRAWL_OK);
    trawl_patterns_free(patterns);
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    options.threads = 4;
    options.study = &study;
    study.chunk_bytes = 257;
    entry seen = {.calls = 0};
    assert_int_equal(trawl_scan(db, text, length, &options, enter, &seen, &error), TRAWL_OK);
    assert_int_equal(seen.calls, 2 * length - 1);
    assert_false(seen.overlapped);
    assert_false(seen.disordered);
    trawl_db_free(db);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serial_scans_of_one_database_at_once),
        cmocka_unit_test(threaded_scans_of_one_database_at_once),
        cmocka_unit_test(callbacks_come_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
