/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdio.h>

#include "cli/reproduce/render.h"

static void print_number(FILE *file, double value) {
    if (isfinite(value))
        (void)fprintf(file, "\t%.6g", value);
    else
        (void)fputc('\t', file);
}

/* A text without tabs and line ends. */
static void print_text(FILE *file, const char *text) {
    (void)fputc('\t', file);
    for (; *text != '\0'; text++)
        (void)fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
}

static void print_result(FILE *file, const char *paper, const paper_result *result) {
    for (size_t row = 0; row < result->rows; row++) {
        for (size_t column = 0; column < result->columns; column++) {
            const paper_cell *cell = paper_cell_at(result, row, column);
            (void)fputs(paper, file);
            print_text(file, result->table->id);
            print_text(file, result->table->shape->rows[row]);
            print_text(file, result->table->shape->columns[column]);
            print_text(file, result->table->shape->unit);
            print_number(file, cell->here);
            print_number(file, cell->paper);
            print_number(file, cell->ratio_here);
            print_number(file, cell->ratio_paper);
            print_number(file, cell->quotient);
            print_text(file, cell->why == NULL ? "" : cell->why);
            (void)fputc('\n', file);
        }
    }
}

void render_tsv(FILE *file, const render_run *run) {
    (void)fputs("paper\ttable\trow\tcolumn\tunit\there\tin_paper\tratio_here\tratio_in_paper\t"
                "quotient\twhy_not\n",
                file);
    for (size_t i = 0; i < run->count; i++) {
        for (size_t k = 0; k < run->reports[i].count; k++)
            print_result(file, run->reports[i].paper->name, &run->reports[i].results[k]);
    }
}
