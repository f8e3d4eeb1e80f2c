/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Test cases: a pattern set, a text, and the matches expected of it.
 *
 * The shared case table is the text files of tests/cases. A case is a block of lines:
 *
 *     case NAME
 *     pattern FLAGS BYTES         FLAGS is `-`, or `i` for ASCII case-insensitive
 *     pattern*N FLAGS BYTES       BYTES repeated N times
 *     condition CONDITION         of the last pattern, as below
 *     text BYTES                  several text lines are joined
 *     text*N BYTES
 *     all MATCHES
 *     leftmost-first MATCHES
 *     leftmost-longest MATCHES
 *
 * CONDITION is a list of left=CLASS, right=CLASS, start=LEAST, end=GREATEST, at-start, at-end;
 * CLASS is word, word-utf8, alnum, label, vowels, one-case or nothing (the last three are the
 * oracle's own). BYTES is the rest of the line with the escapes \n \r \t \\ \0 \xNN. MATCHES is a
 * list of ID:START-END in canonical order; `{ ... }+STEP*N` is the list between the braces N times,
 * each time STEP bytes further. A kind without a line has no literal expectation. Empty lines and
 * lines that begin with # are skipped.
 */
#ifndef TRAWL_TESTS_CASE_H
#define TRAWL_TESTS_CASE_H

#include "oracle.h"

#include <stdio.h>

enum { MATCH_KINDS = 3 };

/* "all", "leftmost-first", "leftmost-longest": as the command line spells them. */
extern const char *const match_kind_names[MATCH_KINDS];

typedef struct test_case {
    char *name;
    trawl_pattern *patterns;     /* .bytes owned by the case */
    trawl_condition *conditions; /* of each pattern; all 0: none */
    bool conditioned;            /* a pattern has one */
    size_t count;
    size_t capacity;
    uint8_t *text;
    size_t length;
    size_t text_capacity;
    bool expects[MATCH_KINDS]; /* whether expected[kind] is given */
    match_list expected[MATCH_KINDS];
} test_case;

void test_case_add_pattern(test_case *test, const void *bytes, size_t length, unsigned flags);
void test_case_remove_pattern(test_case *test, size_t id);
void test_case_append_text(test_case *test, const void *bytes, size_t length);

/* Sets the condition of pattern `id`. */
void test_case_set_condition(test_case *test, size_t id, const trawl_condition *condition);

/* The matches that the oracle finds. */
void test_case_search(const test_case *test, trawl_match_kind kind, match_list *found);

/* A copy of name, patterns and text, without expectations. */
void test_case_copy(test_case *to, const test_case *from);
void test_case_free(test_case *test);

/* A pattern set of the library with the case's patterns; NULL (and a message) on failure. */
trawl_patterns *test_case_patterns(const test_case *test, trawl_error *error);

typedef struct test_case_list {
    test_case *items;
    size_t count;
} test_case_list;

/* Appends the cases of a file. Returns false with "file:line: what" in `message`. */
bool test_cases_read(test_case_list *list, const char *path, char *message, size_t size);

/* Appends the cases of every .txt file of TRAWL_TEST_CASES_DIR, in the order of their names. */
bool test_cases_read_all(test_case_list *list, char *message, size_t size);
void test_cases_free(test_case_list *list);

/* Writes a condition as above; nothing if it demands nothing. */
void condition_print(FILE *file, const trawl_condition *condition);

/* Writes the case in the format above (case_print.c), so that it can be pasted into a file. */
void test_case_print(FILE *file, const test_case *test);

/* Writes a shell command that scans the case with the trawl program: patterns and text through
 * printf, `options` as further arguments. */
void test_case_print_command(FILE *file, const test_case *test, const char *options);

/* Writes matches as ID:START-END, at most `limit` of them. */
void match_list_print(FILE *file, const match_list *list, size_t limit);

#endif
