/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The planner: which engine a set of patterns gets if the caller names none.
 *
 *     compile.c   trawl_compile: reads the options, plans, builds
 *     cpu.c       the choice for a CPU; gpu.c: for a GPU
 *     sample.c    a text to plan with, if the caller has none
 *     explain.c   reads a plan from a database, and writes it as JSON */
#ifndef TRAWL_PLAN_PLAN_H
#define TRAWL_PLAN_PLAN_H

#include "database/engine.h"
#include "engines/qgram/divide.h"
#include "plan/record.h"

/* The engines that are considered for a CPU, by their indices in a record. */
extern const trawl_engine *const trawl_plan_engines[TRAWL_PLAN_ENGINES];

typedef struct trawl_plan {
    const trawl_engine *engine;
    unsigned variant; /* index into the engine's variants */
    bool priced;      /* `record` is set, at least for the chosen engine */
    bool divided;     /* `division` and the part of `record` about it are set */
    trawl_qgram_choice division;
    trawl_plan_record record; /* what was expected, kept in the database */
    bool for_device;          /* the plan is for a GPU, and `device` is set */
    trawl_device_record device;
    char reason[1024]; /* in words, for trawl_db_information */
} trawl_plan;

/* Chooses the engine with the least expected cost whose tables stay within
 * options->max_table_bytes, for a set of one pattern or more. The options have a sample. Builds no
 * tables, so that sizes are estimates: if the chosen engine refuses the set after all, call
 * trawl_plan_next. */
trawl_status trawl_plan_choose(const trawl_patterns *patterns,
                               const trawl_compile_settings *options, trawl_plan *plan,
                               trawl_error *error);

/* Replaces an engine that refused the set by the one with the next smaller tables; false if there
 * is none. */
bool trawl_plan_next(trawl_plan *plan);

/* The most bytes that the tables of ac-dfa may have, on a processor with so much memory. */
uint64_t trawl_plan_dfa_limit(uint64_t memory_bytes, uint64_t max_table_bytes);

/* Divides the set into tiers for engine qgram, which was asked for by name. Trials do not end early
 * because another engine is faster, so the division may differ from that of trawl_plan_choose. */
trawl_status trawl_plan_divide(const trawl_patterns *patterns,
                               const trawl_compile_settings *options, trawl_plan *plan,
                               trawl_error *error);

/* The expected time for a byte of text with the plan's engine on a CPU; 0: not known. */
double trawl_plan_nanoseconds(const trawl_plan *plan);

/* Appends words to plan->reason, as far as there is room. The format is printf's. */
void trawl_plan_add(trawl_plan *plan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* trawl_compile for qgram with tiers that the caller has chosen. */
trawl_status trawl_compile_divided(const trawl_patterns *patterns,
                                   const trawl_compile_options *options,
                                   const trawl_qgram_choice *division, trawl_db **db,
                                   trawl_error *error);

#endif
