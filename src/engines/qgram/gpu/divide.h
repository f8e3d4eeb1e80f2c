/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Which tiers a device gets: which lengths together, which samples, in which memory. */
#ifndef TRAWL_ENGINES_QGRAM_GPU_DIVIDE_H
#define TRAWL_ENGINES_QGRAM_GPU_DIVIDE_H

#include "engines/qgram/gpu/samples.h"
#include "gpu/module.h"

/* The device that a set is divided for. */
typedef struct trawl_cuda_qgram_target {
    const trawl_cuda_properties *device;
    const trawl_device_costs *costs; /* all of them: trawl_device_costs_complete */
    size_t filter_bytes;             /* of a block's shared memory, for filters */
} trawl_cuda_qgram_target;

/*
 * Chooses the tiers of a set for a device, by what FILTER lets through of the sample, and which
 * patterns an automaton walks instead (engines/qgram/gpu/mix.h), for which a sample is needed.
 * Without one (NULL or too short), text is made up of short pieces of the patterns. Fills
 * layout->tiers, the tiers up to align_bits, and layout->mix: release it with
 * trawl_cuda_qgram_layout_release. On failure there is none.
 */
trawl_status trawl_cuda_qgram_choose(const trawl_patterns *patterns, const uint8_t *sample,
                                     size_t sample_length, const trawl_cuda_qgram_target *target,
                                     trawl_cuda_qgram_layout *layout, trawl_error *error);

/* The same with filters for all patterns but those that are `walked` (1 for each; NULL: none), by
 * samples that further divisions of the set may be made by as well. */
trawl_status trawl_cuda_qgram_divide(trawl_cuda_qgram_samples *samples, const uint8_t *walked,
                                     size_t shared_bytes, trawl_cuda_qgram_layout *layout,
                                     trawl_error *error);

#endif
