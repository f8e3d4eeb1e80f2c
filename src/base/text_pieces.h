/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Which pieces of a text are taken as a sample, so that not all of it has to be read. */
#ifndef TRAWL_BASE_TEXT_PIECES_H
#define TRAWL_BASE_TEXT_PIECES_H

#include <stdint.h>

/*
 * Number and bytes of the pieces by which a scan on a GPU is planned and its tables are laid out.
 * Many small ones: in an archive or a file system neighbouring files resemble each other, so few
 * large pieces would be one-sided.
 */
#define TRAWL_TABLE_PIECES 256u
#define TRAWL_TABLE_PIECE_BYTES 4096u

/*
 * Number and bytes of the pieces that a sample for the planner of a CPU consists of. Many short
 * ones: contents come in bursts, and a few long pieces would miss some.
 */
#define TRAWL_SAMPLE_PIECES 128u
#define TRAWL_SAMPLE_PIECE_BYTES 1024u

/* The offset of piece number `piece`, of `pieces` pieces of `piece_bytes` bytes, in a text that is
 * longer than all of them together. Each piece is somewhere in its own share of the text: at equal
 * distances all pieces of a periodic text could be equal. */
static inline uint64_t trawl_piece_begin(uint64_t piece, uint64_t pieces, uint64_t piece_bytes,
                                         uint64_t length) {
    uint64_t share = (length - piece_bytes) / pieces;
    uint64_t mixed = (piece + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return share * piece + mixed % share;
}

/* Place number `index` of `count` places in [0, room], each somewhere in its own share, as above.
 * `count` is at most room + 1. */
static inline uint64_t trawl_sample_place(uint64_t index, uint64_t count, uint64_t room) {
    uint64_t begin = room * index / count, past = room * (index + 1) / count;
    uint64_t mixed = (index + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return begin + (past > begin ? mixed % (past - begin) : 0);
}

#endif
