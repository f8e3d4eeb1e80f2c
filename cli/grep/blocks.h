/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The text of a file as blocks of whole lines.
 *
 * A file is read in large pieces; each block ends behind a line end, and what follows waits for the
 * next one. A last line without an end gets one, as GNU grep gives it one. Pipes and terminals are
 * not waited for: a block is what has come.
 *
 * A file with NUL bytes is binary (unless NUL ends its lines, or -a). As GNU grep does, lines that
 * were complete in earlier pieces of 96 KiB are text all the same, and from there on NULs count as
 * line ends; so the place does not depend on how the bytes happened to arrive.
 */
#ifndef CLI_GREP_BLOCKS_H
#define CLI_GREP_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

typedef struct grep_blocks {
    /* The block. Bytes from `kept` to `lines` are lines of earlier blocks, kept as context. */
    const uint8_t *kept;
    const uint8_t *lines;
    const uint8_t *lines_end;
    uint64_t kept_offset; /* offset of `kept` in the text */
    bool binary;          /* NULs were found; they are line ends now */

    /* private */
    int descriptor;
    bool regular;
    bool find_binary;
    bool ended;
    bool nul_found; /* known before the lines in front of it have been handed out */
    uint8_t line_end;
    uint8_t *buffer;
    size_t capacity;
    size_t filled;     /* bytes of text in the buffer */
    size_t block_size; /* bytes to read at a time, a multiple of GREP_BINARY_PIECE */
} grep_blocks;

enum { GREP_BINARY_PIECE = 96 << 10 };

/* One for all files of a run: the buffer is kept. `threads` scan a block at once. */
void grep_blocks_open(grep_blocks *blocks, uint8_t line_end, bool find_binary, unsigned threads);
void grep_blocks_close(grep_blocks *blocks);

/* Begins with a file, at the descriptor's position. */
void grep_blocks_start(grep_blocks *blocks, int descriptor, const struct stat *information);

typedef enum grep_block_result {
    GREP_BLOCK_READY,
    GREP_BLOCK_END,
    GREP_BLOCK_FAILED /* errno says why */
} grep_block_result;

/* The next block, which has at least one line. The bytes from `keep` (between the current block's
 * `kept` and `lines_end`) stay in front of it, and become `kept`; NULL keeps nothing. */
grep_block_result grep_blocks_next(grep_blocks *blocks, const uint8_t *keep);

#endif
