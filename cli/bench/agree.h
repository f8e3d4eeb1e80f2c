/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Whether rows found the same. */
#ifndef CLI_BENCH_AGREE_H
#define CLI_BENCH_AGREE_H

#include "cli/bench/row.h"

/* The row that found what most rows found; NULL when none was measured. */
const bench_row *bench_rows_reference(const bench_rows *rows);

/* Whether a measured row found the same as the reference. */
bool bench_row_agrees(const bench_row *row, const bench_row *reference);

/* Reports every row that found something else than the others, or not the same in every run.
 * Returns whether all agree. */
bool bench_rows_agree(const bench_rows *rows);

#endif
