/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The text of a file as blocks of whole lines.
 *
 * A file is read in large pieces. Each block ends after a line end; the rest of the piece belongs
 * to the next block. A last line without a line end gets one, as in GNU grep. From pipes and
 * terminals a block is what has arrived: the reader does not wait for more.
 *
 * A file with NUL bytes is binary, unless NUL ends lines or -a is given. As in GNU grep, lines that
 * end before the 96 KiB piece with the first NUL are still text; from that piece on NULs are line
 * ends. Pieces are counted from the beginning of the text, so the result does not depend on how
 * many bytes each read returned.
 *
 * If a text cannot be read to its end, the lines before are blocks as if it ended there.
 */
#ifndef CLI_GREP_BLOCKS_H
#define CLI_GREP_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "cli/grep/source.h"

/* The lines that begin at bytes [begin, end) of a text: all of them, or, in a regular file that is
 * not compressed, those of a part of it. */
typedef struct grep_range {
    uint64_t begin; /* where a line begins */
    uint64_t end;
} grep_range;

static const grep_range grep_all = {0, UINT64_MAX};

typedef struct grep_blocks {
    /* The block is [lines, lines_end). Lines in [kept, lines) are of earlier blocks, for context.
     */
    const uint8_t *kept;
    const uint8_t *lines;
    const uint8_t *lines_end;
    uint64_t kept_offset; /* offset of `kept` in the text */
    uint64_t first_nul;   /* offset of the first NUL that was read, 0 in a file with holes;
                             UINT64_MAX: none, or they are not looked for */
    bool completed;       /* the last line of the block has no line end in the text */
    bool binary;          /* a NUL was found: in this block NULs have become line ends */

    grep_source source; /* to be read only */

    /* private */
    grep_range range;
    bool range_ended;
    bool find_binary;
    bool nul_found;   /* a NUL was read; lines before it may still have to be returned */
    size_t nul_piece; /* with nul_found: index in the buffer where the NUL's piece begins */
    uint8_t line_end;
    uint8_t *buffer;
    size_t capacity;
    size_t filled;     /* bytes of text in the buffer */
    size_t block_size; /* bytes to read at a time, a multiple of GREP_BINARY_PIECE */
} grep_blocks;

enum { GREP_BINARY_PIECE = 96 << 10 };

/* Opens once for all files of a run, which share the buffer. `threads` scan a block together. With
 * `decompress` the lines of a compressed file are those of its text. */
void grep_blocks_open(grep_blocks *blocks, uint8_t line_end, bool find_binary, bool decompress,
                      unsigned threads);
void grep_blocks_close(grep_blocks *blocks);

/* Begins a file at the descriptor's position; a range of it, if that is not grep_all, at any. */
void grep_blocks_start(grep_blocks *blocks, int descriptor, const struct stat *information,
                       const grep_range *range);

/* Moves the beginning of a range to the first line that begins in it; to its end if there is none.
 * Sets *is_nul if a NUL ends the line before. False after `blocks->source.problem` was set. */
bool grep_blocks_find_line(grep_blocks *blocks, int descriptor, grep_range *range, bool *is_nul);

/* Ends it, after its last block or before. */
void grep_blocks_end(grep_blocks *blocks);

/* Moves to the next block, which has at least one line; false at the end of the text, or where
 * reading failed (blocks->source.problem). Bytes from `keep` on, which lies in [kept, lines_end] of
 * the current block, stay before the next one as its `kept`; NULL keeps none. */
bool grep_blocks_next(grep_blocks *blocks, const uint8_t *keep);

#endif
