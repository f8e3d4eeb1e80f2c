/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/ac_split/variants.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "base/team.h"
#include "engines/ac_dfa/lanes.h"
#include "engines/engines.h"
#include "scan/reorder.h"

typedef struct split_walker {
    trawl_walker base;
    bool in_parallel;
    uint32_t parts;
    trawl_reorder_memory order;
    trawl_dfa_walk walks[];
} split_walker;

static bool is_parallel(const trawl_db *db) {
    return strcmp(db->header->variant,
                  trawl_engine_ac_split.description.variants[TRAWL_SPLIT_IN_PARALLEL]) == 0;
}

static trawl_status open(const trawl_db *db, const trawl_scan_settings *options,
                         trawl_walker **walker, trawl_error *error) {
    uint32_t parts = db->header->parts;
    size_t size = sizeof(split_walker) + parts * sizeof(trawl_dfa_walk);
    split_walker *made = trawl_allocate_zeroed(1, size);
    if (made == NULL) {
        return trawl_fail_memory(error, "scanning", size);
    }
    made->base = (trawl_walker){.type = &trawl_walker_ac_split, .db = db, .threads = 1};
    made->in_parallel = is_parallel(db);
    made->parts = parts;
    for (uint32_t part = 0; part < parts; part++) {
        trawl_dfa_walk_open(db, part, &made->walks[part]);
        made->walks[part].lanes.plain = options->plain_walk;
    }
    *walker = &made->base;
    return TRAWL_OK;
}

static void close(trawl_walker *walker) {
    split_walker *split = (split_walker *)walker;
    for (uint32_t part = 0; part < split->parts; part++) {
        trawl_dfa_walk_close(&split->walks[part]);
    }
    trawl_reorder_release(&split->order);
    trawl_release(split);
}

static trawl_status find_in_turn(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                                 trawl_error *error) {
    split_walker *split = (split_walker *)walker;
    trawl_status status = TRAWL_OK;
    for (uint32_t part = 0; status == TRAWL_OK && part < split->parts; part++) {
        status = trawl_lanes_scan(&split->walks[part].lanes.base, window, sink, error);
    }
    return status;
}

/* The sink of one part while other threads fill those of other parts: an array that grows up to a
 * limit. */
typedef struct part_sink {
    trawl_sink sink;
    size_t limit;
    bool full; /* the limit was reached: trawl_reorder has to try again with a smaller block */
    trawl_status status;
    trawl_error error;
} part_sink;

static trawl_status grow(trawl_sink *sink) {
    part_sink *own = (part_sink *)sink;
    size_t larger = sink->capacity == 0 ? 1024 : sink->capacity * 2;
    if (larger > own->limit) {
        own->full = true;
        return TRAWL_STOPPED;
    }
    trawl_match *moved = trawl_reallocate(sink->matches, larger, sizeof *moved);
    if (moved == NULL) {
        return trawl_fail_memory(&own->error, "a part's matches", larger * sizeof *moved);
    }
    sink->matches = moved;
    sink->capacity = larger;
    return TRAWL_OK;
}

/* What the threads share in find_parts. Each takes the next part that no thread has taken. */
typedef struct shared_find {
    split_walker *split;
    const trawl_window *window;
    part_sink *sinks;
    size_t limit;
    atomic_uint next;
} shared_find;

static void find_parts(void *context, uint32_t member) {
    (void)member;
    shared_find *all = context;
    uint32_t part;
    while ((part = atomic_fetch_add(&all->next, 1)) < all->split->parts) {
        part_sink *own = &all->sinks[part];
        own->sink.flush = grow;
        own->limit = all->limit;
        own->status = trawl_lanes_scan(&all->split->walks[part].lanes.base, all->window, &own->sink,
                                       &own->error);
    }
}

static trawl_status find_in_parallel(trawl_walker *walker, const trawl_window *window,
                                     trawl_sink *sink, trawl_error *error) {
    split_walker *split = (split_walker *)walker;
    part_sink *sinks = trawl_allocate_zeroed(split->parts, sizeof *sinks);
    if (sinks == NULL) {
        return trawl_fail_memory(error, "scanning", split->parts * sizeof *sinks);
    }
    uint32_t threads = walker->threads < split->parts ? walker->threads : split->parts;
    /* At one end there are at most as many matches as patterns: a block of one byte must fit. */
    size_t limit = TRAWL_REORDER_MOST;
    while (limit < walker->db->patterns.count) {
        limit *= 2;
    }
    shared_find all = {.split = split, .window = window, .sinks = sinks, .limit = limit};
    trawl_team_run(walker->team, threads, find_parts, &all);
    trawl_status status = TRAWL_OK;
    for (uint32_t part = 0; part < split->parts; part++) {
        const part_sink *own = &sinks[part];
        if (status == TRAWL_OK && own->status != TRAWL_OK && !own->full) {
            status = own->status;
            if (error != NULL) {
                *error = own->error;
            }
        }
        for (size_t i = 0; status == TRAWL_OK && i < own->sink.count; i++) {
            const trawl_match *match = &own->sink.matches[i];
            status = trawl_sink_put(sink, match->start, match->end, match->pattern);
        }
        if (status == TRAWL_OK && own->full) {
            /* This part alone has as many matches as the caller's sink takes: the sink reports
             * that. */
            status = sink->flush(sink);
        }
        trawl_release(own->sink.matches);
    }
    trawl_release(sinks);
    return status;
}

static trawl_status scan(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                         trawl_error *error) {
    split_walker *split = (split_walker *)walker;
    bool in_parallel = split->in_parallel && walker->threads > 1;
    return trawl_reorder(walker, window, sink, in_parallel ? find_in_parallel : find_in_turn,
                         &split->order, error);
}

/* What the threads share in count_parts. Each takes the next part that no thread has taken. */
typedef struct shared_count {
    split_walker *split;
    const trawl_window *window;
    uint64_t *per_pattern; /* no pattern is in two parts */
    atomic_uint next;
    pthread_mutex_t lock; /* guards the members below */
    uint64_t total;
    trawl_status status;
    trawl_error error;
} shared_count;

static void count_parts(void *context, uint32_t member) {
    (void)member;
    shared_count *all = context;
    uint32_t part;
    while ((part = atomic_fetch_add(&all->next, 1)) < all->split->parts) {
        trawl_counts own = {.per_pattern = all->per_pattern};
        trawl_error problem = {.status = TRAWL_OK};
        trawl_status status =
            trawl_lanes_count(&all->split->walks[part].lanes.base, all->window, &own, &problem);
        (void)pthread_mutex_lock(&all->lock);
        all->total += own.total;
        if (status != TRAWL_OK) {
            all->status = status;
            all->error = problem;
        }
        (void)pthread_mutex_unlock(&all->lock);
    }
}

static trawl_status count(trawl_walker *walker, const trawl_window *window, trawl_counts *counts,
                          trawl_error *error) {
    split_walker *split = (split_walker *)walker;
    uint32_t threads = split->in_parallel ? walker->threads : 1;
    if (threads == 1) {
        trawl_status status = TRAWL_OK;
        for (uint32_t part = 0; status == TRAWL_OK && part < split->parts; part++) {
            status = trawl_lanes_count(&split->walks[part].lanes.base, window, counts, error);
        }
        return status;
    }
    shared_count all = {.split = split,
                        .window = window,
                        .per_pattern = counts->per_pattern,
                        .lock = PTHREAD_MUTEX_INITIALIZER};
    trawl_team_run(walker->team, threads, count_parts, &all);
    counts->total += all.total;
    if (all.status != TRAWL_OK && error != NULL) {
        *error = all.error;
    }
    return all.status;
}

static trawl_status reserve(trawl_walker *walker, trawl_error *error) {
    split_walker *split = (split_walker *)walker;
    trawl_status status = trawl_reorder_reserve(&split->order, walker->db, error);
    for (uint32_t part = 0; status == TRAWL_OK && part < split->parts; part++) {
        status = trawl_lanes_reserve(&split->walks[part].lanes.base, error);
    }
    return status;
}

static void settle(trawl_walker *walker, trawl_counts *counts) {
    split_walker *split = (split_walker *)walker;
    for (uint32_t part = 0; part < split->parts; part++) {
        trawl_lanes_settle(&split->walks[part].lanes.base, counts);
    }
}

/* The automaton of one part. */
static trawl_lane_walker *automaton(trawl_walker *walker, uint32_t part) {
    return &((split_walker *)walker)->walks[part].lanes;
}

const trawl_walker_type trawl_walker_ac_split = {.open = open,
                                                 .close = close,
                                                 .scan = scan,
                                                 .count = count,
                                                 .reserve = reserve,
                                                 .settle = settle,
                                                 .automaton = automaton,
                                                 .own_threads = is_parallel};
