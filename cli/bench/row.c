/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/row.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/base/memory.h"

bench_row *bench_rows_add(bench_rows *rows) {
    rows->items = reallocate(rows->items, (rows->count + 1) * sizeof *rows->items);
    bench_row *row = &rows->items[rows->count++];
    *row = (bench_row){0};
    return row;
}

void bench_rows_release(bench_rows *rows) {
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->items[i].seconds);
        free(rows->items[i].library);
        free(rows->items[i].program);
    }
    free(rows->items);
    *rows = (bench_rows){0};
}

void bench_row_take_name(char name[static BENCH_NAME_BYTES], const char *from) {
    size_t length = 0;
    for (; from[length] != '\0' && length < BENCH_NAME_BYTES - 1; length++) {
        unsigned char byte = (unsigned char)from[length];
        name[length] =
            byte <= ' ' || byte > '~' || byte == '"' || byte == '\\' ? '?' : from[length];
    }
    name[length] = '\0';
}

bool bench_row_mark_absent(bench_row *row, bench_absence absence, const char *why) {
    row->absence = absence;
    row->refusal.status = TRAWL_ERROR_UNAVAILABLE;
    (void)snprintf(row->refusal.message, sizeof row->refusal.message, "%.*s",
                   (int)sizeof row->refusal.message - 1, why);
    return false;
}

bool bench_row_mark_late(bench_row *row, uint64_t time_limit) {
    char why[64];
    (void)snprintf(why, sizeof why, "over %" PRIu64 " s", time_limit);
    return bench_row_mark_absent(row, BENCH_OVER_TIME, why);
}

void bench_row_explain(const bench_row *row, char *text, size_t size) {
    if (row->absence == BENCH_OVER_TIME || row->absence == BENCH_ENDED)
        (void)snprintf(text, size, "%s", row->refusal.message);
    else
        (void)snprintf(text, size, "%s: %s",
                       row->absence == BENCH_NOT_ASKED ? "not asked"
                       : row->seconds == NULL          ? "refuses"
                                                       : "fails",
                       row->refusal.message);
}

/* ------------------------------------------------------------------ times */

int bench_compare_seconds(const void *left, const void *right) {
    double a = *(const double *)left;
    double b = *(const double *)right;
    return a < b ? -1 : a > b;
}

double bench_median(const double *sorted, size_t count) {
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

bench_speed bench_row_speed(const bench_row *row, size_t length) {
    double size = (double)length / 1e9;
    return (bench_speed){size / bench_median(row->seconds, row->repeats),
                         size / row->seconds[row->repeats - 1], size / row->seconds[0]};
}
