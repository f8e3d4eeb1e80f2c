/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the tables of Tran et al. share. */
#ifndef CLI_REPRODUCE_TRAN_H
#define CLI_REPRODUCE_TRAN_H

#include "cli/reproduce/measure.h"
#include "cli/reproduce/paper.h"

/* A scan by m tables with a kernel of the paper (NULL: on the CPU), of a text of `megabytes`. */
scan_job tran_job(size_t patterns, uint32_t parts, const char *kernel, uint64_t megabytes);

/* Pattern sets, and numbers of tables. */
extern const size_t tran_set_sizes[];
extern const char *const tran_sets[];
extern const uint32_t tran_part_counts[];
extern const char *const tran_parts[];

/* The search for launch shapes (Figs. 20 and 21). Tables by threads are of P-1, or of P-2 if their
 * parameter is TRAN_P2. */
enum { TRAN_P2 = 1 };
extern const paper_shape tran_by_threads, tran_by_shared, tran_by_bytes, tran_by_tables,
    tran_by_chunk;
extern const paper_shape tran_grid_p2, tran_grid_p1;
extern const paper_shape tran_forms_by_threads, tran_forms_by_shared, tran_forms_by_bytes;

/* Sizes of tables (Tables 2 to 4). */
double tran_measure_states(struct reproduction *run, const paper_table *table, size_t row,
                           size_t column, char *why);
double tran_measure_kilobytes(struct reproduction *run, const paper_table *table, size_t row,
                              size_t column, char *why);
double tran_measure_build(struct reproduction *run, const paper_table *table, size_t row,
                          size_t column, char *why);

/* The ratios and the best throughputs that the text gives; they measure the figures' cells. */
double tran_measure_range(struct reproduction *run, const paper_table *table, size_t row,
                          size_t column, char *why);
double tran_measure_best(struct reproduction *run, const paper_table *table, size_t row,
                         size_t column, char *why);

extern const char *const tran_range_rows[], *const tran_range_columns[];
extern const char *const tran_best_rows[], *const tran_best_columns[];
extern const double tran_ranges[], tran_best[];
extern const char *const tran_state_rows[];
extern const char *const tran_size_rows[];
extern const char *const tran_build_rows[];
extern const double tran_table_2[], tran_table_3[], tran_table_4[];

#endif
