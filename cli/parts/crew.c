/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/parts/crew.h"

#include <pthread.h>
#include <stdlib.h>

#include "cli/base/memory.h"
#include "io/thread.h"

typedef struct crew {
    const crew_task *task;
    pthread_mutex_t lock;
    size_t next;  /* the first segment that no thread has taken */
    bool stopped; /* a thread cannot go on: none of them does */
} crew;

typedef struct member {
    crew *crew;
    unsigned number;
    pthread_t thread;
} member;

/* Takes the next unfinished segment; false if there is none. */
static bool take_segment(crew *all, size_t *segment) {
    const crew_task *task = all->task;
    (void)pthread_mutex_lock(&all->lock);
    while (all->next < task->segments->count && task->journal->places[all->next].finished)
        all->next++;
    *segment = all->next;
    bool taken = all->next < task->segments->count && !all->stopped;
    if (taken)
        all->next++;
    (void)pthread_mutex_unlock(&all->lock);
    return taken;
}

static void *work(void *context) {
    const member *self = context;
    crew *all = self->crew;
    const crew_task *task = all->task;
    void *worker = (char *)task->workers + self->number * task->worker_size;
    part_writer part;
    bool going = part_writer_open(&part, task->journal, self->number);
    size_t segment = 0;
    task->open(task, worker, &part);
    while (going && take_segment(all, &segment))
        going = task->scan(worker, segment);
    if (!going) {
        (void)pthread_mutex_lock(&all->lock);
        all->stopped = true;
        (void)pthread_mutex_unlock(&all->lock);
    }
    task->close(worker);
    part_writer_close(&part);
    return NULL;
}

unsigned crew_size(const crew_task *task, unsigned wanted) {
    size_t left = task->segments->count - task->journal->finished;
    size_t size = wanted < left ? wanted : left;
    return size == 0 ? 1 : (unsigned)size;
}

uint64_t crew_bytes(const crew_task *task) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < task->segments->count; i++)
        bytes += task->journal->places[i].finished ? 0 : segment_bytes(task->segments, i);
    return bytes;
}

bool crew_run(const crew_task *task) {
    crew all = {.task = task, .lock = PTHREAD_MUTEX_INITIALIZER};
    member *members = allocate(task->count * sizeof *members);
    for (unsigned i = 0; i < task->count; i++)
        members[i] = (member){.crew = &all, .number = i};
    unsigned started = 1;
    while (started < task->count &&
           thread_start(&members[started].thread, work, &members[started]) == 0)
        started++;
    (void)work(&members[0]);
    for (unsigned i = 1; i < started; i++)
        (void)pthread_join(members[i].thread, NULL);
    free(members);
    return !all.stopped;
}
