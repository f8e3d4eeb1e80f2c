/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Which peers there are. */
#ifndef CLI_BENCH_PEERS_FIND_H
#define CLI_BENCH_PEERS_FIND_H

#include "cli/bench/options.h"
#include "cli/bench/row.h"

/* Adds a row for each peer that is found: each libhs that tools/peers.sh fetched, or else the
 * system's, and each program in the folder programs/. Says how to get them when there is none. */
void bench_peers_add(const bench_options *options, bench_rows *rows);

/* Path of a file among what tools/peers.sh fetched, when it is there, else NULL. The caller frees
 * it. */
char *bench_peers_file(const bench_options *options, const char *name);

#endif
