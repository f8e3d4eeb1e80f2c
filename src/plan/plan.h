/* The planner: which engine a pattern set gets when the caller leaves the choice. */
#ifndef TRAWL_PLAN_PLAN_H
#define TRAWL_PLAN_PLAN_H

#include "engine/engine.h"

typedef struct trawl_plan {
    const trawl_engine *engine;
    unsigned variant;
    char reason[256]; /* in words, for trawl_db_information */
} trawl_plan;

/* Chooses for a set of at least one pattern. `max_table_bytes` is the caller's limit. Whoever
 * chose leaves it to trawl_plan_next when the engine refuses the set all the same. */
trawl_status trawl_plan_choose(const trawl_patterns *patterns, uint64_t max_table_bytes,
                               trawl_plan *plan, trawl_error *error);

/* Replaces a choice that was refused by the next smaller engine; false when there is none. */
bool trawl_plan_next(trawl_plan *plan);

#endif
