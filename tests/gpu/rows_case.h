/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Rows for tests: random layouts in device memory, and the matches that the oracle finds in each
 * row. */
#ifndef TRAWL_TESTS_ROWS_CASE_H
#define TRAWL_TESTS_ROWS_CASE_H

#include "combinations.h"
#include "trawl/trawl_cuda_rows.h"

enum { MOST_ROWS = 64 };

typedef struct rows_case {
    const test_case *test;
    trawl_match_kind kind;
    const uint32_t *groups; /* of each pattern: the index of its group */
    const uint32_t *ids;    /* of each pattern: its group */
    size_t group_count;
    size_t count; /* rows */
    uint64_t offsets[MOST_ROWS + 1];
    bool present[MOST_ROWS]; /* the row is not null (absent) */
    uint8_t valid[MOST_ROWS / 8 + 8];
    trawl_cuda_rows rows; /* with device pointers */
    void *memory[3];      /* of the device: bytes, offsets, valid */
    /* expected */
    size_t begin[MOST_ROWS + 1]; /* matches of each row */
    match_list matches;          /* in rows, offsets in the row */
    match_list all; /* occurrences in the range that is searched, as one text, without conditions */
} rows_case;

/* Divides a case's text into rows: null rows, empty rows, slices, tails, offsets of 4 or 8 bytes.
 * The caller sets the groups. `test` must outlive the case. */
void rows_case_make(rows_case *made, const test_case *test, trawl_match_kind kind,
                    random_source *random);
void rows_case_free(rows_case *made);

/* The largest number of occurrences of one piece: those that end in it, or, if matches are selected
 * (`ahead`), all that begin in it and some more. */
uint64_t rows_case_most(const rows_case *rows, uint64_t piece_bytes, bool ahead);

/* Whether match m of row `row` is the row's first one of its group. */
bool rows_case_is_first(const rows_case *rows, size_t row, size_t m);

/* The case's set with its conditions, and with groups that the patterns share (NULL: none); NULL if
 * the engine refuses it. */
trawl_db *rows_compile(combination which, const test_case *test, const uint32_t *groups,
                       trawl_match_kind kind);

#endif
