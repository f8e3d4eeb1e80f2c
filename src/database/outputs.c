/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "database/outputs.h"

#include <string.h>

#include "base/fold.h"
#include "base/status.h"

_Static_assert(TRAWL_PATTERNS_MAX_EQUAL < TRAWL_RECORD_VERIFY,
               "the patterns of a key leave a bit of their number free");

/* Whether the number of patterns of each key fits into its record. */
static trawl_status check_equal(const trawl_keys *keys, trawl_error *error) {
    for (uint32_t key = 0; key < keys->count; key++) {
        uint32_t count = keys->first[key + 1] - keys->first[key];
        if (count > TRAWL_PATTERNS_MAX_EQUAL) {
            return trawl_fail(error, TRAWL_ERROR_LIMIT,
                              "%u patterns are equal, with pattern %u the first of them: at most "
                              "%u may be",
                              count, keys->ids[keys->first[key]], TRAWL_PATTERNS_MAX_EQUAL);
        }
    }
    return TRAWL_OK;
}

trawl_status trawl_outputs_reserve(trawl_build *build, uint32_t part, const trawl_keys *keys,
                                   const char *instead) {
    static const struct {
        trawl_section_kind kind;
        uint32_t extra;
        uint32_t size;
    } arrays[] = {
        {TRAWL_SECTION_KEY_LENGTH, 0, 4}, {TRAWL_SECTION_KEY_LINK, 0, 4},
        {TRAWL_SECTION_KEY_TOTAL, 0, 4},  {TRAWL_SECTION_KEY_FIRST, 1, 4},
        {TRAWL_SECTION_KEY_VERIFY, 0, 1}, {TRAWL_SECTION_KEY_RECORD, 0, sizeof(trawl_key_record)},
    };
    trawl_status status = check_equal(keys, build->error);
    if (status != TRAWL_OK) {
        return status;
    }
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        status =
            trawl_build_reserve(build, arrays[i].kind, part,
                                (uint64_t)keys->count + arrays[i].extra, arrays[i].size, instead);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    if (trawl_patterns_have_conditions(build->patterns)) {
        status = trawl_build_reserve(build, TRAWL_SECTION_KEY_GATE, part, (uint64_t)keys->count + 1,
                                     sizeof(trawl_gate), instead);
    }
    return status == TRAWL_OK ? trawl_build_reserve(build, TRAWL_SECTION_KEY_IDS, part,
                                                    keys->pattern_count, 4, instead)
                              : status;
}

bool trawl_outputs_verifies(const trawl_patterns *patterns, uint32_t id) {
    if ((patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0) {
        return false;
    }
    const uint8_t *bytes = trawl_pattern_bytes(patterns, id);
    uint32_t length = trawl_pattern_length(patterns, id);
    for (uint32_t i = 0; i < length; i++) {
        if (trawl_is_letter(bytes[i])) {
            return true;
        }
    }
    return false;
}

void trawl_outputs_begin(const trawl_build *build, uint32_t part, const trawl_keys *keys,
                         trawl_outputs_writer *writer) {
    const trawl_image *image = build->image;
    *writer = (trawl_outputs_writer){
        .patterns = build->patterns,
        .keys = keys,
        .length = trawl_image_section(image, TRAWL_SECTION_KEY_LENGTH, part),
        .link = trawl_image_section(image, TRAWL_SECTION_KEY_LINK, part),
        .total = trawl_image_section(image, TRAWL_SECTION_KEY_TOTAL, part),
        .first = trawl_image_section(image, TRAWL_SECTION_KEY_FIRST, part),
        .ids = trawl_image_section(image, TRAWL_SECTION_KEY_IDS, part),
        .verify = trawl_image_section(image, TRAWL_SECTION_KEY_VERIFY, part),
        .records = trawl_image_section(image, TRAWL_SECTION_KEY_RECORD, part),
        .gates = trawl_image_section(image, TRAWL_SECTION_KEY_GATE, part),
        .longest = trawl_image_section(image, TRAWL_SECTION_SELECTION_KEY, 0) != NULL,
    };
    writer->first[0] = 0;
    if (writer->gates != NULL) {
        writer->gates[keys->count] = 0;
    }
}

/* Writes the gate of key `number`, whose patterns are ids[first .. used). */
static void write_gate(trawl_outputs_writer *writer, uint32_t number, uint32_t shorter) {
    trawl_gate gate = shorter == TRAWL_NO_KEY ? 0 : writer->gates[shorter];
    for (uint32_t i = writer->first[number]; i < writer->used; i++) {
        gate |= trawl_patterns_right(writer->patterns, writer->ids[i]);
    }
    writer->gates[number] = gate;
    writer->gates[writer->keys->count] |= gate;
}

/* The record of a key whose patterns are ids[first .. past). `longest`: the record has one match
 * alone, of the longest key and its lowest id (database/selection.h). */
static trawl_key_record make_record(uint32_t length, uint32_t link, uint8_t verify,
                                    const uint32_t *ids, uint32_t first, uint32_t past,
                                    bool longest) {
    if (longest) {
        return (trawl_key_record){
            .length = length, .link = TRAWL_NO_KEY, .patterns = 1, .ids = ids[first]};
    }
    uint32_t count = past - first;
    return (trawl_key_record){
        .length = length,
        .link = link,
        .patterns = count | ((verify & TRAWL_VERIFY_OWN) != 0 ? TRAWL_RECORD_VERIFY : 0),
        .ids = count == 1 ? ids[first] : first};
}

void trawl_outputs_append(trawl_outputs_writer *writer, uint32_t key, uint32_t shorter) {
    const trawl_keys *keys = writer->keys;
    uint32_t number = writer->count++;
    uint32_t own = keys->first[key + 1] - keys->first[key];
    writer->length[number] = trawl_key_length(keys, key);
    writer->link[number] = shorter;
    writer->total[number] = own + (shorter == TRAWL_NO_KEY ? 0 : writer->total[shorter]);
    writer->verify[number] =
        shorter == TRAWL_NO_KEY ? 0 : writer->verify[shorter] & TRAWL_VERIFY_CHAIN;
    for (uint32_t i = keys->first[key]; i < keys->first[key + 1]; i++) {
        uint32_t id = keys->ids[i];
        writer->ids[writer->used++] = id;
        if (keys->folded && trawl_outputs_verifies(writer->patterns, id)) {
            writer->verify[number] = TRAWL_VERIFY_OWN | TRAWL_VERIFY_CHAIN;
        }
    }
    writer->first[writer->count] = writer->used;
    if (writer->gates != NULL) {
        write_gate(writer, number, shorter);
    }
    writer->records[number] =
        make_record(writer->length[number], shorter, writer->verify[number], writer->ids,
                    writer->first[number], writer->used, writer->longest);
}

void trawl_outputs_fill(trawl_build *build, uint32_t part, const trawl_keys *keys,
                        const trawl_trie *trie) {
    trawl_outputs_writer writer;
    trawl_outputs_begin(build, part, keys, &writer);
    /* Terminals are numbered in the order of states. */
    for (uint32_t state = 1; state < trie->states && writer.count < trie->terminals; state++) {
        if (trie->output[state] == writer.count) {
            trawl_outputs_append(&writer, trie->terminal_key[writer.count],
                                 trie->output[trie->failure[state]]);
        }
    }
}

void trawl_outputs_view(const trawl_db *db, uint32_t part, trawl_outputs *outputs) {
    uint64_t size;
    outputs->length = trawl_db_section(db, TRAWL_SECTION_KEY_LENGTH, part, &size);
    outputs->keys = (uint32_t)(size / sizeof(uint32_t));
    outputs->link = trawl_db_section(db, TRAWL_SECTION_KEY_LINK, part, NULL);
    outputs->total = trawl_db_section(db, TRAWL_SECTION_KEY_TOTAL, part, NULL);
    outputs->first = trawl_db_section(db, TRAWL_SECTION_KEY_FIRST, part, NULL);
    outputs->ids = trawl_db_section(db, TRAWL_SECTION_KEY_IDS, part, NULL);
    outputs->verify = trawl_db_section(db, TRAWL_SECTION_KEY_VERIFY, part, NULL);
    outputs->records = trawl_db_section(db, TRAWL_SECTION_KEY_RECORD, part, NULL);
    outputs->gates = trawl_db_section(db, TRAWL_SECTION_KEY_GATE, part, NULL);
    outputs->outside = db->conditions.outside;
    outputs->left = db->conditions.left;
}

bool trawl_outputs_are_present(const trawl_db *db) {
    const trawl_section *sections = (const trawl_section *)(db->header + 1);
    for (uint32_t i = 0; i < db->header->section_count; i++) {
        if (sections[i].kind >= TRAWL_SECTION_KEY_LENGTH &&
            sections[i].kind <= TRAWL_SECTION_KEY_GATE) {
            return true;
        }
    }
    return false;
}

/* Whether the gates of a part are there if and only if there are conditions, and right. */
static bool gates_sound(const trawl_db *db, const trawl_outputs *outputs, uint32_t part) {
    const trawl_condition_view *conditions = &db->conditions;
    trawl_gate all = 0;
    uint64_t size;
    trawl_db_section(db, TRAWL_SECTION_KEY_GATE, part, &size);
    if (conditions->records == NULL || outputs->gates == NULL) {
        return conditions->records == NULL && outputs->gates == NULL;
    }
    if (size != (outputs->keys + UINT64_C(1)) * sizeof(trawl_gate)) {
        return false;
    }
    for (uint32_t key = 0; key < outputs->keys; key++) {
        uint32_t link = outputs->link[key];
        trawl_gate gate = link == TRAWL_NO_KEY ? 0 : outputs->gates[link];
        for (uint32_t i = outputs->first[key]; i < outputs->first[key + 1]; i++) {
            gate |= conditions->records[conditions->of[outputs->ids[i]]].right;
        }
        if (outputs->gates[key] != gate) {
            return false;
        }
        all |= gate;
    }
    return outputs->gates[outputs->keys] == all;
}

/* Whether the sections of a part are there, with sizes that fit to the number of keys. */
static bool sizes_agree(const trawl_db *db, uint32_t part) {
    uint64_t length, link, total, first, ids, verify, records;
    bool there = trawl_db_section(db, TRAWL_SECTION_KEY_LENGTH, part, &length) != NULL &&
                 trawl_db_section(db, TRAWL_SECTION_KEY_LINK, part, &link) != NULL &&
                 trawl_db_section(db, TRAWL_SECTION_KEY_TOTAL, part, &total) != NULL &&
                 trawl_db_section(db, TRAWL_SECTION_KEY_FIRST, part, &first) != NULL &&
                 trawl_db_section(db, TRAWL_SECTION_KEY_IDS, part, &ids) != NULL &&
                 trawl_db_section(db, TRAWL_SECTION_KEY_VERIFY, part, &verify) != NULL &&
                 trawl_db_section(db, TRAWL_SECTION_KEY_RECORD, part, &records) != NULL;
    if (!there) {
        return false;
    }
    uint64_t keys = length / 4;
    return keys != 0 && keys <= TRAWL_PATTERNS_MAX_COUNT && length == keys * 4 &&
           link == keys * 4 && total == keys * 4 && first == (keys + 1) * 4 && verify == keys &&
           records == keys * sizeof(trawl_key_record) && ids % 4 == 0 &&
           ids / 4 <= db->patterns.count;
}

/* What is wrong with a key, or NULL. Keys with smaller numbers are sound. `ids`: entries of
 * outputs->ids. */
static const char *find_damage(const trawl_outputs *outputs, const trawl_pattern_view *patterns,
                               uint32_t key, uint64_t ids, bool longest) {
    uint32_t length = outputs->length[key], link = outputs->link[key];
    uint32_t first = outputs->first[key], past = outputs->first[key + 1];
    uint8_t verify = outputs->verify[key];
    bool linked = link != TRAWL_NO_KEY;
    if (past < first || past > ids || past - first > TRAWL_PATTERNS_MAX_EQUAL ||
        (longest && (past == first || verify != 0)) ||
        (linked && (link >= key || outputs->length[link] >= length))) {
        return "output";
    }
    /* Walkers write all matches of a chain unverified if its first key's bits are 0. */
    bool chained = linked && (outputs->verify[link] & TRAWL_VERIFY_CHAIN) != 0;
    if (verify != (TRAWL_VERIFY_OWN | TRAWL_VERIFY_CHAIN) &&
        verify != (chained ? TRAWL_VERIFY_CHAIN : 0)) {
        return "verification";
    }
    trawl_key_record record = make_record(length, link, verify, outputs->ids, first, past, longest);
    if (memcmp(&record, &outputs->records[key], sizeof record) != 0) {
        return "record";
    }
    if (outputs->total[key] != past - first + (linked ? outputs->total[link] : 0)) {
        return "total";
    }
    for (uint32_t i = first; i < past; i++) {
        uint32_t id = outputs->ids[i];
        if (id >= patterns->count || patterns->offsets[id + 1] - patterns->offsets[id] != length) {
            return "pattern list";
        }
    }
    return NULL;
}

trawl_status trawl_outputs_validate(const trawl_db *db, uint32_t part, trawl_error *error) {
    trawl_outputs outputs;
    uint64_t ids;
    trawl_outputs_view(db, part, &outputs);
    trawl_db_section(db, TRAWL_SECTION_KEY_IDS, part, &ids);
    ids /= 4;
    if (!sizes_agree(db, part) || outputs.first[0] != 0 || outputs.first[outputs.keys] != ids) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT,
                          "the database's outputs have inconsistent sizes");
    }
    bool longest = trawl_db_section(db, TRAWL_SECTION_SELECTION_KEY, 0, NULL) != NULL;
    for (uint32_t key = 0; key < outputs.keys; key++) {
        const char *damaged = find_damage(&outputs, &db->patterns, key, ids, longest);
        if (damaged != NULL) {
            return trawl_fail(error, TRAWL_ERROR_FORMAT, "the database's %s of key %u is damaged",
                              damaged, key);
        }
    }
    if (!gates_sound(db, &outputs, part)) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT, "the database's gates of keys are damaged");
    }
    return TRAWL_OK;
}
