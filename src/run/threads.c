/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Several threads over one window. The owned bytes are cut into chunks, and a free thread takes the
 * next chunk (dynamic scheduling; Tran et al., 5.3). For counting that is all.
 *
 * Matches are delivered in the order of the chunks. The matches of the chunk whose turn it is go
 * directly to the caller; those of later chunks are gathered, and a thread that has gathered many
 * waits for the turn of its chunk. Chunks in flight:
 *
 *     delivered | turn: delivers | scanning, gathers | finished, waits | scanning | not taken
 *               ^ turn                                                            ^ next
 *
 * At most slot_count chunks are between `turn` and `next`, so memory is bounded however dense the
 * matches are. Matches that are collected into one array are copied by several threads at once:
 * then a chunk's turn only fixes its place in the array.
 */
#include <pthread.h>
#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "run/pieces.h"
#include "run/placement.h"
#include "run/run.h"
#include "scan/conditions.h"

/* Bytes of a chunk, at most: for counting; for matches, where chunks are smaller, so that few of
 * them gather so many matches that they have to wait. SMALLEST_CHUNK: at least. Large chunks begin
 * less often, small ones balance the threads better; no measurement chose the numbers. */
#define CHUNK ((size_t)1 << 20)
#define CHUNK_OF_MATCHES ((size_t)1 << 17)
#define SMALLEST_CHUNK ((size_t)32768)
#define OVERLAP_FACTOR 8    /* bytes of a chunk for each byte of overlap, which is walked twice */
#define CHUNKS_EACH 4       /* chunks for each thread, at least, to balance their loads */
#define FIRST_MATCHES 1024u /* matches of a chunk's first array */
#define MOST_MATCHES (1u << 17) /* matches after which a chunk waits for its turn */

/* Matches of one chunk. After their delivery the array is used for another chunk, since the caches
 * still hold it. */
typedef struct match_array {
    trawl_match *matches;
    size_t capacity;
} match_array;

typedef struct chunk_slot {
    match_array array;
    size_t count;
    bool finished;
} chunk_slot;

typedef struct crew_state {
    trawl_run *run;
    const trawl_window *window;
    size_t chunk_bytes;
    size_t chunks;
    trawl_placing placing;

    pthread_mutex_t lock; /* for all members below */
    pthread_cond_t changed;
    size_t next;       /* the first chunk that no thread has taken */
    size_t turn;       /* the first chunk that is not delivered */
    chunk_slot *slots; /* slot_count of them: chunk c has slot c % slot_count */
    size_t slot_count;
    match_array *spare; /* arrays for reuse: spare_count of them, room for slot_count */
    size_t spare_count;
    size_t copying;      /* threads that are writing into the collector's array */
    trawl_status status; /* the first failure, or TRAWL_STOPPED */
    trawl_error error;
} crew_state;

static size_t choose_chunk(const trawl_run *run, size_t owned) {
    if (run->options.chunk_bytes != 0) {
        return run->options.chunk_bytes < TRAWL_WINDOW_MAX / 2 ? run->options.chunk_bytes
                                                               : TRAWL_WINDOW_MAX / 2;
    }
    size_t overlap = trawl_db_overlap(run->db);
    size_t most = run->count_only ? CHUNK : CHUNK_OF_MATCHES;
    size_t chunk = owned / ((size_t)run->options.threads * CHUNKS_EACH);
    chunk = chunk < SMALLEST_CHUNK ? SMALLEST_CHUNK : chunk > most ? most : chunk;
    return chunk < OVERLAP_FACTOR * overlap ? OVERLAP_FACTOR * overlap : chunk;
}

/* Keeps the first failure and wakes all threads. Caller holds the lock. */
static void fail(crew_state *crew, trawl_status status, const trawl_error *error) {
    if (crew->status == TRAWL_OK) {
        crew->status = status;
        crew->error = *error;
    }
    (void)pthread_cond_broadcast(&crew->changed);
}

/* Takes the next chunk, when there is a free slot for it, and a spare array if there is one. False:
 * there is no chunk left, or the run has failed. */
static bool take_chunk(crew_state *crew, size_t *chunk, match_array *array) {
    bool taken = false;
    (void)pthread_mutex_lock(&crew->lock);
    while (crew->status == TRAWL_OK && crew->next < crew->chunks &&
           crew->next >= crew->turn + crew->slot_count) {
        (void)pthread_cond_wait(&crew->changed, &crew->lock);
    }
    if (crew->status == TRAWL_OK && crew->next < crew->chunks) {
        *chunk = crew->next++;
        *array = crew->spare_count == 0 ? (match_array){0} : crew->spare[--crew->spare_count];
        taken = true;
    }
    (void)pthread_mutex_unlock(&crew->lock);
    return taken;
}

/* Puts an array among the spare ones, for another chunk. Caller holds the lock. */
static void give_array(crew_state *crew, match_array array) {
    if (array.matches == NULL) {
        return;
    }
    if (crew->spare_count < crew->slot_count) {
        crew->spare[crew->spare_count++] = array;
    } else {
        trawl_release(array.matches);
    }
}

static trawl_window chunk_window(const crew_state *crew, size_t chunk) {
    size_t begin = crew->window->owned + chunk * crew->chunk_bytes;
    size_t left = crew->window->length - begin;
    size_t end = begin + (left < crew->chunk_bytes ? left : crew->chunk_bytes);
    return trawl_window_part(crew->run, crew->window, begin, end);
}

typedef struct chunk_sink {
    trawl_sink sink;
    crew_state *crew;
    const trawl_window *window; /* of the chunk */
    size_t tested;              /* matches in the sink whose conditions hold */
    size_t chunk;
    bool turn;      /* it is this chunk's turn: its matches are delivered directly */
    bool no_memory; /* the array could not grow */
} chunk_sink;

/* Waits until all chunks before this one are delivered. */
static trawl_status await_turn(crew_state *crew, size_t chunk) {
    (void)pthread_mutex_lock(&crew->lock);
    while (crew->status == TRAWL_OK && crew->turn != chunk) {
        (void)pthread_cond_wait(&crew->changed, &crew->lock);
    }
    trawl_status status = crew->status;
    (void)pthread_mutex_unlock(&crew->lock);
    return status;
}

/* The place for `count` matches in the collector's array, which does not move until end_copying;
 * NULL: no memory. Caller holds the lock and handles the chunk whose turn it is. */
static trawl_match *begin_copying(crew_state *crew, size_t count) {
    trawl_collector *collector = crew->run->collector;
    while (count > collector->sink.capacity - collector->sink.count && crew->copying != 0) {
        (void)pthread_cond_wait(&crew->changed, &crew->lock);
    }
    if (!trawl_collector_reserve(collector, count)) {
        return NULL;
    }
    trawl_match *place = collector->sink.matches + collector->sink.count;
    collector->sink.count += count;
    crew->copying++;
    return place;
}

static void end_copying(crew_state *crew) {
    crew->copying--;
    (void)pthread_cond_broadcast(&crew->changed);
}

static void end_turn(crew_state *crew) {
    crew->turn++;
    (void)pthread_cond_broadcast(&crew->changed);
}

/* Delivers matches of the chunk whose turn it is; `last`: the turn ends with them. Caller holds the
 * lock; it is released during the copy or the call. */
static void deliver(crew_state *crew, const trawl_match *matches, size_t count, bool last) {
    trawl_error none = {.status = TRAWL_OK}; /* the collector, or the caller, knows the reason */
    if (crew->run->collector != NULL) {
        trawl_match *place = begin_copying(crew, count);
        if (place == NULL) {
            fail(crew, TRAWL_ERROR_MEMORY, &none);
            return;
        }
        if (last) {
            end_turn(crew);
        }
        (void)pthread_mutex_unlock(&crew->lock);
        memcpy(place, matches, count * sizeof *place);
        (void)pthread_mutex_lock(&crew->lock);
        end_copying(crew);
        return;
    }
    (void)pthread_mutex_unlock(&crew->lock);
    trawl_status status = trawl_delivery_put(&crew->run->delivery, matches, count);
    (void)pthread_mutex_lock(&crew->lock);
    if (last) {
        end_turn(crew);
    }
    if (status != TRAWL_OK) {
        fail(crew, status, &none);
    }
}

static trawl_status flush(trawl_sink *sink) {
    chunk_sink *own = (chunk_sink *)sink;
    crew_state *crew = own->crew;
    trawl_conditions_drop(crew->run->db, own->window, sink, own->tested);
    own->tested = sink->count;
    if (sink->count < sink->capacity) {
        return TRAWL_OK; /* dropping matches by their conditions has made room */
    }
    if (!own->turn && sink->capacity < MOST_MATCHES) {
        size_t larger = sink->capacity == 0 ? FIRST_MATCHES : sink->capacity * 4;
        larger = larger < MOST_MATCHES ? larger : MOST_MATCHES;
        trawl_match *moved = trawl_reallocate(sink->matches, larger, sizeof *moved);
        if (moved == NULL) {
            own->no_memory = true;
            return TRAWL_ERROR_MEMORY;
        }
        sink->matches = moved;
        sink->capacity = larger;
        return TRAWL_OK;
    }
    if (!own->turn) {
        trawl_status status = await_turn(crew, own->chunk);
        if (status != TRAWL_OK) {
            return status;
        }
        own->turn = true;
    }
    (void)pthread_mutex_lock(&crew->lock);
    deliver(crew, sink->matches, sink->count, false);
    trawl_status status = crew->status;
    (void)pthread_mutex_unlock(&crew->lock);
    sink->count = 0;
    own->tested = 0;
    return status;
}

/* Stores the matches of a scanned chunk in its slot. Then delivers all finished chunks from `turn`
 * on, up to the first one that is not finished; the thread of that one continues later. */
static void hand_in(crew_state *crew, chunk_sink *sink) {
    (void)pthread_mutex_lock(&crew->lock);
    chunk_slot *slot = &crew->slots[sink->chunk % crew->slot_count];
    *slot = (chunk_slot){{sink->sink.matches, sink->sink.capacity}, sink->sink.count, true};
    while (crew->status == TRAWL_OK && crew->turn < crew->chunks) {
        slot = &crew->slots[crew->turn % crew->slot_count];
        if (!slot->finished) {
            break;
        }
        chunk_slot ready = *slot;
        *slot = (chunk_slot){0}; /* so that no other thread delivers it too */
        if (ready.count != 0) {
            deliver(crew, ready.array.matches, ready.count, true);
        } else {
            end_turn(crew);
        }
        give_array(crew, ready.array);
    }
    (void)pthread_mutex_unlock(&crew->lock);
}

static trawl_status scan_chunk(crew_state *crew, trawl_worker *worker, size_t chunk,
                               const match_array *array, trawl_error *error) {
    trawl_window part = chunk_window(crew, chunk);
    if (crew->run->count_only) {
        return trawl_worker_walk(crew->run, worker, &part, NULL, error);
    }
    chunk_sink sink = {
        .sink = {.matches = array->matches, .capacity = array->capacity, .flush = flush},
        .crew = crew,
        .window = &part,
        .chunk = chunk};
    trawl_status status = trawl_worker_walk(crew->run, worker, &part, &sink.sink, error);
    if (status == TRAWL_OK) {
        trawl_conditions_drop(crew->run->db, &part, &sink.sink, sink.tested);
        hand_in(crew, &sink);
        return TRAWL_OK;
    }
    if (sink.no_memory) {
        (void)trawl_fail_memory(error, "a chunk's matches",
                                (sink.sink.capacity + FIRST_MATCHES) * 4 * sizeof(trawl_match));
    }
    trawl_release(sink.sink.matches);
    return status;
}

static void work(void *context, uint32_t thread) {
    crew_state *crew = context;
    cpu_set_t before;
    trawl_placing_bind(&crew->placing, thread, &before);
    trawl_worker *worker = &crew->run->workers[thread];
    trawl_error error = {.status = TRAWL_OK};
    size_t chunk;
    match_array array;
    trawl_status status = TRAWL_OK;
    while (status == TRAWL_OK && take_chunk(crew, &chunk, &array)) {
        status = trawl_worker_prepare(crew->run, worker, &error);
        if (status == TRAWL_OK) {
            status = scan_chunk(crew, worker, chunk, &array, &error);
        } else {
            trawl_release(array.matches);
        }
    }
    if (status != TRAWL_OK) {
        (void)pthread_mutex_lock(&crew->lock);
        fail(crew, status, &error);
        (void)pthread_mutex_unlock(&crew->lock);
    }
    trawl_placing_unbind(&crew->placing, &before);
}

static trawl_status make_slots(crew_state *crew, trawl_error *error) {
    crew->slots = trawl_allocate_zeroed(crew->slot_count, sizeof *crew->slots);
    crew->spare = trawl_allocate_zeroed(crew->slot_count, sizeof *crew->spare);
    if (crew->slots == NULL || crew->spare == NULL) {
        return trawl_fail_memory(error, "threads",
                                 crew->slot_count * (sizeof *crew->slots + sizeof *crew->spare));
    }
    return TRAWL_OK;
}

static void release_slots(crew_state *crew) {
    for (size_t i = 0; crew->slots != NULL && i < crew->slot_count; i++) {
        trawl_release(crew->slots[i].array.matches);
    }
    for (size_t i = 0; i < crew->spare_count; i++) {
        trawl_release(crew->spare[i].matches);
    }
    trawl_release(crew->slots);
    trawl_release(crew->spare);
}

trawl_status trawl_run_threads(trawl_run *run, const trawl_window *window, trawl_error *error) {
    size_t owned = window->length - window->owned;
    crew_state crew = {.run = run, .window = window, .chunk_bytes = choose_chunk(run, owned)};
    crew.chunks = (owned - 1) / crew.chunk_bytes + 1;
    size_t most = crew.chunks < run->options.threads ? crew.chunks : run->options.threads;
    /* Counting delivers nothing: no chunk has to wait for a slot. */
    crew.slot_count =
        run->count_only ? crew.chunks : (size_t)run->options.threads * TRAWL_RUN_IN_FLIGHT;
    trawl_status status = trawl_run_open_team(run, error);
    if (status == TRAWL_OK && !run->count_only) {
        status = make_slots(&crew, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_placing_open(&crew.placing, run->options.placement, (uint32_t)most, error);
    }
    if (status != TRAWL_OK) {
        release_slots(&crew);
        return status;
    }
    (void)pthread_mutex_init(&crew.lock, NULL);
    (void)pthread_cond_init(&crew.changed, NULL);
    trawl_team_run(run->team, (uint32_t)most, work, &crew);
    (void)pthread_cond_destroy(&crew.changed);
    (void)pthread_mutex_destroy(&crew.lock);
    trawl_placing_close(&crew.placing);
    release_slots(&crew);
    if (crew.status > TRAWL_STOPPED && error != NULL) {
        *error = crew.error;
    }
    return crew.status;
}
