/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/anchors/build.h"

#include "base/allocate.h"
#include "base/status.h"
#include "engines/qgram/bloom/bit_scatter.h"

#define MOST TRAWL_ANCHORS_MOST_ENTRIES

/* ------------------------------------------------------------------ the choice */

/* The last bytes of a key that is stored the last byte first. */
static void read_key(const trawl_keys *keys, uint32_t key, trawl_anchors_key *read) {
    const uint8_t *reversed = trawl_key_bytes(keys, key);
    read->length = trawl_key_length(keys, key);
    uint32_t kept = read->length < TRAWL_ANCHORS_REACH ? read->length : TRAWL_ANCHORS_REACH;
    uint8_t *past = read->bytes + kept;
    uint32_t at = 0;
    for (; at + 8 <= kept; at += 8) {
        uint64_t eight = trawl_ending_eight(reversed + at);
        memcpy(past - at - 8, &eight, sizeof eight);
    }
    for (; at < kept; at++) {
        past[-1 - (ptrdiff_t)at] = reversed[at];
    }
    memset(past, 0, 8);
}

/* The number of places among which a key can choose. */
static uint32_t places_of(const trawl_keys *keys, uint32_t key) {
    uint32_t length = trawl_key_length(keys, key);
    return length < TRAWL_ANCHORS_REACH ? length : TRAWL_ANCHORS_REACH;
}

/* Lets all keys choose, those with the fewest places first. `order` has room for all keys. */
static void choose_all(trawl_anchors_choice *choice, const trawl_keys *keys, uint32_t *order,
                       uint8_t *distances) {
    uint32_t next[TRAWL_ANCHORS_REACH + 2] = {0};
    for (uint32_t key = 0; key < keys->count; key++) {
        next[places_of(keys, key) + 1]++;
    }
    for (uint32_t places = 1; places <= TRAWL_ANCHORS_REACH + 1; places++) {
        next[places] += next[places - 1];
    }
    for (uint32_t key = 0; key < keys->count; key++) {
        order[next[places_of(keys, key)]++] = key;
    }
    for (uint32_t i = 0; i < keys->count; i++) {
        trawl_anchors_key key;
        read_key(keys, order[i], &key);
        trawl_anchors_choose(choice, &key, distances + (size_t)order[i] * choice->tier->stride);
    }
}

/* ------------------------------------------------------------------ buckets */

uint64_t trawl_anchors_hash_at(const trawl_qgram_tier *tier, const uint8_t *reversed,
                               uint32_t distance) {
    uint64_t number = trawl_ending_eight(reversed + distance - tier->gram);
    number =
        trawl_qgram_fold(number >> (64 - 8 * tier->gram), trawl_qgram_case_bits(tier->folded != 0));
    return trawl_anchors_hash(number, trawl_qgram_multiplier(tier->gram));
}

static uint64_t hash_of_anchor(const trawl_qgram_tier *tier, const trawl_keys *keys, uint64_t i,
                               const uint8_t *distances) {
    uint32_t key = (uint32_t)(i / tier->stride);
    return trawl_anchors_hash_at(tier, trawl_key_bytes(keys, key), distances[i]);
}

/* Counts the keys of each bucket; `counts` is cleared. */
static void count_keys(const trawl_qgram_tier *tier, const trawl_keys *keys,
                       const trawl_anchors_made *made, uint32_t *counts) {
    uint64_t anchors = (uint64_t)keys->count * tier->stride;
    for (uint64_t i = 0; i < anchors; i++) {
        uint64_t hash = hash_of_anchor(tier, keys, i, made->distances);
        counts[trawl_anchors_bucket_of(hash, made->header.buckets)]++;
    }
}

trawl_status trawl_anchors_make(trawl_qgram_tier *tier, const trawl_anchors_filter *filter,
                                const trawl_keys *keys, const uint8_t *text, size_t length,
                                trawl_anchors_made *made, trawl_error *error) {
    uint64_t anchors = (uint64_t)keys->count * tier->stride;
    if (anchors > INT32_MAX) { /* places of entries have 32 bits */
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "qgram: %llu samples of patterns are more than 2147483647; try engine "
                          "ac-nfa",
                          (unsigned long long)anchors);
    }
    double load = filter != NULL ? filter->load : TRAWL_ANCHORS_ENTRIES_PER_BUCKET;
    uint64_t buckets = (uint64_t)((double)anchors / load) + 1;
    uint32_t bits = TRAWL_ANCHORS_TAG_MIN_BITS;
    while (bits < TRAWL_ANCHORS_TAG_MAX_BITS &&
           UINT64_C(1) << bits < TRAWL_ANCHORS_TAGS_PER_ENTRY * anchors) {
        bits++;
    }
    tier->suffix_filter_bits = bits;
    made->header = (trawl_anchors_header){.buckets = (uint32_t)buckets};
    made->distances = trawl_allocate(anchors, 1);
    size_t places = trawl_anchors_places(tier, filter);
    size_t place_room = places > TRAWL_ANCHORS_PAIRS ? places : TRAWL_ANCHORS_PAIRS;
    trawl_anchors_pairs *pairs = trawl_allocate(1, sizeof *pairs);
    trawl_anchors_place *place = trawl_allocate(place_room, sizeof *place);
    uint64_t room = buckets > keys->count ? buckets : keys->count; /* first the order of the keys */
    uint32_t *counts = made->counts = trawl_allocate(room, sizeof *counts);
    bool allocated = made->distances != NULL && pairs != NULL && place != NULL && counts != NULL;
    if (allocated) {
        trawl_anchors_choice choice;
        trawl_anchors_count_pairs(pairs, (float *)place, text, length, tier->folded != 0);
        trawl_anchors_begin(&choice, tier, filter, pairs, place);
        trawl_anchors_count(&choice, text, length);
        choose_all(&choice, keys, counts, made->distances);
        memset(counts, 0, buckets * sizeof *counts);
        count_keys(tier, keys, made, counts);
        for (uint64_t i = 0; i < anchors; i++) {
            uint32_t distance = made->distances[i];
            made->header.reach = distance > made->header.reach ? distance : made->header.reach;
        }
        for (uint64_t i = 0; i < buckets; i++) {
            made->header.further += counts[i] > 2 && counts[i] <= MOST ? counts[i] - 1 : 0;
            made->header.crowded += counts[i] > MOST;
        }
    }
    trawl_release(pairs);
    trawl_release(place);
    return allocated ? TRAWL_OK
                     : trawl_fail_memory(error, "planning qgram",
                                         anchors + sizeof *pairs + place_room * sizeof *place +
                                             room * sizeof *counts);
}

void trawl_anchors_release(trawl_anchors_made *made) {
    trawl_release(made->distances);
    trawl_release(made->counts);
}

trawl_status trawl_anchors_reserve(trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                                   const trawl_anchors_made *made, const char *instead) {
    trawl_status status =
        trawl_build_reserve(build, TRAWL_SECTION_QGRAM_TAGS, part,
                            UINT64_C(1) << tier->suffix_filter_bits, sizeof(uint16_t), instead);
    if (status != TRAWL_OK) {
        return status;
    }
    return trawl_build_reserve(build, TRAWL_SECTION_QGRAM_BUCKETS, part,
                               1 + trawl_anchors_units(&made->header), sizeof(trawl_anchors_bucket),
                               instead);
}

/* Eight bytes of the key around the anchor. */
static trawl_anchors_entry entry_of(const trawl_qgram_tier *tier, const trawl_keys *keys,
                                    uint32_t key, uint32_t distance) {
    const uint8_t *reversed = trawl_key_bytes(keys, key);
    uint32_t length = trawl_key_length(keys, key), from = distance;
    trawl_anchors_entry entry = {.key = key, .end = (uint8_t)distance};
    if (length <= 8) {
        from = length;
        entry.value = trawl_ending_number(reversed, length);
        entry.shift = (uint8_t)(64 - 8 * length);
    } else {
        from = trawl_anchors_value_distance(distance, length);
        entry.value = trawl_ending_eight(reversed + from - 8);
    }
    entry.from = (int8_t)((int32_t)distance - (int32_t)from);
    entry.value = trawl_qgram_fold(entry.value, trawl_qgram_case_bits(tier->folded != 0));
    return entry;
}

/* What is known of the buckets before their keys are entered: counts, and where those with more
 * than two keys have their further entries. */
static void begin_buckets(trawl_anchors_bucket *buckets, const trawl_anchors_made *made,
                          const uint32_t *counts) {
    uint32_t further = 0;
    for (uint32_t i = 0; i < made->header.buckets; i++) {
        const trawl_anchors_entry none = {.key = TRAWL_NO_KEY};
        buckets[i].entry[0] = buckets[i].entry[1] = none;
        if (counts[i] > MOST) {
            buckets[i].entry[0].more = TRAWL_ANCHORS_CROWDED;
        } else if (counts[i] > 2) {
            buckets[i].entry[1].key = further;
            buckets[i].entry[1].more = (uint8_t)(counts[i] - 1);
            further += counts[i] - 1;
        }
    }
}

/* The neighbours of a key's anchor (engines/qgram/anchors/format.h). */
static uint64_t neighbours_of(const trawl_qgram_tier *tier, const trawl_keys *keys, uint32_t key,
                              uint32_t distance) {
    const uint8_t *reversed = trawl_key_bytes(keys, key);
    uint32_t gram = tier->gram;
    uint64_t before = UINT32_MAX, behind = UINT32_MAX;
    if (distance < trawl_key_length(keys, key)) {
        before = UINT64_C(1) << (reversed[distance] & 31);
    }
    if (distance > gram && gram < TRAWL_ANCHORS_MAX_GRAM) {
        behind = UINT64_C(1) << (reversed[distance - gram - 1] & 31);
    }
    return before | behind << 32;
}

static void enter(trawl_anchors_bucket *bucket, trawl_anchors_entry *further, uint32_t left,
                  trawl_anchors_entry entry, uint64_t neighbours) {
    if (bucket->entry[0].more == TRAWL_ANCHORS_CROWDED) {
        bucket->entry[0].value |= UINT64_C(1) << (entry.end - 1) / TRAWL_ANCHORS_STEP;
    } else if (bucket->entry[0].key == TRAWL_NO_KEY) {
        bucket->entry[0] = entry;
    } else if (bucket->entry[1].more == 0) {
        bucket->entry[1] = entry;
    } else {
        further[bucket->entry[1].key + bucket->entry[1].more - left] = entry;
        bucket->entry[1].value |= neighbours;
    }
}

void trawl_anchors_fill_buckets(const trawl_qgram_tier *tier, const trawl_keys *keys,
                                const trawl_anchors_made *made, trawl_anchors_bucket *buckets) {
    trawl_anchors_entry *further = buckets[made->header.buckets].entry;
    uint32_t *counts = made->counts;
    memset(further, 0, (size_t)(made->header.further + 1) / 2 * sizeof *buckets);
    begin_buckets(buckets, made, counts);
    uint64_t anchors = (uint64_t)keys->count * tier->stride;
    for (uint64_t i = 0; i < anchors; i++) {
        uint32_t key = (uint32_t)(i / tier->stride), distance = made->distances[i];
        uint64_t hash = hash_of_anchor(tier, keys, i, made->distances);
        size_t bucket = trawl_anchors_bucket_of(hash, made->header.buckets);
        enter(&buckets[bucket], further, --counts[bucket] + 1, entry_of(tier, keys, key, distance),
              neighbours_of(tier, keys, key, distance));
    }
}

void trawl_anchors_fill(trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                        const trawl_keys *keys, const trawl_anchors_made *made) {
    trawl_anchors_header *header =
        trawl_image_section(build->image, TRAWL_SECTION_QGRAM_BUCKETS, part);
    *header = made->header;
    trawl_anchors_fill_buckets(tier, keys, made, (trawl_anchors_bucket *)(header + 1));
    uint16_t *tags = trawl_image_section(build->image, TRAWL_SECTION_QGRAM_TAGS, part);
    memset(tags, 0, sizeof *tags << tier->suffix_filter_bits);
    trawl_bit_scatter rows;
    trawl_bit_scatter_begin(
        &rows, trawl_image_section(build->image, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part),
        tier->row_bits);
    const trawl_qgram_placing placing = trawl_qgram_placing_of(tier);
    uint64_t anchors = (uint64_t)keys->count * tier->stride;
    for (uint64_t i = 0; i < anchors; i++) {
        uint32_t key = (uint32_t)(i / tier->stride), distance = made->distances[i];
        const uint8_t *reversed = trawl_key_bytes(keys, key);
        uint64_t number =
            trawl_ending_eight(reversed + distance - tier->gram) >> (64 - 8 * tier->gram);
        uint64_t place = trawl_qgram_place(&placing, number);
        trawl_bit_scatter_set(&rows, place >> TRAWL_QGRAM_ROW_BIT, 1u << (place & 31));
        uint64_t hash = trawl_anchors_hash_at(tier, reversed, distance);
        tags[trawl_anchors_tag(hash, tier->suffix_filter_bits)] |=
            (uint16_t)(1u << trawl_anchors_tag_bit(hash));
    }
    trawl_bit_scatter_finish(&rows);
}

/* ------------------------------------------------------------------ checks */

/* The scan reads the value of each entry without a branch, also of one without a key. */
static bool value_is_near(const trawl_anchors_entry *entry) {
    return entry->from <= 0 && entry->from >= -8 && entry->shift <= 56;
}

/* What the entries of a tier may be. */
typedef struct entry_limits {
    uint32_t keys, gram, reach;
} entry_limits;

static bool entry_is_valid(const trawl_anchors_entry *entry, const entry_limits *limits) {
    return value_is_near(entry) && entry->more == 0 &&
           (entry->key == TRAWL_NO_KEY ||
            (entry->key < limits->keys && entry->end >= limits->gram &&
             entry->end <= limits->reach));
}

static bool bucket_is_valid(const trawl_anchors_bucket *bucket, const trawl_anchors_header *header,
                            const entry_limits *limits) {
    const trawl_anchors_entry *first = &bucket->entry[0], *second = &bucket->entry[1];
    if (first->more == TRAWL_ANCHORS_CROWDED) {
        return header->crowded != 0 && second->key == TRAWL_NO_KEY && second->more == 0 &&
               value_is_near(first) && value_is_near(second);
    }
    bool second_is_valid = second->more == 0
                               ? entry_is_valid(second, limits)
                               : value_is_near(second) && second->more < MOST &&
                                     (uint64_t)second->key + second->more <= header->further;
    return second_is_valid && entry_is_valid(first, limits);
}

bool trawl_anchors_are_valid(const trawl_db *db, uint32_t part, const trawl_qgram_tier *tier,
                             uint32_t keys) {
    uint64_t size, tags_size;
    const trawl_anchors_header *header =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_BUCKETS, part, &size);
    (void)trawl_db_section(db, TRAWL_SECTION_QGRAM_TAGS, part, &tags_size);
    if (header == NULL || size < sizeof *header || header->buckets == 0 ||
        header->reach < tier->gram || header->reach > TRAWL_ANCHORS_REACH ||
        tags_size != sizeof(uint16_t) << tier->suffix_filter_bits ||
        (size / sizeof(trawl_anchors_bucket) !=
         1 + (uint64_t)header->buckets + ((uint64_t)header->further + 1) / 2) ||
        size % sizeof(trawl_anchors_bucket) != 0) {
        return false;
    }
    const entry_limits limits = {.keys = keys, .gram = tier->gram, .reach = header->reach};
    const trawl_anchors_bucket *buckets = (const trawl_anchors_bucket *)(header + 1);
    const trawl_anchors_entry *further = buckets[header->buckets].entry;
    for (uint32_t i = 0; i < header->buckets; i++) {
        if (!bucket_is_valid(&buckets[i], header, &limits)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < header->further; i++) {
        if (!entry_is_valid(&further[i], &limits) || further[i].key == TRAWL_NO_KEY) {
            return false;
        }
    }
    return true;
}
