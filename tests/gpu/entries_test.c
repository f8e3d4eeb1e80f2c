/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Ends and states of texts in host memory: every engine, kernel and way of transfer gives the ends
 * of the oracle and the states of the CPU's plain walk, and writes nothing else.
 */
#include "generate.h"
#include "gpu/device_memory.h"
#include "gpu/device_report.h"
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static trawl_error error;
static size_t written, refused;
enum { GUARD = 64, BEFORE = 0xA5 };

/* One call of trawl_study_cuda_entries. */
typedef struct entries_call {
    trawl_cuda_form form;
    const char *kernel;   /* NULL: the default */
    const char *transfer; /* NULL: the default */
    uint64_t segment_bytes;
    bool pinned; /* text and entries */
} entries_call;

static entries_call any_call(random_source *random, trawl_cuda_form form, const char *kernel,
                             size_t length) {
    static const char *const transfers[] = {NULL, "ring", "a", "b", "zero-copy"};
    entries_call call = {.form = form, .kernel = kernel};
    call.transfer = transfers[random_below(random, sizeof(transfers) / sizeof(transfers[0]))];
    if (random_chance(random, 1, 2))
        call.segment_bytes = random_between(random, 1, length + 1);
    call.pinned = random_chance(random, 1, 3);
    return call;
}

/* The entries as the public header defines them; *bytes is their size. NULL: the engine has no
 * single automaton. */
static uint8_t *expected_entries(const trawl_db *db, const test_case *test, trawl_cuda_form form,
                                 size_t *bytes) {
    if (form == TRAWL_CUDA_ENDS) {
        match_list matches = {0};
        *bytes = (test->length + 31) / 32 * 4;
        uint32_t *words = calloc(*bytes + 1, 1);
        assert_non_null(words);
        oracle_search(test->patterns, test->count, test->text, test->length, TRAWL_MATCH_ALL,
                      &matches);
        for (size_t i = 0; i < matches.count; i++) {
            uint64_t last = matches.items[i].end - 1;
            words[last / 32] |= 1u << last % 32;
        }
        match_list_free(&matches);
        return (uint8_t *)words;
    }
    trawl_study_automaton automaton = TRAWL_STUDY_AUTOMATON;
    if (trawl_study_db_automaton(db, 0, &automaton, &error) != TRAWL_OK || automaton.automata != 1)
        return NULL;
    *bytes = test->length * automaton.state_bytes;
    uint32_t *states = calloc(test->length + 1, sizeof(*states));
    assert_non_null(states);
    assert_int_equal(trawl_study_walk_states(db, 0, test->text, test->length, states, &error),
                     TRAWL_OK);
    uint16_t *narrow = (uint16_t *)states;
    for (size_t i = 0; automaton.state_bytes == 2 && i < test->length; i++)
        narrow[i] = (uint16_t)states[i];
    return (uint8_t *)states;
}

static bool may_refuse(combination which, const entries_call *call, trawl_status status) {
    device_database database = {.which = which};
    device_scan scan = {.kernel = call->kernel, .form = call->form};
    char complaint[512];
    if (status == TRAWL_ERROR_LIMIT && call->kernel == NULL)
        return true;
    return device_may_refuse(&database, &scan, status, &error, complaint, sizeof(complaint));
}

static void check_call(const trawl_db *db, combination which, const test_case *test,
                       const entries_call *call) {
    trawl_study_scan_report report = TRAWL_STUDY_SCAN_REPORT;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    study.segment_bytes = call->segment_bytes;
    study.report = &report;
    options.kernel = call->kernel;
    options.transfer = call->transfer;
    options.study = &study;
    size_t bytes = 0;
    uint8_t *expected = expected_entries(db, test, call->form, &bytes);
    uint8_t *entries = malloc(bytes + GUARD);
    uint8_t *text = malloc(test->length + 1);
    assert_true(entries && text);
    memset(entries, BEFORE, bytes + GUARD);
    memcpy(text, test->text, test->length);
    if (call->pinned) {
        assert_int_equal(trawl_cuda_pin(text, test->length + 1, &error), TRAWL_OK);
        assert_int_equal(trawl_cuda_pin(entries, bytes + GUARD, &error), TRAWL_OK);
    }
    trawl_status status = trawl_study_cuda_entries(db, text, test->length, call->form, &options,
                                                   entries, bytes, &error);
    if (call->pinned) {
        trawl_cuda_unpin(text);
        trawl_cuda_unpin(entries);
    }
    const char *transfer = call->transfer ? call->transfer : "default";
    const char *kernel = call->kernel ? call->kernel : "default";
    if (status != TRAWL_OK) {
        if (!may_refuse(which, call, status))
            fail_msg("%s/%s, kernel %s, form %d, transfer %s: %s", which.engine, which.variant,
                     kernel, (int)call->form, transfer, error.message);
        refused++;
    } else {
        assert_non_null(expected);
        for (size_t i = 0; i < bytes; i++)
            if (entries[i] != expected[i])
                fail_msg("%s/%s, kernel %s, form %d, transfer %s, segments of %llu: byte %zu of "
                         "%zu is %u instead of %u",
                         which.engine, which.variant, kernel, (int)call->form, transfer,
                         (unsigned long long)call->segment_bytes, i, bytes, entries[i],
                         expected[i]);
        for (size_t i = bytes; i < bytes + GUARD; i++)
            assert_int_equal(entries[i], BEFORE);
        if (test->length != 0) {
            assert_true(report.segments >= 1);
            assert_true(report.copy_out_seconds > 0);
        }
        written++;
    }
    free(expected);
    free(entries);
    free(text);
}

/* The default kernel and every kernel by its name, each with both forms. */
static void check_set(combination which, const test_case *test, random_source *random) {
    combination_failure failure;
    trawl_db *db;
    combination_outcome outcome = combination_compile(which, test, TRAWL_MATCH_ALL, &db, &failure);
    if (outcome == COMBINATION_FAILED)
        fail_msg("%s: %s", which.engine, failure.what);
    if (outcome != COMBINATION_COMPILED)
        return;
    const char *kernel = NULL;
    for (size_t k = 0; k == 0 || kernel; k++) {
        for (int form = TRAWL_CUDA_ENDS; form <= TRAWL_CUDA_STATES; form++) {
            entries_call call = any_call(random, (trawl_cuda_form)form, kernel, test->length);
            if (call.transfer && strcmp(call.transfer, "zero-copy") == 0)
                call.kernel = NULL; /* not every kernel reads host memory */
            check_call(db, which, test, &call);
        }
        kernel = device_kernel_at(which.engine, k);
    }
    trawl_db_free(db);
}

static void arrays_of_every_engine(void **state) {
    (void)state;
    combination which;
    for (size_t index = 0; index < device_cases(60, 12); index++) {
        static test_case test;
        test.name = strdup("random");
        random_source random = random_for_case(random_seed(), index);
        generate_case(&random, 1000000, &test);
        for (size_t c = 0; device_combination(c, &which); c++) {
            device_shake((unsigned)random_below(&random, 6));
            check_set(which, &test, &random);
        }
        device_shake(0);
        test_case_free(&test);
    }
    print_message("%zu arrays compared, %zu refused\n", written, refused);
    assert_true(written > 50);
}

static void refusals(void **state) {
    (void)state;
    test_case test = {0};
    combination dfa = {"ac-dfa", NULL}, wu = {"wu-manber", NULL};
    combination_failure failure;
    trawl_db *db, *leftmost;
    uint32_t entries[64];
    test_case_add_pattern(&test, "he", 2, 0);
    test_case_add_pattern(&test, "she", 3, 0);
    assert_int_equal(combination_compile(dfa, &test, TRAWL_MATCH_ALL, &db, &failure),
                     COMBINATION_COMPILED);
    assert_int_equal(
        combination_compile(dfa, &test, TRAWL_MATCH_LEFTMOST_FIRST, &leftmost, &failure),
        COMBINATION_COMPILED);
    assert_int_equal(
        trawl_study_cuda_entries(db, "ushers", 6, TRAWL_CUDA_ENDS, NULL, entries, 3, &error),
        TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "4 are needed"));
    assert_int_equal(
        trawl_study_cuda_entries(db, "ushers", 6, TRAWL_CUDA_STATES, NULL, entries, 11, &error),
        TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "12 are needed"));
    assert_int_equal(trawl_study_cuda_entries(db, "ushers", 6, TRAWL_CUDA_COUNT, NULL, entries,
                                              sizeof(entries), &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_study_cuda_entries(db, NULL, 6, TRAWL_CUDA_ENDS, NULL, entries,
                                              sizeof(entries), &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_study_cuda_entries(leftmost, "ushers", 6, TRAWL_CUDA_ENDS, NULL, entries,
                                              sizeof(entries), &error),
                     TRAWL_ERROR_LIMIT);
    trawl_scan_options other = TRAWL_SCAN_OPTIONS;
    other.device = "cpu";
    assert_int_equal(trawl_study_cuda_entries(db, "ushers", 6, TRAWL_CUDA_ENDS, &other, entries,
                                              sizeof(entries), &error),
                     TRAWL_ERROR_ARGUMENT);
    other.device = "cuda:0,0"; /* one GPU writes the entries */
    assert_int_equal(trawl_study_cuda_entries(db, "ushers", 6, TRAWL_CUDA_ENDS, &other, entries,
                                              sizeof(entries), &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "several GPUs"));
    other.device = "auto";
    assert_int_equal(trawl_study_cuda_entries(db, "ushers", 6, TRAWL_CUDA_ENDS, &other, entries,
                                              sizeof(entries), &error),
                     TRAWL_OK);
    assert_int_equal(trawl_study_cuda_entries(db, "", 0, TRAWL_CUDA_ENDS, NULL, NULL, 0, &error),
                     TRAWL_OK);
    trawl_db_free(db);
    trawl_db_free(leftmost);
    assert_int_equal(combination_compile(wu, &test, TRAWL_MATCH_ALL, &db, &failure),
                     COMBINATION_COMPILED);
    assert_int_equal(trawl_study_cuda_entries(db, "ushers", 6, TRAWL_CUDA_STATES, NULL, entries,
                                              sizeof(entries), &error),
                     TRAWL_ERROR_LIMIT);
    assert_int_equal(trawl_study_cuda_entries(db, "ushers", 6, TRAWL_CUDA_ENDS, NULL, entries,
                                              sizeof(entries), &error),
                     TRAWL_OK);
    assert_int_equal(entries[0], 1u << 3); /* "he" and "she" end with byte 3 */
    trawl_db_free(db);
    test_case_free(&test);
}

int main(void) {
    if (!device_tests_begin("entries_test"))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals),
        cmocka_unit_test(arrays_of_every_engine),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_tests_end();
    return failed;
}
