/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The results of `trawl grep` in segments. What a piece of a text writes may depend on the pieces
 * before it: line numbers, whether the text is binary, whether a group of lines came before. A
 * result is therefore a list of items, from which `trawl cat` makes the output:
 *
 *     lines_item   LINES_TEXT        `length` bytes of output follow
 *                  LINES_NUMBER      a line number, counted from the beginning of the piece
 *                  LINES_SEPARATOR   `length` bytes follow: the separator of groups of lines; it
 *                                    is output only if a group came before, in any text
 *                  LINES_END         ends a piece; a lines_end and `length` bytes follow: the name
 *                                    of the text, as it is printed (in lines_mode LINES_PRINTED,
 *                                    as it stands in messages)
 *
 * Items are in the byte order of the machine, as all of a journal is.
 */
#ifndef CLI_PARTS_LINES_H
#define CLI_PARTS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/parts/journal.h"
#include "io/output_file.h"

/* What the output has of each text. */
typedef enum lines_mode {
    LINES_PRINTED = 0, /* lines, with their context, or parts of them */
    LINES_COUNTED,     /* the number of selected lines: -c */
    LINES_LISTED,      /* its name if a line is selected: -l */
    LINES_NOT_LISTED   /* its name if no line is selected: -L */
} lines_mode;

typedef enum lines_kind { LINES_TEXT = 1, LINES_NUMBER, LINES_SEPARATOR, LINES_END } lines_kind;

typedef struct lines_item {
    uint32_t kind;
    uint32_t length; /* LINES_NUMBER: width of the column, filled up with blanks */
    uint64_t number; /* LINES_NUMBER alone */
} lines_item;

enum {
    LINES_LAST = 1,    /* the piece is the last one of its text */
    LINES_BINARY = 2,  /* the text is binary, and its first NUL lies before the end of the piece */
    LINES_SKIPPED = 4, /* with LINES_BINARY: the whole text counts as one without selected lines */
    LINES_HIDDEN = 8   /* a line was selected but not printed, as the text is binary */
};

typedef struct lines_end {
    uint64_t selected; /* lines of the piece; with lines_mode LINES_LISTED and LINES_NOT_LISTED 1
                          stands for any number */
    uint64_t lines;    /* in the piece, where LINES_NUMBER is used */
    uint64_t flags;
} lines_end;

/* ------------------------------------------------------------------ writing */

/* Writes items to a part. */
typedef struct lines_writer {
    part_writer *part;
    char *buffer; /* owned */
    size_t used;
    size_t capacity;
} lines_writer;

void lines_writer_open(lines_writer *writer, part_writer *part);
void lines_writer_close(lines_writer *writer);

/* An output_take: LINES_TEXT. */
bool lines_writer_text(void *writer, const char *bytes, size_t length);

void lines_writer_number(lines_writer *writer, uint64_t number, unsigned width);
void lines_writer_separator(lines_writer *writer, const char *bytes, size_t length);

/* Ends a piece. */
bool lines_writer_end(lines_writer *writer, const lines_end *end, const char *name, size_t length);

/* Drops what is not in the part yet. */
void lines_writer_drop(lines_writer *writer);

/* ------------------------------------------------------------------ joining */

/* Makes the output of results, one after the other. */
typedef struct lines_joiner {
    lines_mode mode;
    output_file *output;
    bool matched; /* a line was selected */

    /* private: of all texts */
    bool group; /* a group of lines was printed, or a binary text matches */
    /* private: of the text */
    uint64_t selected;
    uint64_t lines; /* in the pieces before */
    bool binary;    /* in the pieces before */
    bool skipped;
    bool hidden;
    /* private: the item that is not complete yet */
    uint8_t *item; /* owned */
    size_t used;
    size_t capacity;
    bool sound;
} lines_joiner;

void lines_joiner_open(lines_joiner *joiner, lines_mode mode, output_file *output);

/* A journal_on_bytes whose context is the joiner: the results of all segments, in order. */
bool lines_joiner_take(void *joiner, const uint8_t *bytes, size_t length);

/* Whether all bytes were items. Frees what the joiner owns. */
bool lines_joiner_close(lines_joiner *joiner);

#endif
