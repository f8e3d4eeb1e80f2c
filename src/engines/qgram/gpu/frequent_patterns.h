/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Finds patterns without bytes that are rare in a text: their samples would be candidates too
 * often. */
#ifndef TRAWL_ENGINES_QGRAM_GPU_FREQUENT_PATTERNS_H
#define TRAWL_ENGINES_QGRAM_GPU_FREQUENT_PATTERNS_H

#include "engines/qgram/gpu/format.h"

/* The mark of a pattern that was found to be frequent. */
#define TRAWL_CUDA_QGRAM_FREQUENT 2u

/*
 * Marks the patterns that have a sample which occurs at one of TRAWL_GPU_FREQUENT_POSITIONS
 * positions of layout->anchor_text or more often. Only patterns in the layout's filters whose mark
 * is 0 are considered. Example: zeros in programs; a pattern that consists of zeros has the same
 * sample at all end offsets.
 *
 * *surplus: what such samples cost beyond the layout's price, in picoseconds of a whole H200 for a
 * byte of text.
 */
trawl_status trawl_cuda_qgram_frequent(const trawl_patterns *patterns,
                                       const trawl_cuda_qgram_layout *layout, uint8_t *marks,
                                       double *surplus, trawl_error *error);

#endif
