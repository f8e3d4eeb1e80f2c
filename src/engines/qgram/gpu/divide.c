/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/divide.h"

#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "constants/gpu.h"
#include "engines/qgram/gpu/division.h"
#include "engines/qgram/gpu/fuse_filter.h"

#define LAST_BYTES ((size_t)TRAWL_CUDA_QGRAM_TRIAL_WORDS * 32)

/* The kinds of samples for which kernels are compiled (trawl_qgram_visit_shape in
 * cuda/sample_filter.cuh). */
static const struct {
    uint32_t stride, words;
} shapes[TRAWL_CUDA_DIVISION_SHAPES] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {4, 1},
                                        {4, 2}, {4, 3}, {8, 2}, {8, 3}, {16, 4}};

/* ------------------------------------------------------------------ groups of lengths */

/* Takes the patterns that are not in the automaton, and drops groups that are then empty. */
static trawl_status select_patterns(trawl_cuda_division *self, trawl_error *error) {
    const trawl_cuda_qgram_samples *samples = self->samples;
    const trawl_patterns *patterns = samples->patterns;
    const size_t all = samples->begin[samples->groups];
    self->order = trawl_allocate(all, sizeof *self->order);
    if (self->order == NULL) {
        return trawl_fail_memory(error, "dividing the patterns", all * sizeof *self->order);
    }
    uint32_t count = 0;
    for (uint32_t group = 0; group < samples->groups; group++) {
        uint32_t least = UINT32_MAX, most = 0;
        uint64_t bytes = 0;
        bool folded = false;
        const uint32_t before = count;
        for (uint32_t position = samples->begin[group]; position < samples->begin[group + 1];
             position++) {
            uint32_t id = samples->order[position], length = trawl_pattern_length(patterns, id);
            if (self->in_automaton != NULL && self->in_automaton[id] != 0) {
                continue;
            }
            self->order[count++] = position;
            bytes += length;
            least = length < least ? length : least;
            most = length > most ? length : most;
            folded |= (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
        }
        if (count != before) {
            self->least_length[self->groups] = least;
            self->most_length[self->groups] = most;
            self->folded[self->groups] = folded;
            self->bytes[self->groups + 1] = self->bytes[self->groups] + bytes;
            self->begin[++self->groups] = count;
        }
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ trying a kind of sample */

/* Samples are added to the trial filter group by group. One trial filter serves tiers that begin
 * with any group: instead of a bit it has a byte, the last group that has set the bit. For a tier
 * which begins with group b the bit is set if that group is b or a later one. Groups are numbered
 * from 1; 0 means that no group has set the bit.
 *
 * first_of and second_of return the bytes of the two bits of a sample's address. */
static uint8_t *first_of(uint8_t *last, uint32_t address) {
    return &last[trawl_cuda_qgram_address_word(address) * 32 +
                 trawl_cuda_qgram_address_first_bit(address)];
}
static uint8_t *second_of(uint8_t *last, uint32_t address) {
    return &last[trawl_cuda_qgram_address_word(address) * 32 +
                 trawl_cuda_qgram_address_second_bit(address)];
}

/* Adds a group. Increases samples[from], for each `from` up to this group, by the number of samples
 * that are new in a tier which begins with group `from`. */
static void add_group(const trawl_cuda_division *self, const trawl_cuda_qgram_tier *tier,
                      const trawl_cuda_qgram_kind *kind, size_t group, uint32_t *samples) {
    uint32_t room[TRAWL_CUDA_QGRAM_MOST_STRIDE];
    uint32_t seen[TRAWL_CUDA_QGRAM_LENGTH_GROUPS + 1] = {
        0}; /* samples by the last group that had them */
    uint8_t *last = self->last, now = (uint8_t)(group + 1);
    const uint32_t *order = self->order, end = self->begin[group + 1], stride = tier->stride;
    for (uint32_t i = self->begin[group]; i < end; i++) {
        const uint32_t *addresses =
            kind->addresses == NULL
                ? trawl_cuda_qgram_sample_addresses(self->samples, tier, order[i], room)
                : kind->addresses + (size_t)(order[i] - kind->from) * stride;
        for (uint32_t j = 0; j < stride; j++) {
            uint8_t *first = first_of(last, addresses[j]), *second = second_of(last, addresses[j]);
            seen[*first < *second ? *first : *second]++;
            *first = *second = now;
        }
    }
    uint32_t new = 0;
    for (size_t from = 0; from <= group; from++) {
        new += seen[from]; /* samples that no group from `from` on has had */
        samples[from] += new;
    }
}

/* Sets candidates[from] to the number of the text's samples that are candidates of a tier which
 * begins with group `from`. */
static void count_candidates(const trawl_cuda_division *self, const trawl_cuda_qgram_kind *kind,
                             size_t *candidates) {
    size_t seen[TRAWL_CUDA_QGRAM_LENGTH_GROUPS + 1] = {0}, sum = 0;
    for (size_t i = 0; i < kind->text_count; i++) {
        uint8_t first = *first_of(self->last, kind->text_addresses[i]);
        uint8_t second = *second_of(self->last, kind->text_addresses[i]);
        seen[first < second ? first : second]++;
    }
    for (size_t from = TRAWL_CUDA_QGRAM_LENGTH_GROUPS; from-- > 0;) {
        sum += seen[from + 1];
        candidates[from] = sum;
    }
}

/* The share of the text's samples that are among `samples` of the set: the share of candidates in
 * the trial filter, less the expected false ones. */
static double rate_of(size_t candidates, size_t text_addresses, uint32_t samples) {
    double chance = trawl_cuda_qgram_false_rate(TRAWL_CUDA_DIVISION_TRIAL_BITS, samples,
                                                TRAWL_CUDA_QGRAM_TRIAL_WORDS);
    double rate = text_addresses == 0
                      ? 0
                      : ((double)candidates / (double)text_addresses - chance) / (1 - chance);
    return rate > 0 ? rate : 0;
}

void trawl_cuda_division_add(const trawl_cuda_division *self, trawl_cuda_options *kept,
                             trawl_cuda_qgram_option option) {
    trawl_cuda_qgram_price_alone(&option, self->words);
    uint32_t at = kept->count++;
    for (; at > 0; at--) {
        const trawl_cuda_qgram_option *before = &kept->each[at - 1];
        if (before->price_alone < option.price_alone ||
            (before->price_alone <= option.price_alone &&
             before->tier.stride <= option.tier.stride)) {
            break;
        }
        kept->each[at] = *before;
    }
    kept->each[at] = option;
}

double trawl_cuda_division_length(const trawl_cuda_division *self, size_t from, size_t past) {
    return (double)(self->bytes[past] - self->bytes[from]) /
           (self->begin[past] - self->begin[from]);
}

/* Adds the options for a tier of the groups [from, past) with these samples. */
static void make_options(trawl_cuda_division *self, size_t from, size_t past,
                         trawl_cuda_qgram_tier tier, uint32_t samples, double rate) {
    tier.min_length = self->least_length[from];
    if (tier.stride != 1) {
        tier.end_offset_bits = TRAWL_GPU_LEAST_END_OFFSET_BITS;
        while (tier.end_offset_bits < TRAWL_GPU_MOST_END_OFFSET_BITS &&
               (UINT64_C(1) << tier.end_offset_bits) <
                   TRAWL_GPU_END_OFFSET_ENTRIES_PER_SAMPLE * (uint64_t)samples) {
            tier.end_offset_bits++;
        }
    }
    trawl_cuda_qgram_option option = {.tier = tier,
                                      .samples = samples,
                                      .true_rate = rate,
                                      .keys = self->begin[past] - self->begin[from],
                                      .search_steps = self->search_steps[from],
                                      .length = trawl_cuda_division_length(self, from, past)};
    trawl_cuda_options *kept = &self->options_of[from][past];
    trawl_cuda_division_add(self, kept, option);
    if (tier.stride == 1) {
        option.tier.filter_bits = 1;
        trawl_cuda_division_add(self, kept, option);
        return;
    }
    if (tier.stride >= TRAWL_CUDA_DIVISION_FUSE_STRIDE &&
        trawl_fuse_has_room(samples, self->words)) {
        option.tier.fuse_range = 1; /* set when the filter is made */
        trawl_cuda_division_add(self, kept, option);
        option.tier.fuse_range = 0;
    }
    if (tier.stride >= 4) {
        option.tier.place = TRAWL_CUDA_QGRAM_GLOBAL;
        trawl_cuda_division_add(self, kept, option);
    }
}

/* Tries one kind of samples for all tiers that begin with a group `from` with begins[from]; `first`
 * is the first such group. */
static void try_samples(trawl_cuda_division *self, const trawl_cuda_qgram_tier *tier, size_t first,
                        const bool *begins) {
    const trawl_cuda_qgram_kind *kind = trawl_cuda_qgram_kind_of(self->samples, tier);
    uint32_t samples[TRAWL_CUDA_QGRAM_LENGTH_GROUPS] = {0};
    size_t candidates[TRAWL_CUDA_QGRAM_LENGTH_GROUPS];
    for (size_t group = first; group < self->groups; group++) {
        const size_t past = group + 1;
        add_group(self, tier, kind, group, samples);
        /* With at most two tiers, every tier begins with the first group or ends with the last: no
         * other ranges are needed. */
        bool any = past == self->groups || self->most_tiers > 2;
        if (!any && (first != 0 || !begins[0])) {
            continue;
        }
        count_candidates(self, kind, candidates);
        for (size_t from = first; from <= group && (any || from == 0); from++) {
            if (begins[from]) {
                double rate = rate_of(candidates[from], kind->text_samples, samples[from]);
                make_options(self, from, past, *tier, samples[from], rate);
            }
        }
    }
    memset(self->last, 0, (size_t)kind->words * 32);
}

/* The length of samples of this shape in tiers that begin with group `from`; 0 if the patterns are
 * too short or too long for the shape. */
static uint32_t gram_of(const trawl_cuda_division *self, size_t from, size_t shape) {
    uint32_t stride = shapes[shape].stride, words = shapes[shape].words;
    if (self->least_length[from] < stride + 1) {
        return 0;
    }
    uint32_t gram = self->least_length[from] - stride + 1;
    gram = gram < 4 * words ? gram : 4 * words;
    return gram > 4 * (words - 1) && gram >= 2 ? gram : 0;
}

/* Tries all shapes whose samples have this length, for tiers that are `folded` or not. */
static trawl_status try_gram(trawl_cuda_division *self, uint32_t gram, bool folded,
                             trawl_error *error) {
    trawl_cuda_qgram_tier tier[TRAWL_CUDA_DIVISION_SHAPES];
    bool begins[TRAWL_CUDA_DIVISION_SHAPES][TRAWL_CUDA_QGRAM_LENGTH_GROUPS];
    size_t first[TRAWL_CUDA_DIVISION_SHAPES], count = 0;
    uint32_t from_position[TRAWL_CUDA_DIVISION_SHAPES];
    for (size_t shape = 0; shape < TRAWL_CUDA_DIVISION_SHAPES; shape++) {
        bool any_folded = false;
        first[count] = self->groups;
        for (size_t from = self->groups; from-- > 0;) {
            any_folded |= self->folded[from];
            begins[count][from] = any_folded == folded && gram_of(self, from, shape) == gram;
            first[count] = begins[count][from] ? from : first[count];
        }
        if (first[count] != self->groups) {
            from_position[count] = self->order[self->begin[first[count]]];
            tier[count++] = (trawl_cuda_qgram_tier){.place = TRAWL_CUDA_QGRAM_SHARED,
                                                    .stride = shapes[shape].stride,
                                                    .gram = gram,
                                                    .filter_bits = TRAWL_CUDA_DIVISION_TRIAL_BITS,
                                                    .folded = folded};
        }
    }
    trawl_status status =
        trawl_cuda_qgram_samples_read(self->samples, tier, from_position, count, error);
    for (size_t i = 0; status == TRAWL_OK && i < count; i++) {
        try_samples(self, &tier[i], first[i], begins[i]);
    }
    return status;
}

static trawl_status try_all(trawl_cuda_division *self, trawl_error *error) {
    trawl_status status = TRAWL_OK;
    for (uint32_t gram = 2; status == TRAWL_OK && gram <= TRAWL_CUDA_QGRAM_MOST_GRAM; gram++) {
        status = try_gram(self, gram, false, error);
        if (status == TRAWL_OK) {
            status = try_gram(self, gram, true, error);
        }
    }
    return status;
}

/* ------------------------------------------------------------------ choosing tiers */

/* Prices the division self->trial, whose tiers begin with the groups `begins`, and keeps it if it
 * is the best. */
static void price_division(trawl_cuda_division *self, const size_t *begins, uint32_t count) {
    double price = trawl_cuda_qgram_share_memory(self->trial, count, self->direct, self->words);
    if (price < self->best_price) {
        self->best_price = price;
        self->best_candidates = trawl_cuda_qgram_candidate_rate(self->trial, count);
        self->best_ends = trawl_cuda_qgram_end_rate(self->trial, count);
        self->best_count = count;
        for (uint32_t i = 0; i < count; i++) {
            self->best[i] = self->trial[i]->tier;
            self->best_from[i] = begins[i];
        }
        self->best_from[count] = self->groups;
    }
}

/* Branch and bound: tries all tiers for the groups from begins[depth] on, after `depth` tiers whose
 * prices alone are `before` together. Skips what cannot be cheaper than the best division so
 * far. */
static void try_divisions(trawl_cuda_division *self, size_t *begins, uint32_t depth,
                          double before) {
    size_t from = begins[depth];
    for (size_t past = self->groups; past > from; past--) {
        if (past < self->groups && depth + 1 == self->most_tiers) {
            return;
        }
        trawl_cuda_options *options_of = &self->options_of[from][past];
        for (uint32_t i = 0; i < options_of->count; i++) {
            double sum = before + options_of->each[i].price_alone;
            if (sum + self->least_price[past] >= self->best_price) {
                break;
            }
            self->trial[depth] = &options_of->each[i];
            if (past == self->groups) {
                price_division(self, begins, depth + 1);
            } else if (depth + 1 <
                       TRAWL_GPU_MOST_TIERS) { /* always true; compilers do not see it */
                begins[depth + 1] = past;
                try_divisions(self, begins, depth + 1, sum);
            }
        }
    }
}

/* Finds the cheapest division. */
static void find_division(trawl_cuda_division *self) {
    self->best_price = INFINITY;
    self->best_count = 0;
    for (size_t from = self->groups; from-- > 0;) {
        self->least_price[from] = INFINITY;
        for (size_t past = from + 1; past <= self->groups; past++) {
            const trawl_cuda_options *options_of = &self->options_of[from][past];
            double least = options_of->count == 0 ? INFINITY : options_of->each[0].price_alone;
            self->least_price[from] =
                fmin(self->least_price[from], least + self->least_price[past]);
        }
    }
    size_t begins[TRAWL_GPU_MOST_TIERS] = {0};
    try_divisions(self, begins, 0, 0);
}

/* Finds the cheapest division. Free anchors of some patterns meet less of a text than those of all
 * do, by more than extrapolation tells, as rare samples run out. So tiers of the cheapest division
 * are tried with more and more patterns until all are, or another division is cheaper. */
static trawl_status choose_division(trawl_cuda_division *self, trawl_error *error) {
    trawl_status status = TRAWL_OK;
    bool again = true;
    while (status == TRAWL_OK && again) {
        find_division(self);
        again = false;
        for (uint32_t i = 0; status == TRAWL_OK && i < self->best_count; i++) {
            status = trawl_cuda_division_try_more_anchors(self, i, &again, error);
        }
    }
    return status;
}

/* Takes the best division into the layout. Tiers of longer patterns come first. */
static void take_division(const trawl_cuda_division *self, trawl_cuda_qgram_layout *layout) {
    for (uint32_t i = self->best_count; i-- > 0;) {
        trawl_cuda_qgram_tier *tier = &layout->tier[layout->tiers++];
        *tier = self->best[i];
        tier->folded = 0;
        for (size_t group = self->best_from[i]; group < self->best_from[i + 1]; group++) {
            uint32_t longest = self->most_length[group];
            tier->max_length = longest > tier->max_length ? longest : tier->max_length;
            tier->folded |= self->folded[group];
        }
    }
}

static void release(trawl_cuda_division *self) {
    if (self != NULL) {
        trawl_release(self->order);
        trawl_release(self->last);
        trawl_release(self->options_of);
        trawl_release(self);
    }
}

static trawl_status fail_shared(size_t needed, size_t shared_bytes, trawl_error *error) {
    return trawl_fail(error, TRAWL_ERROR_LIMIT,
                      "qgram's tables need %zu bytes of the device's shared memory, and there is "
                      "room for %zu; engine ac-dfa needs less",
                      needed, shared_bytes);
}

static trawl_status prepare(trawl_cuda_division *self, trawl_error *error) {
    size_t bytes = TRAWL_CUDA_QGRAM_LENGTH_GROUPS * sizeof *self->options_of;
    self->last = trawl_allocate_zeroed(LAST_BYTES, 1);
    self->options_of = trawl_allocate_zeroed(1, bytes);
    if (self->last == NULL || self->options_of == NULL) {
        return trawl_fail_memory(error, "choosing tiers", bytes + LAST_BYTES);
    }
    trawl_status status = select_patterns(self, error);
    return status == TRAWL_OK ? trawl_cuda_division_count_alike(self, error) : status;
}

static trawl_status choose(trawl_cuda_division *self, size_t shared_bytes,
                           trawl_cuda_qgram_layout *layout, trawl_error *error) {
    const trawl_patterns *patterns = self->samples->patterns;
    bool folded = false;
    for (size_t id = 0; id < patterns->count; id++) {
        bool in_automaton = self->in_automaton != NULL && self->in_automaton[id] != 0;
        if (trawl_pattern_length(patterns, id) < 3 && !in_automaton) {
            self->direct = true;
            folded |= (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
        }
    }
    size_t pairs = self->direct ? 4 * (size_t)TRAWL_CUDA_QGRAM_PAIR_WORDS : 0;
    if (pairs > shared_bytes) {
        return fail_shared(pairs, shared_bytes, error);
    }
    self->words = (uint32_t)((shared_bytes - pairs) / 4);
    trawl_status status = prepare(self, error);
    if (status == TRAWL_OK) {
        status = try_all(self, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_cuda_division_try_anchors(self, error);
    }
    layout->tiers = 0;
    layout->ends = 0;
    layout->price = trawl_cuda_qgram_share_memory(NULL, 0, self->direct, self->words);
    if (status == TRAWL_OK && self->groups != 0) {
        status = choose_division(self, error);
    }
    if (status == TRAWL_OK && self->groups != 0) {
        take_division(self, layout);
        layout->price = self->best_price;
        layout->candidates = self->best_candidates;
        layout->ends = self->best_ends;
        if (layout->tiers == 0) {
            return fail_shared(pairs + 4 * TRAWL_GPU_FILTER_UNIT_WORDS, shared_bytes, error);
        }
    }
    if (self->direct) {
        layout->tier[layout->tiers++] = (trawl_cuda_qgram_tier){.place = TRAWL_CUDA_QGRAM_DIRECT,
                                                                .min_length = 1,
                                                                .max_length = 2,
                                                                .stride = 1,
                                                                .gram = 2,
                                                                .folded = folded};
    }
    return status;
}

trawl_status trawl_cuda_qgram_divide(trawl_cuda_qgram_samples *samples, const uint8_t *in_automaton,
                                     size_t shared_bytes, double bucket,
                                     trawl_cuda_qgram_layout *layout, trawl_error *error) {
    trawl_cuda_division *self = trawl_allocate_zeroed(1, sizeof *self);
    if (self == NULL) {
        return trawl_fail_memory(error, "choosing tiers", sizeof *self);
    }
    self->samples = samples;
    self->in_automaton = in_automaton;
    self->bucket = bucket;
    /* For records, the patterns in the automaton have a tier of their own. */
    self->most_tiers = in_automaton == NULL ? TRAWL_GPU_MOST_TIERS : TRAWL_GPU_MOST_TIERS - 1;
    memcpy(layout->anchor_text, samples->text, samples->anchor_length);
    layout->anchor_text_length = samples->anchor_length;
    trawl_status status = choose(self, shared_bytes, layout, error);
    layout->filter_tiers = layout->tiers;
    release(self);
    return status;
}
