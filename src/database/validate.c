/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "database/validate.h"

#include <string.h>

#include <xxhash.h>

#include "base/status.h"
#include "database/conditions.h"
#include "database/engine.h"
#include "database/groups.h"
#include "database/sections.h"
#include "pattern/offsets.h"

uint64_t trawl_block_checksum(const uint8_t *block, uint64_t size) {
    return XXH3_64bits(block + TRAWL_IMAGE_UNCHECKED, size - TRAWL_IMAGE_UNCHECKED);
}

static trawl_status refuse_magic(const void *header, uint64_t size, const char *name,
                                 trawl_error *error) {
    if (size >= 8 && memcmp(header, TRAWL_IMAGE_MAGIC, 8) == 0) {
        return trawl_fail(
            error, TRAWL_ERROR_FORMAT,
            "%.300s: a trawl database that is cut off: %llu bytes long, should be at least %zu",
            name, (unsigned long long)size, sizeof(trawl_image_header));
    }
    return trawl_fail(error, TRAWL_ERROR_FORMAT, "%.300s: not a trawl database%s", name,
                      size >= 8 && memcmp(header, "TRAWLIX\n", 8) == 0 ? ", but an index of texts"
                                                                       : "");
}

trawl_status trawl_validate_header(const trawl_image_header *header, uint64_t size,
                                   const char *name, trawl_error *error) {
    if (size < sizeof *header || memcmp(header->magic, TRAWL_IMAGE_MAGIC, 8) != 0) {
        return refuse_magic(header, size, name, error);
    }
    if (header->byte_order != TRAWL_IMAGE_BYTE_ORDER) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT,
                          "%.300s: made on a machine of the other byte order", name);
    }
    if (header->version != TRAWL_IMAGE_VERSION) {
        return trawl_fail(
            error, TRAWL_ERROR_FORMAT,
            "%.300s: database version %u, this library reads version %u; compile it anew", name,
            header->version, TRAWL_IMAGE_VERSION);
    }
    if (size < header->size) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT,
                          "%.300s: a trawl database that is cut off: %llu bytes long, should be "
                          "%llu; compile it anew",
                          name, (unsigned long long)size, (unsigned long long)header->size);
    }
    if (size > header->size) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT,
                          "%.300s: a trawl database that has %llu bytes too many; compile it anew",
                          name, (unsigned long long)(size - header->size));
    }
    return TRAWL_OK;
}

static trawl_status check_head(const uint8_t *block, uint64_t size, const char *name,
                               trawl_error *error) {
    const trawl_image_header *header = (const trawl_image_header *)block;
    trawl_status status = trawl_validate_header(header, size, name, error);
    if (status != TRAWL_OK) {
        return status;
    }
    if (header->checksum != trawl_block_checksum(block, size)) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT,
                          "%.300s: damaged, its checksum does not agree; compile it anew", name);
    }
    return TRAWL_OK;
}

/* Whether all sections are behind the table, aligned, and inside the block, and no two have the
 * same kind and part. */
static bool sections_sound(const trawl_image_header *header, uint64_t size) {
    uint64_t count = header->section_count;
    uint64_t head = sizeof *header + count * sizeof(trawl_section);
    if (count > TRAWL_IMAGE_MAX_SECTIONS || head > size) {
        return false;
    }
    const trawl_section *sections = (const trawl_section *)(header + 1);
    for (uint64_t i = 0; i < count; i++) {
        const trawl_section *section = &sections[i];
        if (section->offset < head || section->offset > size ||
            section->offset % TRAWL_IMAGE_ALIGNMENT != 0 ||
            section->size > size - section->offset) {
            return false;
        }
        for (uint64_t j = 0; j < i; j++) {
            if (sections[j].kind == section->kind && sections[j].part == section->part) {
                return false;
            }
        }
    }
    return true;
}

/* The section of part 0. */
static const void *find_section(const uint8_t *block, trawl_section_kind kind, uint64_t *size) {
    return trawl_block_section(block, kind, 0, size);
}

/* Whether these are count + 1 offsets that never decrease, from 0 to target_size. */
static bool offsets_sound(const uint32_t *offsets, uint64_t offsets_size, uint64_t count,
                          uint64_t target_size) {
    if (offsets == NULL || offsets_size != (count + 1) * sizeof *offsets || offsets[0] != 0 ||
        offsets[count] != target_size) {
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (offsets[i + 1] < offsets[i]) {
            return false;
        }
    }
    return true;
}

/* The same for offsets with bases (pattern/offsets.h), in which an item has at most
 * TRAWL_PATTERN_MAX_LENGTH bytes. */
static bool bases_sound(const uint32_t *offsets, uint64_t offsets_size, const uint64_t *bases,
                        uint64_t bases_size, uint64_t count, uint64_t target_size) {
    if (offsets == NULL || offsets_size != (count + 1) * sizeof *offsets ||
        bases_size != trawl_offsets_bases(count) * sizeof *bases || bases[0] > UINT32_MAX ||
        offsets[0] != (uint32_t)bases[0]) {
        return false;
    }
    uint64_t position = bases[0];
    for (uint64_t i = 0; i < count; i++) {
        uint32_t length = offsets[i + 1] - offsets[i];
        position += length;
        bool has_base = (i + 1) % TRAWL_OFFSETS_BLOCK == 0;
        if (length > TRAWL_PATTERN_MAX_LENGTH ||
            (has_base && bases[(i + 1) >> TRAWL_OFFSETS_BLOCK_BITS] != position)) {
            return false;
        }
    }
    return position - bases[0] == target_size;
}

static bool patterns_sound(const uint8_t *block, const trawl_image_header *header) {
    uint64_t offsets_size, bases_size, bytes_size, flags_size;
    const uint32_t *offsets = find_section(block, TRAWL_SECTION_PATTERN_OFFSETS, &offsets_size);
    const uint64_t *bases = find_section(block, TRAWL_SECTION_PATTERN_BASES, &bases_size);
    const uint8_t *bytes = find_section(block, TRAWL_SECTION_PATTERN_BYTES, &bytes_size);
    const uint8_t *flags = find_section(block, TRAWL_SECTION_PATTERN_FLAGS, &flags_size);
    uint64_t count = header->pattern_count;
    if (bytes == NULL || flags == NULL || flags_size != count ||
        !(bases == NULL
              ? offsets_sound(offsets, offsets_size, count, bytes_size)
              : bases_sound(offsets, offsets_size, bases, bases_size, count, bytes_size))) {
        return false;
    }
    uint32_t shortest = count == 0 ? 1 : UINT32_MAX, longest = count == 0;
    bool insensitive = false;
    for (uint64_t id = 0; id < count; id++) {
        uint32_t length = offsets[id + 1] - offsets[id];
        shortest = length < shortest ? length : shortest;
        longest = length > longest ? length : longest;
        if ((flags[id] & ~(unsigned)TRAWL_PATTERN_CASE_INSENSITIVE) != 0) {
            return false;
        }
        insensitive = insensitive || flags[id] != 0;
    }
    return shortest >= 1 && longest <= TRAWL_PATTERN_MAX_LENGTH && shortest == header->min_length &&
           longest == header->max_length && header->folded == (insensitive ? 1u : 0u);
}

static bool conditions_sound(const uint8_t *block, const trawl_image_header *header) {
    trawl_condition_sections sections;
    sections.records = find_section(block, TRAWL_SECTION_CONDITIONS, &sections.records_size);
    sections.of = find_section(block, TRAWL_SECTION_PATTERN_CONDITION, &sections.of_size);
    sections.classes = find_section(block, TRAWL_SECTION_CONDITION_CLASSES, &sections.classes_size);
    return trawl_conditions_sound(&sections, header->pattern_count);
}

static bool groups_sound(const uint8_t *block, const trawl_image_header *header) {
    trawl_group_sections sections;
    sections.of = find_section(block, TRAWL_SECTION_PATTERN_GROUP, &sections.of_size);
    sections.ids = find_section(block, TRAWL_SECTION_GROUP_IDS, &sections.ids_size);
    return trawl_groups_sound(&sections, header->pattern_count);
}

static bool values_sound(const uint8_t *block, const trawl_image_header *header) {
    uint64_t offsets_size, values_size;
    const uint32_t *offsets = find_section(block, TRAWL_SECTION_VALUE_OFFSETS, &offsets_size);
    const uint8_t *values = find_section(block, TRAWL_SECTION_VALUES, &values_size);
    return (offsets == NULL) == (values == NULL) &&
           (offsets == NULL ||
            (offsets_sound(offsets, offsets_size, header->pattern_count, values_size) &&
             trawl_values_end(offsets, values, header->pattern_count)));
}

/* A set that is not empty, and a gap. */
static bool rare_bytes_sound(const uint8_t *block, const trawl_image_header *header) {
    uint64_t size;
    const trawl_byte_set *set = find_section(block, TRAWL_SECTION_RARE_BYTES, &size);
    return set == NULL
               ? header->rare_gap == 0
               : header->rare_gap != 0 && size == sizeof *set && trawl_byte_set_count(set) != 0;
}

static bool texts_sound(const uint8_t *block, const trawl_image_header *header) {
    uint64_t reason_size, offsets_size, names_size;
    const char *reason = find_section(block, TRAWL_SECTION_REASON, &reason_size);
    const uint32_t *offsets = find_section(block, TRAWL_SECTION_NAME_OFFSETS, &offsets_size);
    const char *names = find_section(block, TRAWL_SECTION_NAMES, &names_size);
    if (reason == NULL || reason_size == 0 || reason[reason_size - 1] != '\0') {
        return false;
    }
    return (offsets == NULL) == (names == NULL) &&
           (offsets == NULL ||
            offsets_sound(offsets, offsets_size, header->pattern_count, names_size));
}

trawl_status trawl_validate_block(const uint8_t *block, uint64_t size, const char *name,
                                  trawl_error *error) {
    trawl_status status = check_head(block, size, name, error);
    if (status != TRAWL_OK) {
        return status;
    }
    const trawl_image_header *header = (const trawl_image_header *)block;
    if (!sections_sound(header, size)) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT, "%.300s: its section table is damaged", name);
    }
    if (header->engine[sizeof header->engine - 1] != '\0' ||
        header->variant[sizeof header->variant - 1] != '\0' ||
        header->match_kind > TRAWL_MATCH_LEFTMOST_LONGEST || header->parts == 0 ||
        header->parts > TRAWL_IMAGE_MAX_PARTS || !(header->build_seconds >= 0)) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT, "%.300s: its header is damaged", name);
    }
    if (!patterns_sound(block, header) || !texts_sound(block, header) ||
        !rare_bytes_sound(block, header)) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT, "%.300s: its patterns are damaged", name);
    }
    if (!conditions_sound(block, header)) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT, "%.300s: its conditions are damaged", name);
    }
    if (!groups_sound(block, header) || !values_sound(block, header)) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT, "%.300s: its groups or values are damaged",
                          name);
    }
    return TRAWL_OK;
}

trawl_status trawl_validate_tables(const trawl_db *db, trawl_error *error) {
    const trawl_image_header *header = db->header;
    const trawl_section *sections = (const trawl_section *)(header + 1);
    const uint32_t first = (uint32_t)db->engine->tables;
    for (uint32_t i = 0; i < header->section_count; i++) {
        bool is_table = sections[i].kind >= TRAWL_IMAGE_FIRST_ENGINE_KIND;
        /* Unsigned: kinds before the first one are beyond the last one too. */
        if (is_table && sections[i].kind - first >= TRAWL_IMAGE_ENGINE_KINDS) {
            return trawl_fail(error, TRAWL_ERROR_FORMAT,
                              "the database has tables of another engine than its own");
        }
        if (sections[i].part >= header->parts) {
            return trawl_fail(error, TRAWL_ERROR_FORMAT,
                              "the database has a section of part %u, but %u parts",
                              sections[i].part, header->parts);
        }
    }
    return TRAWL_OK;
}
