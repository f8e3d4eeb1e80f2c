/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/grep/blocks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/memory.h"

/* Bytes of one read at most: a cache still holds them when NULs are searched. */
enum { READ_BYTES = 512 << 10 };

void grep_blocks_open(grep_blocks *blocks, uint8_t line_end, bool find_binary, bool decompress,
                      unsigned threads) {
    /* A block for one thread fits its cache; several threads need larger blocks to share. */
    size_t pieces = threads < 2 ? 8 : threads > 16 ? 512 : (size_t)threads * 32;
    *blocks = (grep_blocks){.line_end = line_end,
                            .find_binary = find_binary,
                            .block_size = pieces * GREP_BINARY_PIECE,
                            .buffer = allocate(GREP_BINARY_PIECE),
                            .capacity = GREP_BINARY_PIECE,
                            .source = {.decompress = decompress, .threads = threads}};
}

void grep_blocks_close(grep_blocks *blocks) {
    free(blocks->buffer);
    blocks->buffer = NULL;
}

static bool fail(grep_blocks *blocks, int error) {
    (void)snprintf(blocks->source.problem, sizeof blocks->source.problem, "%s", strerror(error));
    blocks->source.ended = true;
    return false;
}

/* For a file that ends at byte `at`, before the range does. */
static bool fail_short(grep_blocks *blocks, const grep_range *range, uint64_t at) {
    (void)snprintf(blocks->source.problem, sizeof blocks->source.problem,
                   "became shorter while it was read: expected at least %" PRIu64
                   " bytes, but there are none from byte %" PRIu64 " on",
                   range->end, at);
    blocks->source.ended = true;
    return false;
}

bool grep_blocks_find_line(grep_blocks *blocks, int descriptor, grep_range *range, bool *is_nul) {
    uint8_t bytes[4096];
    *is_nul = false;
    blocks->source.problem[0] = '\0';
    /* The byte before the range may end a line. */
    for (uint64_t at = range->begin - (range->begin > 0); range->begin > 0 && at < range->end;) {
        ssize_t got = pread(descriptor, bytes, sizeof bytes, (off_t)at);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got < 0 ? fail(blocks, errno) : fail_short(blocks, range, at);
        }
        for (const uint8_t *byte = bytes; byte < bytes + got; byte++) {
            *is_nul = blocks->find_binary && *byte == '\0';
            if (*byte == blocks->line_end || *is_nul) {
                uint64_t line = at + (uint64_t)(byte - bytes) + 1;
                *is_nul = *is_nul && line <= range->end;
                range->begin = line < range->end ? line : range->end;
                return true;
            }
        }
        at += (uint64_t)got;
        if (at >= range->end) {
            range->begin = range->end;
        }
    }
    return true;
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

void grep_blocks_start(grep_blocks *blocks, int descriptor, const struct stat *information,
                       const grep_range *range) {
    bool all = range->begin == 0 && range->end == UINT64_MAX;
    bool moved = all || lseek(descriptor, 0, SEEK_SET) == 0;
    blocks->nul_found =
        blocks->find_binary && S_ISREG(information->st_mode) && has_hole(descriptor, information);
    blocks->binary = blocks->nul_found;
    blocks->first_nul = blocks->nul_found ? 0 : UINT64_MAX;
    /* A range begins with the piece of its first line, so that pieces are those of the text. */
    blocks->range = *range;
    blocks->range_ended = range->begin >= range->end;
    blocks->kept_offset = range->begin - range->begin % GREP_BINARY_PIECE;
    moved = moved && (all || lseek(descriptor, (off_t)blocks->kept_offset, SEEK_SET) >= 0);
    grep_source_open(&blocks->source, descriptor, information, !all);
    if (!moved) {
        (void)fail(blocks, errno);
    }
    blocks->filled = 0;
    blocks->completed = false;
    blocks->kept = blocks->lines = blocks->lines_end = blocks->buffer;
}

void grep_blocks_end(grep_blocks *blocks) {
    grep_source_close(&blocks->source);
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

/* Replaces NULs by line ends. Each byte is written, so that compilers vectorise the loop: a text
 * full of NULs took 5 ns a byte where each was looked for. */
static void replace_nuls(uint8_t *text, const uint8_t *end, uint8_t line_end) {
    const size_t length = (size_t)(end - text);
    for (size_t i = 0; i < length; i++) {
        text[i] = text[i] == '\0' ? line_end : text[i];
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

/* Finds the first NUL from index `from` on. Lines that end before its piece of 96 KiB are text,
 * since GNU grep prints them before it reads that piece. */
static void find_nul(grep_blocks *blocks, size_t from) {
    const uint8_t *nul = memchr(blocks->buffer + from, '\0', blocks->filled - from);
    if (nul != NULL) {
        uint64_t offset = blocks->kept_offset + (uint64_t)(nul - blocks->buffer);
        uint64_t piece = offset - offset % GREP_BINARY_PIECE;
        blocks->nul_found = true;
        blocks->first_nul = offset;
        blocks->nul_piece =
            piece <= blocks->kept_offset ? 0 : (size_t)(piece - blocks->kept_offset);
    }
}

/* Appends at most `length` bytes to the buffer. */
static void read_more(grep_blocks *blocks, size_t length) {
    size_t stop = blocks->filled + length;
    make_room(blocks, length);
    do {
        size_t from = blocks->filled;
        size_t room = stop - from < READ_BYTES ? stop - from : READ_BYTES;
        blocks->filled += grep_source_read(&blocks->source, blocks->buffer + from, room);
        if (blocks->find_binary && !blocks->nul_found) {
            find_nul(blocks, from);
        }
    } while (blocks->filled < stop && !blocks->source.ended &&
             !grep_source_may_wait(&blocks->source));
}

/* Treats the bytes from index `from` on, and all later ones, as binary. Returns the end of their
 * last whole line, or 0. */
static size_t begin_binary(grep_blocks *blocks, size_t from) {
    blocks->binary = true;
    replace_nuls(blocks->buffer + from, blocks->buffer + blocks->filled, blocks->line_end);
    return after_last_line(blocks, from, blocks->filled);
}

/* Reads until a line or the text ends; no byte in the buffer after the current block is a line end.
 * Returns the end of the last whole line, or 0. */
static size_t read_lines(grep_blocks *blocks) {
    size_t lines_end = 0;
    while (lines_end == 0 && !blocks->source.ended) {
        size_t fresh = blocks->filled;
        read_more(blocks, blocks->block_size);
        size_t text_end = blocks->nul_found ? blocks->nul_piece : blocks->filled;
        if (text_end > fresh && !blocks->binary) {
            lines_end = after_last_line(blocks, fresh, text_end);
        }
        if (lines_end == 0 && blocks->nul_found) {
            lines_end = begin_binary(blocks, fresh);
        }
    }
    return lines_end;
}

static bool next_block(grep_blocks *blocks, const uint8_t *keep) {
    size_t begin = (size_t)(blocks->lines_end - blocks->buffer);
    size_t kept = keep == NULL ? begin : (size_t)(keep - blocks->buffer);
    drop_before(blocks, kept);
    begin -= kept;
    size_t end = 0;
    if (blocks->nul_found && !blocks->binary) {
        end = begin_binary(blocks, begin);
    }
    if (end == 0) {
        end = read_lines(blocks);
    }
    if (end == 0 && blocks->filled > begin) {
        make_room(blocks, 0);
        blocks->buffer[blocks->filled++] = blocks->line_end;
        blocks->completed = true;
        end = blocks->filled;
    }
    if (end == 0) {
        return false;
    }
    blocks->kept = blocks->buffer;
    blocks->lines = blocks->buffer + begin;
    blocks->lines_end = blocks->buffer + end;
    return true;
}

/* Removes the lines from the block that do not begin in the range. */
static void cut_to_range(grep_blocks *blocks) {
    uint64_t lines = blocks->kept_offset + (uint64_t)(blocks->lines - blocks->kept);
    uint64_t lines_end = blocks->kept_offset + (uint64_t)(blocks->lines_end - blocks->kept);
    uint64_t begin = blocks->range.begin;
    uint64_t end = blocks->range.end;
    if (lines < begin) { /* a line begins at `begin`, so the bytes before are whole lines */
        uint64_t skipped = (lines_end < begin ? lines_end : begin) - lines;
        size_t length = (size_t)(lines_end - lines - skipped);
        drop_before(blocks, (size_t)(blocks->lines - blocks->buffer) + (size_t)skipped);
        blocks->kept = blocks->lines = blocks->buffer;
        blocks->lines_end = blocks->buffer + length;
        lines += skipped;
    }
    if (lines >= end) {
        blocks->lines_end = blocks->lines;
    } else if (lines_end > end) { /* the line with the last byte of the range is the last one */
        const uint8_t *last = blocks->lines + (end - 1 - lines);
        blocks->lines_end = (const uint8_t *)rawmemchr(last, blocks->line_end) + 1;
    }
    blocks->range_ended = lines_end >= end;
}

bool grep_blocks_next(grep_blocks *blocks, const uint8_t *keep) {
    bool is_all = blocks->range.begin == 0 && blocks->range.end == UINT64_MAX;
    while (!blocks->range_ended && next_block(blocks, keep)) {
        if (!is_all) {
            cut_to_range(blocks);
        }
        if (blocks->lines != blocks->lines_end) {
            return true;
        }
        keep = NULL;
    }
    return false;
}
