/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Pieces from all over a text, by which what scans it is planned. */
#ifndef TRAWL_IO_TEXT_PIECES_H
#define TRAWL_IO_TEXT_PIECES_H

#include <stdbool.h>

#include "io/text_file.h"

typedef struct text_pieces {
    size_t count, bytes; /* so many of so many bytes */
} text_pieces;

/* The pieces by which the library lays out tables on a GPU. */
extern const text_pieces text_pieces_for_tables;

/* Copies the pieces, one behind the other, to `copy`. The text is longer than all of them together.
 */
void text_pieces_copy(text_pieces pieces, const uint8_t *text, size_t length, uint8_t *copy);

/* The same for a plain file of that length; false if it has become shorter or cannot be read. */
bool text_pieces_read(text_pieces pieces, const text_file *file, uint64_t length, uint8_t *copy);

#endif
