/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Sentences that are made from measured numbers. */
#ifndef CLI_REPRODUCE_SENTENCES_H
#define CLI_REPRODUCE_SENTENCES_H

#include "cli/reproduce/paper.h"

/* Writes a sentence, as printf does, if all `count` numbers are known; else that `what` was not
 * measured. The numbers are those that the sentence is made from. */
void sentence_write(char *sentence, const double *numbers, size_t count, const char *what,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The smallest and the largest ratio of a table (PAPER_OVER_...) and the geometric mean of all, the
 * first ones left out; NAN if none is known. */
typedef struct ratio_range {
    double least, most, mean;
} ratio_range;
ratio_range sentence_range(const paper_report *report, const char *table);

#endif
