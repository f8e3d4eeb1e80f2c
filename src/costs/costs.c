/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "costs/costs.h"

#include <string.h>

#include "base/sized.h"

/* Rounded from runs of `trawl tune --device cpu` on an AMD EPYC (Zen 3, 512 KB of second-level
 * cache, 32 MB of third-level cache shared with other guests), 2026-11-21. Not measured: `match`, a
 * difference that was lost in the noise, and the last two look-ups, steps of ac-nfa and shifts,
 * which follow from those before (calibrate/cpu.c). */
static const trawl_costs built_in = {
    .size = sizeof(trawl_costs),
    .sample = {0.48, 0.48, 0.56, 0.64, 1.35, 1.52, 3.10, 6.40},
    .sample_eight = 0.06, /* this and the next in proportion to AVX2's loops on a Xeon */
    .sample_apart = 0.08,
    .sample_sixteen = 0.50,
    .memory = 0.04,
    .sample_candidate = 15.0,
    .verify = {32, 33, 33, 60, 95, 108, 173, 276},
    .direct = 1.06,
    .match = 3,
    .teddy = 0.0130,
    .teddy_candidate = 7,
    .register_bloom_candidate = 1.2,
    .register_bloom = 0.10, /* 0.13 on an Intel Xeon, by loops that took a fourth longer */
    .dfa_step = {0.78, 0.86, 0.93, 1.01, 2.00, 2.55, 4.70, 14.0},
    .dfa_match = 9.6,
    .nfa_step = {2.65, 2.8, 3.2, 3.75, 5.6, 7.4, 11.8, 18.9},
    .shift = {1.45, 1.60, 1.75, 2.70, 4.60, 5.30, 8.40, 13.5},
    .shift_zero = 25,       /* 20 to 30 on a Xeon, 20 on a Zen 4; a Zen 3 had 36 */
    .dfa_match_often = 2.1, /* to dfa_match as on a Zen 5 */
    .page_walk = 3.8,       /* a Zen 4, a virtual machine: docs/notebook/2026-11-pages.md */
};

/* Fitted to counts over 1 GiB on an H200 (docs/notebook/2026-11-gpu-planner.md); hot_wait and
 * hot_cached to random workloads (2026-11-gpu-zoo.md). */
const trawl_device_costs trawl_device_costs_built_in = {
    .size = sizeof(trawl_device_costs),
    .filter = 1.1,
    .packed = 0.29,
    .hot_step = 0.70,
    .hot_conflict = 0.40,
    .hot_wait = 1.4,
    .hot_cached = 6,
    .hot_memory = 2.0,
    .hot_verified = 4800, /* of an H100, with TRAWL_GPU_HOT_REPORT */
    /* A candidate of free anchors: reading the text and one bucket of 32 bytes. Of 14 to 55 the
     * price with the fastest plans for 13 sets (docs/notebook/2026-11-gpu-counted-anchors.md). */
    .bucket = 22,
};

/* Replaces each cost by the caller's, if that is a valid cost. Both tables consist of a size and
 * then doubles, without padding. */
static void take_costs(void *costs, const void *given, size_t size) {
    for (size_t at = sizeof(size_t); at < size; at += sizeof(double)) {
        double value;
        memcpy(&value, (const char *)given + at, sizeof value);
        if (value > 0 && value < 1e9) {
            memcpy((char *)costs + at, &value, sizeof value);
        }
    }
}

trawl_status trawl_costs_complete(const trawl_costs *given, trawl_costs *costs,
                                  trawl_error *error) {
    *costs = built_in;
    if (given == NULL) {
        return TRAWL_OK;
    }
    trawl_costs read;
    trawl_status status = trawl_sized_check(given, "costs", "TRAWL_COSTS", error);
    if (status == TRAWL_OK) {
        trawl_sized_read(&read, given, sizeof read);
        take_costs(costs, &read, sizeof read);
    }
    return status;
}

trawl_status trawl_device_costs_complete(const trawl_device_costs *given, trawl_device_costs *costs,
                                         trawl_error *error) {
    *costs = trawl_device_costs_built_in;
    if (given == NULL) {
        return TRAWL_OK;
    }
    trawl_device_costs read;
    trawl_status status = trawl_sized_check(given, "device costs", "TRAWL_DEVICE_COSTS", error);
    if (status == TRAWL_OK) {
        trawl_sized_read(&read, given, sizeof read);
        take_costs(costs, &read, sizeof read);
    }
    return status;
}

trawl_status trawl_study_built_in_costs(trawl_costs *costs, trawl_error *error) {
    trawl_clear(error);
    if (costs == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_study_built_in_costs: costs is NULL");
    }
    trawl_status status =
        trawl_sized_check(costs, "trawl_study_built_in_costs: costs", "TRAWL_COSTS", error);
    if (status == TRAWL_OK) {
        trawl_sized_write(costs, &built_in, sizeof built_in);
    }
    return status;
}

trawl_status trawl_study_built_in_device_costs(trawl_device_costs *costs, trawl_error *error) {
    trawl_clear(error);
    if (costs == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "trawl_study_built_in_device_costs: costs is NULL");
    }
    trawl_status status = trawl_sized_check(costs, "trawl_study_built_in_device_costs: costs",
                                            "TRAWL_DEVICE_COSTS", error);
    if (status == TRAWL_OK) {
        trawl_sized_write(costs, &trawl_device_costs_built_in, sizeof trawl_device_costs_built_in);
    }
    return status;
}
