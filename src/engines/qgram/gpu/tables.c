/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/format.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "engines/qgram/gpu/anchor_offsets.h"
#include "engines/qgram/gpu/frequent_automaton.h"
#include "engines/qgram/gpu/fuse_filter.h"
#include "engines/qgram/look_up_word.h"

/* For messages: what could not be allocated. */
#define WHAT "q-gram tables for a device"

static trawl_status allocate(void *array, uint64_t count, size_t object, trawl_error *error) {
    void *made = trawl_allocate_zeroed(count, object);
    if (made == NULL) {
        return trawl_fail_memory(error, WHAT, count * object);
    }
    memcpy(array, &made, sizeof made);
    return TRAWL_OK;
}

uint64_t trawl_cuda_qgram_filter_words(const trawl_cuda_qgram_tier *tier) {
    return tier->place == TRAWL_CUDA_QGRAM_DIRECT ? TRAWL_CUDA_QGRAM_PAIR_WORDS
                                                  : tier->filter_words;
}

/* ------------------------------------------------------------------ keys */

static trawl_status make_keys(const trawl_patterns *reversed, const uint8_t *in_automaton,
                              const trawl_cuda_qgram_tier *tier, trawl_keys *keys,
                              trawl_error *error) {
    uint32_t *subset;
    trawl_status status = allocate(&subset, reversed->count, sizeof *subset, error);
    if (status != TRAWL_OK) {
        return status;
    }
    size_t count = 0;
    for (size_t id = 0; id < reversed->count; id++) {
        uint32_t length = trawl_pattern_length(reversed, id);
        bool walks = in_automaton != NULL && in_automaton[id] != 0;
        if (length >= tier->min_length && length <= tier->max_length &&
            walks == (tier->in_automaton != 0)) {
            subset[count++] = (uint32_t)id;
        }
    }
    trawl_patterns view = *reversed;
    view.case_insensitive = tier->folded;
    status = trawl_keys_make(&view, subset, count, keys, error);
    trawl_release(subset);
    return status;
}

static trawl_status make_outputs(const trawl_patterns *patterns, trawl_cuda_qgram_arrays *arrays,
                                 trawl_error *error) {
    const trawl_keys *keys = &arrays->keys;
    trawl_key_record *records = NULL;
    const struct {
        void *array;
        uint64_t count;
        size_t object;
    } needed[] = {
        {&arrays->length, keys->count, 4},      {&arrays->link, keys->count, 4},
        {&arrays->total, keys->count, 4},       {&arrays->first, (uint64_t)keys->count + 1, 4},
        {&arrays->ids, keys->pattern_count, 4}, {&arrays->verify, keys->count, 1},
        {&arrays->endings, keys->count, 8},     {&records, keys->count, sizeof *records},
        {&arrays->pattern_end, keys->count, 4},
    };
    trawl_status status = TRAWL_OK;
    for (size_t i = 0; status == TRAWL_OK && i < sizeof needed / sizeof *needed; i++) {
        status = allocate(needed[i].array, needed[i].count, needed[i].object, error);
    }
    if (status == TRAWL_OK) {
        trawl_outputs_writer writer = {.patterns = patterns,
                                       .keys = keys,
                                       .length = arrays->length,
                                       .link = arrays->link,
                                       .total = arrays->total,
                                       .first = arrays->first,
                                       .ids = arrays->ids,
                                       .verify = arrays->verify,
                                       .records = records};
        trawl_endings_write(&writer, arrays->endings);
        for (uint32_t key = 0; key < keys->count; key++) {
            arrays->pattern_end[key] = patterns->offsets[arrays->ids[arrays->first[key]] + 1];
            arrays->total[key] = arrays->longest ? 1 : arrays->total[key];
        }
    }
    trawl_release(records);
    return status;
}

trawl_status trawl_cuda_qgram_keys_make(const trawl_patterns *patterns,
                                        const trawl_patterns *reversed, const uint8_t *in_automaton,
                                        const trawl_cuda_qgram_tier *tier,
                                        trawl_cuda_qgram_arrays *arrays, trawl_error *error) {
    trawl_status status = make_keys(reversed, in_automaton, tier, &arrays->keys, error);
    return status == TRAWL_OK ? make_outputs(patterns, arrays, error) : status;
}

/* ------------------------------------------------------------------ tables */

static void add_to_bloom(const trawl_cuda_qgram_tier *tier, uint64_t hash, uint32_t *filter) {
    filter[trawl_cuda_qgram_word_index(hash, tier->filter_words)] |=
        trawl_cuda_qgram_bits(hash, tier->filter_bits);
}

/* Chooses the anchor offsets of all keys, and fills the table of end offsets. Stores the hashes of
 * the samples, `stride` of each key; if `samples` is NULL, fills the Bloom filter instead. */
static void choose_samples(const trawl_cuda_qgram_tier *tier, const trawl_cuda_qgram_counts *counts,
                           trawl_cuda_qgram_arrays *arrays, uint64_t *samples) {
    const trawl_keys *keys = &arrays->keys;
    for (uint32_t key = 0; key < keys->count; key++) {
        uint64_t hashes[TRAWL_CUDA_QGRAM_ANCHOR_SLACK];
        uint32_t anchor = trawl_cuda_qgram_anchor(tier, counts, trawl_key_bytes(keys, key),
                                                  trawl_key_length(keys, key), hashes);
        arrays->anchor_offsets[key] = (uint8_t)anchor;
        for (uint32_t end_offset = anchor; end_offset < anchor + tier->stride; end_offset++) {
            uint64_t hash = hashes[end_offset];
            if (samples != NULL) {
                *samples++ = hash;
            } else {
                add_to_bloom(tier, hash, arrays->filter);
            }
            if (tier->end_offset_bits != 0) {
                arrays
                    ->end_offsets[trawl_cuda_qgram_end_offset_entry(hash, tier->end_offset_bits)] |=
                    (uint16_t)(1u << end_offset);
            }
        }
    }
}

/* Makes the fuse filter; if it cannot be made, a Bloom filter. */
static trawl_status fill_fuse(trawl_cuda_qgram_tier *tier, uint64_t *samples, size_t count,
                              uint32_t *filter, trawl_error *error) {
    trawl_status status =
        trawl_fuse_make(samples, count, tier->filter_words, filter, &tier->fuse_range, error);
    for (size_t i = 0; status == TRAWL_OK && tier->fuse_range == 0 && i < count; i++) {
        add_to_bloom(tier, samples[i], filter);
    }
    return status;
}

/* Makes the samples of all keys, the filter and the table of end offsets. */
static trawl_status make_windows(const trawl_cuda_qgram_layout *layout, trawl_cuda_qgram_tier *tier,
                                 trawl_cuda_qgram_arrays *arrays, trawl_error *error) {
    const size_t count = (size_t)arrays->keys.count * tier->stride;
    trawl_cuda_qgram_counts *counts = NULL;
    uint64_t *samples = NULL;
    trawl_status status = allocate(&arrays->anchor_offsets, arrays->keys.count, 1, error);
    if (status == TRAWL_OK && tier->end_offset_bits != 0) {
        status = allocate(&arrays->end_offsets, UINT64_C(1) << tier->end_offset_bits, 2, error);
    }
    if (status == TRAWL_OK) {
        status = allocate(&counts, 1, sizeof *counts, error);
    }
    if (status == TRAWL_OK && tier->fuse_range != 0) {
        status = allocate(&samples, count, sizeof *samples, error);
    }
    if (status == TRAWL_OK) {
        trawl_cuda_qgram_count(tier, layout->anchor_text, layout->anchor_text_length, counts);
        choose_samples(tier, counts, arrays, samples);
    }
    if (status == TRAWL_OK && samples != NULL) {
        status = fill_fuse(tier, samples, count, arrays->filter, error);
    }
    trawl_release(counts);
    trawl_release(samples);
    return status;
}

/* Fills the table of byte pairs, and the table of matches for each pair, which kernels read. */
static void fill_direct(trawl_cuda_qgram_arrays *arrays) {
    trawl_qgram_fill_pairs(&arrays->keys, arrays->direct);
    for (uint32_t pair = 0; pair < TRAWL_QGRAM_PAIRS; pair++) {
        uint32_t found = arrays->direct[pair], total = 0;
        if (found != 0) {
            total = arrays->total[found - 1];
            bool many = total > TRAWL_CUDA_QGRAM_MANY_PAIRS ||
                        (arrays->verify[found - 1] & TRAWL_VERIFY_CHAIN) != 0;
            total = many ? TRAWL_CUDA_QGRAM_MANY_PAIRS : total;
        }
        arrays->filter[pair / 8] |= total << (4 * (pair % 8));
    }
}

/* Makes the hash table of the keys by their last `look_up_bytes` bytes. */
static trawl_status make_hash(uint32_t look_up_bytes, trawl_cuda_qgram_tier *tier,
                              trawl_cuda_qgram_arrays *arrays, trawl_error *error) {
    tier->look_up_bytes = look_up_bytes;
    arrays->range_count = trawl_endings_count(&arrays->keys, look_up_bytes);
    tier->hash_bits = trawl_ending_bits(arrays->range_count);
    trawl_status status = allocate(&arrays->heads, (UINT64_C(1) << tier->hash_bits) + 1, 4, error);
    if (status == TRAWL_OK) {
        status = allocate(&arrays->ranges, arrays->range_count, sizeof *arrays->ranges, error);
    }
    if (status == TRAWL_OK) {
        trawl_endings_hash(&arrays->keys, look_up_bytes, trawl_qgram_word_of_key, NULL,
                           tier->hash_bits, arrays->heads, arrays->ranges);
    }
    return status;
}

/* More ranges than this in one slot are there by malice: there are twice as many slots as ranges,
 * so by chance hardly any slot has eight. Chosen, not measured. */
enum { MOST_IN_SLOT = 64 };

/* Whether two ranges have the same word, or a slot is crowded, by chance or by malice. */
static bool repeats_word(const trawl_cuda_qgram_tier *tier, const trawl_cuda_qgram_arrays *arrays) {
    for (size_t slot = 0; slot < (size_t)1 << tier->hash_bits; slot++) {
        if (arrays->heads[slot + 1] - arrays->heads[slot] > MOST_IN_SLOT) {
            return true;
        }
        for (uint32_t i = arrays->heads[slot]; i < arrays->heads[slot + 1]; i++) {
            for (uint32_t j = i + 1; j < arrays->heads[slot + 1]; j++) {
                if (arrays->ranges[i].word == arrays->ranges[j].word) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Words of eight bytes are the bytes themselves. */
trawl_status trawl_cuda_qgram_hash_make(trawl_cuda_qgram_tier *tier,
                                        trawl_cuda_qgram_arrays *arrays, trawl_error *error) {
    trawl_status status =
        make_hash(trawl_qgram_look_up_bytes(tier->min_length), tier, arrays, error);
    if (status != TRAWL_OK || tier->look_up_bytes <= 8 || !repeats_word(tier, arrays)) {
        return status;
    }
    trawl_release(arrays->heads);
    trawl_release(arrays->ranges);
    arrays->heads = NULL;
    arrays->ranges = NULL;
    return make_hash(8, tier, arrays, error);
}

static trawl_status make_tables(const trawl_cuda_qgram_layout *layout, trawl_cuda_qgram_tier *tier,
                                trawl_cuda_qgram_arrays *arrays, trawl_error *error) {
    trawl_status status = allocate(&arrays->filter, trawl_cuda_qgram_filter_words(tier), 4, error);
    if (tier->place == TRAWL_CUDA_QGRAM_DIRECT) {
        if (status == TRAWL_OK) {
            status = allocate(&arrays->direct, TRAWL_QGRAM_PAIRS, 4, error);
        }
        if (status == TRAWL_OK) {
            fill_direct(arrays);
        }
        return status;
    }
    if (status == TRAWL_OK) {
        status = trawl_cuda_qgram_hash_make(tier, arrays, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    return tier->anchors != 0 ? trawl_cuda_qgram_anchors_make(layout, tier, arrays, error)
                              : make_windows(layout, tier, arrays, error);
}

trawl_status trawl_cuda_qgram_layout_make(const trawl_patterns *patterns,
                                          trawl_cuda_qgram_layout *layout, trawl_error *error) {
    trawl_patterns reversed = {0};
    trawl_status status = trawl_endings_reverse(patterns, &reversed, error);
    layout->image_words = 0;
    for (uint32_t i = 0; status == TRAWL_OK && i < layout->tiers; i++) {
        trawl_cuda_qgram_tier *tier = &layout->tier[i];
        trawl_cuda_qgram_arrays *arrays = &layout->arrays[i];
        arrays->longest = layout->longest;
        status = trawl_cuda_qgram_keys_make(patterns, &reversed, layout->automaton.in_automaton,
                                            tier, arrays, error);
        if (status == TRAWL_OK) {
            status = make_tables(layout, tier, arrays, error);
        }
        if (tier->place != TRAWL_CUDA_QGRAM_GLOBAL) {
            tier->filter_at = layout->image_words;
            layout->image_words += (uint32_t)trawl_cuda_qgram_filter_words(tier);
        }
        layout->filter_tier_words =
            i < layout->filter_tiers ? layout->image_words : layout->filter_tier_words;
    }
    trawl_release(reversed.bytes);
    if (status != TRAWL_OK) {
        trawl_cuda_qgram_layout_release(layout);
    }
    return status;
}

void trawl_cuda_qgram_arrays_release(trawl_cuda_qgram_arrays *arrays) {
    trawl_keys_release(&arrays->keys);
    trawl_release(arrays->filter);
    trawl_release(arrays->end_offsets);
    trawl_release(arrays->anchor_offsets);
    trawl_release(arrays->buckets);
    trawl_release(arrays->anchor_ends);
    trawl_release(arrays->pattern_end);
    trawl_release(arrays->heads);
    trawl_release(arrays->ranges);
    trawl_release(arrays->endings);
    trawl_release(arrays->direct);
    trawl_release(arrays->length);
    trawl_release(arrays->link);
    trawl_release(arrays->total);
    trawl_release(arrays->first);
    trawl_release(arrays->ids);
    trawl_release(arrays->verify);
    memset(arrays, 0, sizeof *arrays);
}

void trawl_cuda_qgram_layout_release(trawl_cuda_qgram_layout *layout) {
    for (uint32_t i = 0; i < TRAWL_CUDA_QGRAM_TIERS; i++) {
        trawl_cuda_qgram_arrays_release(&layout->arrays[i]);
    }
    trawl_cuda_qgram_automaton_release(&layout->automaton);
}
