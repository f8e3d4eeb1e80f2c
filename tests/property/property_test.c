/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Properties over random cases: every engine and variant agrees with the oracle, however it is run.
 *
 *     TRAWL_TEST_SEED    the run's seed (printed)
 *     TRAWL_TEST_CASES   random cases in the whole run
 *     TRAWL_TEST_SECONDS as many cases as fit into this time instead
 *     TRAWL_TEST_CASE    run this one case of the seed only
 *     TRAWL_TEST_SHARD   "i/n": run the i-th of n parts
 *     TRAWL_TEST_ENGINE  NAME or NAME/VARIANT: this engine only
 *     TRAWL_TEST_RUNNER  part of the name of a way to scan, such as records or stream: these only
 */
#include "combinations.h"
#include "cpu_set.h"
#include "generate.h"
#include "message.h"
#include "random_cases.h"
#include "sanitizers.h"
#include "shrink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum {
    RUNNERS_PER_COMBINATION = 2,
    LARGE_EVERY = 8000,
    SHRINK_TRIES = 3000,
    DEFAULT_CASES = TESTS_ARE_SLOW ? 700 : 2000
};

/* The current case, to be printed if a signal ends the process. */
static struct {
    test_case *test;
    combination_failure failure;
    uint64_t seed;
    uint64_t index;
} current;

/* The command that runs the current case again: with the settings that choose how. */
static void write_replay(char *replay, size_t size) {
    static const char *const settings[] = {"TRAWL_CPU", "TRAWL_TEST_ENGINE", "TRAWL_TEST_RUNNER"};
    const message words = {.text = replay, .size = size};
    replay[0] = '\0';
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        const char *value = getenv(settings[i]);
        if (value)
            message_append(&words, "%s='%.60s' ", settings[i], value);
    }
    message_append(&words, "TRAWL_TEST_SEED=%llu TRAWL_TEST_CASE=%llu tests/property_test",
                   (unsigned long long)current.seed, (unsigned long long)current.index);
}

static void tell_current(void) {
    char replay[400];
    if (!current.test)
        return;
    write_replay(replay, sizeof(replay));
    combination_print_failure(stdout, current.test, &current.failure, replay);
}

/* The predicate of shrinking: the same engine, kind and runner still disagree with the oracle. */
static bool still_fails(const test_case *test, void *context) {
    combination_failure *original = context;
    combination_failure failure;
    match_list expected = {0};
    trawl_db *db;
    char what[sizeof(failure.what)];
    combination_outcome outcome =
        combination_compile(original->which, test, original->kind, &db, &failure);
    bool failed = outcome == COMBINATION_FAILED;
    memcpy(what, failure.what, sizeof(what));
    if (outcome == COMBINATION_COMPILED && original->scanning) {
        test_case_search(test, original->kind, &expected);
        /* Pieces and stopping points are random again, so a few attempts are made. */
        for (uint64_t attempt = 0; attempt < 4 && !failed; attempt++) {
            random_source random = random_for_case(1, attempt);
            failed = !runner_check(&original->how, db, test->text, test->length, &expected, &random,
                                   what, sizeof(what));
        }
        match_list_free(&expected);
    } else if (original->scanning) {
        failed = false;
    }
    if (failed) /* the message is finally about the smallest case */
        memcpy(original->what, what, sizeof(what));
    trawl_db_free(db);
    return failed;
}

static void report(test_case *test) {
    if (still_fails(test, &current.failure)) {
        shrink_case(test, still_fails, &current.failure, SHRINK_TRIES);
        printf("\nshrunk to %zu patterns and %zu bytes of text\n", test->count, test->length);
    }
    tell_current();
}

static bool run_case(uint64_t index) {
    static test_case test; /* static: it must outlive the jump out of a crash */
    match_list expected = {0};
    random_source random = random_for_case(current.seed, index);
    generate_case(&random, LARGE_EVERY, &test);
    test.name = strdup("random");
    trawl_match_kind kind = (trawl_match_kind)(index % MATCH_KINDS);
    test_case_search(&test, kind, &expected);
    current.test = &test;
    current.index = index;
    bool good = true;
    for (size_t i = 0; i < combination_count() && good; i++)
        good = combination_check(combination_at(i), &test, kind, &expected, RUNNERS_PER_COMBINATION,
                                 &random, &current.failure) != COMBINATION_FAILED;
    if (!good)
        report(&test);
    current.test = NULL;
    match_list_free(&expected);
    test_case_free(&test);
    return good;
}

/* The cases [*first, *last) of this process. */
static void choose_cases(uint64_t seconds, uint64_t *first, uint64_t *last) {
    enum { MORE_THAN_FIT = 1000000000 };
    const char *shard = getenv("TRAWL_TEST_SHARD");
    unsigned long long part = 1, parts = 1;
    uint64_t all = number_from("TRAWL_TEST_CASES", seconds ? MORE_THAN_FIT : DEFAULT_CASES);
    if (shard && (sscanf(shard, "%llu/%llu", &part, &parts) != 2 || !part || part > parts))
        fail_msg("TRAWL_TEST_SHARD is %s, expected i/n", shard);
    uint64_t one = number_from("TRAWL_TEST_CASE", UINT64_MAX);
    *first = one != UINT64_MAX ? one : all * (part - 1) / parts;
    *last = one != UINT64_MAX ? one + 1 : all * part / parts;
}

static void engines_agree_with_the_oracle(void **state) {
    (void)state;
    uint64_t first, last, seconds = number_from("TRAWL_TEST_SECONDS", 0);
    time_t end = time(NULL) + (time_t)seconds;
    current.seed = random_seed();
    choose_cases(seconds, &first, &last);
    printf("seed %llu, cases from %llu on, %zu engines and variants\n",
           (unsigned long long)current.seed, (unsigned long long)first, combination_count());
    fflush(stdout);
    uint64_t index = first;
    for (; index < last && (!seconds || time(NULL) < end); index++)
        if (!run_case(index))
            fail_msg("case %llu of seed %llu failed", (unsigned long long)index,
                     (unsigned long long)current.seed);
    printf("%llu cases\n", (unsigned long long)(index - first));
    combination_print_totals();
}

static int tell_after_a_signal(void **state) {
    (void)state;
    tell_current();
    return 0;
}

int main(void) {
    cpu_set_apply();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(engines_agree_with_the_oracle, tell_after_a_signal)};
    sanitizer_on_death(tell_current);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
