/* The planner: which engine a pattern set gets when the caller leaves the choice. */
#ifndef TRAWL_PLAN_PLAN_H
#define TRAWL_PLAN_PLAN_H

#include "engine/engine.h"

typedef struct trawl_plan {
    const trawl_engine *engine;
    unsigned variant;
    char reason[256]; /* in words, for trawl_db_information */
} trawl_plan;

/* Chooses for a set of at least one pattern. `max_table_bytes` is the caller's limit. */
trawl_status trawl_plan_choose(const trawl_patterns *patterns, uint64_t max_table_bytes,
                               trawl_plan *plan, trawl_error *error);

#endif
