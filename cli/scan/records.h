/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Matches as lines of text: the formats of `trawl scan`, made fast, because a text may have two
 * matches for each of its bytes.
 */
#ifndef CLI_SCAN_RECORDS_H
#define CLI_SCAN_RECORDS_H

#include "trawl/trawl.h"

typedef enum record_format {
    RECORD_TSV = 0, /* file, start, end, id, name or else escaped pattern */
    RECORD_JSONL,   /* the same as one JSON object a line */
    RECORD_COUNT,   /* one number a file */
    RECORD_TOP      /* count, id, name or else escaped pattern: the most frequent patterns */
} record_format;

/* What each record says about its pattern, made once: everything after `end`. */
typedef struct record_labels {
    const trawl_db *db;
    record_format format; /* TSV or JSONL */
    bool with_pattern;    /* false: --no-pattern */
    uint32_t prepared;    /* labels of ids below this one are in `text` */
    uint64_t *ends;       /* label i is text[ends[i - 1] .. ends[i]) */
    char *text;
} record_labels;

/* Prepares labels, up to a bounded amount of memory; the others are made when they are needed. */
void record_labels_prepare(record_labels *labels, const trawl_db *db, record_format format,
                           bool with_pattern);
void record_labels_release(record_labels *labels);

/* Hands on what a writer has gathered. Returns false when nothing more is wanted. */
typedef bool (*record_drain)(void *context, const char *bytes, size_t length);

/* A number whose leading digits have been written before: neighbouring matches share them. */
typedef struct record_number {
    uint64_t high; /* value / 10000 */
    size_t length;
    char digits[20];
} record_number;

/* Writes the records of one text after the other. Used by one thread at a time. */
typedef struct record_writer {
    const record_labels *labels;
    record_drain drain;
    void *context;
    uint64_t matches; /* written so far, over all texts */
    bool stopped;
    char *prefix; /* everything before `start` */
    size_t prefix_length;
    record_number start;
    record_number end;
    char *buffer;
    size_t used;
} record_writer;

enum { RECORD_BUFFER = 1 << 18 };

void record_writer_open(record_writer *writer, const record_labels *labels, record_drain drain,
                        void *context);

/* Begins the records of a text that is called `file` in them. */
void record_writer_begin(record_writer *writer, const char *file);

/* A trawl_on_match; its context is the writer. */
int record_writer_match(const trawl_match *match, void *writer);

/* A trawl_on_matches; the same. */
int record_writer_matches(const trawl_match *matches, size_t count, void *writer);

/* Hands on what is left in the buffer. */
void record_writer_flush(record_writer *writer);

void record_writer_close(record_writer *writer);

/* "name" or else the escaped pattern, in a new string without NUL. The caller frees it. */
char *record_pattern_text(const trawl_db *db, uint32_t id, size_t *length);

/* A file name for a table: as it is, or escaped if it has a tab or a line end. The caller frees. */
char *record_file_text(const char *file, size_t *length);

#endif
