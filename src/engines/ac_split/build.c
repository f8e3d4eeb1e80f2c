/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/ac_split/variants.h"

#include <stdio.h>

#include "base/allocate.h"
#include "base/status.h"
#include "constants/cpu.h"
#include "engines/engines.h"
#include "pattern/partition.h"

static const char *const variants[] = {"in-turn", "in-parallel", "stt", NULL};
static const char *const variant_summaries[] = {
    "a thread scans its text with one part after the other",
    "several threads scan the same text, each with its own part",
    "in turn, each part as the table of the papers (257 columns)", NULL};

typedef struct planned_parts {
    uint32_t count;
    trawl_dfa_part parts[];
} planned_parts;

/* Sets *parts to the number of parts that was asked for, or to one that suits the caches. */
static trawl_status choose_parts(const trawl_build *build, uint32_t *parts) {
    if (build->options->split_parts > TRAWL_IMAGE_MAX_PARTS) {
        return trawl_fail(build->error, TRAWL_ERROR_ARGUMENT,
                          "ac-split: %u parts asked for, at most %u are possible",
                          build->options->split_parts, TRAWL_IMAGE_MAX_PARTS);
    }
    *parts = build->options->split_parts;
    if (*parts != 0) {
        return TRAWL_OK;
    }
    trawl_statistics statistics = TRAWL_STATISTICS;
    trawl_status status = trawl_patterns_statistics(build->patterns, &statistics, build->error);
    if (status != TRAWL_OK) {
        return status;
    }
    /* The table of a single automaton, about. The paper splits into an even number of parts. */
    uint64_t entry = statistics.states <= TRAWL_DFA_NARROW_STATES ? 2 : 4;
    uint64_t table = statistics.states * (statistics.alphabet + 1) * entry;
    *parts = 2;
    while (*parts < TRAWL_SPLIT_MOST_PARTS && table / *parts > TRAWL_SPLIT_PART_TABLE_BYTES) {
        *parts *= 2;
    }
    return TRAWL_OK;
}

static void remark_imbalance(trawl_build *build, const trawl_partition *partition,
                             double threshold) {
    if (partition->imbalance > threshold) {
        (void)snprintf(build->remark, sizeof build->remark,
                       "the longest part has %.4g %% more bytes than the shortest one, above the "
                       "threshold of %.4g %%: no single pattern can be moved to reduce that",
                       partition->imbalance * 100, threshold * 100);
    }
}

static trawl_status plan(trawl_build *build) {
    uint32_t wanted = 0;
    trawl_status status = choose_parts(build, &wanted);
    if (status != TRAWL_OK) {
        return status;
    }
    double threshold = build->options->split_threshold > 0
                           ? build->options->split_threshold
                           : trawl_partition_threshold(build->patterns->count);
    trawl_partition partition;
    status = trawl_partition_make(build->patterns, wanted, threshold, &partition, build->error);
    if (status != TRAWL_OK) {
        return status;
    }
    size_t size = sizeof(planned_parts) + partition.parts * sizeof(trawl_dfa_part);
    planned_parts *planned = trawl_allocate_zeroed(1, size);
    if (planned == NULL) {
        status = trawl_fail_memory(build->error, "planning ac-split", size);
    } else {
        planned->count = partition.parts;
    }
    build->state = planned;
    build->parts = partition.parts;
    remark_imbalance(build, &partition, threshold);
    for (uint32_t part = 0; status == TRAWL_OK && part < partition.parts; part++) {
        status = trawl_dfa_part_plan(build, part, partition.ids + partition.first[part],
                                     partition.first[part + 1] - partition.first[part],
                                     build->variant == TRAWL_SPLIT_STT ? TRAWL_DFA_BY_BYTE_STT
                                                                       : TRAWL_DFA_BY_CLASS,
                                     &planned->parts[part]);
    }
    trawl_partition_release(&partition);
    return status;
}

static trawl_status fill(trawl_build *build) {
    planned_parts *planned = build->state;
    trawl_status status = TRAWL_OK;
    for (uint32_t part = 0; status == TRAWL_OK && part < planned->count; part++) {
        status = trawl_dfa_part_fill(build, part, &planned->parts[part]);
    }
    return status;
}

static void release(trawl_build *build) {
    planned_parts *planned = build->state;
    if (planned != NULL) {
        for (uint32_t part = 0; part < planned->count; part++) {
            trawl_dfa_part_release(&planned->parts[part]);
        }
        trawl_release(planned);
    }
}

/* Checks that no pattern is in two parts: threads that scan different parts count it without a
 * lock. */
static trawl_status check_disjoint(const trawl_db *db, trawl_error *error) {
    uint64_t *seen = trawl_allocate_zeroed((size_t)db->patterns.count / 64 + 1, sizeof *seen);
    if (seen == NULL) {
        return trawl_fail_memory(error, "validating ac-split", db->patterns.count / 8);
    }
    bool disjoint = true;
    for (uint32_t part = 0; part < db->header->parts; part++) {
        uint64_t size;
        const uint32_t *ids = trawl_db_section(db, TRAWL_SECTION_KEY_IDS, part, &size);
        for (uint64_t i = 0; i < size / sizeof *ids; i++) {
            uint64_t bit = UINT64_C(1) << ids[i] % 64;
            disjoint = disjoint && (seen[ids[i] / 64] & bit) == 0;
            seen[ids[i] / 64] |= bit;
        }
    }
    trawl_release(seen);
    return disjoint ? TRAWL_OK
                    : trawl_fail(error, TRAWL_ERROR_FORMAT,
                                 "the database has a pattern in two parts of ac-split");
}

static trawl_status validate(const trawl_db *db, trawl_error *error) {
    trawl_status status = TRAWL_OK;
    for (uint32_t part = 0; status == TRAWL_OK && part < db->header->parts; part++) {
        status = trawl_dfa_part_validate(db, part, false, error);
    }
    return status == TRAWL_OK ? check_disjoint(db, error) : status;
}

static const trawl_kernel_entry kernels[] = {
    {"p2", "text through shared memory, stored on a diagonal; a stream for each part",
     "Tran et al. 2015, 4.3, Fig. 10"},
    {"p1", "text straight from device memory; a stream for each part", "Tran et al. 2015, Fig. 9"},
    {"p2-conflicts", "p2 with the text stored as it comes, so with bank conflicts",
     "Tran et al. 2015, 5.2.2, Fig. 19"},
    {NULL, NULL, NULL},
};

const trawl_engine trawl_engine_ac_split = {
    .description = {.name = "ac-split",
                    .summary = "the set split into several small automata, each scanning the text",
                    .source = "Tran et al. 2015, 4.2, Algorithms 1 and 2",
                    .variants = variants,
                    .variant_summaries = variant_summaries},
    .tables = TRAWL_SECTION_DFA_HEADER,
    .plan = plan,
    .fill = fill,
    .release = release,
    .validate = validate,
    .walker = &trawl_walker_ac_split,
    .kernels = kernels,
    .zero_copy_kernel = "p2",
};
