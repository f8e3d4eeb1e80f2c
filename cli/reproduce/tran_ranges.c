/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Tran et al.: what the text of the paper says of its figures, which have no numbers. */
#include <math.h>
#include <string.h>

#include "cli/reproduce/tran.h"

/* The least and the greatest of some ratios, as the paper's text gives them. */
const char *const tran_range_rows[] = {"P-1 over 1 STT: least",
                                       "P-1 over 1 STT: most",
                                       "P-2 over 1 STT: least",
                                       "P-2 over 1 STT: most",
                                       "P-2 over one core: least",
                                       "P-2 over one core: most",
                                       "P-2 over 6 threads: least",
                                       "P-2 over 6 threads: most",
                                       "without conflicts: least",
                                       "without conflicts: most",
                                       "many cores: least",
                                       "many cores: most",
                                       NULL};
const char *const tran_range_columns[] = {"ratio", NULL};
const double tran_ranges[] = {1.47, 2.73, 1.34, 1.86, 127, 311, 86, 183, 1.72, 4.48, 1.60, 2.00};

/* The cells that a range is of: columns over another column of some tables. */
static const struct {
    const char *first, *last; /* tables */
    size_t from, to;          /* columns */
    size_t over;              /* column */
} range_cells[] = {{"fig-11a", "fig-11c", 1, 2, 0}, {"fig-12a", "fig-12c", 1, 2, 0},
                   {"fig-14", "fig-14", 2, 2, 0},   {"fig-14", "fig-14", 2, 2, 1},
                   {"fig-19", "fig-19", 1, 1, 0},   {"fig-22", "fig-22", 1, 1, 0}};

/* The least (or most) ratio of a table's rows; NAN if one of them is not known. */
static double extreme_of(reproduction *run, const paper_table *table, size_t range, bool wants_most,
                         char *why) {
    double extreme = wants_most ? -INFINITY : INFINITY;
    for (size_t row = 0; table->shape->rows[row] != NULL; row++) {
        double over = table->shape->measure(run, table, row, range_cells[range].over, why);
        for (size_t column = range_cells[range].from; column <= range_cells[range].to; column++) {
            double value = table->shape->measure(run, table, row, column, why);
            double ratio = table->shape->is_time ? over / value : value / over;
            if (isnan(ratio))
                return PAPER_NONE;
            extreme = wants_most ? fmax(extreme, ratio) : fmin(extreme, ratio);
        }
    }
    return extreme;
}

double tran_measure_range(reproduction *run, const paper_table *table, size_t row, size_t column,
                          char *why) {
    bool wants_most = row % 2 != 0;
    double extreme = wants_most ? -INFINITY : INFINITY;
    (void)table, (void)column;
    size_t i = 0;
    while (strcmp(paper_tran.tables[i].id, range_cells[row / 2].first) != 0)
        i++;
    for (bool is_last = false; !is_last; i++) {
        double part = extreme_of(run, &paper_tran.tables[i], row / 2, wants_most, why);
        if (isnan(part))
            return PAPER_NONE;
        extreme = wants_most ? fmax(extreme, part) : fmin(extreme, part);
        is_last = strcmp(paper_tran.tables[i].id, range_cells[row / 2].last) == 0;
    }
    return extreme;
}

const char *const tran_best_rows[] = {"P-1", "P-2", NULL};
const char *const tran_best_columns[] = {"best of Figs. 11 and 12", NULL};
const double tran_best[] = {75.8, 692.7};

double tran_measure_best(reproduction *run, const paper_table *table, size_t row, size_t column,
                         char *why) {
    const char *figure = row == 0 ? "fig-11" : "fig-12";
    double most = PAPER_NONE;
    (void)table, (void)column;
    for (size_t i = 0; i < paper_tran.count; i++) {
        const paper_table *series = &paper_tran.tables[i];
        if (strncmp(series->id, figure, strlen(figure)) != 0)
            continue;
        for (size_t size = 0; series->shape->rows[size] != NULL; size++) {
            for (size_t parts = 0; series->shape->columns[parts] != NULL; parts++)
                most = fmax(most, series->shape->measure(run, series, size, parts, why));
        }
    }
    return most;
}
