/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Samples of a text for the planner: pieces from all over it. */
#ifndef TRAWL_IO_TEXT_PIECES_H
#define TRAWL_IO_TEXT_PIECES_H

#include <stdbool.h>

#include "io/text_file.h"

typedef struct text_pieces {
    size_t count; /* of pieces */
    size_t bytes; /* of each piece */
} text_pieces;

/* The pieces by which a scan on a GPU is planned, and by which the library lays out its tables. */
extern const text_pieces text_pieces_for_tables;

/* The pieces of a sample for the planner of a CPU. */
extern const text_pieces text_pieces_for_plans;

/* Copies the pieces, one behind the other, to `copy`. The text is longer than all of them together.
 */
void text_pieces_copy(text_pieces pieces, const uint8_t *text, size_t length, uint8_t *copy);

/* The same for the text of a plain file (text_file_length); false if it has become shorter or
 * cannot be read. */
bool text_pieces_read(text_pieces pieces, const text_file *file, uint8_t *copy);

#endif
