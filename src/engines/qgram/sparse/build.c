/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/sparse/build.h"

#include "base/allocate.h"
#include "base/status.h"
#include "engines/qgram/bloom/bit_scatter.h"
#include "engines/qgram/sparse/choose.h"

#define GRAM TRAWL_SPARSE_GRAM
#define MOST TRAWL_SPARSE_MOST_ENTRIES

/* Anchors that go through each step together, so that their loads overlap. Chosen, not measured
 * against others. */
#define AT_ONCE 64u

/* ------------------------------------------------------------------ the choice */

/* The q-gram that begins `distance` bytes before the end of a key whose last byte is stored first.
 */
static trawl_sparse_gram gram_of(const uint8_t *reversed, uint32_t distance, uint64_t case_bits) {
    uint64_t first = trawl_ending_eight(reversed + distance - 8);
    uint64_t last = trawl_ending_eight(reversed + distance - GRAM);
    return (trawl_sparse_gram){trawl_qgram_fold(first, case_bits),
                               trawl_qgram_fold(last, case_bits)};
}

/* Chooses the anchor whose nearest place is `distance` bytes before the key's end. */
static uint32_t choose(const trawl_sparse_counts *counts, const uint8_t *reversed, uint32_t length,
                       uint32_t stride, uint32_t distance) {
    uint32_t most = length < TRAWL_SPARSE_MAX_REACH ? length : TRAWL_SPARSE_MAX_REACH;
    uint32_t best = distance, least = UINT32_MAX;
    for (uint32_t i = 0; i < TRAWL_SPARSE_PLACES && distance <= most && least != 0; i++) {
        uint32_t cost = trawl_sparse_cost(counts, gram_of(reversed, distance, counts->case_bits));
        best = cost < least ? distance : best;
        least = cost < least ? cost : least;
        distance += stride;
    }
    return best;
}

static uint64_t hash_of(const uint8_t *reversed, uint32_t distance, uint64_t case_bits) {
    trawl_sparse_gram gram = gram_of(reversed, distance, case_bits);
    return trawl_sparse_hash(gram.first, gram.last);
}

/* Chooses all anchors, and counts those of each bucket: some at a time, so that the loads of the
 * counts overlap. */
static void choose_all(const trawl_qgram_tier *tier, const trawl_keys *keys,
                       const trawl_sparse_counts *counts, trawl_sparse_made *made) {
    uint16_t *distances = made->distances;
    size_t buckets[AT_ONCE];
    for (uint32_t key = 0; key < keys->count; key++) {
        const uint8_t *reversed = trawl_key_bytes(keys, key);
        uint32_t length = trawl_key_length(keys, key);
        for (uint32_t first = 0; first < tier->stride; first += AT_ONCE) {
            uint32_t count = tier->stride - first < AT_ONCE ? tier->stride - first : AT_ONCE;
            for (uint32_t i = 0; i < count; i++) {
                uint32_t distance =
                    choose(counts, reversed, length, tier->stride, GRAM + first + i);
                uint64_t hash = hash_of(reversed, distance, counts->case_bits);
                *distances++ = (uint16_t)distance;
                made->header.reach = distance > made->header.reach ? distance : made->header.reach;
                buckets[i] = trawl_sparse_bucket(hash, tier->suffix_filter_bits);
                __builtin_prefetch(&made->counts[buckets[i]], 1);
            }
            for (uint32_t i = 0; i < count; i++) {
                made->counts[buckets[i]]++;
            }
        }
    }
}

trawl_status trawl_sparse_make(trawl_qgram_tier *tier, const trawl_keys *keys, const uint8_t *text,
                               size_t length, trawl_sparse_made *made, trawl_error *error) {
    uint64_t anchors = (uint64_t)keys->count * tier->stride;
    if (anchors >= TRAWL_SPARSE_CROWDED) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "qgram: %llu samples of patterns are more than 2147483647; try engine "
                          "ac-nfa",
                          (unsigned long long)anchors);
    }
    uint32_t bits = TRAWL_SPARSE_MIN_BUCKET_BITS;
    while (bits < TRAWL_SPARSE_MAX_BUCKET_BITS &&
           (uint64_t)TRAWL_SPARSE_ENTRIES_PER_BUCKET << bits < anchors) {
        bits++;
    }
    tier->suffix_filter_bits = bits;
    made->distances = trawl_allocate(anchors, sizeof *made->distances);
    made->counts = trawl_allocate_zeroed((size_t)1 << bits, sizeof *made->counts);
    trawl_sparse_counts counts;
    bool allocated = trawl_sparse_counts_open(&counts, tier->folded != 0) &&
                     made->distances != NULL && made->counts != NULL;
    if (allocated) {
        trawl_sparse_counts_add(&counts, text, length);
        choose_all(tier, keys, &counts, made);
        for (size_t i = 0; i < (size_t)1 << bits; i++) {
            bool crowded = made->counts[i] > MOST;
            made->header.crowded += crowded;
            made->header.entries += crowded ? 1 : made->counts[i];
        }
    }
    trawl_release(counts.counts);
    return allocated ? TRAWL_OK
                     : trawl_fail_memory(error, "planning qgram",
                                         anchors * sizeof *made->distances +
                                             (sizeof *made->counts << bits));
}

void trawl_sparse_release(trawl_sparse_made *made) {
    trawl_release(made->distances);
    trawl_release(made->counts);
}

/* ------------------------------------------------------------------ tables */

/* Bytes of the section: header, heads, entries. */
static uint64_t bytes_of(const trawl_qgram_tier *tier, const trawl_sparse_header *header) {
    return sizeof *header + sizeof(uint32_t) * ((UINT64_C(1) << tier->suffix_filter_bits) + 2) +
           sizeof(uint64_t) * header->entries;
}

trawl_status trawl_sparse_reserve(trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                                  const trawl_sparse_made *made, const char *instead) {
    return trawl_build_reserve(build, TRAWL_SECTION_QGRAM_BUCKETS, part,
                               bytes_of(tier, &made->header) / sizeof(uint64_t), sizeof(uint64_t),
                               instead);
}

/* Writes the heads. In made->counts each bucket then has the place of its next entry, and
 * TRAWL_SPARSE_CROWDED as in its head. */
static void fill_heads(const trawl_qgram_tier *tier, const trawl_sparse_made *made, uint32_t *heads,
                       uint64_t *entries) {
    size_t buckets = (size_t)1 << tier->suffix_filter_bits;
    uint32_t used = 0;
    for (size_t i = 0; i < buckets; i++) {
        bool crowded = made->counts[i] > MOST;
        uint32_t count = crowded ? 1 : made->counts[i];
        if (crowded) {
            entries[used] = 0;
        }
        heads[i] = made->counts[i] = used | (crowded ? TRAWL_SPARSE_CROWDED : 0);
        used += count;
    }
    heads[buckets] = used;
    heads[buckets + 1] = 0;
}

/* Writes `count` anchors of a key, at most AT_ONCE, into the filter and the buckets. */
static void enter(const trawl_qgram_tier *tier, const trawl_sparse_made *made,
                  const uint64_t *hashes, const uint16_t *distances, uint32_t count, uint32_t key,
                  uint64_t *entries) {
    uint32_t step = trawl_sparse_step(made->header.reach);
    uint32_t *next[AT_ONCE];
    for (uint32_t i = 0; i < count; i++) {
        next[i] = &made->counts[trawl_sparse_bucket(hashes[i], tier->suffix_filter_bits)];
        __builtin_prefetch(&entries[*next[i] & ~TRAWL_SPARSE_CROWDED], 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        if ((*next[i] & TRAWL_SPARSE_CROWDED) != 0) {
            entries[*next[i] & ~TRAWL_SPARSE_CROWDED] |= UINT64_C(1) << (distances[i] - 1u) / step;
        } else {
            entries[(*next[i])++] =
                trawl_sparse_entry(key, distances[i], trawl_sparse_tag(hashes[i]));
        }
    }
}

void trawl_sparse_write(const trawl_qgram_tier *tier, const trawl_keys *keys,
                        const trawl_sparse_made *made, const trawl_sparse_tables *tables) {
    uint64_t case_bits = trawl_qgram_case_bits(tier->folded != 0), hashes[AT_ONCE];
    trawl_bit_scatter filter;
    fill_heads(tier, made, tables->heads, tables->entries);
    trawl_bit_scatter_begin(&filter, tables->filter, tier->row_bits);
    for (uint32_t key = 0; key < keys->count; key++) {
        const uint8_t *reversed = trawl_key_bytes(keys, key);
        const uint16_t *distances = made->distances + (size_t)key * tier->stride;
        for (uint32_t first = 0; first < tier->stride; first += AT_ONCE) {
            uint32_t count = tier->stride - first < AT_ONCE ? tier->stride - first : AT_ONCE;
            for (uint32_t i = 0; i < count; i++) {
                hashes[i] = hash_of(reversed, distances[first + i], case_bits);
                trawl_bit_scatter_set(&filter, trawl_sparse_word(hashes[i], tier->row_bits),
                                      trawl_sparse_mask(hashes[i]));
                __builtin_prefetch(
                    &made->counts[trawl_sparse_bucket(hashes[i], tier->suffix_filter_bits)], 1);
            }
            enter(tier, made, hashes, distances + first, count, key, tables->entries);
        }
    }
    trawl_bit_scatter_finish(&filter);
}

void trawl_sparse_fill(trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                       const trawl_keys *keys, const trawl_sparse_made *made) {
    trawl_sparse_header *header =
        trawl_image_section(build->image, TRAWL_SECTION_QGRAM_BUCKETS, part);
    uint32_t *heads = (uint32_t *)(header + 1);
    const trawl_sparse_tables tables = {
        .filter = trawl_image_section(build->image, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part),
        .heads = heads,
        .entries = (uint64_t *)(heads + ((size_t)1 << tier->suffix_filter_bits) + 2),
    };
    *header = made->header;
    trawl_sparse_write(tier, keys, made, &tables);
}

/* ------------------------------------------------------------------ checks */

/* Whether the entries of a bucket are in range; those of a crowded one may have any bits. */
static bool entries_are_valid(const uint64_t *entries, uint32_t count,
                              const trawl_sparse_header *header, uint32_t keys) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t end = (uint32_t)(entries[i] >> 32) & 0xffff;
        if ((uint32_t)entries[i] >= keys || end == 0 || end > header->reach) {
            return false;
        }
    }
    return true;
}

bool trawl_sparse_is_valid(const trawl_db *db, uint32_t part, const trawl_qgram_tier *tier,
                           uint32_t keys) {
    uint64_t size;
    const trawl_sparse_header *header =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_BUCKETS, part, &size);
    if (header == NULL || size < sizeof *header || size != bytes_of(tier, header) ||
        header->reach < GRAM || header->reach > TRAWL_SPARSE_MAX_REACH) {
        return false;
    }
    size_t buckets = (size_t)1 << tier->suffix_filter_bits;
    const uint32_t *heads = (const uint32_t *)(header + 1);
    const uint64_t *entries = (const uint64_t *)(heads + buckets + 2);
    if ((heads[0] & ~TRAWL_SPARSE_CROWDED) != 0 || heads[buckets] != header->entries) {
        return false;
    }
    for (size_t i = 0; i < buckets; i++) {
        uint32_t first = heads[i] & ~TRAWL_SPARSE_CROWDED;
        uint32_t past = heads[i + 1] & ~TRAWL_SPARSE_CROWDED;
        bool crowded = (heads[i] & TRAWL_SPARSE_CROWDED) != 0;
        if (past < first || past > header->entries || past - first > MOST ||
            (crowded ? past - first != 1 || header->crowded == 0
                     : !entries_are_valid(entries + first, past - first, header, keys))) {
            return false;
        }
    }
    return true;
}
