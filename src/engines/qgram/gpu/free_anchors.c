/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/free_anchors.h"

#include "base/allocate.h"
#include "base/status.h"
#include "engines/qgram/anchors/build.h"

/* While anchors are chosen, a sample of two bits has one of so many places: the bits of a word
 * nearly always belong to one sample then. */
#define PAIR_PLACES (UINT32_C(1) << 20)

static uint32_t find_bit(const trawl_anchors_filter *self, uint64_t number, uint32_t found[2]) {
    uint64_t hash = trawl_cuda_qgram_anchor_hash(number, self->gram);
    found[0] =
        trawl_cuda_qgram_word_index(hash, self->words) * 32 + trawl_cuda_qgram_first_bit(hash) % 32;
    return 1;
}

static uint32_t find_cores(const trawl_anchors_filter *self, uint64_t number, uint32_t found[2]) {
    trawl_cuda_qgram_find_cores(number, self->words, found);
    return 2;
}

trawl_anchors_filter trawl_cuda_qgram_anchor_filter(const trawl_cuda_qgram_tier *tier) {
    bool exact = tier->filter_bits == 1 || tier->cores != 0;
    uint32_t words = exact ? tier->filter_words : PAIR_PLACES / 32;
    return (trawl_anchors_filter){.reach = TRAWL_CUDA_QGRAM_REACH,
                                  .gram = tier->gram,
                                  .words = words,
                                  .places = 32 * words,
                                  .load = TRAWL_GPU_BUCKET_MOST_LOAD,
                                  .find = tier->cores != 0 ? find_cores : find_bit};
}

trawl_qgram_tier trawl_cuda_qgram_anchor_tier(const trawl_cuda_qgram_tier *tier) {
    return (trawl_qgram_tier){.kind = TRAWL_TIER_ANCHORS,
                              .gram = tier->gram,
                              .stride = tier->stride,
                              .folded = tier->folded};
}

/* ------------------------------------------------------------------ tables */

static void set_filter_bits(const trawl_cuda_qgram_tier *tier, uint64_t number, uint32_t *filter) {
    number = trawl_qgram_fold(number, trawl_qgram_case_bits(tier->folded != 0));
    if (tier->cores != 0) {
        uint32_t found[2];
        trawl_cuda_qgram_find_cores(number, tier->filter_words, found);
        filter[found[0] / 32] |= UINT32_C(1) << found[0] % 32;
        filter[found[1] / 32] |= UINT32_C(1) << found[1] % 32;
        return;
    }
    uint64_t hash = trawl_cuda_qgram_anchor_hash(number, tier->gram);
    filter[trawl_cuda_qgram_word_index(hash, tier->filter_words)] |=
        trawl_cuda_qgram_bits(hash, tier->filter_bits);
}

/* Enters all anchors into the filter, anchor_ends and crowded buckets. */
static void enter_anchors(const trawl_cuda_qgram_tier *tier, const trawl_qgram_tier *as_chosen,
                          const uint8_t *distances, trawl_cuda_qgram_arrays *arrays) {
    const trawl_keys *keys = &arrays->keys;
    uint64_t anchors = (uint64_t)keys->count * tier->stride;
    for (uint64_t i = 0; i < anchors; i++) {
        uint64_t key = i / tier->stride;
        uint32_t distance = distances[i], end = distance - tier->gram;
        const uint8_t *reversed = trawl_key_bytes(keys, key);
        uint64_t number = trawl_ending_eight(reversed + end) >> (64 - 8 * tier->gram);
        set_filter_bits(tier, number, arrays->filter);
        arrays->anchor_ends[key * tier->stride + end % tier->stride] = (uint8_t)end;
        uint64_t hash = trawl_anchors_hash_at(as_chosen, reversed, distance);
        trawl_anchors_entry *first =
            arrays->buckets[trawl_anchors_bucket_of(hash, tier->buckets)].entry;
        if (first->more == TRAWL_ANCHORS_CROWDED) {
            first->value |= UINT64_C(1) << end;
        }
    }
}

/* Marks the keys with which other keys end: the links of all keys. `extended` is zeroed. */
static void mark_extended(const trawl_cuda_qgram_arrays *arrays, uint8_t *extended) {
    for (uint32_t key = 0; key < arrays->keys.count; key++) {
        if (arrays->link[key] != TRAWL_NO_KEY) {
            extended[arrays->link[key]] = 1;
        }
    }
}

static void set_flags(const trawl_cuda_qgram_tier *tier, const trawl_cuda_qgram_arrays *arrays,
                      const uint8_t *extended, trawl_anchors_entry *entry) {
    uint32_t key = entry->key, flags = 0;
    if (key == TRAWL_NO_KEY) {
        return;
    }
    bool single = arrays->first[key + 1] - arrays->first[key] == 1 &&
                  (arrays->verify[key] & TRAWL_VERIFY_OWN) == 0;
    flags |= extended[key] != 0 ? TRAWL_CUDA_ANCHOR_EXTENDED : 0;
    flags |= arrays->length[key] > 8 || tier->folded != 0 ? TRAWL_CUDA_ANCHOR_WHOLE : 0;
    flags |= single ? TRAWL_CUDA_ANCHOR_SINGLE : 0;
    entry->shift = (uint8_t)(entry->shift | flags);
}

static void set_all_flags(const trawl_cuda_qgram_tier *tier, const trawl_anchors_header *header,
                          const uint8_t *extended, trawl_cuda_qgram_arrays *arrays) {
    for (uint64_t i = 0; i < header->buckets; i++) {
        trawl_anchors_entry *entry = arrays->buckets[i].entry;
        if (entry[0].more == TRAWL_ANCHORS_CROWDED) {
            entry[0].value = 0;
            continue;
        }
        set_flags(tier, arrays, extended, &entry[0]);
        entry[0].more = entry[1].more != 0 || entry[1].key != TRAWL_NO_KEY;
        if (entry[1].more == 0) {
            set_flags(tier, arrays, extended, &entry[1]);
        }
    }
    trawl_anchors_entry *further = arrays->buckets[header->buckets].entry;
    for (uint32_t i = 0; i < header->further; i++) {
        set_flags(tier, arrays, extended, &further[i]);
    }
}

trawl_status trawl_cuda_qgram_anchors_make(const trawl_cuda_qgram_layout *layout,
                                           trawl_cuda_qgram_tier *tier,
                                           trawl_cuda_qgram_arrays *arrays, trawl_error *error) {
    trawl_anchors_filter filter = trawl_cuda_qgram_anchor_filter(tier);
    trawl_qgram_tier as_chosen = trawl_cuda_qgram_anchor_tier(tier);
    trawl_anchors_made made = {.distances = NULL};
    uint8_t *extended = trawl_allocate_zeroed((size_t)arrays->keys.count + 1, 1);
    size_t anchors = (size_t)arrays->keys.count * tier->stride;
    filter.load = trawl_cuda_qgram_bucket_load(anchors);
    trawl_status status =
        extended == NULL
            ? trawl_fail_memory(error, "q-gram tables for a device", arrays->keys.count)
            : trawl_anchors_make(&as_chosen, &filter, &arrays->keys, layout->anchor_text,
                                 layout->anchor_text_length, &made, error);
    if (status == TRAWL_OK) {
        arrays->bucket_count = trawl_anchors_units(&made.header);
        arrays->buckets = trawl_allocate_zeroed(arrays->bucket_count, sizeof *arrays->buckets);
        arrays->anchor_ends = trawl_allocate_zeroed(anchors, 1);
        if (arrays->buckets == NULL || arrays->anchor_ends == NULL) {
            status = trawl_fail_memory(error, "q-gram tables for a device",
                                       arrays->bucket_count * sizeof *arrays->buckets);
        }
    }
    if (status == TRAWL_OK) {
        tier->buckets = made.header.buckets;
        tier->crowded = made.header.crowded != 0;
        trawl_anchors_fill_buckets(&as_chosen, &arrays->keys, &made, arrays->buckets);
        mark_extended(arrays, extended);
        set_all_flags(tier, &made.header, extended, arrays);
        enter_anchors(tier, &as_chosen, made.distances, arrays);
    }
    trawl_anchors_release(&made);
    trawl_release(extended);
    return status;
}
