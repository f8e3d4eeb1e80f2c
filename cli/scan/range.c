/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/range.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"
#include "io/text_file.h"

enum { BATCH = 256 }; /* matches that are passed on together */

/* A range while it is scanned. Bytes [first, end) of the file are the text of the scan. */
typedef struct range_run {
    text_scanner *scanner;
    const text_file *file; /* NULL: the bytes are in memory: */
    const uint8_t *bytes;
    uint64_t first;
    uint64_t begin;
    uint64_t end;
} range_run;

/* A trawl_read_at. */
static trawl_status read_at(void *context, uint64_t offset, void *buffer, size_t capacity,
                            size_t *length, trawl_error *error) {
    const range_run *run = context;
    trawl_status status =
        text_file_read_at(run->file, run->first + offset, buffer, capacity, length, error);
    if (run->first + offset >= run->begin)
        progress_add(*length, *length, 0);
    return status;
}

/* A trawl_on_matches: drops matches that end before the range, and passes the others on with their
 * offsets in the file. */
static int take_matches(const trawl_match *matches, size_t count, void *context) {
    const range_run *run = context;
    trawl_match moved[BATCH];
    size_t used = 0;
    int stopped = 0;
    for (size_t i = 0; i < count && stopped == 0; i++) {
        trawl_match match = matches[i];
        match.start += run->first;
        match.end += run->first;
        if (match.end > run->begin)
            moved[used++] = match;
        if (used == BATCH || (i + 1 == count && used != 0)) {
            stopped = record_writer_matches(moved, used, run->scanner->writer);
            used = 0;
        }
    }
    return stopped;
}

static trawl_source source_of(range_run *run, uint64_t length) {
    trawl_source source = TRAWL_SOURCE;
    source.length = length;
    source.read = read_at;
    source.context = run;
    return source;
}

/* Counts the matches in the bytes up to `end`, and adds them or takes them away. */
static trawl_status count_up_to(range_run *run, uint64_t end, bool take_away, uint64_t *counters,
                                uint64_t *total, trawl_error *error) {
    trawl_source source = source_of(run, end - run->first);
    trawl_db_information information = TRAWL_DB_INFORMATION;
    uint64_t counted = 0;
    (void)trawl_db_info(run->scanner->db, &information, NULL);
    const trawl_scan_options *options = &run->scanner->options;
    trawl_status status =
        run->bytes == NULL
            ? trawl_count_source(run->scanner->db, &source, options, &counted, counters, error)
            : trawl_count(run->scanner->db, run->bytes, (size_t)(end - run->first), options,
                          &counted, counters, error);
    *total += take_away ? 0 - counted : counted;
    for (size_t id = 0; counters != NULL && id < information.patterns; id++)
        run->scanner->per_pattern[id] += take_away ? 0 - counters[id] : counters[id];
    return status;
}

/* Counting is faster than looking at every match: those that end before the range are counted by
 * themselves. */
static trawl_status count(range_run *run, uint64_t *total, trawl_error *error) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    uint64_t *counters = NULL;
    (void)trawl_db_info(run->scanner->db, &information, NULL);
    if (run->scanner->per_pattern != NULL)
        counters = allocate(information.patterns * sizeof *counters);
    trawl_status status = count_up_to(run, run->end, false, counters, total, error);
    if (status == TRAWL_OK && run->first < run->begin)
        status = count_up_to(run, run->begin, true, counters, total, error);
    free(counters);
    return status;
}

static trawl_status scan(range_run *run, uint64_t *total, trawl_error *error) {
    trawl_source source = source_of(run, run->end - run->first);
    uint64_t before = run->scanner->writer->matches;
    const trawl_scan_options *options = &run->scanner->options;
    trawl_status status =
        run->bytes == NULL
            ? trawl_scan_source(run->scanner->db, &source, options, take_matches, run, error)
            : trawl_scan_batches(run->scanner->db, run->bytes, (size_t)(run->end - run->first),
                                 options, take_matches, run, error);
    *total = run->scanner->writer->matches - before;
    return status;
}

uint64_t text_scanner_first(const text_scanner *scanner, uint64_t begin) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(scanner->db, &information, NULL);
    uint64_t overlap = information.max_length - 1;
    return begin > overlap ? begin - overlap : 0;
}

static void run_range(range_run *run, const char *path, text_result *result) {
    text_scanner *scanner = run->scanner;
    trawl_error error;
    if (scanner->writer != NULL)
        record_writer_begin(scanner->writer, path);
    trawl_status status = scanner->writer != NULL ? scan(run, &result->matches, &error)
                                                  : count(run, &result->matches, &error);
    progress_add(0, 0, result->matches);
    result->bytes = run->end - run->begin;
    if (status != TRAWL_OK && status != TRAWL_STOPPED) {
        bool about_file = strncmp(error.message, path, strlen(path)) == 0;
        report("%s%s", about_file ? "text " : "", error.message);
        result->failed = true;
    }
}

void text_scanner_run_loaded(text_scanner *scanner, const char *path, const uint8_t *bytes,
                             uint64_t begin, uint64_t end, text_result *result) {
    *result = (text_result){0};
    range_run run = {.scanner = scanner,
                     .bytes = bytes,
                     .first = text_scanner_first(scanner, begin),
                     .begin = begin,
                     .end = end};
    run_range(&run, path, result);
}

void text_scanner_run_range(text_scanner *scanner, const char *path, uint64_t begin, uint64_t end,
                            text_result *result) {
    *result = (text_result){0};
    trawl_error error;
    text_file *file = NULL;
    if (text_file_open(path, TEXT_DECOMPRESS, &file, &error) != TRAWL_OK) {
        report("text %s", error.message);
        result->failed = true;
        return;
    }
    if (text_scanner_is_output(scanner, file)) {
        report("%s: not scanned, since it is the output too", path);
        result->failed = true;
        text_file_close(file);
        return;
    }
    if (!text_file_is_plain(file) || text_file_length(file) < end) {
        report("text %s: changed: expected at least %" PRIu64 " bytes, not compressed", path, end);
        result->failed = true;
        text_file_close(file);
        return;
    }
    range_run run = {.scanner = scanner,
                     .file = file,
                     .first = text_scanner_first(scanner, begin),
                     .begin = begin,
                     .end = end};
    run_range(&run, path, result);
    text_file_close(file);
}

void scan_entry_run(text_scanner *scanner, const scan_entry *entry, text_result *result) {
    if (entry->begin == 0 && entry->end == UINT64_MAX)
        text_scanner_run(scanner, entry->path, result);
    else
        text_scanner_run_range(scanner, entry->path, entry->begin, entry->end, result);
}
