/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/packed_tables.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "constants/gpu.h"
#include "engines/qgram/packed/format.h"

#define KMERS TRAWL_CUDA_PACKED_KMERS

/* ------------------------------------------------------------------ letters */

bool trawl_cuda_packed_letters(const trawl_patterns *patterns, size_t shared_bytes,
                               trawl_cuda_packed_layout *layout, trawl_error *obstacle) {
    trawl_packed_letters letters;
    memset(layout, 0, sizeof *layout);
    if (shared_bytes < KMERS) {
        (void)trawl_fail(obstacle, TRAWL_ERROR_LIMIT,
                         "it needs %u bytes of shared memory, and the device gives a block %zu",
                         KMERS, shared_bytes);
        return false;
    }
    if (patterns->max_length > TRAWL_CUDA_PACKED_MOST_LENGTH) {
        (void)trawl_fail(obstacle, TRAWL_ERROR_LIMIT,
                         "patterns have up to %zu bytes, it takes up to %u", patterns->max_length,
                         TRAWL_CUDA_PACKED_MOST_LENGTH);
        return false;
    }
    if (!trawl_packed_find_letters(patterns, 1, UINT32_MAX, patterns->case_insensitive != 0,
                                   &letters) ||
        letters.shift > TRAWL_CUDA_PACKED_MOST_SHIFT) {
        (void)trawl_fail(obstacle, TRAWL_ERROR_LIMIT,
                         "it takes at most 4 different letters, told apart "
                         "by two adjacent bits of the lower 6");
        return false;
    }
    layout->shift = letters.shift;
    for (uint32_t index = 0; index < 4; index++) {
        layout->letters |= (uint32_t)letters.letter[index] << (8 * index);
        layout->folds |= (uint32_t)letters.fold[index] << (8 * index);
    }
    layout->min_length = (uint32_t)patterns->min_length;
    layout->max_length = (uint32_t)patterns->max_length;
    return true;
}

double trawl_cuda_packed_outside(const trawl_cuda_packed_layout *layout, const uint8_t *text,
                                 size_t length) {
    size_t outside = 0, seen = 0;
    for (size_t i = 0; i < length; i += length / TRAWL_GPU_MOST_SAMPLE_BYTES + 1, seen++) {
        uint32_t at = 8 * (text[i] >> layout->shift & 3u);
        outside += (uint8_t)(text[i] | layout->folds >> at) != (uint8_t)(layout->letters >> at);
    }
    return seen == 0 ? 0 : (double)outside / (double)seen;
}

bool trawl_cuda_packed_pays(const trawl_cuda_packed_layout *layout, size_t patterns,
                            const uint8_t *sample, size_t sample_length) {
    return sample_length == 0 ? patterns >= TRAWL_GPU_PACKED_LEAST_PATTERNS
                              : trawl_cuda_packed_outside(layout, sample, sample_length) <=
                                    TRAWL_GPU_PACKED_MOST_OUTSIDE;
}

/* ------------------------------------------------------------------ tables */

static uint32_t add_letter(const trawl_cuda_packed_layout *layout, uint32_t number, uint8_t byte) {
    return number << 2 | ((uint32_t)byte >> layout->shift & 3u);
}

/* The indices of a key's letters as a number of *bits bits. It is the upper *bits bits of the
 * 8-mers that end with the key. */
static uint32_t key_number(const trawl_cuda_packed_layout *layout, uint32_t key, uint32_t *bits) {
    const trawl_keys *keys = &layout->arrays.keys;
    const uint8_t *reversed = trawl_key_bytes(keys, key);
    uint32_t length = trawl_key_length(keys, key), number = 0;
    for (uint32_t i = 0; i < length; i++) {
        number = add_letter(layout, number, reversed[i]);
    }
    *bits = 2 * length;
    return number;
}

static void fill_keys(trawl_cuda_packed_layout *layout) {
    for (uint32_t kmer = 0; kmer < KMERS; kmer++) {
        layout->key_of[kmer] = TRAWL_NO_KEY;
    }
    /* Suffixes of a key come before the key: so the longest key remains for each 8-mer. */
    for (uint32_t key = 0; key < layout->arrays.keys.count; key++) {
        uint32_t bits, number = key_number(layout, key, &bits);
        for (uint32_t before = 0; before < KMERS >> bits; before++) {
            layout->key_of[number << (16 - bits) | before] = key;
        }
        layout->verify |= (layout->arrays.verify[key] & TRAWL_VERIFY_OWN) != 0;
    }
}

static uint32_t matches_of(const trawl_cuda_packed_layout *layout, uint32_t kmer) {
    uint32_t key = layout->key_of[kmer & (KMERS - 1)];
    return key == TRAWL_NO_KEY ? 0 : layout->arrays.total[key];
}

static void fill_planes(trawl_cuda_packed_layout *layout) {
    for (uint32_t kmer = 0; kmer < KMERS; kmer++) {
        uint32_t second = matches_of(layout, kmer);
        layout->ends[kmer] = second != 0 ? 16 : 0;
        for (uint32_t plane = 0; plane < layout->planes; plane++) {
            layout->image[plane * KMERS + kmer] = (uint8_t)((second >> plane & 1) << 4);
        }
        for (uint32_t before = 0; before < 4; before++) {
            uint32_t first = matches_of(layout, kmer << 2 | before);
            layout->ends[kmer] |= (uint8_t)((first != 0) << before);
            for (uint32_t plane = 0; plane < layout->planes; plane++) {
                layout->image[plane * KMERS + kmer] |= (uint8_t)((first >> plane & 1) << before);
            }
        }
    }
}

/* The number of planes: one for each bit of the largest number of matches that end at a position. 0
 * if these are more than most_planes, or if matches have to be verified. */
static uint32_t count_planes(const trawl_cuda_packed_layout *layout, uint32_t most_planes) {
    uint32_t planes = 1;
    for (uint32_t key = 0; key < layout->arrays.keys.count; key++) {
        while (planes <= most_planes && layout->arrays.total[key] >> planes != 0) {
            planes++;
        }
    }
    return layout->verify || planes > most_planes ? 0 : planes;
}

static uint32_t room_for_planes(size_t shared_bytes) {
    size_t room = shared_bytes / KMERS;
    return room < TRAWL_CUDA_PACKED_MOST_PLANES ? (uint32_t)room : TRAWL_CUDA_PACKED_MOST_PLANES;
}

/* A pattern is at the end of 8-mers that follow each other: those with its number and any lower
 * bits. So the numbers of matches are sums of what begins and ends before an 8-mer. */
bool trawl_cuda_packed_planes_suffice(const trawl_cuda_packed_layout *layout,
                                      const trawl_patterns *patterns, size_t shared_bytes) {
    if (patterns->case_insensitive != 0 && patterns->case_insensitive != patterns->count) {
        return false;
    }
    uint32_t change[KMERS + 1] = {0}; /* modulo 2^32 */
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id), number = 0;
        const uint8_t *bytes = trawl_pattern_bytes(patterns, id);
        for (uint32_t i = length; i-- > 0;) {
            number = add_letter(layout, number, bytes[i]);
        }
        uint32_t free_bits = 2 * (TRAWL_CUDA_PACKED_MOST_LENGTH - length);
        change[number << free_bits]++;
        change[(number + 1) << free_bits]--;
    }
    uint32_t matches = 0, most = 0;
    for (uint32_t kmer = 0; kmer < KMERS; kmer++) {
        matches += change[kmer];
        most = matches > most ? matches : most;
    }
    return most >> room_for_planes(shared_bytes) == 0;
}

trawl_status trawl_cuda_packed_layout_make(const trawl_patterns *patterns, size_t shared_bytes,
                                           trawl_cuda_packed_layout *layout, trawl_error *error) {
    trawl_patterns reversed = {0};
    trawl_cuda_qgram_tier tier = {.min_length = layout->min_length,
                                  .max_length = layout->max_length,
                                  .folded = patterns->case_insensitive != 0};
    trawl_status status = trawl_endings_reverse(patterns, &reversed, error);
    if (status == TRAWL_OK) {
        status =
            trawl_cuda_qgram_keys_make(patterns, &reversed, NULL, &tier, &layout->arrays, error);
    }
    trawl_release(reversed.bytes);
    if (status == TRAWL_OK) {
        layout->key_of = trawl_allocate(KMERS, sizeof *layout->key_of);
        layout->ends = trawl_allocate(KMERS, 1);
        layout->image = trawl_allocate((size_t)KMERS * TRAWL_CUDA_PACKED_MOST_PLANES, 1);
        if (layout->key_of == NULL || layout->ends == NULL || layout->image == NULL) {
            status = trawl_fail_memory(
                error, "packed tables for a device",
                KMERS * (sizeof *layout->key_of + 1 + TRAWL_CUDA_PACKED_MOST_PLANES));
        }
    }
    if (status == TRAWL_OK) {
        fill_keys(layout);
        layout->planes = count_planes(layout, room_for_planes(shared_bytes));
        fill_planes(layout);
    } else {
        trawl_cuda_packed_layout_release(layout);
    }
    return status;
}

void trawl_cuda_packed_layout_release(trawl_cuda_packed_layout *layout) {
    trawl_cuda_qgram_arrays_release(&layout->arrays);
    trawl_release(layout->image);
    trawl_release(layout->ends);
    trawl_release(layout->key_of);
    memset(layout, 0, sizeof *layout);
}
