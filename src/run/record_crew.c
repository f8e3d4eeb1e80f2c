/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Records on several threads. A free thread takes the next share of the records. Matches are handed
 * out in the order of the shares: a share gathers its matches in a slot until its turn comes. The
 * thread that finishes a share hands out all finished shares from `turn` on (run/threads.c does the
 * same for the chunks of one text). A share that has gathered many matches waits for its turn, so
 * that memory is bounded.
 */
#include <pthread.h>
#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "run/records.h"

/* Both are chosen, not measured. */
#define FIRST_MATCHES ((size_t)1024)   /* of a slot's array */
#define MOST_MATCHES ((size_t)1 << 16) /* gathered by a share before it waits */

typedef struct record_crew {
    trawl_record_scanner *scanner;
    const trawl_record_task *task;
    bool ordered; /* matches are handed out */
    trawl_error *error;

    pthread_mutex_t lock; /* for all members below */
    pthread_cond_t changed;
    uint64_t next;       /* the first record that nobody has taken */
    uint64_t taken;      /* shares */
    uint64_t turn;       /* the first share whose matches are not handed out */
    trawl_status status; /* the first failure, or TRAWL_STOPPED */
} record_crew;

typedef struct record_share {
    record_crew *crew;
    uint64_t number, begin, end;
    trawl_record_slot *slot; /* NULL: nothing is handed out */
    bool turn;
} record_share;

/* Caller holds the lock. */
static void fail(record_crew *crew, trawl_status status, const trawl_error *error) {
    if (crew->status == TRAWL_OK) {
        crew->status = status;
        if (crew->error != NULL && error != NULL && status > TRAWL_STOPPED) {
            *crew->error = *error;
        }
    }
    (void)pthread_cond_broadcast(&crew->changed);
}

static bool take_share(record_crew *crew, record_share *share) {
    trawl_record_scanner *scanner = crew->scanner;
    bool taken = false;
    (void)pthread_mutex_lock(&crew->lock);
    while (crew->status == TRAWL_OK && crew->next < crew->task->records.count && crew->ordered &&
           crew->taken - crew->turn >= scanner->slot_count) {
        (void)pthread_cond_wait(&crew->changed, &crew->lock);
    }
    if (crew->status == TRAWL_OK && crew->next < crew->task->records.count) {
        *share = (record_share){.crew = crew, .number = crew->taken++, .begin = crew->next};
        share->end = trawl_records_reach(&crew->task->records, crew->next, scanner->share_bytes);
        crew->next = share->end;
        if (crew->ordered) {
            share->slot = &scanner->slots[share->number % scanner->slot_count];
        }
        taken = true;
    }
    (void)pthread_mutex_unlock(&crew->lock);
    return taken;
}

/* Hands out a batch whose turn it is. Caller holds the lock; it is released during the call. */
static void hand_out(record_crew *crew, trawl_record_batch *batch) {
    if (batch->count != 0) {
        (void)pthread_mutex_unlock(&crew->lock);
        int stop = crew->task->on_matches(batch->items, batch->count, crew->task->context);
        batch->count = 0;
        (void)pthread_mutex_lock(&crew->lock);
        if (stop != 0) {
            fail(crew, TRAWL_STOPPED, NULL);
        }
    }
}

/* `flush` of a worker. Makes its slot's array larger; if the array is large already, waits for the
 * turn of the share and hands the matches out. */
static trawl_status flush(trawl_record_worker *worker) {
    record_share *share = worker->flush_context;
    record_crew *crew = share->crew;
    trawl_record_batch *batch = &worker->batch;
    if (!share->turn && batch->capacity < MOST_MATCHES) {
        size_t larger = batch->capacity == 0 ? FIRST_MATCHES : batch->capacity * 4;
        trawl_record_match *moved = trawl_reallocate(batch->items, larger, sizeof *moved);
        if (moved == NULL) {
            return trawl_fail_memory(worker->error, "matches of records", larger * sizeof *moved);
        }
        batch->items = moved;
        batch->capacity = larger;
        return TRAWL_OK;
    }
    (void)pthread_mutex_lock(&crew->lock);
    while (crew->status == TRAWL_OK && crew->turn != share->number) {
        (void)pthread_cond_wait(&crew->changed, &crew->lock);
    }
    share->turn = true;
    if (crew->status == TRAWL_OK) {
        hand_out(crew, batch);
    }
    trawl_status status = crew->status;
    (void)pthread_mutex_unlock(&crew->lock);
    return status;
}

/* Ends a share. Hands out all finished shares from `turn` on, up to the first that is not finished:
 * its thread goes on with that later. Caller holds the lock. */
static void hand_in(record_crew *crew, trawl_record_slot *slot) {
    slot->finished = true;
    trawl_record_scanner *scanner = crew->scanner;
    while (crew->status == TRAWL_OK && crew->turn < crew->taken) {
        trawl_record_slot *ready = &scanner->slots[crew->turn % scanner->slot_count];
        if (!ready->finished) {
            break;
        }
        ready->finished = false; /* so that no other thread hands it out too */
        hand_out(crew, &ready->batch);
        crew->turn++;
        (void)pthread_cond_broadcast(&crew->changed);
    }
}

static void search_share(record_crew *crew, trawl_record_worker *worker, record_share *share) {
    trawl_error error = {.status = TRAWL_OK};
    trawl_record_batch own = worker->batch;
    worker->error = &error;
    worker->flush_context = share;
    if (share->slot != NULL) {
        worker->batch = share->slot->batch;
        worker->batch.count = 0;
    }
    trawl_status status = trawl_record_worker_search(worker, share->begin, share->end);
    (void)pthread_mutex_lock(&crew->lock);
    if (share->slot != NULL) {
        share->slot->batch = worker->batch;
        worker->batch = own;
    }
    if (status != TRAWL_OK) {
        fail(crew, status, &error);
    } else if (share->slot != NULL) {
        hand_in(crew, share->slot);
    }
    (void)pthread_mutex_unlock(&crew->lock);
}

static void work(void *context, uint32_t thread) {
    record_crew *crew = context;
    trawl_record_worker *worker = &crew->scanner->workers[thread];
    worker->task = crew->task;
    worker->flush = flush;
    record_share share;
    cpu_set_t before;
    trawl_placing_bind(&crew->scanner->placing, thread, &before);
    while (take_share(crew, &share)) {
        search_share(crew, worker, &share);
    }
    trawl_placing_unbind(&crew->scanner->placing, &before);
}

trawl_status trawl_record_crew_search(trawl_record_scanner *scanner, const trawl_record_task *task,
                                      trawl_error *error) {
    record_crew crew = {.scanner = scanner,
                        .task = task,
                        .ordered = task->question == TRAWL_RECORDS_WHICH ||
                                   task->question == TRAWL_RECORDS_MATCHES,
                        .error = error};
    for (size_t i = 0; i < scanner->slot_count; i++) {
        scanner->slots[i].finished = false;
    }
    (void)pthread_mutex_init(&crew.lock, NULL);
    (void)pthread_cond_init(&crew.changed, NULL);
    trawl_team_run(scanner->team, scanner->threads, work, &crew);
    (void)pthread_cond_destroy(&crew.changed);
    (void)pthread_mutex_destroy(&crew.lock);
    return crew.status;
}
