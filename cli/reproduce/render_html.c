/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* One HTML page that needs no other file: styles, tables and plots, for narrow and wide windows,
 * light and dark. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/reproduce/render.h"
#include "trawl/trawl.h"

static const char style[] =
    ":root{--back:#fcfcfb;--text:#1d1f21;--soft:#5d6268;--line:#d9dbdd;--mark:#f0f1f2;"
    "--link:#0b57a4;--c0:#1f5fa8;--c1:#b4500f;--c2:#2b7a4b;--c3:#8a3fa0;--c4:#8a6d00;--c5:#a82f4c}"
    "@media(prefers-color-scheme:dark){:root{--back:#16181a;--text:#e4e6e8;--soft:#a3a9af;"
    "--line:#3a3e42;--mark:#212427;--link:#7fb6f0;--c0:#6ea8ea;--c1:#f0a05a;--c2:#6cc892;"
    "--c3:#cc8fe0;--c4:#d9bd55;--c5:#f08aa2}}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;max-width:72rem;padding:1rem;background:var(--back);color:var(--text);"
    "font:16px/1.5 system-ui,sans-serif}"
    "h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0}"
    "h2{font-size:1.25rem;line-height:1.3;margin:2.5rem 0 .5rem;padding-top:1rem;"
    "border-top:2px solid var(--line)}"
    "h3{font-size:1rem;margin:0 0 .25rem}"
    "a{color:var(--link)}p{margin:.4rem 0;max-width:46rem}.soft{color:var(--soft)}"
    "nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:.5rem "
    "0}"
    "section.table{margin:1.5rem 0;padding-top:.25rem}"
    ".both{display:flex;flex-wrap:wrap;gap:1rem 2rem;align-items:flex-start}"
    ".scroll{overflow-x:auto;max-width:100%}"
    "table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}"
    "th,td{padding:.15rem .45rem;text-align:right;white-space:nowrap;vertical-align:bottom;"
    "border-bottom:1px solid var(--line)}"
    "th:first-child{text-align:left;position:sticky;left:0;background:var(--back)}"
    "thead th{font-weight:600;color:var(--soft);white-space:normal;max-width:6rem}tbody "
    "th{font-weight:400}"
    "tr.group th{font-weight:600;background:var(--mark);color:var(--text)}"
    "td.none{color:var(--soft)}td.quotient{font-weight:600}"
    "blockquote{margin:.75rem 0;padding:.5rem 1rem;background:var(--mark);"
    "border-left:3px solid var(--c0)}blockquote p{margin:.25rem 0}"
    "figure{margin:0;flex:1 1 20rem;max-width:36rem;min-width:0}"
    "svg{display:block;width:100%;height:auto}"
    "svg text{fill:var(--soft);font:10px system-ui,sans-serif}"
    "svg .axis{stroke:var(--line);stroke-width:1}"
    "svg .here{fill:none;stroke-width:2}svg .paper{fill:none;stroke-width:1.5;"
    "stroke-dasharray:4 3}"
    ".legend{display:flex;flex-wrap:wrap;gap:.1rem 1rem;font-size:.8rem;color:var(--soft);"
    "margin:.25rem 0 0;padding:0;list-style:none}"
    ".legend i{display:inline-block;width:1.4em;height:0;vertical-align:middle;"
    "margin-right:.4em;border-top:2px solid}.legend i.dash{border-top-style:dashed}"
    "@media(max-width:30rem){table{font-size:.75rem}th,td{padding:.15rem .25rem}}";

/* The length of a character of UTF-8 at `text`, or 0. */
static size_t character(const unsigned char *text) {
    size_t length = text[0] < 0x80                       ? 1
                    : text[0] >= 0xc2 && text[0] <= 0xdf ? 2
                    : text[0] >= 0xe0 && text[0] <= 0xef ? 3
                    : text[0] >= 0xf0 && text[0] <= 0xf4 ? 4
                                                         : 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    }
    return length;
}

void render_escaped(FILE *file, const char *text) {
    for (size_t length = 0; *text != '\0'; text += length == 0 ? 1 : length) {
        length = character((const unsigned char *)text);
        if (*text == '&')
            (void)fputs("&amp;", file);
        else if (*text == '<')
            (void)fputs("&lt;", file);
        else if (*text == '>')
            (void)fputs("&gt;", file);
        else if (*text == '"')
            (void)fputs("&quot;", file);
        else if (*text == '\'')
            (void)fputs("&#39;", file);
        else if (length == 0 || (unsigned char)*text < ' ' || *text == 0x7f)
            (void)fputc('?', file);
        else
            (void)fwrite(text, 1, length, file);
    }
}

static void print_paragraph(FILE *file, const char *kind, const char *text) {
    (void)fprintf(file, "<p%s>", kind);
    render_escaped(file, text);
    (void)fputs("</p>\n", file);
}

/* ------------------------------------------------------------------ tables */

static void print_number(FILE *file, const char *kind, double value) {
    char text[RENDER_NUMBER_BYTES];
    (void)fprintf(file, "<td%s>%s</td>", kind, render_number(value, text));
}

/* Columns for the paper's numbers are left out where it has none. */
static void print_row(FILE *file, const paper_result *result, size_t row, size_t column) {
    const paper_cell *cell = paper_cell_at(result, row, column);
    bool has_paper = result->table->paper != NULL;
    (void)fputs("<tr><th scope=\"row\">", file);
    render_escaped(file, result->table->shape->rows[row]);
    (void)fputs("</th>", file);
    if (cell->why != NULL) {
        (void)fputs("<td class=\"none\" title=\"", file);
        render_escaped(file, cell->why);
        (void)fputs("\">-</td>", file);
    } else {
        print_number(file, "", cell->here);
    }
    if (has_paper)
        print_number(file, "", cell->paper);
    if (result->table->shape->ratio != PAPER_VALUE) {
        print_number(file, "", cell->ratio_here);
        if (has_paper)
            print_number(file, "", cell->ratio_paper);
    }
    if (has_paper)
        print_number(file, " class=\"quotient\"", cell->quotient);
    (void)fputs("</tr>\n", file);
}

static void print_head(FILE *file, const paper_table *table) {
    static const char in_paper[] = "<th scope=\"col\">paper</th>";
    const char *paper = table->paper != NULL ? in_paper : "";
    (void)fputs("<thead><tr><th scope=\"col\">", file);
    render_escaped(file, table->shape->row_axis);
    (void)fputs("</th><th scope=\"col\">here", file);
    if (table->shape->unit[0] != '\0') {
        (void)fputs(", ", file);
        render_escaped(file, table->shape->unit);
    }
    (void)fprintf(file, "</th>%s", paper);
    if (table->shape->ratio != PAPER_VALUE)
        (void)fprintf(file, "<th scope=\"col\">%s here</th>%s", paper_ratio_name(table), paper);
    (void)fprintf(file, "%s</tr></thead>\n",
                  table->paper != NULL ? "<th scope=\"col\">quotient</th>" : "");
}

/* A group of rows for each column of the paper's table. */
static void print_cells(FILE *file, const paper_result *result) {
    const paper_table *table = result->table;
    (void)fputs("<div class=\"scroll\"><table>\n", file);
    print_head(file, table);
    for (size_t column = 0; column < result->columns; column++) {
        (void)fprintf(file, "<tbody><tr class=\"group\"><th scope=\"colgroup\" colspan=\"%zu\">",
                      paper_number_columns(table) + 1);
        render_escaped(file, table->shape->columns[column]);
        (void)fputs("</th></tr>\n", file);
        for (size_t row = 0; row < result->rows; row++)
            print_row(file, result, row, column);
        (void)fputs("</tbody>\n", file);
    }
    (void)fputs("</table></div>\n", file);
}

static void print_table(FILE *file, const paper_report *report, const paper_result *result) {
    const paper_table *table = result->table;
    const char *reason = paper_shared_reason(result);
    (void)fprintf(file, "<section class=\"table\" id=\"%s-%s\">\n<h3>", report->paper->name,
                  table->id);
    render_escaped(file, table->caption);
    (void)fputs("</h3>\n", file);
    if (table->remark != NULL)
        print_paragraph(file, " class=\"soft\"", table->remark);
    if (result->note != NULL)
        print_paragraph(file, " class=\"soft\"", result->note);
    if (reason != NULL) {
        (void)fprintf(file, "<p class=\"soft\">%s: ",
                      result->measured == 0 ? "Not measured here" : "Some cells are empty");
        render_escaped(file, reason);
        (void)fputs(".</p>\n", file);
    }
    if (result->measured != 0 || table->paper != NULL) {
        (void)fputs("<div class=\"both\">\n", file);
        print_cells(file, result);
        render_plot(file, result);
        (void)fputs("</div>\n", file);
    }
    (void)fputs("</section>\n", file);
}

/* ------------------------------------------------------------------ the page */

static void print_paper(FILE *file, const paper_report *report) {
    (void)fprintf(file, "<h2 id=\"%s\">", report->paper->name);
    render_escaped(file, report->paper->title);
    (void)fputs("</h2>\n<blockquote>\n", file);
    for (size_t i = 0; i < PAPER_SENTENCES; i++)
        print_paragraph(file, "", report->sentences[i]);
    (void)fputs("</blockquote>\n<p class=\"soft\">Their machine: ", file);
    render_escaped(file, report->paper->machine);
    (void)fputs(".</p>\n", file);
    print_paragraph(file, " class=\"soft\"", report->paper->workload);
    for (size_t i = 0; i < report->count; i++)
        print_table(file, report, &report->results[i]);
}

static void print_facts(FILE *file, const render_facts *facts) {
    (void)fputs("<p>Measured by trawl ", file);
    render_escaped(file, trawl_version());
    (void)fputs(" on ", file);
    render_escaped(file, facts->date);
    (void)fprintf(file, ". CPU (%" PRIu32 "): ", facts->cpus);
    render_escaped(file, facts->cpu);
    (void)fputs(". GPU: ", file);
    render_escaped(file, facts->cuda);
    (void)fputs(".</p>\n", file);
    (void)fprintf(file, "<p>Each cell is the median of up to %" PRIu32 " runs.", facts->most_runs);
    if (facts->shrink != 1)
        (void)fprintf(file,
                      " Texts are %" PRIu64 " times shorter than the papers', but 4 KiB at least; "
                      "labels have the papers' lengths.",
                      facts->shrink);
    (void)fputs(" ", file);
    render_escaped(file, facts->note);
    (void)fputs(
        "</p>\n<p>Times are those of other machines than the papers'. So what is compared is "
        "each paper's own comparison: a speed-up or ratio here and in the paper; the "
        "quotient of both is 1 where the paper's comparison comes out the same. Before a "
        "time was taken, the number of matches was compared with that of another engine on "
        "the CPU.</p>\n",
        file);
}

void render_html(FILE *file, const render_run *run) {
    (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n"
                "<title>trawl: five papers, measured again</title>\n<style>",
                file);
    (void)fputs(style, file);
    (void)fputs("</style>\n</head>\n<body>\n<h1>Papers on multi-pattern matching, measured "
                "again</h1>\n",
                file);
    print_facts(file, &run->facts);
    (void)fputs("<nav><ul>\n", file);
    for (size_t i = 0; i < run->count; i++) {
        (void)fprintf(file, "<li><a href=\"#%s\">", run->reports[i].paper->name);
        render_escaped(file, run->reports[i].paper->title);
        (void)fputs("</a></li>\n", file);
    }
    (void)fputs("</ul></nav>\n<main>\n", file);
    for (size_t i = 0; i < run->count; i++)
        print_paper(file, &run->reports[i]);
    (void)fputs("</main>\n</body>\n</html>\n", file);
}
