/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/records.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/json_text.h"
#include "cli/base/memory.h"
#include "cli/base/names.h"
#include "cli/scan/record_crew.h"
#include "io/output_file.h"
#include "io/pattern_file.h"
#include "trawl/trawl_groups.h"

/* Limit of prepared labels; labels beyond it are made for each match. */
#define LABEL_BYTES ((uint64_t)256 << 20)

/* Short strings are copied in blocks of 16 bytes, so up to 15 bytes after their end are read and
 * written: buffers have room for that. */
enum { BLOCK = 16 };

/* Room for the numbers of a line, with what separates them. */
enum { RANGE_BYTES = 128 };

/* ------------------------------------------------------------------ columns */

static size_t pattern_text(const trawl_pattern *pattern, char *text) {
    if (pattern->name != NULL)
        return name_in_table(pattern->name, pattern->name_length, text);
    return pattern_escape(pattern->bytes, pattern->length, text);
}

static size_t pattern_text_bound(const trawl_pattern *pattern) {
    return 4 * (pattern->name != NULL ? pattern->name_length : pattern->length);
}

char *record_file_text(const char *file, size_t *length) {
    size_t bytes = strlen(file);
    char *text = allocate(4 * bytes);
    *length = name_in_table(file, bytes, text);
    return text;
}

/* ------------------------------------------------------------------ labels */

static size_t label_bound(const record_labels *labels, const trawl_pattern *pattern) {
    size_t fixed = 128; /* numbers, keys and separators */
    if (labels->with_values)
        fixed += 4 * pattern->value_length + json_text_bound(pattern->value_length);
    if (!labels->with_pattern)
        return fixed;
    if (labels->format != RECORD_JSONL)
        return fixed + pattern_text_bound(pattern);
    return fixed + json_text_bound(pattern->length) + json_text_bound(pattern->name_length);
}

/* Writes what stands behind the name or pattern; returns the new length. */
static size_t append_details(const record_labels *labels, const trawl_pattern *pattern, char *text,
                             size_t at) {
    bool json = labels->format == RECORD_JSONL;
    if (labels->with_groups) {
        at = text_append(text, at, json ? ",\"group\":" : "\t");
        at += output_decimal(pattern->group, text + at);
    }
    if (labels->with_values && json && pattern->value != NULL) {
        at = text_append(text, at, ",\"value\":");
        at += json_text(pattern->value, pattern->value_length, text + at);
    } else if (labels->with_values && !json) {
        text[at++] = '\t';
        at += pattern_escape(pattern->value, pattern->value_length, text + at);
    }
    return text_append(text, at, json ? "}\n" : "\n");
}

/* Writes the end of a record, from after `end` to the line end; returns its length. */
static size_t make_label(const record_labels *labels, uint32_t id, const trawl_pattern *pattern,
                         char *text) {
    size_t at = 0;
    if (labels->format != RECORD_JSONL) {
        text[at++] = '\t';
        at += output_decimal(id, text + at);
        if (labels->with_pattern) {
            text[at++] = '\t';
            at += pattern_text(pattern, text + at);
        }
        return append_details(labels, pattern, text, at);
    }
    at = text_append(text, at, ",\"id\":");
    at += output_decimal(id, text + at);
    if (labels->with_pattern) {
        if (pattern->name != NULL) {
            at = text_append(text, at, ",\"name\":");
            at += json_text(pattern->name, pattern->name_length, text + at);
        }
        at = text_append(text, at, ",\"pattern\":");
        at += json_text(pattern->bytes, pattern->length, text + at);
    }
    return append_details(labels, pattern, text, at);
}

char *record_label(const record_labels *labels, uint32_t id, size_t *length) {
    trawl_pattern pattern = TRAWL_PATTERN;
    *length = 0;
    if (!trawl_db_pattern(labels->db, id, &pattern))
        return allocate(1);
    char *label = allocate(label_bound(labels, &pattern));
    *length = make_label(labels, id, &pattern, label);
    return label;
}

char *record_group_label(const record_labels *labels, uint32_t group, uint32_t id, size_t *length) {
    trawl_pattern pattern = TRAWL_PATTERN;
    *length = 0;
    if (!trawl_db_pattern(labels->db, id, &pattern))
        return allocate(1);
    char *label = allocate(label_bound(labels, &pattern));
    bool json = labels->format == RECORD_JSONL;
    size_t at = text_append(label, 0, json ? ",\"group\":" : "\t");
    at += output_decimal(group, label + at);
    if (json && labels->with_values && pattern.value != NULL) {
        at = text_append(label, at, ",\"value\":");
        at += json_text(pattern.value, pattern.value_length, label + at);
    } else if (!json) {
        label[at++] = '\t';
        at += pattern.value != NULL
                  ? pattern_escape(pattern.value, pattern.value_length, label + at)
              : labels->with_pattern ? pattern_text(&pattern, label + at)
                                     : 0;
    }
    *length = text_append(label, at, json ? "}\n" : "\n");
    return label;
}

void record_labels_open(record_labels *labels, const trawl_db *db, record_format format,
                        bool with_pattern) {
    *labels = (record_labels){.db = db,
                              .format = format,
                              .with_pattern = with_pattern,
                              .with_groups = trawl_db_has_groups(db),
                              .with_values = trawl_db_has_values(db)};
}

void record_labels_prepare(record_labels *labels) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(labels->db, &information, NULL);
    uint32_t count = (uint32_t)information.patterns;
    labels->ends = allocate(count * sizeof *labels->ends);
    size_t capacity = 1 << 16;
    size_t used = 0;
    labels->text = allocate(capacity + BLOCK);
    for (uint32_t id = 0; id < count; id++) {
        trawl_pattern pattern = TRAWL_PATTERN;
        if (!trawl_db_pattern(labels->db, id, &pattern))
            break;
        size_t bound = label_bound(labels, &pattern);
        if (used + bound > LABEL_BYTES)
            break;
        if (used + bound > capacity) {
            capacity = 2 * capacity > used + bound ? 2 * capacity : used + bound;
            labels->text = reallocate(labels->text, capacity + BLOCK);
        }
        used += make_label(labels, id, &pattern, labels->text + used);
        labels->ends[id] = used;
        labels->prepared = id + 1;
    }
}

void record_labels_release(record_labels *labels) {
    free(labels->ends);
    free(labels->text);
    *labels = (record_labels){0};
}

/* ------------------------------------------------------------------ the writer */

void record_writer_open(record_writer *writer, const record_labels *labels, record_drain drain,
                        void *context) {
    *writer = (record_writer){.labels = labels, .drain = drain, .context = context};
    writer->buffer = allocate(RECORD_BUFFER);
}

void record_writer_share(record_writer *writer, unsigned threads) {
    writer->crew = record_crew_open(writer->labels, threads, writer->drain, writer->context);
}

void record_writer_flush(record_writer *writer) {
    if (writer->crew != NULL)
        writer->stopped = !record_crew_flush(writer->crew);
    if (writer->used != 0 && !writer->stopped)
        writer->stopped = !writer->drain(writer->context, writer->buffer, writer->used);
    writer->used = 0;
}

void record_writer_begin(record_writer *writer, const char *file) {
    size_t length = strlen(file);
    writer->prefix = reallocate(writer->prefix, json_text_bound(length) + 32 + BLOCK);
    size_t at = 0;
    if (writer->labels->format != RECORD_JSONL) {
        at = name_in_table(file, length, writer->prefix);
        writer->prefix[at++] = '\t';
    } else {
        at = text_append(writer->prefix, at, "{\"file\":");
        at += json_text(file, length, writer->prefix + at);
        at = text_append(writer->prefix, at, writer->numbered ? ",\"record\":" : ",\"start\":");
    }
    writer->prefix_length = at;
    if (writer->crew != NULL) {
        record_writer_flush(writer);
        record_crew_begin(writer->crew, file);
    }
    writer->start.high = writer->end.high = UINT64_MAX; /* no value / 10000 is that large */
}

/* Writes four digits. */
static inline void put_four(char *text, unsigned value) {
    memcpy(text, output_digit_pairs + (size_t)2 * (value / 100), 2);
    memcpy(text + 2, output_digit_pairs + (size_t)2 * (value % 100), 2);
}

/* Copies whole blocks: mostly one move, without a call of memcpy. */
static inline void put_blocks(char *to, const char *from, size_t length) {
    for (size_t at = 0; at < length; at += BLOCK)
        memcpy(to + at, from + at, BLOCK);
}

static inline char *put_number(record_number *known, uint64_t value, char *text) {
    uint64_t high = value / 10000;
    if (high == 0)
        return text + output_decimal(value, text);
    if (high != known->high) {
        known->high = high;
        known->length = output_decimal(high, known->digits);
    }
    memcpy(text, known->digits, sizeof known->digits); /* the constant size makes it two moves */
    put_four(text + known->length, (unsigned)(value - high * 10000));
    return text + known->length + 4;
}

/* Writes any number of bytes, draining the buffer as needed. */
static void put_long(record_writer *writer, const char *bytes, size_t length) {
    while (length > 0 && !writer->stopped) {
        if (writer->used == RECORD_BUFFER)
            record_writer_flush(writer);
        size_t part = RECORD_BUFFER - writer->used;
        if (part > length)
            part = length;
        memcpy(writer->buffer + writer->used, bytes, part);
        writer->used += part;
        bytes += part;
        length -= part;
    }
}

/* The column between the file and `start`. */
static char *put_record(const record_writer *writer, char *at) {
    at += output_decimal(writer->record, at);
    if (writer->labels->format != RECORD_JSONL) {
        *at++ = '\t';
    } else {
        memcpy(at, ",\"start\":", 9);
        at += 9;
    }
    return at;
}

static size_t put_range(record_writer *writer, const trawl_match *match, char *text) {
    char *at = writer->numbered ? put_record(writer, text) : text;
    at = put_number(&writer->start, match->start, at);
    if (writer->labels->format != RECORD_JSONL) {
        *at++ = '\t';
    } else {
        memcpy(at, ",\"end\":", 7);
        at += 7;
    }
    at = put_number(&writer->end, match->end, at);
    return (size_t)(at - text);
}

/* Writes a record that is longer than the buffer, or whose label was not prepared. */
static void put_slowly(record_writer *writer, const trawl_match *match) {
    const record_labels *labels = writer->labels;
    char range[RANGE_BYTES];
    put_long(writer, writer->prefix, writer->prefix_length);
    put_long(writer, range, put_range(writer, match, range));
    size_t length = 0;
    char *label = record_label(labels, match->pattern, &length);
    put_long(writer, label, length);
    free(label);
}

static int put_match(record_writer *writer, const trawl_match *match) {
    const record_labels *labels = writer->labels;
    if (match->pattern >= labels->prepared) {
        put_slowly(writer, match);
        return writer->stopped;
    }
    uint64_t begin = match->pattern == 0 ? 0 : labels->ends[match->pattern - 1];
    size_t label = (size_t)(labels->ends[match->pattern] - begin);
    size_t most = writer->prefix_length + RANGE_BYTES + label;
    if (RECORD_BUFFER - writer->used < most) {
        record_writer_flush(writer);
        if (most > RECORD_BUFFER) {
            put_slowly(writer, match);
            return writer->stopped;
        }
    }
    char *text = writer->buffer + writer->used;
    put_blocks(text, writer->prefix, writer->prefix_length);
    text += writer->prefix_length;
    text += put_range(writer, match, text);
    put_blocks(text, labels->text + begin, label);
    writer->used = (size_t)(text - writer->buffer) + label;
    return writer->stopped;
}

int record_writer_match(const trawl_match *match, void *context) {
    return record_writer_matches(match, 1, context);
}

int record_writer_matches(const trawl_match *matches, size_t count, void *context) {
    record_writer *writer = context;
    int stopped = 0;
    if (writer->crew != NULL) {
        writer->matches += count;
        return !record_crew_put(writer->crew, matches, count);
    }
    for (size_t i = 0; i < count && stopped == 0; i++) {
        writer->matches++;
        stopped = put_match(writer, &matches[i]);
    }
    return stopped;
}

void record_writer_count(record_writer *writer, uint64_t record, uint64_t count) {
    bool json = writer->labels->format == RECORD_JSONL;
    char text[RANGE_BYTES];
    size_t at = output_decimal(record, text);
    at = text_append(text, at, json ? ",\"count\":" : "\t");
    at += output_decimal(count, text + at);
    at = text_append(text, at, json ? "}\n" : "\n");
    writer->matches += count;
    put_long(writer, writer->prefix, writer->prefix_length);
    put_long(writer, text, at);
}

void record_writer_close(record_writer *writer) {
    record_crew_close(writer->crew);
    free(writer->prefix);
    free(writer->buffer);
    *writer = (record_writer){0};
}
