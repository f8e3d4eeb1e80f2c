/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/many.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/crowd.h"
#include "cli/base/memory.h"
#include "cli/scan/range.h"
#include "cli/scan/totals.h"
#include "cli/target/choice.h"

/* One thread. */
typedef struct member {
    scan_plan *plan;
    const scan_entry *entries;
    text_scanner scanner;
    record_writer writer;
    crowd *crowd; /* while it scans a text: */
    size_t text;  /* index of that */
    /* sums over its texts */
    size_t texts;
    uint64_t bytes, matches;
    bool failed;
    scan_done report;
    uint64_t *per_pattern;
} member;

/* A record_drain for a full buffer in the middle of a text: waits until the text may write. */
static bool drain_in_turn(void *context, const char *bytes, size_t length) {
    const member *self = context;
    output_file *output = crowd_await_turn(self->crowd, self->text);
    output_file_write(output, bytes, length);
    return !output_file_failed(output);
}

static void finish_text(member *self, const text_result *result) {
    size_t length = 0;
    char *bytes = NULL;
    if (self->plan->options->kind == RECORD_COUNTS && !result->failed) {
        bytes = count_line(self->plan, self->entries[self->text].path, result->matches, &length);
    } else if (self->writer.used != 0) {
        length = self->writer.used;
        bytes = allocate(length);
        memcpy(bytes, self->writer.buffer, length);
        self->writer.used = 0;
    }
    crowd_finish(self->crowd, self->text, bytes, length);
}

/* A crowd_work. */
static void scan_text(crowd *all, void *context, size_t index) {
    member *self = context;
    text_result result;
    scan_done done;
    self->crowd = all;
    self->text = index;
    scan_want_report(self->plan, &self->scanner, &done);
    scan_entry_run(&self->scanner, &self->entries[index], &result);
    scan_add_report(self->plan, &self->scanner, &done, &self->report);
    self->texts++;
    self->bytes += result.bytes;
    self->matches += result.matches;
    self->failed = self->failed || result.failed;
    finish_text(self, &result);
}

static void open_member(member *self, scan_plan *plan, const scan_entry *entries) {
    *self = (member){.plan = plan, .entries = entries, .scanner = plan->scanner};
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

/* Adds the sums to those of the scan. */
static void close_member(member *self) {
    scan_plan *plan = self->plan;
    if (self->texts != 0)
        device_add_report(&plan->report, &self->report);
    plan->bytes += self->bytes;
    plan->matches += self->matches;
    plan->failed = plan->failed || self->failed;
    for (size_t i = 0; self->per_pattern != NULL && i < plan->patterns; i++)
        plan->per_pattern[i] += self->per_pattern[i];
    free(self->per_pattern);
    record_writer_close(&self->writer);
    text_scanner_release(&self->scanner);
}

void scan_many(scan_plan *plan, const scan_entry *entries, size_t count) {
    size_t threads = plan->threads < count ? plan->threads : count;
    member *members = allocate(threads * sizeof *members);
    for (size_t i = 0; i < threads; i++)
        open_member(&members[i], plan, entries);
    crowd_run(plan->output, count, scan_text, members, sizeof *members, threads);
    for (size_t i = 0; i < threads; i++)
        close_member(&members[i]);
    free(members);
}
