/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/many.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/scan/range.h"
#include "cli/scan/totals.h"
#include "cli/target/choice.h"

enum { AHEAD_PER_THREAD = 16 }; /* finished texts that may wait to be written */

/* The records of a finished text that wait to be written. */
typedef struct slot {
    bool done;
    char *bytes;
    size_t length;
} slot;

typedef struct crowd {
    scan_plan *plan;
    const scan_entry *entries;
    size_t count;
    pthread_mutex_t lock;
    pthread_cond_t turned;
    size_t next; /* the first text that no thread has begun */
    size_t turn; /* the text whose records are written now */
    slot *slots; /* a ring */
    size_t slot_count;
} crowd;

/* One thread. */
typedef struct member {
    crowd *crowd;
    pthread_t thread;
    text_scanner scanner;
    record_writer writer;
    size_t text; /* index of the text it scans */
    uint64_t *per_pattern;
} member;

/* A record_drain for a full buffer in the middle of a text: waits until the text may write. */
static bool drain_in_turn(void *context, const char *bytes, size_t length) {
    member *self = context;
    crowd *all = self->crowd;
    (void)pthread_mutex_lock(&all->lock);
    while (all->turn != self->text)
        (void)pthread_cond_wait(&all->turned, &all->lock);
    (void)pthread_mutex_unlock(&all->lock);
    /* No other thread writes while `turn` is this text. */
    output_file_write(all->plan->output, bytes, length);
    return !output_file_failed(all->plan->output);
}

/* Takes the next text; false if there is none. */
static bool take_text(member *self) {
    crowd *all = self->crowd;
    (void)pthread_mutex_lock(&all->lock);
    while (all->next < all->count && all->next >= all->turn + all->slot_count)
        (void)pthread_cond_wait(&all->turned, &all->lock);
    bool taken = all->next < all->count && !output_file_failed(all->plan->output);
    if (taken)
        self->text = all->next++;
    (void)pthread_mutex_unlock(&all->lock);
    return taken;
}

/* Writes finished texts up to the first unfinished one. Caller holds the lock. */
static void write_finished(crowd *all) {
    slot *waiting = &all->slots[all->turn % all->slot_count];
    while (all->turn < all->count && waiting->done) {
        output_file_write(all->plan->output, waiting->bytes, waiting->length);
        free(waiting->bytes);
        *waiting = (slot){0};
        all->turn++;
        waiting = &all->slots[all->turn % all->slot_count];
    }
    (void)pthread_cond_broadcast(&all->turned);
}

static void finish_text(member *self, const text_result *result, const scan_done *done) {
    crowd *all = self->crowd;
    slot finished = {.done = true};
    if (all->plan->options->kind == RECORD_COUNTS && !result->failed) {
        finished.bytes =
            count_line(all->plan, all->entries[self->text].path, result->matches, &finished.length);
    } else if (self->writer.used != 0) {
        finished.length = self->writer.used;
        finished.bytes = allocate(finished.length);
        memcpy(finished.bytes, self->writer.buffer, finished.length);
        self->writer.used = 0;
    }
    (void)pthread_mutex_lock(&all->lock);
    device_add_report(&all->plan->report, done);
    all->plan->bytes += result->bytes;
    all->plan->matches += result->matches;
    all->plan->failed = all->plan->failed || result->failed;
    all->slots[self->text % all->slot_count] = finished;
    write_finished(all);
    (void)pthread_mutex_unlock(&all->lock);
}

static void *work(void *context) {
    member *self = context;
    while (take_text(self)) {
        text_result result;
        scan_done done;
        device_want_report(&self->scanner.options, &self->scanner.study, &done);
        scan_entry_run(&self->scanner, &self->crowd->entries[self->text], &result);
        device_want_report(&self->scanner.options, &self->scanner.study, NULL);
        finish_text(self, &result, &done);
    }
    return NULL;
}

static void open_member(member *self, crowd *all) {
    scan_plan *plan = all->plan;
    *self = (member){.crowd = all, .scanner = plan->scanner};
    self->scanner.options.threads = 1;
    self->scanner.output = NULL;
    if (scan_plan_has_records(plan)) {
        record_writer_open(&self->writer, plan->labels, drain_in_turn, self);
        self->scanner.writer = &self->writer;
    }
    if (plan->per_pattern != NULL) {
        self->per_pattern = allocate(plan->patterns * sizeof *self->per_pattern);
        memset(self->per_pattern, 0, plan->patterns * sizeof *self->per_pattern);
        self->scanner.per_pattern = self->per_pattern;
    }
}

static void close_member(member *self) {
    scan_plan *plan = self->crowd->plan;
    for (size_t i = 0; self->per_pattern != NULL && i < plan->patterns; i++)
        plan->per_pattern[i] += self->per_pattern[i];
    free(self->per_pattern);
    record_writer_close(&self->writer);
    text_scanner_release(&self->scanner);
}

void scan_many(scan_plan *plan, const scan_entry *entries, size_t count) {
    size_t threads = plan->threads < count ? plan->threads : count;
    crowd all = {.plan = plan,
                 .entries = entries,
                 .count = count,
                 .lock = PTHREAD_MUTEX_INITIALIZER,
                 .turned = PTHREAD_COND_INITIALIZER,
                 .slot_count = threads * AHEAD_PER_THREAD};
    all.slots = allocate(all.slot_count * sizeof *all.slots);
    memset(all.slots, 0, all.slot_count * sizeof *all.slots);
    member *members = allocate(threads * sizeof *members);
    size_t started = 0;
    sigset_t blocked;
    sigset_t before;
    /* The main thread, which is the first member, handles signals. The others get only SIGPIPE and
     * SIGXFSZ, which their own writes cause. */
    (void)sigfillset(&blocked);
    (void)sigdelset(&blocked, SIGPIPE);
    (void)sigdelset(&blocked, SIGXFSZ);
    for (size_t i = 0; i < threads; i++)
        open_member(&members[i], &all);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before);
    for (size_t i = 1; i < threads; i++) {
        if (pthread_create(&members[i].thread, NULL, work, &members[i]) != 0)
            break;
        started = i;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)work(&members[0]);
    for (size_t i = 1; i <= started; i++)
        (void)pthread_join(members[i].thread, NULL);
    for (size_t i = 0; i < threads; i++)
        close_member(&members[i]);
    for (size_t i = 0; i < all.slot_count; i++)
        free(all.slots[i].bytes);
    free(all.slots);
    free(members);
}
