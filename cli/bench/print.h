/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The results of `trawl bench` as a table and as JSON. */
#ifndef CLI_BENCH_PRINT_H
#define CLI_BENCH_PRINT_H

#include "cli/base/memory_text.h"
#include "cli/bench/options.h"
#include "cli/bench/row.h"
#include "trawl/trawl.h"

/* Print all rows to standard output. */
void bench_print_table(const bench_options *options, const trawl_patterns *patterns,
                       const memory_text *text, const bench_rows *rows);
void bench_print_json(const bench_options *options, const memory_text *text,
                      const bench_rows *rows);

/* Parts of the output that other tables share: the heading; a JSON object up to its key "repeats",
 * not closed; the columns of names. */
void bench_print_heading(const bench_options *options, const trawl_patterns *patterns,
                         const memory_text *text);
typedef struct bench_widths {
    int engine, variant;
} bench_widths;
/* The widths of the two columns of names if the others take `rest` columns: a name that would make
 * the table wider than 80 is not counted. */
bench_widths bench_widths_of(const bench_rows *rows, int rest);
/* The names of a row, without a line end. A variant that is too wide gets a line of its own. */
void bench_print_names(const bench_row *row, bench_widths widths);
/* After the names: why a row was not measured, on one line or more. */
void bench_print_absence(const bench_row *row, bench_widths widths);
/* The width of the column of matches. */
int bench_matches_width(const bench_rows *rows);
/* The mark of the planner's choice, and what it means, below the table. */
const char *bench_plan_mark(const bench_row *row);
void bench_print_plan_note(const bench_rows *rows);
void bench_print_keys(const bench_options *options, const bench_row *row, size_t length);

#endif
