/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The fallback automaton of scans of host memory. Candidates are verified at some 30 GB/s where
 * they are everywhere, and a hostile text is full of them; an automaton takes the same time for any
 * text. A scan that ends before the next segment has been copied loses nothing. So the time that
 * counts is that beyond copying:
 *
 *     time lost > time to build the automaton?  -> build it, once for the database
 *     then: a range by the automaton, a range by the engine: which is faster?
 *           the automaton: it gets 2, 4, ... ranges before the engine is tried again
 */
#include "engines/engines.cuh"
#include "run/gpu/walker.cuh"

extern "C" {
#include "constants/fallback.h"
#include "run/fallback.h"
}

/* Whether the walk may use the automaton: it leaves the same matches, but no states, and a caller
 * that names a kernel or its shape measures that kernel. */
static bool is_possible(const trawl_cuda_walk *walk) {
    const trawl_scan_settings *options = walk->walker->options;
    return walk->entries == NULL && walk->mapped == NULL && options->kernel == NULL &&
           options->block_threads == 0 && options->block_bytes == 0 &&
           walk->uploaded->engine == &trawl_cuda_qgram;
}

const trawl_cuda_db *trawl_cuda_fallback_next(trawl_cuda_walk *walk) {
    trawl_cuda_fallback *fallback = &walk->walker->fallback;
    if (fallback->left == 0 || !is_possible(walk)) {
        return walk->uploaded;
    }
    fallback->left--;
    return fallback->uploaded;
}

/* Builds the automaton and uploads it. A lack of memory is no error: the engine goes on alone. */
static void make(trawl_cuda_walk *walk) {
    trawl_cuda_walker_state *walker = walk->walker;
    trawl_error ignored;
    const trawl_db *automaton = trawl_fallback_database(walker->base.db, &ignored);
    walker->fallback.refused =
        automaton == NULL ||
        trawl_cuda_upload_once(automaton, walker->device, NULL, 0, &walker->fallback.uploaded,
                               &ignored) != TRAWL_OK;
    if (!walker->fallback.refused) {
        walker->fallback.left = walker->fallback.turn = 1;
    }
}

static void note_engine(trawl_cuda_walk *walk, double seconds, double copying, uint64_t bytes) {
    trawl_cuda_fallback *fallback = &walk->walker->fallback;
    const double lost = fallback->seconds_lost + seconds - copying;
    fallback->seconds_lost = lost > 0 ? lost : 0;
    if (fallback->uploaded == NULL) {
        if (fallback->seconds_lost > trawl_fallback_building(&walk->walker->base)) {
            make(walk);
        }
    } else if (fallback->left == 0) { /* else the range was begun before the automaton's turn */
        const double step = TRAWL_FALLBACK_MARGIN * fallback->step;
        const bool slower = seconds > copying && seconds > step * (double)bytes;
        fallback->turn = !slower                                       ? 0
                         : fallback->turn < TRAWL_FALLBACK_MOST_RANGES ? 2 * fallback->turn + 1
                                                                       : fallback->turn;
        fallback->left = fallback->turn;
    }
}

/* Seconds from one event to another, after *until, which becomes the end. */
static trawl_status seconds_between(const trawl_cuda_walk *walk, cudaEvent_t begin, cudaEvent_t end,
                                    double *until, double *seconds, trawl_error *error) {
    float begin_ms = 0, end_ms = 0;
    TRAWL_CUDA_TRY(cudaEventElapsedTime(&begin_ms, walk->slots->start, begin), error);
    TRAWL_CUDA_TRY(cudaEventElapsedTime(&end_ms, walk->slots->start, end), error);
    const double to = (double)end_ms / 1e3;
    double from = (double)begin_ms / 1e3;
    from = from < *until ? *until : from;
    *seconds = to > from ? to - from : 0;
    *until = to > *until ? to : *until;
    return TRAWL_OK;
}

trawl_status trawl_cuda_fallback_note(trawl_cuda_walk *walk, const trawl_cuda_slot *slot,
                                      trawl_error *error) {
    trawl_cuda_fallback *fallback = &walk->walker->fallback;
    const uint64_t bytes = slot->range.end - slot->range.begin;
    double seconds, copying, before = 0;
    if (fallback->refused || !is_possible(walk)) {
        return TRAWL_OK;
    }
    trawl_status status = seconds_between(walk, slot->scan_begin, slot->scan_end,
                                          &walk->noted_until, &seconds, error);
    if (status == TRAWL_OK) {
        status = seconds_between(walk, slot->in_begin, slot->in_end, &before, &copying, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    if (slot->by == walk->uploaded) {
        copying *= (double)bytes / (double)(slot->segment.end - slot->segment.begin);
        note_engine(walk, seconds, copying, bytes);
        return TRAWL_OK;
    }
    fallback->step = seconds / (double)bytes;
    trawl_report *report = walk->walker->options->report;
    if (report != NULL) {
        report->study.fallback_bytes += bytes;
    }
    return TRAWL_OK;
}
