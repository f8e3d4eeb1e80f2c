/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The tables of kernel `sparse`, in host memory: for sets of long patterns, whose samples of 16
 * bytes are so far apart that most sectors of the text are never read. They are those of a sparse
 * tier (engines/qgram/sparse/format.h), with another stride and size of the filter.
 *
 *     sample -> hash -> filter: two bits of a word -> bucket: entries {key, end, tag} -> whole key
 */
#ifndef TRAWL_ENGINES_QGRAM_GPU_SPARSE_TABLES_H
#define TRAWL_ENGINES_QGRAM_GPU_SPARSE_TABLES_H

#include "engines/qgram/gpu/format.h"
#include "engines/qgram/sparse/build.h"
#include "gpu/module.h"

/* Samples are aligned, and strides are multiples of their length. The shortest stride has each
 * sample in a sector of its own, 32 bytes that a GPU reads together. */
#define TRAWL_CUDA_SPARSE_LEAST_STRIDE (2 * TRAWL_SPARSE_GRAM)
#define TRAWL_CUDA_SPARSE_LEAST_LENGTH (TRAWL_CUDA_SPARSE_LEAST_STRIDE + TRAWL_SPARSE_GRAM - 1)

typedef struct trawl_cuda_sparse_layout {
    trawl_qgram_tier tier;          /* stride, letter case, sizes of filter and buckets */
    trawl_cuda_qgram_tier look_up;  /* of keys by their ends: look_up_bytes, hash_bits */
    trawl_cuda_qgram_arrays arrays; /* keys, outputs, and their hash table */
    trawl_sparse_made made;
    trawl_sparse_tables tables;
    /* What is expected. */
    bool is_dense;     /* so many samples are anchors that the price cannot be relied on */
    double price;      /* picoseconds of a whole device for a byte of text */
    double candidates; /* as a share of samples */
    uint64_t bytes;    /* of the tables, about */
} trawl_cuda_sparse_layout;

/* Chooses stride and size of the filter by a sample of the text, which may be NULL, and sets what
 * is expected. If the set has a pattern that is too short, *obstacle says so, and TRAWL_OK is
 * returned. TRAWL_ERROR_MEMORY. */
trawl_status trawl_cuda_sparse_choose(const trawl_patterns *patterns, const uint8_t *sample,
                                      size_t length, const trawl_cuda_properties *device,
                                      trawl_cuda_sparse_layout *layout, trawl_error *obstacle,
                                      trawl_error *error);

/* Whether the kernel is expected to be faster than kernel filter at such a price. */
bool trawl_cuda_sparse_pays(const trawl_cuda_sparse_layout *layout, double filter_price);

/* Makes the tables of a layout that was chosen; arrays.longest is set. Release it also after a
 * failure. */
trawl_status trawl_cuda_sparse_layout_make(const trawl_patterns *patterns, const uint8_t *sample,
                                           size_t length, trawl_cuda_sparse_layout *layout,
                                           trawl_error *error);
void trawl_cuda_sparse_layout_release(trawl_cuda_sparse_layout *layout);

#endif
