/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/reproduce/paper.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/reproduce/run.h"

const char *const paper_devices[] = {"CPU", "GPU", NULL};

static size_t count_of(const char *const *labels) {
    size_t count = 0;
    while (labels[count] != NULL)
        count++;
    return count;
}

static double ratio_of(const paper_table *table, double value, double first) {
    if (table->shape->ratio == PAPER_VALUE)
        return value;
    return table->shape->is_time ? first / value : value / first;
}

/* The place of the cell that a cell is compared with. */
static size_t first_of(const paper_result *result, size_t index) {
    if (result->table->shape->ratio == PAPER_OVER_FIRST_ROW)
        return index % result->columns;
    return index / result->columns * result->columns;
}

static void compare_with_paper(paper_result *result) {
    for (size_t i = 0; i < result->rows * result->columns; i++) {
        paper_cell *cell = &result->cells[i];
        const paper_cell *first = &result->cells[first_of(result, i)];
        if (result->table->shape->ratio == PAPER_OVER_FIRST_COLUMN && i % result->columns == 0)
            continue; /* would be 1 in each row */
        cell->ratio_here = ratio_of(result->table, cell->here, first->here);
        cell->ratio_paper = ratio_of(result->table, cell->paper, first->paper);
        cell->quotient = cell->ratio_here / cell->ratio_paper;
    }
}

void paper_measure_table(struct reproduction *run, const paper_table *table, paper_result *result) {
    *result = (paper_result){.table = table,
                             .rows = count_of(table->shape->rows),
                             .columns = count_of(table->shape->columns)};
    result->cells = allocate(result->rows * result->columns * sizeof *result->cells);
    for (size_t row = 0; row < result->rows; row++) {
        for (size_t column = 0; column < result->columns; column++) {
            char why[PAPER_WHY_BYTES] = "";
            size_t index = row * result->columns + column;
            paper_cell *cell = &result->cells[index];
            run_show(run, "table %s: %s, %s", table->id, table->shape->rows[row],
                     table->shape->columns[column]);
            *cell = (paper_cell){.paper = table->paper == NULL ? PAPER_NONE : table->paper[index],
                                 .ratio_here = PAPER_NONE,
                                 .ratio_paper = PAPER_NONE,
                                 .quotient = PAPER_NONE};
            cell->here = table->shape->measure(run, table, row, column, why);
            result->measured += isnan(cell->here) ? 0 : 1;
            if (isnan(cell->here))
                cell->why = string_copy(why);
        }
    }
    compare_with_paper(result);
    result->note = run_take_notes(run);
}

void paper_report_release(paper_report *report) {
    for (size_t i = 0; i < report->count; i++) {
        paper_result *result = &report->results[i];
        for (size_t cell = 0; cell < result->rows * result->columns; cell++)
            free(result->cells[cell].why);
        free(result->cells);
        free(result->note);
    }
    free(report->results);
}

double paper_value(const paper_report *report, const char *table, size_t row, size_t column) {
    for (size_t i = 0; i < report->count; i++) {
        if (strcmp(report->results[i].table->id, table) == 0)
            return paper_cell_at(&report->results[i], row, column)->here;
    }
    return PAPER_NONE;
}

const char *paper_shared_reason(const paper_result *result) {
    const char *reason = NULL;
    for (size_t i = 0; i < result->rows * result->columns; i++) {
        const char *why = result->cells[i].why;
        if (why != NULL && reason != NULL && strcmp(why, reason) != 0)
            return NULL;
        reason = why != NULL ? why : reason;
    }
    return reason;
}

const char *paper_ratio_name(const paper_table *table) {
    if (table->shape->ratio == PAPER_VALUE)
        return "value";
    return table->shape->is_time ? "speed-up" : "ratio";
}

size_t paper_number_columns(const paper_table *table) {
    size_t ratio = table->shape->ratio == PAPER_VALUE ? 0 : 1;
    return table->paper == NULL ? 1 + ratio : 3 + 2 * ratio;
}
