/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A match that ends in the range may depend on bytes around it. So these are scanned too:
 *
 *     first          begin                    end   last
 *       | max_length   |          range         |  1  |
 *
 * The match may begin in the max_length - 1 bytes before the range. One more byte on each side is
 * for boundaries (trawl_conditions.h). Matches that end outside of the range are dropped.
 */
#include "cli/scan/range.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/compressed.h"
#include "cli/base/memory.h"
#include "cli/base/names.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"
#include "io/text_file.h"
#include "trawl/trawl_conditions.h"

enum { BATCH = 256 }; /* matches that are passed on together */

/* A range while it is scanned. */
typedef struct range_run {
    text_scanner *scanner;
    const text_file *file; /* NULL: the bytes are in memory: */
    const uint8_t *bytes;
    uint64_t begin;
    uint64_t end;
    text_context context;
    uint64_t matches;
} range_run;

text_context text_scanner_context(const text_scanner *scanner, uint64_t begin, uint64_t end,
                                  uint64_t size) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(scanner->db, &information, NULL);
    bool conditions = trawl_db_has_conditions(scanner->db);
    uint64_t before = information.max_length; /* 0 without patterns */
    before -= conditions || before == 0 ? 0 : 1;
    return (text_context){.first = begin > before ? begin - before : 0,
                          .last = conditions && end < size ? end + 1 : end};
}

/* A trawl_read_at. */
static trawl_status read_at(void *context, uint64_t offset, void *buffer, size_t capacity,
                            size_t *length, trawl_error *error) {
    const range_run *run = context;
    uint64_t from = run->context.first + offset;
    trawl_status status = text_file_read_at(run->file, from, buffer, capacity, length, error);
    if (run->scanner->poll != NULL)
        run->scanner->poll();
    if (from >= run->begin)
        progress_add(*length, *length, 0);
    return status;
}

/* Whether the match ends in the range; moves it to its offsets in the file. */
static bool take(const range_run *run, trawl_match *match) {
    match->start += run->context.first;
    match->end += run->context.first;
    return match->end > run->begin && match->end <= run->end;
}

/* A trawl_on_matches: passes the matches of the range on to the writer. */
static int write_matches(const trawl_match *matches, size_t count, void *context) {
    range_run *run = context;
    trawl_match taken[BATCH];
    size_t used = 0;
    int stopped = 0;
    for (size_t i = 0; i < count && stopped == 0; i++) {
        taken[used] = matches[i];
        used += take(run, &taken[used]);
        if (used == BATCH || (i + 1 == count && used != 0)) {
            run->matches += used;
            stopped = record_writer_matches(taken, used, run->scanner->writer);
            used = 0;
        }
    }
    return stopped;
}

/* A trawl_on_matches that counts them. */
static int count_matches(const trawl_match *matches, size_t count, void *context) {
    range_run *run = context;
    for (size_t i = 0; i < count; i++) {
        trawl_match match = matches[i];
        if (!take(run, &match))
            continue;
        run->matches++;
        if (run->scanner->per_pattern != NULL)
            run->scanner->per_pattern[match.pattern]++;
    }
    return 0;
}

/* The bytes up to `end`, which is at most run->context.last. */
static trawl_source source_of(range_run *run, uint64_t end) {
    trawl_source source = TRAWL_SOURCE;
    source.length = end - run->context.first;
    source.read = read_at;
    source.context = run;
    return source;
}

static trawl_status scan(range_run *run, trawl_on_matches on_matches, trawl_error *error) {
    const trawl_db *db = run->scanner->db;
    const trawl_scan_options *options = &run->scanner->options;
    trawl_source source = source_of(run, run->context.last);
    return run->bytes == NULL ? trawl_scan_source(db, &source, options, on_matches, run, error)
                              : trawl_scan_batches(db, run->bytes, (size_t)source.length, options,
                                                   on_matches, run, error);
}

/* Counts the matches in the bytes up to `end`, and adds them or takes them away. */
static trawl_status count_up_to(range_run *run, uint64_t end, bool take_away, uint64_t *counters,
                                trawl_error *error) {
    const trawl_db *db = run->scanner->db;
    const trawl_scan_options *options = &run->scanner->options;
    trawl_source source = source_of(run, end);
    trawl_db_information information = TRAWL_DB_INFORMATION;
    uint64_t counted = 0;
    (void)trawl_db_info(db, &information, NULL);
    trawl_status status = run->bytes == NULL
                              ? trawl_count_source(db, &source, options, &counted, counters, error)
                              : trawl_count(db, run->bytes, (size_t)source.length, options,
                                            &counted, counters, error);
    run->matches += take_away ? 0 - counted : counted;
    for (size_t id = 0; counters != NULL && id < information.patterns; id++)
        run->scanner->per_pattern[id] += take_away ? 0 - counters[id] : counters[id];
    return status;
}

/* Counting is faster than looking at every match: those that end before the range are counted by
 * themselves. With conditions, they might not be the same at the end of a text. */
static trawl_status count(range_run *run, trawl_error *error) {
    if (trawl_db_has_conditions(run->scanner->db))
        return scan(run, count_matches, error);
    trawl_db_information information = TRAWL_DB_INFORMATION;
    uint64_t *counters = NULL;
    (void)trawl_db_info(run->scanner->db, &information, NULL);
    if (run->scanner->per_pattern != NULL)
        counters = allocate(information.patterns * sizeof *counters);
    trawl_status status = count_up_to(run, run->end, false, counters, error);
    if (status == TRAWL_OK && run->context.first < run->begin)
        status = count_up_to(run, run->begin, true, counters, error);
    free(counters);
    return status;
}

static void run_range(range_run *run, const char *path, text_result *result) {
    record_writer *writer = run->scanner->writer;
    trawl_error error;
    if (writer != NULL)
        record_writer_begin(writer, path);
    trawl_status status = writer != NULL ? scan(run, write_matches, &error) : count(run, &error);
    progress_add(0, 0, run->matches);
    result->matches = run->matches;
    result->bytes = run->end - run->begin;
    if (status != TRAWL_OK && status != TRAWL_STOPPED) {
        bool about_file = strncmp(error.message, path, strlen(path)) == 0;
        report_once(run->scanner->told, "%s%s", about_file ? "text " : "", error.message);
        result->failed = true;
    }
}

void text_scanner_run_loaded(text_scanner *scanner, const char *path, const uint8_t *bytes,
                             uint64_t begin, uint64_t end, const text_context *context,
                             text_result *result) {
    *result = (text_result){0};
    range_run run = {
        .scanner = scanner, .bytes = bytes, .begin = begin, .end = end, .context = *context};
    run_range(&run, path, result);
}

/* The same for a regular file that is not compressed. Of the bytes before `begin` as many are read
 * as a match that ends in the range may have there. */
static void run_file(text_scanner *scanner, const char *path, uint64_t begin, uint64_t end,
                     text_result *result) {
    *result = (text_result){0};
    trawl_error error;
    text_file *file = NULL;
    if (text_file_open(path, TEXT_DECOMPRESS, &file, &error) != TRAWL_OK) {
        report_once(scanner->told, "%s%s", error.status == TRAWL_ERROR_MEMORY ? "" : "text ",
                    error.message);
        result->failed = true;
        return;
    }
    if (text_scanner_is_output(scanner, file)) {
        report("text %s: not scanned, since it is the output too", name_in_message(path));
        result->failed = true;
    } else if (!text_file_is_plain(file) || text_file_length(file) < end) {
        report_once(scanner->told,
                    "text %s: changed: expected at least %" PRIu64 " bytes, not compressed", path,
                    end);
        result->failed = true;
    } else {
        note_compressed(path, file);
        range_run run = {.scanner = scanner,
                         .file = file,
                         .begin = begin,
                         .end = end,
                         .context =
                             text_scanner_context(scanner, begin, end, text_file_length(file))};
        run_range(&run, path, result);
    }
    text_file_close(file);
}

void scan_entry_run(text_scanner *scanner, const scan_entry *entry, text_result *result) {
    if (entry->begin == 0 && entry->end == UINT64_MAX)
        text_scanner_run(scanner, entry->path, result);
    else
        run_file(scanner, entry->path, entry->begin, entry->end, result);
}
