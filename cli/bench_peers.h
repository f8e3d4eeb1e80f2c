/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * trawl bench --peers: which peers there are, and rows in processes of their own.
 */
#ifndef CLI_BENCH_PEERS_H
#define CLI_BENCH_PEERS_H

#include "bench.h"

/* Adds a row for each peer that is found: each libhs that tools/peers.sh fetched, or else the
 * system's, and each program in the folder programs/. Says how to get them when there is none. */
void bench_peers_add(const bench_options *options, bench_rows *rows);

/* Starts the process of row number `index` and has it build its tables. False with the reason in
 * the row. */
bool bench_peers_open(const bench_options *options, const bench_inputs *inputs, size_t index,
                      bench_row *row);

/* Has it run once. False with the reason in the row. */
bool bench_peers_run(const bench_options *options, bench_row *row, bench_run *run);

/* Says in the row that its time was over; returns false. */
bool bench_row_is_late(const bench_options *options, bench_row *row);

/* Path of a file among what tools/peers.sh fetched, when it is there, else NULL. The caller frees
 * it. */
char *bench_peers_file(const bench_options *options, const char *name);

#endif
