/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/totals.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/base/json_text.h"
#include "cli/base/memory.h"
#include "io/output_file.h"
#include "trawl/trawl_groups.h"

void scan_want_report(const scan_plan *plan, text_scanner *scanner, scan_done *done) {
    if (plan->options->stats)
        device_want_report(&scanner->options, &scanner->study, done);
}

void scan_add_report(const scan_plan *plan, text_scanner *scanner, const scan_done *done,
                     scan_done *sums) {
    if (!plan->options->stats)
        return;
    device_want_report(&scanner->options, &scanner->study, NULL);
    device_add_report(sums, done);
}

/* Writes what stands before the number; returns its length. */
static size_t begin_count_line(const scan_plan *plan, const char *path, char *line) {
    static const char open[] = "{\"file\":";
    static const char key[] = ",\"count\":";
    record_format format = plan->options->format;
    if (format == RECORD_JSONL) {
        memcpy(line, open, sizeof open - 1);
        size_t at = sizeof open - 1;
        at += json_text(path, strlen(path), line + at);
        memcpy(line + at, key, sizeof key - 1);
        return at + sizeof key - 1;
    }
    if (format == RECORD_PLAIN && !plan->several)
        return 0;
    size_t length = 0;
    char *name = record_file_text(path, &length);
    memcpy(line, name, length);
    free(name);
    line[length] = format == RECORD_TSV ? '\t' : ':';
    return length + 1;
}

char *count_line(const scan_plan *plan, const char *path, uint64_t matches, size_t *length) {
    char *line = allocate(json_text_bound(strlen(path)) + 64);
    size_t at = begin_count_line(plan, path, line);
    at += output_decimal(matches, line + at);
    if (plan->options->format == RECORD_JSONL)
        line[at++] = '}';
    line[at++] = '\n';
    *length = at;
    return line;
}

static int compare_rows(const void *left, const void *right) {
    const top_row *a = left;
    const top_row *b = right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Columns of the terminal that shows the output; SIZE_MAX: no terminal does. */
static size_t columns_of_output(const scan_plan *plan) {
    struct winsize window;
    bool shown = plan->options->output == NULL && plan->options->format == RECORD_PLAIN &&
                 isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0;
    return shown && window.ws_col > 0 ? window.ws_col : SIZE_MAX;
}

/* Cuts a line after its first `used` columns, which has tabs, to `columns`: "\t0\tlong pat...\n".
 * Returns its new length. */
static size_t cut_label(char *label, size_t length, size_t used, size_t columns) {
    enum { TAB = 8, DOTS = 3 };
    size_t fitting = 0; /* bytes before the dots */
    size_t at = 0;
    for (; at + 1 < length && used <= columns; at++) {
        bool continues =
            ((unsigned char)label[at] & 0xc0) == 0x80; /* a byte inside a UTF-8 character */
        if (!continues && used + DOTS <= columns)
            fitting = at;
        used += label[at] == '\t' ? TAB - used % TAB : !continues;
    }
    if (used <= columns || length < DOTS + 1 || fitting + DOTS + 1 > length)
        return length;
    memcpy(label + fitting, "...\n", DOTS + 1);
    return fitting + DOTS + 1;
}

void top_write_rows(const scan_plan *plan, top_row *rows, size_t count, top_label label_of,
                    const void *context) {
    qsort(rows, count, sizeof *rows, compare_rows);
    if (plan->options->top != 0 && count > plan->options->top)
        count = (size_t)plan->options->top;
    size_t columns = columns_of_output(plan);
    for (size_t i = 0; i < count; i++) {
        char digits[20];
        size_t used = output_decimal(rows[i].count, digits);
        if (plan->options->format == RECORD_JSONL)
            output_file_text(plan->output, "{\"count\":");
        output_file_write(plan->output, digits, used);
        size_t length = 0;
        char *label = label_of(context, rows[i].id, &length);
        if (columns != SIZE_MAX)
            length = cut_label(label, length, used, columns);
        output_file_write(plan->output, label, length);
        free(label);
    }
}

/* A top_label. */
static char *label_of_pattern(const void *labels, uint32_t id, size_t *length) {
    return record_label(labels, id, length);
}

/* What names the groups of a database. */
typedef struct group_names {
    const record_labels *labels;
    uint32_t *first; /* of each group the first pattern */
} group_names;

/* A top_label. */
static char *label_of_group(const void *context, uint32_t index, size_t *length) {
    const group_names *names = context;
    return record_group_label(names->labels, trawl_db_group_at(names->labels->db, index),
                              names->first[index], length);
}

static void write_groups(const scan_plan *plan) {
    const trawl_db *db = plan->labels->db;
    size_t groups = trawl_db_groups(db), count = 0;
    uint64_t *sums = allocate(groups * sizeof *sums);
    top_row *rows = allocate(groups * sizeof *rows);
    group_names names = {plan->labels, allocate(groups * sizeof *names.first)};
    trawl_db_sum_groups(db, plan->per_pattern, sums);
    for (size_t id = plan->patterns; id-- > 0;)
        names.first[trawl_db_group_index(db, (uint32_t)id)] = (uint32_t)id;
    for (size_t i = 0; i < groups; i++)
        if (sums[i] != 0)
            rows[count++] = (top_row){sums[i], (uint32_t)i};
    top_write_rows(plan, rows, count, label_of_group, &names);
    free(names.first);
    free(rows);
    free(sums);
}

void top_write(const scan_plan *plan) {
    if (plan->options->by_group) {
        write_groups(plan);
        return;
    }
    top_row *rows = allocate(plan->patterns * sizeof *rows);
    size_t count = 0;
    for (size_t id = 0; id < plan->patterns; id++) {
        if (plan->per_pattern[id] != 0)
            rows[count++] = (top_row){plan->per_pattern[id], (uint32_t)id};
    }
    top_write_rows(plan, rows, count, label_of_pattern, plan->labels);
    free(rows);
}
