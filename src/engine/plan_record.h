/* What the planner expected, kept with a database for reports. Nothing depends on it. */
#ifndef TRAWL_ENGINE_PLAN_RECORD_H
#define TRAWL_ENGINE_PLAN_RECORD_H

#include "engine/qgram.h"

/* Engines in the order of a record. */
enum { TRAWL_PLAN_QGRAM, TRAWL_PLAN_AC_DFA, TRAWL_PLAN_AC_NFA, TRAWL_PLAN_WU_MANBER };
#define TRAWL_PLAN_ENGINES 4u

typedef struct trawl_tier_record {
    uint64_t patterns;
    double pass; /* as in trawl_tier_estimate */
    double look_ups;
    double nanoseconds; /* for a byte of text */
} trawl_tier_record;

/* Section PLAN */
typedef struct trawl_plan_record {
    double nanoseconds[TRAWL_PLAN_ENGINES]; /* for a byte of text; 0: not considered */
    uint64_t bytes[TRAWL_PLAN_ENGINES];     /* of tables, about */
    double match_ends;                      /* share of bytes of text at which a match ends */
    uint64_t sample_bytes;                  /* 0: the caller had no sample */
    trawl_tier_record tier[TRAWL_QGRAM_MAX_TIERS];
} trawl_plan_record;

#endif
