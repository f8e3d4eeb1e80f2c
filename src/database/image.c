/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "database/image.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"

static uint64_t aligned(uint64_t offset) {
    return (offset + TRAWL_IMAGE_ALIGNMENT - 1) & ~(uint64_t)(TRAWL_IMAGE_ALIGNMENT - 1);
}

trawl_status trawl_image_reserve(trawl_image *image, trawl_section_kind kind, uint32_t part,
                                 uint64_t count, uint64_t object, trawl_error *error) {
    uint64_t bytes;
    if (image->section_count == TRAWL_IMAGE_MAX_SECTIONS) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT, "a database has at most %u sections",
                          TRAWL_IMAGE_MAX_SECTIONS);
    }
    if (__builtin_mul_overflow(count, object, &bytes) || bytes > INT64_MAX / 4 ||
        image->size > INT64_MAX / 4) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "the database would not fit into an address space");
    }
    trawl_section *section = &image->sections[image->section_count++];
    section->kind = (uint32_t)kind;
    section->part = part;
    section->offset = image->size; /* from the end of the section table until allocation */
    section->size = bytes;
    image->size += aligned(bytes);
    return TRAWL_OK;
}

static uint64_t head_size(const trawl_image *image) {
    return aligned(sizeof(trawl_image_header) + image->section_count * sizeof(trawl_section));
}

uint64_t trawl_image_size(const trawl_image *image) {
    return image->block != NULL ? image->size : head_size(image) + image->size;
}

trawl_status trawl_image_allocate(trawl_image *image, trawl_error *error) {
    uint64_t head = head_size(image);
    uint64_t size = trawl_image_size(image);
    uint8_t *block = trawl_allocate_table(size);
    if (block == NULL) {
        return trawl_fail_memory(error, "the database", size);
    }
    memset(block, 0, head);
    for (uint32_t i = 0; i < image->section_count; i++) {
        trawl_section *section = &image->sections[i];
        section->offset += head;
        /* The gap behind a section is part of the file: zeros, so that files are reproducible. */
        uint64_t end = section->offset + section->size;
        memset(block + end, 0, aligned(end) - end);
    }
    memcpy(block + sizeof(trawl_image_header), image->sections,
           image->section_count * sizeof(trawl_section));
    image->block = block;
    image->size = size;
    return TRAWL_OK;
}

void *trawl_image_section(const trawl_image *image, trawl_section_kind kind, uint32_t part) {
    for (uint32_t i = 0; i < image->section_count; i++) {
        if (image->sections[i].kind == (uint32_t)kind && image->sections[i].part == part) {
            return image->block + image->sections[i].offset;
        }
    }
    return NULL;
}
