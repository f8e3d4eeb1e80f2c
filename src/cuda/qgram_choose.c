#include "cuda/qgram_choose.h"

#include <math.h>
#include <string.h>

#include "common/allocate.h"
#include "common/status.h"

/*
 * What things cost, in picoseconds of a whole device for a byte of text, a sample, or a case of
 * what is rarer: measured on an H200 (docs/GPU.md). Only their proportions matter here.
 */
#define READING 0.215      /* a byte, out of device memory; at the same time as all else */
#define PER_BYTE 0.08      /* going over a byte at all */
#define PER_SAMPLE 0.40    /* a sample of one word */
#define PER_WORD 0.09      /* each further word of it */
#define PER_SECOND_BIT 0.1 /* of samples at a stride of 4 or more */
#define PER_PAIR 0.55
#define PER_FOLDED_BYTE 0.03
#define PER_QUESTION 12.0 /* the second one */
#define PER_END 45.0      /* the third one */
#define PER_GLOBAL 6.5    /* a look-up in the L2 cache instead of shared memory */

#define SAMPLE_BYTES ((size_t)32768)
#define SAMPLE_LEAST ((size_t)4096)
#define SAMPLE_WINDOWS ((size_t)16)
#define PIECE_BYTES 3u /* that made-up text takes from one place of the patterns */

#define MOST_FILTER_BITS 27u
#define MOST_SHARED_BITS 20u
#define SEEN_BITS 22u /* of the table that holds grams while they are tried */

/* Lengths at which tiers may begin, besides the shortest. */
static const uint32_t starts[] = {4, 5, 6, 7, 8, 9, 11, 12, 16, 19, 24, 32};
#define STARTS (sizeof starts / sizeof *starts + 1)
/* Sets with more patterns are not divided: trying takes time for each of them. */
#define MOST_DIVIDED ((size_t)300000)

typedef struct candidate {
    trawl_cuda_qgram_tier tier;
    double picoseconds; /* INFINITY: there is none */
} candidate;

typedef struct chooser {
    const trawl_patterns *patterns;
    uint8_t *text; /* the sample */
    size_t length;
    uint32_t *order;            /* patterns of three bytes and more, by class */
    uint32_t begin[STARTS + 1]; /* of each class in it */
    uint32_t least[STARTS];     /* its shortest pattern */
    uint32_t most[STARTS];      /* its longest one */
    bool folded[STARTS];
    size_t classes;
    uint32_t *seen; /* 1 << SEEN_BITS bits */
    size_t shared_bytes;
    candidate best[STARTS][STARTS + 1]; /* [from][past]: one tier for these classes */
} chooser;

/* ------------------------------------------------------------------ the sample */

static uint64_t random_next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static trawl_status take_sample(chooser *self, const uint8_t *sample, size_t length,
                                trawl_error *error) {
    self->text = trawl_allocate(SAMPLE_BYTES, 1);
    if (self->text == NULL) {
        return trawl_fail_memory(error, "a sample of the text", SAMPLE_BYTES);
    }
    if (sample != NULL && length >= SAMPLE_LEAST) {
        self->length = length < SAMPLE_BYTES ? length : SAMPLE_BYTES;
        size_t window = self->length / SAMPLE_WINDOWS;
        for (size_t i = 0; i < SAMPLE_WINDOWS; i++) {
            memcpy(self->text + i * window, sample + (length - window) / (SAMPLE_WINDOWS - 1) * i,
                   window);
        }
        self->length = window * SAMPLE_WINDOWS;
        return TRAWL_OK;
    }
    const trawl_patterns *patterns = self->patterns;
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    while (self->length + PIECE_BYTES <= SAMPLE_BYTES) {
        size_t id = (size_t)(random_next(&state) % patterns->count);
        uint32_t bytes = trawl_pattern_length(patterns, id);
        uint32_t from = (uint32_t)(random_next(&state) % bytes);
        for (uint32_t i = from; i < bytes && i < from + PIECE_BYTES; i++) {
            self->text[self->length++] = trawl_pattern_bytes(patterns, id)[i];
        }
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ classes of lengths */

static size_t class_of(const uint32_t *begins, size_t classes, uint32_t length) {
    size_t class = 0;
    while (class + 1 < classes && length >= begins[class + 1]) {
        class ++;
    }
    return class;
}

static trawl_status divide(chooser *self, trawl_error *error) {
    const trawl_patterns *patterns = self->patterns;
    uint32_t begins[STARTS];
    uint32_t count[STARTS] = {0};
    size_t classes = 1;
    begins[0] = 3;
    for (size_t i = 0; i < STARTS - 1 && patterns->count <= MOST_DIVIDED; i++) {
        begins[classes++] = starts[i];
    }
    self->order = trawl_allocate(patterns->count, sizeof *self->order);
    if (self->order == NULL) {
        return trawl_fail_memory(error, "dividing the patterns",
                                 patterns->count * sizeof *self->order);
    }
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        count[class_of(begins, classes, length)] += length >= 3;
    }
    uint32_t place[STARTS], sum = 0;
    for (size_t class = 0; class < classes; class ++) {
        place[class] = sum;
        sum += count[class];
    }
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        if (length >= 3) {
            self->order[place[class_of(begins, classes, length)]++] = (uint32_t)id;
        }
    }
    for (size_t class = 0; class < classes; class ++) {
        if (count[class] == 0) {
            continue;
        }
        size_t at = self->classes++;
        self->begin[at] = place[class] - count[class];
        self->begin[at + 1] = place[class];
        self->least[at] = UINT32_MAX;
        for (uint32_t i = self->begin[at]; i < self->begin[at + 1]; i++) {
            uint32_t id = self->order[i], length = trawl_pattern_length(patterns, id);
            self->least[at] = length < self->least[at] ? length : self->least[at];
            self->most[at] = length > self->most[at] ? length : self->most[at];
            self->folded[at] |= (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
        }
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ trying a kind of sample */

static uint32_t hash_at(const trawl_cuda_qgram_tier *tier, const uint8_t *end) {
    uint32_t words[4] = {0, 0, 0, 0};
    uint32_t oldest = trawl_cuda_qgram_words(tier) - 1;
    for (uint32_t word = 0; word <= oldest; word++) {
        memcpy(&words[word], end - 4 * word - 4, 4);
        words[word] |= trawl_cuda_qgram_case_bits(tier);
    }
    words[oldest] &= trawl_cuda_qgram_mask(tier);
    return trawl_cuda_qgram_hash(words);
}

static bool seen(const chooser *self, uint32_t hash) {
    uint32_t bit = hash >> (32 - SEEN_BITS);
    return (self->seen[bit / 32] >> (bit % 32) & 1) != 0;
}

/* Adds the samples of a class; returns how many were new. */
static uint32_t add_class(const chooser *self, const trawl_cuda_qgram_tier *tier, size_t class) {
    const trawl_patterns *patterns = self->patterns;
    uint8_t reversed[TRAWL_CUDA_QGRAM_MOST_STRIDE + TRAWL_CUDA_QGRAM_MOST_GRAM];
    uint32_t most = tier->stride + tier->gram - 1, added = 0;
    for (uint32_t i = self->begin[class]; i < self->begin[class + 1]; i++) {
        uint32_t id = self->order[i];
        const uint8_t *end = trawl_pattern_bytes(patterns, id) + trawl_pattern_length(patterns, id);
        for (uint32_t j = 0; j < most; j++) {
            reversed[j] = *--end;
        }
        for (uint32_t alignment = 0; alignment < tier->stride; alignment++) {
            uint32_t hash = trawl_cuda_qgram_key_hash(tier, reversed, alignment);
            uint32_t bit = hash >> (32 - SEEN_BITS);
            added += (self->seen[bit / 32] >> (bit % 32) & 1) == 0;
            self->seen[bit / 32] |= UINT32_C(1) << (bit % 32);
        }
    }
    return added;
}

/* The share of samples of the text that pass, but for those that do by chance. */
static double pass_rate(const chooser *self, const trawl_cuda_qgram_tier *tier) {
    uint32_t passed = 0, samples = 0;
    for (size_t end = TRAWL_CUDA_QGRAM_MOST_GRAM; end <= self->length; end += tier->stride) {
        passed += seen(self, hash_at(tier, self->text + end));
        samples++;
    }
    return samples == 0 ? 0 : (double)passed / samples;
}

/* Bits of FILTER for so many samples: it pays to have few of them by chance. */
static uint32_t bits_for(uint32_t samples, uint32_t most) {
    uint32_t bits = 12;
    while (bits < most && (UINT64_C(1) << bits) < 24 * (uint64_t)samples) {
        bits++;
    }
    return bits;
}

/* Of samples that are none of the set's, how many pass. */
static double by_chance(const trawl_cuda_qgram_tier *tier, uint32_t samples) {
    double each = tier->stride >= TRAWL_CUDA_QGRAM_TWO_BITS_STRIDE ? 2 : 1;
    double full = 1 - exp(-each * samples / exp2(tier->filter_bits));
    return pow(full, each);
}

static double price(const trawl_cuda_qgram_tier *tier, uint32_t samples, double rate) {
    double passed = rate + (1 - rate) * by_chance(tier, samples);
    double sample = PER_SAMPLE + PER_WORD * (trawl_cuda_qgram_words(tier) - 1);
    sample += tier->stride >= TRAWL_CUDA_QGRAM_TWO_BITS_STRIDE ? PER_SECOND_BIT : 0;
    sample += tier->place == TRAWL_CUDA_QGRAM_GLOBAL ? PER_GLOBAL : 0;
    double ends = tier->stride == 1 ? passed : rate * 1.2 + (passed - rate) / 8;
    double questions = tier->stride == 1 ? 0 : passed * PER_QUESTION;
    return (sample + questions + ends * PER_END) / tier->stride +
           (tier->folded != 0 ? PER_FOLDED_BYTE : 0);
}

/* Tries one kind of sample for all tiers that begin with a class. */
static void try_samples(chooser *self, size_t from, uint32_t stride, uint32_t gram) {
    uint32_t samples = 0;
    bool folded = false;
    memset(self->seen, 0, ((size_t)1 << SEEN_BITS) / 8);
    for (size_t class = from; class < self->classes; class ++) {
        folded |= self->folded[class];
    }
    trawl_cuda_qgram_tier tier = {.stride = stride, .gram = gram, .folded = folded};
    for (size_t class = from; class < self->classes; class ++) {
        samples += add_class(self, &tier, class);
        double rate = pass_rate(self, &tier);
        for (uint32_t place = TRAWL_CUDA_QGRAM_SHARED; place <= TRAWL_CUDA_QGRAM_GLOBAL; place++) {
            if (place == TRAWL_CUDA_QGRAM_GLOBAL && stride < 4) {
                continue;
            }
            candidate offered = {.tier = tier};
            offered.tier.place = place;
            offered.tier.min_length = self->least[from];
            offered.tier.filter_bits = bits_for(
                samples, place == TRAWL_CUDA_QGRAM_SHARED ? MOST_SHARED_BITS : MOST_FILTER_BITS);
            offered.picoseconds = price(&offered.tier, samples, rate);
            /* Entries of ALIGN, of which one in eight is used. */
            for (offered.tier.align_bits = stride == 1 ? 0 : 8;
                 stride != 1 && offered.tier.align_bits < 26 &&
                 (UINT64_C(1) << offered.tier.align_bits) < 8 * (uint64_t)samples;
                 offered.tier.align_bits++) {
            }
            if (offered.picoseconds < self->best[from][class + 1].picoseconds) {
                self->best[from][class + 1] = offered;
            }
        }
    }
}

static void try_all(chooser *self, size_t from) {
    static const struct {
        uint32_t stride, words;
    } shapes[] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {4, 1}, {4, 2}, {4, 3}, {8, 2}, {8, 3}, {16, 4}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        uint32_t stride = shapes[i].stride;
        if (self->least[from] < stride + 1) {
            continue;
        }
        uint32_t gram = self->least[from] - stride + 1;
        gram = gram < 4 * shapes[i].words ? gram : 4 * shapes[i].words;
        if (gram > 4 * (shapes[i].words - 1) && gram >= 2) {
            try_samples(self, from, stride, gram);
        }
    }
}

/* ------------------------------------------------------------------ putting tiers together */

static void take(chooser *self, trawl_cuda_qgram_layout *layout, size_t from, size_t past) {
    trawl_cuda_qgram_tier *tier = &layout->tier[layout->tiers++];
    *tier = self->best[from][past].tier;
    tier->max_length = 0;
    tier->folded = 0;
    for (size_t class = from; class < past; class ++) {
        tier->max_length =
            self->most[class] > tier->max_length ? self->most[class] : tier->max_length;
        tier->folded |= self->folded[class];
    }
}

/* The cheapest division into at most three tiers; those of longer patterns come first. */
static void put_together(chooser *self, trawl_cuda_qgram_layout *layout) {
    size_t all = self->classes, best_first = all, best_second = all;
    double least = self->best[0][all].picoseconds;
    for (size_t first = 1; first < all; first++) {
        for (size_t second = first; second < all; second++) {
            double sum = self->best[0][first].picoseconds + self->best[second][all].picoseconds;
            if (second > first) {
                sum += self->best[first][second].picoseconds;
            }
            /* All of it happens while memory is read. */
            double now = sum + PER_BYTE < READING ? READING : sum + PER_BYTE;
            double then = least + PER_BYTE < READING ? READING : least + PER_BYTE;
            if (now < then) {
                least = sum;
                best_first = first;
                best_second = second;
            }
        }
    }
    if (best_first == all) {
        take(self, layout, 0, all);
        return;
    }
    take(self, layout, best_second, all);
    if (best_second > best_first) {
        take(self, layout, best_first, best_second);
    }
    take(self, layout, 0, best_first);
}

/* Makes filters smaller until all fit into shared memory: the largest first. */
static trawl_status fit(trawl_cuda_qgram_layout *layout, size_t shared_bytes, trawl_error *error) {
    for (;;) {
        uint64_t bytes = 0;
        trawl_cuda_qgram_tier *largest = NULL;
        for (uint32_t i = 0; i < layout->tiers; i++) {
            trawl_cuda_qgram_tier *tier = &layout->tier[i];
            if (tier->place != TRAWL_CUDA_QGRAM_GLOBAL) {
                bytes += trawl_cuda_qgram_filter_words(tier) * 4;
            }
            if (tier->place == TRAWL_CUDA_QGRAM_SHARED &&
                (largest == NULL || tier->filter_bits > largest->filter_bits)) {
                largest = tier;
            }
        }
        if (bytes <= shared_bytes) {
            return TRAWL_OK;
        }
        if (largest == NULL || largest->filter_bits <= 7) {
            return trawl_fail(error, TRAWL_ERROR_LIMIT,
                              "qgram's tables need %llu bytes of the device's shared memory, and "
                              "there is room for %zu; engine ac-dfa needs less",
                              (unsigned long long)bytes, shared_bytes);
        }
        largest->filter_bits--;
    }
}

static void release(chooser *self) {
    if (self != NULL) {
        trawl_release(self->text);
        trawl_release(self->order);
        trawl_release(self->seen);
        trawl_release(self);
    }
}

trawl_status trawl_cuda_qgram_choose(const trawl_patterns *patterns, const uint8_t *sample,
                                     size_t sample_length, size_t shared_bytes,
                                     trawl_cuda_qgram_layout *layout, trawl_error *error) {
    chooser *self = trawl_allocate_zeroed(1, sizeof *self);
    if (self == NULL) {
        return trawl_fail_memory(error, "choosing tiers", sizeof *self);
    }
    self->patterns = patterns;
    self->shared_bytes = shared_bytes;
    layout->tiers = 0;
    for (size_t from = 0; from < STARTS; from++) {
        for (size_t past = 0; past <= STARTS; past++) {
            self->best[from][past].picoseconds = INFINITY;
        }
    }
    self->seen = trawl_allocate(((size_t)1 << SEEN_BITS) / 8, 1);
    trawl_status status = self->seen == NULL
                              ? trawl_fail_memory(error, "choosing tiers", (1u << SEEN_BITS) / 8)
                              : take_sample(self, sample, sample_length, error);
    if (status == TRAWL_OK) {
        status = divide(self, error);
    }
    for (size_t from = 0; status == TRAWL_OK && from < self->classes; from++) {
        try_all(self, from);
    }
    if (status == TRAWL_OK && self->classes != 0) {
        put_together(self, layout);
    }
    bool folded = false, direct = false;
    for (size_t id = 0; id < patterns->count; id++) {
        if (trawl_pattern_length(patterns, id) < 3) {
            direct = true;
            folded |= (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
        }
    }
    if (direct && status == TRAWL_OK) {
        layout->tier[layout->tiers++] = (trawl_cuda_qgram_tier){.place = TRAWL_CUDA_QGRAM_DIRECT,
                                                                .min_length = 1,
                                                                .max_length = 2,
                                                                .stride = 1,
                                                                .gram = 2,
                                                                .folded = folded};
    }
    if (status == TRAWL_OK) {
        status = fit(layout, shared_bytes, error);
    }
    release(self);
    return status;
}
