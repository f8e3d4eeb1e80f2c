/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Conditions of patterns in a database, and their test. Three sections, which only databases with a
 * condition have:
 *
 *     CONDITIONS         trawl_condition_record[]   records[0] demands nothing
 *     PATTERN_CONDITION  uint32_t[patterns]         the record of each pattern
 *     CONDITION_CLASSES  uint8_t[16][32]            the members of each class of bytes
 *
 * Engines find patterns by their bytes alone. Runners then drop the matches that do not fulfil the
 * condition of their pattern (scan/conditions.h).
 */
#ifndef TRAWL_DATABASE_CONDITIONS_H
#define TRAWL_DATABASE_CONDITIONS_H

#include "base/compiler.h"
#include "database/database.h"

/* A match has two neighbours: the byte before it and the byte behind it. A neighbour is given as a
 * mask: a bit for each class that the neighbour does not belong to. The mask of a byte is
 * view->outside[byte]. Where the text begins or ends there is no byte, and the mask is
 * TRAWL_BORDER: no class has it as a member. */
#define TRAWL_BORDER UINT16_MAX

/* Reserves the sections if the set has a condition. */
trawl_status trawl_conditions_reserve(const trawl_patterns *patterns, trawl_image *image,
                                      trawl_error *error);

/* Writes the reserved sections; does nothing if the set has no condition. */
void trawl_conditions_fill(const trawl_patterns *patterns, const trawl_image *image);

/* Whether the three sections of an untrusted database agree with each other and with the number of
 * patterns. A section that is absent is NULL and has 0 bytes. */
typedef struct trawl_condition_sections {
    const trawl_condition_record *records;
    const uint32_t *of;
    const uint8_t *classes;
    uint64_t records_size, of_size, classes_size;
} trawl_condition_sections;
bool trawl_conditions_sound(const trawl_condition_sections *sections, uint64_t patterns);

/* Views the sections of a valid database. */
void trawl_conditions_view(const trawl_db *db, trawl_condition_view *view);

/* Whether a match fulfils the condition of its pattern, on CPUs and GPUs. `start` and `end` are
 * offsets from the beginning of the text; `before` and `behind` are the masks of the neighbours
 * (above). `text_ends`: the text has no byte behind the match. */
TRAWL_BOTH bool trawl_condition_record_holds(const trawl_condition_record *record, uint64_t start,
                                             uint64_t end, uint16_t before, uint16_t behind,
                                             bool text_ends) {
    return (record->left & before) != 0 && (record->right & behind) != 0 &&
           start >= record->min_start && end <= record->max_end &&
           (record->at_start == 0 || start == 0) && (record->at_end == 0 || text_ends);
}

/* The same for a match of pattern `id`. */
static inline bool trawl_condition_holds(const trawl_condition_view *view, uint32_t id,
                                         uint64_t start, uint64_t end, uint16_t before,
                                         uint16_t behind, bool text_ends) {
    return trawl_condition_record_holds(&view->records[view->of[id]], start, end, before, behind,
                                        text_ends);
}

#endif
