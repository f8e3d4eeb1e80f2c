/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/by_record.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"

/* Bytes that are read at a time; more where a record is longer. */
enum { BUFFER_BYTES = 8 << 20 };

/* A piece of a text: its complete records, and at the end of the text the last one too. */
typedef struct piece {
    trawl_records records;
    size_t used;    /* bytes of the buffer that belong to these records */
    uint64_t first; /* number of the first record in the text */
} piece;

static void add_offset(by_record *self, uint64_t count, uint64_t offset) {
    if (count == self->offsets_capacity) {
        self->offsets_capacity = count == 0 ? 4096 : 2 * (size_t)count;
        self->offsets = reallocate(self->offsets, self->offsets_capacity * sizeof *self->offsets);
    }
    self->offsets[count] = offset;
}

/* Cuts the bytes of the buffer into records. `ends`: the text ends with them. */
static void cut_piece(by_record *self, const record_cut *cut, bool ends, piece *next) {
    uint64_t count = 0;
    size_t at = 0;
    add_offset(self, 0, 0);
    while (at < self->filled) {
        size_t left = self->filled - at;
        const uint8_t *found = cut->bytes != 0 ? NULL : memchr(self->buffer + at, cut->last, left);
        if (found != NULL)
            at = (size_t)(found - self->buffer) + 1;
        else if (cut->bytes != 0 && cut->bytes <= left)
            at += (size_t)cut->bytes;
        else if (ends)
            at = self->filled;
        else
            break;
        /* A last record without its last byte ends as if it had one. */
        bool lacks = cut->bytes == 0 && found == NULL;
        add_offset(self, ++count, at + (lacks ? 1 : 0));
    }
    next->used = at;
    next->records = (trawl_records)TRAWL_RECORDS;
    next->records.count = count;
    next->records.bytes = self->buffer;
    next->records.offsets = self->offsets;
    next->records.offset_bytes = sizeof *self->offsets;
    next->records.tail = cut->bytes == 0 ? 1 : 0;
}

/* A writer and the number of the piece's first record. */
typedef struct numbered_writer {
    record_writer *writer;
    uint64_t first;
} numbered_writer;

static int write_matches(const trawl_record_match *matches, size_t count, void *context) {
    numbered_writer *to = context;
    for (size_t i = 0; i < count; i++) {
        const trawl_match match = {
            .start = matches[i].start, .end = matches[i].end, .pattern = matches[i].pattern};
        to->writer->record = to->first + matches[i].record;
        if (record_writer_match(&match, to->writer) != 0)
            return 1;
    }
    return 0;
}

static trawl_status write_counts(by_record *self, const piece *of, record_writer *writer,
                                 trawl_error *error) {
    size_t count = (size_t)of->records.count;
    if (count > self->counts_capacity) {
        self->counts = reallocate(self->counts, count * sizeof *self->counts);
        self->counts_capacity = count;
    }
    trawl_record_counts counts = TRAWL_RECORD_COUNTS;
    counts.per_record = self->counts;
    trawl_status status = trawl_records_count(self->scanner, &of->records, &counts, error);
    for (size_t i = 0; status == TRAWL_OK && i < count && !writer->stopped; i++)
        if (self->counts[i] != 0)
            record_writer_count(writer, of->first + i, self->counts[i]);
    return status == TRAWL_OK && writer->stopped ? TRAWL_STOPPED : status;
}

static trawl_status scan_piece(by_record *self, const record_cut *cut, const piece *of,
                               record_writer *writer, trawl_error *error) {
    if (cut->counts)
        return write_counts(self, of, writer, error);
    numbered_writer to = {writer, of->first};
    return trawl_records_scan(self->scanner, &of->records, write_matches, &to, error);
}

/* Whether reading would wait for more of a pipe. */
static bool nothing_has_come(const text_file *file) {
    struct pollfd of = {.fd = text_file_descriptor(file), .events = POLLIN};
    return poll(&of, 1, 0) == 0;
}

/* Reads behind the bytes in the buffer, until it is full or the text ends, which sets *ends; of a
 * pipe or a terminal only what has come, if that is something. */
static trawl_status read_more(by_record *self, text_file *file, size_t *length, bool *ends,
                              trawl_error *error) {
    uint8_t *to = self->buffer + self->filled;
    const size_t wanted = self->capacity - self->filled;
    const bool is_slow = text_file_stored_bytes(file) == 0;
    trawl_status status = TRAWL_OK;
    bool goes_on = true;
    *length = 0;
    while (goes_on && *length < wanted && (*length == 0 || !nothing_has_come(file))) {
        size_t more = 0;
        status = is_slow ? text_file_read(file, to + *length, wanted - *length, &more, error)
                         : text_file_fill(file, to, wanted, &more, error);
        *length += more;
        goes_on = status == TRAWL_OK && more != 0 && is_slow;
    }
    *ends = status != TRAWL_OK || (is_slow ? !goes_on : *length < wanted);
    return status;
}

trawl_status by_record_scan(by_record *self, const trawl_db *db, const trawl_scan_options *options,
                            const record_cut *cut, text_file *file, record_writer *writer,
                            by_record_progress progress, void *context, trawl_error *error) {
    trawl_status status = TRAWL_OK;
    if (self->scanner == NULL)
        status = trawl_record_scanner_open(db, options, &self->scanner, error);
    piece next = {.first = 0};
    self->filled = 0;
    for (bool ends = false; status == TRAWL_OK && !ends;) {
        if (self->capacity - self->filled < BUFFER_BYTES / 2) {
            self->capacity = self->capacity == 0 ? BUFFER_BYTES : 2 * self->capacity;
            self->buffer = reallocate(self->buffer, self->capacity);
        }
        size_t length;
        trawl_error reading;
        trawl_status read = read_more(self, file, &length, &ends, &reading);
        self->filled += length;
        bool waits = !ends && self->filled < self->capacity;
        cut_piece(self, cut, ends, &next);
        uint64_t before = writer->matches;
        status = scan_piece(self, cut, &next, writer, error);
        progress(context, text_file_stored_position(file), length, writer->matches - before, waits);
        next.first += next.records.count;
        self->filled -= next.used;
        memmove(self->buffer, self->buffer + next.used, self->filled);
        if (status == TRAWL_OK && read != TRAWL_OK) {
            *error = reading;
            status = read;
        }
    }
    return status;
}

void by_record_release(by_record *self) {
    trawl_record_scanner_close(self->scanner);
    free(self->buffer);
    free(self->offsets);
    free(self->counts);
    *self = (by_record){0};
}
