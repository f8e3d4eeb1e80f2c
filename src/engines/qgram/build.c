/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Building the tables of the q-gram engine, in three steps (database/engine.h): plan, reserve,
 * fill. */
#include "engines/qgram/format.h"

#include "base/allocate.h"
#include "base/status.h"
#include "engines/engines.h"
#include "engines/qgram/anchors/build.h"
#include "engines/qgram/anchors/divide.h"
#include "engines/qgram/bloom/bit_scatter.h"
#include "engines/qgram/bloom/fields.h"
#include "engines/qgram/divide.h"
#include "engines/qgram/look_up_word.h"
#include "engines/qgram/packed/format.h"
#include "engines/qgram/registers/format.h"
#include "engines/qgram/sparse/build.h"
#include "engines/qgram/sparse/divide.h"
#include "engines/qgram/teddy/format.h"
#include "engines/qgram/validate.h"
#include "engines/qgram/verify/prefix_signatures.h"
#include "engines/qgram/verify/runs.h"
#include "pattern/distinct.h"

static const char *const variants[] = {"mixed",   "teddy",  "packed", "registers",
                                       "anchors", "sparse", NULL};
static const char *const variant_summaries[] = {
    "groups of patterns by length, each with its fastest filter: one of these, or a Bloom filter",
    "up to 128 patterns: their last bytes, looked up by half bytes in vector registers",
    "sets of at most four letters (DNA): letters as 2 bits, samples as exact numbers",
    "hundreds of patterns: a Bloom filter of their last bytes in vector registers",
    "one rare string of a few bytes of each pattern, wherever it stands; shorter ones as pairs",
    "patterns of 16 bytes and more: 16 bytes of the text, far apart; shorter ones as anchors",
    NULL};

#define INSTEAD TRAWL_RAISE_LIMIT_FURTHER

typedef struct planned_qgram {
    trawl_qgram_header header;
    trawl_keys keys[TRAWL_QGRAM_MAX_TIERS]; /* of the tier's patterns, reversed */
    trawl_teddy teddy[TRAWL_QGRAM_MAX_TIERS];
    trawl_anchors_made anchors[TRAWL_QGRAM_MAX_TIERS];
    trawl_sparse_made sparse[TRAWL_QGRAM_MAX_TIERS];
} planned_qgram;

/* ------------------------------------------------------------------ planning */

/* Makes the keys of the tier's patterns. `reversed` has the bytes of each pattern reversed. */
static trawl_status make_keys(const trawl_build *build, const trawl_patterns *reversed,
                              const trawl_qgram_tier *tier, trawl_keys *keys) {
    trawl_patterns view = *reversed;
    view.case_insensitive = tier->folded; /* keys fold only where the tier does */
    size_t count = 0;
    for (size_t id = 0; id < reversed->count; id++) {
        count += trawl_qgram_in_tier(reversed, id, tier);
    }
    if (count == reversed->count) {
        return trawl_keys_make(&view, NULL, 0, keys, build->error);
    }
    uint32_t *subset = trawl_allocate(count, sizeof *subset);
    if (subset == NULL) {
        return trawl_fail_memory(build->error, "dividing the patterns",
                                 (uint64_t)count * sizeof *subset);
    }
    size_t used = 0;
    for (size_t id = 0; id < reversed->count; id++) {
        if (trawl_qgram_in_tier(reversed, id, tier)) {
            subset[used++] = (uint32_t)id;
        }
    }
    trawl_status status = trawl_keys_make(&view, subset, count, keys, build->error);
    trawl_release(subset);
    return status;
}

/* The suffix filter has at least a word for each of its suffixes, so that few other suffixes have
 * both bits. */
static uint32_t suffix_filter_bits(const trawl_qgram_tier *tier, const trawl_keys *keys) {
    trawl_qgram_suffixes suffixes = trawl_qgram_suffixes_of(tier);
    uint64_t count = keys->count;
    for (uint32_t key = 0; key < keys->count; key++) {
        uint32_t shared = key == 0 ? 0 : keys->common[key], length = trawl_key_length(keys, key);
        for (uint32_t i = 0; i < suffixes.count && suffixes.bytes[i] <= length; i++) {
            count += shared < suffixes.bytes[i];
        }
    }
    uint32_t bits = TRAWL_SUFFIX_FILTER_MIN_BITS;
    while (bits < TRAWL_SUFFIX_FILTER_MAX_BITS && (UINT64_C(1) << bits) < count) {
        bits++;
    }
    return bits;
}

/* At least TRAWL_END_OFFSETS_WORDS_PER_GRAM words for each q-gram, up to a limit. */
static uint32_t choose_end_offsets_bits(const trawl_qgram_tier *tier, uint32_t keys) {
    uint64_t grams = (uint64_t)keys * tier->stride;
    uint32_t bits = TRAWL_END_OFFSETS_MIN_BITS;
    while (UINT64_C(1) << bits < TRAWL_END_OFFSETS_MAX_WORDS &&
           UINT64_C(1) << bits < TRAWL_END_OFFSETS_WORDS_PER_GRAM * grams) {
        bits++;
    }
    return bits;
}

/* Reserves the tables of a tier for key look-up and verification. Tiers of byte pairs have none. */
static trawl_status reserve_verification(trawl_build *build, uint32_t part,
                                         const trawl_qgram_tier *tier, uint32_t ranges) {
    const struct {
        trawl_section_kind section;
        uint64_t count;
        size_t size;
    } tables[] = {
        {TRAWL_SECTION_QGRAM_SUFFIX_FILTER, UINT64_C(1) << tier->suffix_filter_bits, 4},
        {TRAWL_SECTION_QGRAM_HASH, (UINT64_C(1) << tier->hash_bits) + 1, 4},
        {TRAWL_SECTION_QGRAM_RANGES, ranges, sizeof(trawl_ending_range)},
        {TRAWL_SECTION_QGRAM_RUNS, TRAWL_QGRAM_RUN_WORDS, sizeof(uint64_t)},
    };
    trawl_status status = TRAWL_OK;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == TRAWL_OK; i++) {
        status = trawl_build_reserve(build, tables[i].section, part, tables[i].count,
                                     tables[i].size, INSTEAD);
    }
    return status;
}

/* Reserves the buckets of a tier of free anchors or a sparse one. Keys are looked up by their ends
 * only for crowded buckets. */
static trawl_status reserve_buckets(trawl_build *build, uint32_t part, trawl_qgram_tier *tier,
                                    const trawl_keys *keys) {
    const planned_qgram *planned = build->state;
    const trawl_anchors_made *anchors = &planned->anchors[part];
    const trawl_sparse_made *sparse = &planned->sparse[part];
    bool is_sparse = tier->kind == TRAWL_TIER_SPARSE;
    trawl_status status = is_sparse ? trawl_sparse_reserve(build, part, tier, sparse, INSTEAD)
                                    : trawl_anchors_reserve(build, part, tier, anchors, INSTEAD);
    uint32_t crowded = is_sparse ? sparse->header.crowded : anchors->header.crowded;
    if (status != TRAWL_OK || crowded == 0) {
        return status;
    }
    uint32_t ranges = trawl_endings_count(keys, tier->look_up_bytes);
    tier->hash_bits = trawl_ending_bits(ranges);
    status = trawl_build_reserve(build, TRAWL_SECTION_QGRAM_HASH, part,
                                 (UINT64_C(1) << tier->hash_bits) + 1, sizeof(uint32_t), INSTEAD);
    return status != TRAWL_OK ? status
                              : trawl_build_reserve(build, TRAWL_SECTION_QGRAM_RANGES, part, ranges,
                                                    sizeof(trawl_ending_range), INSTEAD);
}

static trawl_status reserve_tier(trawl_build *build, uint32_t part, trawl_qgram_tier *tier,
                                 const trawl_keys *keys) {
    if (tier->kind == TRAWL_TIER_PACKED) {
        trawl_status status = trawl_packed_reserve(build, part, tier, keys, INSTEAD);
        return status == TRAWL_OK ? trawl_endings_reserve(build, part, keys, INSTEAD) : status;
    }
    tier->look_up_bytes = trawl_qgram_tier_look_up_bytes(tier);
    trawl_status status = trawl_build_reserve(build, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part,
                                              trawl_qgram_filter_words(tier), 4, INSTEAD);
    if (tier->kind == TRAWL_TIER_ANCHORS || tier->kind == TRAWL_TIER_SPARSE) {
        status = status == TRAWL_OK ? reserve_buckets(build, part, tier, keys) : status;
        return status == TRAWL_OK ? trawl_endings_reserve(build, part, keys, INSTEAD) : status;
    }
    uint32_t ranges = trawl_endings_count(keys, tier->look_up_bytes);
    bool direct = tier->kind == TRAWL_TIER_DIRECT;
    tier->suffix_filter_bits = direct ? 0 : suffix_filter_bits(tier, keys);
    tier->hash_bits = direct ? 0 : trawl_ending_bits(ranges);
    if (status == TRAWL_OK && trawl_qgram_has_prefix_signatures(tier)) {
        status = trawl_prefix_signatures_reserve(build, part, tier, INSTEAD);
    }
    if (status == TRAWL_OK && !direct) {
        status = reserve_verification(build, part, tier, ranges);
    }
    if (status == TRAWL_OK && tier->kind == TRAWL_TIER_BLOOM) {
        tier->end_offsets_bits = choose_end_offsets_bits(tier, keys->count);
        status =
            trawl_build_reserve(build, TRAWL_SECTION_QGRAM_END_OFFSETS, part,
                                UINT64_C(1) << tier->end_offsets_bits, sizeof(uint32_t), INSTEAD);
    }
    return status == TRAWL_OK ? trawl_endings_reserve(build, part, keys, INSTEAD) : status;
}

static bool is_listed(const trawl_patterns *patterns, size_t id, const uint32_t *ids,
                      uint32_t count) {
    uint32_t i = 0;
    while (i < count && !trawl_patterns_repeat(patterns, id, ids[i])) {
        i++;
    }
    return i < count;
}

/* Makes the filter of a Teddy tier, or the Teddy filter in front of a direct tier. The latter is
 * left without probes, which means that it is not used, where it would have many candidates or the
 * tier has too many patterns. Patterns that repeat another one are not counted: the planner did not
 * see them (pattern/distinct.h). */
static void make_teddy(const trawl_build *build, const trawl_qgram_tier *tier,
                       trawl_teddy *filter) {
    const trawl_patterns *patterns = build->patterns;
    const trawl_compile_settings *options = build->options;
    uint32_t ids[TRAWL_TEDDY_PATTERNS];
    uint32_t count = 0;
    for (size_t id = 0; id < patterns->count; id++) {
        if (trawl_qgram_in_tier(patterns, id, tier) && !is_listed(patterns, id, ids, count)) {
            if (count == TRAWL_TEDDY_PATTERNS) {
                return; /* a direct tier with too many patterns */
            }
            ids[count++] = (uint32_t)id;
        }
    }
    double pass_rate = trawl_teddy_make(patterns, ids, count, tier->max_length, options->sample,
                                        options->sample_length, filter);
    if (tier->kind == TRAWL_TIER_DIRECT && pass_rate > TRAWL_DIVIDE_MAX_PASS_RATE) {
        filter->probes = 0;
    }
}

/* Divides the set into tiers. */
static trawl_status divide(const trawl_build *build, trawl_qgram_header *header) {
    const char *variant = variants[build->variant];
    if (strcmp(variant, "packed") == 0) {
        return trawl_packed_divide(build, header);
    }
    if (strcmp(variant, "teddy") == 0) {
        return trawl_teddy_make_tier(build->patterns, header, build->error);
    }
    if (strcmp(variant, "registers") == 0) {
        return trawl_register_bloom_make_tier(build->patterns, header, build->error);
    }
    if (strcmp(variant, "anchors") == 0) {
        trawl_anchors_divide(build->patterns, UINT32_MAX, header);
        return TRAWL_OK;
    }
    if (strcmp(variant, "sparse") == 0) {
        trawl_sparse_divide(build->patterns, header);
        return TRAWL_OK;
    }
    *header = build->choice->header; /* mixed: made by the planner (engines/qgram/divide.h) */
    return TRAWL_OK;
}

/* Completes a tier: keys, anchors, rows of its filter. Reserves its tables. */
static trawl_status plan_tier(trawl_build *build, const trawl_patterns *reversed, uint32_t part) {
    planned_qgram *planned = build->state;
    trawl_qgram_tier *tier = &planned->header.tier[part];
    trawl_keys *keys = &planned->keys[part];
    const trawl_compile_settings *options = build->options;
    trawl_status status = make_keys(build, reversed, tier, keys);
    if (status == TRAWL_OK && tier->kind == TRAWL_TIER_ANCHORS) {
        status = trawl_anchors_make(tier, NULL, keys, options->sample, options->sample_length,
                                    &planned->anchors[part], build->error);
    }
    if (status == TRAWL_OK && tier->kind == TRAWL_TIER_SPARSE) {
        status = trawl_sparse_make(tier, keys, options->sample, options->sample_length,
                                   &planned->sparse[part], build->error);
    }
    if (status == TRAWL_OK && tier->kind == TRAWL_TIER_BLOOM) {
        status = trawl_qgram_choose_fields(keys, options->costs, options->sample,
                                           options->sample_length, tier, build->error);
    }
    if (status == TRAWL_OK) {
        status = reserve_tier(build, part, tier, keys);
    }
    if (status == TRAWL_OK && (tier->kind == TRAWL_TIER_TEDDY || tier->kind == TRAWL_TIER_DIRECT)) {
        make_teddy(build, tier, &planned->teddy[part]);
    }
    return status;
}

static trawl_status plan(trawl_build *build) {
    planned_qgram *planned = trawl_allocate_zeroed(1, sizeof *planned);
    if (planned == NULL) {
        return trawl_fail_memory(build->error, "planning qgram", sizeof *planned);
    }
    build->state = planned;
    trawl_qgram_header *header = &planned->header;
    trawl_status status = divide(build, header);
    if (status == TRAWL_OK) {
        status =
            trawl_build_reserve(build, TRAWL_SECTION_QGRAM_HEADER, 0, 1, sizeof *header, INSTEAD);
    }
    trawl_patterns reversed = {0};
    if (status == TRAWL_OK) {
        status = trawl_endings_reverse(build->patterns, &reversed, build->error);
    }
    for (uint32_t part = 0; status == TRAWL_OK && part < header->tiers; part++) {
        status = plan_tier(build, &reversed, part);
    }
    trawl_release(reversed.bytes);
    build->parts = header->tiers;
    return status;
}

/* ------------------------------------------------------------------ tables */

static void fill_pairs(const trawl_build *build, uint32_t part, const trawl_keys *keys,
                       const trawl_teddy *filter) {
    uint32_t *pairs = trawl_image_section(build->image, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part);
    trawl_qgram_fill_pairs(keys, pairs);
    memcpy(pairs + TRAWL_QGRAM_PAIRS, filter, sizeof *filter);
}

/* The bytes of a sample as two words (trawl_qgram_join_words); `last` is 0 for a sample of at most
 * eight bytes. */
typedef struct sample_words {
    uint64_t first, last;
} sample_words;

/* `reversed` has the sample's bytes, the last one first. */
static sample_words words_of(const uint8_t *reversed, uint32_t gram) {
    uint64_t last = trawl_ending_eight(reversed);
    return gram <= 8 ? (sample_words){.first = last >> (64 - 8 * gram)}
                     : (sample_words){trawl_ending_eight(reversed + gram - 8), last};
}

/* A sample as trawl_qgram_place takes it; and its number in all other tables, where letters alone
 * are folded. */
static uint64_t filter_number(sample_words words, const trawl_qgram_tier *tier) {
    const trawl_qgram_sample_fold fold = trawl_qgram_sample_fold_of(tier);
    return tier->gram <= 8 ? words.first
                           : trawl_qgram_join_words(trawl_qgram_fold_sample(words.first, fold),
                                                    trawl_qgram_fold_sample(words.last, fold));
}

static uint64_t sample_number(sample_words words, uint32_t gram, uint64_t case_bits) {
    uint64_t first = trawl_qgram_fold(words.first, case_bits);
    return gram <= 8 ? first
                     : trawl_qgram_join_words(first, trawl_qgram_fold(words.last, case_bits));
}

/* The index of a key's last suffix: the longest one that it has. */
static uint32_t last_suffix_of(const trawl_qgram_suffixes *suffixes, uint32_t length) {
    uint32_t longest = suffixes->count - 1;
    while (suffixes->bytes[longest] > length) {
        longest--;
    }
    return longest;
}

/* Writes the sample filter and the end offsets. */
static void fill_sample_filter(const trawl_build *build, uint32_t part,
                               const trawl_qgram_tier *tier, const trawl_keys *keys) {
    const trawl_qgram_placing placing = trawl_qgram_placing_of(tier);
    uint64_t multiplier = trawl_qgram_multiplier(tier->gram);
    uint64_t case_bits = trawl_qgram_case_bits(tier->folded != 0);
    trawl_qgram_suffixes suffixes = trawl_qgram_suffixes_of(tier);
    uint32_t step = trawl_end_offsets_step_bytes(tier->stride);
    uint32_t suffix_before = UINT32_MAX;
    trawl_bit_scatter rows, end_offsets;
    trawl_bit_scatter_begin(
        &rows, trawl_image_section(build->image, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part),
        tier->row_bits);
    trawl_bit_scatter_begin(
        &end_offsets, trawl_image_section(build->image, TRAWL_SECTION_QGRAM_END_OFFSETS, part),
        tier->end_offsets_bits);
    for (uint32_t key = 0; key < keys->count; key++) {
        /* Q-grams inside the suffix that the key shares with the key before it have been written
         * with that key, and are skipped, if both last suffixes are equally long. */
        uint32_t suffix = last_suffix_of(&suffixes, trawl_key_length(keys, key));
        uint32_t shared = key == 0 || suffix != suffix_before ? 0 : keys->common[key];
        const uint8_t *reversed = trawl_key_bytes(keys, key);
        uint32_t from = shared < tier->gram ? 0 : shared - tier->gram + 1;
        for (uint32_t distance = from; distance < tier->stride; distance++) {
            sample_words words = words_of(reversed + distance, tier->gram);
            uint64_t place = trawl_qgram_place(&placing, filter_number(words, tier));
            trawl_bit_scatter_set(&rows, place >> TRAWL_QGRAM_ROW_BIT, 1u << (place & 31));
            uint64_t number = sample_number(words, tier->gram, case_bits);
            trawl_bit_scatter_set(
                &end_offsets, trawl_end_offsets_word(number * multiplier, tier->end_offsets_bits),
                1u << distance / step | 1u << (TRAWL_END_OFFSETS_STEPS + suffix));
        }
        suffix_before = suffix;
    }
    trawl_bit_scatter_finish(&rows);
    trawl_bit_scatter_finish(&end_offsets);
}

static void fill_register_bloom(const trawl_build *build, uint32_t part,
                                const trawl_qgram_tier *tier, const trawl_keys *keys) {
    trawl_register_bloom *filter =
        trawl_image_section(build->image, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part);
    trawl_register_bloom_clear(filter, tier->folded != 0,
                               trawl_register_bloom_is_wide(keys->count));
    for (uint32_t key = 0; key < keys->count; key++) {
        trawl_register_bloom_add(filter, trawl_key_bytes(keys, key), tier->gram);
    }
}

/* Adds a number to the suffix filter. */
static void add_number(trawl_bit_scatter *suffix_filter, const trawl_qgram_tier *tier,
                       uint64_t number, uint32_t kind) {
    uint64_t hash = trawl_suffix_filter_hash(number, kind);
    trawl_bit_scatter_set(suffix_filter, trawl_suffix_filter_word(hash, tier->suffix_filter_bits),
                          trawl_suffix_filter_mask(hash));
}

static void add_suffix(trawl_bit_scatter *suffix_filter, const trawl_qgram_tier *tier,
                       const uint8_t *reversed, uint32_t bytes, uint32_t kind) {
    uint64_t case_bits = trawl_qgram_case_bits(tier->folded != 0);
    uint64_t last = trawl_qgram_fold(trawl_ending_number(reversed, bytes), case_bits);
    uint64_t number = bytes > 8 ? sample_number(words_of(reversed, bytes), bytes, case_bits)
                                : trawl_qgram_suffix(bytes, 0, last);
    add_number(suffix_filter, tier, number, kind);
}

/* Adds the run at a key's end, with the bytes before it. */
static void add_run(trawl_bit_scatter *suffix_filter, const trawl_qgram_tier *tier,
                    const uint8_t *reversed, uint32_t length) {
    uint64_t case_bits = trawl_qgram_case_bits(tier->folded != 0);
    uint32_t run = trawl_qgram_run_of(reversed, length);
    if (run >= TRAWL_QGRAM_SHORT_RUN && run < length) {
        uint32_t bytes =
            length - run < TRAWL_QGRAM_BYTES_BEFORE_RUN ? 1 : TRAWL_QGRAM_BYTES_BEFORE_RUN;
        uint64_t before = trawl_qgram_fold(trawl_ending_number(reversed + run, bytes), case_bits);
        add_number(suffix_filter, tier, trawl_qgram_run_number(before, bytes, run),
                   TRAWL_SUFFIX_RUN);
    }
}

static void fill_suffix_filter(const trawl_build *build, uint32_t part,
                               const trawl_qgram_tier *tier, const trawl_keys *keys) {
    trawl_qgram_suffixes suffixes = trawl_qgram_suffixes_of(tier);
    trawl_bit_scatter suffix_filter;
    trawl_bit_scatter_begin(
        &suffix_filter, trawl_image_section(build->image, TRAWL_SECTION_QGRAM_SUFFIX_FILTER, part),
        tier->suffix_filter_bits);
    for (uint32_t key = 0; key < keys->count; key++) {
        const uint8_t *reversed = trawl_key_bytes(keys, key);
        uint32_t shared = key == 0 ? 0 : keys->common[key], length = trawl_key_length(keys, key);
        uint32_t bytes = 0;
        for (uint32_t i = 0; i < suffixes.count && suffixes.bytes[i] <= length; i++) {
            bytes = suffixes.bytes[i];
            if (shared < bytes) { /* else the key before has the same suffix */
                add_suffix(&suffix_filter, tier, reversed, bytes, TRAWL_SUFFIX_ANY);
            }
        }
        add_suffix(&suffix_filter, tier, reversed, bytes, TRAWL_SUFFIX_LAST);
        add_run(&suffix_filter, tier, reversed, length);
    }
    trawl_bit_scatter_finish(&suffix_filter);
}

static void fill_runs(const trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                      const trawl_keys *keys) {
    uint64_t *runs = trawl_image_section(build->image, TRAWL_SECTION_QGRAM_RUNS, part);
    memset(runs, 0, TRAWL_QGRAM_RUN_WORDS * sizeof *runs);
    for (uint32_t key = 0; key < keys->count; key++) {
        trawl_qgram_add_run(runs, trawl_key_bytes(keys, key), trawl_key_length(keys, key),
                            tier->folded != 0);
    }
}

static void fill_hash(const trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                      const trawl_keys *keys) {
    trawl_endings_hash(keys, tier->look_up_bytes, trawl_qgram_word_of_key, NULL, tier->hash_bits,
                       trawl_image_section(build->image, TRAWL_SECTION_QGRAM_HASH, part),
                       trawl_image_section(build->image, TRAWL_SECTION_QGRAM_RANGES, part));
}

static void fill_tier(trawl_build *build, uint32_t part, planned_qgram *planned) {
    const trawl_qgram_tier *tier = &planned->header.tier[part];
    trawl_keys *keys = &planned->keys[part];
    trawl_endings_fill(build, part, keys);
    trawl_keys_release_ids(keys); /* of large sets: the use of memory is highest here */
    if (tier->kind == TRAWL_TIER_DIRECT) {
        fill_pairs(build, part, keys, &planned->teddy[part]);
        return;
    }
    if (tier->kind == TRAWL_TIER_PACKED) {
        trawl_packed_fill(build, part, tier, keys);
        return;
    }
    if (tier->kind == TRAWL_TIER_ANCHORS || tier->kind == TRAWL_TIER_SPARSE) {
        if (tier->kind == TRAWL_TIER_SPARSE) {
            trawl_sparse_fill(build, part, tier, keys, &planned->sparse[part]);
        } else {
            trawl_anchors_fill(build, part, tier, keys, &planned->anchors[part]);
        }
        if (tier->hash_bits != 0) {
            fill_hash(build, part, tier, keys);
        }
        return;
    }
    if (tier->kind == TRAWL_TIER_REGISTERS) {
        fill_register_bloom(build, part, tier, keys);
    } else if (tier->kind == TRAWL_TIER_TEDDY) {
        memcpy(trawl_image_section(build->image, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part),
               &planned->teddy[part], sizeof planned->teddy[part]);
    } else {
        fill_sample_filter(build, part, tier, keys);
    }
    fill_suffix_filter(build, part, tier, keys);
    fill_runs(build, part, tier, keys);
    if (trawl_qgram_has_prefix_signatures(tier)) {
        trawl_prefix_signatures_fill(build, part, tier, keys);
    }
    fill_hash(build, part, tier, keys);
}

static trawl_status fill(trawl_build *build) {
    planned_qgram *planned = build->state;
    memcpy(trawl_image_section(build->image, TRAWL_SECTION_QGRAM_HEADER, 0), &planned->header,
           sizeof planned->header);
    for (uint32_t part = 0; part < planned->header.tiers; part++) {
        fill_tier(build, part, planned);
        trawl_keys_release(&planned->keys[part]);
    }
    return TRAWL_OK;
}

static void release(trawl_build *build) {
    planned_qgram *planned = build->state;
    for (uint32_t part = 0; planned != NULL && part < TRAWL_QGRAM_MAX_TIERS; part++) {
        trawl_keys_release(&planned->keys[part]);
        trawl_anchors_release(&planned->anchors[part]);
        trawl_sparse_release(&planned->sparse[part]);
    }
    trawl_release(planned);
}

static const trawl_kernel_entry kernels[] = {
    {"filter", "sampled q-grams in shared memory, then exact verification: one walk", "trawl"},
    {"packed", "at most 4 letters, patterns of up to 8: windows of packed letters in shared memory",
     "trawl"},
    {"sparse",
     "patterns of 47 bytes and more: samples so far apart that most of the text is not read",
     "trawl"},
    {NULL, NULL, NULL},
};

const trawl_engine trawl_engine_qgram = {
    .description =
        {.name = "qgram",
         .summary = "a filter excludes most positions; patterns are compared at the others",
         .source = "trawl; its filters after Bloom 1970, and Teddy, by G. Langdale for Hyperscan",
         .variants = variants,
         .variant_summaries = variant_summaries},
    .tables = TRAWL_SECTION_QGRAM_HEADER,
    .plan = plan,
    .fill = fill,
    .release = release,
    .validate = trawl_qgram_validate,
    .walker = &trawl_walker_qgram,
    .kernels = kernels,
};
