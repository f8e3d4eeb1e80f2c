/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gpu/device_report.h"

#include "gpu/device_memory.h"
#include "gpu/module.h"
#include "sanitizers.h"
#include "shrink.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SHRINK_TRIES = 2000, TALLIES = 512 };

/* What runs now, so that it can be printed after a crash too; `test` must still exist then. */
static struct {
    const test_case *test;
    uint64_t length;
    const device_database *database; /* NULL after a crash */
    combination which;
    device_scan scan;
    const char *replay;
    char complaint[640];
} current;

static struct {
    const char *engine, *variant, *kernel;
    size_t scanned[FORMS], refused[FORMS];
} tallies[TALLIES];
static size_t verify_count;

/* ------------------------------------------------------------------ telling */

/* These functions are also called by a handler after a crash, to print what was being tested. A
 * handler should not call some of the functions they use; here the program ends anyway. */
/* NOLINTBEGIN(bugprone-signal-handler) */

static void print_layout(FILE *file) {
    trawl_cuda_scan_options options = TRAWL_CUDA_SCAN_OPTIONS;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    trawl_cuda_layout layout = TRAWL_CUDA_LAYOUT;
    if (!current.database)
        return;
    options.study = &study;
    options.form = current.scan.form;
    options.kernel = current.scan.kernel;
    study.block_threads = current.scan.block_threads;
    study.block_bytes = current.scan.block_bytes;
    study.table_path = current.scan.table_path;
    if (trawl_study_cuda_layout(current.database->uploaded, &options, 0, &layout, NULL) == TRAWL_OK)
        fprintf(file, "layout: kernel %s, T = %u, S_thread = %u, %u bytes of shared memory\n",
                layout.kernel, layout.block_threads, layout.thread_bytes, layout.shared_bytes);
}

/* The case as it is scanned: the first `length` bytes of the text. */
static void cut_case(test_case *cut, const test_case *test, uint64_t length) {
    test_case_copy(cut, test);
    cut->length = (size_t)length;
}

static void tell(const test_case *test) {
    char words[320];
    device_scan_describe(&current.scan, words, sizeof(words));
    printf("\n%s/%s, %s, %zu bytes of text, %zu patterns:\n  %s\n", current.which.engine,
           current.which.variant, words, test->length, test->count, current.complaint);
    print_layout(stdout);
    if (test->length + test->count < 3000) {
        printf("as a case for tests/cases:\n");
        test_case_print(stdout, test);
    }
    if (current.replay)
        printf("the case it was made from:\n  %s\n", current.replay);
    fflush(stdout);
}

static void tell_current(void) {
    test_case cut;
    if (!current.test)
        return;
    cut_case(&cut, current.test, current.length);
    current.test = NULL;
    current.database = NULL;
    snprintf(current.complaint, sizeof(current.complaint), "a crash");
    tell(&cut);
    test_case_free(&cut);
}

static void tell_after_a_signal(int number) {
    tell_current();
    signal(number, SIG_DFL);
    raise(number);
}
/* NOLINTEND(bugprone-signal-handler) */

/* The predicate of shrinking: the same combination and scan still fail. */
static bool still_fails(const test_case *test, void *context) {
    device_scan scan = *(const device_scan *)context;
    device_database database;
    combination_failure failure;
    expectation expected;
    char what[sizeof(current.complaint)];
    if (scan.owned > test->length)
        scan.owned = test->length;
    if (device_database_open(&database, current.which, test, &failure) != COMBINATION_COMPILED)
        return false;
    expectation_make(&expected, test);
    bool failed = device_scan_check(&database, &scan, test, test->length, &expected, what,
                                    sizeof(what)) == DEVICE_FAILED;
    if (failed) { /* the message is finally about the smallest case */
        memcpy(current.complaint, what, sizeof(what));
        ((device_scan *)context)->owned = scan.owned;
    }
    expectation_free(&expected);
    device_database_close(&database);
    return failed;
}

static void report(void) {
    test_case smallest;
    cut_case(&smallest, current.test, current.length);
    current.test = NULL;
    device_scan scan = current.scan;
    if (still_fails(&smallest, &scan)) {
        shrink_case(&smallest, still_fails, &scan, SHRINK_TRIES);
        printf("\nshrunk to %zu patterns and %zu bytes of text", smallest.count, smallest.length);
    } else {
        printf("\nnot seen again with a database of its own");
    }
    current.scan = scan;
    tell(&smallest);
    test_case_free(&smallest);
}

/* ------------------------------------------------------------------ counting */

static bool same_name(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static void count(const device_database *database, const device_scan *scan,
                  device_outcome outcome) {
    size_t i = 0;
    while (i < verify_count && !(same_name(tallies[i].engine, database->which.engine) &&
                                 same_name(tallies[i].variant, database->which.variant) &&
                                 same_name(tallies[i].kernel, scan->kernel)))
        i++;
    if (i == TALLIES)
        return;
    if (i == verify_count) {
        verify_count++;
        tallies[i].engine = database->which.engine;
        tallies[i].variant = database->which.variant;
        tallies[i].kernel = scan->kernel;
    }
    (outcome == DEVICE_REFUSED ? tallies[i].refused : tallies[i].scanned)[scan->form]++;
}

static void print_tallies(void) {
    if (!verify_count)
        return;
    printf("%-44s%10s%10s%10s%10s%10s%10s\n", "scans", form_names[0], form_names[1], form_names[2],
           form_names[3], form_names[4], "refused");
    for (size_t i = 0; i < verify_count; i++) {
        char name[96];
        size_t refused = 0;
        snprintf(name, sizeof(name), "%s/%s %s", tallies[i].engine, tallies[i].variant,
                 tallies[i].kernel ? tallies[i].kernel : "(default)");
        printf("%-44s", name);
        for (size_t form = 0; form < FORMS; form++) {
            printf("%10zu", tallies[i].scanned[form]);
            refused += tallies[i].refused[form];
        }
        printf("%10zu\n", refused);
    }
}

/* ------------------------------------------------------------------ running */

bool device_tests_begin(const char *program) {
    trawl_error error = {.message = ""};
    if (trawl_cuda_check(0, &error) != TRAWL_OK) {
        printf("%s: skipped: %s\n", program, error.message);
        return false;
    }
    sanitizer_on_death(tell_current);
    signal(SIGABRT, tell_after_a_signal);
    printf("%s: %s, seed %llu\n", program, device_is_emulated() ? "emulated" : "device 0",
           (unsigned long long)random_seed());
    return true;
}

void device_tests_end(void) {
    current.test = NULL;
    print_tallies();
    device_scan_end();
}

int device_tests_after_a_crash(void **state) {
    (void)state;
    if (!current.test)
        return 0;
    tell_current();
    fflush(stdout);
    _exit(1);
}

bool device_combination(size_t index, combination *which) {
    for (size_t i = 0; i < combination_count(); i++) {
        trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION;
        *which = combination_at(i);
        if (trawl_kernel_describe(which->engine, 0, &kernel) && index-- == 0)
            return true;
    }
    return false;
}

bool device_open(device_database *database, combination which, const test_case *test) {
    combination_failure failure;
    combination_outcome outcome = device_database_open(database, which, test, &failure);
    if (outcome == COMBINATION_FAILED) {
        combination_print_failure(stdout, test, &failure, NULL);
        fail_msg("%s/%s has no database on the device", which.engine, which.variant);
    }
    return outcome == COMBINATION_COMPILED;
}

trawl_db *device_compile(combination which, const test_case *test, trawl_match_kind kind) {
    combination_failure failure;
    trawl_db *db = NULL;
    if (combination_compile(which, test, kind, &db, &failure) == COMBINATION_FAILED)
        fail_msg("%s/%s: %s", which.engine, which.variant, failure.what);
    return db;
}

bool device_open_engine(device_database *database, const char *engine, const test_case *test) {
    combination which;
    for (size_t c = 0; device_combination(c, &which); c++)
        if (strcmp(which.engine, engine) == 0 && device_open(database, which, test))
            return true;
    return false;
}

void device_check_default(const char *engine, const test_case *test, const char *kernel) {
    device_database database;
    if (device_open_engine(&database, engine, test)) {
        trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
        trawl_cuda_layout layout = TRAWL_CUDA_LAYOUT;
        trawl_error error;
        assert_int_equal(trawl_study_cuda_layout(database.uploaded, &scan, 0, &layout, &error),
                         TRAWL_OK);
        assert_string_equal(layout.kernel, kernel);
        device_database_close(&database);
    }
}

device_outcome device_check(device_database *database, const device_scan *scan,
                            const test_case *test, uint64_t length, const expectation *expected,
                            const char *replay) {
    current.test = test;
    current.length = length;
    current.database = database;
    current.which = database->which;
    current.scan = *scan;
    current.replay = replay;
    device_outcome outcome = device_scan_check(database, scan, test, length, expected,
                                               current.complaint, sizeof(current.complaint));
    count(database, scan, outcome);
    if (outcome == DEVICE_FAILED) {
        report();
        fail_msg("%s/%s, kernel %s", database->which.engine, database->which.variant,
                 scan->kernel ? scan->kernel : "(default)");
    }
    current.test = NULL;
    return outcome;
}

void device_check_forms(device_database *database, const device_scan *scan, const test_case *test,
                        uint64_t length, const expectation *expected, bool refused) {
    for (int form = TRAWL_CUDA_COUNT; form <= TRAWL_CUDA_ENDS; form++) {
        device_scan each = *scan;
        each.form = (trawl_cuda_form)form;
        device_outcome outcome = device_check(database, &each, test, length, expected, NULL);
        assert_int_equal(outcome == DEVICE_REFUSED, refused);
    }
}

bool device_cases_are_limited(void) {
    const char *cases = getenv("TRAWL_TEST_CASES");
    return cases && *cases;
}

size_t device_cases(size_t chosen, size_t chosen_emulated) {
    if (device_cases_are_limited())
        return (size_t)strtoull(getenv("TRAWL_TEST_CASES"), NULL, 10);
    return device_is_emulated() ? chosen_emulated : chosen;
}

size_t device_case_step(size_t count) {
    size_t wanted = device_cases(count, count);
    return wanted && wanted < count ? (count + wanted - 1) / wanted : 1;
}
