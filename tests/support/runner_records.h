/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The runner of trawl_records.h: a text cut into records in a random layout, all questions. */
#ifndef TRAWL_TESTS_RUNNER_RECORDS_H
#define TRAWL_TESTS_RUNNER_RECORDS_H

#include "message.h"
#include "oracle.h"
#include "random.h"

/* As runner_check (runner.h); what is expected of each record is the oracle's. */
bool runner_records_check(const trawl_db *db, const trawl_scan_options *options,
                          const uint8_t *text, size_t length, random_source *random,
                          const message *complaint);

#endif
