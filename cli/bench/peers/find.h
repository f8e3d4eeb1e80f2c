/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Finds peers: libraries and programs to compare with. */
#ifndef CLI_BENCH_PEERS_FIND_H
#define CLI_BENCH_PEERS_FIND_H

#include "cli/bench/options.h"
#include "cli/bench/row.h"

/* Adds a row for each peer that is found: each libhs that tools/peers.sh fetched, or else the libhs
 * of the system, and each program in the directory programs/. Reports if there is none. */
void bench_peers_add(const bench_options *options, bench_rows *rows);

/* The path of a file that tools/peers.sh fetched; NULL if it does not exist. The caller frees it.
 */
char *bench_peers_file(const bench_options *options, const char *name);

#endif
