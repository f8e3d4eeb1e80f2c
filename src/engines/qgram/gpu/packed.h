/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The q-gram engine's kernel `packed` for sets of at most four letters and patterns of at most
 * eight: its tables, in host memory.
 *
 * Two adjacent bits of a byte tell the letters apart. They are a letter's index, so that eight
 * letters, the earlier one in the lower bits, are a number of 16 bits: a window. What ends with a
 * window is known before the text is: no verification, unless letters differ in case only, or the
 * text has other bytes among them.
 *
 * The kernel asks once for two positions. An entry of a plane is a byte for each window, with which
 * the second position ends: bit 4 is about that one, and of bits 0 to 3 the one is about the first
 * position whose number is the index of the letter before the window. Such a bit is bit k of the
 * number of matches that end there, in plane k.
 */
#ifndef TRAWL_ENGINES_QGRAM_GPU_PACKED_H
#define TRAWL_ENGINES_QGRAM_GPU_PACKED_H

#include "engines/qgram/gpu/format.h"

#define TRAWL_CUDA_PACKED_MOST_LENGTH 8u /* of a pattern */
#define TRAWL_CUDA_PACKED_WINDOWS 65536u /* entries of a plane, which are bytes */
#define TRAWL_CUDA_PACKED_MOST_PLANES 3u
#define TRAWL_CUDA_PACKED_MOST_SHIFT 4u

typedef struct trawl_cuda_packed_layout {
    uint32_t shift;      /* a byte's index is (byte >> shift) & 3 */
    uint32_t letters;    /* byte i: the letter with index i; of another index where there is none */
    uint32_t folds;      /* byte i: 0x20 where the letter may be of either case, else 0 */
    uint32_t min_length; /* of the patterns */
    uint32_t max_length;
    uint32_t planes;                /* 0: counting takes the keys' own numbers */
    uint8_t *image;                 /* the planes, one after the other */
    uint8_t *ends;                  /* a plane whose bits say that at least one match may end */
    uint32_t *key_of;               /* each window's longest key, or TRAWL_NO_KEY */
    bool verify;                    /* some matches are to be compared with the text */
    trawl_cuda_qgram_arrays arrays; /* keys and outputs */
} trawl_cuda_packed_layout;

/* Whether the set can be packed for a device whose blocks have so much shared memory: then shift to
 * max_length are set, else *obstacle says why not. */
bool trawl_cuda_packed_letters(const trawl_patterns *patterns, size_t shared_bytes,
                               trawl_cuda_packed_layout *layout, trawl_error *obstacle);

/* Makes the tables of such a set, with as many planes as there is room for. On failure everything
 * is released. */
trawl_status trawl_cuda_packed_layout_make(const trawl_patterns *patterns, size_t shared_bytes,
                                           trawl_cuda_packed_layout *layout, trawl_error *error);
void trawl_cuda_packed_layout_release(trawl_cuda_packed_layout *layout);

/* The share of bytes of a text that are none of the letters; 0 without a text. */
double trawl_cuda_packed_outside(const trawl_cuda_packed_layout *layout, const uint8_t *text,
                                 size_t length);

/* Whether texts are worth packing: nearly all bytes of the sample are letters, or without one there
 * are more patterns than other texts would have of so few letters. */
bool trawl_cuda_packed_pays(const trawl_cuda_packed_layout *layout, size_t patterns,
                            const uint8_t *sample, size_t sample_length);

#endif
