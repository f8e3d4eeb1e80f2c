/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* How a set is divided into tiers for a GPU: which lengths together, which samples, in which
 * memory. */
#ifndef TRAWL_ENGINES_QGRAM_GPU_DIVIDE_H
#define TRAWL_ENGINES_QGRAM_GPU_DIVIDE_H

#include "engines/qgram/gpu/samples.h"
#include "gpu/module.h"

/* The device that a set is divided for. */
typedef struct trawl_cuda_qgram_target {
    const trawl_cuda_properties *device;
    const trawl_device_costs *costs; /* complete (trawl_device_costs_complete) */
    size_t filter_bytes;             /* of a block's shared memory */
} trawl_cuda_qgram_target;

/*
 * Chooses the layout of a set for a device: its tiers, and which frequent patterns an automaton
 * takes (frequent_automaton.h). The choice is made by the candidates that filters have in the
 * sample. If the sample is NULL or too short, text is made up of short pieces of the patterns, and
 * there is no automaton.
 *
 * Fills layout->tiers, the members of the tiers up to end_offset_bits, and layout->automaton.
 * Release it with trawl_cuda_qgram_layout_release. On failure there is nothing to release.
 */
trawl_status trawl_cuda_qgram_choose(const trawl_patterns *patterns, const uint8_t *sample,
                                     size_t sample_length, const trawl_cuda_qgram_target *target,
                                     trawl_cuda_qgram_layout *layout, trawl_error *error);

/* Divides the patterns whose in_automaton is 0 (NULL: all patterns). `samples` may be used for
 * further divisions of the same set. */
trawl_status trawl_cuda_qgram_divide(trawl_cuda_qgram_samples *samples, const uint8_t *in_automaton,
                                     size_t shared_bytes, trawl_cuda_qgram_layout *layout,
                                     trawl_error *error);

#endif
