/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Which tiers a device gets: which lengths together, which samples, in which memory. */
#ifndef TRAWL_ENGINES_QGRAM_GPU_DIVIDE_H
#define TRAWL_ENGINES_QGRAM_GPU_DIVIDE_H

#include "engines/qgram/gpu/samples.h"

/* Shorter samples of a text are none. */
#define TRAWL_CUDA_QGRAM_SAMPLE_LEAST ((size_t)4096)

/*
 * Chooses the tiers of a set for a device that gives tables `shared_bytes` of shared memory, by
 * what FILTER lets through of the sample, and which patterns an automaton walks instead
 * (engines/qgram/gpu/mix.h), for which a sample is needed. Without one (NULL or too short), text is
 * made up of short pieces of the patterns. Fills layout->tiers, the tiers up to align_bits, and
 * layout->mix: release it with trawl_cuda_qgram_layout_release. On failure there is none.
 */
trawl_status trawl_cuda_qgram_choose(const trawl_patterns *patterns, const uint8_t *sample,
                                     size_t sample_length, size_t shared_bytes,
                                     trawl_cuda_qgram_layout *layout, trawl_error *error);

/* The same with filters for all patterns but those that are `walked` (1 for each; NULL: none), by
 * samples that further divisions of the set may be made by as well. */
trawl_status trawl_cuda_qgram_divide(trawl_cuda_qgram_samples *samples, const uint8_t *walked,
                                     size_t shared_bytes, trawl_cuda_qgram_layout *layout,
                                     trawl_error *error);

#endif
