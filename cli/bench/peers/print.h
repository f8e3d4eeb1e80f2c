/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The tables and JSON of trawl bench --peers, with the ratio of each row to the fastest peer.
 */
#ifndef CLI_BENCH_PEERS_PRINT_H
#define CLI_BENCH_PEERS_PRINT_H

#include "cli/base/memory_text.h"
#include "cli/bench/options.h"
#include "cli/bench/row.h"
#include "trawl/trawl.h"

/* All measurements of the command. */
typedef struct bench_contest {
    const bench_options *options;
    const trawl_patterns *patterns;
    const memory_text *text;
    const bench_rows *rows;
    const bench_rows *programs; /* whole programs; engine: its name, variant: its version, matches:
                                   the lines that it counted */
} bench_contest;

/* Print to standard output. */
void bench_peers_print_table(const bench_contest *contest);
void bench_peers_print_json(const bench_contest *contest);

#endif
