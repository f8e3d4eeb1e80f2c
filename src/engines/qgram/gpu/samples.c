/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/samples.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "costs/gpu_constants.h"

/* By three of four slices of the text samples of the set are picked, by the fourth they are judged:
 * else rare ones would seem to be rarer than they are. */
#define SAMPLE_BYTES ((size_t)TRAWL_CUDA_QGRAM_COMMON_BYTES / 3 * 4)

/* Lengths at which tiers may begin, besides the shortest. */
static const uint32_t starts[] = {4, 5, 6, 7, 8, 9, 11, 12, 16, 19, 24, 32};
_Static_assert(sizeof starts / sizeof *starts + 1 == TRAWL_CUDA_QGRAM_CLASSES, "and one before");
#define AHEAD 24u /* marks whose words are on the way when they are needed */

#define MOST_STRIDES 5u /* 1, 2, 4, 8 and 16 */

/* ------------------------------------------------------------------ the text */

static uint64_t random_next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Fills self->text: first with all that samples of the set are picked by. Returns its length. */
static size_t gather(const trawl_cuda_qgram_samples *self, const uint8_t *sample, size_t length) {
    if (sample != NULL && length >= TRAWL_GPU_LEAST_SAMPLE_BYTES) {
        size_t fours =
            (length < SAMPLE_BYTES ? length : SAMPLE_BYTES) / (4 * TRAWL_GPU_SAMPLE_PIECE_BYTES);
        for (size_t i = 0; i < 4 * fours; i++) {
            size_t place = i % 4 == 3 ? 3 * fours + i / 4 : i / 4 * 3 + i % 4;
            memcpy(self->text + place * TRAWL_GPU_SAMPLE_PIECE_BYTES,
                   sample + (length - TRAWL_GPU_SAMPLE_PIECE_BYTES) / (4 * fours - 1) * i,
                   TRAWL_GPU_SAMPLE_PIECE_BYTES);
        }
        return 4 * fours * TRAWL_GPU_SAMPLE_PIECE_BYTES;
    }
    const trawl_patterns *patterns = self->patterns;
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    size_t made = 0;
    while (patterns->count != 0 && made + TRAWL_GPU_MADE_UP_BYTES <= SAMPLE_BYTES) {
        size_t id = (size_t)(random_next(&state) % patterns->count);
        uint32_t bytes = trawl_pattern_length(patterns, id);
        uint32_t from = (uint32_t)(random_next(&state) % bytes);
        for (uint32_t i = from; i < bytes && i < from + TRAWL_GPU_MADE_UP_BYTES; i++) {
            self->text[made++] = trawl_pattern_bytes(patterns, id)[i];
        }
    }
    return made;
}

/* ------------------------------------------------------------------ classes of lengths */

static uint32_t class_of(uint32_t classes, uint32_t length) {
    uint32_t class = 0;
    while (class + 1 < classes && length >= starts[class]) {
        class ++;
    }
    return class;
}

static void order_patterns(trawl_cuda_qgram_samples *self) {
    const trawl_patterns *patterns = self->patterns;
    uint32_t place[TRAWL_CUDA_QGRAM_CLASSES + 1] = {0};
    self->classes =
        patterns->count <= TRAWL_GPU_MOST_DIVIDED_PATTERNS ? TRAWL_CUDA_QGRAM_CLASSES : 1;
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        place[class_of(self->classes, length) + 1] += length >= 3;
    }
    for (uint32_t class = 0; class < self->classes; class ++) {
        place[class + 1] += place[class];
    }
    memcpy(self->begin, place, sizeof self->begin);
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        if (length >= 3) {
            self->order[place[class_of(self->classes, length)]++] = (uint32_t)id;
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
        .ends = trawl_allocate(SAMPLE_BYTES / 4 + 1, sizeof *samples->ends),
        .seen = trawl_allocate_zeroed(TRAWL_CUDA_QGRAM_SEEN_WORDS, sizeof *samples->seen),
        .number = trawl_allocate_zeroed(TRAWL_CUDA_QGRAM_SEEN_WORDS, sizeof *samples->number),
    };
    if (samples->text == NULL || samples->order == NULL || samples->counts == NULL ||
        samples->ends == NULL || samples->seen == NULL || samples->number == NULL) {
        return trawl_fail_memory(error, "choosing tiers",
                                 TRAWL_CUDA_QGRAM_SEEN_WORDS * sizeof *samples->seen);
    }
    size_t made = gather(samples, sample, length);
    samples->picking_length = made / 4 * 3;
    samples->judging_length = made - samples->picking_length;
    order_patterns(samples);
    return TRAWL_OK;
}

static void drop(trawl_cuda_qgram_samples *self, trawl_cuda_qgram_kind *kind) {
    self->kept_bytes -= kind->kept_bytes;
    trawl_release(kind->marks);
    trawl_release(kind->asked);
    *kind = (trawl_cuda_qgram_kind){.marks = NULL};
}

void trawl_cuda_qgram_samples_release(trawl_cuda_qgram_samples *samples) {
    for (size_t i = 0; i < TRAWL_CUDA_QGRAM_KINDS; i++) {
        drop(samples, &samples->kind[i]);
    }
    trawl_release(samples->text);
    trawl_release(samples->order);
    trawl_release(samples->counts);
    trawl_release(samples->ends);
    trawl_release(samples->seen);
    trawl_release(samples->number);
    *samples = (trawl_cuda_qgram_samples){.patterns = NULL};
}

/* ------------------------------------------------------------------ one kind of sample */

static size_t number_of(const trawl_cuda_qgram_tier *tier) {
    size_t strides = (size_t)__builtin_ctz(tier->stride);
    return (strides * TRAWL_CUDA_QGRAM_MOST_GRAM + tier->gram - 1) * 2 + tier->folded;
}

const trawl_cuda_qgram_kind *trawl_cuda_qgram_kind_of(const trawl_cuda_qgram_samples *samples,
                                                      const trawl_cuda_qgram_tier *tier) {
    return &samples->kind[number_of(tier)];
}

static uint32_t places_in_order(const trawl_cuda_qgram_samples *self) {
    return self->begin[self->classes];
}

static bool is_kept(const trawl_cuda_qgram_kind *kind, uint32_t from) {
    return kind->marks != NULL && kind->from <= from;
}

/* Counts samples, and looks at those of the text that judges, unless it has just been done. */
static void read_texts(trawl_cuda_qgram_samples *self, const trawl_cuda_qgram_tier *tier) {
    if (self->tier.gram == tier->gram && self->tier.folded == tier->folded) {
        return;
    }
    self->tier = *tier;
    trawl_cuda_qgram_count(tier, self->text, self->picking_length, self->counts);
    const uint8_t *text = self->text + self->picking_length;
    for (size_t done = TRAWL_CUDA_QGRAM_MOST_GRAM; done <= self->judging_length;) {
        uint64_t hashes[TRAWL_CUDA_QGRAM_ANCHOR_SLACK];
        size_t left = self->judging_length - done + 1;
        size_t count = left < TRAWL_CUDA_QGRAM_ANCHOR_SLACK ? left : TRAWL_CUDA_QGRAM_ANCHOR_SLACK;
        trawl_cuda_qgram_hash_places(tier, text + done + count - 1, (uint32_t)count, hashes);
        for (size_t i = 0; i < count; i++) {
            self->ends[done - TRAWL_CUDA_QGRAM_MOST_GRAM + i] =
                trawl_cuda_qgram_mark(hashes[count - 1 - i]);
        }
        done += count;
    }
}

/* What the text asks for, and memory for the patterns' marks unless they are looked at only once.
 */
static trawl_status begin_kind(trawl_cuda_qgram_samples *self, const trawl_cuda_qgram_tier *tier,
                               uint32_t from, trawl_error *error) {
    trawl_cuda_qgram_kind *kind = &self->kind[number_of(tier)];
    size_t marks = self->classes == 1 ? 0 : (size_t)(places_in_order(self) - from) * tier->stride;
    size_t bytes = marks * sizeof *kind->marks;
    drop(self, kind);
    kind->from = from;
    kind->lent = self->kept_bytes + bytes > TRAWL_GPU_MOST_KEPT_BYTES;
    kind->kept_bytes = kind->lent ? 0 : bytes;
    self->kept_bytes += kind->kept_bytes;
    kind->asked = trawl_allocate(self->judging_length / tier->stride + 1, sizeof *kind->asked);
    kind->marks = marks == 0 ? NULL : trawl_allocate_zeroed(marks, sizeof *kind->marks);
    if (kind->asked == NULL || (marks != 0 && kind->marks == NULL)) {
        return trawl_fail_memory(error, "choosing tiers", bytes);
    }
    for (size_t end = TRAWL_CUDA_QGRAM_MOST_GRAM; end <= self->judging_length;
         end += tier->stride) {
        kind->asked[kind->asked_all++] = self->ends[end - TRAWL_CUDA_QGRAM_MOST_GRAM];
    }
    kind->asked_count = kind->asked_all;
    kind->words = TRAWL_CUDA_QGRAM_SEEN_WORDS;
    return TRAWL_OK;
}

static bool is_long_enough(const trawl_cuda_qgram_tier *tier, uint32_t length) {
    return length >= tier->gram + tier->stride - 1;
}

static void mark_samples(const uint64_t *hashes, const uint32_t *sums, uint32_t places,
                         uint32_t stride, uint32_t *marks) {
    uint32_t anchor = trawl_cuda_qgram_rarest(sums, places, stride);
    for (uint32_t i = 0; i < stride; i++) {
        marks[i] = trawl_cuda_qgram_mark(hashes[anchor + i]);
    }
}

/* Notes the marks of one pattern for all those kinds. */
static void mark_pattern(trawl_cuda_qgram_samples *self, const trawl_cuda_qgram_tier *const *tiers,
                         size_t count, uint32_t place) {
    uint64_t hashes[TRAWL_CUDA_QGRAM_ANCHOR_SLACK];
    uint32_t sums[TRAWL_CUDA_QGRAM_ANCHOR_SLACK + 1];
    uint32_t length = trawl_pattern_length(self->patterns, self->order[place]), places = 0;
    for (size_t i = 0; i < count; i++) {
        const trawl_cuda_qgram_kind *kind = &self->kind[number_of(tiers[i])];
        if (place >= kind->from && is_long_enough(tiers[i], length)) {
            uint32_t its = trawl_cuda_qgram_places(tiers[i], length);
            places = its > places ? its : places;
        }
    }
    if (places == 0) {
        return;
    }
    trawl_cuda_qgram_hash_pattern(tiers[0], self->patterns, self->order[place], places, hashes);
    trawl_cuda_qgram_sum(self->counts, hashes, places, sums);
    for (size_t i = 0; i < count; i++) {
        const trawl_cuda_qgram_kind *kind = &self->kind[number_of(tiers[i])];
        const uint32_t stride = tiers[i]->stride;
        if (place >= kind->from && is_long_enough(tiers[i], length)) {
            uint32_t *marks = kind->marks + (size_t)(place - kind->from) * stride;
            mark_samples(hashes, sums, stride == 1 ? 1 : places, stride, marks);
        }
    }
}

static uint32_t ones_of(uint32_t mark) {
    return UINT32_C(1) << trawl_cuda_qgram_mark_first(mark) |
           UINT32_C(1) << trawl_cuda_qgram_mark_second(mark);
}

/* Numbers the words of the FILTER by their first sample, so that going over all marks means going
 * through memory, and leaves out what the text asks for and no pattern has: tiers have fewer
 * samples than all patterns. */
static void number_words(trawl_cuda_qgram_samples *self, const trawl_cuda_qgram_tier *tier) {
    trawl_cuda_qgram_kind *kind = &self->kind[number_of(tier)];
    size_t count = (size_t)(places_in_order(self) - kind->from) * tier->stride;
    const uint32_t before = self->numbered; /* numbers up to this one are of other kinds */
    uint32_t last = before;
    for (size_t i = 0; i < count; i++) { /* without branches, which would wait for memory */
        uint32_t mark = kind->marks[i];
        uint32_t *number = &self->number[trawl_cuda_qgram_mark_word(mark)];
        uint32_t its = *number;
        if (i + AHEAD < count) {
            __builtin_prefetch(&self->number[trawl_cuda_qgram_mark_word(kind->marks[i + AHEAD])],
                               1);
        }
        last += its <= before;
        its = its <= before ? last : its;
        *number = its;
        self->seen[its - before - 1] |= ones_of(mark);
        kind->marks[i] = trawl_cuda_qgram_mark_in(mark, its - before - 1);
    }
    self->numbered = last;
    size_t passed = 0;
    for (size_t i = 0; i < kind->asked_count; i++) {
        uint32_t mark = kind->asked[i];
        uint32_t number = self->number[trawl_cuda_qgram_mark_word(mark)];
        if (number > before && (~self->seen[number - before - 1] & ones_of(mark)) == 0) {
            kind->asked[passed++] = trawl_cuda_qgram_mark_in(mark, number - before - 1);
        }
    }
    kind->asked_count = passed;
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
    uint32_t missing_from[MOST_STRIDES], first = places_in_order(samples);
    size_t missed = 0;
    for (size_t i = 0; i < TRAWL_CUDA_QGRAM_KINDS; i++) {
        if (samples->kind[i].lent) {
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
    if (status != TRAWL_OK || samples->classes == 1) {
        return status;
    }
    for (uint32_t place = first; place < places_in_order(samples); place++) {
        mark_pattern(samples, missing, missed, place);
    }
    for (size_t i = 0; i < missed; i++) {
        number_words(samples, missing[i]);
    }
    return TRAWL_OK;
}

const uint32_t *trawl_cuda_qgram_end_offsets(const trawl_cuda_qgram_samples *samples,
                                             const trawl_cuda_qgram_tier *tier, uint32_t place,
                                             uint32_t room[TRAWL_CUDA_QGRAM_MOST_STRIDE]) {
    uint64_t hashes[TRAWL_CUDA_QGRAM_ANCHOR_SLACK];
    uint32_t sums[TRAWL_CUDA_QGRAM_ANCHOR_SLACK + 1];
    const uint32_t id = samples->order[place];
    uint32_t places = trawl_cuda_qgram_places(tier, trawl_pattern_length(samples->patterns, id));
    trawl_cuda_qgram_hash_pattern(tier, samples->patterns, id, places, hashes);
    trawl_cuda_qgram_sum(samples->counts, hashes, places, sums);
    mark_samples(hashes, sums, places, tier->stride, room);
    return room;
}
