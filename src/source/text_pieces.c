#include "source/text_pieces.h"

#include <string.h>
#include <unistd.h>

#include "common/text_pieces.h"

_Static_assert(TEXT_PIECE_BYTES == TRAWL_PIECE_BYTES && TEXT_TABLE_PIECES == TRAWL_TABLE_PIECES,
               "as the library takes them");

void text_pieces_copy(const uint8_t *text, size_t length, size_t pieces, uint8_t *pieces_of_it) {
    for (size_t i = 0; i < pieces; i++)
        memcpy(pieces_of_it + i * TEXT_PIECE_BYTES,
               text + (size_t)trawl_piece_begin(i, pieces, length), TEXT_PIECE_BYTES);
}

bool text_pieces_read(const text_file *file, uint64_t length, size_t pieces,
                      uint8_t *pieces_of_it) {
    for (size_t i = 0; i < pieces; i++) {
        ssize_t got = pread(text_file_descriptor(file), pieces_of_it + i * TEXT_PIECE_BYTES,
                            TEXT_PIECE_BYTES, (off_t)trawl_piece_begin(i, pieces, length));
        if (got != TEXT_PIECE_BYTES)
            return false;
    }
    return true;
}
