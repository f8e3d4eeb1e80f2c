/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/reproduce/sentences.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sentence_write(char *sentence, const double *numbers, size_t count, const char *what,
                    const char *format, ...) {
    bool known = true;
    for (size_t i = 0; i < count; i++)
        known = known && isfinite(numbers[i]);
    if (!known) {
        (void)snprintf(sentence, PAPER_SENTENCE_BYTES, "Not measured in this run: %s.", what);
        return;
    }
    va_list values;
    va_start(values, format);
    (void)vsnprintf(sentence, PAPER_SENTENCE_BYTES, format, values);
    va_end(values);
}

/* Whether the ratio of a cell is that of a cell with itself. */
static bool is_first(const paper_result *result, size_t index) {
    size_t row = index / result->columns;
    size_t column = index % result->columns;
    return (result->table->shape->ratio == PAPER_OVER_FIRST_ROW && row == 0) ||
           (result->table->shape->ratio == PAPER_OVER_FIRST_COLUMN && column == 0);
}

ratio_range sentence_range(const paper_report *report, const char *table) {
    ratio_range range = {PAPER_NONE, PAPER_NONE, PAPER_NONE};
    double logarithms = 0;
    size_t known = 0;
    for (size_t i = 0; i < report->count; i++) {
        const paper_result *result = &report->results[i];
        if (strcmp(result->table->id, table) != 0)
            continue;
        for (size_t cell = 0; cell < result->rows * result->columns; cell++) {
            double ratio = result->cells[cell].ratio_here;
            if (is_first(result, cell) || !isfinite(ratio))
                continue;
            range.least = ratio >= range.least ? range.least : ratio;
            range.most = ratio <= range.most ? range.most : ratio;
            logarithms += log(ratio);
            known++;
        }
    }
    if (known != 0)
        range.mean = exp(logarithms / (double)known);
    return range;
}
