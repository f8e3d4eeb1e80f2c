/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The search for a section of a database. All views of sections call it, so it is apart from
 * database.c, which calls some of the views. */
#include "database/sections.h"

#include "database/database.h"

const void *trawl_block_section(const uint8_t *block, trawl_section_kind kind, uint32_t part,
                                uint64_t *size) {
    const trawl_image_header *header = (const trawl_image_header *)block;
    const trawl_section *sections = (const trawl_section *)(header + 1);
    for (uint32_t i = 0; i < header->section_count; i++) {
        if (sections[i].kind == (uint32_t)kind && sections[i].part == part) {
            if (size != NULL) {
                *size = sections[i].size;
            }
            return block + sections[i].offset;
        }
    }
    if (size != NULL) {
        *size = 0;
    }
    return NULL;
}

const void *trawl_db_section(const trawl_db *db, trawl_section_kind kind, uint32_t part,
                             uint64_t *size) {
    return trawl_block_section(db->block, kind, part, size);
}
