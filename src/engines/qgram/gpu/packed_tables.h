/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The tables of kernel `packed`, in host memory: for sets of at most four letters and patterns of
 * at most eight bytes.
 *
 * Two adjacent bits of a byte distinguish the letters: they are the letter's index. The indices of
 * eight letters (an 8-mer) are a number of 16 bits, the earliest letter in the lowest bits. A table
 * by 8-mers says which matches end with it. Nothing has to be verified, unless the case of letters
 * matters or the text has bytes outside the alphabet.
 *
 * A plane is a table with a byte for each 8-mer. One look-up tests two positions, the position
 * where the 8-mer ends and the one before it:
 *
 *     bit   7 6 5    4         3 2 1 0
 *           unused   second    first position, bit i: if the letter before the 8-mer has index i
 *
 * If at most one match ends at a position there is one plane. Otherwise plane k has bit k of the
 * number of matches that end there.
 */
#ifndef TRAWL_ENGINES_QGRAM_GPU_PACKED_TABLES_H
#define TRAWL_ENGINES_QGRAM_GPU_PACKED_TABLES_H

#include "engines/qgram/gpu/format.h"

#define TRAWL_CUDA_PACKED_MOST_LENGTH 8u /* letters of a pattern: an 8-mer */
#define TRAWL_CUDA_PACKED_KMERS 65536u   /* entries of a plane, one byte each: 4^8 */
#define TRAWL_CUDA_PACKED_MOST_PLANES 3u /* 192 KiB of a block's shared memory */
#define TRAWL_CUDA_PACKED_MOST_SHIFT 4u  /* low zeros of nibble_factor (packed_launch.cu) */

typedef struct trawl_cuda_packed_layout {
    uint32_t shift;      /* the index of a byte is (byte >> shift) & 3 */
    uint32_t letters;    /* byte i: the letter with index i, or one with another index */
    uint32_t folds;      /* byte i: 0x20 if letter i may be of either case, else 0 */
    uint32_t min_length; /* of the patterns */
    uint32_t max_length;
    uint32_t planes;                /* 0: matches are counted by key_of */
    uint8_t *image;                 /* the planes, one after the other */
    uint8_t *ends;                  /* one more plane: whether at least one match ends */
    uint32_t *key_of;               /* the longest key that ends with each 8-mer, or TRAWL_NO_KEY */
    bool verify;                    /* some matches have to be compared with the text: their case */
    trawl_cuda_qgram_arrays arrays; /* only keys and outputs */
} trawl_cuda_packed_layout;

/* Whether the set can be packed, for a device that gives a block so many bytes of shared memory. If
 * it can, shift to max_length are set. Otherwise *obstacle has the reason, a sentence in which "it"
 * is the kernel. */
bool trawl_cuda_packed_letters(const trawl_patterns *patterns, size_t shared_bytes,
                               trawl_cuda_packed_layout *layout, trawl_error *obstacle);

/* Makes the tables of such a set, with as many planes as shared memory has room for. After a
 * failure there is nothing to release. */
trawl_status trawl_cuda_packed_layout_make(const trawl_patterns *patterns, size_t shared_bytes,
                                           trawl_cuda_packed_layout *layout, trawl_error *error);
void trawl_cuda_packed_layout_release(trawl_cuda_packed_layout *layout);

/* The share of bytes of a text that are outside the alphabet; 0 without a text. */
double trawl_cuda_packed_outside(const trawl_cuda_packed_layout *layout, const uint8_t *text,
                                 size_t length);

/* Whether planes tell the number of matches at every position, for such a set, so that no end of
 * matches has to be verified. */
bool trawl_cuda_packed_planes_suffice(const trawl_cuda_packed_layout *layout,
                                      const trawl_patterns *patterns, size_t shared_bytes);

/* Whether the kernel pays: nearly all bytes of the sample are letters of the set; or there is no
 * sample, and the set has so many patterns that its texts probably have these letters alone. */
bool trawl_cuda_packed_pays(const trawl_cuda_packed_layout *layout, size_t patterns,
                            const uint8_t *sample, size_t sample_length);

#endif
