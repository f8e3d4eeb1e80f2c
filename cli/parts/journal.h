/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The folder of a scan in segments, which can be ended at any moment and continued:
 *
 *     run          what the scan is of (cli/parts/run.h); appears first, and never changes
 *     lock         held by the processes that scan
 *     part-W       the results of the segments that writer W has finished, one behind the other
 *     journal-W    a journal_record for each of them, written when the result is on the disk
 *
 * A writer is a thread or an MPI rank. What follows in part-W behind the last record is of a
 * segment that was not finished; the next writer W cuts it off.
 *
 * Functions that fail have reported why.
 */
#ifndef CLI_PARTS_JOURNAL_H
#define CLI_PARTS_JOURNAL_H

#include <xxhash.h>

#include "cli/parts/run.h"

typedef struct journal_record {
    uint64_t run;     /* parts_run_name */
    uint64_t segment; /* its number */
    uint64_t begin;   /* the result is bytes [begin, begin + length) of the part */
    uint64_t length;
    uint64_t result;   /* XXH3 (64 bits) of the result */
    uint64_t matches;  /* in the segment */
    uint64_t bytes;    /* of text, decompressed, that were scanned */
    uint64_t checksum; /* XXH3 (64 bits) of all before */
} journal_record;

/* Where a finished segment's result is. */
typedef struct journal_place {
    bool finished;
    unsigned writer;
    journal_record record;
} journal_place;

typedef struct parts_journal {
    char *folder;
    parts_run run;
    uint64_t name;         /* parts_run_name */
    journal_place *places; /* one for each segment */
    size_t segments;
    size_t finished;
    uint64_t *ends; /* for each writer so far: bytes of its part that are recorded */
    uint64_t *journal_ends;
    unsigned writers;
    int lock; /* descriptor, or -1 */
} parts_journal;

/* How a folder is opened. */
typedef enum journal_use {
    JOURNAL_BEGIN = 0, /* there must be no scan in it */
    JOURNAL_RESUME,    /* a scan in it is continued; if there is none, one begins */
    JOURNAL_READ       /* there must be a scan in it */
} journal_use;

/* Whether the folder has a scan. */
bool journal_exists(const char *folder);

/* Takes the lock and writes the file `run`, or compares it with the one that is there. Takes *run
 * over, also on failure. A run->identity.segment of 0: that of the scan in the folder, or
 * `segment`. Close the journal in any case. */
bool journal_open(parts_journal *journal, const char *folder, journal_use use, parts_run *run,
                  uint64_t segment);

/* Shares the lock, for a scan by several processes: that which has opened the journal calls this
 * first, then the others. Whoever opens the journal later is refused until all of them have ended:
 * a process that has lost the others may still write. False after reporting. */
bool journal_share_lock(parts_journal *journal);

/* Whether the journals in the folder have as many records as segments, or might have: found before
 * memory is taken for these, as a damaged file may say anything. False after reporting. */
bool journal_has_enough(const parts_journal *journal);

/* Reads the records of all writers, for `segments` segments. To resume, with the lock, an
 * unreadable last record is cut off; else it is an error. */
bool journal_read(parts_journal *journal, size_t segments, bool resume);

/* Matches in the segments that are finished; of PARTS_LINES lines. */
uint64_t journal_matches(const parts_journal *journal);

void journal_close(parts_journal *journal);

/* ------------------------------------------------------------------ writers */

typedef struct part_writer {
    const parts_journal *journal;
    char *part_path;
    char *journal_path;
    int part;
    int records;
    uint64_t begin; /* of the segment under way */
    uint64_t end;
    XXH3_state_t *state;
    bool failed; /* reported; what is written is dropped */
} part_writer;

/* Opens the files of a writer, which only this one may have open. Close it in any case. */
bool part_writer_open(part_writer *writer, const parts_journal *journal, unsigned number);

/* Appends to the segment under way. */
bool part_writer_put(part_writer *writer, const void *bytes, size_t length);

/* Writes the segment to the disk, and then its record. */
bool part_writer_finish(part_writer *writer, size_t segment, uint64_t matches, uint64_t bytes);

/* Drops the segment under way. */
bool part_writer_drop(part_writer *writer);

void part_writer_close(part_writer *writer);

/* ------------------------------------------------------------------ reading */

/* Compares all results with their checksums. Every segment must be finished. */
bool journal_check_parts(const parts_journal *journal);

/* Takes bytes of a segment's result; false: stop. */
typedef bool (*journal_on_bytes)(void *context, const uint8_t *bytes, size_t length);

/* Passes on the result of each segment, in the order of segments. False also if a part is no longer
 * that which was checked. */
bool journal_copy_parts(const parts_journal *journal, journal_on_bytes on_bytes, void *context);

/* The result of one segment in memory, with one byte of room more; NULL after reporting. The caller
 * frees it. */
uint8_t *journal_result(const parts_journal *journal, size_t segment);

#endif
