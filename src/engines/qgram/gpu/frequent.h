/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Which patterns have no bytes that are rare in a text, so that filters let through too much. */
#ifndef TRAWL_ENGINES_QGRAM_GPU_FREQUENT_H
#define TRAWL_ENGINES_QGRAM_GPU_FREQUENT_H

#include "engines/qgram/gpu/format.h"

/* What marks a pattern that has been found. */
#define TRAWL_CUDA_QGRAM_FOUND 2u

/*
 * Looks through the patterns that filters of the layout have and whose mark is 0, and marks those
 * with a sample that one of 1,024 positions of layout->common has, or more. Zeros in programs are
 * the rule: patterns that consist of them are asked for at all distances. *surplus: what such
 * samples cost beyond the layout's price, in picoseconds of a whole device for a byte of text.
 */
trawl_status trawl_cuda_qgram_frequent(const trawl_patterns *patterns,
                                       const trawl_cuda_qgram_layout *layout, uint8_t *marks,
                                       double *surplus, trawl_error *error);

#endif
