/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Compares the matches that rows found. */
#ifndef CLI_BENCH_AGREE_H
#define CLI_BENCH_AGREE_H

#include "cli/bench/row.h"

/* A row whose matches most rows found too; NULL if no row was measured. */
const bench_row *bench_rows_reference(const bench_rows *rows);

/* Whether a measured row found the same matches as the reference. */
bool bench_row_agrees(const bench_row *row, const bench_row *reference);

/* Reports every row that differs from the reference, and every row that failed. Returns whether all
 * rows agree. */
bool bench_rows_agree(const bench_rows *rows);

#endif
