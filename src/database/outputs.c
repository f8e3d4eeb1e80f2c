/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "database/outputs.h"

#include <string.h>

#include "base/fold.h"
#include "base/status.h"

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
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        trawl_status status =
            trawl_build_reserve(build, arrays[i].kind, part,
                                (uint64_t)keys->count + arrays[i].extra, arrays[i].size, instead);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    return trawl_build_reserve(build, TRAWL_SECTION_KEY_IDS, part, keys->pattern_count, 4, instead);
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
        .longest = trawl_image_section(image, TRAWL_SECTION_SELECTION_KEY, 0) != NULL,
    };
    writer->first[0] = 0;
}

/* The record of a key whose patterns are ids[first .. past). `longest`: of all its matches, the
 * longest one with the lowest id alone. */
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
}

trawl_status trawl_outputs_validate(const trawl_db *db, uint32_t part, trawl_error *error) {
    uint64_t length_size, link_size, total_size, first_size, ids_size, verify_size, records_size;
    const uint32_t *length = trawl_db_section(db, TRAWL_SECTION_KEY_LENGTH, part, &length_size);
    const uint32_t *link = trawl_db_section(db, TRAWL_SECTION_KEY_LINK, part, &link_size);
    const uint32_t *total = trawl_db_section(db, TRAWL_SECTION_KEY_TOTAL, part, &total_size);
    const uint32_t *first = trawl_db_section(db, TRAWL_SECTION_KEY_FIRST, part, &first_size);
    const uint32_t *ids = trawl_db_section(db, TRAWL_SECTION_KEY_IDS, part, &ids_size);
    const uint8_t *verify = trawl_db_section(db, TRAWL_SECTION_KEY_VERIFY, part, &verify_size);
    const trawl_key_record *records =
        trawl_db_section(db, TRAWL_SECTION_KEY_RECORD, part, &records_size);
    uint64_t keys = length_size / 4;
    if (length == NULL || link == NULL || total == NULL || first == NULL || ids == NULL ||
        verify == NULL || keys == 0 || keys >= TRAWL_NO_KEY || length_size != keys * 4 ||
        link_size != keys * 4 || total_size != keys * 4 || first_size != (keys + 1) * 4 ||
        verify_size != keys || records == NULL || records_size != keys * sizeof *records ||
        ids_size % 4 != 0 || first[0] != 0 || first[keys] != ids_size / 4 ||
        ids_size / 4 > db->patterns.count) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT,
                          "the database's outputs have inconsistent sizes");
    }
    const trawl_pattern_view *patterns = &db->patterns;
    bool longest = trawl_db_section(db, TRAWL_SECTION_SELECTION_KEY, 0, NULL) != NULL;
    for (uint64_t key = 0; key < keys; key++) {
        bool linked = link[key] != TRAWL_NO_KEY;
        if (first[key + 1] < first[key] || first[key + 1] > ids_size / 4 ||
            (longest && (first[key + 1] == first[key] || verify[key] != 0)) ||
            (linked && (link[key] >= key || length[link[key]] >= length[key]))) {
            return trawl_fail(error, TRAWL_ERROR_FORMAT,
                              "the database's output of key %llu is damaged",
                              (unsigned long long)key);
        }
        /* Walkers write all matches of a chain unverified if its first key's bits are 0. */
        bool chained = linked && (verify[link[key]] & TRAWL_VERIFY_CHAIN) != 0;
        if (verify[key] != (TRAWL_VERIFY_OWN | TRAWL_VERIFY_CHAIN) &&
            verify[key] != (chained ? TRAWL_VERIFY_CHAIN : 0)) {
            return trawl_fail(error, TRAWL_ERROR_FORMAT,
                              "the database's verification of key %llu is damaged",
                              (unsigned long long)key);
        }
        trawl_key_record record = make_record(length[key], link[key], verify[key], ids, first[key],
                                              first[key + 1], longest);
        if (memcmp(&record, &records[key], sizeof record) != 0) {
            return trawl_fail(error, TRAWL_ERROR_FORMAT,
                              "the database's record of key %llu is damaged",
                              (unsigned long long)key);
        }
        uint32_t own = first[key + 1] - first[key];
        if (total[key] != own + (linked ? total[link[key]] : 0)) {
            return trawl_fail(error, TRAWL_ERROR_FORMAT,
                              "the database's total of key %llu is damaged",
                              (unsigned long long)key);
        }
        for (uint32_t i = first[key]; i < first[key + 1]; i++) {
            uint32_t id = ids[i];
            if (id >= patterns->count ||
                patterns->offsets[id + 1] - patterns->offsets[id] != length[key]) {
                return trawl_fail(error, TRAWL_ERROR_FORMAT,
                                  "the database's pattern list of key %llu is damaged",
                                  (unsigned long long)key);
            }
        }
    }
    return TRAWL_OK;
}
