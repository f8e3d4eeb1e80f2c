/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Where pieces are taken from a text that is to be known without being read. */
#ifndef TRAWL_BASE_TEXT_PIECES_H
#define TRAWL_BASE_TEXT_PIECES_H

#include <stdint.h>

/*
 * By so many pieces tables are laid out on a device. What follows each other in an archive or a
 * file system is of one kind for longer than any sample.
 */
#define TRAWL_TABLE_PIECES 256u
#define TRAWL_TABLE_PIECE_BYTES 4096u

/* Where a piece begins, of so many of so many bytes, in a text that is longer than all of them:
 * somewhere in its share of the text. At equal distances all pieces of a text that repeats itself
 * could be the same one. */
static inline uint64_t trawl_piece_begin(uint64_t piece, uint64_t pieces, uint64_t piece_bytes,
                                         uint64_t length) {
    uint64_t share = (length - piece_bytes) / pieces;
    uint64_t mixed = (piece + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return share * piece + mixed % share;
}

#endif
