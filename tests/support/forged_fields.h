/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Changes several fields of a database so that they agree with each other, as random changes never
 * do. The checksum is left to the caller. A function returns false, and changes nothing, where the
 * database has no such fields.
 */
#ifndef TRAWL_TESTS_FORGED_FIELDS_H
#define TRAWL_TESTS_FORGED_FIELDS_H

#include <stdbool.h>
#include <string.h>

#include "database/image.h"
#include "database/outputs.h"
#include "engines/qgram/anchors/format.h"
#include "engines/qgram/sparse/format.h"

/* The entry of a section with at least `least` bytes, all of them in the block; else NULL. */
static inline trawl_section *forged_section(uint8_t *block, size_t size, trawl_section_kind kind,
                                            uint32_t part, uint64_t least) {
    const trawl_image_header *header = (const trawl_image_header *)block;
    trawl_section *sections = (trawl_section *)(block + sizeof *header);
    if (header->section_count > (size - sizeof *header) / sizeof *sections)
        return NULL;
    for (uint32_t i = 0; i < header->section_count; i++) {
        trawl_section *found = &sections[i];
        if (found->kind == (uint32_t)kind && found->part == part)
            return found->offset % TRAWL_IMAGE_ALIGNMENT == 0 && found->size >= least &&
                           found->offset <= size && found->size <= size - found->offset
                       ? found
                       : NULL;
    }
    return NULL;
}

/* The tier of this number and kind, or NULL. */
static inline const trawl_qgram_tier *forged_tier(uint8_t *block, size_t size, uint32_t part,
                                                  trawl_tier_kind kind) {
    const trawl_section *found =
        forged_section(block, size, TRAWL_SECTION_QGRAM_HEADER, 0, sizeof(trawl_qgram_header));
    if (!found || part >= TRAWL_QGRAM_MAX_TIERS)
        return NULL;
    const trawl_qgram_header *header = (const trawl_qgram_header *)(block + found->offset);
    return header->tier[part].kind == (uint32_t)kind ? &header->tier[part] : NULL;
}

/* Every sample of the tier is a candidate. */
static inline void forge_full_filter(uint8_t *block, size_t size, uint32_t part) {
    static const trawl_section_kind kinds[] = {TRAWL_SECTION_QGRAM_SAMPLE_FILTER,
                                               TRAWL_SECTION_QGRAM_TAGS};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const trawl_section *found = forged_section(block, size, kinds[i], part, 0);
        if (found)
            memset(block + found->offset, 0xff, found->size);
    }
}

/* A tier of free anchors whose keys end at most `reach` bytes behind their anchors. */
static inline bool forge_anchors_reach(uint8_t *block, size_t size, uint32_t part, uint32_t reach) {
    const trawl_section *found = forged_section(block, size, TRAWL_SECTION_QGRAM_BUCKETS, part,
                                                sizeof(trawl_anchors_header));
    if (!found || !forged_tier(block, size, part, TRAWL_TIER_ANCHORS))
        return false;
    trawl_anchors_header *header = (trawl_anchors_header *)(block + found->offset);
    trawl_anchors_entry *entries = (trawl_anchors_entry *)(header + 1);
    uint64_t count = (found->size - sizeof *header) / sizeof *entries;
    header->reach = reach;
    for (uint64_t i = 0; i < count; i++)
        entries[i].end = entries[i].end < reach ? entries[i].end : (uint8_t)reach;
    forge_full_filter(block, size, part);
    return true;
}

/* The same of a sparse tier. The words of crowded buckets are changed as entries are: they may have
 * any bits. */
static inline bool forge_sparse_reach(uint8_t *block, size_t size, uint32_t part, uint32_t reach) {
    const trawl_qgram_tier *tier = forged_tier(block, size, part, TRAWL_TIER_SPARSE);
    if (!tier || tier->suffix_filter_bits > TRAWL_SPARSE_MAX_BUCKET_BITS)
        return false;
    uint64_t before = sizeof(trawl_sparse_header) +
                      ((UINT64_C(1) << tier->suffix_filter_bits) + 2) * sizeof(uint32_t);
    const trawl_section *found =
        forged_section(block, size, TRAWL_SECTION_QGRAM_BUCKETS, part, before);
    if (!found)
        return false;
    ((trawl_sparse_header *)(block + found->offset))->reach = reach;
    uint64_t *entries = (uint64_t *)(block + found->offset + before);
    for (uint64_t i = 0; i < (found->size - before) / sizeof *entries; i++) {
        uint32_t end = (uint32_t)(entries[i] >> 32) & 0xffff;
        entries[i] = trawl_sparse_entry((uint32_t)entries[i], end < reach ? end : reach,
                                        (uint32_t)(entries[i] >> 48));
    }
    forge_full_filter(block, size, part);
    return true;
}

/* The last key of the part has no pattern. What follows the list of patterns is no id. */
static inline bool forge_key_without_pattern(uint8_t *block, size_t size, uint32_t part) {
    const trawl_section *length =
        forged_section(block, size, TRAWL_SECTION_KEY_LENGTH, part, sizeof(uint32_t));
    uint64_t keys = length ? length->size / sizeof(uint32_t) : 0;
    trawl_section *ids = forged_section(block, size, TRAWL_SECTION_KEY_IDS, part, 4);
    const trawl_section *first =
        forged_section(block, size, TRAWL_SECTION_KEY_FIRST, part, (keys + 1) * 4);
    const trawl_section *total =
        forged_section(block, size, TRAWL_SECTION_KEY_TOTAL, part, keys * 4);
    const trawl_section *record = forged_section(block, size, TRAWL_SECTION_KEY_RECORD, part,
                                                 keys * sizeof(trawl_key_record));
    if (keys == 0 || !ids || !first || !total || !record)
        return false;
    uint32_t *firsts = (uint32_t *)(block + first->offset) + keys - 1;
    uint32_t *totals = (uint32_t *)(block + total->offset) + keys - 1;
    trawl_key_record *records = (trawl_key_record *)(block + record->offset) + keys - 1;
    if (firsts[1] - firsts[0] != 1 || (records->patterns & ~TRAWL_RECORD_VERIFY) != 1)
        return false;
    firsts[1] = firsts[0];
    totals[0]--;
    records->patterns--;
    records->ids = firsts[0];
    ids->size -= 4;
    const uint32_t no_id = 0x7ffffff0;
    memcpy(block + ids->offset + ids->size, &no_id, sizeof no_id);
    return true;
}

/* Every window of wu-manber moves by `shift` bytes; in the variant tuned, which has bytes, each of
 * them has one byte of the number. */
static inline bool forge_shifts(uint8_t *block, size_t size, uint32_t shift) {
    const trawl_section *found = forged_section(block, size, TRAWL_SECTION_WU_MANBER_SHIFT, 0, 4);
    if (!found)
        return false;
    for (uint64_t i = 0; i < found->size / sizeof shift; i++)
        memcpy(block + found->offset + i * sizeof shift, &shift, sizeof shift);
    return true;
}

#endif
