/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Measures a pattern set: its statistics, its plan, and every engine. */
#ifndef CLI_INFO_MEASURE_H
#define CLI_INFO_MEASURE_H

#include "cli/info/report.h"
#include "trawl/trawl.h"

/* What is measured, and what is built for it. */
typedef struct info_extent {
    bool plan;            /* the choice of --engine auto */
    bool rows;            /* every engine and variant */
    bool builds;          /* false: sizes only */
    uint64_t build_limit; /* of rows: the most bytes of a database that is built */
} info_extent;

/* Fills everything except source, sample, is_database and database. `given` has matches, sample,
 * costs and device. */
trawl_status info_measure(info_report *report, const trawl_patterns *patterns,
                          const trawl_compile_options *given, const info_extent *extent,
                          trawl_error *error);

/* Copies the planner's expectations from a database, if it has any. */
void info_take_expected(info_report *report, const trawl_db *db);
void info_release(info_report *report);

/* Whether all numbers of a plan are finite: a forged database may have any. */
bool info_plan_is_finite(const trawl_study_plan *plan);

/* The row of the same engine, variant and parts, or NULL. */
const info_row *info_find_row(const info_report *report, const char *engine, const char *variant,
                              uint32_t parts);

/* The row of Tran et al., Table 4, with the nearest number of patterns. */
const info_paper_build *info_nearest_paper_build(size_t patterns);

#endif
