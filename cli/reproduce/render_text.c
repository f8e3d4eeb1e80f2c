/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/words.h"
#include "cli/reproduce/render.h"

enum { LABEL_WIDTH = 33, INDENT = 2 };

const char *render_number(double value, char text[static RENDER_NUMBER_BYTES]) {
    if (!isfinite(value))
        text[0] = '\0';
    else if (value == 0 || fabs(value) >= 1000)
        (void)snprintf(text, RENDER_NUMBER_BYTES, "%.0f", value);
    else if (fabs(value) < 0.001)
        (void)snprintf(text, RENDER_NUMBER_BYTES, "%.2e", value);
    else
        (void)snprintf(text, RENDER_NUMBER_BYTES, "%.*f",
                       fabs(value) < 1     ? 4
                       : fabs(value) < 10  ? 3
                       : fabs(value) < 100 ? 2
                                           : 1,
                       value);
    return text;
}

static void print_words(const char *text, size_t indent) {
    (void)printf("%*s", (int)indent, "");
    words_print(text, strlen(text), indent, indent);
}

void render_text_facts(const render_facts *facts) {
    char text[1024];
    (void)snprintf(text, sizeof text, "%s, %" PRIu32 " CPU%s. GPU: %s.", facts->cpu, facts->cpus,
                   facts->cpus == 1 ? "" : "s", facts->cuda);
    print_words(text, 0);
    if (facts->shrink != 1) {
        (void)snprintf(text, sizeof text,
                       "Texts are %" PRIu64 " times shorter than the papers' (4 KiB at least).",
                       facts->shrink);
        print_words(text, 0);
    }
    print_words("Each row: here, in the paper, then the comparison that the paper makes (speed-up "
                "or ratio) here and in the paper, and their quotient: 1 is the same.",
                0);
}

/* A cell without a value has a dash. */
static void print_cell(const char *label, const paper_table *table, const paper_cell *cell) {
    char here[RENDER_NUMBER_BYTES];
    char paper[RENDER_NUMBER_BYTES];
    char ratio[RENDER_NUMBER_BYTES];
    char published[RENDER_NUMBER_BYTES];
    char quotient[RENDER_NUMBER_BYTES];
    bool has_ratio = table->shape->ratio != PAPER_VALUE;
    int width = LABEL_WIDTH - INDENT - 2;
    (void)printf("    %-*.*s %9s", width, width, label,
                 cell->why != NULL ? "-" : render_number(cell->here, here));
    if (table->paper == NULL)
        (void)printf(" %9s\n", has_ratio ? render_number(cell->ratio_here, ratio) : "");
    else
        (void)printf(" %9s %8s %8s %8s\n", render_number(cell->paper, paper),
                     has_ratio ? render_number(cell->ratio_here, ratio) : "",
                     has_ratio ? render_number(cell->ratio_paper, published) : "",
                     render_number(cell->quotient, quotient));
}

static void print_column(const paper_result *result, size_t column, bool has_one_reason) {
    const paper_table *table = result->table;
    char heading[128];
    const char *name = table->shape->ratio == PAPER_VALUE ? "" : paper_ratio_name(table);
    (void)snprintf(heading, sizeof heading, "%s%s%s", table->shape->columns[column],
                   table->shape->unit[0] == '\0' ? "" : ", ", table->shape->unit);
    int width = LABEL_WIDTH - INDENT;
    (void)printf("  %-*.*s %9s", width, width, heading, "here");
    if (table->paper == NULL)
        (void)printf(" %9s\n", name);
    else
        (void)printf(" %9s %8s %8s %8s\n", "paper", name, name[0] == '\0' ? "" : "paper",
                     "quotient");
    for (size_t row = 0; row < result->rows; row++) {
        const paper_cell *cell = paper_cell_at(result, row, column);
        char why[PAPER_WHY_BYTES + 32];
        print_cell(table->shape->rows[row], table, cell);
        if (cell->why != NULL && !has_one_reason) {
            (void)snprintf(why, sizeof why, "not measured: %s", cell->why);
            print_words(why, INDENT + 4);
        }
    }
}

static void print_table(const char *paper, const paper_result *result) {
    const paper_table *table = result->table;
    const char *reason = paper_shared_reason(result);
    char text[PAPER_WHY_BYTES + 64];
    (void)printf("\n");
    (void)snprintf(text, sizeof text, "%s:%s  %s", paper, table->id, table->caption);
    print_words(text, 0);
    if (reason != NULL) {
        (void)snprintf(text, sizeof text, "%s: %s",
                       result->measured == 0 ? "Not measured" : "Cells with -", reason);
        print_words(text, INDENT);
    }
    if (table->remark != NULL)
        print_words(table->remark, INDENT);
    if (result->note != NULL)
        print_words(result->note, INDENT);
    for (size_t column = 0; column < result->columns && result->measured != 0; column++)
        print_column(result, column, reason != NULL);
}

void render_text_paper(const paper_report *report) {
    const paper_description *paper = report->paper;
    (void)printf("\n");
    print_words(paper->title, 0);
    (void)printf("Their machine: ");
    words_print(paper->machine, strlen(paper->machine), 15, 15);
    (void)printf("Data: ");
    words_print(paper->workload, strlen(paper->workload), 6, 6);
    for (size_t i = 0; i < report->count; i++)
        print_table(paper->name, &report->results[i]);
    (void)printf("\nWorth today\n");
    for (size_t i = 0; i < PAPER_SENTENCES; i++)
        print_words(report->sentences[i], INDENT);
}
