/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "database/selection.h"

#include "base/allocate.h"
#include "base/status.h"
#include "database/endings.h"

static bool is_wanted(const trawl_build *build) {
    const trawl_patterns *patterns = build->patterns;
    if (build->options->matches == TRAWL_MATCH_ALL) {
        return false;
    }
    for (size_t id = 0; patterns->case_insensitive != 0 && id < patterns->count; id++) {
        if (trawl_outputs_verifies(patterns, (uint32_t)id)) {
            return false;
        }
    }
    return true;
}

trawl_status trawl_selection_plan(trawl_build *build, trawl_selection_build *planned) {
    static const char instead[] = "match kind all needs less memory";
    *planned = (trawl_selection_build){.keys = {.count = 0}};
    if (!is_wanted(build)) {
        return TRAWL_OK;
    }
    trawl_patterns reversed;
    trawl_status status = trawl_endings_reverse(build->patterns, &reversed, build->error);
    if (status != TRAWL_OK) {
        return status;
    }
    status = trawl_keys_make(&reversed, NULL, 0, &planned->keys, build->error);
    trawl_release(reversed.bytes);
    if (status == TRAWL_OK) {
        status = trawl_build_reserve(build, TRAWL_SECTION_SELECTION_KEY, 0, planned->keys.count,
                                     sizeof(trawl_selection_key), instead);
    }
    return status == TRAWL_OK
               ? trawl_build_reserve(build, TRAWL_SECTION_SELECTION_PATTERN, 0,
                                     build->patterns->count, sizeof(uint32_t), instead)
               : status;
}

/* The jump of a key leads as many links further as two equal jumps of the key it links to, else one
 * link. `depth` counts the links behind each key. */
static uint32_t jump_of(const trawl_selection_key *keys, const uint32_t *depth, uint32_t link) {
    uint32_t jump = link == TRAWL_NO_KEY ? TRAWL_NO_KEY : keys[link].jump;
    uint32_t further = jump == TRAWL_NO_KEY ? TRAWL_NO_KEY : keys[jump].jump;
    bool equal =
        further != TRAWL_NO_KEY && depth[link] - depth[jump] == depth[jump] - depth[further];
    return equal ? further : link;
}

trawl_status trawl_selection_fill(trawl_build *build, const trawl_selection_build *planned) {
    const trawl_keys *keys = &planned->keys;
    if (keys->count == 0) {
        return TRAWL_OK;
    }
    uint32_t *depth = trawl_allocate(keys->count, sizeof *depth);
    if (depth == NULL) {
        return trawl_fail_memory(build->error, "links of keys", keys->count * sizeof *depth);
    }
    trawl_selection_key *made = trawl_image_section(build->image, TRAWL_SECTION_SELECTION_KEY, 0);
    uint32_t *patterns = trawl_image_section(build->image, TRAWL_SECTION_SELECTION_PATTERN, 0);
    for (uint32_t key = 0; key < keys->count; key++) {
        /* As in trawl_endings_write: shorter keys are among the key before and its links. */
        uint32_t link = key == 0 ? TRAWL_NO_KEY : key - 1;
        while (link != TRAWL_NO_KEY && made[link].length > keys->common[key]) {
            link = made[link].link;
        }
        depth[key] = link == TRAWL_NO_KEY ? 0 : depth[link] + 1;
        made[key] = (trawl_selection_key){.length = trawl_key_length(keys, key),
                                          .link = link,
                                          .jump = jump_of(made, depth, link),
                                          .pattern = keys->ids[keys->first[key]]};
        for (uint32_t i = keys->first[key]; i < keys->first[key + 1]; i++) {
            patterns[keys->ids[i]] = key;
        }
    }
    trawl_release(depth);
    return TRAWL_OK;
}

void trawl_selection_release(trawl_selection_build *planned) {
    trawl_keys_release(&planned->keys);
}

trawl_selection_view trawl_selection_of(const trawl_db *db) {
    return (trawl_selection_view){
        .keys = trawl_db_section(db, TRAWL_SECTION_SELECTION_KEY, 0, NULL),
        .patterns = trawl_db_section(db, TRAWL_SECTION_SELECTION_PATTERN, 0, NULL)};
}

uint32_t trawl_selection_shorten(const trawl_selection_key *keys, uint32_t key, uint64_t length) {
    while (key != TRAWL_NO_KEY && keys[key].length > length) {
        uint32_t jump = keys[key].jump;
        key = jump != TRAWL_NO_KEY && keys[jump].length > length ? jump : keys[key].link;
    }
    return key;
}

/* Whether `to` may be a link or jump of a key: to a shorter key of a smaller number, or nowhere. */
static bool leads_back(const trawl_selection_key *keys, uint32_t key, uint32_t to) {
    return to == TRAWL_NO_KEY || (to < key && keys[to].length < keys[key].length);
}

static bool is_sound(const trawl_db *db, const trawl_selection_key *keys, uint64_t count,
                     const uint32_t *patterns) {
    const uint32_t *offsets = db->patterns.offsets;
    for (uint32_t key = 0; key < count; key++) {
        uint32_t id = keys[key].pattern;
        if (id >= db->patterns.count || keys[key].length != offsets[id + 1] - offsets[id] ||
            !leads_back(keys, key, keys[key].link) || !leads_back(keys, key, keys[key].jump)) {
            return false;
        }
    }
    for (uint32_t id = 0; id < db->patterns.count; id++) {
        if (patterns[id] >= count || keys[patterns[id]].length != offsets[id + 1] - offsets[id]) {
            return false;
        }
    }
    return true;
}

trawl_status trawl_selection_validate(const trawl_db *db, trawl_error *error) {
    uint64_t size, patterns_size;
    const trawl_selection_key *keys = trawl_db_section(db, TRAWL_SECTION_SELECTION_KEY, 0, &size);
    const uint32_t *patterns =
        trawl_db_section(db, TRAWL_SECTION_SELECTION_PATTERN, 0, &patterns_size);
    if (keys == NULL && patterns == NULL) {
        return TRAWL_OK;
    }
    uint64_t count = size / sizeof *keys;
    bool sound = keys != NULL && patterns != NULL && db->header->match_kind != TRAWL_MATCH_ALL &&
                 count < TRAWL_NO_KEY && size == count * sizeof *keys &&
                 patterns_size == (uint64_t)db->patterns.count * sizeof *patterns;
    return sound && is_sound(db, keys, count, patterns)
               ? TRAWL_OK
               : trawl_fail(error, TRAWL_ERROR_FORMAT,
                            "the database's keys for leftmost matches are damaged");
}
