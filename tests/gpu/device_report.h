/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Runs the device tests: skips them where there is no device, counts what was checked, and reports
 * failures: the combination, the kernel, the layout, and the smallest case that fails.
 */
#ifndef TRAWL_TESTS_DEVICE_REPORT_H
#define TRAWL_TESTS_DEVICE_REPORT_H

#include "gpu/device_scan.h"

enum { TEST_SKIPPED = 77 };

/* False, with the reason printed, when no device is offered: main returns TEST_SKIPPED. */
bool device_tests_begin(const char *program);

/* Prints what was scanned and refused, frees everything. */
void device_tests_end(void);

/* A teardown for tests that call device_check: reports a crash in the middle of one, and ends the
 * program, whose state is undefined then. */
int device_tests_after_a_crash(void **state);

/* Calls device_scan_check, and ends the test when it fails. `replay` says how to make the case
 * again, or is NULL. The case must be static, so that it can be printed after a crash. */
device_outcome device_check(device_database *database, const device_scan *scan,
                            const test_case *test, uint64_t length, const expectation *expected,
                            const char *replay);

/* Compiles the case's set for any device; ends the test when it fails. NULL: the set was refused.
 */
trawl_db *device_compile(combination which, const test_case *test, trawl_match_kind kind);

/* device_database_open for every combination but the planner; ends the test when it fails. Returns
 * false when the set was refused. */
bool device_open(device_database *database, combination which, const test_case *test);

/* The same for the first combination of an engine whose variants differ on the CPU alone. */
bool device_open_engine(device_database *database, const char *engine, const test_case *test);

/* device_check of a scan in all forms but states, which is refused or not as the caller expects. */
void device_check_forms(device_database *database, const device_scan *scan, const test_case *test,
                        uint64_t length, const expectation *expected, bool refused);

/* Whether a scan of the case without a named kernel has this one; ends the test if not. */
void device_check_default(const char *engine, const test_case *test, const char *kernel);

/* The combinations that name an engine with kernels. */
bool device_combination(size_t index, combination *which);

/* The number of cases: TRAWL_TEST_CASES, which makes every test shorter; else `chosen` on a device,
 * `chosen_emulated` in the emulated build. */
size_t device_cases(size_t chosen, size_t chosen_emulated);
bool device_cases_are_limited(void);

/* The step through `count` cases: 1 unless TRAWL_TEST_CASES is smaller. */
size_t device_case_step(size_t count);

#endif
