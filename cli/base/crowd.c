/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/crowd.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "io/thread.h"

/* Finished items, for each thread, that may wait to be written: memory against threads that wait.
 * No measurement chose the number. */
enum { AHEAD_PER_THREAD = 16 };

/* The result of a finished item that waits to be written. */
typedef struct slot {
    bool done;
    char *bytes;
    size_t length;
} slot;

struct crowd {
    output_file *output;
    crowd_work work;
    size_t count;
    pthread_mutex_t lock; /* for all members below */
    pthread_cond_t turned;
    size_t next; /* the first item that no thread has begun */
    size_t turn; /* the item whose result is written now */
    bool failed; /* the output had, when the last item was written */
    slot *slots; /* a ring */
    size_t slot_count;
};

typedef struct crowd_thread {
    crowd *all;
    void *member;
    pthread_t thread;
} crowd_thread;

output_file *crowd_await_turn(crowd *self, size_t index) {
    (void)pthread_mutex_lock(&self->lock);
    while (self->turn != index)
        (void)pthread_cond_wait(&self->turned, &self->lock);
    (void)pthread_mutex_unlock(&self->lock);
    return self->output;
}

/* Takes the next item; false if there is none. */
static bool take(crowd *self, size_t *index) {
    (void)pthread_mutex_lock(&self->lock);
    while (self->next < self->count && self->next >= self->turn + self->slot_count)
        (void)pthread_cond_wait(&self->turned, &self->lock);
    bool taken = self->next < self->count && !self->failed;
    if (taken)
        *index = self->next++;
    (void)pthread_mutex_unlock(&self->lock);
    return taken;
}

void crowd_finish(crowd *self, size_t index, char *bytes, size_t length) {
    (void)pthread_mutex_lock(&self->lock);
    /* The thread of the item whose turn it is writes without the lock: no other may look at the
     * output. */
    bool has_turn = self->turn == index;
    self->slots[index % self->slot_count] = (slot){true, bytes, length};
    slot *waiting = &self->slots[self->turn % self->slot_count];
    while (self->turn < self->count && waiting->done) {
        if (waiting->length != 0)
            output_file_write(self->output, waiting->bytes, waiting->length);
        free(waiting->bytes);
        *waiting = (slot){0};
        self->turn++;
        waiting = &self->slots[self->turn % self->slot_count];
    }
    if (has_turn && self->output != NULL)
        self->failed = output_file_failed(self->output);
    (void)pthread_cond_broadcast(&self->turned);
    (void)pthread_mutex_unlock(&self->lock);
}

static void *run(void *context) {
    const crowd_thread *self = context;
    size_t index = 0;
    while (take(self->all, &index))
        self->all->work(self->all, self->member, index);
    return NULL;
}

/* Starts all threads but the first. Returns the number of threads, with the first. */
static size_t start(crowd_thread *threads, size_t count) {
    size_t started = 1;
    while (started < count && thread_start(&threads[started].thread, run, &threads[started]) == 0)
        started++;
    return started;
}

void crowd_run(output_file *output, size_t count, crowd_work work, void *members,
               size_t member_bytes, size_t threads) {
    crowd all = {.output = output,
                 .work = work,
                 .count = count,
                 .lock = PTHREAD_MUTEX_INITIALIZER,
                 .turned = PTHREAD_COND_INITIALIZER,
                 .slot_count = threads * AHEAD_PER_THREAD};
    all.slots = allocate(all.slot_count * sizeof *all.slots);
    memset(all.slots, 0, all.slot_count * sizeof *all.slots);
    crowd_thread *each = allocate(threads * sizeof *each);
    for (size_t i = 0; i < threads; i++)
        each[i] = (crowd_thread){.all = &all, .member = (char *)members + i * member_bytes};
    size_t started = start(each, threads);
    (void)run(&each[0]);
    for (size_t i = 1; i < started; i++)
        (void)pthread_join(each[i].thread, NULL);
    for (size_t i = 0; i < all.slot_count; i++)
        free(all.slots[i].bytes);
    free(all.slots);
    free(each);
}
