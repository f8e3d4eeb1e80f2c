/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The matching parts of a line: the leftmost match, of several the longest, then the same after its
 * end. They are chosen while matches are found, in memory for the parts and the longest pattern:
 *
 *     next         `last`, end of the match found last
 *     |<- longest ->|
 *  ---+-------------+----
 *     ^ a match that begins before `next` and is still to be found would end after `last`: so
 *       what begins there is decided
 */
#ifndef CLI_GREP_PARTS_H
#define CLI_GREP_PARTS_H

#include "cli/grep/print.h"
#include "cli/grep/set.h"

typedef struct grep_parts {
    grep_spans spans; /* the parts that are decided; the caller may remove them */

    /* private */
    const grep_set *set;
    const uint8_t *line;
    const uint8_t *part_end; /* of the last part; the next one may begin there */
    const uint8_t *next;     /* matches that begin before this are decided */
    const uint8_t *last;     /* end of the match added last */
    size_t undecided;        /* starts that have a length */
    uint32_t *lengths;       /* of the longest match from each start, 0: none; item: the start's
                                distance from the line, modulo `size` */
    size_t size;             /* a power of two, above the length of patterns; 0: not allocated */
} grep_parts;

/* Begins a line. The set stays as it is until grep_parts_end. */
void grep_parts_begin(grep_parts *parts, const grep_set *set, const uint8_t *line);

/* Adds a match whose end -w and -x accept. Matches are added in the order of their ends. */
void grep_parts_add(grep_parts *parts, const uint8_t *start, const uint8_t *end);

/* Decides about all matches. */
void grep_parts_end(grep_parts *parts);

/* Finds the parts of [line, end), a line with its line end. False after reporting. */
bool grep_parts_find(grep_parts *parts, const grep_set *set, const uint8_t *line,
                     const uint8_t *end);

void grep_parts_release(grep_parts *parts);

#endif
