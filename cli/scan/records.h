/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Matches as lines of text, in the formats of `trawl scan`. Speed matters: a text may have more
 * matches than bytes.
 */
#ifndef CLI_SCAN_RECORDS_H
#define CLI_SCAN_RECORDS_H

#include "trawl/trawl.h"

/* What is written, and how; the names of --format are in cli/scan/options.c. */
typedef enum record_kind {
    RECORD_MATCHES = 0, /* each match: file, start, end, id, name or escaped pattern */
    RECORD_COUNTS,      /* the number of matches of each text: file, count */
    RECORD_TOP          /* the most frequent patterns: count, id, name or escaped pattern */
} record_kind;

typedef enum record_format {
    RECORD_PLAIN = 0, /* as RECORD_TSV, but counts are "FILE:COUNT", of a single text "COUNT" */
    RECORD_TSV,       /* columns separated by tabs */
    RECORD_JSONL      /* one JSON object on a line */
} record_format;

/* The end of each pattern's records, after the match's end, made once for all matches. */
typedef struct record_labels {
    const trawl_db *db;
    record_format format;
    bool with_pattern;             /* false: --no-pattern */
    bool with_groups, with_values; /* the database has some: columns, or members of objects */
    uint32_t prepared;             /* `text` has the labels of smaller ids */
    uint64_t *ends;                /* label i is text[ends[i - 1] .. ends[i]) */
    char *text;
} record_labels;

/* Opens labels that are made for each match. */
void record_labels_open(record_labels *labels, const trawl_db *db, record_format format,
                        bool with_pattern);

/* Prepares labels up to a limit of memory; the others are still made for each match. */
void record_labels_prepare(record_labels *labels);
void record_labels_release(record_labels *labels);

/* The label of a pattern. The caller frees it. */
char *record_label(const record_labels *labels, uint32_t id, size_t *length);

/* The same of a group of the database, of which pattern `id` is the first: the group, and the value
 * or else the name or the pattern of that. */
char *record_group_label(const record_labels *labels, uint32_t group, uint32_t id, size_t *length);

/* Takes the contents of a writer's buffer. False: the writer stops. */
typedef bool (*record_drain)(void *context, const char *bytes, size_t length);

/* The leading digits of the last number, which the next match mostly has too. */
typedef struct record_number {
    uint64_t high; /* value / 10000 */
    size_t length;
    char digits[20];
} record_number;

/* Writes the records of texts, one text after the other. Used by one thread at a time. */
typedef struct record_writer {
    const record_labels *labels;
    record_drain drain;
    void *context;
    struct record_crew *crew; /* NULL, or threads that format the records (record_crew.h) */
    uint64_t matches;         /* written so far, over all texts */
    bool stopped;
    bool numbered;   /* the text is divided by --records: */
    uint64_t record; /* the number of that part, a column behind the file */
    char *prefix;    /* what each line of the text has before `start`, or before `record` */
    size_t prefix_length;
    record_number start;
    record_number end;
    char *buffer;
    size_t used;
} record_writer;

enum { RECORD_BUFFER = 1 << 18 };

void record_writer_open(record_writer *writer, const record_labels *labels, record_drain drain,
                        void *context);

/* Before the first text: has several threads format the records of matches, which are then drained
 * by any of them, one at a time, and at the latest by record_writer_flush. Not for texts that are
 * divided by --records. */
void record_writer_share(record_writer *writer, unsigned threads);

/* Begins a text, whose records name it `file`. */
void record_writer_begin(record_writer *writer, const char *file);

/* A trawl_on_match whose context is the writer. */
int record_writer_match(const trawl_match *match, void *writer);

/* A trawl_on_matches whose context is the writer. */
int record_writer_matches(const trawl_match *matches, size_t count, void *writer);

/* Writes how many matches a part of the text has that --records made. */
void record_writer_count(record_writer *writer, uint64_t record, uint64_t count);

/* Drains the buffer. */
void record_writer_flush(record_writer *writer);

void record_writer_close(record_writer *writer);

/* A file name as a column: escaped if it has a tab, a line end or a backslash. The caller frees it.
 */
char *record_file_text(const char *file, size_t *length);

#endif
