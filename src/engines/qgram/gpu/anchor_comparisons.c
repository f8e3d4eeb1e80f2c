/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/anchor_comparisons.h"

#include <math.h>

#include "base/fold.h"
#include "constants/gpu.h"

#define WARP 32.0

static bool equal(bool folded, const uint8_t *left, const uint8_t *right, size_t length) {
    return folded ? trawl_equal_folded(left, right, length) : memcmp(left, right, length) == 0;
}

/* Whether an equal value does not decide, so that a key is compared whole. */
static bool compares_whole(bool folded, uint32_t length) {
    return folded || length > 8;
}

static void enter(trawl_cuda_comparisons *self, double keys, uint32_t bytes) {
    uint32_t place = 0;
    while (place + 1 < TRAWL_CUDA_COMPARISON_CLASSES &&
           (uint64_t)TRAWL_GPU_COMPARED_TOGETHER << place < bytes) {
        place++;
    }
    self->keys[place] += keys;
    self->bytes[place] += keys * bytes;
}

void trawl_cuda_comparisons_begin(trawl_cuda_comparisons *self, bool folded,
                                  const trawl_cuda_anchor_set *set) {
    *self = (trawl_cuda_comparisons){.anchors = 1};
    for (uint32_t i = 0; i < set->count; i++) {
        const uint32_t length = trawl_pattern_length(set->patterns, set->ids[set->order[i]]);
        if (compares_whole(folded, length)) {
            enter(self, 1.0 / set->count, length);
        }
    }
}

/* The bytes that are compared until key and text differ. */
static uint32_t count_bytes(bool folded, const uint8_t *key, const uint8_t *text, uint32_t length) {
    for (uint32_t at = 0;;) {
        const uint32_t left = length - at;
        const uint32_t step =
            left < TRAWL_GPU_COMPARED_TOGETHER ? left : TRAWL_GPU_COMPARED_TOGETHER;
        const bool differs = !equal(folded, key + at, text + at, step);
        at += step;
        if (differs || at == length) {
            return at;
        }
    }
}

void trawl_cuda_comparisons_add(trawl_cuda_comparisons *self, bool folded, uint32_t gram,
                                const trawl_cuda_anchor_set *set, const trawl_cuda_anchor_tag *tag,
                                size_t anchor) {
    const uint32_t length = trawl_pattern_length(set->patterns, tag->pattern);
    const uint32_t before = length - tag->distance;
    if (self->compared >= TRAWL_GPU_TRIAL_COMPARED || tag->distance == 0 || anchor < before ||
        anchor - before + length > set->validates) {
        return;
    }
    const uint8_t *key = trawl_pattern_bytes(set->patterns, tag->pattern);
    const uint8_t *text = set->text + set->chooses + anchor - before;
    if (!equal(folded, key + before, text + before, gram)) {
        return; /* another anchor with this tag */
    }
    self->anchors++;
    const uint32_t from = length > 8 ? trawl_anchors_value_distance(tag->distance, length) : length;
    if (compares_whole(folded, length) &&
        equal(folded, key + length - from, text + length - from, length > 8 ? 8 : length)) {
        const uint32_t bytes = count_bytes(folded, key, text, length);
        enter(self, 1, bytes);
        self->compared += bytes;
    }
}

static double sum_of_keys(const trawl_cuda_comparisons *self) {
    double sum = 0;
    for (uint32_t place = 0; place < TRAWL_CUDA_COMPARISON_CLASSES; place++) {
        sum += self->keys[place];
    }
    return sum;
}

double trawl_cuda_comparisons_share(const trawl_cuda_comparisons *self) {
    return sum_of_keys(self) / self->anchors;
}

/* The expected maximum of a warp's comparisons. */
double trawl_cuda_comparisons_bytes(const trawl_cuda_comparisons *self) {
    const double all = sum_of_keys(self);
    double up_to = 0, before = 0, expected = 0;
    for (uint32_t place = 0; place < TRAWL_CUDA_COMPARISON_CLASSES; place++) {
        if (self->keys[place] > 0) {
            up_to += self->keys[place];
            const double is_longest = pow(up_to / all, WARP);
            expected += (is_longest - before) * self->bytes[place] / self->keys[place];
            before = is_longest;
        }
    }
    return expected;
}
