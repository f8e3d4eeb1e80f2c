/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Tiers of engine qgram on a device: for much and for little shared memory, every occurrence of
 * every pattern is a candidate of the chosen filters, at any place of the text.
 */
#include "effort.h"
#include "engines/qgram/gpu/anchor_offsets.h"
#include "engines/qgram/gpu/cost.h"
#include "engines/qgram/gpu/free_anchors.h"
#include "engines/qgram/gpu/fuse_filter.h"
#include "gpu_target.h"
#include "random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES = 8192, BEFORE = 64, AFTER = 32, LONGEST = 60 };

static trawl_error error;

/* ------------------------------------------------------------------ prices */

static bool passes(const trawl_cuda_qgram_tier *tier, const trawl_cuda_qgram_arrays *arrays,
                   uint64_t hash) {
    if (tier->fuse_range != 0) {
        const trawl_fuse_place place = trawl_fuse_place_of(hash, tier->fuse_range);
        const uint8_t *bytes = (const uint8_t *)arrays->filter;
        assert_true(place.at[2] < 4 * tier->filter_words);
        return (uint8_t)(bytes[place.at[0]] ^ bytes[place.at[1]] ^ bytes[place.at[2]]) ==
               (uint8_t)place.fingerprint;
    }
    uint32_t word = arrays->filter[trawl_cuda_qgram_word_index(hash, tier->filter_words)];
    return (~word & trawl_cuda_qgram_bits(hash, tier->filter_bits)) == 0;
}

/* The share of random samples that a sample filter made of other samples passes. */
static double passing(uint32_t ones, uint32_t samples, uint32_t words, random_source *random) {
    uint32_t *filter = calloc(words, sizeof *filter);
    uint32_t passed = 0, asked = 200000;
    for (uint32_t i = 0; i < samples; i++) {
        uint64_t hash = random_bits(random);
        assert_true(trawl_cuda_qgram_word_index(hash, words) < words);
        filter[trawl_cuda_qgram_word_index(hash, words)] |= trawl_cuda_qgram_bits(hash, ones);
    }
    for (uint32_t i = 0; i < asked; i++) {
        uint64_t hash = random_bits(random);
        uint32_t word = filter[trawl_cuda_qgram_word_index(hash, words)];
        passed += (~word & trawl_cuda_qgram_bits(hash, ones)) == 0;
    }
    free(filter);
    return (double)passed / asked;
}

/* The same of a fuse filter. All samples that it was made of have to pass. */
static void check_fuse_filter(uint32_t samples, uint32_t words, random_source *random) {
    uint64_t *hashes = calloc(samples, sizeof *hashes);
    uint32_t *filter = calloc(words, sizeof *filter), range, passed = 0, asked = 200000;
    for (uint32_t i = 0; i < samples; i++)
        hashes[i] = i % 100 == 99 ? hashes[i - 1] : random_bits(random);
    assert_int_equal(trawl_fuse_make(hashes, samples, words, filter, &range, &error), TRAWL_OK);
    const trawl_cuda_qgram_tier tier = {.fuse_range = range, .filter_words = words};
    const trawl_cuda_qgram_arrays arrays = {.filter = filter};
    assert_true(range != 0 || !trawl_fuse_has_room(samples, words));
    for (uint32_t i = 0; range != 0 && i < samples; i++)
        assert_true(passes(&tier, &arrays, hashes[i]));
    for (uint32_t i = 0; range != 0 && i < asked; i++)
        passed += passes(&tier, &arrays, random_bits(random));
    assert_true(range == 0 || fabs((double)passed / asked - 1.0 / 256) < 0.0008);
    free(hashes);
    free(filter);
}

static void a_fuse_filter_has_its_samples(void **state) {
    (void)state;
    random_source random = random_for_case(random_seed(), 5);
    check_fuse_filter(1, 256, &random);
    check_fuse_filter(1, 1000, &random);
    check_fuse_filter(150000, 47360, &random);
    check_fuse_filter(200000, 47360, &random); /* no room */
    for (size_t i = 0; i < 10; i++) {
        uint32_t samples = (uint32_t)random_between(&random, 60000, 150000);
        check_fuse_filter(samples, samples * 5 / 16, &random);
    }
}

static void chance_is_what_passes(void **state) {
    (void)state;
    random_source random = random_for_case(random_seed(), 0);
    for (uint32_t ones = 1; ones <= 2; ones++)
        for (uint32_t samples = 200; samples < 100000; samples *= 3) {
            double chance = trawl_cuda_qgram_false_rate(ones, samples, 5000);
            double passed = passing(ones, samples, 5000, &random);
            assert_true(fabs(chance - passed) < 0.05 * chance + 0.001);
        }
}

/* ------------------------------------------------------------------ samples of a key */

static void check_anchor(const trawl_cuda_qgram_tier *tier, const trawl_cuda_qgram_counts *counts,
                         const uint8_t *key, uint32_t length) {
    uint8_t reversed[LONGEST];
    uint64_t hashes[TRAWL_CUDA_QGRAM_ANCHOR_SLACK];
    uint32_t sum = 0;
    for (uint32_t i = 0; i < length; i++)
        reversed[i] = key[length - 1 - i];
    uint32_t anchor = trawl_cuda_qgram_anchor(tier, counts, reversed, length, hashes);
    assert_true(anchor + tier->stride <= TRAWL_CUDA_QGRAM_ANCHOR_SLACK);
    assert_true(anchor + tier->stride + tier->gram - 1 <= length);
    assert_true(tier->stride > 1 || anchor == 0);
    for (uint32_t a = anchor; a < anchor + tier->stride; a++) {
        assert_int_equal(hashes[a], trawl_cuda_qgram_hash_before(tier, key + length - a));
        sum += counts->each[trawl_cuda_qgram_count_slot(hashes[a])];
    }
    for (uint32_t other = 0;
         tier->stride > 1 && other + tier->stride <= TRAWL_CUDA_QGRAM_ANCHOR_SLACK &&
         other + tier->stride + tier->gram - 1 <= length;
         other++) {
        uint32_t others = 0;
        for (uint32_t a = other; a < other + tier->stride; a++)
            others += counts->each[trawl_cuda_qgram_count_slot(
                trawl_cuda_qgram_hash_before(tier, key + length - a))];
        assert_true(sum <= others);
    }
}

static void samples_are_rare_ones(void **state) {
    (void)state;
    static const uint32_t strides[] = {1, 2, 4, 8, 16};
    trawl_cuda_qgram_counts *counts = malloc(sizeof *counts);
    uint8_t text[TEXT_BYTES], bytes[16 + LONGEST];
    random_source random = random_for_case(random_seed(), 1);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = random_letter(&random, 3);
    for (uint32_t s = 0; s < 5; s++)
        for (uint32_t gram = 2; gram <= 16; gram++) {
            trawl_cuda_qgram_tier tier = {
                .stride = strides[s], .gram = gram, .folded = gram % 2, .filter_bits = 2};
            trawl_cuda_qgram_count(&tier, text, sizeof text, counts);
            for (uint32_t length = gram + tier.stride - 1; length <= LONGEST; length++) {
                for (size_t i = 0; i < sizeof bytes; i++)
                    bytes[i] = random_letter(&random, 4);
                check_anchor(&tier, counts, bytes + 16, length);
            }
        }
    free(counts);
}

/* ------------------------------------------------------------------ occurrences */

static trawl_patterns *random_set(random_source *random, size_t least, size_t count,
                                  size_t letters) {
    trawl_patterns *patterns = NULL;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t id = 0; id < count; id++) {
        uint8_t bytes[LONGEST];
        size_t length = random_between(random, least, id % 2 == 0 ? LONGEST : least + 6);
        for (size_t i = 0; i < length; i++)
            bytes[i] = random_letter(random, letters);
        unsigned flags = random_below(random, 8) == 0 ? TRAWL_PATTERN_CASE_INSENSITIVE : 0;
        assert_int_equal(trawl_patterns_add(patterns, bytes, length, flags, &error), TRAWL_OK);
    }
    return patterns;
}

/* Whether an anchor passes a filter by cores, at even and at odd addresses. `text`: the first byte
 * of the anchor. */
static bool cores_pass(const trawl_cuda_qgram_tier *tier, const trawl_cuda_qgram_arrays *arrays,
                       const uint8_t *text) {
    uint64_t number;
    uint32_t found[2];
    memcpy(&number, text, sizeof number);
    number = trawl_qgram_fold(number, trawl_qgram_case_bits(tier->folded != 0));
    trawl_cuda_qgram_find_cores(number, tier->filter_words, found);
    return (arrays->filter[found[0] / 32] >> found[0] % 32 &
            arrays->filter[found[1] / 32] >> found[1] % 32 & 1) != 0;
}

/* Whether an entry says that the key ends there. `text`: the first byte of the sample. */
static bool entry_has(const trawl_cuda_qgram_tier *tier, const trawl_anchors_entry *entry,
                      uint32_t key, uint32_t end, const uint8_t *text) {
    uint64_t value;
    memcpy(&value, text + entry->from, sizeof value);
    value = trawl_qgram_fold(value, trawl_qgram_case_bits(tier->folded != 0));
    return entry->key == key && entry->end == end + tier->gram &&
           value << (entry->shift & TRAWL_CUDA_ANCHOR_SHIFT) == entry->value;
}

/* Whether the bucket of a sample leads to a key that ends `end` bytes behind it. */
static bool bucket_has(const trawl_cuda_qgram_tier *tier, const trawl_cuda_qgram_arrays *arrays,
                       uint32_t key, uint32_t end, const uint8_t *text) {
    uint64_t number;
    memcpy(&number, text, sizeof number);
    uint64_t hash =
        trawl_anchors_hash(trawl_qgram_fold(number, trawl_qgram_case_bits(tier->folded != 0)),
                           trawl_qgram_multiplier(tier->gram));
    const trawl_anchors_entry *entry =
        arrays->buckets[trawl_anchors_bucket_of(hash, tier->buckets)].entry;
    const trawl_anchors_entry *further = arrays->buckets[tier->buckets].entry;
    if (entry->more == TRAWL_ANCHORS_CROWDED) {
        assert_int_equal(tier->crowded, 1);
        return (entry->value >> end & 1) != 0;
    }
    bool found = entry_has(tier, entry, key, end, text) ||
                 (entry[1].more == 0 && entry_has(tier, &entry[1], key, end, text));
    for (uint32_t i = 0; i < entry[1].more; i++)
        found = found || entry_has(tier, &further[entry[1].key + i], key, end, text);
    return found;
}

/* The key of a pattern. */
static uint32_t key_of(const trawl_cuda_qgram_arrays *arrays, uint32_t id) {
    for (uint32_t key = 0; key < arrays->keys.count; key++)
        for (uint32_t i = arrays->first[key]; i < arrays->first[key + 1]; i++)
            if (arrays->ids[i] == id)
                return key;
    fail();
    return 0;
}

/* Free anchors: exactly one sample before text[end] is an anchor of the key, and it leads there. */
static bool is_found_once(const trawl_cuda_qgram_tier *tier, const trawl_cuda_qgram_arrays *arrays,
                          uint32_t id, const uint8_t *text, size_t end) {
    uint32_t key = key_of(arrays, id), found = 0;
    for (size_t at = end / tier->stride * tier->stride; at + TRAWL_CUDA_QGRAM_REACH > end;
         at -= tier->stride) {
        uint32_t offset = (uint32_t)(end - at);
        if (arrays->anchor_ends[key * tier->stride + offset % tier->stride] != offset)
            continue;
        found++;
        assert_true(tier->cores != 0
                        ? cores_pass(tier, arrays, text + at - tier->gram)
                        : passes(tier, arrays, trawl_cuda_qgram_hash_before(tier, text + at)));
        assert_true(bucket_has(tier, arrays, key, offset, text + at - tier->gram));
    }
    return found == 1;
}

/* Whether some sample makes text[end] a candidate for the end of a key. */
static bool let_through(const trawl_cuda_qgram_tier *tier, const trawl_cuda_qgram_arrays *arrays,
                        const uint8_t *text, size_t end) {
    for (size_t at = end / tier->stride * tier->stride;
         at + TRAWL_CUDA_QGRAM_ANCHOR_SLACK > end && (tier->stride > 1 || at == end);
         at -= tier->stride) {
        uint64_t hash = trawl_cuda_qgram_hash_before(tier, text + at);
        if (!passes(tier, arrays, hash))
            continue;
        if (tier->stride == 1 ||
            (arrays->end_offsets[trawl_cuda_qgram_end_offset_entry(hash, tier->end_offset_bits)] >>
                 (end - at) &
             1) != 0)
            return true;
    }
    return false;
}

static void check_pattern(const trawl_patterns *patterns, size_t id,
                          const trawl_cuda_qgram_layout *layout, random_source *random) {
    uint32_t length = trawl_pattern_length(patterns, id), tiers = 0;
    for (size_t shift = 0; shift < 16; shift++) {
        uint8_t text[BEFORE + LONGEST + AFTER];
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = random_letter(random, 256);
        memcpy(text + BEFORE - shift, trawl_pattern_bytes(patterns, id), length);
        for (uint32_t i = 0; i < layout->tiers; i++) {
            const trawl_cuda_qgram_tier *tier = &layout->tier[i];
            bool in_automaton =
                layout->automaton.in_automaton != NULL && layout->automaton.in_automaton[id] != 0;
            if (length < tier->min_length || length > tier->max_length ||
                in_automaton != (tier->in_automaton != 0))
                continue;
            tiers++;
            if (tier->anchors != 0)
                assert_true(is_found_once(tier, &layout->arrays[i], (uint32_t)id, text,
                                          BEFORE - shift + length));
            else if (tier->place != TRAWL_CUDA_QGRAM_DIRECT)
                assert_true(let_through(tier, &layout->arrays[i], text, BEFORE - shift + length));
        }
    }
    assert_int_equal(tiers, 16); /* one for each shift */
}

/* A price of a candidate of free anchors that is so low that small sets get them too. */
static const double BUCKET = 7;

/* A bit for each value that was chosen; strides of free anchors. */
static unsigned places, ones, anchored;

/* `bucket`: the price of a candidate of free anchors; 0: the usual one. */
static void check_set(size_t least, size_t count, size_t letters, size_t shared_bytes,
                      double bucket, random_source random) {
    const trawl_device_costs costs = {.size = sizeof(costs), .bucket = bucket};
    trawl_cuda_qgram_layout *layout = calloc(1, sizeof *layout);
    uint8_t *text = malloc(TEXT_BYTES);
    trawl_patterns *patterns = random_set(&random, least, count, letters);
    for (size_t i = 0; i < TEXT_BYTES; i++)
        text[i] = random_letter(&random, letters);
    const uint8_t *sample = random_below(&random, 3) == 0 ? NULL : text;
    assert_int_equal(
        choose_layout(patterns, sample, TEXT_BYTES, shared_bytes, &costs, layout, &error),
        TRAWL_OK);
    assert_int_equal(trawl_cuda_qgram_layout_make(patterns, layout, &error), TRAWL_OK);
    assert_true(4 * (size_t)layout->image_words <= shared_bytes);
    for (uint32_t i = 0; i < layout->tiers; i++) {
        const trawl_cuda_qgram_tier *tier = &layout->tier[i];
        places |= 1u << tier->place;
        anchored |= tier->anchors != 0 ? 1u << tier->stride : 0;
        ones |= tier->stride == 1 && tier->place == TRAWL_CUDA_QGRAM_SHARED
                    ? 1u << tier->filter_bits
                    : 0;
        assert_int_equal(tier->filter_at % 4, 0); /* blocks copy 16 bytes at a time */
        assert_int_equal(trawl_cuda_qgram_filter_words(tier) % 4, 0);
        assert_true(tier->place == TRAWL_CUDA_QGRAM_DIRECT || tier->stride == 1 ||
                    tier->filter_bits == 2);
    }
    for (size_t id = 0; id < count; id += 1 + count / 500)
        check_pattern(patterns, id, layout, &random);
    trawl_cuda_qgram_layout_release(layout);
    trawl_patterns_free(patterns);
    free(layout);
    free(text);
}

static void every_occurrence_passes(void **state) {
    (void)state;
    static const size_t shared[] = {190000, 40000, 36000};
    for (size_t least = 1; least < 40; least += least < 8 ? 1 : 5)
        for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
            for (size_t letters = 2; letters <= 256; letters *= letters > 2 ? 16 : 8) {
                if (effort_is_short() && least > 8 && least / 5 % 2 != 0)
                    continue;
                check_set(least, 300, letters, shared[i], i == 0 ? BUCKET : 0,
                          random_for_case(random_seed(), 100 * least + 10 * i + letters));
            }
    check_set(12, 20000, 26, 4096, 0, random_for_case(random_seed(), 2));
    assert_int_equal(places, 1u << TRAWL_CUDA_QGRAM_DIRECT | 1u << TRAWL_CUDA_QGRAM_SHARED |
                                 1u << TRAWL_CUDA_QGRAM_GLOBAL);
    assert_int_equal(ones, 1u << 1 | 1u << 2);
    assert_int_equal(anchored & (1u << 1 | 1u << 2 | 1u << 4), 1u << 1 | 1u << 2 | 1u << 4);
}

/* ------------------------------------------------------------------ expected candidates */

/* Whether the sample before text[at] passes the filter. */
static bool sample_passes(const trawl_cuda_qgram_tier *tier, const trawl_cuda_qgram_arrays *arrays,
                          const uint8_t *text, size_t at) {
    uint64_t number;
    uint32_t found[2];
    if (tier->cores == 0)
        return passes(tier, arrays, trawl_cuda_qgram_hash_before(tier, text + at));
    memcpy(&number, text + at - tier->gram, sizeof number);
    number = trawl_qgram_fold(number, trawl_qgram_case_bits(tier->folded != 0));
    trawl_cuda_qgram_find_cores(number, tier->filter_words, found);
    uint32_t bit = found[at % 2 == 0];
    return (arrays->filter[bit / 32] >> bit % 32 & 1) != 0;
}

/* A text of words, some of them frequent, as words of a language are: few patterns can avoid their
 * letter sequences, many cannot. */
static void fill_with_words(random_source *random, uint8_t *text, size_t length) {
    enum { WORDS = 3000, WORD = 7 };
    static uint8_t words[WORDS][WORD];
    for (size_t i = 0; i < WORDS * WORD; i++)
        words[i / WORD][i % WORD] = random_letter(random, 20);
    for (size_t i = 0; i < length; i += WORD + 1) {
        size_t word =
            random_below(random, 1 + random_below(random, 1 + random_below(random, WORDS)));
        text[i] = ' ';
        for (size_t j = 0; j < WORD && i + 1 + j < length; j++)
            text[i + 1 + j] = words[word][j];
    }
}

/* Free anchors of a large set are tried with a part of its patterns, which meet far less of the
 * text than those of all patterns do. */
static void candidates_are_expected(void **state) {
    (void)state;
    enum { PATTERNS = 300000, SHORTEST = 15, BYTES = 1 << 20, SAMPLE = 1 << 18 };
    random_source random = random_for_case(1, 4);
    trawl_cuda_qgram_layout *layout = calloc(1, sizeof *layout);
    uint8_t *text = malloc(BYTES + 8);
    trawl_patterns *patterns = NULL;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t id = 0; id < PATTERNS; id++) {
        uint8_t bytes[SHORTEST + 3];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = random_letter(&random, 26);
        assert_int_equal(trawl_patterns_add(patterns, bytes, SHORTEST + random_below(&random, 4),
                                            TRAWL_PATTERN_CASE_INSENSITIVE, &error),
                         TRAWL_OK);
    }
    fill_with_words(&random, text, BYTES);
    assert_int_equal(choose_layout(patterns, text, SAMPLE, 190000, NULL, layout, &error), TRAWL_OK);
    assert_int_equal(trawl_cuda_qgram_layout_make(patterns, layout, &error), TRAWL_OK);
    size_t candidates = 0, anchors = 0;
    for (uint32_t i = 0; i < layout->tiers; i++) {
        anchors += layout->tier[i].anchors;
        for (size_t at = SAMPLE; at <= BYTES; at += layout->tier[i].stride)
            candidates += sample_passes(&layout->tier[i], &layout->arrays[i], text, at);
    }
    double rate = (double)candidates / (BYTES - SAMPLE);
    print_message(
        "%zu tiers of free anchors: candidates at %.3f %% of positions, expected %.3f %%\n",
        anchors, 100 * rate, 100 * layout->candidates);
    assert_true(rate < 1.5 * layout->candidates + 0.001);
    assert_true(rate > layout->candidates / 1.5 - 0.001);
    trawl_cuda_qgram_layout_release(layout);
    trawl_patterns_free(patterns);
    free(layout);
    free(text);
}

/* The anchors of a small set meet nothing in the sample, with a filter of any size. In the text
 * they meet what chance gives. */
static void few_patterns_have_large_filters(void **state) {
    (void)state;
    enum { PATTERNS = 70, LENGTH = 4, BYTES = 1 << 21, SAMPLE = 1 << 17 };
    random_source random = random_for_case(random_seed(), 5);
    trawl_cuda_qgram_layout *layout = calloc(1, sizeof *layout);
    uint8_t *text = malloc(BYTES + 8), bytes[LENGTH];
    trawl_patterns *patterns = NULL;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t i = 0; i < PATTERNS * LENGTH; i++) {
        bytes[i % LENGTH] = random_letter(&random, 256);
        if (i % LENGTH == LENGTH - 1)
            assert_int_equal(trawl_patterns_add(patterns, bytes, LENGTH, 0, &error), TRAWL_OK);
    }
    fill_with_words(&random, text, BYTES);
    assert_int_equal(choose_layout(patterns, text, SAMPLE, 190000, NULL, layout, &error), TRAWL_OK);
    assert_int_equal(trawl_cuda_qgram_layout_make(patterns, layout, &error), TRAWL_OK);
    size_t candidates = 0;
    for (uint32_t i = 0; i < layout->tiers; i++)
        for (size_t at = LENGTH; at <= BYTES; at += layout->tier[i].stride)
            candidates += sample_passes(&layout->tier[i], &layout->arrays[i], text, at);
    assert_true(candidates < BYTES / 300);
    trawl_cuda_qgram_layout_release(layout);
    trawl_patterns_free(patterns);
    free(layout);
    free(text);
}

/* A text with frequent bytes that no pattern has. In a large set, many samples share a counter or a
 * hash with these bytes. */
static void no_automaton_without_cause(void **state) {
    (void)state;
    enum { PATTERNS = 60000, LENGTH = 16, BYTES = 1 << 18 };
    random_source random = random_for_case(random_seed(), 3);
    trawl_cuda_qgram_layout *layout = calloc(1, sizeof *layout);
    uint8_t *text = malloc(BYTES);
    trawl_patterns *patterns = NULL;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t id = 0; id < PATTERNS; id++) {
        uint8_t bytes[LENGTH];
        for (size_t i = 0; i < LENGTH; i++)
            bytes[i] = (uint8_t)('a' + random_below(&random, 26));
        assert_int_equal(trawl_patterns_add(patterns, bytes, LENGTH, 0, &error), TRAWL_OK);
    }
    for (size_t i = 0; i < BYTES; i++)
        text[i] = i % 128 < 64 ? (uint8_t)("-= "[i / 128 % 3]) : random_letter(&random, 256);
    assert_int_equal(choose_layout(patterns, text, BYTES, 190000, NULL, layout, &error), TRAWL_OK);
    assert_null(layout->automaton.in_automaton);
    assert_int_equal(layout->filter_tiers, layout->tiers);
    trawl_cuda_qgram_layout_release(layout);
    trawl_patterns_free(patterns);
    free(layout);
    free(text);
}

/* The number of patterns that the automaton takes, with costs that are multiples of the built-in
 * ones. */
static uint32_t automaton_patterns(const trawl_patterns *patterns, const uint8_t *text,
                                   double step_factor, double filter_factor) {
    trawl_device_costs costs = TRAWL_DEVICE_COSTS;
    costs.hot_step = step_factor * trawl_device_costs_built_in.hot_step;
    costs.hot_conflict = step_factor * trawl_device_costs_built_in.hot_conflict;
    costs.hot_wait = step_factor * trawl_device_costs_built_in.hot_wait;
    costs.hot_cached = step_factor * trawl_device_costs_built_in.hot_cached;
    costs.filter = filter_factor * trawl_device_costs_built_in.filter;
    trawl_cuda_qgram_layout *layout = calloc(1, sizeof *layout);
    assert_int_equal(choose_layout(patterns, text, TEXT_BYTES, 190000, &costs, layout, &error),
                     TRAWL_OK);
    assert_int_equal(layout->automaton.in_automaton != NULL, layout->filter_tiers < layout->tiers);
    uint32_t taken = layout->automaton.in_automaton == NULL ? 0 : layout->automaton.patterns;
    trawl_cuda_qgram_layout_release(layout);
    free(layout);
    return taken;
}

/* Whether the plan of a database that is compiled with this cost of a step has an automaton. */
static bool plan_has_automaton(const trawl_patterns *patterns, const uint8_t *text,
                               double hot_step) {
    trawl_device_costs costs = TRAWL_DEVICE_COSTS;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;
    trawl_db_information information = TRAWL_DB_INFORMATION;
    trawl_db *db = NULL;
    costs.hot_step = hot_step;
    options.device = "cuda";
    options.study = &study;
    study.device_costs = &costs;
    options.sample = text;
    options.sample_length = TEXT_BYTES;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    (void)trawl_db_info(db, &information, NULL);
    assert_string_equal(information.engine, "qgram");
    bool has = strstr(information.reason, "an automaton takes") != NULL;
    trawl_db_free(db);
    return has;
}

/* A text full of the short patterns of a set. Whether an automaton takes these patterns depends on
 * the cost of its step on the device, relative to the cost of filters. */
static void calibrated_costs_decide_about_the_automaton(void **state) {
    (void)state;
    random_source random = random_for_case(random_seed(), 5);
    uint8_t text[TEXT_BYTES];
    trawl_patterns *patterns = random_set(&random, 8, 3000, 26);
    for (size_t i = 0; i < 27; i++) {
        const uint8_t bytes[3] = {(uint8_t)("abc"[i % 3]), (uint8_t)("abc"[i / 3 % 3]),
                                  (uint8_t)("abc"[i / 9])};
        assert_int_equal(trawl_patterns_add(patterns, bytes, 3, 0, &error), TRAWL_OK);
    }
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = random_letter(&random, 4);
    assert_int_equal(automaton_patterns(patterns, text, 1, 1), 27);
    assert_int_equal(automaton_patterns(patterns, text, 50, 1), 0);
    assert_int_equal(automaton_patterns(patterns, text, 1, 0.02), 0);
    assert_int_equal(automaton_patterns(patterns, text, 50, 50), 27);
    assert_true(plan_has_automaton(patterns, text, 0));
    assert_false(plan_has_automaton(patterns, text, 50));
    trawl_patterns_free(patterns);
}

/* ------------------------------------------------------------------ several divisions */

static void divide(trawl_cuda_qgram_samples *samples, const uint8_t *in_automaton,
                   trawl_cuda_qgram_layout *layout) {
    memset(layout, 0, sizeof *layout);
    assert_int_equal(trawl_cuda_qgram_divide(samples, in_automaton, 190000, BUCKET, layout, &error),
                     TRAWL_OK);
}

/* Divides a set again and again with fewer of its patterns, with samples that all divisions share
 * and with new ones; the results must be equal. */
static void check_divisions(const trawl_patterns *patterns, const uint8_t *text, size_t length,
                            random_source *random) {
    trawl_cuda_qgram_layout *shared = malloc(sizeof *shared), *own = malloc(sizeof *own);
    trawl_cuda_qgram_samples *samples = malloc(sizeof *samples), *fresh = malloc(sizeof *fresh);
    uint8_t *in_automaton = calloc(patterns->count, 1);
    assert_int_equal(trawl_cuda_qgram_samples_make(patterns, text, length, samples, &error),
                     TRAWL_OK);
    divide(samples, NULL, shared);
    /* Longer case-insensitive patterns are removed first: the samples of the others are needed for
     * the longest patterns before they are needed for all. */
    for (uint32_t shortest = 61; shortest != 0; shortest = shortest == 61 ? 12 : shortest / 4) {
        for (size_t id = 0; id < patterns->count; id++) {
            bool any_case = (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
            in_automaton[id] |= (any_case && trawl_pattern_length(patterns, id) >= shortest) ||
                                random_below(random, 16) == 0;
        }
        assert_int_equal(trawl_cuda_qgram_samples_make(patterns, text, length, fresh, &error),
                         TRAWL_OK);
        divide(samples, in_automaton, shared);
        divide(fresh, in_automaton, own);
        assert_int_equal(shared->tiers, own->tiers);
        assert_memory_equal(shared->tier, own->tier, own->tiers * sizeof *own->tier);
        assert_true(shared->price == own->price && shared->candidates == own->candidates);
        trawl_cuda_qgram_samples_release(fresh);
    }
    trawl_cuda_qgram_samples_release(samples);
    free(in_automaton);
    free(samples);
    free(fresh);
    free(shared);
    free(own);
}

static void divisions_share_samples(void **state) {
    (void)state;
    static const size_t counts[] = {40, 300, 3000, 120000}; /* of the last, not all are kept */
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        random_source random = random_for_case(random_seed(), 400 + i);
        uint8_t *text = malloc(TEXT_BYTES);
        trawl_patterns *patterns = random_set(&random, 1 + i % 3, counts[i], 26);
        for (size_t at = 0; at < TEXT_BYTES; at++)
            text[at] = random_letter(&random, 26);
        for (size_t at = 0; at + LONGEST <= TEXT_BYTES; at += 200) {
            size_t id = random_below(&random, counts[i]);
            memcpy(text + at, trawl_pattern_bytes(patterns, id),
                   trawl_pattern_length(patterns, id));
        }
        check_divisions(patterns, text, TEXT_BYTES, &random);
        trawl_patterns_free(patterns);
        free(text);
    }
}

static void too_little_memory_is_said(void **state) {
    (void)state;
    for (size_t least = 2; least <= 3; least++) {
        random_source random = random_for_case(random_seed(), least);
        trawl_cuda_qgram_layout *layout = calloc(1, sizeof *layout);
        trawl_patterns *patterns = random_set(&random, least, 3, 26);
        assert_int_equal(trawl_patterns_add(patterns, "abc", least, 0, &error), TRAWL_OK);
        assert_int_equal(choose_layout(patterns, NULL, 0, 1000, NULL, layout, &error),
                         TRAWL_ERROR_LIMIT);
        assert_non_null(strstr(error.message, "shared memory"));
        trawl_patterns_free(patterns);
        free(layout);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chance_is_what_passes),
        cmocka_unit_test(a_fuse_filter_has_its_samples),
        cmocka_unit_test(samples_are_rare_ones),
        cmocka_unit_test(every_occurrence_passes),
        cmocka_unit_test(candidates_are_expected),
        cmocka_unit_test(few_patterns_have_large_filters),
        cmocka_unit_test(no_automaton_without_cause),
        cmocka_unit_test(calibrated_costs_decide_about_the_automaton),
        cmocka_unit_test(divisions_share_samples),
        cmocka_unit_test(too_little_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
