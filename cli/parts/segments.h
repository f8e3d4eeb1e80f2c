/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * How texts are divided. The sizes of all texts, one behind the other, give every byte a position;
 * shards are ranges of positions, and segments ranges of a shard:
 *
 *     texts      |  a  |          b           | c |d|   e    |
 *     shards     |        1         |         2              |
 *     segments   |  0  |  1  |  2   |  0  |      1  |   2    |
 *
 * Each process computes the same division from the same sizes. A match belongs to the shard and
 * segment of its last byte, so that no match is lost or counted twice at a cut. A text that cannot
 * be cut belongs to the shard of its first byte.
 */
#ifndef CLI_PARTS_SEGMENTS_H
#define CLI_PARTS_SEGMENTS_H

#include <stdatomic.h>

#include "cli/parts/run.h"

/* Bytes [begin, end) of a text. All of it: from 0 to its size. */
typedef struct parts_piece {
    size_t text;
    uint64_t begin;
    uint64_t end;
} parts_piece;

typedef struct segment_list {
    parts_piece *pieces;
    size_t piece_count;
    size_t *ends; /* segment i has pieces[ends[i - 1], ends[i]); segment 0 begins at 0 */
    size_t count;
    atomic_bool *failed; /* for each text: it cannot be read any more, as a worker has reported */
    size_t capacity;     /* private */
    size_t end_capacity; /* private */
} segment_list;

/* Divides the shard of run->identity. A text longer than a segment has segments of its own, the
 * last of which may be shared with smaller texts behind it; these are not cut. With PARTS_PAPER and
 * shard 0, segment r is shard r + 1. Release the list. */
void segments_divide(const parts_run *run, segment_list *list);
void segments_release(segment_list *list);

/* Marks the compressed ones among the texts that the division would cut as whole: opens those, and
 * no others. False after reporting that a text cannot be read. Before segments_divide. */
bool segments_mark_whole(parts_run *run);

/* A number of segments that the division has at least, found without making them. */
uint64_t segments_at_least(const parts_run *run);

/* The pieces of segment i: *count of them. */
const parts_piece *segment_pieces(const segment_list *list, size_t i, size_t *count);

uint64_t segment_bytes(const segment_list *list, size_t i);

/* Remembers that a text has failed. Any thread may call this function. */
void segment_text_failed(const segment_list *list, size_t text);

/* Whether segment i has a piece of such a text. Workers leave it unfinished without a message:
 * every segment of a text that has changed would fail with one of its own. */
bool segment_has_failed(const segment_list *list, size_t i);

#endif
