/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What is printed of a run: text, TSV, JSON, HTML. */
#ifndef CLI_REPRODUCE_RENDER_H
#define CLI_REPRODUCE_RENDER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/reproduce/paper.h"

enum { RENDER_NUMBER_BYTES = 32 };

/* The machine and the settings of a run. */
typedef struct render_facts {
    char cpu[128];
    char cuda[PAPER_WHY_BYTES]; /* the GPU, or why there is none */
    char date[32];
    uint32_t cpus;
    uint64_t shrink;
    uint32_t most_runs;
    char note[256]; /* on the texts; "": nothing */
} render_facts;

typedef struct render_run {
    render_facts facts;
    const paper_report *reports;
    size_t count;
} render_run;

/* On standard output, 80 columns wide: the run, and one paper. */
void render_text_facts(const render_facts *facts);
void render_text_paper(const paper_report *report);

/* Whole files. */
void render_tsv(FILE *file, const render_run *run);
void render_json(FILE *file, const render_run *run);
void render_html(FILE *file, const render_run *run);

/* A plot of a table as an SVG element, measured and published values side by side; nothing if a
 * column has no two values. */
void render_plot(FILE *file, const paper_result *result);

/* Writes text with the characters that HTML reserves as entities, and bytes that are no UTF-8 or no
 * printable characters as "?". */
void render_escaped(FILE *file, const char *text);

/* Writes a number with three or four digits; "" if it is unknown. Returns `text`. */
const char *render_number(double value, char text[static RENDER_NUMBER_BYTES]);

#endif
