/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What `trawl bench` found, for people and for programs. */
#ifndef CLI_BENCH_PRINT_H
#define CLI_BENCH_PRINT_H

#include "cli/bench/options.h"
#include "cli/bench/row.h"
#include "cli/bench/text.h"
#include "trawl/trawl.h"

/* To standard output. */
void bench_print_table(const bench_options *options, const trawl_patterns *patterns,
                       const bench_text *text, const bench_rows *rows);
void bench_print_json(const bench_options *options, const bench_text *text, const bench_rows *rows);

/* Parts of them. Widths are of the two columns that hold names; a measured row ends after its
 * fastest run; an object is left open after its key "repeats". */
void bench_print_heading(const bench_options *options, const trawl_patterns *patterns,
                         const bench_text *text);
typedef struct bench_widths {
    int engine, variant;
} bench_widths;
bench_widths bench_widths_of(const bench_rows *rows);
void bench_print_columns(const bench_row *row, bench_widths widths, size_t length);
void bench_print_keys(const bench_options *options, const bench_row *row, size_t length);

#endif
