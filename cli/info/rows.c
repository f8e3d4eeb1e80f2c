/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Every engine and variant for a set, a line each. */
#include <stdio.h>
#include <string.h>

#include "cli/base/words.h"
#include "cli/info/print.h"
#include "cli/info/report.h"

enum { REASON_COLUMN = 43 };

static void print_reason(const info_row *row, int column) {
    char text[sizeof row->reason + 16];
    (void)snprintf(text, sizeof text, "%s%s", row->refused ? "refused: " : "", row->reason);
    words_print(text, strlen(text), (size_t)column, REASON_COLUMN);
}

static void print_row(const info_row *row) {
    char name[64];
    char total[WORDS_NUMBER_BYTES];
    char tables[WORDS_NUMBER_BYTES];
    if (row->parts != 0)
        (void)snprintf(name, sizeof name, "%s, %u parts", row->variant, row->parts);
    else
        (void)snprintf(name, sizeof name, "%s", row->variant);
    int column = printf("  %-10s %-28s ", row->engine, name);
    if (row->refused) {
        print_reason(row, column);
        return;
    }
    column += printf("%9s ", words_bytes(row->total_bytes, total));
    if (!row->built) {
        (void)printf("%s\n", row->reason);
        return;
    }
    (void)printf("%9s ", words_bytes(row->table_bytes, tables));
    if (row->states == 0)
        (void)printf("%7s ", "-");
    else
        (void)printf("%7.1f ", (double)row->table_bytes / (double)row->states);
    (void)printf("%8.4f\n", row->build_seconds);
}

void info_print_rows(const info_report *report) {
    (void)printf("\nEvery engine and variant\n  %-10s %-28s %9s %9s %7s %8s\n", "engine", "variant",
                 "database", "tables", "B/state", "build s");
    for (size_t i = 0; i < report->row_count; i++)
        print_row(&report->rows[i]);
}
