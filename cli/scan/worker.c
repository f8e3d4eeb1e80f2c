/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/worker.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/scan/totals.h"

/* A record_drain. */
static bool drain_to_part(void *context, const char *bytes, size_t length) {
    return part_writer_put(context, bytes, length);
}

void segment_worker_open(segment_worker *worker, const scan_plan *plan, const parts_run *run,
                         const segment_list *segments, part_writer *part, unsigned threads) {
    *worker = (segment_worker){
        .plan = plan, .run = run, .segments = segments, .part = part, .scanner = plan->scanner};
    worker->scanner.options.threads = threads;
    if (scan_plan_has_records(plan)) {
        record_writer_open(&worker->writer, plan->labels, drain_to_part, part);
        worker->scanner.writer = &worker->writer;
    }
    if (plan->options->kind == RECORD_TOP) {
        worker->per_pattern = allocate(plan->patterns * sizeof *worker->per_pattern);
        memset(worker->per_pattern, 0, plan->patterns * sizeof *worker->per_pattern);
        worker->scanner.per_pattern = worker->per_pattern;
    }
}

void segment_worker_close(segment_worker *worker) {
    free(worker->per_pattern);
    record_writer_close(&worker->writer);
    text_scanner_release(&worker->scanner);
}

/* Writes the patterns that occur in the segment, and clears their counters. */
static void write_rows(segment_worker *worker) {
    for (size_t id = 0; id < worker->plan->patterns; id++) {
        if (worker->per_pattern[id] == 0)
            continue;
        size_t length = 0;
        char *label = record_label(worker->plan->labels, (uint32_t)id, &length);
        segment_row row = {worker->per_pattern[id], (uint32_t)id, (uint32_t)length};
        (void)part_writer_put(worker->part, &row, sizeof row);
        (void)part_writer_put(worker->part, label, length);
        free(label);
    }
    memset(worker->per_pattern, 0, worker->plan->patterns * sizeof *worker->per_pattern);
}

/* Scans one piece. False if its text cannot be read as it was when it was listed. */
static bool scan_piece(segment_worker *worker, const parts_piece *piece, text_result *sum) {
    const parts_text *text = &worker->run->texts[piece->text];
    text_result result;
    scan_done done;
    scan_entry entry = {.path = text->name, .begin = piece->begin, .end = piece->end};
    if (piece->begin == 0 && piece->end == text->bytes)
        entry.end = UINT64_MAX;
    scan_want_report(worker->plan, &worker->scanner, &done);
    worker->scanner.told = &worker->segments->failed[piece->text];
    if (worker->loaded == NULL) {
        scan_entry_run(&worker->scanner, &entry, &result);
    } else {
        const loaded_piece *loaded = &worker->loaded[piece - worker->segments->pieces];
        text_scanner_run_loaded(&worker->scanner, text->name, loaded->bytes, piece->begin,
                                loaded->end, &loaded->context, &result);
    }
    scan_add_report(worker->plan, &worker->scanner, &done, &worker->report);
    if (result.failed || !parts_text_unchanged(text, worker->scanner.told))
        return false;
    sum->bytes += result.bytes;
    sum->matches += result.matches;
    if (worker->text_counts != NULL)
        worker->text_counts[piece->text] += result.matches;
    if (worker->part != NULL && worker->plan->options->kind == RECORD_COUNTS)
        (void)part_writer_put(worker->part, &result.matches, sizeof result.matches);
    return true;
}

/* Drops what an unfinished segment has left. */
static bool drop(segment_worker *worker) {
    worker->failed = true;
    worker->writer.used = 0;
    if (worker->per_pattern != NULL && worker->part != NULL)
        memset(worker->per_pattern, 0, worker->plan->patterns * sizeof *worker->per_pattern);
    return worker->part == NULL || part_writer_drop(worker->part);
}

bool segment_worker_scan(segment_worker *worker, size_t segment) {
    size_t count = 0;
    const parts_piece *pieces = segment_pieces(worker->segments, segment, &count);
    text_result sum = {0};
    if (segment_has_failed(worker->segments, segment)) {
        worker->failed = true;
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        if (worker->scanner.poll != NULL)
            worker->scanner.poll();
        if (!scan_piece(worker, &pieces[i], &sum)) {
            segment_text_failed(worker->segments, pieces[i].text);
            return drop(worker);
        }
    }
    if (worker->part != NULL && worker->per_pattern != NULL)
        write_rows(worker);
    else if (worker->scanner.writer != NULL)
        record_writer_flush(&worker->writer);
    if (worker->part != NULL &&
        !part_writer_finish(worker->part, segment, sum.matches, sum.bytes)) {
        worker->failed = true;
        return false;
    }
    worker->bytes += sum.bytes;
    worker->matches += sum.matches;
    return true;
}
