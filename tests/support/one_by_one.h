/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What a test of bounded time compares with: how long this machine takes at this moment to look at
 * 1,000 patterns one by one. An absolute limit would depend on the machine and its load.
 */
#ifndef TRAWL_TESTS_ONE_BY_ONE_H
#define TRAWL_TESTS_ONE_BY_ONE_H

/* Processor time, in seconds, in which a chain of 1,000 conditions is followed once: each is loaded
 * from where the one before says, and its least start and greatest end are compared. */
double one_by_one_seconds(void);

#endif
