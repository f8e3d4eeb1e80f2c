/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The runner of flows (trawl_scanner.h): a text in random pieces, as several flows that take turns
 * with one scanner. */
#ifndef TRAWL_TESTS_RUNNER_FLOW_H
#define TRAWL_TESTS_RUNNER_FLOW_H

#include "message.h"
#include "oracle.h"
#include "random.h"

/* As runner_check (runner.h). */
bool runner_flow_check(const trawl_db *db, const trawl_scan_options *options, const uint8_t *text,
                       size_t length, const match_list *expected, random_source *random,
                       const message *complaint);

#endif
