/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What comparing a text with the keys of free anchors costs: how many keys are compared, and how
 * many of their bytes until text and key differ. */
#ifndef TRAWL_ENGINES_QGRAM_GPU_ANCHOR_COMPARISONS_H
#define TRAWL_ENGINES_QGRAM_GPU_ANCHOR_COMPARISONS_H

#include "engines/qgram/gpu/anchor_trials.h"

/* Comparisons by their bytes: class c has up to TRAWL_GPU_COMPARED_TOGETHER << c. */
#define TRAWL_CUDA_COMPARISON_CLASSES 24u

typedef struct trawl_cuda_comparisons {
    double anchors; /* of the text, whose key is known */
    double keys[TRAWL_CUDA_COMPARISON_CLASSES];
    double bytes[TRAWL_CUDA_COMPARISON_CLASSES];
    uint64_t compared; /* bytes so far, at most about TRAWL_GPU_TRIAL_COMPARED */
} trawl_cuda_comparisons;

/* Begins with what is expected before any anchor is seen: one anchor whose text is a match. */
void trawl_cuda_comparisons_begin(trawl_cuda_comparisons *self, bool folded,
                                  const trawl_cuda_anchor_set *set);

/* Compares the validating text from an anchor on with the tag's key, as a scan does, if the key
 * would be inside the text, and if fewer than TRAWL_GPU_TRIAL_COMPARED bytes have been compared.
 * `gram`: bytes of an anchor. */
void trawl_cuda_comparisons_add(trawl_cuda_comparisons *self, bool folded, uint32_t gram,
                                const trawl_cuda_anchor_set *set, const trawl_cuda_anchor_tag *tag,
                                size_t anchor);

/* The share of the anchors whose keys are compared, and the bytes of a comparison: each thread of a
 * warp has one, and all wait for the longest. */
double trawl_cuda_comparisons_share(const trawl_cuda_comparisons *self);
double trawl_cuda_comparisons_bytes(const trawl_cuda_comparisons *self);

#endif
