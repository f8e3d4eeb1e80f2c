/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Chooses the rows of `trawl bench`. */
#ifndef CLI_BENCH_CHOOSE_H
#define CLI_BENCH_CHOOSE_H

#include "cli/base/memory_text.h"
#include "cli/bench/options.h"
#include "cli/bench/row.h"

/* Makes the rows that the options ask for, in their order, with peers last. False after reporting.
 */
bool bench_rows_choose(const bench_options *options, bench_rows *rows);

/* Marks the rows with the engine and variant that the planner chooses for this text, and the rows
 * that ask for its choice. */
void bench_rows_mark_planned(const bench_options *options, const trawl_patterns *patterns,
                             const memory_text *text, bench_rows *rows);

#endif
