/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Writes the parts of an index file in their order, and their checksums. */
#ifndef TRAWL_INDEX_WRITER_H
#define TRAWL_INDEX_WRITER_H

#include "index/format.h"

typedef struct trawl_index_writer {
    trawl_index_layout layout;
    trawl_index_sink sink;
    void *context;
    trawl_error *error;
    trawl_status status; /* of the first failure; nothing is written afterwards */
    uint8_t *buffer;     /* a multiple of TRAWL_INDEX_CHECKED bytes */
    size_t used;
    uint64_t written; /* bytes, with those of the buffer */
    uint64_t *checksums;
    size_t checksum_count;
} trawl_index_writer;

/* Begins, with the layout set. Release the writer also after a failure. */
trawl_status trawl_index_writer_open(trawl_index_writer *writer, trawl_index_sink sink,
                                     void *context, trawl_error *error);

/* Writes zeros up to where a part begins. */
void trawl_index_writer_begin(trawl_index_writer *writer, trawl_index_part part);

void trawl_index_writer_put(trawl_index_writer *writer, const void *bytes, uint64_t length);

/* Writes checksums and trailer. */
trawl_status trawl_index_writer_finish(trawl_index_writer *writer);

void trawl_index_writer_release(trawl_index_writer *writer);

#endif
