/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "index/writer.h"

#include <string.h>

#include <xxhash.h>

#include "base/allocate.h"
#include "base/status.h"

enum { BUFFER = 64 * TRAWL_INDEX_CHECKED };

trawl_status trawl_index_writer_open(trawl_index_writer *writer, trawl_index_sink sink,
                                     void *context, trawl_error *error) {
    writer->sink = sink;
    writer->context = context;
    writer->error = error;
    writer->buffer = trawl_allocate(BUFFER, 1);
    writer->checksums = trawl_allocate((size_t)writer->layout.sizes[TRAWL_INDEX_CHECKSUMS], 1);
    if (writer->buffer == NULL || writer->checksums == NULL) {
        writer->status = trawl_fail_memory(error, "checksums",
                                           BUFFER + writer->layout.sizes[TRAWL_INDEX_CHECKSUMS]);
    }
    return writer->status;
}

void trawl_index_writer_release(trawl_index_writer *writer) {
    trawl_release(writer->buffer);
    trawl_release(writer->checksums);
}

static void drain(trawl_index_writer *writer) {
    trawl_error unused; /* the sink's error is never NULL */
    for (size_t at = 0;
         at < writer->used && writer->written <= writer->layout.offsets[TRAWL_INDEX_CHECKSUMS];
         at += TRAWL_INDEX_CHECKED) {
        size_t left = writer->used - at;
        writer->checksums[writer->checksum_count++] = XXH3_64bits(
            writer->buffer + at, left < TRAWL_INDEX_CHECKED ? left : TRAWL_INDEX_CHECKED);
    }
    if (writer->status == TRAWL_OK && writer->used != 0) {
        writer->status = writer->sink(writer->context, writer->buffer, writer->used,
                                      writer->error != NULL ? writer->error : &unused);
        trawl_explain_failure(writer->status, "the function that takes the index", writer->error);
    }
    writer->used = 0;
}

void trawl_index_writer_put(trawl_index_writer *writer, const void *bytes, uint64_t length) {
    const uint8_t *from = bytes;
    while (length != 0 && writer->status == TRAWL_OK) {
        size_t room = BUFFER - writer->used;
        size_t taken = length < room ? (size_t)length : room;
        memcpy(writer->buffer + writer->used, from, taken);
        writer->used += taken;
        writer->written += taken;
        from += taken;
        length -= taken;
        if (writer->used == BUFFER) {
            drain(writer);
        }
    }
}

void trawl_index_writer_begin(trawl_index_writer *writer, trawl_index_part part) {
    static const uint8_t zeros[64];
    if (writer->status == TRAWL_OK) {
        trawl_index_writer_put(writer, zeros, writer->layout.offsets[part] - writer->written);
    }
}

trawl_status trawl_index_writer_finish(trawl_index_writer *writer) {
    trawl_index_writer_begin(writer, TRAWL_INDEX_CHECKSUMS);
    drain(writer);
    uint64_t size = writer->layout.sizes[TRAWL_INDEX_CHECKSUMS];
    trawl_index_writer_put(writer, writer->checksums, size);
    trawl_index_writer_begin(writer, TRAWL_INDEX_TRAILER);
    uint64_t trailer = XXH3_64bits(writer->checksums, size);
    trawl_index_writer_put(writer, &trailer, sizeof trailer);
    drain(writer);
    return writer->status;
}
