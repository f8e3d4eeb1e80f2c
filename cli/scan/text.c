/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/compressed.h"
#include "cli/base/memory.h"
#include "cli/base/names.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"
#include "cli/flags/device.h"
#include "io/read_ahead.h"
#include "io/text_file.h"

/* A shorter text is scanned in one call, a longer one as a stream of pieces of this size. */
enum { BUFFER_BYTES = 4 << 20 };

/* The scan of one text. */
typedef struct text_run {
    text_scanner *scanner;
    text_result *result;
    const char *path;
    trawl_stream *stream;
    uint64_t stored;  /* bytes of the file that the progress line has */
    uint64_t matches; /* matches that the progress line has */
} text_run;

/* Messages of files begin with their name, those of scans do not. */
static bool fail(text_run *run, const trawl_error *error) {
    bool about_file = name_begins_message(run->path, error->message) ||
                      strncmp(error->message, "...", 3) == 0; /* the end of a long name */
    report_once(run->scanner->told, "%s%s", about_file ? "text " : "", error->message);
    run->result->failed = true;
    return false;
}

static void tell_progress(text_run *run, uint64_t stored, uint64_t bytes, uint64_t matches) {
    progress_add(stored - run->stored, bytes, matches - run->matches);
    run->stored = stored;
    run->matches = matches;
}

static bool open_stream(text_run *run) {
    text_scanner *scanner = run->scanner;
    trawl_error error;
    trawl_status status = trawl_stream_open_batches(
        scanner->db, &scanner->options, scanner->writer != NULL ? record_writer_matches : NULL,
        scanner->writer, &run->stream, &error);
    if (status == TRAWL_OK && scanner->per_pattern != NULL)
        status = trawl_stream_count_patterns(run->stream, scanner->per_pattern, &error);
    return status == TRAWL_OK || fail(run, &error);
}

/* Returns false if the scan of this text cannot go on. */
static bool write_piece(text_run *run, const uint8_t *bytes, size_t length, uint64_t stored) {
    trawl_error error;
    trawl_status status = trawl_stream_write(run->stream, bytes, length, &error);
    run->result->bytes += length;
    tell_progress(run, stored, length, trawl_stream_matches(run->stream));
    if (status == TRAWL_STOPPED)
        return false;
    return status == TRAWL_OK || fail(run, &error);
}

static void close_stream(text_run *run) {
    if (run->stream == NULL)
        return;
    /* The text may have ended by an error; the bytes read before it are still scanned. */
    trawl_error error;
    trawl_status status = trawl_stream_finish(run->stream, &error);
    run->result->matches = trawl_stream_matches(run->stream);
    trawl_stream_abandon(run->stream);
    run->stream = NULL;
    if (status != TRAWL_OK && status != TRAWL_STOPPED && !run->result->failed)
        (void)fail(run, &error);
}

/* The ids of a short text's matches, until there are too many. */
typedef struct id_list {
    uint32_t *ids;
    size_t count, capacity;
} id_list;

static int gather_id(const trawl_match *match, void *context) {
    id_list *list = context;
    if (list->count == list->capacity)
        return 1;
    list->ids[list->count++] = match->pattern;
    return 0;
}

static size_t patterns_of(const trawl_db *db) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    return information.patterns;
}

/* Adds counts by pattern to those of the scanner. trawl_count clears and adds up the counters of
 * all patterns, which takes longer than a small text if there are many patterns; but nested
 * patterns cost it no time for each match. So matches are taken one by one as long as they are
 * fewer than what clearing the counters would cost. */
static trawl_status count_patterns(text_run *run, size_t length, trawl_error *error) {
    enum { FEW = 1 << 16, PATTERNS_FOR_A_MATCH = 8 };
    text_scanner *scanner = run->scanner;
    const size_t patterns = patterns_of(scanner->db);
    id_list list = {.capacity = FEW + patterns / PATTERNS_FOR_A_MATCH};
    if (scanner->gathered == NULL)
        scanner->gathered = allocate(list.capacity * sizeof *scanner->gathered);
    list.ids = scanner->gathered;
    trawl_status status = trawl_scan(scanner->db, scanner->buffer, length, &scanner->options,
                                     gather_id, &list, error);
    if (status != TRAWL_STOPPED) {
        for (size_t i = 0; i < list.count; i++)
            scanner->per_pattern[list.ids[i]]++;
        run->result->matches = list.count;
        return status;
    }
    uint64_t *counters = allocate(patterns * sizeof *counters);
    status = trawl_count(scanner->db, scanner->buffer, length, &scanner->options,
                         &run->result->matches, counters, error);
    for (size_t id = 0; status == TRAWL_OK && id < patterns; id++)
        scanner->per_pattern[id] += counters[id];
    free(counters);
    return status;
}

/* Scans a text that is in the buffer as a whole. */
static void scan_whole(text_run *run, size_t length) {
    text_scanner *scanner = run->scanner;
    trawl_error error;
    trawl_status status = TRAWL_OK;
    if (scanner->writer != NULL) {
        uint64_t before = scanner->writer->matches;
        status = trawl_scan(scanner->db, scanner->buffer, length, &scanner->options,
                            record_writer_match, scanner->writer, &error);
        run->result->matches = scanner->writer->matches - before;
    } else if (scanner->per_pattern != NULL) {
        status = count_patterns(run, length, &error);
    } else {
        status = trawl_count(scanner->db, scanner->buffer, length, &scanner->options,
                             &run->result->matches, NULL, &error);
    }
    run->result->bytes = length;
    if (status != TRAWL_OK && status != TRAWL_STOPPED)
        (void)fail(run, &error);
}

/* Reads a piece, scans it, reads the next one, all with this thread. */
static void scan_here(text_run *run, text_file *file) {
    text_scanner *scanner = run->scanner;
    if (scanner->buffer == NULL)
        scanner->buffer = allocate(BUFFER_BYTES);
    bool first = true, more = true;
    while (more) {
        trawl_error error;
        size_t length = 0;
        trawl_status status = text_file_fill(file, scanner->buffer, BUFFER_BYTES, &length, &error);
        if (status != TRAWL_OK)
            (void)fail(run, &error);
        more = status == TRAWL_OK && length == BUFFER_BYTES; /* what was read before is scanned */
        uint64_t stored = text_file_stored_position(file);
        if (first && !more) {
            scan_whole(run, length);
            tell_progress(run, stored, length, run->result->matches);
            return;
        }
        if (first && !open_stream(run))
            return;
        first = false;
        if (!write_piece(run, scanner->buffer, length, stored))
            break;
    }
    close_stream(run);
}

/* Writes what has been formatted so far. */
static void write_out(text_scanner *scanner) {
    if (scanner->writer != NULL && scanner->output != NULL) {
        record_writer_flush(scanner->writer);
        output_file_drain(scanner->output);
    }
}

/* Writes the matches found so far in a text that arrives slowly. */
static bool show_results(text_run *run) {
    text_scanner *scanner = run->scanner;
    trawl_error error;
    trawl_status status = trawl_stream_flush(run->stream, &error);
    if (status != TRAWL_OK)
        return status == TRAWL_STOPPED ? false : fail(run, &error);
    write_out(scanner);
    return scanner->writer == NULL || !scanner->writer->stopped;
}

/* Scans while another thread reads. */
static void scan_reading_ahead(text_run *run, text_file *file) {
    trawl_error error;
    read_ahead *reader = NULL;
    bool is_slow = text_file_stored_bytes(file) == 0;
    if (read_ahead_open(file, &reader, &error) != TRAWL_OK) {
        (void)fail(run, &error);
        return;
    }
    bool going = open_stream(run);
    while (going) {
        const uint8_t *bytes = NULL;
        size_t length = 0;
        if (read_ahead_next(reader, &bytes, &length, &error) != TRAWL_OK)
            (void)fail(run, &error);
        if (length == 0)
            break;
        going = write_piece(run, bytes, length, read_ahead_position(reader));
        if (going && is_slow && read_ahead_is_empty(reader))
            going = show_results(run);
    }
    close_stream(run);
    read_ahead_close(reader);
}

/* A trawl_read_at. */
static trawl_status read_at(void *context, uint64_t offset, void *buffer, size_t capacity,
                            size_t *length, trawl_error *error) {
    trawl_status status = text_file_read_at(context, offset, buffer, capacity, length, error);
    progress_add(*length, *length, 0);
    return status;
}

/* trawl_count_source sets its counters; this function adds to those of the scanner. */
static trawl_status count_source(text_run *run, const trawl_source *source, trawl_error *error) {
    text_scanner *scanner = run->scanner;
    uint64_t *counters = NULL;
    size_t patterns = 0;
    if (scanner->per_pattern != NULL) {
        patterns = patterns_of(scanner->db);
        counters = allocate(patterns * sizeof *counters);
    }
    trawl_status status = trawl_count_source(scanner->db, source, &scanner->options,
                                             &run->result->matches, counters, error);
    for (size_t id = 0; id < patterns; id++)
        scanner->per_pattern[id] += counters[id];
    free(counters);
    return status;
}

/* Has the library read the file by offset, with several threads. */
static void scan_by_offset(text_run *run, text_file *file) {
    text_scanner *scanner = run->scanner;
    trawl_error error;
    trawl_status status = TRAWL_OK;
    trawl_source source = TRAWL_SOURCE;
    source.length = text_file_length(file);
    source.read = read_at;
    source.context = file;
    if (scanner->writer == NULL) {
        status = count_source(run, &source, &error);
    } else {
        uint64_t before = scanner->writer->matches;
        status = trawl_scan_source(scanner->db, &source, &scanner->options, record_writer_matches,
                                   scanner->writer, &error);
        run->result->matches = scanner->writer->matches - before;
    }
    run->result->bytes = source.length;
    progress_add(0, 0, run->result->matches);
    text_file_pass_over(file);
    if (status != TRAWL_OK && status != TRAWL_STOPPED)
        (void)fail(run, &error);
}

/* A GPU scans faster than one thread reads. Only the transfer ring takes texts of any length by
 * offset; the others get them in pieces. */
static bool is_for_offsets(const text_scanner *scanner, const text_file *file) {
    const char *transfer = scanner->options.transfer;
    return device_is_cuda(scanner->options.device) && text_file_length(file) > BUFFER_BYTES &&
           (transfer == NULL || strcmp(transfer, "ring") == 0);
}

static void add_piece(void *context, uint64_t stored, uint64_t bytes, uint64_t matches,
                      bool waits) {
    text_run *run = context;
    run->result->bytes += bytes;
    run->result->matches += matches;
    tell_progress(run, stored, bytes, run->result->matches);
    if (waits)
        write_out(run->scanner);
}

static void scan_by_record(text_run *run, text_file *file) {
    text_scanner *scanner = run->scanner;
    trawl_error error;
    trawl_status status =
        by_record_scan(&scanner->records, scanner->db, &scanner->options, scanner->cut, file,
                       scanner->writer, add_piece, run, &error);
    if (status != TRAWL_OK && status != TRAWL_STOPPED)
        (void)fail(run, &error);
}

bool text_scanner_is_output(const text_scanner *scanner, const text_file *file) {
    struct stat information;
    return scanner->has_output_file && fstat(text_file_descriptor(file), &information) == 0 &&
           information.st_dev == scanner->output_device &&
           information.st_ino == scanner->output_inode;
}

void text_scanner_run(text_scanner *scanner, const char *path, text_result *result) {
    *result = (text_result){0};
    text_run run = {.scanner = scanner, .result = result, .path = path};
    trawl_error error;
    text_file *file = NULL;
    if (text_file_open(path, TEXT_DECOMPRESS, &file, &error) != TRAWL_OK) {
        (void)fail(&run, &error);
        return;
    }
    if (text_scanner_is_output(scanner, file)) {
        report("text %s: not scanned, since it is the output too", name_in_message(path));
        result->failed = true;
        text_file_close(file);
        return;
    }
    note_compressed(path, file);
    if (scanner->writer != NULL) {
        scanner->writer->numbered = scanner->cut != NULL;
        record_writer_begin(scanner->writer, path);
    }
    uint64_t stored = text_file_stored_bytes(file);
    if (scanner->cut != NULL) {
        scan_by_record(&run, file);
        text_file_close(file);
    } else if (is_for_offsets(scanner, file)) {
        scan_by_offset(&run, file);
        text_file_close(file);
    } else if (stored == 0 || (scanner->options.threads > 1 && stored > BUFFER_BYTES)) {
        scan_reading_ahead(&run, file);
    } else {
        scan_here(&run, file);
        text_file_close(file);
    }
}

void text_scanner_release(text_scanner *scanner) {
    by_record_release(&scanner->records);
    free(scanner->buffer);
    free(scanner->gathered);
    scanner->buffer = NULL;
    scanner->gathered = NULL;
}
