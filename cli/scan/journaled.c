/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/journaled.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/base/progress.h"
#include "cli/flags/device.h"
#include "cli/parts/segments.h"
#include "cli/scan/describe.h"
#include "cli/scan/worker.h"

/* The threads of a scan, each of which writes a part. */
typedef struct crew {
    scan_plan *plan;
    const parts_journal *journal;
    const segment_list *segments;
    unsigned threads; /* of each scan */
    pthread_mutex_t lock;
    size_t next;  /* the first segment that no thread has taken */
    bool stopped; /* a thread cannot go on: none of them does */
} crew;

typedef struct member {
    crew *crew;
    unsigned number;
    pthread_t thread;
    segment_worker worker;
} member;

/* Takes the next unfinished segment; false if there is none. */
static bool take_segment(crew *all, size_t *segment) {
    (void)pthread_mutex_lock(&all->lock);
    while (all->next < all->segments->count && all->journal->places[all->next].finished)
        all->next++;
    *segment = all->next;
    bool taken = all->next < all->segments->count && !all->stopped;
    if (taken)
        all->next++;
    (void)pthread_mutex_unlock(&all->lock);
    return taken;
}

static void *work(void *context) {
    member *self = context;
    crew *all = self->crew;
    part_writer part;
    bool going = part_writer_open(&part, all->journal, self->number);
    size_t segment = 0;
    segment_worker_open(&self->worker, all->plan, &all->journal->run, all->segments, &part,
                        all->threads);
    while (going && take_segment(all, &segment))
        going = segment_worker_scan(&self->worker, segment);
    if (!going) {
        (void)pthread_mutex_lock(&all->lock);
        all->stopped = true;
        (void)pthread_mutex_unlock(&all->lock);
        self->worker.failed = true;
    }
    segment_worker_close(&self->worker);
    part_writer_close(&part);
    return NULL;
}

/* Runs members[0] here and the others as threads. */
static void run_members(member *members, unsigned count) {
    sigset_t blocked;
    sigset_t before;
    unsigned started = 1;
    (void)sigfillset(&blocked); /* the main thread handles signals */
    (void)sigdelset(&blocked, SIGXFSZ);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before);
    while (started < count &&
           pthread_create(&members[started].thread, NULL, work, &members[started]) == 0)
        started++;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)work(&members[0]);
    for (unsigned i = 1; i < started; i++)
        (void)pthread_join(members[i].thread, NULL);
}

/* Threads that scan segments side by side. A GPU scans one text at a time. */
static unsigned members_of(const scan_plan *plan, size_t segments) {
    if (device_is_cuda(plan->scanner.options.device) || segments == 0)
        return 1;
    return plan->threads < segments ? plan->threads : (unsigned)segments;
}

static void scan_segments(scan_plan *plan, const parts_journal *journal,
                          const segment_list *segments) {
    size_t left = segments->count - journal->finished;
    unsigned count = members_of(plan, left);
    crew all = {.plan = plan,
                .journal = journal,
                .segments = segments,
                .threads = plan->threads / count,
                .lock = PTHREAD_MUTEX_INITIALIZER};
    member *members = allocate(count * sizeof *members);
    for (unsigned i = 0; i < count; i++)
        members[i] = (member){.crew = &all, .number = i};
    uint64_t bytes = 0;
    for (size_t i = 0; i < segments->count; i++)
        bytes += journal->places[i].finished ? 0 : segment_bytes(segments, i);
    progress_begin(plan->options->progress, bytes);
    if (left != 0)
        run_members(members, count);
    progress_end();
    for (unsigned i = 0; i < count; i++) {
        plan->bytes += members[i].worker.bytes;
        plan->matches += members[i].worker.matches;
        plan->failed = plan->failed || members[i].worker.failed;
        device_add_report(&plan->report, &members[i].worker.report);
    }
    free(members);
}

/* The folder that the options name; of a shard, a folder in it. The caller frees it. */
static char *name_folder(const division_options *division) {
    size_t size = strlen(division->journal) + 64;
    char *folder = allocate(size);
    if (division->shard == 0)
        (void)snprintf(folder, size, "%s", division->journal);
    else
        (void)snprintf(folder, size, "%s/shard-%" PRIu64 "-of-%" PRIu64, division->journal,
                       division->shard, division->shards);
    return folder;
}

uint64_t scan_matches_before(const parts_journal *journal) {
    uint64_t matches = 0;
    for (size_t i = 0; i < journal->segments; i++)
        matches += journal->places[i].record.matches;
    return matches;
}

int scan_journaled(scan_plan *plan, const scan_texts *texts) {
    const division_options *division = &plan->options->division;
    int status = EXIT_ERROR;
    parts_run run;
    parts_journal journal = {.lock = -1};
    segment_list segments = {0};
    char *folder = name_folder(division);
    if (scan_describe(&run, plan, texts) &&
        journal_open(&journal, folder, division->resume ? JOURNAL_RESUME : JOURNAL_BEGIN, &run,
                     scan_default_segment(texts))) {
        segments_divide(&journal.run, &segments);
        if (journal_read(&journal, segments.count, true)) {
            plan->matches = scan_matches_before(&journal);
            scan_segments(plan, &journal, &segments);
            if (!plan->failed)
                status = plan->matches != 0 ? EXIT_MATCHED : EXIT_NOTHING;
        }
    }
    segments_release(&segments);
    journal_close(&journal);
    parts_run_release(&run);
    free(folder);
    return status;
}
