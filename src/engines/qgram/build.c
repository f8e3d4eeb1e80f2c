/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/format.h"

#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"
#include "engines/engines.h"
#include "engines/qgram/anchor.h"
#include "engines/qgram/bloom/bit_scatter.h"
#include "engines/qgram/bloom/fields.h"
#include "engines/qgram/divide.h"
#include "engines/qgram/packed/format.h"
#include "engines/qgram/registers/format.h"
#include "engines/qgram/teddy/format.h"
#include "engines/qgram/verify/prefix_signatures.h"
#include "engines/qgram/verify/runs.h"

static const char *const variants[] = {"mixed", "teddy", "packed", "registers", NULL};
static const char *const variant_summaries[] = {
    "filters by pattern length, chosen from the set's statistics and a sample of the text",
    "few patterns: sets of bytes by nibbles in vector registers, at every position",
    "sets of at most four letters (DNA) alone: letters as 2 bits, windows as exact numbers",
    "hundreds of patterns: hashes of their last bytes in vector registers, at every position",
    NULL};

#define INSTEAD "raise max_table_bytes, or try engine ac-nfa, whose tables share prefixes"

typedef struct qgram_plan {
    trawl_qgram_header header;
    trawl_keys keys[TRAWL_QGRAM_MAX_TIERS]; /* of the tier's patterns, reversed */
    trawl_teddy teddy[TRAWL_QGRAM_MAX_TIERS];
    uint8_t *distances[TRAWL_QGRAM_MAX_TIERS]; /* trawl_anchor_keys; NULL: the tier has no
                                                  anchor_slack */
} qgram_plan;

/* ------------------------------------------------------------------ planning */

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

/* SECOND has a word for each suffix in it: few others pass. */
static uint32_t suffix_filter_bits(const trawl_qgram_tier *tier, const trawl_keys *keys) {
    trawl_qgram_suffixes suffixes = trawl_qgram_suffixes_of(tier);
    uint64_t count = keys->count;
    for (uint32_t key = 0; key < keys->count; key++) {
        uint32_t shared = key == 0 ? 0 : keys->common[key], length = trawl_key_length(keys, key);
        for (uint32_t i = 0; i < suffixes.count && suffixes.bytes[i] <= length; i++) {
            count += shared < suffixes.bytes[i];
        }
    }
    uint32_t bits = 4;
    while (bits < 24 && (UINT64_C(1) << bits) < count) {
        bits++;
    }
    return bits;
}

/* MARKS has two words for each q-gram, as far as there may be so many. */
static uint32_t mark_bits(const trawl_qgram_tier *tier, uint32_t keys) {
    uint32_t bits = 8;
    while (UINT64_C(1) << bits < TRAWL_QGRAM_MOST_END_OFFSETS &&
           UINT64_C(1) << bits < 2 * (uint64_t)keys * tier->stride) {
        bits++;
    }
    return bits;
}

/* Objects of four bytes in FILTER. */
static uint64_t filter_words(const trawl_qgram_tier *tier) {
    switch (tier->kind) {
    case TRAWL_TIER_DIRECT:
        return TRAWL_QGRAM_PAIRS + sizeof(trawl_teddy) / 4;
    case TRAWL_TIER_TEDDY:
        return sizeof(trawl_teddy) / 4;
    case TRAWL_TIER_REGISTERS:
        return sizeof(trawl_register_bloom) / 4;
    default:
        return UINT64_C(1) << tier->row_bits;
    }
}

static trawl_status reserve_tier(trawl_build *build, uint32_t part, trawl_qgram_tier *tier,
                                 const trawl_keys *keys) {
    if (tier->kind == TRAWL_TIER_PACKED) {
        trawl_status status = trawl_packed_reserve(build, part, tier, keys, INSTEAD);
        return status == TRAWL_OK ? trawl_endings_reserve(build, part, keys, INSTEAD) : status;
    }
    tier->tail = tier->window < 8 ? tier->window : 8;
    uint32_t ranges = trawl_endings_count(keys, tier->tail);
    bool direct = tier->kind == TRAWL_TIER_DIRECT;
    tier->suffix_filter_bits = direct ? 0 : suffix_filter_bits(tier, keys);
    tier->hash_bits = direct ? 0 : trawl_ending_bits(ranges);
    trawl_status status = trawl_build_reserve(build, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part,
                                              filter_words(tier), 4, INSTEAD);
    if (status == TRAWL_OK && trawl_qgram_has_prefix_signatures(tier)) {
        status = trawl_prefix_signatures_reserve(build, part, tier, INSTEAD);
    }
    if (status == TRAWL_OK && !direct) {
        status = trawl_build_reserve(build, TRAWL_SECTION_QGRAM_SUFFIX_FILTER, part,
                                     UINT64_C(1) << tier->suffix_filter_bits, 4, INSTEAD);
    }
    if (status == TRAWL_OK && !direct) {
        status = trawl_build_reserve(build, TRAWL_SECTION_QGRAM_HASH, part,
                                     (UINT64_C(1) << tier->hash_bits) + 1, 4, INSTEAD);
    }
    if (status == TRAWL_OK && !direct) {
        status = trawl_build_reserve(build, TRAWL_SECTION_QGRAM_RANGES, part, ranges,
                                     sizeof(trawl_ending_range), INSTEAD);
    }
    if (status == TRAWL_OK && !direct) {
        status = trawl_build_reserve(build, TRAWL_SECTION_QGRAM_RUNS, part, TRAWL_QGRAM_RUN_WORDS,
                                     sizeof(uint64_t), INSTEAD);
    }
    if (status == TRAWL_OK && tier->kind == TRAWL_TIER_BLOOM) {
        tier->mark_bits = mark_bits(tier, keys->count);
        status = trawl_build_reserve(build, TRAWL_SECTION_QGRAM_END_OFFSETS, part,
                                     UINT64_C(1) << tier->mark_bits, sizeof(uint32_t), INSTEAD);
    }
    return status == TRAWL_OK ? trawl_endings_reserve(build, part, keys, INSTEAD) : status;
}

/* The filter of a shuffle tier; of a direct one where that lets little through, else without
 * probes. */
static void make_teddy(const trawl_build *build, const trawl_qgram_tier *tier,
                       trawl_teddy *filter) {
    const trawl_patterns *patterns = build->patterns;
    const trawl_compile_options *options = build->options;
    uint32_t ids[TRAWL_TEDDY_PATTERNS];
    uint32_t count = 0;
    for (size_t id = 0; id < patterns->count; id++) {
        if (trawl_qgram_in_tier(patterns, id, tier)) {
            if (count == TRAWL_TEDDY_PATTERNS) {
                return; /* a direct tier */
            }
            ids[count++] = (uint32_t)id;
        }
    }
    double pass = trawl_teddy_make(patterns, ids, count, tier->max_length, options->sample,
                                   options->sample_length, filter);
    if (tier->kind == TRAWL_TIER_DIRECT && pass > TRAWL_TEDDY_DENSE) {
        filter->probes = 0;
    }
}

static trawl_status plan(trawl_build *build) {
    qgram_plan *planned = trawl_allocate_zeroed(1, sizeof *planned);
    if (planned == NULL) {
        return trawl_fail_memory(build->error, "planning qgram", sizeof *planned);
    }
    build->state = planned;
    trawl_qgram_header *header = &planned->header;
    const char *variant = variants[build->variant];
    trawl_status status = strcmp(variant, "packed") == 0 ? trawl_packed_divide(build, header)
                          : strcmp(variant, "teddy") == 0
                              ? trawl_teddy_tier(build->patterns, header, build->error)
                          : strcmp(variant, "registers") == 0
                              ? trawl_register_bloom_tier(build->patterns, header, build->error)
                              : trawl_qgram_choose(build, header);
    if (status == TRAWL_OK) {
        status =
            trawl_build_reserve(build, TRAWL_SECTION_QGRAM_HEADER, 0, 1, sizeof *header, INSTEAD);
    }
    trawl_patterns reversed = {0};
    if (status == TRAWL_OK) {
        status = trawl_endings_reverse(build->patterns, &reversed, build->error);
    }
    for (uint32_t part = 0; status == TRAWL_OK && part < header->tiers; part++) {
        status = make_keys(build, &reversed, &header->tier[part], &planned->keys[part]);
        if (status == TRAWL_OK && header->tier[part].anchor_slack != 0) {
            status = trawl_anchor_keys(&header->tier[part], &planned->keys[part],
                                       build->options->sample, build->options->sample_length,
                                       &planned->distances[part], build->error);
        }
        if (status == TRAWL_OK && header->tier[part].kind == TRAWL_TIER_BLOOM) {
            status = trawl_qgram_choose_fields(&planned->keys[part], planned->distances[part],
                                               build->options->costs, build->options->sample,
                                               build->options->sample_length, &header->tier[part],
                                               build->error);
        }
        if (status == TRAWL_OK) {
            status = reserve_tier(build, part, &header->tier[part], &planned->keys[part]);
        }
        if (status == TRAWL_OK && (header->tier[part].kind == TRAWL_TIER_TEDDY ||
                                   header->tier[part].kind == TRAWL_TIER_DIRECT)) {
            make_teddy(build, &header->tier[part], &planned->teddy[part]);
        }
    }
    trawl_release(reversed.bytes);
    build->parts = header->tiers;
    return status;
}

/* ------------------------------------------------------------------ tables */

static void fill_direct(const trawl_build *build, uint32_t part, const trawl_keys *keys,
                        const trawl_teddy *filter) {
    uint32_t *direct = trawl_image_section(build->image, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part);
    uint32_t single[256] = {0};
    memset(direct, 0, TRAWL_QGRAM_PAIRS * sizeof *direct);
    memcpy(direct + TRAWL_QGRAM_PAIRS, filter, sizeof *filter);
    for (uint32_t key = 0; key < keys->count; key++) {
        const uint8_t *reversed = keys->bytes + keys->offsets[key];
        if (trawl_key_length(keys, key) == 1) {
            single[reversed[0]] = key + 1;
        } else {
            direct[reversed[1] | (uint32_t)reversed[0] << 8] = key + 1;
        }
    }
    for (uint32_t pair = TRAWL_QGRAM_PAIRS; pair-- > 0;) {
        uint8_t before = (uint8_t)pair, last = (uint8_t)(pair >> 8);
        if (keys->folded) {
            before = trawl_fold(before);
            last = trawl_fold(last);
        }
        /* Entries of folded pairs are read before they are written: their index is the larger, or
         * it is the same. */
        uint32_t key = direct[before | (uint32_t)last << 8];
        direct[pair] = key != 0 ? key : single[last];
    }
}

/* A sample's bytes as two numbers, from bytes of a key that are stored the last one first, its last
 * byte at `reversed`: the first eight at most, and the last eight, 0 when there are no more. */
typedef struct sample_words {
    uint64_t first, last;
} sample_words;

static sample_words words_of(const uint8_t *reversed, uint32_t gram) {
    uint64_t last = trawl_ending_eight(reversed);
    return gram <= 8 ? (sample_words){.first = last >> (64 - 8 * gram)}
                     : (sample_words){trawl_ending_eight(reversed + gram - 8), last};
}

/* The number that FILTER is asked for, with a step less for each sample, and that of all others. */
static uint64_t filter_number(sample_words words, uint32_t gram, uint64_t case_bits) {
    return gram <= 8 ? words.first | case_bits
                     : trawl_qgram_mix(words.first | case_bits, words.last | case_bits);
}

static uint64_t sample_number(sample_words words, uint32_t gram, uint64_t case_bits) {
    uint64_t first = trawl_qgram_fold(words.first, case_bits);
    return gram <= 8 ? first : trawl_qgram_mix(first, trawl_qgram_fold(words.last, case_bits));
}

/* Which suffix of a key SECOND has: the longest one that it has. */
static uint32_t suffix_of(const trawl_qgram_suffixes *suffixes, uint32_t length) {
    uint32_t longest = suffixes->count - 1;
    while (suffixes->bytes[longest] > length) {
        longest--;
    }
    return longest;
}

static void fill_hashed(const trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                        const trawl_keys *keys, const uint8_t *distances) {
    const trawl_qgram_placing rule = trawl_qgram_placing_of(tier);
    uint64_t multiplier = trawl_qgram_multiplier(tier->gram);
    uint64_t case_bits = trawl_qgram_case_bits(tier->folded != 0);
    trawl_qgram_suffixes suffixes = trawl_qgram_suffixes_of(tier);
    uint32_t span = trawl_qgram_span(tier->stride + tier->anchor_slack), suffix_before = UINT32_MAX;
    trawl_bit_scatter rows, marks;
    trawl_bit_scatter_begin(
        &rows, trawl_image_section(build->image, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part),
        tier->row_bits);
    trawl_bit_scatter_begin(
        &marks, trawl_image_section(build->image, TRAWL_SECTION_QGRAM_END_OFFSETS, part),
        tier->mark_bits);
    for (uint32_t key = 0; key < keys->count; key++) {
        /* The window's samples nearest to the end that are shared with the key before are there
         * already, unless its window is elsewhere; the others begin further from it than the two
         * keys agree. */
        uint32_t suffix = suffix_of(&suffixes, trawl_key_length(keys, key));
        uint32_t shared = key == 0 || suffix != suffix_before ? 0 : keys->common[key];
        const uint8_t *reversed = keys->bytes + keys->offsets[key];
        uint32_t from = distances != NULL     ? distances[key]
                        : shared < tier->gram ? 0
                                              : shared - tier->gram + 1;
        uint32_t past = (distances != NULL ? distances[key] : 0) + tier->stride;
        for (uint32_t distance = from; distance < past; distance++) {
            sample_words words = words_of(reversed + distance, tier->gram);
            uint64_t number = filter_number(words, tier->gram, case_bits);
            uint64_t place = trawl_qgram_place(&rule, number);
            trawl_bit_scatter_set(&rows, place >> TRAWL_QGRAM_ROW_BIT, 1u << (number & 31));
            number = sample_number(words, tier->gram, case_bits);
            trawl_bit_scatter_set(&marks, trawl_qgram_mark(number * multiplier, tier->mark_bits),
                                  1u << distance / span | 1u << (TRAWL_QGRAM_DISTANCES + suffix));
        }
        suffix_before = suffix;
    }
    trawl_bit_scatter_finish(&rows);
    trawl_bit_scatter_finish(&marks);
}

static void fill_resident(const trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                          const trawl_keys *keys) {
    trawl_register_bloom *filter =
        trawl_image_section(build->image, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part);
    trawl_register_bloom_clear(filter, tier->folded != 0,
                               trawl_register_bloom_is_wide(keys->count));
    for (uint32_t key = 0; key < keys->count; key++) {
        trawl_register_bloom_add(filter, keys->bytes + keys->offsets[key], tier->gram);
    }
}

static void add_number(trawl_bit_scatter *second, const trawl_qgram_tier *tier, uint64_t number,
                       uint32_t kind) {
    uint64_t hash = trawl_suffix_filter(number, kind);
    trawl_bit_scatter_set(second, trawl_suffix_filter_word(hash, tier->suffix_filter_bits),
                          trawl_suffix_filter_mask(hash));
}

static void add_suffix(trawl_bit_scatter *second, const trawl_qgram_tier *tier,
                       const uint8_t *reversed, uint32_t bytes, uint32_t kind) {
    uint64_t case_bits = trawl_qgram_case_bits(tier->folded != 0);
    uint64_t last = trawl_qgram_fold(trawl_ending_number(reversed, bytes), case_bits);
    uint64_t number = bytes > 8 ? sample_number(words_of(reversed, bytes), bytes, case_bits)
                                : trawl_qgram_suffix(bytes, 0, last);
    add_number(second, tier, number, kind);
}

static void add_run(trawl_bit_scatter *second, const trawl_qgram_tier *tier,
                    const uint8_t *reversed, uint32_t length) {
    uint64_t case_bits = trawl_qgram_case_bits(tier->folded != 0);
    uint32_t run = trawl_qgram_run_of(reversed, length);
    if (run >= TRAWL_QGRAM_SHORT_RUN && run < length) {
        uint32_t bytes = length - run < TRAWL_QGRAM_RUN_LEAD ? 1 : TRAWL_QGRAM_RUN_LEAD;
        uint64_t lead = trawl_qgram_fold(trawl_ending_number(reversed + run, bytes), case_bits);
        add_number(second, tier, trawl_qgram_run_number(lead, bytes, run), TRAWL_SECOND_RUN);
    }
}

static void fill_second(const trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                        const trawl_keys *keys) {
    trawl_qgram_suffixes suffixes = trawl_qgram_suffixes_of(tier);
    trawl_bit_scatter second;
    trawl_bit_scatter_begin(
        &second, trawl_image_section(build->image, TRAWL_SECTION_QGRAM_SUFFIX_FILTER, part),
        tier->suffix_filter_bits);
    for (uint32_t key = 0; key < keys->count; key++) {
        const uint8_t *reversed = keys->bytes + keys->offsets[key];
        uint32_t shared = key == 0 ? 0 : keys->common[key], length = trawl_key_length(keys, key);
        uint32_t bytes = 0;
        for (uint32_t i = 0; i < suffixes.count && suffixes.bytes[i] <= length; i++) {
            bytes = suffixes.bytes[i];
            if (shared < bytes) { /* else the key before has it */
                add_suffix(&second, tier, reversed, bytes, TRAWL_SECOND_ANY);
            }
        }
        add_suffix(&second, tier, reversed, bytes, TRAWL_SECOND_LAST);
        add_run(&second, tier, reversed, length);
    }
    trawl_bit_scatter_finish(&second);
}

static void fill_runs(const trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                      const trawl_keys *keys) {
    uint64_t *runs = trawl_image_section(build->image, TRAWL_SECTION_QGRAM_RUNS, part);
    memset(runs, 0, TRAWL_QGRAM_RUN_WORDS * sizeof *runs);
    for (uint32_t key = 0; key < keys->count; key++) {
        trawl_qgram_add_run(runs, keys->bytes + keys->offsets[key], trawl_key_length(keys, key),
                            tier->folded != 0);
    }
}

static uint64_t tail_word(const uint8_t *reversed, uint32_t tail, const void *context) {
    (void)context;
    return trawl_ending_number(reversed, tail);
}

static void fill_tier(trawl_build *build, uint32_t part, qgram_plan *planned) {
    const trawl_qgram_tier *tier = &planned->header.tier[part];
    trawl_keys *keys = &planned->keys[part];
    trawl_endings_fill(build, part, keys);
    trawl_keys_release_ids(keys); /* for large sets this is when most memory is in use */
    if (tier->kind == TRAWL_TIER_DIRECT) {
        fill_direct(build, part, keys, &planned->teddy[part]);
        return;
    }
    if (tier->kind == TRAWL_TIER_PACKED) {
        trawl_packed_fill(build, part, tier, keys);
        return;
    }
    if (tier->kind == TRAWL_TIER_REGISTERS) {
        fill_resident(build, part, tier, keys);
    } else if (tier->kind == TRAWL_TIER_TEDDY) {
        memcpy(trawl_image_section(build->image, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part),
               &planned->teddy[part], sizeof planned->teddy[part]);
    } else {
        fill_hashed(build, part, tier, keys, planned->distances[part]);
    }
    fill_second(build, part, tier, keys);
    fill_runs(build, part, tier, keys);
    if (trawl_qgram_has_prefix_signatures(tier)) {
        trawl_prefix_signatures_fill(build, part, tier, keys);
    }
    trawl_endings_hash(keys, tier->tail, tail_word, NULL, tier->hash_bits,
                       trawl_image_section(build->image, TRAWL_SECTION_QGRAM_HASH, part),
                       trawl_image_section(build->image, TRAWL_SECTION_QGRAM_RANGES, part));
}

static trawl_status fill(trawl_build *build) {
    qgram_plan *planned = build->state;
    memcpy(trawl_image_section(build->image, TRAWL_SECTION_QGRAM_HEADER, 0), &planned->header,
           sizeof planned->header);
    for (uint32_t part = 0; part < planned->header.tiers; part++) {
        fill_tier(build, part, planned);
        trawl_keys_release(&planned->keys[part]);
    }
    return TRAWL_OK;
}

static void release(trawl_build *build) {
    qgram_plan *planned = build->state;
    for (uint32_t part = 0; planned != NULL && part < TRAWL_QGRAM_MAX_TIERS; part++) {
        trawl_keys_release(&planned->keys[part]);
        trawl_release(planned->distances[part]);
    }
    trawl_release(planned);
}

/* ------------------------------------------------------------------ validation */

static trawl_status damaged(trawl_error *error, const char *what) {
    return trawl_fail(error, TRAWL_ERROR_FORMAT, "the database's qgram %s", what);
}

static bool tier_sound(const trawl_qgram_tier *tier) {
    bool sound = tier->kind < TRAWL_TIER_KINDS && tier->folded <= 1 && tier->window != 0 &&
                 trawl_qgram_fields_sound(tier) && tier->min_length <= tier->max_length &&
                 tier->window <= tier->min_length && tier->max_length <= TRAWL_PATTERN_MAX_LENGTH &&
                 (tier->anchor_slack == 0 || tier->kind == TRAWL_TIER_BLOOM);
    if (sound && tier->kind == TRAWL_TIER_PACKED) {
        return true; /* trawl_packed_validate looks closer */
    }
    if (sound && tier->kind == TRAWL_TIER_DIRECT) {
        return tier->max_length <= 2 && tier->gram == 2 && tier->stride == 1;
    }
    if (tier->kind == TRAWL_TIER_TEDDY) {
        sound = sound && tier->gram == 1 && tier->stride == 1;
    } else if (tier->kind == TRAWL_TIER_REGISTERS) {
        sound = sound && tier->gram <= TRAWL_REGISTER_BLOOM_BYTES && tier->stride == 1;
    } else {
        sound = sound && tier->row_bits != 0 && tier->row_bits <= TRAWL_QGRAM_MAX_ROW_BITS &&
                tier->mark_bits != 0 && tier->mark_bits <= TRAWL_QGRAM_MAX_ROW_BITS &&
                tier->anchor_slack <= TRAWL_QGRAM_MOST_ANCHOR_SLACK &&
                (tier->anchor_slack == 0 ||
                 (tier->stride <= TRAWL_QGRAM_MAX_STRIDE &&
                  tier->stride + tier->anchor_slack <= TRAWL_QGRAM_MOST_ENDS));
    }
    return sound && tier->gram != 0 && tier->gram <= TRAWL_QGRAM_MAX_GRAM &&
           tier->gram <= tier->window && tier->stride != 0 &&
           tier->stride <= TRAWL_QGRAM_MAX_STRIDE &&
           tier->stride <= tier->window - tier->gram + 1 && tier->suffix_filter_bits != 0 &&
           tier->suffix_filter_bits <= TRAWL_QGRAM_MAX_ROW_BITS &&
           tier->tail == (tier->window < 8 ? tier->window : 8);
}

static trawl_status validate_direct(const trawl_db *db, uint32_t part, trawl_error *error) {
    trawl_status status = trawl_outputs_validate(db, part, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uint64_t size;
    const uint32_t *direct = trawl_db_section(db, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part, &size);
    if (size != TRAWL_QGRAM_PAIRS * sizeof *direct + sizeof(trawl_teddy)) {
        return damaged(error, "table of pairs has another size than it must");
    }
    const trawl_teddy *filter = (const void *)(direct + TRAWL_QGRAM_PAIRS);
    if (filter->probes != 0 && !trawl_teddy_sound(filter, sizeof *filter, 2)) {
        return damaged(error, "filter is damaged");
    }
    trawl_outputs outputs;
    trawl_outputs_view(db, part, &outputs);
    for (uint32_t pair = 0; pair < TRAWL_QGRAM_PAIRS; pair++) {
        if (direct[pair] > outputs.keys) {
            return damaged(error, "table of pairs has an entry out of range");
        }
    }
    return TRAWL_OK;
}

/* Distances and suffixes that the tier has. */
static bool end_offsets_sound(const trawl_qgram_tier *tier, const uint32_t *marks, uint64_t size) {
    if (size != sizeof *marks << tier->mark_bits) {
        return false;
    }
    uint32_t ends = tier->stride + tier->anchor_slack;
    uint32_t distances = (ends - 1) / trawl_qgram_span(ends) + 1;
    uint32_t suffixes = trawl_qgram_suffixes_of(tier).count;
    uint32_t possible = ((1u << distances) - 1) | ((1u << suffixes) - 1) << TRAWL_QGRAM_DISTANCES;
    uint32_t all = 0;
    for (size_t i = 0; i < (size_t)1 << tier->mark_bits; i++) {
        all |= marks[i];
    }
    return (all & ~possible) == 0;
}

static trawl_status validate_tier(const trawl_db *db, uint32_t part, const trawl_qgram_tier *tier,
                                  trawl_error *error) {
    if (!tier_sound(tier)) {
        return damaged(error, "tier is damaged");
    }
    if (tier->kind == TRAWL_TIER_DIRECT) {
        return validate_direct(db, part, error);
    }
    if (tier->kind == TRAWL_TIER_PACKED) {
        return trawl_packed_validate(db, part, tier, error);
    }
    uint64_t filter_size, suffix_filter_size, heads_size, ranges_size, runs_size, end_offsets_size;
    (void)trawl_db_section(db, TRAWL_SECTION_QGRAM_RUNS, part, &runs_size);
    const uint32_t *marks =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_END_OFFSETS, part, &end_offsets_size);
    const void *filter =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part, &filter_size);
    (void)trawl_db_section(db, TRAWL_SECTION_QGRAM_SUFFIX_FILTER, part, &suffix_filter_size);
    const uint32_t *heads = trawl_db_section(db, TRAWL_SECTION_QGRAM_HASH, part, &heads_size);
    const trawl_ending_range *ranges =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_RANGES, part, &ranges_size);
    if (filter_size != 4 * filter_words(tier) ||
        suffix_filter_size != UINT64_C(4) << tier->suffix_filter_bits ||
        runs_size != TRAWL_QGRAM_RUN_WORDS * sizeof(uint64_t)) {
        return damaged(error, "tables have inconsistent sizes");
    }
    if (trawl_qgram_has_prefix_signatures(tier) && !trawl_prefix_signatures_sound(db, part, tier)) {
        return damaged(error, "leads have another size than they must");
    }
    if (tier->kind == TRAWL_TIER_BLOOM && !end_offsets_sound(tier, marks, end_offsets_size)) {
        return damaged(error, "marks are damaged");
    }
    if (tier->kind == TRAWL_TIER_TEDDY &&
        !trawl_teddy_sound(filter, filter_size, TRAWL_TEDDY_SUFFIX)) {
        return damaged(error, "filter is damaged");
    }
    if (tier->kind == TRAWL_TIER_REGISTERS &&
        !trawl_register_bloom_sound(filter, filter_size, tier->folded != 0)) {
        return damaged(error, "filter is damaged");
    }
    return trawl_endings_validate(db, part, tier->tail, tier->hash_bits, heads, heads_size, ranges,
                                  ranges_size, error);
}

static trawl_status validate(const trawl_db *db, trawl_error *error) {
    uint64_t size;
    const trawl_qgram_header *header = trawl_db_section(db, TRAWL_SECTION_QGRAM_HEADER, 0, &size);
    if (header == NULL || size != sizeof *header || header->tiers == 0 ||
        header->tiers > TRAWL_QGRAM_MAX_TIERS) {
        return damaged(error, "header is damaged");
    }
    trawl_status status = TRAWL_OK;
    for (uint32_t part = 0; status == TRAWL_OK && part < header->tiers; part++) {
        status = validate_tier(db, part, &header->tier[part], error);
    }
    return status;
}

static const trawl_kernel_description kernels[] = {
    {"filter", "sampled q-grams in shared memory, then exact verification: one walk", "trawl"},
    {"packed", "at most 4 letters, patterns of up to 8: windows of packed letters in shared memory",
     "trawl"},
    {NULL, NULL, NULL},
};

const trawl_engine trawl_engine_qgram = {
    .description = {.name = "qgram",
                    .summary = "filters by q-grams sampled at a stride, then exact verification",
                    .source = "trawl",
                    .variants = variants,
                    .variant_summaries = variant_summaries},
    .plan = plan,
    .fill = fill,
    .release = release,
    .validate = validate,
    .walker = &trawl_walker_qgram,
    .kernels = kernels,
};
