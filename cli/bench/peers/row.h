/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Rows that run in processes of their own. */
#ifndef CLI_BENCH_PEERS_ROW_H
#define CLI_BENCH_PEERS_ROW_H

#include "cli/bench/options.h"
#include "cli/bench/peers/inputs.h"
#include "cli/bench/row.h"
#include "cli/bench/subject.h"

/* Starts the process of row number `index`, which builds its tables. False with the reason in the
 * row. */
bool bench_peers_open(const bench_options *options, const bench_inputs *inputs, size_t index,
                      bench_row *row);

/* Makes one run. False with the reason in the row. */
bool bench_peers_run(const bench_options *options, bench_row *row, bench_run *run);

#endif
