/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Rows: many texts in device memory in one call. The counterpart of trawl_records.h for the columns
 * of a data frame on a GPU, in the layout of Arrow and cuDF.
 *
 * Each row is a text of its own: no match reaches from one into another, and offsets count from the
 * row's first byte. What is found in a row is what trawl_records_collect finds in it, by the
 * database's match kind and conditions. Four questions:
 *
 *     TRAWL_CUDA_ROWS_ANY      which rows have a match?
 *     TRAWL_CUDA_ROWS_COUNT    how many matches has each row?
 *     TRAWL_CUDA_ROWS_WHICH    which patterns does each row have?
 *     TRAWL_CUDA_ROWS_MATCHES  which matches?
 *
 *     trawl_cuda_upload          copies a database to a device, once (trawl_cuda.h)
 *     trawl_cuda_rows_workspace  says how much device memory calls of a size need
 *     trawl_cuda_rows_scan       launches a search in a stream of the caller, any number of times
 *
 *     trawl_cuda_rows_options options = TRAWL_CUDA_ROWS_OPTIONS;
 *     options.form = TRAWL_CUDA_ROWS_ANY;
 *     options.most_bytes = 1 << 30; // of all rows of a call together
 *     options.most_rows = 10000000;
 *     trawl_cuda_rows_workspace(uploaded, &options, &workspace_bytes, &error);
 *     // allocate `workspace`, `summary` and `found` on the device, then for each column:
 *     trawl_cuda_rows rows = TRAWL_CUDA_ROWS;
 *     rows.count = count;
 *     rows.bytes = bytes; // device memory, as are the offsets
 *     rows.end = bytes_of_the_column;
 *     rows.offsets = offsets;
 *     rows.offset_bytes = 4;
 *     trawl_cuda_row_results results = {.summary = summary, .found = found};
 *     trawl_cuda_rows_scan(uploaded, &options, &rows, &results, workspace, workspace_bytes, stream,
 *                          &error);
 *
 * trawl_cuda_rows_scan only launches: it allocates nothing, waits for nothing and copies nothing
 * between host and device. The text is searched as one text, in pieces; each match is then given to
 * the row that it ends in, and dropped if that row begins behind the start of the match, or if it
 * does not fulfil its condition. Leftmost matches are selected last.
 *
 * The conventions of trawl_cuda.h hold: errors, threads, streams, builds without a CUDA module.
 */
#ifndef TRAWL_TRAWL_CUDA_ROWS_H
#define TRAWL_TRAWL_CUDA_ROWS_H

#include "trawl/trawl_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ where rows are */

/*
 * Rows in device memory: row i is bytes[offsets[i], offsets[i + 1] - tail), or empty where that
 * would end before it begins. Of a slice pass the address of its first offset; the first offset
 * need not be 0.
 *
 * The host does not read the offsets. It has to know a range in which all rows lie: bytes[begin,
 * end) is searched. For a whole column that is 0 and the length of its bytes; for a slice these
 * will do as well, but what no row has is searched in vain.
 *
 * A row whose bit in `valid` is 0 is null: it matches nothing, and its bytes, which may hold
 * anything, are not reported.
 */
typedef struct trawl_cuda_rows {
    size_t size; /* sizeof(trawl_cuda_rows) */
    uint64_t count;
    const void *bytes;     /* device memory, or page-locked host memory that the device can read */
    uint64_t begin, end;   /* into `bytes` */
    const void *offsets;   /* device memory: count + 1 of them, aligned to offset_bytes */
    uint32_t offset_bytes; /* of each offset: 4 or 8 */
    uint32_t tail;         /* bytes at the end of each row that do not belong to it: 1 for lines */
    const uint8_t *valid;  /* NULL: no nulls; else device memory: bits, least significant first */
    uint64_t valid_offset; /* number of the first row's bit */
} trawl_cuda_rows;
#define TRAWL_CUDA_ROWS TRAWL_SIZED(trawl_cuda_rows)

/* ------------------------------------------------------------------ what is asked */

typedef enum trawl_cuda_rows_form {
    TRAWL_CUDA_ROWS_ANY = 0,    /* bits, found */
    TRAWL_CUDA_ROWS_COUNT = 1,  /* per_row, per_pattern, per_group */
    TRAWL_CUDA_ROWS_WHICH = 2,  /* begin, ids, in_rows */
    TRAWL_CUDA_ROWS_MATCHES = 3 /* begin, matches */
} trawl_cuda_rows_form;

/* For the workspace and for the calls that use it: the same values. */
typedef struct trawl_cuda_rows_options {
    size_t size; /* sizeof(trawl_cuda_rows_options) */
    trawl_cuda_rows_form form;
    const char *kernel;  /* NULL: the engine's default; else a name (trawl_kernel_describe) */
    uint64_t most_bytes; /* of a call: end - begin is at most so much; 2^48 at most */
    uint64_t most_rows;  /* of a call; 2^48 at most */
    /* The text is searched in pieces of so many bytes; 0: 512 MiB. */
    uint64_t piece_bytes;
    /* Matches of a piece that the workspace has room for, before those that cross a border are
     * dropped: at most 2^32 - 2; 0: one for 64 bytes of a piece, and 1,024. Each takes 16 bytes of
     * the workspace; in form MATCHES 24, in form WHICH 32 to 40. Where leftmost matches are
     * selected, each takes 16 more, and 40 in form COUNT. */
    uint64_t piece_matches;
    const struct trawl_study_scan_options *study; /* NULL, or see trawl_study.h */
} trawl_cuda_rows_options;
#define TRAWL_CUDA_ROWS_OPTIONS TRAWL_SIZED(trawl_cuda_rows_options)

/* ------------------------------------------------------------------ what is found */

/*
 * In device memory, overwritten by each call. Read it when the stream has got so far:
 *  - If bad_row is not UINT64_MAX, nothing was searched.
 *  - If piece_matches is more than piece_room, the results lack whole pieces. Search again with
 *    room for so many matches, or in smaller pieces.
 *  - If total is more than the results' capacity, `ids` or `matches` have only the first of them.
 *    Search again with room for so many. All else is complete.
 * Its layout never changes.
 */
typedef struct trawl_cuda_rows_summary {
    uint64_t total;         /* ANY: rows with a match; WHICH: ids; COUNT, MATCHES: matches */
    uint64_t piece_matches; /* most matches that the search of a piece found, for leftmost kinds
                               most of those that are selected from */
    uint64_t piece_room;    /* matches of a piece that there was room for: the options', or what
                               was chosen */
    uint64_t bad_row;       /* the first row whose offsets decrease, or are not within begin and
                               end; UINT64_MAX: none */
} trawl_cuda_rows_summary;

/* Device memory of the caller. Pointers may be NULL but for `summary`; in forms WHICH and MATCHES
 * for `begin`; and for `ids` or `matches` if capacity is not 0. Results that the form does not have
 * are not touched. Its layout never changes. */
typedef struct trawl_cuda_row_results {
    trawl_cuda_rows_summary *summary;
    /* ANY */
    uint32_t *bits; /* bit i % 32 of word i / 32: row i has a match. Whole words are written; bits
                       behind the last row are 0 */
    uint8_t *found; /* a byte for each row, 0 or 1 */
    /* COUNT */
    uint64_t *per_row;     /* matches of each row */
    uint64_t *per_pattern; /* matches of each pattern */
    uint64_t *per_group;   /* matches of each group: trawl_db_groups of them (trawl_groups.h) */
    /* WHICH and MATCHES: what row i has is item begin[i] to begin[i + 1] - 1 */
    uint64_t *begin; /* count + 1 of them, also right if not all items had room */
    /* WHICH: each row's patterns by their groups (without groups by their ids), each once, in the
     * order of their first matches */
    uint32_t *ids;
    uint64_t *in_rows; /* rows that have a pattern of the group: trawl_db_groups of them */
    /* MATCHES, in each row in the order of trawl_scan. `end` counts from the row's first byte */
    trawl_cuda_match *matches;
    uint64_t capacity; /* ids or matches that there is room for */
} trawl_cuda_row_results;

/* ------------------------------------------------------------------ calls */

/* Sets *bytes to the device memory that calls with these options need besides their results. It
 * grows with the size of a piece, and hardly with most_bytes.
 * Errors: those of trawl_cuda_rows_scan. */
TRAWL_API trawl_status trawl_cuda_rows_workspace(const trawl_cuda_db *uploaded,
                                                 const trawl_cuda_rows_options *options,
                                                 size_t *bytes, trawl_error *error);

/* Launches a search of rows in `stream` (a cudaStream_t; NULL is the default stream). The results
 * are there when the stream has got so far. The database, the rows, the results and the workspace
 * (aligned to 256 bytes) must stay until then; the structures in the arguments need not. Any number
 * of threads may call it at once, each with a workspace and results of its own.
 * Errors: TRAWL_ERROR_ARGUMENT, also for more bytes or rows than the options say;
 * TRAWL_ERROR_LIMIT if the kernel cannot write matches, with the reason; TRAWL_ERROR_DEVICE. After
 * an error the results mean nothing. */
TRAWL_API trawl_status trawl_cuda_rows_scan(const trawl_cuda_db *uploaded,
                                            const trawl_cuda_rows_options *options,
                                            const trawl_cuda_rows *rows,
                                            const trawl_cuda_row_results *results, void *workspace,
                                            size_t workspace_bytes, void *stream,
                                            trawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
