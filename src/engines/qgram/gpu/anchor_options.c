/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Tiers of free anchors as options of a division. */
#include "engines/qgram/gpu/anchor_trials.h"
#include "engines/qgram/gpu/division.h"

/* The samples of tiers of free anchors: freedom is worth more than length, so they are short. */
static const struct {
    uint32_t stride, gram;
    bool cores; /* trawl_cuda_qgram_core_word */
} anchor_shapes[TRAWL_CUDA_DIVISION_ANCHOR_SHAPES] = {
    {1, 3, false}, {1, 4, true},  {1, 4, false}, {1, 5, false}, {1, 6, false},
    {2, 3, false}, {2, 4, false}, {2, 6, false}, {4, 3, false}, {4, 4, false},
    {4, 5, false}, {4, 8, false}, {8, 5, false}, {8, 8, false}};
static trawl_cuda_anchor_set anchor_set(const trawl_cuda_division *self, size_t from) {
    const trawl_cuda_qgram_samples *samples = self->samples;
    return (trawl_cuda_anchor_set){
        .patterns = samples->patterns,
        .order = self->order + self->begin[from],
        .ids = samples->order,
        .count = self->begin[self->groups] - self->begin[from],
        .text = samples->text,
        .chooses = samples->anchor_length,
        .validates = samples->validation_length,
    };
}

/* Sets the shares of an option by a trial of at most `most` anchors. */
static void set_rates(trawl_cuda_qgram_option *option, const trawl_cuda_anchor_rates *rates,
                      uint64_t most) {
    option->samples = rates->anchors;
    option->true_rate = rates->rate;
    option->compared = rates->compared;
    option->bytes = rates->bytes;
    option->further = rates->further;
    option->crowded = rates->crowded;
    option->general = rates->general;
    option->chance = rates->chance;
    option->tried = rates->partial ? most : 0;
}

/* Tries a tier of free anchors with samples of a shape for all groups from `from` on. */
static void try_shape(trawl_cuda_division *self, trawl_cuda_anchor_trials *trials, size_t from,
                      size_t shape, bool folded) {
    const uint32_t stride = anchor_shapes[shape].stride, gram = anchor_shapes[shape].gram;
    const bool cores = anchor_shapes[shape].cores;
    const uint32_t shortest = self->least_length[from];
    if (gram + stride - 1 > shortest || (gram == 3 && stride == 1 && shortest > 3)) {
        return;
    }
    const trawl_cuda_anchor_set set = anchor_set(self, from);
    const trawl_cuda_qgram_tier tier = {.place = TRAWL_CUDA_QGRAM_SHARED,
                                        .min_length = shortest,
                                        .stride = stride,
                                        .gram = gram,
                                        .filter_words = self->words / 4 * 4,
                                        .filter_bits = cores ? 1 : TRAWL_CUDA_DIVISION_TRIAL_BITS,
                                        .folded = folded,
                                        .anchors = 1,
                                        .cores = cores};
    uint64_t most = cores ? TRAWL_GPU_TRIAL_CORES : TRAWL_GPU_TRIAL_ANCHORS;
    trawl_cuda_anchor_rates rates = trawl_cuda_anchor_trials_try(trials, &tier, &set, most);
    trawl_cuda_qgram_option option = {.tier = tier,
                                      .length =
                                          trawl_cuda_division_length(self, from, self->groups),
                                      .bucket = self->bucket};
    set_rates(&option, &rates, most);
    trawl_cuda_division_add(self, &self->options_of[from][self->groups], option);
    if (stride == 1 && !cores) {
        option.tier.filter_bits = 1;
        trawl_cuda_division_add(self, &self->options_of[from][self->groups], option);
    }
}

static trawl_status try_anchors(trawl_cuda_division *self, bool folded, trawl_error *error) {
    const trawl_cuda_qgram_samples *samples = self->samples;
    trawl_cuda_anchor_trials trials;
    trawl_status status = trawl_cuda_anchor_trials_open(&trials, self->words, samples->text,
                                                        samples->anchor_length, folded, error);
    /* All trials of a shape follow each other, as they count the same samples of the text. */
    for (size_t shape = 0; status == TRAWL_OK && shape < TRAWL_CUDA_DIVISION_ANCHOR_SHAPES;
         shape++) {
        bool any_folded = false;
        for (size_t from = self->groups; from-- > 0;) {
            any_folded |= self->folded[from];
            bool begins = from == 0 || self->least_length[from] <= TRAWL_GPU_ANCHORS_LAST_BEGIN;
            if (begins && any_folded == folded) {
                try_shape(self, &trials, from, shape, folded);
            }
        }
    }
    trawl_cuda_anchor_trials_close(&trials);
    return status;
}

trawl_status trawl_cuda_division_try_anchors(trawl_cuda_division *self, trawl_error *error) {
    trawl_status status = try_anchors(self, false, error);
    return status == TRAWL_OK ? try_anchors(self, true, error) : status;
}

static bool same_samples(const trawl_cuda_qgram_tier *a, const trawl_cuda_qgram_tier *b) {
    return a->anchors == b->anchors && a->stride == b->stride && a->gram == b->gram &&
           a->cores == b->cores;
}

/* Tries the samples of an option again, with more anchors, and prices all options that have
 * them. */
static trawl_status try_more_anchors(trawl_cuda_division *self, size_t from,
                                     const trawl_cuda_qgram_option *option, trawl_error *error) {
    const trawl_cuda_qgram_samples *samples = self->samples;
    const trawl_cuda_anchor_set set = anchor_set(self, from);
    const uint64_t most = option->tried * TRAWL_GPU_TRIAL_RATIO;
    const trawl_cuda_qgram_tier tier = option->tier;
    trawl_cuda_options *kept = &self->options_of[from][self->groups];
    trawl_cuda_anchor_trials trials;
    trawl_status status = trawl_cuda_anchor_trials_open(
        &trials, self->words, samples->text, samples->anchor_length, tier.folded != 0, error);
    if (status == TRAWL_OK) {
        const trawl_cuda_options before = *kept;
        trawl_cuda_qgram_tier tried = tier;
        tried.filter_words = self->words / 4 * 4;
        trawl_cuda_anchor_rates rates = trawl_cuda_anchor_trials_try(&trials, &tried, &set, most);
        kept->count = 0;
        for (uint32_t i = 0; i < before.count; i++) {
            trawl_cuda_qgram_option again = before.each[i];
            if (same_samples(&again.tier, &tier)) {
                set_rates(&again, &rates, most);
            }
            trawl_cuda_division_add(self, kept, again);
        }
    }
    trawl_cuda_anchor_trials_close(&trials);
    return status;
}

/* The option of the best division's tier i if its shares are those of a part of the patterns; else
 * NULL. */
static const trawl_cuda_qgram_option *partly_tried(const trawl_cuda_division *self, uint32_t i) {
    const trawl_cuda_options *kept = &self->options_of[self->best_from[i]][self->best_from[i + 1]];
    for (uint32_t at = 0; at < kept->count; at++) {
        const trawl_cuda_qgram_option *option = &kept->each[at];
        if (option->tried != 0 && same_samples(&option->tier, &self->best[i])) {
            return option;
        }
    }
    return NULL;
}

trawl_status trawl_cuda_division_try_more_anchors(trawl_cuda_division *self, uint32_t i,
                                                  bool *again, trawl_error *error) {
    const trawl_cuda_qgram_option *option = partly_tried(self, i);
    if (option == NULL) {
        return TRAWL_OK;
    }
    *again = true;
    return try_more_anchors(self, self->best_from[i], option, error);
}
