/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/record_crew.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "io/thread.h"

enum {
    BLOCK_MATCHES = 4096,  /* with lines of up to 64 bytes they fit into a writer's buffer */
    BLOCKS_PER_THREAD = 3, /* one is formatted, one waits to be written, one is full */
    MOST_THREADS = 64
};

typedef enum block_state { BLOCK_FREE = 0, BLOCK_FULL, BLOCK_FORMATTED, BLOCK_READY } block_state;

typedef struct block {
    record_crew *crew;
    uint64_t number; /* of all blocks */
    block_state state;
    trawl_match *matches; /* BLOCK_MATCHES */
    size_t count;
    record_writer writer; /* its buffer has the lines */
} block;

struct record_crew {
    record_drain drain;
    void *context;
    pthread_t threads[MOST_THREADS];
    unsigned wanted, started;
    block *blocks; /* a ring: block `number` is blocks[number % block_count] */
    size_t block_count;
    uint64_t filling; /* the block that takes matches; only the thread that scans uses it */

    pthread_mutex_t lock; /* for all members below, and the states of blocks */
    pthread_cond_t changed;
    uint64_t full; /* blocks before this one are full */
    uint64_t next; /* the first one that nobody formats */
    uint64_t turn; /* the first one that is not written */
    bool stopped, ending;
};

static block *block_of(record_crew *crew, uint64_t number) {
    return &crew->blocks[number % crew->block_count];
}

/* ------------------------------------------------------------------ formatting */

/* Drains lines of the block whose turn it is. Caller holds the lock; it is released meanwhile. */
static void drain(record_crew *crew, const char *bytes, size_t length) {
    bool going = !crew->stopped;
    (void)pthread_mutex_unlock(&crew->lock);
    going = going && (length == 0 || crew->drain(crew->context, bytes, length));
    (void)pthread_mutex_lock(&crew->lock);
    crew->stopped = crew->stopped || !going;
}

/* A record_drain for lines that are more than the buffer of a block holds: waits for its turn. */
static bool drain_in_turn(void *context, const char *bytes, size_t length) {
    const block *self = context;
    record_crew *crew = self->crew;
    (void)pthread_mutex_lock(&crew->lock);
    while (crew->turn != self->number)
        (void)pthread_cond_wait(&crew->changed, &crew->lock);
    drain(crew, bytes, length);
    bool going = !crew->stopped;
    (void)pthread_mutex_unlock(&crew->lock);
    return going;
}

/* Drains all blocks that are ready, from `turn` on. Caller holds the lock. */
static void write_ready(record_crew *crew) {
    block *at = block_of(crew, crew->turn);
    while (crew->turn < crew->next && at->state == BLOCK_READY) {
        at->state = BLOCK_FORMATTED; /* so that no other thread writes it too */
        drain(crew, at->writer.buffer, at->writer.used);
        at->writer.used = 0;
        at->state = BLOCK_FREE;
        crew->turn++;
        (void)pthread_cond_broadcast(&crew->changed);
        at = block_of(crew, crew->turn);
    }
}

/* Formats the next block, of which there is one. Caller holds the lock; it is released meanwhile.
 */
static void format_next(record_crew *crew) {
    block *at = block_of(crew, crew->next++);
    at->state = BLOCK_FORMATTED;
    (void)pthread_mutex_unlock(&crew->lock);
    (void)record_writer_matches(at->matches, at->count, &at->writer);
    (void)pthread_mutex_lock(&crew->lock);
    at->state = BLOCK_READY;
    write_ready(crew);
}

static void *work(void *context) {
    record_crew *crew = context;
    (void)pthread_mutex_lock(&crew->lock);
    while (!crew->ending) {
        if (crew->next < crew->full)
            format_next(crew);
        else
            (void)pthread_cond_wait(&crew->changed, &crew->lock);
    }
    (void)pthread_mutex_unlock(&crew->lock);
    return NULL;
}

static void start(record_crew *crew) {
    while (crew->started < crew->wanted &&
           thread_start(&crew->threads[crew->started], work, crew) == 0)
        crew->started++;
    crew->wanted = crew->started; /* the system is not asked again */
}

/* ------------------------------------------------------------------ the thread that scans */

/* Hands the block over that has been filled, and finds a free one. While there is none, this thread
 * formats too. */
static bool hand_over(record_crew *crew) {
    (void)pthread_mutex_lock(&crew->lock);
    block_of(crew, crew->filling)->state = BLOCK_FULL;
    crew->full = ++crew->filling;
    (void)pthread_cond_broadcast(&crew->changed);
    block *next = block_of(crew, crew->filling);
    while (next->state != BLOCK_FREE) {
        if (crew->next < crew->full)
            format_next(crew);
        else
            (void)pthread_cond_wait(&crew->changed, &crew->lock);
    }
    bool going = !crew->stopped;
    (void)pthread_mutex_unlock(&crew->lock);
    next->number = crew->filling;
    next->count = 0;
    return going;
}

bool record_crew_put(record_crew *crew, const trawl_match *matches, size_t count) {
    while (count != 0) {
        block *at = block_of(crew, crew->filling);
        size_t room = BLOCK_MATCHES - at->count;
        size_t taken = count < room ? count : room;
        memcpy(at->matches + at->count, matches, taken * sizeof *matches);
        at->count += taken;
        matches += taken;
        count -= taken;
        if (at->count == BLOCK_MATCHES) {
            if (crew->started < crew->wanted)
                start(crew);
            if (!hand_over(crew))
                return false;
        }
    }
    return true;
}

bool record_crew_flush(record_crew *crew) {
    if (block_of(crew, crew->filling)->count != 0)
        (void)hand_over(crew);
    (void)pthread_mutex_lock(&crew->lock);
    while (crew->turn < crew->filling) {
        if (crew->next < crew->full)
            format_next(crew);
        else
            (void)pthread_cond_wait(&crew->changed, &crew->lock);
    }
    bool going = !crew->stopped;
    (void)pthread_mutex_unlock(&crew->lock);
    return going;
}

/* ------------------------------------------------------------------ opening */

record_crew *record_crew_open(const record_labels *labels, unsigned threads, record_drain drain_,
                              void *context) {
    record_crew *crew = allocate(sizeof *crew);
    *crew = (record_crew){.drain = drain_,
                          .context = context,
                          .wanted = threads < MOST_THREADS ? threads : MOST_THREADS,
                          .lock = PTHREAD_MUTEX_INITIALIZER,
                          .changed = PTHREAD_COND_INITIALIZER};
    crew->block_count = (size_t)crew->wanted * BLOCKS_PER_THREAD + 1;
    crew->blocks = allocate(crew->block_count * sizeof *crew->blocks);
    for (size_t i = 0; i < crew->block_count; i++) {
        block *at = &crew->blocks[i];
        *at = (block){.crew = crew};
        at->matches = allocate(BLOCK_MATCHES * sizeof *at->matches);
        record_writer_open(&at->writer, labels, drain_in_turn, at);
    }
    return crew;
}

void record_crew_begin(record_crew *crew, const char *file) {
    for (size_t i = 0; i < crew->block_count; i++)
        record_writer_begin(&crew->blocks[i].writer, file);
}

void record_crew_close(record_crew *crew) {
    if (crew == NULL)
        return;
    (void)pthread_mutex_lock(&crew->lock);
    crew->ending = true;
    (void)pthread_cond_broadcast(&crew->changed);
    (void)pthread_mutex_unlock(&crew->lock);
    for (unsigned i = 0; i < crew->started; i++)
        (void)pthread_join(crew->threads[i], NULL);
    for (size_t i = 0; i < crew->block_count; i++) {
        free(crew->blocks[i].matches);
        record_writer_close(&crew->blocks[i].writer);
    }
    free(crew->blocks);
    (void)pthread_mutex_destroy(&crew->lock);
    (void)pthread_cond_destroy(&crew->changed);
    free(crew);
}
