/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The planner's expectations, kept in the database: for reports, and for guards (scan/guard.h),
 * which compare an engine's time with the price of an automaton. */
#ifndef TRAWL_PLAN_RECORD_H
#define TRAWL_PLAN_RECORD_H

#include "engines/qgram/format.h"

/* Indices of the engines in a record. */
enum {
    TRAWL_PLAN_QGRAM,
    TRAWL_PLAN_AC_DFA,
    TRAWL_PLAN_AC_NFA,
    TRAWL_PLAN_WU_MANBER,
    TRAWL_PLAN_RABIN_KARP
};
#define TRAWL_PLAN_ENGINES 5u

typedef struct trawl_tier_record {
    uint64_t patterns;
    double pass;        /* as in trawl_tier_estimate: share of the samples that pass */
    double look_ups;    /* candidates to be verified, for a byte of text */
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

/* Nanoseconds that an engine's tables are expected to take to be built. */
double trawl_plan_building(const trawl_plan_record *record, uint32_t engine);

/* Ways of scanning on a GPU (an engine and a kernel): indices in a record. */
enum { TRAWL_DEVICE_FILTER, TRAWL_DEVICE_PACKED, TRAWL_DEVICE_SPARSE, TRAWL_DEVICE_HOT };
#define TRAWL_DEVICE_WAYS 4u
#define TRAWL_DEVICE_MOST_TIERS 4u
#define TRAWL_DEVICE_AUTOMATON 3u

typedef struct trawl_device_tier_record {
    uint32_t place; /* of its table: 0: table of pairs of bytes; 1: shared memory; 2: device
                       memory, behind the L2 cache; TRAWL_DEVICE_AUTOMATON: the tier is an
                       automaton, not a filter */
    uint32_t min_length, max_length; /* of patterns */
    uint32_t stride, gram;
    uint32_t reserved; /* 0 */
    uint64_t bytes;    /* of the sample filter, or of the automaton in shared memory */
} trawl_device_tier_record;

/* Section DEVICE_PLAN */
typedef struct trawl_device_record {
    double picoseconds[TRAWL_DEVICE_WAYS];    /* of the device, for a byte; 0: not possible */
    uint64_t bytes[TRAWL_DEVICE_WAYS];        /* of tables on the device, about */
    uint64_t shared_bytes[TRAWL_DEVICE_WAYS]; /* of them, in shared memory of each block */
    double match_ends;                        /* as in trawl_plan_record */
    uint64_t sample_bytes;
    uint32_t chosen; /* the way */
    uint32_t tiers;  /* of filter; 0 where that is not the way */
    trawl_device_tier_record tier[TRAWL_DEVICE_MOST_TIERS];
} trawl_device_record;

/* The records of a database; NULL: it has none, or one of another size. Their numbers may be
 * anything, as the file may be forged, but for `chosen` and `tiers`, which are in range. */
const trawl_plan_record *trawl_plan_record_of(const trawl_db *db);
const trawl_device_record *trawl_device_record_of(const trawl_db *db);

#endif
