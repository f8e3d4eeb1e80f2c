/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/ac_dfa/gpu_cost.h"

#include <math.h>
#include <stdlib.h>

#include "base/allocate.h"
#include "base/status.h"
#include "constants/gpu.h"
#include "costs/automata.h"
#include "engines/ac_dfa/hot_walk.h"

typedef struct visited_state {
    uint64_t state;
    uint32_t ranking, validating; /* visits in the stripes that rank, and in those that validate */
    bool ends, verified;          /* matches */
} visited_state;

/* Most visits first, then by number of the state, so that a set always gets the same plan. */
static int by_visits(const void *left, const void *right) {
    const visited_state *a = left, *b = right;
    return a->ranking != b->ranking ? (a->ranking > b->ranking ? -1 : 1)
                                    : (a->state > b->state) - (a->state < b->state);
}

/* Makes one entry for each visited state, and sorts the entries; returns their number. `places` is
 * a hash table of 1 << bits zeros, more than there are steps. */
static size_t gather(const trawl_automata_steps *trace, visited_state *visited, uint32_t *places,
                     uint32_t bits) {
    size_t count = 0;
    for (size_t i = 0; i < trace->steps; i++) {
        bool validates = i / TRAWL_GPU_HOT_STRIPE_BYTES % 2 != 0;
        uint8_t ends = i == 0 ? 0 : trace->ends[i - 1]; /* states[i] is the state before byte i */
        uint64_t state = trace->states[i];
        size_t place = (size_t)(state * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits));
        while (places[place] != 0 && visited[places[place] - 1].state != state) {
            place = (place + 1) & (((size_t)1 << bits) - 1);
        }
        if (places[place] == 0) {
            visited[count++] = (visited_state){.state = state};
            places[place] = (uint32_t)count;
        }
        visited_state *entry = &visited[places[place] - 1];
        entry->ranking += !validates;
        entry->validating += validates;
        entry->ends |= ends != 0;
        entry->verified |= (ends & TRAWL_TRACE_VERIFIED) != 0;
    }
    qsort(visited, count, sizeof *visited, by_visits);
    return count;
}

/* The number of steps in the validating stripes that read the full table, if shared memory has
 * `rows` rows whose entries have `bits` bits for a rank. `whole`: all states have rows. Sets
 * *ranking to the same number for the ranking stripes. */
static double steps_elsewhere(const visited_state *visited, size_t count, double rows,
                              uint32_t bits, bool whole, double *ranking) {
    double validating = 0, unknown = 0, known = 0;
    *ranking = 0;
    for (size_t i = 0; i < count; i++) {
        const visited_state *state = &visited[i];
        known += state->ranking != 0;
        /* With one bit beside the rank an entry cannot say how many matches end in a state. */
        bool unsaid = state->verified || (state->ends && bits == TRAWL_GPU_HOT_MOST_RANK_BITS);
        if (!whole && state->ranking == 0) {
            unknown += state->validating;
        } else if (unsaid || (!whole && (double)i >= rows)) {
            validating += state->validating;
            *ranking += state->ranking;
        }
    }
    /* At upload, states are ranked by a longer text than this sample. The more rows are left over,
     * the more of the states that the sample has not visited get one. */
    return validating + unknown * fmin(known / rows, 1);
}

/* The share of steps that read the full table, with the number of bits for a rank that makes it
 * least. */
static double share_elsewhere(const visited_state *visited, size_t count, size_t steps,
                              trawl_hot_estimate *estimate) {
    double all = 0, least = INFINITY, best = 0;
    double most = estimate->rows;
    bool whole = estimate->states <= most && estimate->states <= 1 << TRAWL_GPU_HOT_MOST_RANK_BITS;
    for (size_t i = 0; i < count; i++) {
        all += visited[i].validating;
    }
    for (uint32_t bits = 1; bits <= TRAWL_GPU_HOT_MOST_RANK_BITS; bits++) {
        double rows = fmin(UINT32_C(1) << bits, most);
        if (whole && (double)(UINT32_C(1) << bits) < estimate->states &&
            bits < TRAWL_GPU_HOT_MOST_RANK_BITS) {
            continue;
        }
        double ranking,
            validating = steps_elsewhere(visited, count, fmax(rows - 1, 1), bits, whole, &ranking);
        if (ranking <= least) {
            least = ranking;
            best = validating;
            estimate->rows = (uint32_t)fmin(rows, estimate->states);
        }
        if (whole || rows >= most) {
            break;
        }
    }
    return steps < 2 * TRAWL_GPU_HOT_STRIPE_BYTES || all <= 0 ? 0 : best / all;
}

static double price(const trawl_hot_estimate *estimate, double classes,
                    const trawl_patterns *patterns, const trawl_cuda_properties *device,
                    const trawl_device_costs *costs) {
    double over_cache = fmax(0, log2((double)estimate->table_bytes /
                                     (TRAWL_GPU_HOT_CACHE_FRACTION * (double)device->cache_bytes)));
    double step = costs->hot_step +
                  costs->hot_conflict * trawl_hot_bank_conflicts((uint32_t)classes) +
                  costs->hot_wait * estimate->waits +
                  estimate->elsewhere * (costs->hot_cached + costs->hot_memory * over_cache) +
                  (estimate->verifies ? TRAWL_GPU_HOT_REPORT : 0);
    double overlaps; /* the time with overlaps between strips, divided by that without */
    (void)trawl_hot_strip_bytes(TRAWL_GPU_PRICED_TEXT_BYTES, patterns->max_length - 1,
                                device->multiprocessors, TRAWL_GPU_HOT_THREADS, &overlaps);
    return overlaps * (step + estimate->verified * costs->hot_verified);
}

trawl_status trawl_hot_estimate_make(const trawl_patterns *patterns, const uint8_t *text,
                                     size_t length, const trawl_cuda_properties *device,
                                     const trawl_device_costs *costs, trawl_hot_estimate *estimate,
                                     trawl_error *error) {
    trawl_automata_estimate automata;
    trawl_automata_steps trace;
    *estimate = (trawl_hot_estimate){.picoseconds = 0};
    length = length < TRAWL_GPU_MOST_SAMPLE_BYTES ? length : TRAWL_GPU_MOST_SAMPLE_BYTES;
    trawl_status status = trawl_automata_trace(patterns, text, length, &automata, &trace, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uint32_t bits = 1;
    while ((size_t)1 << bits <= trace.steps) {
        bits++;
    }
    visited_state *visited = trawl_allocate(length + 1, sizeof *visited);
    uint32_t *places = trawl_allocate_zeroed((size_t)1 << bits, sizeof *places);
    if (visited == NULL || places == NULL) {
        status = trawl_fail_memory(error, "planning", length * sizeof *visited);
    } else {
        double row_bytes = 2 * trace.classes;
        double room = (double)device->shared_bytes - TRAWL_GPU_CLASS_BYTES;
        for (size_t i = 0; i < trace.steps; i++) {
            estimate->verified += (trace.ends[i] & TRAWL_TRACE_VERIFIED) != 0;
        }
        estimate->verified /= (double)trace.steps;
        estimate->verifies = automata.verifies;
        estimate->states = automata.states;
        estimate->match_ends = automata.match_ends;
        estimate->dfa_bytes = automata.dfa_bytes;
        estimate->table_bytes = (uint64_t)(4 * automata.states * trace.classes);
        estimate->rows = (uint32_t)fmax(room / row_bytes, 1);
        size_t count = gather(&trace, visited, places, bits);
        estimate->elsewhere = share_elsewhere(visited, count, trace.steps, estimate);
        estimate->waits = trawl_hot_waits(estimate->elsewhere);
        estimate->shared_bytes = (uint64_t)(TRAWL_GPU_CLASS_BYTES + estimate->rows * row_bytes);
        estimate->picoseconds = price(estimate, trace.classes, patterns, device, costs);
    }
    trawl_release(visited);
    trawl_release(places);
    trawl_automata_trace_release(&trace);
    return status;
}
