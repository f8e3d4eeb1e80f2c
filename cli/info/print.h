/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The report of `trawl info` as text and as JSON. All print to standard output. */
#ifndef CLI_INFO_PRINT_H
#define CLI_INFO_PRINT_H

#include "cli/info/report.h"

/* What a user wants to know, on one screen of a terminal: which set, which plan, how fast, how
 * large, why. */
void info_print_text(const info_report *report);

/* Sizes and times of every engine and variant, a line each. */
void info_print_rows(const info_report *report);

/* What papers also report: the trie, details of filters, formulas, tables. */
void info_print_papers(const info_report *report);

void info_print_json(const info_report *report);

#endif
