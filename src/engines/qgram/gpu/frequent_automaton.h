/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Whether an automaton takes the frequent patterns of a set, and which patterns these are. */
#ifndef TRAWL_ENGINES_QGRAM_GPU_FREQUENT_AUTOMATON_H
#define TRAWL_ENGINES_QGRAM_GPU_FREQUENT_AUTOMATON_H

#include "engines/qgram/gpu/format.h"
#include "gpu/module.h"

/* The device that a set is divided for. */
typedef struct trawl_cuda_qgram_target {
    const trawl_cuda_properties *device;
    const trawl_device_costs *costs; /* complete (trawl_device_costs_complete) */
    size_t filter_bytes;             /* of a block's shared memory */
    bool longest;                    /* matches are selected by the longest keys: trawl_cuda_keys */
} trawl_cuda_qgram_target;

/*
 * Chooses the layout of a set for a device: its tiers, and which frequent patterns are in an
 * automaton. The choice is made by the candidates that filters have in the sample. One of
 * several equal patterns is considered, unless an automaton is chosen. If the sample is NULL or too
 * short, a text is made up of short pieces of the patterns, and there is no automaton.
 *
 * Fills layout->tiers, the members of the tiers up to end_offset_bits, and layout->automaton.
 * Release it with trawl_cuda_qgram_layout_release. On failure there is nothing to release.
 */
trawl_status trawl_cuda_qgram_choose(const trawl_patterns *patterns, const uint8_t *sample,
                                     size_t sample_length, const trawl_cuda_qgram_target *target,
                                     trawl_cuda_qgram_layout *layout, trawl_error *error);

void trawl_cuda_qgram_automaton_release(trawl_cuda_qgram_automaton *automaton);

#endif
