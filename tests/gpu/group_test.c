/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Several devices in one scan: they find what the oracle finds, in order, whichever device takes
 * which segment, and whatever call to CUDA fails. The emulation has as many devices as a test asks
 * for; a real device takes part several times.
 */
#include "effort.h"
#include "generate.h"
#include "gpu/device_memory.h"
#include "gpu/device_report.h"
#include "gpu/devices.h"
#include "text_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static trawl_error error;

/* ------------------------------------------------------------------ names */

static void names(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool known, shared, all;
        uint32_t count, first, last;
        const char *again; /* as trawl_cuda_devices_name writes it */
    } cases[] = {
        {"cuda", true, false, false, 1, 0, 0, "cuda:0"},
        {"cuda:7", true, false, false, 1, 7, 7, "cuda:7"},
        {"cuda:all", true, true, true, 0, 0, 0, NULL},
        {"auto", true, true, true, 0, 0, 0, NULL},
        {"cuda:auto", true, true, true, 0, 0, 0, NULL},
        {"cuda:0,1", true, true, false, 2, 0, 1, "cuda:0-1"},
        {"cuda:0-7", true, true, false, 8, 0, 7, "cuda:0-7"},
        {"cuda:3-3", true, false, false, 1, 3, 3, "cuda:3"},
        {"cuda:5,0-2,5", true, true, false, 5, 5, 5, "cuda:5,0-2,5"},
        {"cuda:0,2,4,6,8,10", true, true, false, 6, 0, 10, "cuda:0,2,4,6..."},
        {"cuda:0-63", true, true, false, 64, 0, 63, "cuda:0-63"},
        {"cuda:0-64", false, false, false, 0, 0, 0, NULL},
        {"cuda:0-60,1-5", false, false, false, 0, 0, 0, NULL},
        {"cuda:", false, false, false, 0, 0, 0, NULL},
        {"cuda:0,", false, false, false, 0, 0, 0, NULL},
        {"cuda:,1", false, false, false, 0, 0, 0, NULL},
        {"cuda:2-1", false, false, false, 0, 0, 0, NULL},
        {"cuda:1-", false, false, false, 0, 0, 0, NULL},
        {"cuda:all,1", false, false, false, 0, 0, 0, NULL},
        {"cuda:12345", false, false, false, 0, 0, 0, NULL},
        {"cudas", false, false, false, 0, 0, 0, NULL},
        {"cpu", false, false, false, 0, 0, 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trawl_device_set set;
        char again[16];
        bool known = trawl_cuda_devices_read(cases[i].name, &set);
        if (known != cases[i].known)
            fail_msg("%s is %s", cases[i].name, known ? "known" : "unknown");
        if (!known)
            continue;
        assert_int_equal(set.shared, cases[i].shared);
        assert_int_equal(set.all, cases[i].all);
        assert_int_equal(set.count, cases[i].count);
        if (cases[i].again != NULL) {
            assert_int_equal(set.number[0], cases[i].first);
            assert_int_equal(set.number[set.count - 1], cases[i].last);
            trawl_cuda_devices_name(&set, again, sizeof again);
            assert_string_equal(again, cases[i].again);
        }
    }
}

/* ------------------------------------------------------------------ cases */

/* Offers some devices, and names some of them. */
static const char *choose_devices(random_source *random) {
    static const char *const one[] = {"cuda:all", "cuda:0,0", "cuda:0,0,0", "auto"};
    static const char *const eight[] = {"cuda:all", "cuda:0,1",   "cuda:0-7", "cuda:7,3,5",
                                        "auto",     "cuda:6,6,1", "cuda:all", "cuda:1-4"};
    if (device_is_emulated() && random_chance(random, 3, 4)) {
        (void)device_set_count(8);
        return eight[random_below(random, 8)];
    }
    (void)device_set_count(1);
    return one[random_below(random, 4)];
}

static void compare(const runner *how, const trawl_db *db, combination which, const test_case *test,
                    const match_list *expected, random_source *random) {
    char what[640], described[256];
    if (runner_check(how, db, test->text, test->length, expected, random, what, sizeof what))
        return;
    runner_describe(how, described, sizeof described);
    fail_msg("%s/%s, %s, a text of %zu bytes: %s", which.engine, which.variant, described,
             test->length, what);
}

/* Strategies A and B are for one device. */
static runner random_runner(random_source *random, size_t length) {
    static const char *const transfers[] = {NULL, "ring", "zero-copy"};
    runner how = runner_device_random(random, length, choose_devices(random));
    how.transfer = transfers[random_below(random, how.source ? 2 : 3)];
    if (random_chance(random, 2, 3))
        how.segment_bytes = 32 * random_between(random, 1, 8);
    return how;
}

static void random_cases(void **state) {
    (void)state;
    for (uint64_t index = 0; index < device_cases(40, 30); index++) {
        test_case test = {.name = strdup("random")};
        match_list expected = {0};
        trawl_match_kind kind = (trawl_match_kind)(index % MATCH_KINDS);
        random_source random = random_for_case(random_seed(), index + 3000000);
        generate_case(&random, device_is_emulated() ? 1000000 : 100, &test);
        test_case_search(&test, kind, &expected);
        device_shake((unsigned)random_below(&random, 6));
        for (size_t c = 0; c < combination_count(); c++) {
            trawl_db *db = device_compile(combination_at(c), &test, kind);
            runner how = random_runner(&random, test.length);
            if (db != NULL)
                compare(&how, db, combination_at(c), &test, &expected, &random);
            trawl_db_free(db);
        }
        device_shake(0);
        match_list_free(&expected);
        test_case_free(&test);
    }
}

/* Many more segments than an epoch has, after which counters of patterns are copied to the host,
 * and more matches than there is room for. `length` is that of the text. */
static void make_dense(test_case *test, size_t length) {
    static const char *const patterns[] = {"a", "aa", "aaaa", "ab", "needles in haystacks", "b"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        test_case_add_pattern(test, patterns[i], strlen(patterns[i]), 0);
    while (test->length < length)
        test_case_append_text(test, "aaaaaaaaab needles in haystacks.", 32 - test->length / 32 % 5);
}

static void many_segments(void **state) {
    (void)state;
    static const char *const devices[] = {"cuda:all", "cuda:0,0", "cuda:0,0,0,0,0"};
    static const runner_call calls[] = {RUNNER_COLLECT, RUNNER_COUNT, RUNNER_COUNT_PATTERNS,
                                        RUNNER_BATCHES_STOP};
    test_case test = {.name = strdup("many")};
    match_list expected = {0};
    random_source random = random_for_case(random_seed(), 77);
    make_dense(&test, effort_is_short() ? 6000 : 15000);
    test_case_search(&test, TRAWL_MATCH_ALL, &expected);
    for (size_t c = 0; c < combination_count(); c++) {
        if (effort_is_short() && c % 18 != random_seed() % 18)
            continue;
        trawl_db *db = device_compile(combination_at(c), &test, TRAWL_MATCH_ALL);
        for (size_t i = 0; db != NULL && i < 12; i++) {
            (void)device_set_count(i % 2 == 0 ? 8 : 3);
            runner how = {.call = calls[i % 4],
                          .device = devices[i / 4],
                          .threads = 4,
                          .segment_bytes = 32 * (1 + i % 3)};
            compare(&how, db, combination_at(c), &test, &expected, &random);
        }
        trawl_db_free(db);
    }
    (void)device_set_count(1);
    match_list_free(&expected);
    test_case_free(&test);
}

/* ------------------------------------------------------------------ failures */

typedef struct outcome {
    trawl_status status;
    uint64_t total;
    uint64_t each[8];
    trawl_matches matches;
    trawl_scan_report report;
} outcome;

enum { COLLECT, COUNT, COUNT_EACH, READ_COUNT, READ, WAYS };

static int gather(const trawl_match *matches, size_t count, void *context) {
    outcome *result = context;
    size_t room = result->matches.count + count;
    result->matches.items = realloc(result->matches.items, room * sizeof *matches);
    memcpy(result->matches.items + result->matches.count, matches, count * sizeof *matches);
    result->matches.count = room;
    return 0;
}

/* Scans a text in one of the ways, on these devices; NULL: on the CPU. */
static outcome scan(const trawl_db *db, const test_case *test, const char *device, int way) {
    outcome result = {.report = TRAWL_SCAN_REPORT};
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    text_source source;
    text_source_open(&source, test->text, test->length);
    options.device = device;
    options.threads = 2;
    options.study = &study;
    options.report = &result.report;
    study.segment_bytes = 160;
    switch (way) {
    case COLLECT:
        result.status =
            trawl_collect(db, test->text, test->length, &options, &result.matches, &error);
        break;
    case COUNT:
    case COUNT_EACH:
        result.status = trawl_count(db, test->text, test->length, &options, &result.total,
                                    way == COUNT ? NULL : result.each, &error);
        break;
    case READ_COUNT:
        result.status =
            trawl_count_source(db, &source.source, &options, &result.total, result.each, &error);
        break;
    default:
        result.status = trawl_scan_source(db, &source.source, &options, gather, &result, &error);
        break;
    }
    return result;
}

static void release(outcome *result, int way) {
    if (way == COLLECT)
        trawl_matches_free(&result->matches);
    else
        free(result->matches.items);
}

static bool same(const outcome *a, const outcome *b) {
    return a->total == b->total && memcmp(a->each, b->each, sizeof a->each) == 0 &&
           a->matches.count == b->matches.count &&
           (a->matches.count == 0 || memcmp(a->matches.items, b->matches.items,
                                            a->matches.count * sizeof *a->matches.items) == 0);
}

static trawl_db *compile_for(const test_case *test, const char *engine) {
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_patterns *patterns = test_case_patterns(test, &error);
    trawl_db *db = NULL;
    options.engine = engine;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_patterns_free(patterns);
    return db;
}

/* What happened while each call failed in turn. */
typedef struct tally {
    unsigned refused, left_out, by_cpu;
} tally;

/* Call `number` fails, perhaps because its device is gone. The database is a new one, as its upload
 * is part of the test. Returns false if there were fewer calls. */
static bool fail_one(const test_case *test, const char *engine, const char *device, int way,
                     const outcome *expected, long number, bool lasting, tally *seen) {
    size_t objects = device_live_objects();
    trawl_db *db = compile_for(test, engine);
    memset(&error, 0, sizeof error);
    (void)device_fail_call(number, lasting);
    outcome result = scan(db, test, device, way);
    bool reached = device_calls() >= number;
    (void)device_fail_call(0, false);
    if (result.status != TRAWL_OK) {
        /* Finding the devices, which is done twice with a call for each: no scan is possible
         * without it. */
        seen->refused++;
        if (error.message[0] == '\0' || strchr(error.message, '\n') != NULL || number > 24)
            fail_msg("%s, way %d, call %ld fails: %s: %s", device, way, number,
                     trawl_status_text(result.status), error.message);
    } else if (!same(&result, expected)) {
        fail_msg("%s, %s, way %d, call %ld fails%s: other matches", engine, device, way, number,
                 lasting ? " and all after it" : "");
    } else {
        seen->left_out += result.report.left_out;
        seen->by_cpu += result.report.cpu_bytes != 0;
        assert_true(result.report.left_out <= 1);
        assert_int_equal(result.report.left_out != 0, result.report.failure[0] != '\0');
        assert_null(strchr(result.report.failure, '\n'));
    }
    release(&result, way);
    if (number % 4 == 0) { /* the database can be used as before */
        result = scan(db, test, device, way);
        if (result.status != TRAWL_OK || !same(&result, expected) || result.report.left_out != 0)
            fail_msg("%s, %s, way %d, after call %ld failed%s: %s%s", engine, device, way, number,
                     lasting ? " and all after it" : "", error.message, result.report.failure);
        release(&result, way);
    }
    trawl_db_free(db);
    if (device_live_objects() != objects)
        fail_msg("%s, %s, way %d, call %ld fails%s: %zu objects are left", engine, device, way,
                 number, lasting ? " and all after it" : "", device_live_objects() - objects);
    return reached;
}

/* With TRAWL_TEST_EVERY_CALL each call of the scans of a shorter text fails once, which takes
 * minutes. Otherwise one call in 53 fails (in the short form of the test one in 211), in each case
 * other ones. */
static void every_call_fails(void **state) {
    (void)state;
    static const int counts[] = {1, 2, 3, 8};
    static const char *const engines[] = {"ac-dfa", "qgram"};
    if (!device_fail_call(0, false))
        skip();
    test_case test = {.name = strdup("failures")};
    const bool every = getenv("TRAWL_TEST_EVERY_CALL") != NULL;
    make_dense(&test, every ? 700 : 2000);
    for (size_t e = 0; e < 2; e++) {
        trawl_db *db = compile_for(&test, engines[e]);
        /* The emulation takes ten times as long for qgram. */
        for (int way = 0; way < (e == 0 ? WAYS : COUNT); way++) {
            outcome expected = scan(db, &test, NULL, way);
            for (size_t i = e; i < (e == 0 ? 4 : 2); i++)
                for (int lasting = 0; lasting < 2; lasting++) {
                    long step = every ? 1 : effort_is_short() ? 211 : 53;
                    long number = 1 + (long)(random_seed() + (size_t)way * 13 + i * 7) % step;
                    tally seen = {0};
                    (void)device_set_count(counts[i]);
                    while (fail_one(&test, engines[e], "cuda:all", way, &expected, number,
                                    lasting != 0, &seen))
                        number += step;
                    assert_true(number > 60);
                    if (step == 1)
                        assert_true(seen.refused >= 1 && seen.left_out > 20);
                }
            release(&expected, way);
        }
        trawl_db_free(db);
    }
    (void)device_set_count(1);
    test_case_free(&test);
}

/* All devices fail, one after the other. */
static void no_device_is_left(void **state) {
    (void)state;
    if (!device_fail_call(0, false))
        skip();
    test_case test = {.name = strdup("none left")};
    make_dense(&test, 12000);
    trawl_db *db = compile_for(&test, "qgram");
    for (int way = 0; way < WAYS; way++) {
        outcome expected = scan(db, &test, NULL, way);
        (void)device_set_count(3);
        (void)device_fail_allocations(0);
        outcome result = scan(db, &test, "cuda:all", way);
        (void)device_fail_allocations(-1);
        assert_int_equal(result.status, TRAWL_OK);
        assert_true(same(&result, &expected));
        assert_int_equal(result.report.left_out, 3);
        assert_int_equal(result.report.devices, 3);
        assert_int_equal(result.report.cpu_bytes, test.length);
        assert_string_equal(result.report.device, "cuda:0-2");
        assert_non_null(strstr(result.report.failure, "out of memory"));
        release(&result, way);
        release(&expected, way);
    }
    (void)device_set_count(1);
    trawl_db_free(db);
    test_case_free(&test);
}

static void refusals(void **state) {
    (void)state;
    test_case test = {.name = strdup("refusals")};
    make_dense(&test, 100);
    trawl_db *db = compile_for(&test, "ac-dfa");
    outcome result = scan(db, &test, "cuda:0,99", COUNT);
    assert_int_equal(result.status, TRAWL_ERROR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "there is no CUDA device 99"));
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    uint64_t total = 0;
    options.device = "cuda:0,0";
    options.transfer = "a";
    assert_int_equal(trawl_count(db, "a", 1, &options, &total, NULL, &error), TRAWL_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "is for one GPU"));
    char name[300] = "cuda:0";
    while (strlen(name) < 250)
        strcat(name, ",0000");
    options.device = name;
    options.transfer = NULL;
    assert_int_equal(trawl_count(db, "a", 1, &options, &total, NULL, &error), TRAWL_ERROR_LIMIT);
    options.device = "cuda:0,0";
    options.kernel = "nonsense";
    assert_int_equal(trawl_count(db, "a", 1, &options, &total, NULL, &error), TRAWL_ERROR_ARGUMENT);
    trawl_db_free(db);
    test_case_free(&test);
}

/* ------------------------------------------------------------------ texts that end early */

/* All bytes before a failure are scanned, and then the failure is reported. */
static void failures_end_the_text(void **state) {
    (void)state;
    test_case test = {.name = strdup("ends")};
    make_dense(&test, 40000);
    trawl_db *db = compile_for(&test, "ac-dfa");
    for (uint64_t number = 0; number < device_cases(60, 30); number++) {
        random_source random = random_for_case(random_seed(), number + 5000);
        uint64_t wanted = 0, total = 77, expected[8] = {0}, each[8] = {0};
        outcome received = {.total = 0};
        text_source source;
        trawl_scan_options options = TRAWL_SCAN_OPTIONS;
        trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
        text_source_open(&source, test.text, test.length);
        uint64_t end = number == 0 ? 0 : random_below(&random, test.length);
        *(number % 2 ? &source.broken : &source.end) = end;
        options.device = choose_devices(&random);
        options.threads = (uint32_t)random_between(&random, 1, 4);
        options.study = &study;
        study.segment_bytes = random_between(&random, 32, 3000);
        assert_int_equal(trawl_count(db, test.text, end, NULL, &wanted, expected, &error),
                         TRAWL_OK);
        if (number % 3 == 0) /* some of it is left to the CPU */
            (void)device_fail_call((long)random_between(&random, 30, 300), true);
        assert_int_equal(trawl_count_source(db, &source.source, &options, &total, each, &error),
                         TRAWL_ERROR_IO);
        assert_int_equal(total, wanted);
        assert_memory_equal(each, expected, sizeof each);
        assert_int_equal(trawl_scan_source(db, &source.source, &options, gather, &received, &error),
                         TRAWL_ERROR_IO);
        assert_int_equal(received.matches.count, wanted);
        assert_non_null(strstr(error.message, number % 2 ? "broken" : "became shorter"));
        free(received.matches.items);
        (void)device_fail_call(0, false);
    }
    (void)device_set_count(1);
    trawl_db_free(db);
    test_case_free(&test);
}

int main(void) {
    if (!device_tests_begin("group_test"))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(refusals),
        cmocka_unit_test(no_device_is_left),
        cmocka_unit_test(many_segments),
        cmocka_unit_test(random_cases),
        cmocka_unit_test(failures_end_the_text),
        cmocka_unit_test(every_call_fails),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_tests_end();
    return failed;
}
