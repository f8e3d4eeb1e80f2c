/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/frequent_patterns.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "constants/gpu.h"
#include "engines/qgram/gpu/anchor_offsets.h"
#include "engines/qgram/gpu/anchor_trials.h"

/* More entries than the text has samples, so that a free one ends every search. */
#define INDEX_BITS 18u
#define INDEX_SIZE (1u << INDEX_BITS)
_Static_assert(INDEX_SIZE > TRAWL_GPU_ANCHOR_TEXT_BYTES, "a free place ends every search");

/* A sample of the text that may be frequent. */
typedef struct text_sample {
    uint64_t hash;
    uint32_t count;
    uint16_t end_offsets; /* bit i: a pattern with the sample ends i bytes behind it */
} text_sample;

typedef struct frequent_samples {
    trawl_cuda_qgram_counts counts; /* by which anchor offsets are chosen */
    uint32_t least;                 /* occurrences in the text from which on a sample is frequent */
    uint32_t used;
    uint32_t index[INDEX_SIZE]; /* open addressing: 1 + the number of a sample; 0: free */
    text_sample samples[TRAWL_GPU_ANCHOR_TEXT_BYTES];
} frequent_samples;

/* The index entry of a sample, or the free entry where it would be. */
static uint32_t *find(frequent_samples *samples, uint64_t hash) {
    size_t place = (size_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> (64 - INDEX_BITS));
    while (samples->index[place] != 0 && samples->samples[samples->index[place] - 1].hash != hash) {
        place = (place + 1) % INDEX_SIZE;
    }
    return &samples->index[place];
}

/* False for most rare samples: by a count that several samples share. */
static bool may_be_frequent(const frequent_samples *samples, uint64_t hash) {
    return samples->counts.each[trawl_cuda_qgram_count_slot(hash)] >= samples->least;
}

static void read_text(const trawl_cuda_qgram_tier *tier, const trawl_cuda_qgram_layout *layout,
                      frequent_samples *samples) {
    memset(samples->index, 0, sizeof samples->index);
    samples->used = 0;
    trawl_cuda_qgram_count(tier, layout->anchor_text, layout->anchor_text_length, &samples->counts);
    for (size_t end = TRAWL_CUDA_QGRAM_MOST_GRAM; end <= layout->anchor_text_length; end++) {
        uint64_t hash = trawl_cuda_qgram_hash_before(tier, layout->anchor_text + end);
        if (may_be_frequent(samples, hash)) {
            uint32_t *number = find(samples, hash);
            if (*number == 0) {
                samples->samples[samples->used] = (text_sample){.hash = hash};
                *number = ++samples->used;
            }
            samples->samples[*number - 1].count++;
        }
    }
}

/* Notes the end offsets at which a pattern has frequent samples. Returns false if it has none. */
static bool note_samples(const trawl_patterns *patterns, size_t id,
                         const trawl_cuda_qgram_tier *tier, frequent_samples *samples) {
    uint64_t hashes[TRAWL_CUDA_QGRAM_ANCHOR_SLACK];
    uint32_t sums[TRAWL_CUDA_QGRAM_ANCHOR_SLACK + 1];
    uint32_t offsets = trawl_cuda_qgram_offsets(tier, trawl_pattern_length(patterns, id));
    trawl_cuda_qgram_hash_pattern(tier, patterns, id, offsets, hashes);
    trawl_cuda_qgram_sum(&samples->counts, hashes, offsets, sums);
    uint32_t anchor = trawl_cuda_qgram_rarest(sums, offsets, tier->stride);
    bool frequent = false;
    for (uint32_t i = anchor; i < anchor + tier->stride; i++) {
        uint32_t number = may_be_frequent(samples, hashes[i]) ? *find(samples, hashes[i]) : 0;
        if (number != 0 && samples->samples[number - 1].count >= samples->least) {
            frequent = true;
            samples->samples[number - 1].end_offsets |= (uint16_t)(1u << i);
        }
    }
    return frequent;
}

/* The sum over all positions of the ends that a frequent sample leads to, beyond the number that
 * the price of a candidate includes. */
static double ends_beyond(const frequent_samples *samples) {
    double ends = 0;
    for (uint32_t i = 0; i < samples->used; i++) {
        const text_sample *sample = &samples->samples[i];
        double more = __builtin_popcount(sample->end_offsets) - TRAWL_GPU_ENDS_PER_CANDIDATE;
        ends += more > 0 ? sample->count * more : 0;
    }
    return ends;
}

/* Marks the patterns of a tier of free anchors that have found no rare anchor. */
static trawl_status mark_anchors(const trawl_patterns *patterns,
                                 const trawl_cuda_qgram_layout *layout,
                                 const trawl_cuda_qgram_tier *tier, uint32_t least, uint8_t *marks,
                                 trawl_error *error) {
    trawl_cuda_anchor_trials trials;
    const uint8_t *text = layout->anchor_text;
    trawl_status status = trawl_cuda_anchor_trials_open(
        &trials, tier->filter_words, text, layout->anchor_text_length, tier->folded != 0, error);
    if (status == TRAWL_OK) {
        trawl_cuda_anchor_trials_begin(&trials, tier, text, layout->anchor_text_length);
        for (size_t id = 0; id < patterns->count; id++) {
            uint32_t length = trawl_pattern_length(patterns, id);
            if (length >= tier->min_length && length <= tier->max_length && marks[id] == 0 &&
                trawl_cuda_anchor_trials_choose(&trials, patterns, (uint32_t)id) >= least) {
                marks[id] = TRAWL_CUDA_QGRAM_FREQUENT;
            }
        }
    }
    trawl_cuda_anchor_trials_close(&trials);
    return status;
}

trawl_status trawl_cuda_qgram_frequent(const trawl_patterns *patterns,
                                       const trawl_cuda_qgram_layout *layout, uint8_t *marks,
                                       double *surplus, trawl_error *error) {
    frequent_samples *samples = trawl_allocate(1, sizeof *samples);
    if (samples == NULL) {
        return trawl_fail_memory(error, "choosing tiers", sizeof *samples);
    }
    const double positions = (double)layout->anchor_text_length;
    samples->least = (uint32_t)(layout->anchor_text_length / TRAWL_GPU_FREQUENT_POSITIONS) + 1;
    *surplus = 0;
    trawl_status status = TRAWL_OK;
    for (uint32_t i = 0; status == TRAWL_OK && i < layout->filter_tiers; i++) {
        const trawl_cuda_qgram_tier *tier = &layout->tier[i];
        if (tier->anchors != 0) {
            status = mark_anchors(patterns, layout, tier, samples->least, marks, error);
        }
        if (tier->place == TRAWL_CUDA_QGRAM_DIRECT || tier->anchors != 0) {
            continue;
        }
        read_text(tier, layout, samples);
        for (size_t id = 0; id < patterns->count; id++) {
            uint32_t length = trawl_pattern_length(patterns, id);
            if (length >= tier->min_length && length <= tier->max_length && marks[id] == 0 &&
                note_samples(patterns, id, tier, samples)) {
                marks[id] = TRAWL_CUDA_QGRAM_FREQUENT;
            }
        }
        *surplus += ends_beyond(samples) / (positions * tier->stride) * TRAWL_GPU_KEY_HIT;
    }
    trawl_release(samples);
    return status;
}
