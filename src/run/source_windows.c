/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Windows of a text that is read by offset. Walkers that read sources themselves get the whole text
 * as one window, unless the patterns have conditions. For all others the text is read here, piece
 * by piece; each piece is a window, with the last bytes of the piece before as its overlap.
 */
#include <string.h>

#include "base/allocate.h"
#include "base/read_source.h"
#include "base/status.h"
#include "run/pieces.h"
#include "run/run.h"

/* With conditions, the last byte of a piece waits for the next piece, as in a stream. */
static trawl_status run_pieces(trawl_run *run, trawl_reading *reading, uint8_t *buffer,
                               size_t piece, trawl_error *error) {
    size_t overlap = trawl_db_overlap(run->db);
    size_t kept = 0, waiting = 0;
    trawl_status status = TRAWL_OK;
    for (uint64_t offset = 0;
         status == TRAWL_OK && reading->status == TRAWL_OK && offset < reading->source->length;) {
        uint64_t left = reading->source->length - offset;
        size_t length = 0;
        reading->status =
            trawl_read_source(reading->source, offset, buffer + kept + waiting,
                              left < piece ? (size_t)left : piece, &length, &reading->error);
        size_t filled = kept + waiting + length;
        uint64_t base = offset - waiting - kept;
        bool ends = reading->status != TRAWL_OK || length == left;
        waiting = run->conditions && !ends && length != 0 ? 1 : 0;
        trawl_window window = {.text = buffer,
                               .length = filled - waiting,
                               .owned = kept,
                               .base = base,
                               .goes_on = waiting != 0,
                               .next = waiting != 0 ? buffer[filled - 1] : 0};
        status = trawl_run_window(run, &window, error);
        offset += length;
        kept = window.length < overlap ? window.length : overlap;
        memmove(buffer, buffer + window.length - kept, kept + waiting);
    }
    return status;
}

trawl_status trawl_run_source(trawl_run *run, trawl_reading *reading, trawl_error *error) {
    uint64_t length = reading->source->length;
    if (run->type->reads_sources && !run->conditions) {
        trawl_window window = {.length = (size_t)length, .reading = reading};
        return trawl_run_window(run, &window, error);
    }
    size_t overlap = trawl_db_overlap(run->db);
    const size_t least = overlap * TRAWL_RUN_PIECE_FACTOR;
    size_t piece = least > TRAWL_RUN_PIECE ? least : TRAWL_RUN_PIECE;
    piece = length < piece ? (size_t)length : piece;
    uint8_t *buffer = trawl_allocate(overlap + 1 + piece + 1, 1);
    if (buffer == NULL) {
        return trawl_fail_memory(error, "reading a text", overlap + piece);
    }
    trawl_status status = run_pieces(run, reading, buffer, piece, error);
    trawl_release(buffer);
    return status;
}
