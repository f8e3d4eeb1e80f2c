/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The planner: which engine a pattern set gets when the caller leaves the choice. */
#ifndef TRAWL_PLAN_PLAN_H
#define TRAWL_PLAN_PLAN_H

#include "database/engine.h"
#include "engines/qgram/divide.h"
#include "plan/record.h"

typedef struct trawl_plan {
    const trawl_engine *engine;
    unsigned variant;
    bool divided; /* `division` is known: the plan is about qgram too */
    trawl_qgram_choice division;
    trawl_plan_record record; /* what was expected, for reports */
    bool for_device;          /* `device` is known: the plan is for a GPU */
    trawl_device_record device;
    char reason[1024]; /* in words, for trawl_db_information */
} trawl_plan;

/* Chooses for a set of at least one pattern: the engine with the least expected cost whose tables
 * stay within options->max_table_bytes. The options are complete, with a sample and costs. Builds
 * no tables. Whoever chose leaves it to trawl_plan_next when the engine refuses the set all the
 * same.
 */
trawl_status trawl_plan_choose(const trawl_patterns *patterns,
                               const trawl_compile_settings *options, trawl_plan *plan,
                               trawl_error *error);

/* Replaces a choice that was refused by the next smaller engine; false when there is none. */
bool trawl_plan_next(trawl_plan *plan);

/* Divides the set for a qgram that was asked for by name. */
trawl_status trawl_plan_divide(const trawl_patterns *patterns,
                               const trawl_compile_settings *options, trawl_plan *plan,
                               trawl_error *error);

/* trawl_compile for qgram with a division of the caller's. */
trawl_status trawl_compile_divided(const trawl_patterns *patterns,
                                   const trawl_compile_options *options,
                                   const trawl_qgram_choice *division, trawl_db **db,
                                   trawl_error *error);

#endif
