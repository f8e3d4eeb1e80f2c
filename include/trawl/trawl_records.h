/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Records: many texts in one call. Rows of a column, lines, reads, packets, documents.
 *
 * Each record is a text of its own: no match reaches from one into another, and offsets count from
 * the record's first byte. What is found in a record is what trawl_scan finds in it, by the
 * database's match kind. Five questions:
 *
 *     trawl_records_any       which records have a match?
 *     trawl_records_count     how many matches has each record, and in how many is each pattern?
 *     trawl_records_which     which patterns does each record have?
 *     trawl_records_scan      which matches? For a callback
 *     trawl_records_collect   the same, in arrays
 *
 * Short records are searched together, as one text, so that they take hardly more time than one
 * long text of the same bytes.
 *
 *     uint32_t offsets[] = {0, 3, 3, 9};                    // "abc", "", "xabcab"
 *     trawl_records records = TRAWL_RECORDS;
 *     records.count = 3;
 *     records.bytes = "abcxabcab";
 *     records.offsets = offsets;
 *     records.offset_bytes = sizeof *offsets;
 *     trawl_record_scanner *scanner;
 *     if (trawl_record_scanner_open(db, NULL, &scanner, &error) == TRAWL_OK) {
 *         uint8_t bits[1];
 *         trawl_records_any(scanner, &records, bits, NULL, NULL, &error);
 *         trawl_record_scanner_close(scanner);
 *     }
 */
#ifndef TRAWL_TRAWL_RECORDS_H
#define TRAWL_TRAWL_RECORDS_H

#include "trawl/trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ where records are */

/* Bytes anywhere in memory; `bytes` may be NULL if length is 0. Its layout never changes. */
typedef struct trawl_span {
    const void *bytes;
    size_t length;
} trawl_span;

/*
 * Records in one of two layouts:
 *  - One after the other in `bytes`: record i is bytes[offsets[i], offsets[i + 1] - tail), or empty
 *    where that would end before it begins. This is the layout of Arrow's strings and binaries; of
 *    a slice pass the address of its first offset. Offsets must not decrease; the first one need
 *    not be 0.
 *  - Spans, each with an address of its own, in any order; they may overlap. `offsets` is NULL.
 * A record whose bit in `valid` is 0 is absent: it matches nothing, and its bytes, which may hold
 * anything, are not reported. Of a slice pass the number of its first bit as valid_offset.
 */
typedef struct trawl_records {
    size_t size; /* sizeof(trawl_records) */
    uint64_t count;
    const void *bytes;     /* up to the last offset, less the tail; NULL if all offsets are 0 */
    const void *offsets;   /* count + 1 of them, little-endian; any alignment */
    uint32_t offset_bytes; /* of each offset: 4 or 8 */
    uint32_t tail; /* bytes at the end of each record that do not belong to it: 1 for lines */
    const trawl_span *spans; /* `count` of them; only without offsets */
    const uint8_t *valid;    /* NULL: all are there; else bits, least significant first */
    uint64_t valid_offset;
} trawl_records;
#define TRAWL_RECORDS TRAWL_SIZED(trawl_records)

/* ------------------------------------------------------------------ scanners of records */

/* What scans of records need, made once for a database; with several threads also these, which
 * sleep between calls. One thread at a time may use it. In the child of a fork it starts new
 * threads (trawl.h). */
typedef struct trawl_record_scanner trawl_record_scanner;

/* Opens a scanner of records. The database must outlive it. The caller owns *scanner; free it with
 * trawl_record_scanner_close. `options` may be NULL: one thread. options->threads share the records
 * of a call; one record is never divided. A GPU, also one that "auto" would take, is refused with
 * TRAWL_ERROR_ARGUMENT, and a report is not filled in.
 * Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_LIMIT, TRAWL_ERROR_MEMORY, and those of trawl_scan for
 * wrong options; *scanner is then NULL. */
TRAWL_API trawl_status trawl_record_scanner_open(const trawl_db *db,
                                                 const trawl_scan_options *options,
                                                 trawl_record_scanner **scanner,
                                                 trawl_error *error);

/* Frees it; NULL is allowed. */
TRAWL_API void trawl_record_scanner_close(trawl_record_scanner *scanner);

/* ------------------------------------------------------------------ questions */

/*
 * All five calls: the records are those of a layout above. Errors: TRAWL_ERROR_ARGUMENT, also for
 * offsets that decrease, which the sentence names; TRAWL_ERROR_MEMORY, only from calls that have to
 * allocate. With one thread trawl_records_any, trawl_records_count and trawl_records_scan never
 * allocate; with several, trawl_records_any never, trawl_records_count once for the counters of
 * each thread, and trawl_records_scan until its buffers are large enough. An exception bounds the
 * time: if records are so full of candidates that the filters of a set with more than 64 KiB of
 * patterns save nothing, the automaton that takes over is built, once. No memory for it is no
 * error.
 */

/* Which records have a match. `bits`: NULL, or a bit for each record, least significant first, in
 * (count + 7) / 8 bytes; bits behind the last record are 0. `bytes`: NULL, or a byte for each
 * record, 0 or 1. `found`: NULL, or how many records have a match. Where it saves time, the search
 * of a record ends at its first match. */
TRAWL_API trawl_status trawl_records_any(trawl_record_scanner *scanner,
                                         const trawl_records *records, uint8_t *bits,
                                         uint8_t *bytes, uint64_t *found, trawl_error *error);

/* Counts. The caller's arrays are NULL or have an element for each record, pattern or group, and
 * are overwritten. */
typedef struct trawl_record_counts {
    size_t size;           /* sizeof(trawl_record_counts) */
    uint64_t total;        /* matches of all records: filled in */
    uint64_t *per_record;  /* matches of each record */
    uint64_t *per_pattern; /* matches of each pattern */
    uint64_t *in_records;  /* records that have the pattern */
    /* trawl_groups.h; these have trawl_db_groups elements */
    uint64_t *per_group;        /* matches of each group */
    uint64_t *group_in_records; /* records that have a pattern of the group */
} trawl_record_counts;
#define TRAWL_RECORD_COUNTS TRAWL_SIZED(trawl_record_counts)

/* Counts matches; *counts says what is wanted. After an error the numbers mean nothing. */
TRAWL_API trawl_status trawl_records_count(trawl_record_scanner *scanner,
                                           const trawl_records *records,
                                           trawl_record_counts *counts, trawl_error *error);

/* Patterns of each record, by their groups (trawl_groups.h; without groups by their ids): those of
 * record i are ids[begin[i]] to ids[begin[i + 1] - 1], each once, in the order of their first
 * matches. The next call uses the memory again; free it with trawl_record_ids_free. Begins as
 * {NULL}. Its layout never changes. */
typedef struct trawl_record_ids {
    uint64_t *begin; /* one more than records */
    uint32_t *ids;
} trawl_record_ids;

/* Sets *ids to the patterns of each record. After an error its items mean nothing; free it all the
 * same. */
TRAWL_API trawl_status trawl_records_which(trawl_record_scanner *scanner,
                                           const trawl_records *records, trawl_record_ids *ids,
                                           trawl_error *error);

/* Frees the arrays and makes *ids empty. NULL is allowed. */
TRAWL_API void trawl_record_ids_free(trawl_record_ids *ids);

/* A match in a record; offsets are in the record, in bytes. Its layout never changes. */
typedef struct trawl_record_match {
    uint64_t record;
    uint64_t start, end;
    uint32_t pattern;
    uint32_t reserved; /* 0 */
} trawl_record_match;

/* Receives the next `count` matches, 1 or more. Returns 0 to go on, anything else to stop after
 * these. It is never called by two threads at once. It must not use the scanner. */
typedef int (*trawl_on_record_matches)(const trawl_record_match *matches, size_t count,
                                       void *context);

/* Calls on_matches for all matches: by record, and in each record in the order of trawl_scan.
 * Returns TRAWL_STOPPED if on_matches asked to stop. */
TRAWL_API trawl_status trawl_records_scan(trawl_record_scanner *scanner,
                                          const trawl_records *records,
                                          trawl_on_record_matches on_matches, void *context,
                                          trawl_error *error);

/* Matches of each record: those of record i are items[begin[i]] to items[begin[i + 1] - 1]. Memory
 * as in trawl_record_ids; free it with trawl_record_matches_free. Its layout never changes. */
typedef struct trawl_record_matches {
    uint64_t *begin; /* one more than records */
    trawl_record_match *items;
} trawl_record_matches;

/* Sets *matches to the matches of each record. After an error its items mean nothing; free it all
 * the same. */
TRAWL_API trawl_status trawl_records_collect(trawl_record_scanner *scanner,
                                             const trawl_records *records,
                                             trawl_record_matches *matches, trawl_error *error);

/* Frees the arrays and makes *matches empty. NULL is allowed. */
TRAWL_API void trawl_record_matches_free(trawl_record_matches *matches);

#ifdef __cplusplus
}
#endif
#endif
