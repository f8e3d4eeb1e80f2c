/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Finding out what a pattern set is like. */
#ifndef CLI_INFO_MEASURE_H
#define CLI_INFO_MEASURE_H

#include "cli/base/report.h"
#include "cli/info/report.h"
#include "trawl/trawl.h"

/* Fills all but source, is_database and database. Each row is really built if its database is not
 * larger than `build_limit`; 0 builds nothing. `given`: matches, sample, costs and device. */
trawl_status info_measure(info_report *report, const trawl_patterns *patterns,
                          const trawl_compile_options *given, uint64_t build_limit,
                          trawl_error *error);

/* Takes what the planner expected when it made this database, if anything. */
void info_take_expected(info_report *report, const trawl_db *db);
void info_release(info_report *report);

/* The row of the same engine, variant and parts, or NULL. */
const info_row *info_find_row(const info_report *report, const char *engine, const char *variant,
                              uint32_t parts);

/* The row of Table 4 whose number of patterns is nearest. */
const info_paper_build *info_nearest_paper_build(size_t patterns);

#endif
