/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/samples.h"

#include <string.h>

#include "base/allocate.h"
#include "base/random.h"
#include "base/status.h"
#include "constants/gpu.h"

/* Three of four pieces of the sample choose anchor offsets, the fourth one validates them:
 * candidates are counted in it. Samples that were chosen because they are rare in a text seem rarer
 * in that text than they are elsewhere. */
#define SAMPLE_BYTES ((size_t)TRAWL_GPU_ANCHOR_TEXT_BYTES / 3 * 4)

/* Lengths at which groups begin, besides the shortest one. Chosen, not measured: single lengths
 * where a byte more allows another kind of sample, ranges for long patterns. */
static const uint32_t starts[] = {4, 5, 6, 7, 8, 9, 11, 12, 16, 19, 24, 32};
_Static_assert(sizeof starts / sizeof *starts + 1 == TRAWL_CUDA_QGRAM_LENGTH_GROUPS,
               "and one before");
#define AHEAD 24u /* distance of prefetches, in addresses; chosen, not measured */

#define MOST_STRIDES 5u /* 1, 2, 4, 8 and 16 */

/* ------------------------------------------------------------------ the text */

/* Fills self->text: first the pieces that choose anchor offsets, then those that validate them.
 * Returns its length. */
static size_t gather(const trawl_cuda_qgram_samples *self, const uint8_t *sample, size_t length) {
    if (sample != NULL && length >= TRAWL_CUDA_QGRAM_LEAST_SAMPLE) {
        size_t fours =
            (length < SAMPLE_BYTES ? length : SAMPLE_BYTES) / (4 * TRAWL_GPU_SAMPLE_PIECE_BYTES);
        for (size_t i = 0; i < 4 * fours; i++) {
            size_t position = i % 4 == 3 ? 3 * fours + i / 4 : i / 4 * 3 + i % 4;
            memcpy(self->text + position * TRAWL_GPU_SAMPLE_PIECE_BYTES,
                   sample + (length - TRAWL_GPU_SAMPLE_PIECE_BYTES) / (4 * fours - 1) * i,
                   TRAWL_GPU_SAMPLE_PIECE_BYTES);
        }
        return 4 * fours * TRAWL_GPU_SAMPLE_PIECE_BYTES;
    }
    const trawl_patterns *patterns = self->patterns;
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    size_t made = 0;
    while (patterns->count != 0 && made + TRAWL_GPU_MADE_UP_BYTES <= SAMPLE_BYTES) {
        size_t id = (size_t)(trawl_random_next(&state) % patterns->count);
        uint32_t bytes = trawl_pattern_length(patterns, id);
        uint32_t from = (uint32_t)(trawl_random_next(&state) % bytes);
        for (uint32_t i = from; i < bytes && i < from + TRAWL_GPU_MADE_UP_BYTES; i++) {
            self->text[made++] = trawl_pattern_bytes(patterns, id)[i];
        }
    }
    return made;
}

/* ------------------------------------------------------------------ groups of lengths */

static uint32_t group_of(uint32_t groups, uint32_t length) {
    uint32_t group = 0;
    while (group + 1 < groups && length >= starts[group]) {
        group++;
    }
    return group;
}

static void order_patterns(trawl_cuda_qgram_samples *self) {
    const trawl_patterns *patterns = self->patterns;
    uint32_t position[TRAWL_CUDA_QGRAM_LENGTH_GROUPS + 1] = {0};
    self->groups =
        patterns->count <= TRAWL_GPU_MOST_DIVIDED_PATTERNS ? TRAWL_CUDA_QGRAM_LENGTH_GROUPS : 1;
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        position[group_of(self->groups, length) + 1] += length >= 3;
    }
    for (uint32_t group = 0; group < self->groups; group++) {
        position[group + 1] += position[group];
    }
    memcpy(self->begin, position, sizeof self->begin);
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        if (length >= 3) {
            self->order[position[group_of(self->groups, length)]++] = (uint32_t)id;
        }
    }
}

trawl_status trawl_cuda_qgram_samples_make(const trawl_patterns *patterns, const uint8_t *sample,
                                           size_t length, trawl_cuda_qgram_samples *samples,
                                           trawl_error *error) {
    *samples = (trawl_cuda_qgram_samples){
        .patterns = patterns,
        .text = trawl_allocate(SAMPLE_BYTES, 1),
        .order = trawl_allocate(patterns->count, sizeof *samples->order),
        .counts = trawl_allocate(1, sizeof *samples->counts),
        .validation_addresses =
            trawl_allocate(SAMPLE_BYTES / 4 + 1, sizeof *samples->validation_addresses),
        .seen = trawl_allocate_zeroed(TRAWL_CUDA_QGRAM_TRIAL_WORDS, sizeof *samples->seen),
        .number = trawl_allocate_zeroed(TRAWL_CUDA_QGRAM_TRIAL_WORDS, sizeof *samples->number),
    };
    if (samples->text == NULL || samples->order == NULL || samples->counts == NULL ||
        samples->validation_addresses == NULL || samples->seen == NULL || samples->number == NULL) {
        return trawl_fail_memory(error, "choosing tiers",
                                 TRAWL_CUDA_QGRAM_TRIAL_WORDS * sizeof *samples->seen);
    }
    size_t made = gather(samples, sample, length);
    samples->anchor_length = made / 4 * 3;
    samples->validation_length = made - samples->anchor_length;
    order_patterns(samples);
    return TRAWL_OK;
}

static void drop(trawl_cuda_qgram_samples *self, trawl_cuda_qgram_kind *kind) {
    self->kept_bytes -= kind->kept_bytes;
    trawl_release(kind->addresses);
    trawl_release(kind->text_addresses);
    *kind = (trawl_cuda_qgram_kind){.addresses = NULL};
}

void trawl_cuda_qgram_samples_release(trawl_cuda_qgram_samples *samples) {
    for (size_t i = 0; i < TRAWL_CUDA_QGRAM_KINDS; i++) {
        drop(samples, &samples->kind[i]);
    }
    trawl_release(samples->text);
    trawl_release(samples->order);
    trawl_release(samples->counts);
    trawl_release(samples->validation_addresses);
    trawl_release(samples->seen);
    trawl_release(samples->number);
    *samples = (trawl_cuda_qgram_samples){.patterns = NULL};
}

/* ------------------------------------------------------------------ one kind of samples */

static size_t kind_number(const trawl_cuda_qgram_tier *tier) {
    size_t strides = (size_t)__builtin_ctz(tier->stride);
    return (strides * TRAWL_CUDA_QGRAM_MOST_GRAM + tier->gram - 1) * 2 + tier->folded;
}

const trawl_cuda_qgram_kind *trawl_cuda_qgram_kind_of(const trawl_cuda_qgram_samples *samples,
                                                      const trawl_cuda_qgram_tier *tier) {
    return &samples->kind[kind_number(tier)];
}

static uint32_t ordered_patterns(const trawl_cuda_qgram_samples *self) {
    return self->begin[self->groups];
}

static bool is_kept(const trawl_cuda_qgram_kind *kind, uint32_t from) {
    return kind->addresses != NULL && kind->from <= from;
}

/* Reads the samples of both parts of the text, unless the last call was for the same length and
 * letter case. */
static void read_texts(trawl_cuda_qgram_samples *self, const trawl_cuda_qgram_tier *tier) {
    if (self->tier.gram == tier->gram && self->tier.folded == tier->folded) {
        return;
    }
    self->tier = *tier;
    trawl_cuda_qgram_count(tier, self->text, self->anchor_length, self->counts);
    const uint8_t *text = self->text + self->anchor_length;
    for (size_t done = TRAWL_CUDA_QGRAM_MOST_GRAM; done <= self->validation_length;) {
        uint64_t hashes[TRAWL_CUDA_QGRAM_ANCHOR_SLACK];
        size_t left = self->validation_length - done + 1;
        size_t count = left < TRAWL_CUDA_QGRAM_ANCHOR_SLACK ? left : TRAWL_CUDA_QGRAM_ANCHOR_SLACK;
        trawl_cuda_qgram_hash_offsets(tier, text + done + count - 1, (uint32_t)count, hashes);
        for (size_t i = 0; i < count; i++) {
            self->validation_addresses[done - TRAWL_CUDA_QGRAM_MOST_GRAM + i] =
                trawl_cuda_qgram_address(hashes[count - 1 - i]);
        }
        done += count;
    }
}

/* Takes the text's samples of a kind, and allocates the patterns' addresses. If all patterns are in
 * one group, addresses would be used only once and are not stored. */
static trawl_status begin_kind(trawl_cuda_qgram_samples *self, const trawl_cuda_qgram_tier *tier,
                               uint32_t from, trawl_error *error) {
    trawl_cuda_qgram_kind *kind = &self->kind[kind_number(tier)];
    size_t addresses =
        self->groups == 1 ? 0 : (size_t)(ordered_patterns(self) - from) * tier->stride;
    size_t bytes = addresses * sizeof *kind->addresses;
    drop(self, kind);
    kind->from = from;
    kind->temporary = self->kept_bytes + bytes > TRAWL_GPU_MOST_KEPT_BYTES;
    kind->kept_bytes = kind->temporary ? 0 : bytes;
    self->kept_bytes += kind->kept_bytes;
    kind->text_addresses =
        trawl_allocate(self->validation_length / tier->stride + 1, sizeof *kind->text_addresses);
    kind->addresses =
        addresses == 0 ? NULL : trawl_allocate_zeroed(addresses, sizeof *kind->addresses);
    if (kind->text_addresses == NULL || (addresses != 0 && kind->addresses == NULL)) {
        return trawl_fail_memory(error, "choosing tiers", bytes);
    }
    for (size_t end = TRAWL_CUDA_QGRAM_MOST_GRAM; end <= self->validation_length;
         end += tier->stride) {
        kind->text_addresses[kind->text_samples++] =
            self->validation_addresses[end - TRAWL_CUDA_QGRAM_MOST_GRAM];
    }
    kind->text_count = kind->text_samples;
    kind->words = TRAWL_CUDA_QGRAM_TRIAL_WORDS;
    return TRAWL_OK;
}

static bool is_long_enough(const trawl_cuda_qgram_tier *tier, uint32_t length) {
    return length >= tier->gram + tier->stride - 1;
}

static void address_samples(const uint64_t *hashes, const uint32_t *sums, uint32_t offsets,
                            uint32_t stride, uint32_t *addresses) {
    uint32_t anchor = trawl_cuda_qgram_rarest(sums, offsets, stride);
    for (uint32_t i = 0; i < stride; i++) {
        addresses[i] = trawl_cuda_qgram_address(hashes[anchor + i]);
    }
}

/* Stores the addresses of one pattern's samples for all these kinds, which differ in strides. */
static void address_pattern(trawl_cuda_qgram_samples *self,
                            const trawl_cuda_qgram_tier *const *tiers, size_t count,
                            uint32_t position) {
    uint64_t hashes[TRAWL_CUDA_QGRAM_ANCHOR_SLACK];
    uint32_t sums[TRAWL_CUDA_QGRAM_ANCHOR_SLACK + 1];
    uint32_t length = trawl_pattern_length(self->patterns, self->order[position]), offsets = 0;
    for (size_t i = 0; i < count; i++) {
        const trawl_cuda_qgram_kind *kind = &self->kind[kind_number(tiers[i])];
        if (position >= kind->from && is_long_enough(tiers[i], length)) {
            uint32_t possible = trawl_cuda_qgram_offsets(tiers[i], length);
            offsets = possible > offsets ? possible : offsets;
        }
    }
    if (offsets == 0) {
        return;
    }
    trawl_cuda_qgram_hash_pattern(tiers[0], self->patterns, self->order[position], offsets, hashes);
    trawl_cuda_qgram_sum(self->counts, hashes, offsets, sums);
    for (size_t i = 0; i < count; i++) {
        const trawl_cuda_qgram_kind *kind = &self->kind[kind_number(tiers[i])];
        const uint32_t stride = tiers[i]->stride;
        if (position >= kind->from && is_long_enough(tiers[i], length)) {
            uint32_t *addresses = kind->addresses + (size_t)(position - kind->from) * stride;
            address_samples(hashes, sums, stride == 1 ? 1 : offsets, stride, addresses);
        }
    }
}

static uint32_t bits_of(uint32_t address) {
    return UINT32_C(1) << trawl_cuda_qgram_address_first_bit(address) |
           UINT32_C(1) << trawl_cuda_qgram_address_second_bit(address);
}

/* Numbers the words of the trial filter in the order of their first sample, so that a walk over all
 * addresses walks through memory in order. Removes samples of the text that no pattern has: they
 * cannot be candidates of a tier, which has no more samples than all patterns. */
static void number_words(trawl_cuda_qgram_samples *self, const trawl_cuda_qgram_tier *tier) {
    trawl_cuda_qgram_kind *kind = &self->kind[kind_number(tier)];
    size_t count = (size_t)(ordered_patterns(self) - kind->from) * tier->stride;
    const uint32_t before = self->numbered; /* numbers up to this one belong to other kinds */
    uint32_t last = before;
    /* Without branches: a mispredicted one would wait for memory. */
    for (size_t i = 0; i < count; i++) {
        uint32_t address = kind->addresses[i];
        uint32_t *number = &self->number[trawl_cuda_qgram_address_word(address)];
        uint32_t given = *number;
        if (i + AHEAD < count) {
            __builtin_prefetch(
                &self->number[trawl_cuda_qgram_address_word(kind->addresses[i + AHEAD])], 1);
        }
        last += given <= before;
        given = given <= before ? last : given;
        *number = given;
        self->seen[given - before - 1] |= bits_of(address);
        kind->addresses[i] = trawl_cuda_qgram_address_in(address, given - before - 1);
    }
    self->numbered = last;
    size_t kept = 0;
    for (size_t i = 0; i < kind->text_count; i++) {
        uint32_t address = kind->text_addresses[i];
        uint32_t number = self->number[trawl_cuda_qgram_address_word(address)];
        if (number > before && (~self->seen[number - before - 1] & bits_of(address)) == 0) {
            kind->text_addresses[kept++] =
                trawl_cuda_qgram_address_in(address, number - before - 1);
        }
    }
    kind->text_count = kept;
    kind->words = self->numbered - before;
    memset(self->seen, 0, kind->words * sizeof *self->seen);
}

static trawl_status begin_kinds(trawl_cuda_qgram_samples *self,
                                const trawl_cuda_qgram_tier *const *tiers, const uint32_t *from,
                                size_t count, trawl_error *error) {
    trawl_status status = TRAWL_OK;
    for (size_t i = 0; status == TRAWL_OK && i < count; i++) {
        status = begin_kind(self, tiers[i], from[i], error);
    }
    return status;
}

trawl_status trawl_cuda_qgram_samples_read(trawl_cuda_qgram_samples *samples,
                                           const trawl_cuda_qgram_tier *tiers, const uint32_t *from,
                                           size_t count, trawl_error *error) {
    const trawl_cuda_qgram_tier *missing[MOST_STRIDES];
    uint32_t missing_from[MOST_STRIDES], first = ordered_patterns(samples);
    size_t missed = 0;
    for (size_t i = 0; i < TRAWL_CUDA_QGRAM_KINDS; i++) {
        if (samples->kind[i].temporary) {
            drop(samples, &samples->kind[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_kept(trawl_cuda_qgram_kind_of(samples, &tiers[i]), from[i])) {
            missing_from[missed] = from[i];
            missing[missed++] = &tiers[i];
            first = from[i] < first ? from[i] : first;
        }
    }
    if (missed == 0) {
        return TRAWL_OK;
    }
    read_texts(samples, missing[0]);
    trawl_status status = begin_kinds(samples, missing, missing_from, missed, error);
    if (status != TRAWL_OK || samples->groups == 1) {
        return status;
    }
    for (uint32_t position = first; position < ordered_patterns(samples); position++) {
        address_pattern(samples, missing, missed, position);
    }
    for (size_t i = 0; i < missed; i++) {
        number_words(samples, missing[i]);
    }
    return TRAWL_OK;
}

const uint32_t *trawl_cuda_qgram_sample_addresses(const trawl_cuda_qgram_samples *samples,
                                                  const trawl_cuda_qgram_tier *tier,
                                                  uint32_t position,
                                                  uint32_t room[TRAWL_CUDA_QGRAM_MOST_STRIDE]) {
    uint64_t hashes[TRAWL_CUDA_QGRAM_ANCHOR_SLACK];
    uint32_t sums[TRAWL_CUDA_QGRAM_ANCHOR_SLACK + 1];
    const uint32_t id = samples->order[position];
    uint32_t offsets = trawl_cuda_qgram_offsets(tier, trawl_pattern_length(samples->patterns, id));
    trawl_cuda_qgram_hash_pattern(tier, samples->patterns, id, offsets, hashes);
    trawl_cuda_qgram_sum(samples->counts, hashes, offsets, sums);
    address_samples(hashes, sums, offsets, tier->stride, room);
    return room;
}
