/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The description of a scan in segments: its texts, patterns and options. All processes that share
 * a scan must agree about it. In a journal's folder it is the file `run`:
 *
 *     magic        8 bytes, "trawlrun"
 *     version      16 bytes: trawl_version(), filled up with zeros
 *     identity     parts_identity
 *     texts        uint64_t number of texts; for each its size, seconds, nanoseconds, `whole` and
 *                  length of its name, uint64_t each; then all names, without separators
 *     checksum     uint64_t: XXH3 (64 bits) of all before. It is also the name of the run, which
 *                  each record of the journal has
 *
 * All numbers are little-endian.
 */
#ifndef CLI_PARTS_RUN_H
#define CLI_PARTS_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PARTS_MOST_SHARDS = 1 << 30 };

typedef struct parts_text {
    char *name;
    uint64_t bytes; /* of the file, as it is stored */
    uint64_t seconds;
    uint64_t nanoseconds; /* both: the time of its last change */
    bool whole;           /* compressed, so that it cannot be read from the middle */
} parts_text;

/* Everything but the texts. Members are written to files as they are. */
typedef struct parts_identity {
    uint64_t patterns; /* checksum of the pattern set */
    uint64_t matches;  /* trawl_match_kind */
    uint64_t kind;     /* of the results: matches, counts of texts, most frequent patterns, or
                          PARTS_LINES */
    uint64_t format;
    uint64_t with_pattern;
    uint64_t top;
    uint64_t several;  /* counts have the names of their texts */
    uint64_t whole;    /* no text is cut, as matches depend on all of it (cli/scan/describe.c) */
    uint64_t shard;    /* this is shard number `shard`, from 1 on, ... */
    uint64_t shards;   /* ... of `shards` shards; 1 of 1: everything */
    uint64_t segment;  /* bytes of a segment */
    uint64_t division; /* how shards are cut: parts_division */
    uint64_t options;  /* PARTS_LINES: a checksum of all other options that results depend on */
} parts_identity;

/* A parts_identity.kind: of `trawl grep`, with a lines_mode (cli/parts/lines.h) as its format. The
 * smaller ones are those of `trawl scan`. */
enum { PARTS_LINES = 16 };

typedef enum parts_division {
    PARTS_BALANCED = 0, /* shard k begins at byte floor((k - 1) * bytes / shards) */
    PARTS_PAPER = 1     /* at (k - 1) * floor(bytes / shards); segments are the shards */
} parts_division;

typedef struct parts_run {
    parts_identity identity;
    char version[16];
    parts_text *texts;
    size_t count;
} parts_run;

/* Appends a text; copies the name. */
void parts_run_add(parts_run *run, const parts_text *text);

/* The run as bytes, and their number. The caller frees them. */
uint8_t *parts_run_write(const parts_run *run, size_t *length);

/* The checksum at the end of such bytes. */
uint64_t parts_run_name(const uint8_t *bytes, size_t length);

/* Reads such bytes, of the file `path`. False after reporting that they are damaged. Release the
 * run in any case. */
bool parts_run_read(parts_run *run, const uint8_t *bytes, size_t length, const char *path);

/* Whether `wanted` is the scan that `found` in the folder was begun with. False after reporting the
 * first difference. `shard` false: both may be any shards of one scan. */
bool parts_run_same(const parts_run *found, const parts_run *wanted, const char *folder,
                    bool shard);

/* Whether the file still has the size and time of the text. False after reporting that it has not,
 * unless *told is set (report_once). */
bool parts_text_unchanged(const parts_text *text, atomic_bool *told);

void parts_run_release(parts_run *run);

#endif
