/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Replacing matches (trawl_replace.h).
 *
 *     replace.c           what a match is replaced with; texts in memory and in pieces
 *     replace_records.c   records
 *
 * Matches come in order and do not overlap. For each the text before it is copied, then its
 * replacement:
 *
 *     text     |..........[match 1)......[match 2).........
 *     result   |..........<one>......<two>.........
 *              ^ copied up to here: self->copied
 *
 * A text in pieces is searched as a flow. Bytes whose matches are not decided yet are kept until
 * the next piece.
 *
 * With several threads a run finds the matches (run/threads.c). It hands them over in order, to one
 * thread at a time, so that the result is copied as by one thread, while the others search.
 */
#ifndef TRAWL_RUN_REPLACE_H
#define TRAWL_RUN_REPLACE_H

#include "run/run.h"
#include "run/scanner.h"
#include "trawl/trawl_replace.h"

/* Where a result goes: into memory of `capacity` bytes. When that is full, on_bytes receives its
 * bytes and it is used again; without on_bytes, further bytes are only counted. */
typedef struct trawl_replace_output {
    uint8_t *bytes;
    size_t capacity, used;
    trawl_on_bytes on_bytes;
    void *context;
    uint64_t total; /* bytes of the result */
    bool stopped;   /* on_bytes has asked to stop */
} trawl_replace_output;

struct trawl_replacer {
    const trawl_db *db;
    trawl_replace_options options;
    trawl_scanner *scanner;
    trawl_run *run;                /* for long texts; NULL: one thread */
    trawl_record_scanner *records; /* NULL until records are replaced */
    trawl_scan_options scan; /* for opening `run` and `records`; has no pointers of the caller */
    trawl_study_scan_options study;
    uint8_t *gathered; /* small parts of a result, TRAWL_GATHERED bytes */
    /* a text in pieces */
    void *flow;
    uint8_t *kept;      /* bytes [kept_at, kept_at + kept_length) of the text: not yet decided */
    size_t kept_length; /* fewer than max_length + 1 */
    uint64_t kept_at;
    uint64_t flow_replaced;
    trawl_status flow_status; /* the first result that was not TRAWL_OK */
};

/* Bytes of small parts that are handed out together: fewer calls against what stays in the caches.
 * No measurement chose it. */
#define TRAWL_GATHERED ((size_t)65536)

/* What a match is replaced with, *length bytes; NULL: it stays as it is. With TRAWL_REPLACE_MASK
 * only the length counts. */
const uint8_t *trawl_replacer_with(const trawl_replacer *self, const trawl_match *match,
                                   size_t *length);

#endif
