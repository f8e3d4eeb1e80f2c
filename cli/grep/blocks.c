/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/grep/blocks.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/memory.h"

void grep_blocks_open(grep_blocks *blocks, uint8_t line_end, bool find_binary, unsigned threads) {
    /* A block for one thread fits its cache; several threads need larger blocks to share. */
    size_t pieces = threads < 2 ? 8 : threads > 16 ? 512 : (size_t)threads * 32;
    *blocks = (grep_blocks){.line_end = line_end,
                            .find_binary = find_binary,
                            .block_size = pieces * GREP_BINARY_PIECE,
                            .buffer = allocate(GREP_BINARY_PIECE),
                            .capacity = GREP_BINARY_PIECE};
}

void grep_blocks_close(grep_blocks *blocks) {
    free(blocks->buffer);
    blocks->buffer = NULL;
}

/* Whether the file has a hole after its first piece. A hole reads as NULs; GNU grep tests this too.
 */
static bool has_hole(int descriptor, const struct stat *information) {
#ifdef SEEK_HOLE
    off_t start = lseek(descriptor, 0, SEEK_CUR);
    off_t second_piece = start + GREP_BINARY_PIECE;
    if (start < 0 || second_piece >= information->st_size) {
        return false;
    }
    off_t hole = lseek(descriptor, second_piece, SEEK_HOLE);
    return lseek(descriptor, start, SEEK_SET) == start && hole >= 0 && hole < information->st_size;
#else
    (void)descriptor;
    (void)information;
    return false;
#endif
}

void grep_blocks_start(grep_blocks *blocks, int descriptor, const struct stat *information) {
    blocks->descriptor = descriptor;
    blocks->regular = S_ISREG(information->st_mode);
    off_t begin = blocks->regular ? lseek(descriptor, 0, SEEK_CUR) : 0;
    blocks->length = begin < information->st_size && blocks->regular
                         ? (uint64_t)(information->st_size - begin)
                         : 0;
    blocks->expected = blocks->got = 0;
    blocks->ended = false;
    blocks->filled = 0;
    blocks->kept = blocks->lines = blocks->lines_end = blocks->buffer;
    blocks->kept_offset = 0;
    blocks->nul_found = blocks->find_binary && blocks->regular && has_hole(descriptor, information);
    blocks->binary = blocks->nul_found;
}

/* Makes room for `length` more bytes and one line end. */
static void make_room(grep_blocks *blocks, size_t length) {
    size_t needed = blocks->filled + length + 1;
    if (needed > blocks->capacity) {
        size_t capacity = needed > 2 * blocks->capacity ? needed : 2 * blocks->capacity;
        blocks->buffer = reallocate(blocks->buffer, capacity);
        blocks->capacity = capacity;
    }
}

static bool more_has_come(int descriptor) {
    struct pollfd poll_descriptor = {.fd = descriptor, .events = POLLIN};
    return poll(&poll_descriptor, 1, 0) == 1;
}

/* At the end of the file. A file whose size never was that of its content, as in /sys, has not
 * become shorter. */
static void check_length(grep_blocks *blocks) {
    uint64_t got = blocks->kept_offset + blocks->filled;
    struct stat now;
    if (blocks->regular && got < blocks->length && fstat(blocks->descriptor, &now) == 0) {
        off_t end = lseek(blocks->descriptor, 0, SEEK_CUR);
        bool shorter = (uint64_t)now.st_size < (uint64_t)end + blocks->length - got;
        blocks->expected = shorter ? blocks->length : 0;
        blocks->got = shorter ? got : 0;
    }
}

/* Appends at most `length` bytes to the buffer; sets `ended` at the end of the file. */
static bool read_more(grep_blocks *blocks, size_t length) {
    size_t stop = blocks->filled + length;
    make_room(blocks, length);
    while (blocks->filled < stop) {
        ssize_t got =
            read(blocks->descriptor, blocks->buffer + blocks->filled, stop - blocks->filled);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return false;
        }
        if (got == 0) {
            blocks->ended = true;
            check_length(blocks);
            return true;
        }
        blocks->filled += (size_t)got;
        if (!blocks->regular && !more_has_come(blocks->descriptor)) {
            return true;
        }
    }
    return true;
}

/* Replaces NULs by line ends. */
static void replace_nuls(uint8_t *text, const uint8_t *end, uint8_t line_end) {
    while ((text = memchr(text, '\0', (size_t)(end - text))) != NULL) {
        *text++ = line_end;
    }
}

/* Index after the last line end in [from, end), or 0 if there is none. */
static size_t after_last_line(const grep_blocks *blocks, size_t from, size_t end) {
    const uint8_t *last = memrchr(blocks->buffer + from, blocks->line_end, end - from);
    return last == NULL ? 0 : (size_t)(last - blocks->buffer) + 1;
}

/* Moves the bytes from index `keep` on to the beginning of the buffer. */
static void drop_before(grep_blocks *blocks, size_t keep) {
    if (keep > 0) {
        memmove(blocks->buffer, blocks->buffer + keep, blocks->filled - keep);
        blocks->filled -= keep;
        blocks->kept_offset += keep;
    }
}

/* Finds the first NUL from index `from` on. Returns the index where its piece of 96 KiB begins:
 * lines that end before it are text, since GNU grep prints them before it reads that piece. */
static size_t find_nul(grep_blocks *blocks, size_t from) {
    const uint8_t *nul = memchr(blocks->buffer + from, '\0', blocks->filled - from);
    if (nul == NULL) {
        return blocks->filled;
    }
    blocks->nul_found = true;
    uint64_t offset = blocks->kept_offset + (uint64_t)(nul - blocks->buffer);
    uint64_t piece = offset - offset % GREP_BINARY_PIECE;
    return piece <= blocks->kept_offset ? 0 : (size_t)(piece - blocks->kept_offset);
}

/* Treats the bytes from index `from` on, and all later ones, as binary. Returns the end of their
 * last whole line, or 0. */
static size_t begin_binary(grep_blocks *blocks, size_t from) {
    blocks->binary = true;
    replace_nuls(blocks->buffer + from, blocks->buffer + blocks->filled, blocks->line_end);
    return after_last_line(blocks, from, blocks->filled);
}

/* Reads until a line or the text ends; no byte in the buffer after the current block is a line end.
 * Stores the end of the last whole line, or 0. False with errno on failure. */
static bool read_lines(grep_blocks *blocks, size_t *lines_end) {
    *lines_end = 0;
    while (*lines_end == 0 && !blocks->ended) {
        size_t fresh = blocks->filled;
        if (!read_more(blocks, blocks->block_size)) {
            return false;
        }
        size_t text_end = blocks->filled;
        if (blocks->find_binary && !blocks->binary) {
            text_end = find_nul(blocks, fresh);
        }
        if (text_end > fresh && !blocks->binary) {
            *lines_end = after_last_line(blocks, fresh, text_end);
        }
        if (*lines_end == 0 && blocks->nul_found) {
            *lines_end = begin_binary(blocks, fresh);
        }
    }
    return true;
}

grep_block_result grep_blocks_next(grep_blocks *blocks, const uint8_t *keep) {
    size_t begin = (size_t)(blocks->lines_end - blocks->buffer);
    size_t kept = keep == NULL ? begin : (size_t)(keep - blocks->buffer);
    drop_before(blocks, kept);
    begin -= kept;
    size_t end = 0;
    if (blocks->nul_found && !blocks->binary) {
        end = begin_binary(blocks, begin);
    }
    if (end == 0 && !read_lines(blocks, &end)) {
        return GREP_BLOCK_FAILED;
    }
    if (end == 0 && blocks->filled > begin) {
        make_room(blocks, 0);
        blocks->buffer[blocks->filled++] = blocks->line_end;
        end = blocks->filled;
    }
    if (end == 0) {
        return GREP_BLOCK_END;
    }
    blocks->kept = blocks->buffer;
    blocks->lines = blocks->buffer + begin;
    blocks->lines_end = blocks->buffer + end;
    return GREP_BLOCK_READY;
}
