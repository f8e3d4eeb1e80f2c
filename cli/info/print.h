/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The report of `trawl info` as text and as JSON. */
#ifndef CLI_INFO_PRINT_H
#define CLI_INFO_PRINT_H

#include "cli/base/report.h"
#include "cli/info/report.h"

/* Print to standard output. */
void info_print_text(const info_report *report);
void info_print_json(const info_report *report);

#endif
