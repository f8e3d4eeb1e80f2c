/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "database/selection.h"

#include <stddef.h>
#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "database/endings.h"
#include "database/selection_inside.h"

static bool is_wanted(const trawl_build *build) {
    const trawl_patterns *patterns = build->patterns;
    if (build->options->matches == TRAWL_MATCH_ALL || trawl_patterns_have_conditions(patterns)) {
        return false;
    }
    for (size_t id = 0; patterns->case_insensitive != 0 && id < patterns->count; id++) {
        if (trawl_outputs_verifies(patterns, (uint32_t)id)) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ making */

/* The jump of a key whose link is `link` (Myers 1983). If the jump of `link` and the jump after
 * that skip equally many links, the key jumps over both; else its jump is its link. A walk that
 * prefers jumps then takes O(log n) steps over n links. `depth` counts the links behind each
 * key. */
static uint32_t jump_of(const trawl_selection_key *keys, const uint32_t *depth, uint32_t link) {
    uint32_t jump = link == TRAWL_NO_KEY ? TRAWL_NO_KEY : keys[link].jump;
    uint32_t further = jump == TRAWL_NO_KEY ? TRAWL_NO_KEY : keys[jump].jump;
    bool equal =
        further != TRAWL_NO_KEY && depth[link] - depth[jump] == depth[jump] - depth[further];
    return equal ? further : link;
}

static trawl_status link_keys(trawl_build *build, trawl_selection_build *planned) {
    const trawl_keys *keys = &planned->keys;
    trawl_selection_key *made = trawl_allocate(keys->count, sizeof *made);
    uint32_t *depth = trawl_allocate(keys->count, sizeof *depth);
    planned->made = made;
    if (made == NULL || depth == NULL) {
        trawl_release(depth);
        return trawl_fail_memory(build->error, "links of keys",
                                 keys->count * (sizeof *depth + sizeof *made));
    }
    for (uint32_t key = 0; key < keys->count; key++) {
        const uint8_t *links = (const uint8_t *)made + offsetof(trawl_selection_key, link);
        uint32_t link = trawl_endings_suffix(keys, key, links, sizeof *made);
        depth[key] = link == TRAWL_NO_KEY ? 0 : depth[link] + 1;
        made[key] = (trawl_selection_key){.length = trawl_key_length(keys, key),
                                          .link = link,
                                          .jump = jump_of(made, depth, link),
                                          .pattern = keys->ids[keys->first[key]]};
    }
    trawl_release(depth);
    return TRAWL_OK;
}

static trawl_status reserve(trawl_build *build, const trawl_selection_build *planned) {
    static const char instead[] = TRAWL_RAISE_LIMIT ", or take match kind all";
    trawl_status status =
        trawl_build_reserve(build, TRAWL_SECTION_SELECTION_KEY, 0, planned->keys.count,
                            sizeof(trawl_selection_key), instead);
    if (status == TRAWL_OK && planned->inside_count != 0) {
        status =
            trawl_build_reserve(build, TRAWL_SECTION_SELECTION_INSIDE, 0, planned->inside_count,
                                sizeof(trawl_selection_inside), instead);
    }
    return status == TRAWL_OK
               ? trawl_build_reserve(build, TRAWL_SECTION_SELECTION_PATTERN, 0,
                                     build->patterns->count, sizeof(uint32_t), instead)
               : status;
}

trawl_status trawl_selection_plan(trawl_build *build, trawl_selection_build *planned) {
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
    if (status == TRAWL_OK) {
        status = link_keys(build, planned);
    }
    if (status == TRAWL_OK) {
        status = trawl_selection_find_inside(build, &reversed, planned);
    }
    trawl_release(reversed.bytes);
    return status == TRAWL_OK ? reserve(build, planned) : status;
}

void trawl_selection_fill(trawl_build *build, const trawl_selection_build *planned) {
    const trawl_keys *keys = &planned->keys;
    if (keys->count == 0) {
        return;
    }
    const trawl_image *image = build->image;
    memcpy(trawl_image_section(image, TRAWL_SECTION_SELECTION_KEY, 0), planned->made,
           keys->count * sizeof *planned->made);
    if (planned->inside_count != 0) {
        memcpy(trawl_image_section(image, TRAWL_SECTION_SELECTION_INSIDE, 0), planned->inside,
               planned->inside_count * sizeof *planned->inside);
    }
    uint32_t *patterns = trawl_image_section(image, TRAWL_SECTION_SELECTION_PATTERN, 0);
    for (uint32_t key = 0; key < keys->count; key++) {
        for (uint32_t i = keys->first[key]; i < keys->first[key + 1]; i++) {
            patterns[keys->ids[i]] = key;
        }
    }
}

void trawl_selection_release(trawl_selection_build *planned) {
    trawl_release(planned->made);
    trawl_release(planned->inside);
    trawl_keys_release(&planned->keys);
}

/* ------------------------------------------------------------------ reading */

trawl_selection_view trawl_selection_of(const trawl_db *db) {
    return (trawl_selection_view){
        .keys = trawl_db_section(db, TRAWL_SECTION_SELECTION_KEY, 0, NULL),
        .inside = trawl_db_section(db, TRAWL_SECTION_SELECTION_INSIDE, 0, NULL),
        .patterns = trawl_db_section(db, TRAWL_SECTION_SELECTION_PATTERN, 0, NULL)};
}

/* ------------------------------------------------------------------ checking */

static uint32_t length_of(const trawl_db *db, uint32_t id) {
    return db->patterns.offsets[id + 1] - db->patterns.offsets[id];
}

/* Whether a key's links lead to shorter keys of smaller numbers, and its jump is the one that
 * makes the way along the links short. Sets depth[key]. */
static bool links_sound(const trawl_selection_key *keys, uint32_t key, uint32_t *depth) {
    uint32_t link = keys[key].link;
    if (link != TRAWL_NO_KEY && (link >= key || keys[link].length >= keys[key].length)) {
        return false;
    }
    depth[key] = link == TRAWL_NO_KEY ? 0 : depth[link] + 1;
    return keys[key].jump == jump_of(keys, depth, link);
}

static bool key_sound(const trawl_db *db, const trawl_selection_key *keys, uint32_t key,
                      const trawl_selection_inside *inside, uint64_t inside_count) {
    uint32_t at = key == 0 ? 0 : keys[key - 1].inside_end;
    uint32_t end = keys[key].inside_end;
    uint32_t id = keys[key].pattern;
    if (id >= db->patterns.count || length_of(db, id) > keys[key].length || end < at ||
        end > inside_count) {
        return false;
    }
    for (uint32_t before = 0; at < end; at++) {
        if (inside[at].offset <= before || inside[at].offset >= keys[key].length ||
            inside[at].pattern >= db->patterns.count ||
            length_of(db, inside[at].pattern) > keys[key].length - inside[at].offset) {
            return false;
        }
        before = inside[at].offset;
    }
    return true;
}

static trawl_status check(const trawl_db *db, uint64_t count, uint64_t inside_count,
                          trawl_error *error) {
    trawl_selection_view view = trawl_selection_of(db);
    uint32_t *depth = trawl_allocate(count, sizeof *depth);
    if (depth == NULL) {
        return trawl_fail_memory(error, "checking the links of keys", count * sizeof *depth);
    }
    bool sound = true;
    for (uint32_t key = 0; sound && key < count; key++) {
        sound = links_sound(view.keys, key, depth) &&
                key_sound(db, view.keys, key, view.inside, inside_count);
    }
    for (uint32_t id = 0; sound && id < db->patterns.count; id++) {
        sound =
            view.patterns[id] < count && view.keys[view.patterns[id]].length == length_of(db, id);
    }
    trawl_release(depth);
    return sound ? TRAWL_OK
                 : trawl_fail(error, TRAWL_ERROR_FORMAT,
                              "the database's keys for leftmost matches are damaged");
}

trawl_status trawl_selection_validate(const trawl_db *db, trawl_error *error) {
    uint64_t size, inside_size, patterns_size;
    const trawl_selection_key *keys = trawl_db_section(db, TRAWL_SECTION_SELECTION_KEY, 0, &size);
    const void *inside = trawl_db_section(db, TRAWL_SECTION_SELECTION_INSIDE, 0, &inside_size);
    const uint32_t *patterns =
        trawl_db_section(db, TRAWL_SECTION_SELECTION_PATTERN, 0, &patterns_size);
    if (keys == NULL && patterns == NULL && inside == NULL) {
        return TRAWL_OK;
    }
    uint64_t count = size / sizeof *keys;
    uint64_t inside_count = inside_size / sizeof(trawl_selection_inside);
    if (keys == NULL || patterns == NULL || db->header->match_kind == TRAWL_MATCH_ALL ||
        count > TRAWL_PATTERNS_MAX_COUNT || size != count * sizeof *keys ||
        inside_count > UINT32_MAX || inside_size != inside_count * sizeof(trawl_selection_inside) ||
        patterns_size != (uint64_t)db->patterns.count * sizeof *patterns) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT,
                          "the database's keys for leftmost matches have inconsistent sizes");
    }
    return check(db, count, inside_count, error);
}
