/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/ac_dfa/part.h"

#include <string.h>

#include "base/status.h"

static uint64_t row_bytes(trawl_dfa_columns_kind kind, uint64_t states, uint32_t classes) {
    switch (kind) {
    case TRAWL_DFA_BY_BYTE_STT:
        return TRAWL_STT_COLUMNS * UINT64_C(4);
    case TRAWL_DFA_BY_BYTE_STT16:
        return 256 * UINT64_C(2);
    default:
        return classes * (states <= TRAWL_DFA_NARROW_STATES ? UINT64_C(2) : UINT64_C(4));
    }
}

/* What to do if a set with these keys is refused: ac-nfa is named only where its tables fit. Per
 * state it has 16 to 48 bytes, and per key the same outputs as here. */
static const char *advise(const trawl_build *build, const trawl_keys *keys, uint64_t states) {
    enum { STATE_BYTES = 64, KEY_BYTES = 64, OTHER_BYTES = 1 << 16 };
    uint64_t most = states * STATE_BYTES + keys->count * (uint64_t)KEY_BYTES +
                    keys->pattern_count * sizeof(uint32_t) + OTHER_BYTES;
    return most <= build->max_table_bytes
               ? "engine ac-nfa needs less for this set, or " TRAWL_RAISE_LIMIT
               : TRAWL_RAISE_LIMIT;
}

trawl_status trawl_dfa_part_plan(trawl_build *build, uint32_t part, const uint32_t *subset,
                                 size_t subset_count, trawl_dfa_columns_kind kind,
                                 trawl_dfa_part *planned) {
    memset(planned, 0, sizeof *planned);
    trawl_status status =
        trawl_keys_make(build->patterns, subset, subset_count, &planned->keys, build->error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_classes_make(&planned->keys, &planned->classes);
    /* Refuses a set that is far too large before the trie is made, which needs much memory too. */
    uint64_t states = trawl_keys_states(&planned->keys);
    const char *instead =
        subset == NULL ? advise(build, &planned->keys, states) : TRAWL_RAISE_LIMIT;
    status = trawl_build_foresee(build, states * row_bytes(kind, states, planned->classes.count),
                                 instead);
    if (status != TRAWL_OK) {
        return status;
    }
    status = trawl_trie_make(&planned->keys, &planned->classes, &planned->trie, build->error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_dfa_header *header = &planned->header;
    status = trawl_dfa_measure(&planned->trie, &planned->classes, kind, header, build->error);
    if (status != TRAWL_OK) {
        return status;
    }
    const struct {
        trawl_section_kind kind;
        uint64_t count, object;
    } sections[] = {
        {TRAWL_SECTION_DFA_HEADER, 1, sizeof *header},
        {TRAWL_SECTION_CLASSES, 256, 1},
        {TRAWL_SECTION_DFA_TABLE, (uint64_t)header->states * header->columns,
         trawl_dfa_entry_bytes(header->layout)},
        {TRAWL_SECTION_DFA_OUTPUT, header->states - header->first_match, 4},
    };
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        status = trawl_build_reserve(build, sections[i].kind, part, sections[i].count,
                                     sections[i].object, instead);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    build->states += header->states;
    build->byte_classes = kind == TRAWL_DFA_BY_CLASS ? planned->classes.count : 256;
    uint32_t entry_bytes = trawl_dfa_entry_bytes(header->layout);
    build->state_bytes = entry_bytes > build->state_bytes ? entry_bytes : build->state_bytes;
    return trawl_outputs_reserve(build, part, &planned->keys, instead);
}

trawl_status trawl_dfa_part_fill(trawl_build *build, uint32_t part, trawl_dfa_part *planned) {
    const trawl_image *image = build->image;
    trawl_outputs_fill(build, part, &planned->keys, &planned->trie);
    const uint8_t *verify = trawl_image_section(image, TRAWL_SECTION_KEY_VERIFY, part);
    for (uint32_t key = 0; key < planned->keys.count; key++) {
        planned->header.verify |= verify[key] != 0;
    }
    memcpy(trawl_image_section(image, TRAWL_SECTION_DFA_HEADER, part), &planned->header,
           sizeof planned->header);
    uint8_t column[256];
    trawl_dfa_columns(&planned->keys, &planned->classes, column);
    uint8_t *column_of = trawl_image_section(image, TRAWL_SECTION_CLASSES, part);
    for (unsigned byte = 0; byte < 256; byte++) {
        column_of[byte] = column[planned->classes.class_of[byte]];
    }
    return trawl_dfa_fill(&planned->trie, &planned->classes, column, &planned->header,
                          trawl_image_section(image, TRAWL_SECTION_DFA_TABLE, part),
                          trawl_image_section(image, TRAWL_SECTION_DFA_OUTPUT, part), build->error);
}

void trawl_dfa_part_release(trawl_dfa_part *planned) {
    trawl_trie_release(&planned->trie);
    trawl_keys_release(&planned->keys);
}

static bool header_sound(const trawl_dfa_header *header) {
    if (header->states == 0 || header->first_match > header->states || header->first_match == 0 ||
        header->classes == 0 || header->classes > 256 || header->verify > 1 ||
        (uint64_t)header->states * header->columns > UINT32_MAX) {
        return false;
    }
    switch (header->layout) {
    case TRAWL_DFA_NARROW:
        return header->states <= TRAWL_DFA_NARROW_STATES && header->shift <= 8 &&
               header->columns == UINT32_C(1) << header->shift &&
               header->columns >= header->classes;
    case TRAWL_DFA_STT16:
        return header->states <= TRAWL_DFA_NARROW_STATES && header->shift == 8 &&
               header->columns == 256;
    case TRAWL_DFA_WIDE:
        return header->columns == header->classes;
    case TRAWL_DFA_STT:
        return header->columns == TRAWL_STT_COLUMNS && header->first_match == header->states;
    default:
        return false;
    }
}

/* Whether every entry of a wide table is the number of a state times the columns. A product with
 * the inverse of their odd part, rotated by the zeros behind that part, is the quotient of such an
 * entry. Any other entry gives more than UINT32_MAX / columns (Warren, Hacker's Delight, 10-17),
 * and so more than the last state (header_sound). Thus an entry takes neither a division nor a
 * branch. */
static bool wide_table_sound(const trawl_dfa_header *header, const uint32_t *table) {
    const trawl_dfa_numbering numbering = trawl_dfa_numbering_of(header);
    const uint64_t entries = (uint64_t)header->states * header->columns;
    const uint32_t inverse = numbering.inverse, shift = numbering.shift, last = header->states - 1;
    uint32_t wrong = 0;
    for (uint64_t i = 0; i < entries; i++) {
        uint32_t product = table[i] * inverse;
        wrong |= (product >> shift | product << (-shift & 31)) > last;
    }
    return wrong == 0;
}

/* Whether every entry leads to a state; in the STT of 4-byte entries, also whether every match
 * column names a key or none. */
static bool table_sound(const trawl_dfa_header *header, const void *table, uint64_t keys) {
    uint64_t entries = (uint64_t)header->states * header->columns;
    if (trawl_dfa_entry_bytes(header->layout) == 2) {
        const uint16_t *narrow = table;
        uint32_t highest = 0;
        for (uint64_t i = 0; i < entries; i++) {
            highest = narrow[i] > highest ? narrow[i] : highest;
        }
        return highest < header->states;
    }
    if (header->layout == TRAWL_DFA_WIDE) {
        return wide_table_sound(header, table);
    }
    const uint32_t *wide = table;
    bool sound = true;
    for (uint32_t state = 0; state < header->states; state++) {
        const uint32_t *row = wide + (uint64_t)state * TRAWL_STT_COLUMNS;
        for (unsigned byte = 0; byte < 256; byte++) {
            sound = sound && row[byte] < header->states;
        }
        sound = sound && row[256] <= keys;
    }
    return sound;
}

trawl_status trawl_dfa_part_validate(const trawl_db *db, uint32_t part, bool with_stt16,
                                     trawl_error *error) {
    uint64_t header_size, classes_size, table_size, output_size, length_size, verify_size;
    const trawl_dfa_header *header =
        trawl_db_section(db, TRAWL_SECTION_DFA_HEADER, part, &header_size);
    const uint8_t *class_of = trawl_db_section(db, TRAWL_SECTION_CLASSES, part, &classes_size);
    const void *table = trawl_db_section(db, TRAWL_SECTION_DFA_TABLE, part, &table_size);
    const uint32_t *output = trawl_db_section(db, TRAWL_SECTION_DFA_OUTPUT, part, &output_size);
    if (header == NULL || header_size != sizeof *header || class_of == NULL ||
        classes_size != 256 || table == NULL || output == NULL || !header_sound(header) ||
        (header->layout == TRAWL_DFA_STT16 && !with_stt16) ||
        table_size !=
            (uint64_t)header->states * header->columns * trawl_dfa_entry_bytes(header->layout) ||
        output_size != (uint64_t)(header->states - header->first_match) * 4) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT, "the database's DFA has inconsistent sizes");
    }
    trawl_status status = trawl_outputs_validate(db, part, error);
    if (status != TRAWL_OK) {
        return status;
    }
    (void)trawl_db_section(db, TRAWL_SECTION_KEY_LENGTH, part, &length_size);
    uint64_t keys = length_size / 4;
    const uint8_t *verify = trawl_db_section(db, TRAWL_SECTION_KEY_VERIFY, part, &verify_size);
    bool sound = table_sound(header, table, keys);
    for (unsigned byte = 0; byte < 256; byte++) {
        sound = sound && class_of[byte] < header->classes;
    }
    for (uint32_t i = 0; i < header->states - header->first_match; i++) {
        sound = sound && output[i] < keys;
    }
    for (uint64_t key = 0; key < verify_size; key++) {
        sound = sound && (verify[key] == 0 || header->verify == 1);
    }
    if (!sound) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT, "the database's DFA has a state out of range");
    }
    return TRAWL_OK;
}
