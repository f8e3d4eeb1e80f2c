/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "io/text_pieces.h"

#include <string.h>

#include "base/text_pieces.h"

const text_pieces text_pieces_for_tables = {TRAWL_TABLE_PIECES, TRAWL_TABLE_PIECE_BYTES};
const text_pieces text_pieces_for_plans = {TRAWL_SAMPLE_PIECES, TRAWL_SAMPLE_PIECE_BYTES};

static uint64_t begin_of(text_pieces pieces, size_t piece, uint64_t length) {
    return trawl_piece_begin(piece, pieces.count, pieces.bytes, length);
}

void text_pieces_copy(text_pieces pieces, const uint8_t *text, size_t length, uint8_t *copy) {
    for (size_t i = 0; i < pieces.count; i++)
        memcpy(copy + i * pieces.bytes, text + (size_t)begin_of(pieces, i, length), pieces.bytes);
}

/* Reads exactly `count` bytes from `offset` of the text on. */
static bool read_exactly(const text_file *file, uint64_t offset, uint8_t *bytes, size_t count) {
    size_t got = 0;
    for (size_t done = 0; done < count; done += got) {
        if (text_file_read_at(file, offset + done, bytes + done, count - done, &got, NULL) !=
            TRAWL_OK)
            return false;
    }
    return true;
}

bool text_pieces_read(text_pieces pieces, const text_file *file, uint8_t *copy) {
    uint64_t length = text_file_length(file);
    for (size_t i = 0; i < pieces.count; i++) {
        if (!read_exactly(file, begin_of(pieces, i, length), copy + i * pieces.bytes, pieces.bytes))
            return false;
    }
    return true;
}
