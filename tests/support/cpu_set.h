/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Tests that also run for each instruction set. CTest registers them for every set of the
 * processor's family; whether the machine has a set is found out when the test runs.
 */
#ifndef TRAWL_TESTS_CPU_SET_H
#define TRAWL_TESTS_CPU_SET_H

/* With TRAWL_TEST_CPU=SET (set by CTest) this process scans with that set from now on, as with
 * TRAWL_CPU. If the machine lacks the set, or the plain test uses it anyway, prints that and exits
 * with CTest's status for skipped tests. Call it first in main. */
void cpu_set_apply(void);

#endif
