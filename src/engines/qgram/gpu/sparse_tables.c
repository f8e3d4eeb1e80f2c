/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/sparse_tables.h"

#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "constants/gpu.h"
#include "engines/qgram/gpu/samples.h"
#include "engines/qgram/sparse/trial.h"
#include "pattern/distinct.h"

/* ------------------------------------------------------------------ prices */

/* Bytes of heads and entries for each anchor. */
#define BUCKET_BYTES (8 + 4.0 / TRAWL_SPARSE_ENTRIES_PER_BUCKET)

/* The share of look-ups in a table that miss the L2 cache. */
static double miss_share(double bytes, const trawl_cuda_properties *device) {
    return fmax(0, 1 - TRAWL_GPU_SPARSE_CACHE_SHARE * (double)device->cache_bytes / bytes);
}

/* Prices a stride and a size of the filter, for `patterns` patterns of `length` bytes on average. A
 * candidate looks up its bucket: two heads, and entries, of which either may miss the L2 cache. */
static void price(trawl_cuda_sparse_layout *self, const trawl_cuda_properties *device,
                  double patterns, double length, trawl_sparse_rates rates) {
    const double stride = self->tier.stride, words = ldexp(1, (int)self->tier.row_bits);
    const double anchors = patterns * stride, buckets = BUCKET_BYTES * anchors;
    const double missed = TRAWL_GPU_SPARSE_MISS * miss_share(buckets, device);
    self->candidates = fmin(1, rates.hits + trawl_sparse_pass_by_chance(anchors / words));
    const double sample = TRAWL_GPU_SPARSE_SAMPLE +
                          TRAWL_GPU_SPARSE_MISS * miss_share(4 * words, device) +
                          self->candidates * (3 * TRAWL_GPU_LOOK_UP + 2 * missed) +
                          rates.entries * (TRAWL_GPU_BUCKET_KEY + TRAWL_GPU_KEY_BYTE * length) +
                          rates.marked * TRAWL_GPU_LOOK_UP;
    self->price = TRAWL_GPU_SPARSE_TEXT + sample / stride;
    self->bytes = (uint64_t)(4 * words + buckets);
}

/* ------------------------------------------------------------------ the choice */

/* Whether a layout is better. Where many samples meet anchors, patterns and text have much in
 * common, and how many patterns share an anchor cannot be told from a trial of some of them. */
static bool is_better(const trawl_cuda_sparse_layout *offered,
                      const trawl_cuda_sparse_layout *best) {
    return offered->is_dense != best->is_dense ? best->is_dense : offered->price < best->price;
}

/* Tries all sizes of the filter at a stride: half, once and twice the bits. */
static void try_sizes(const trawl_patterns *patterns, const trawl_cuda_properties *device,
                      uint32_t stride, trawl_sparse_rates rates, trawl_cuda_sparse_layout *best) {
    const double count = (double)patterns->count;
    const double length = (double)trawl_patterns_bytes(patterns) / count;
    for (int size = -1; size <= 1; size++) {
        trawl_cuda_sparse_layout offered = *best;
        offered.is_dense = rates.hits > TRAWL_GPU_SPARSE_MOST_HITS;
        offered.tier.stride = stride;
        offered.tier.window = stride + TRAWL_SPARSE_GRAM - 1;
        offered.tier.row_bits =
            trawl_sparse_row_bits(count * stride, ldexp(TRAWL_SPARSE_BITS_PER_ANCHOR, size));
        price(&offered, device, count, length, rates);
        if (is_better(&offered, best) && offered.bytes <= TRAWL_SPARSE_MAX_BYTES) {
            *best = offered;
        }
    }
}

/* Tries the longest stride, half of it, and so on. */
static trawl_status try_strides(const trawl_patterns *patterns, const uint8_t *sample,
                                size_t length, const trawl_cuda_properties *device,
                                trawl_cuda_sparse_layout *layout, trawl_error *error) {
    const bool is_known = sample != NULL && length >= TRAWL_CUDA_QGRAM_LEAST_SAMPLE;
    trawl_qgram_survey survey = {.patterns = NULL};
    trawl_sparse_trial trial = {.survey = NULL};
    trawl_status status = TRAWL_OK;
    if (is_known) {
        status = trawl_survey_open(&survey, patterns, sample, length, error);
        if (status == TRAWL_OK) {
            status = trawl_sparse_trial_open(&trial, &survey, error);
        }
    }
    uint32_t most = trawl_sparse_longest_stride((uint32_t)patterns->min_length);
    for (; status == TRAWL_OK && most >= TRAWL_CUDA_SPARSE_LEAST_STRIDE; most /= 2) {
        const uint32_t stride = most / TRAWL_SPARSE_GRAM * TRAWL_SPARSE_GRAM;
        trawl_sparse_rates rates = {0, 0, 0};
        if (is_known) {
            rates = trawl_sparse_trial_measure(&trial, (double)patterns->count, stride);
        }
        try_sizes(patterns, device, stride, rates, layout);
    }
    if (is_known) {
        trawl_sparse_trial_close(&trial);
        trawl_survey_close(&survey);
    }
    return status;
}

trawl_status trawl_cuda_sparse_choose(const trawl_patterns *patterns, const uint8_t *sample,
                                      size_t length, const trawl_cuda_properties *device,
                                      trawl_cuda_sparse_layout *layout, trawl_error *obstacle,
                                      trawl_error *error) {
    *layout = (trawl_cuda_sparse_layout){
        .tier = {.kind = TRAWL_TIER_SPARSE,
                 .min_length = (uint32_t)patterns->min_length,
                 .max_length = (uint32_t)patterns->max_length,
                 .gram = TRAWL_SPARSE_GRAM,
                 .folded = patterns->case_insensitive != 0},
        .look_up = {.place = TRAWL_CUDA_QGRAM_GLOBAL,
                    .min_length = (uint32_t)patterns->min_length,
                    .max_length = (uint32_t)patterns->max_length,
                    .stride = 1,
                    .gram = TRAWL_SPARSE_GRAM,
                    .anchors = 1,
                    .folded = patterns->case_insensitive != 0},
        .is_dense = true,
        .price = INFINITY,
    };
    if (patterns->count == 0 || patterns->min_length < TRAWL_CUDA_SPARSE_LEAST_LENGTH) {
        (void)trawl_fail(obstacle, TRAWL_ERROR_LIMIT,
                         "patterns have %llu bytes and more, it takes %u and more",
                         (unsigned long long)(patterns->count == 0 ? 0 : patterns->min_length),
                         TRAWL_CUDA_SPARSE_LEAST_LENGTH);
        return TRAWL_OK;
    }
    trawl_patterns *distinct;
    trawl_status status = trawl_patterns_distinct(patterns, &distinct, error);
    if (status == TRAWL_OK) {
        status = try_strides(distinct != NULL ? distinct : patterns, sample, length, device, layout,
                             error);
    }
    trawl_patterns_free(distinct);
    if (status == TRAWL_OK && layout->tier.stride == 0) {
        (void)trawl_fail(
            obstacle, TRAWL_ERROR_LIMIT,
            "too many of its samples are in patterns, or its tables would have more than "
            "%llu MB",
            (unsigned long long)(TRAWL_SPARSE_MAX_BYTES / 1000000));
    }
    return status;
}

/* ------------------------------------------------------------------ tables */

static trawl_status allocate_tables(trawl_cuda_sparse_layout *layout, trawl_error *error) {
    const trawl_qgram_tier *tier = &layout->tier;
    trawl_sparse_tables *tables = &layout->tables;
    const size_t heads = ((size_t)1 << tier->suffix_filter_bits) + 2;
    tables->filter = trawl_allocate((size_t)1 << tier->row_bits, sizeof *tables->filter);
    tables->heads = trawl_allocate(heads, sizeof *tables->heads);
    tables->entries = trawl_allocate(layout->made.header.entries, sizeof *tables->entries);
    bool allocated = tables->filter != NULL && tables->heads != NULL && tables->entries != NULL;
    return allocated ? TRAWL_OK
                     : trawl_fail_memory(error, "q-gram tables for a device",
                                         (sizeof *tables->filter << tier->row_bits) +
                                             heads * sizeof *tables->heads +
                                             layout->made.header.entries * sizeof *tables->entries);
}

trawl_status trawl_cuda_sparse_layout_make(const trawl_patterns *patterns, const uint8_t *sample,
                                           size_t length, trawl_cuda_sparse_layout *layout,
                                           trawl_error *error) {
    trawl_patterns reversed = {0};
    trawl_status status = trawl_endings_reverse(patterns, &reversed, error);
    if (status == TRAWL_OK) {
        status = trawl_cuda_qgram_keys_make(patterns, &reversed, NULL, &layout->look_up,
                                            &layout->arrays, error);
    }
    trawl_release(reversed.bytes);
    if (status == TRAWL_OK) {
        status = trawl_cuda_qgram_hash_make(&layout->look_up, &layout->arrays, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_sparse_make(&layout->tier, &layout->arrays.keys, sample,
                                   sample == NULL ? 0 : length, &layout->made, error);
    }
    if (status == TRAWL_OK) {
        layout->look_up.crowded = layout->made.header.crowded != 0;
        status = allocate_tables(layout, error);
    }
    if (status == TRAWL_OK) {
        trawl_sparse_write(&layout->tier, &layout->arrays.keys, &layout->made, &layout->tables);
    }
    return status;
}

void trawl_cuda_sparse_layout_release(trawl_cuda_sparse_layout *layout) {
    trawl_cuda_qgram_arrays_release(&layout->arrays);
    trawl_sparse_release(&layout->made);
    trawl_release(layout->tables.filter);
    trawl_release(layout->tables.heads);
    trawl_release(layout->tables.entries);
    memset(layout, 0, sizeof *layout);
}

bool trawl_cuda_sparse_pays(const trawl_cuda_sparse_layout *layout, double filter_price) {
    return !layout->is_dense && layout->price < filter_price;
}
