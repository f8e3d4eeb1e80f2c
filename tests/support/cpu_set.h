/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Tests that run once more for each instruction set. CTest registers them for every set of the
 * processor's family; which of them this machine has is found when they run.
 */
#ifndef TRAWL_TESTS_CPU_SET_H
#define TRAWL_TESTS_CPU_SET_H

/* With TRAWL_TEST_CPU=SET (set by CTest) this process scans with that set from now on, as TRAWL_CPU
 * says. It ends with the reason and CTest's status for skipped tests where this machine lacks the
 * set, or where it is the one that the plain test uses anyway. Called first in main. */
void cpu_set_apply(void);

#endif
