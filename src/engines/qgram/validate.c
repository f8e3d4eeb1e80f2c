/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/validate.h"

#include "base/status.h"
#include "engines/qgram/anchors/build.h"
#include "engines/qgram/bloom/fields.h"
#include "engines/qgram/look_up_word.h"
#include "engines/qgram/packed/format.h"
#include "engines/qgram/registers/format.h"
#include "engines/qgram/sparse/build.h"
#include "engines/qgram/teddy/format.h"
#include "engines/qgram/verify/prefix_signatures.h"
#include "engines/qgram/verify/runs.h"

uint64_t trawl_qgram_filter_words(const trawl_qgram_tier *tier) {
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

static trawl_status damaged(trawl_error *error, const char *what) {
    return trawl_fail(error, TRAWL_ERROR_FORMAT, "the database's qgram %s", what);
}

/* Whether the tier's numbers are in the ranges that walkers rely on. */
static bool tier_is_valid(const trawl_qgram_tier *tier) {
    bool valid = tier->kind < TRAWL_TIER_KINDS && tier->folded <= 1 &&
                 tier->fold_all <= tier->folded && tier->window != 0 &&
                 trawl_qgram_fields_are_valid(tier) && tier->min_length <= tier->max_length &&
                 tier->window <= tier->min_length && tier->max_length <= TRAWL_PATTERN_MAX_LENGTH;
    if (valid && tier->kind == TRAWL_TIER_PACKED) {
        return true; /* the rest: trawl_packed_validate */
    }
    if (valid && tier->kind == TRAWL_TIER_DIRECT) {
        return tier->max_length <= 2 && tier->gram == 2 && tier->stride == 1;
    }
    if (tier->kind == TRAWL_TIER_ANCHORS) {
        valid = valid && tier->gram <= TRAWL_ANCHORS_MAX_GRAM &&
                tier->stride <= TRAWL_ANCHORS_MAX_STRIDE && tier->row_bits != 0 &&
                tier->row_bits <= TRAWL_QGRAM_MAX_ROW_BITS;
    } else if (tier->kind == TRAWL_TIER_SPARSE) {
        valid = valid && tier->gram == TRAWL_SPARSE_GRAM &&
                tier->stride == tier->window - tier->gram + 1 &&
                tier->row_bits >= TRAWL_SPARSE_MIN_ROW_BITS &&
                tier->row_bits <= TRAWL_QGRAM_MAX_ROW_BITS;
    } else if (tier->kind == TRAWL_TIER_TEDDY) {
        valid = valid && tier->gram == 1 && tier->stride == 1;
    } else if (tier->kind == TRAWL_TIER_REGISTERS) {
        valid = valid && tier->gram <= TRAWL_REGISTER_BLOOM_BYTES && tier->stride == 1;
    } else {
        valid = valid && tier->row_bits != 0 && tier->row_bits <= TRAWL_QGRAM_MAX_ROW_BITS &&
                tier->end_offsets_bits != 0 && tier->end_offsets_bits <= TRAWL_QGRAM_MAX_ROW_BITS;
    }
    uint32_t most_stride =
        tier->kind == TRAWL_TIER_SPARSE ? TRAWL_SPARSE_MAX_STRIDE : TRAWL_QGRAM_MAX_STRIDE;
    return valid && tier->gram != 0 && tier->gram <= TRAWL_QGRAM_MAX_GRAM &&
           tier->gram <= tier->window && tier->stride != 0 && tier->stride <= most_stride &&
           tier->stride <= tier->window - tier->gram + 1 && tier->suffix_filter_bits != 0 &&
           tier->suffix_filter_bits <= TRAWL_QGRAM_MAX_ROW_BITS &&
           tier->look_up_bytes == trawl_qgram_tier_look_up_bytes(tier);
}

static trawl_status validate_pairs(const trawl_db *db, uint32_t part, trawl_error *error) {
    trawl_status status = trawl_outputs_validate(db, part, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uint64_t size;
    const uint32_t *pairs = trawl_db_section(db, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part, &size);
    if (size != TRAWL_QGRAM_PAIRS * sizeof *pairs + sizeof(trawl_teddy)) {
        return damaged(error, "table of pairs has another size than it must");
    }
    const trawl_teddy *filter = (const void *)(pairs + TRAWL_QGRAM_PAIRS);
    if (filter->probes != 0 && !trawl_teddy_is_valid(filter, sizeof *filter, 2)) {
        return damaged(error, "filter is damaged");
    }
    trawl_outputs outputs;
    trawl_outputs_view(db, part, &outputs);
    for (uint32_t pair = 0; pair < TRAWL_QGRAM_PAIRS; pair++) {
        if (pairs[pair] > outputs.keys) {
            return damaged(error, "table of pairs has an entry out of range");
        }
    }
    return TRAWL_OK;
}

/* Whether the end offsets name only ends and suffixes that the tier has. */
static bool end_offsets_are_valid(const trawl_qgram_tier *tier, const uint32_t *end_offsets,
                                  uint64_t size) {
    if (size != sizeof *end_offsets << tier->end_offsets_bits) {
        return false;
    }
    uint32_t steps = (tier->stride - 1) / trawl_end_offsets_step_bytes(tier->stride) + 1;
    uint32_t suffixes = trawl_qgram_suffixes_of(tier).count;
    uint32_t possible = ((1u << steps) - 1) | ((1u << suffixes) - 1) << TRAWL_END_OFFSETS_STEPS;
    uint32_t all = 0;
    for (size_t i = 0; i < (size_t)1 << tier->end_offsets_bits; i++) {
        all |= end_offsets[i];
    }
    return (all & ~possible) == 0;
}

/* The number of crowded buckets of a tier of free anchors or a sparse one; *has_header: whether its
 * section of buckets has a header. */
static uint32_t count_crowded(const trawl_db *db, uint32_t part, const trawl_qgram_tier *tier,
                              bool *has_header) {
    uint64_t size;
    const void *header = trawl_db_section(db, TRAWL_SECTION_QGRAM_BUCKETS, part, &size);
    *has_header = header != NULL && size >= sizeof(trawl_anchors_header) &&
                  size >= sizeof(trawl_sparse_header);
    return !*has_header                      ? 0
           : tier->kind == TRAWL_TIER_SPARSE ? ((const trawl_sparse_header *)header)->crowded
                                             : ((const trawl_anchors_header *)header)->crowded;
}

/* Tiers of free anchors and sparse ones have a table of endings only for crowded buckets. */
static trawl_status validate_buckets(const trawl_db *db, uint32_t part,
                                     const trawl_qgram_tier *tier, trawl_error *error) {
    uint64_t filter_size, heads_size, ranges_size;
    bool has_header;
    uint32_t crowded = count_crowded(db, part, tier, &has_header);
    (void)trawl_db_section(db, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part, &filter_size);
    const uint32_t *heads = trawl_db_section(db, TRAWL_SECTION_QGRAM_HASH, part, &heads_size);
    const trawl_ending_range *ranges =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_RANGES, part, &ranges_size);
    if (filter_size != 4 * trawl_qgram_filter_words(tier) || !has_header ||
        (crowded != 0) != (tier->hash_bits != 0)) {
        return damaged(error, "tables have inconsistent sizes");
    }
    trawl_status status =
        tier->hash_bits != 0
            ? trawl_endings_validate(db, part, tier->look_up_bytes, tier->hash_bits, heads,
                                     heads_size, ranges, ranges_size, error)
            : trawl_outputs_validate(db, part, error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_outputs outputs;
    trawl_outputs_view(db, part, &outputs);
    bool can_be_compared = tier->hash_bits != 0 || /* trawl_endings_validate has seen to it */
                           trawl_endings_can_be_compared(&outputs, tier->look_up_bytes);
    bool valid = can_be_compared && (tier->kind == TRAWL_TIER_SPARSE
                                         ? trawl_sparse_is_valid(db, part, tier, outputs.keys)
                                         : trawl_anchors_are_valid(db, part, tier, outputs.keys));
    return valid ? TRAWL_OK : damaged(error, "buckets are damaged");
}

static trawl_status validate_tier(const trawl_db *db, uint32_t part, const trawl_qgram_tier *tier,
                                  trawl_error *error) {
    if (!tier_is_valid(tier)) {
        return damaged(error, "tier is damaged");
    }
    if (tier->kind == TRAWL_TIER_DIRECT) {
        return validate_pairs(db, part, error);
    }
    if (tier->kind == TRAWL_TIER_PACKED) {
        return trawl_packed_validate(db, part, tier, error);
    }
    if (tier->kind == TRAWL_TIER_ANCHORS || tier->kind == TRAWL_TIER_SPARSE) {
        return validate_buckets(db, part, tier, error);
    }
    uint64_t filter_size, suffix_filter_size, heads_size, ranges_size, runs_size, end_offsets_size;
    (void)trawl_db_section(db, TRAWL_SECTION_QGRAM_RUNS, part, &runs_size);
    const uint32_t *end_offsets =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_END_OFFSETS, part, &end_offsets_size);
    const void *filter =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part, &filter_size);
    (void)trawl_db_section(db, TRAWL_SECTION_QGRAM_SUFFIX_FILTER, part, &suffix_filter_size);
    const uint32_t *heads = trawl_db_section(db, TRAWL_SECTION_QGRAM_HASH, part, &heads_size);
    const trawl_ending_range *ranges =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_RANGES, part, &ranges_size);
    if (filter_size != 4 * trawl_qgram_filter_words(tier) ||
        suffix_filter_size != UINT64_C(4) << tier->suffix_filter_bits ||
        runs_size != TRAWL_QGRAM_RUN_WORDS * sizeof(uint64_t)) {
        return damaged(error, "tables have inconsistent sizes");
    }
    if (trawl_qgram_has_prefix_signatures(tier) &&
        !trawl_prefix_signatures_are_valid(db, part, tier)) {
        return damaged(error, "prefix signatures have another size than they must");
    }
    if (tier->kind == TRAWL_TIER_BLOOM &&
        !end_offsets_are_valid(tier, end_offsets, end_offsets_size)) {
        return damaged(error, "end offsets are damaged");
    }
    if (tier->kind == TRAWL_TIER_TEDDY &&
        !trawl_teddy_is_valid(filter, filter_size, TRAWL_TEDDY_SUFFIX)) {
        return damaged(error, "filter is damaged");
    }
    if (tier->kind == TRAWL_TIER_REGISTERS &&
        !trawl_register_bloom_is_valid(filter, filter_size, tier->folded != 0)) {
        return damaged(error, "filter is damaged");
    }
    return trawl_endings_validate(db, part, tier->look_up_bytes, tier->hash_bits, heads, heads_size,
                                  ranges, ranges_size, error);
}

trawl_status trawl_qgram_validate(const trawl_db *db, trawl_error *error) {
    uint64_t size;
    const trawl_qgram_header *header = trawl_db_section(db, TRAWL_SECTION_QGRAM_HEADER, 0, &size);
    if (header == NULL || size != sizeof *header || header->tiers == 0 ||
        header->tiers > TRAWL_QGRAM_MAX_TIERS || header->tiers != db->header->parts) {
        return damaged(error, "header is damaged");
    }
    trawl_status status = TRAWL_OK;
    for (uint32_t part = 0; status == TRAWL_OK && part < header->tiers; part++) {
        status = validate_tier(db, part, &header->tier[part], error);
    }
    return status;
}
