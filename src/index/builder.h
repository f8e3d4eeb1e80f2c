/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TRAWL_INDEX_BUILDER_H
#define TRAWL_INDEX_BUILDER_H

#include "trawl/trawl_index.h"

/* The text and the documents so far. Arrays are allocated by base/allocate.h and owned by the
 * builder. */
struct trawl_index_builder {
    uint16_t *text; /* symbols, as index/suffix_sort.h wants them; the last border is missing */
    size_t length;
    uint64_t text_bytes;
    uint64_t *starts; /* position of each document's first symbol */
    uint64_t *name_offsets;
    size_t documents;
    char *names;
    size_t name_bytes;
    bool wide; /* positions have 8 bytes although 4 are enough. False, unless a test of what texts
                  of more than 2 GiB need sets it */
};

/* Ends the last document, and appends the length of the text to `starts` and of the names to
 * `name_offsets`: both then have documents + 1 numbers. */
trawl_status trawl_index_builder_finish(trawl_index_builder *builder, trawl_error *error);

/* Frees the arrays. The builder can then be used as a new one. */
void trawl_index_builder_clear(trawl_index_builder *builder);

#endif
