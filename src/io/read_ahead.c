/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "io/read_ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/status.h"
#include "base/thread.h"

enum {
    RING_BYTES = 32 << 20,  /* a power of two */
    READ_BYTES = 2 << 20,   /* of one read: the scan can begin when these are there */
    WANTED_BYTES = 4 << 20, /* waited for: scanning these takes longer than waking the threads */
    PIECE_BYTES = 16 << 20, /* of a piece at most: enough for many threads */
    PATIENCE = 5000000      /* nanoseconds that WANTED_BYTES are waited for: too short for a user to
                               notice, and a fast pipe delivers WANTED_BYTES in that time */
};

struct read_ahead {
    pthread_t thread;
    bool alone; /* the system refused a thread: the owner reads when it wants bytes */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    text_file *file;
    uint8_t *ring;
    /*     ring   | free | lent to the owner | read, not lent | free |
     *                   ^ tail              ^ tail + lent    ^ head     (all modulo RING_BYTES) */
    uint64_t head;     /* bytes that have been read */
    uint64_t tail;     /* bytes that have been given back */
    uint64_t position; /* text_file_stored_position */
    size_t lent;
    size_t wanted; /* bytes that the owner waits for */
    bool ended;    /* no byte will come behind head */
    bool reading;  /* the thread is inside text_file_read, perhaps for long */
    bool stopping; /* the owner wants no more bytes */
    bool orphaned; /* the owner has closed the reader: the thread frees it */
    trawl_status status;
    trawl_error error;
};

static void release(read_ahead *reader) {
    text_file_close(reader->file);
    (void)munmap(reader->ring, RING_BYTES);
    (void)pthread_mutex_destroy(&reader->lock);
    (void)pthread_cond_destroy(&reader->changed);
    free(reader);
}

/* Reads once; false at the end. Caller holds the lock; it is released during the read. */
static bool read_once(read_ahead *reader) {
    while (reader->head - reader->tail == RING_BYTES && !reader->stopping)
        (void)pthread_cond_wait(&reader->changed, &reader->lock);
    if (reader->stopping)
        return false;
    size_t at = reader->head % RING_BYTES;
    size_t room = RING_BYTES - (size_t)(reader->head - reader->tail);
    if (room > RING_BYTES - at)
        room = RING_BYTES - at;
    if (room > READ_BYTES)
        room = READ_BYTES;
    reader->reading = true;
    (void)pthread_mutex_unlock(&reader->lock);
    size_t length = 0;
    trawl_error error;
    trawl_status status = text_file_read(reader->file, reader->ring + at, room, &length, &error);
    uint64_t position = text_file_stored_position(reader->file);
    (void)pthread_mutex_lock(&reader->lock);
    reader->reading = false;
    reader->head += length;
    reader->position = position;
    if (status != TRAWL_OK) {
        reader->status = status;
        reader->error = error;
    }
    reader->ended = status != TRAWL_OK || length == 0;
    if (reader->ended || reader->head - reader->tail >= reader->wanted)
        (void)pthread_cond_signal(&reader->changed);
    return !reader->ended;
}

static void *read_all(void *context) {
    read_ahead *reader = context;
    (void)pthread_mutex_lock(&reader->lock);
    while (read_once(reader)) {
    }
    bool orphaned = reader->orphaned;
    (void)pthread_mutex_unlock(&reader->lock);
    if (orphaned)
        release(reader);
    return NULL;
}

/* Uses the monotonic clock, which cannot be set while a thread waits for a limited time. */
static void make_condition(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(condition, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

trawl_status read_ahead_open(text_file *file, read_ahead **result, trawl_error *error) {
    read_ahead *reader = calloc(1, sizeof *reader);
    void *ring = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (reader == NULL || ring == MAP_FAILED) {
        free(reader);
        if (ring != MAP_FAILED)
            (void)munmap(ring, RING_BYTES);
        text_file_close(file);
        return trawl_fail_memory(error, "reading a text", RING_BYTES);
    }
#ifdef MADV_HUGEPAGE
    /* A text that comes so far is long: 4 KiB pages would take the system as long as the reading.
     * A refusal changes nothing but the time. */
    (void)madvise((uint8_t *)ring + READ_BYTES, RING_BYTES - READ_BYTES, MADV_HUGEPAGE);
#endif
    reader->file = file;
    reader->ring = ring;
    (void)pthread_mutex_init(&reader->lock, NULL);
    make_condition(&reader->changed);
    reader->alone = trawl_thread_start(&reader->thread, read_all, reader) != 0;
    *result = reader;
    return TRAWL_OK;
}

/* Waits until `wanted` bytes are there or no more will come, at most `until`, unless that is NULL.
 * Caller holds the lock. */
static void await(read_ahead *reader, size_t wanted, const struct timespec *until) {
    int result = 0;
    reader->wanted = wanted;
    while (result == 0 && reader->head - reader->tail < wanted && !reader->ended)
        result = until == NULL ? pthread_cond_wait(&reader->changed, &reader->lock)
                               : pthread_cond_timedwait(&reader->changed, &reader->lock, until);
}

trawl_status read_ahead_next(read_ahead *reader, const uint8_t **bytes, size_t *length,
                             trawl_error *error) {
    (void)pthread_mutex_lock(&reader->lock);
    reader->tail += reader->lent;
    reader->lent = 0;
    (void)pthread_cond_signal(&reader->changed);
    if (reader->alone && reader->head == reader->tail && !reader->ended)
        (void)read_once(reader);
    await(reader, 1, NULL);
    size_t at = reader->tail % RING_BYTES;
    size_t wanted = RING_BYTES - at < WANTED_BYTES ? RING_BYTES - at : WANTED_BYTES;
    if (reader->head - reader->tail < wanted && !reader->ended && !reader->alone) {
        struct timespec until = trawl_clock_after(PATIENCE);
        await(reader, wanted, &until);
    }
    size_t held = (size_t)(reader->head - reader->tail);
    if (held > RING_BYTES - at)
        held = RING_BYTES - at;
    if (held > PIECE_BYTES)
        held = PIECE_BYTES;
    reader->lent = held;
    *bytes = reader->ring + at;
    *length = held;
    trawl_status status = TRAWL_OK;
    if (held == 0) {
        status = reader->status;
        if (status != TRAWL_OK && error != NULL)
            *error = reader->error;
    }
    (void)pthread_mutex_unlock(&reader->lock);
    return status;
}

bool read_ahead_is_empty(read_ahead *reader) {
    (void)pthread_mutex_lock(&reader->lock);
    bool empty = reader->head - reader->tail == reader->lent && !reader->ended;
    (void)pthread_mutex_unlock(&reader->lock);
    return empty;
}

uint64_t read_ahead_position(read_ahead *reader) {
    (void)pthread_mutex_lock(&reader->lock);
    uint64_t position = reader->position;
    (void)pthread_mutex_unlock(&reader->lock);
    return position;
}

void read_ahead_close(read_ahead *reader) {
    if (reader == NULL)
        return;
    if (reader->alone) {
        release(reader);
        return;
    }
    (void)pthread_mutex_lock(&reader->lock);
    reader->stopping = true;
    reader->orphaned = reader->reading && !text_file_is_plain(reader->file);
    bool orphaned = reader->orphaned;
    pthread_t thread = reader->thread;
    (void)pthread_cond_signal(&reader->changed);
    (void)pthread_mutex_unlock(&reader->lock);
    if (orphaned) {
        (void)pthread_detach(thread);
        return;
    }
    (void)pthread_join(thread, NULL);
    release(reader);
}
