/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Records (trawl_records.h): many texts in one call.
 *
 *     records.c        the public calls
 *     record_worker.c  one thread: which records are searched together
 *     record_divide.c  whose a match is, and what becomes of it
 *     record_crew.c    several threads, and the order of their matches
 *
 * Short records that are adjacent in memory are searched together, as one text, a *stretch*. Spans,
 * which need not be adjacent, are copied together first. A match of the stretch belongs to the
 * record that holds its last byte, and is dropped unless it begins there too:
 *
 *     record      0      | 1       | 2  | 3 (absent)  | 4
 *                   [==]   [====)                           kept
 *                      [===)    [====)     [==)             dropped
 *
 * That finds all matches of a record, as each is a match of the stretch. For the leftmost kinds the
 * selection begins anew in each record. It is given every occurrence that ends in the record, also
 * those that begin before it: such an occurrence may be the only one reported for its end, and the
 * matches inside of it may lie in the record (run/leftmost.h).
 */
#ifndef TRAWL_RUN_RECORDS_H
#define TRAWL_RUN_RECORDS_H

#include "base/team.h"
#include "run/placement.h"
#include "run/scanner.h"
#include "trawl/trawl_records.h"

typedef enum trawl_record_question {
    TRAWL_RECORDS_ANY,
    TRAWL_RECORDS_COUNT,
    TRAWL_RECORDS_WHICH,
    TRAWL_RECORDS_MATCHES
} trawl_record_question;

/* Arrays of counters, which each worker has of its own where they are wanted. */
typedef enum trawl_record_counter {
    TRAWL_COUNT_PATTERNS,           /* matches of each pattern */
    TRAWL_COUNT_PATTERN_IN_RECORDS, /* records with a match of each pattern */
    TRAWL_COUNT_GROUPS,             /* matches of each group */
    TRAWL_COUNT_GROUP_IN_RECORDS,   /* records with a match of each group */
    TRAWL_RECORD_COUNTERS
} trawl_record_counter;

/* One call: the records and where results go. */
typedef struct trawl_record_task {
    trawl_records records; /* the caller's, checked but for the order of its offsets */
    trawl_record_question question;
    bool shared; /* several threads work at once */
    /* any */
    uint8_t *bits, *bytes;
    /* counts */
    uint64_t *per_record;
    bool counted[TRAWL_RECORD_COUNTERS]; /* which counters are wanted */
    bool any_counted;
    /* which (a match for each pattern of a record) and matches */
    trawl_on_record_matches on_matches;
    void *context;
} trawl_record_task;

/* Matches on their way to the receiver. */
typedef struct trawl_record_batch {
    trawl_record_match *items;
    size_t count, capacity;
} trawl_record_batch;

/* Records first + begin to first + end - 1, adjacent in memory. The record with index i has
 * bytes[offset i, offset i+1 - tail). */
typedef struct trawl_record_stretch {
    const uint8_t *bytes;
    const uint8_t *offsets;
    uint32_t offset_bytes, tail;
    uint64_t first, begin, end;
    const uint8_t *valid; /* NULL: all are there; else bit first_bit + index */
    uint64_t first_bit;
} trawl_record_stretch;

/* The current record of a walk. It owns matches that end in (begin, end]; matches of later records
 * end behind `limit`. */
typedef struct trawl_record_place {
    uint64_t index, begin, end, limit;
    bool found; /* the current record has a match */
} trawl_record_place;

/* What one thread needs. */
typedef struct trawl_record_worker trawl_record_worker;
struct trawl_record_worker {
    trawl_scanner *scanner;
    const trawl_record_task *task;
    trawl_error *error;
    trawl_record_stretch stretch;
    trawl_record_place at; /* in the stretch */
    trawl_status status;   /* of handing out matches */
    /* trawl_records_any: bytes of the stretch that lie behind the first match of their record
     * (which need not be searched), and for how many more stretches records are searched one by
     * one. */
    uint64_t behind;
    unsigned one_by_one;
    /* All records are searched one by one, as the set has a pair of automata with conditions
     * (run/case_pair.h). In texts one behind the other each position may be a border, so that all
     * nested patterns would have to be put; and the best match of a start may be in two records. */
    bool each_alone;
    /* Records are searched one by one for the questions that need not put each match: which have
     * one, and how many. So many patterns can end at a position that putting them takes longer than
     * beginning a search for each record. */
    bool counted_alone;
    /* results */
    uint64_t total; /* matches, or records with a match */
    uint64_t *counters[TRAWL_RECORD_COUNTERS];
    uint32_t *group_seen; /* as the scanner's `seen`, for groups */
    trawl_record_batch batch;
    trawl_status (*flush)(trawl_record_worker *worker); /* empties the batch or makes it larger */
    void *flush_context;
    /* copies of spans */
    uint8_t *text;
    uint32_t *offsets;
};

/* Opens a worker; close it also after a failure. */
trawl_status trawl_record_worker_open(trawl_record_worker *worker, const trawl_db *db,
                                      const trawl_scan_options *options, trawl_error *error);
void trawl_record_worker_close(trawl_record_worker *worker);

/* Searches the records of worker->stretch together. */
trawl_status trawl_record_search_stretch(trawl_record_worker *worker);

/* Whether each match that lies in a record is one of its results: no condition, no selection. */
bool trawl_record_worker_is_plain(const trawl_record_worker *worker);

/* trawl_records_any: notes that a record has a match. */
void trawl_record_mark(const trawl_record_task *task, uint64_t record);

/* Searches records [begin, end) of worker->task. */
trawl_status trawl_record_worker_search(trawl_record_worker *worker, uint64_t begin, uint64_t end);

/* The end of a share that begins with record `begin`: the share has `bytes` bytes or somewhat more,
 * and at least one record. */
uint64_t trawl_records_reach(const trawl_records *records, uint64_t begin, uint64_t bytes);

/* A share whose matches wait for those of the shares before it. */
typedef struct trawl_record_slot {
    trawl_record_batch batch;
    bool finished;
} trawl_record_slot;

struct trawl_record_scanner {
    const trawl_db *db;
    uint32_t threads;
    uint64_t share_bytes; /* of the records that a thread takes at a time */
    trawl_record_worker *workers;
    trawl_team *team;         /* NULL: one thread */
    trawl_placing placing;    /* of its threads */
    trawl_record_slot *slots; /* slot_count; NULL: one thread */
    size_t slot_count;
};

/* Searches all records of a task with the scanner's threads, of which there are several. */
trawl_status trawl_record_crew_search(trawl_record_scanner *scanner, const trawl_record_task *task,
                                      trawl_error *error);

#endif
