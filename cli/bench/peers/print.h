/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * trawl bench --peers: its tables and its JSON, with the ratio of each row to the best peer.
 */
#ifndef CLI_BENCH_PEERS_PRINT_H
#define CLI_BENCH_PEERS_PRINT_H

#include "cli/bench/options.h"
#include "cli/bench/row.h"
#include "cli/bench/text.h"
#include "trawl/trawl.h"

/* Everything that one run of the command has measured. */
typedef struct bench_contest {
    const bench_options *options;
    const trawl_patterns *patterns;
    const bench_text *text;
    const bench_rows *rows;
    const bench_rows *programs; /* whole ones; engine: the program, variant: its version, matches:
                                   the lines that it counted */
} bench_contest;

/* How many times as fast as another row: taken in each turn that both have. */
typedef struct bench_ratio {
    double median, min, max;
} bench_ratio;
bench_ratio bench_row_ratio(const bench_row *row, const bench_row *other);

/* The fastest peer of those that found what most rows found; NULL when there is none. */
const bench_row *bench_rows_best_peer(const bench_rows *rows);

/* To standard output. */
void bench_peers_print_table(const bench_contest *contest);
void bench_peers_print_json(const bench_contest *contest);

#endif
