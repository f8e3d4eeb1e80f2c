/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/base/json_text.h"
#include "cli/reproduce/render.h"

static void print_number(FILE *file, const char *name, double value) {
    if (isfinite(value))
        (void)fprintf(file, ",\"%s\":%.6g", name, value);
    else
        (void)fprintf(file, ",\"%s\":null", name);
}

static void print_member(FILE *file, const char *name, const char *value) {
    (void)fputc(',', file);
    json_print_member(file, name, value);
}

static void print_cells(FILE *file, const paper_result *result) {
    for (size_t row = 0; row < result->rows; row++) {
        for (size_t column = 0; column < result->columns; column++) {
            const paper_cell *cell = paper_cell_at(result, row, column);
            (void)fputs(row + column == 0 ? "{" : ",\n    {", file);
            json_print_member(file, "row", result->table->shape->rows[row]);
            print_member(file, "column", result->table->shape->columns[column]);
            print_number(file, "here", cell->here);
            print_number(file, "in_paper", cell->paper);
            print_number(file, "ratio_here", cell->ratio_here);
            print_number(file, "ratio_in_paper", cell->ratio_paper);
            print_number(file, "quotient", cell->quotient);
            if (cell->why != NULL)
                print_member(file, "why_not", cell->why);
            (void)fputc('}', file);
        }
    }
}

static void print_table(FILE *file, const paper_result *result) {
    (void)fputc('{', file);
    json_print_member(file, "table", result->table->id);
    print_member(file, "caption", result->table->caption);
    print_member(file, "unit", result->table->shape->unit);
    print_member(file, "rows", result->table->shape->row_axis);
    print_member(file, "columns", result->table->shape->column_axis);
    print_member(file, "ratio", paper_ratio_name(result->table));
    if (result->table->remark != NULL)
        print_member(file, "remark", result->table->remark);
    if (result->note != NULL)
        print_member(file, "note", result->note);
    (void)fputs(",\"cells\":[\n    ", file);
    print_cells(file, result);
    (void)fputs("]}", file);
}

static void print_paper(FILE *file, const paper_report *report) {
    (void)fputs("{", file);
    json_print_member(file, "paper", report->paper->name);
    print_member(file, "title", report->paper->title);
    print_member(file, "machine", report->paper->machine);
    print_member(file, "data", report->paper->workload);
    (void)fputs(",\"worth_today\":[", file);
    for (size_t i = 0; i < PAPER_SENTENCES; i++) {
        (void)fputs(i == 0 ? "{" : ",{", file);
        json_print_member(file, "sentence", report->sentences[i]);
        (void)fputc('}', file);
    }
    (void)fputs("],\"tables\":[\n  ", file);
    for (size_t i = 0; i < report->count; i++) {
        (void)fputs(i == 0 ? "" : ",\n  ", file);
        print_table(file, &report->results[i]);
    }
    (void)fputs("]}", file);
}

void render_json(FILE *file, const render_run *run) {
    const render_facts *facts = &run->facts;
    (void)fputc('{', file);
    json_print_member(file, "cpu", facts->cpu);
    (void)fprintf(file, ",\"cpus\":%" PRIu32, facts->cpus);
    print_member(file, "gpu", facts->cuda);
    print_member(file, "date", facts->date);
    (void)fprintf(file, ",\"shrink\":%" PRIu64 ",\"most_runs\":%" PRIu32, facts->shrink,
                  facts->most_runs);
    print_member(file, "note", facts->note);
    (void)fputs(",\"papers\":[\n", file);
    for (size_t i = 0; i < run->count; i++) {
        (void)fputs(i == 0 ? "" : ",\n", file);
        print_paper(file, &run->reports[i]);
    }
    (void)fputs("]}\n", file);
}
