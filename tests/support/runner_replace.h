/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The runner of trawl_replace.h: a text at once, into memory, and in pieces, in random order with
 * one replacer. (Records: runner_records.c.) */
#ifndef TRAWL_TESTS_RUNNER_REPLACE_H
#define TRAWL_TESTS_RUNNER_REPLACE_H

#include "message.h"
#include "oracle.h"
#include "random.h"

/* As runner_check (runner.h). A database of all matches has to be refused. */
bool runner_replace_check(const trawl_db *db, const trawl_scan_options *options,
                          const uint8_t *text, size_t length, const match_list *expected,
                          random_source *random, const message *complaint);

#endif
