/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "index/format.h"

static uint64_t aligned(uint64_t offset) {
    return (offset + 63) & ~UINT64_C(63);
}

void trawl_index_lay_out(const trawl_index_header *header, trawl_index_layout *layout) {
    const uint64_t rows = header->rows, width = header->position_bytes;
    layout->blocks = rows / TRAWL_INDEX_BLOCK + 1;
    layout->levels = 1;
    while (layout->blocks >> layout->levels != 0) {
        layout->levels++;
    }
    uint64_t *sizes = layout->sizes;
    sizes[TRAWL_INDEX_STARTS] = (header->documents + 1) * sizeof(uint64_t);
    sizes[TRAWL_INDEX_NAME_OFFSETS] = sizes[TRAWL_INDEX_STARTS];
    sizes[TRAWL_INDEX_NAMES] = header->name_bytes;
    sizes[TRAWL_INDEX_SUFFIXES] = rows * width;
    sizes[TRAWL_INDEX_BWT] = rows;
    sizes[TRAWL_INDEX_BORDERS] = (rows / 64 + 1) * sizeof(uint64_t);
    sizes[TRAWL_INDEX_COUNTS] = layout->blocks * header->letters * width;
    sizes[TRAWL_INDEX_DOCUMENTS] = rows * header->document_bytes;
    sizes[TRAWL_INDEX_PREVIOUS] = rows * width;
    sizes[TRAWL_INDEX_MINIMA] = (rows / TRAWL_INDEX_SMALL + 1) * width;
    sizes[TRAWL_INDEX_SPARSE] = layout->levels * layout->blocks * width;
    uint64_t offset = aligned(sizeof *header);
    for (uint32_t part = 0; part < TRAWL_INDEX_PARTS; part++) {
        if (part == TRAWL_INDEX_CHECKSUMS) {
            sizes[part] =
                (offset + TRAWL_INDEX_CHECKED - 1) / TRAWL_INDEX_CHECKED * sizeof(uint64_t);
        } else if (part == TRAWL_INDEX_TRAILER) {
            sizes[part] = sizeof(uint64_t);
        }
        layout->offsets[part] = offset;
        offset =
            part + 1 == TRAWL_INDEX_PARTS ? offset + sizes[part] : aligned(offset + sizes[part]);
    }
    layout->size = offset;
}

uint32_t trawl_index_document_bytes(uint64_t documents) {
    return documents <= 1 << 8 ? 1 : documents <= 1 << 16 ? 2 : 4;
}
