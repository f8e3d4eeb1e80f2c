/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/journaled.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/base/progress.h"
#include "cli/flags/device.h"
#include "cli/parts/crew.h"
#include "cli/parts/segments.h"
#include "cli/scan/describe.h"
#include "cli/scan/worker.h"

/* Threads that scan segments side by side. A GPU scans one text at a time. */
static unsigned threads_of(const scan_plan *plan) {
    return device_is_cuda(plan->scanner.options.device) ? 1 : plan->threads;
}

/* crew_task.open, of a segment_worker. */
static void open_worker(const crew_task *task, void *worker, part_writer *part) {
    const scan_plan *plan = task->context;
    segment_worker_open(worker, plan, &task->journal->run, task->segments, part,
                        plan->threads / task->count);
}

static bool scan_segment(void *worker, size_t segment) {
    return segment_worker_scan(worker, segment);
}

static void close_worker(void *worker) {
    segment_worker_close(worker);
}

static void scan_segments(scan_plan *plan, const parts_journal *journal,
                          const segment_list *segments) {
    crew_task task = {.journal = journal,
                      .segments = segments,
                      .worker_size = sizeof(segment_worker),
                      .context = plan,
                      .open = open_worker,
                      .scan = scan_segment,
                      .close = close_worker};
    task.count = crew_size(&task, threads_of(plan));
    segment_worker *workers = allocate(task.count * sizeof *workers);
    memset(workers, 0, task.count * sizeof *workers);
    task.workers = workers;
    progress_begin(plan->options->progress, crew_bytes(&task));
    if (journal->finished < segments->count)
        plan->failed = !crew_run(&task);
    progress_end();
    for (unsigned i = 0; i < task.count; i++) {
        plan->bytes += workers[i].bytes;
        plan->matches += workers[i].matches;
        plan->failed = plan->failed || workers[i].failed;
        device_add_report(&plan->report, &workers[i].report);
    }
    free(workers);
}

int scan_journaled(scan_plan *plan, const scan_texts *texts) {
    const division_options *division = &plan->options->division;
    int status = EXIT_ERROR;
    parts_run run;
    parts_journal journal = {.lock = -1};
    segment_list segments = {0};
    char *folder = division_folder(division);
    if (scan_describe(&run, plan, texts) &&
        journal_open(&journal, folder, division->resume ? JOURNAL_RESUME : JOURNAL_BEGIN, &run,
                     division_default_segment(texts->stored_bytes))) {
        segments_divide(&journal.run, &segments);
        if (journal_read(&journal, segments.count, true)) {
            plan->matches = journal_matches(&journal);
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
