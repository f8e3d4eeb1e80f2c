/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/grep/journaled.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/flags/device.h"
#include "cli/flags/scan.h"
#include "cli/parts/crew.h"
#include "cli/parts/lines.h"
#include "cli/parts/patterns.h"

/* What all workers share. */
typedef struct lines_job {
    const grep_search *search;
    bool with_file_name;
    unsigned threads; /* of the whole search */
} lines_job;

/* A thread that searches segments. */
typedef struct lines_worker {
    const crew_task *task;
    part_writer *part;
    lines_writer lines;
    grep_printer printer;
    grep_blocks blocks;
    grep_set set;
    grep_search search;
    uint64_t matches; /* lines selected in the segments that were finished */
    bool opened;
    bool failed; /* a segment was not finished; this has been reported */
} lines_worker;

/* ------------------------------------------------------------------ a piece */

static lines_mode mode_of(const grep_options *options) {
    return options->listing == GREP_LIST_MATCHING       ? LINES_LISTED
           : options->listing == GREP_LIST_NOT_MATCHING ? LINES_NOT_LISTED
           : options->count                             ? LINES_COUNTED
                                                        : LINES_PRINTED;
}

/* Ends a piece, with the name of its text as the mode needs it. */
static bool end_piece(lines_worker *worker, const char *name, const lines_end *end) {
    const grep_options *options = worker->search.options;
    output_file *output = worker->printer.output;
    output_file_drain(output);
    if (output_file_failed(output))
        return false;
    lines_mode mode = mode_of(options);
    if (mode == LINES_PRINTED)
        return lines_writer_end(&worker->lines, end, name, strlen(name));
    if (mode == LINES_COUNTED)
        grep_print_count_name(&worker->printer);
    else
        grep_print_file_name(&worker->printer);
    bool ended = lines_writer_end(&worker->lines, end, output->buffer, output->used);
    output->used = 0; /* a path fits into the buffer */
    return ended;
}

static lines_end end_of(const grep_result *result, bool last) {
    uint64_t flags = (last ? LINES_LAST : 0) | (result->binary ? LINES_BINARY : 0) |
                     (result->skipped ? LINES_SKIPPED : 0) |
                     (result->binary_hidden ? LINES_HIDDEN : 0);
    return (lines_end){.selected = result->selected, .lines = result->lines, .flags = flags};
}

/* Searches an open file. False after reporting. */
static bool search_open(lines_worker *worker, int descriptor, const parts_text *text,
                        const parts_piece *piece, grep_result *result) {
    struct stat information;
    atomic_bool *told = &worker->task->segments->failed[piece->text];
    bool whole = piece->begin == 0 && piece->end == text->bytes;
    grep_range range = whole ? grep_all : (grep_range){piece->begin, piece->end};
    bool is_nul = false;
    *result = (grep_result){0};
    if (fstat(descriptor, &information) != 0) {
        report_once(told, "text %s: %s", text->name, strerror(errno));
        return false;
    }
    grep_printer_set_file(&worker->printer, text->name, text->bytes);
    worker->search.group_printed = false;
    bool found = grep_blocks_find_line(&worker->blocks, descriptor, &range, &is_nul);
    if (found && range.begin < range.end)
        *result = grep_search_file(&worker->search, descriptor, &information, &range);
    result->binary = result->binary || is_nul;
    result->skipped =
        result->skipped || (is_nul && worker->search.options->binary == GREP_BINARY_SKIP);
    if (worker->blocks.source.problem[0] == '\0')
        return !result->failed;
    report_once(told, "text %s: %s", text->name, worker->blocks.source.problem);
    return false;
}

static bool search_piece(lines_worker *worker, const parts_piece *piece, uint64_t *selected) {
    const parts_text *text = &worker->task->journal->run.texts[piece->text];
    atomic_bool *told = &worker->task->segments->failed[piece->text];
    grep_result result;
    int descriptor = open(text->name, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0) {
        report_once(told, "text %s: %s", text->name, strerror(errno));
        return false;
    }
    bool searched = search_open(worker, descriptor, text, piece, &result);
    (void)close(descriptor);
    if (!searched || !parts_text_unchanged(text, told))
        return false;
    lines_end end = end_of(&result, piece->end == text->bytes);
    *selected += result.selected;
    return end_piece(worker, text->name, &end);
}

/* ------------------------------------------------------------------ a worker */

static void open_worker(const crew_task *task, void *context, part_writer *part) {
    lines_worker *worker = context;
    const lines_job *job = task->context;
    const grep_options *options = job->search->options;
    unsigned threads = job->threads / task->count;
    trawl_error error;
    *worker = (lines_worker){.task = task, .part = part};
    lines_writer_open(&worker->lines, part);
    worker->opened =
        grep_printer_open_lines(&worker->printer, options, &worker->lines, &error) == TRAWL_OK;
    if (!worker->opened)
        (void)report_error(&error);
    worker->printer.with_file_name = job->with_file_name;
    worker->set = grep_set_copy(job->search->set, threads);
    grep_blocks_open(&worker->blocks, options->line_end, grep_options_find_binary(options),
                     !options->as_stored, threads);
    worker->search = *job->search;
    worker->search.set = &worker->set;
    worker->search.printer = &worker->printer;
    worker->search.blocks = &worker->blocks;
    worker->search.flush_blocks = false;
}

static bool search_segment(void *context, size_t segment) {
    lines_worker *worker = context;
    size_t count = 0;
    const parts_piece *pieces = segment_pieces(worker->task->segments, segment, &count);
    uint64_t selected = 0;
    uint64_t bytes = segment_bytes(worker->task->segments, segment);
    bool searched = worker->opened && !segment_has_failed(worker->task->segments, segment);
    for (size_t i = 0; searched && i < count; i++) {
        searched = search_piece(worker, &pieces[i], &selected);
        if (!searched)
            segment_text_failed(worker->task->segments, pieces[i].text);
    }
    if (!searched) {
        worker->failed = true;
        lines_writer_drop(&worker->lines);
        if (worker->opened)
            worker->printer.output->used = 0;
        return worker->opened && part_writer_drop(worker->part);
    }
    worker->matches += selected;
    return part_writer_finish(worker->part, segment, selected, bytes);
}

static void close_worker(void *context) {
    lines_worker *worker = context;
    grep_search_release(&worker->search);
    grep_blocks_close(&worker->blocks);
    grep_set_close(&worker->set);
    if (worker->opened) {
        grep_colors_release(&worker->printer.colors);
        output_file_abandon(worker->printer.output);
    }
    lines_writer_close(&worker->lines);
}

/* ------------------------------------------------------------------ the search */

static void add_text(XXH3_state_t *state, const char *text) {
    (void)XXH3_64bits_update(state, text, strlen(text) + 1);
}

/* A checksum of the options that results depend on, but for the patterns and the mode. */
static uint64_t checksum_of_options(const grep_search *search, bool with_file_name) {
    const grep_options *options = search->options;
    const char *colors = options->color ? getenv("GREP_COLORS") : NULL;
    uint64_t numbers[] = {search->set->empty_pattern,
                          search->set->db != NULL,
                          options->whole_words,
                          options->whole_lines,
                          options->line_end,
                          options->invert,
                          options->max_count,
                          options->binary,
                          options->only_matching,
                          options->byte_offset,
                          options->line_number,
                          options->initial_tab,
                          options->null_after_name,
                          with_file_name,
                          options->context,
                          options->before,
                          options->after,
                          options->color,
                          options->as_stored};
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL)
        memory_exhausted();
    (void)XXH3_64bits_reset(state);
    (void)XXH3_64bits_update(state, numbers, sizeof numbers);
    add_text(state, options->group_separator == NULL ? "" : options->group_separator);
    add_text(state, options->group_separator == NULL ? "none" : "given");
    add_text(state, colors == NULL ? "" : colors);
    uint64_t checksum = XXH3_64bits_digest(state);
    (void)XXH3_freeState(state);
    return checksum;
}

static void describe(parts_run *run, const grep_search *search, bool with_file_name) {
    const grep_options *options = search->options;
    const division_options *division = &options->division;
    trawl_db_information information = TRAWL_DB_INFORMATION;
    bool has_db = search->set->db != NULL;
    if (has_db)
        (void)trawl_db_info(search->set->db, &information, NULL);
    run->identity =
        (parts_identity){.patterns = has_db ? parts_patterns_checksum(search->set->db) : 0,
                         .matches = has_db ? (uint64_t)information.matches : 0,
                         .kind = PARTS_LINES,
                         .format = (uint64_t)mode_of(options),
                         /* Lines of context after a selected line, and the number of selected lines
                          * before, are known only in a whole text. */
                         .whole = options->context || options->max_count != UINT64_MAX,
                         .shard = division->shard == 0 ? 1 : division->shard,
                         .shards = division->shard == 0 ? 1 : division->shards,
                         .segment = division->segment_bytes,
                         .options = checksum_of_options(search, with_file_name)};
    (void)snprintf(run->version, sizeof run->version, "%s", trawl_version());
}

/* Adds to *matches the lines selected in the segments that are searched now. */
static bool search_segments(const lines_job *job, const parts_journal *journal,
                            const segment_list *segments, uint64_t *matches) {
    crew_task task = {.journal = journal,
                      .segments = segments,
                      .worker_size = sizeof(lines_worker),
                      .context = job,
                      .open = open_worker,
                      .scan = search_segment,
                      .close = close_worker};
    bool on_gpu = device_is_cuda(job->search->set->scan.device);
    task.count = crew_size(&task, on_gpu ? 1 : job->threads);
    lines_worker *workers = allocate(task.count * sizeof *workers);
    memset(workers, 0, task.count * sizeof *workers);
    task.workers = workers;
    bool searched = journal->finished == segments->count || crew_run(&task);
    for (unsigned i = 0; i < task.count; i++) {
        searched = searched && !workers[i].failed;
        *matches += workers[i].matches;
    }
    free(workers);
    return searched;
}

bool grep_journaled(const grep_search *search, bool with_file_name, parts_run *texts,
                    bool *matched) {
    const division_options *division = &search->options->division;
    parts_journal journal = {.lock = -1};
    segment_list segments = {0};
    char *folder = division_folder(division);
    uint64_t bytes = 0;
    uint64_t matches = 0;
    bool searched = false;
    for (size_t i = 0; i < texts->count; i++)
        bytes += texts->texts[i].bytes;
    describe(texts, search, with_file_name);
    lines_job job = {.search = search,
                     .with_file_name = with_file_name,
                     .threads = scan_options_threads(&search->options->scan)};
    if (journal_open(&journal, folder, division->resume ? JOURNAL_RESUME : JOURNAL_BEGIN, texts,
                     division_default_segment(bytes))) {
        segments_divide(&journal.run, &segments);
        searched = journal_read(&journal, segments.count, true);
        if (searched) {
            matches = journal_matches(&journal);
            searched = search_segments(&job, &journal, &segments, &matches);
        }
    }
    *matched = searched && matches != 0;
    segments_release(&segments);
    journal_close(&journal);
    free(folder);
    return searched;
}
