/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Which rows there are. */
#ifndef CLI_BENCH_CHOOSE_H
#define CLI_BENCH_CHOOSE_H

#include "cli/bench/options.h"
#include "cli/bench/row.h"

/* The rows that the options ask for, in their order, peers last. False after one line. */
bool bench_rows_choose(const bench_options *options, bench_rows *rows);

#endif
