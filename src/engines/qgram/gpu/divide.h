/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* How a set is divided into tiers for a GPU: which lengths are together, which samples they have,
 * and in which memory their filter is. */
#ifndef TRAWL_ENGINES_QGRAM_GPU_DIVIDE_H
#define TRAWL_ENGINES_QGRAM_GPU_DIVIDE_H

#include "engines/qgram/gpu/samples.h"
#include "gpu/module.h"

/* Divides the patterns whose in_automaton is 0 (NULL: all patterns). `bucket` is the price of a
 * candidate of free anchors (trawl_device_costs). Fills the layout's tiers up to
 * end_offset_bits, its price and its text for anchor offsets. `samples` may be used for further
 * divisions of the same set. */
trawl_status trawl_cuda_qgram_divide(trawl_cuda_qgram_samples *samples, const uint8_t *in_automaton,
                                     size_t shared_bytes, double bucket,
                                     trawl_cuda_qgram_layout *layout, trawl_error *error);

#endif
