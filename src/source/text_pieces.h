/* Pieces from all over a text, by which what scans it is planned. */
#ifndef SOURCE_TEXT_PIECES_H
#define SOURCE_TEXT_PIECES_H

#include <stdbool.h>

#include "source/text_file.h"

/* Bytes of each piece, and of all those by which the library lays out tables on a device. */
enum { TEXT_PIECE_BYTES = 4096, TEXT_TABLE_PIECES = 256 };

/* Puts so many pieces, one after the other, into `pieces_of_it`. The text is longer than they are.
 */
void text_pieces_copy(const uint8_t *text, size_t length, size_t pieces, uint8_t *pieces_of_it);

/* The same of a plain file of that length; false when it is shorter by now, or cannot be read. */
bool text_pieces_read(const text_file *file, uint64_t length, size_t pieces, uint8_t *pieces_of_it);

#endif
