/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A GPU to divide sets for: an H200, or one with less shared memory. */
#ifndef TRAWL_TESTS_GPU_TARGET_H
#define TRAWL_TESTS_GPU_TARGET_H

#include "constants/gpu.h"
#include "costs/costs.h"
#include "engines/qgram/gpu/divide.h"
#include "engines/qgram/gpu/frequent_automaton.h"

/* Chooses a layout for a GPU with `filter_bytes` of shared memory for filters, and with these costs
 * (NULL: the built-in ones). */
static inline trawl_status choose_layout(const trawl_patterns *patterns, const uint8_t *sample,
                                         size_t sample_length, size_t filter_bytes,
                                         const trawl_device_costs *given,
                                         trawl_cuda_qgram_layout *layout, trawl_error *error) {
    const trawl_cuda_properties device = {
        .multiprocessors = TRAWL_GPU_USUAL_MULTIPROCESSORS,
        .shared_bytes = filter_bytes + TRAWL_GPU_QGRAM_WORKING_BYTES,
        .cache_bytes = TRAWL_GPU_USUAL_CACHE_BYTES,
        .memory_bytes = TRAWL_GPU_USUAL_MEMORY_BYTES,
    };
    trawl_device_costs costs;
    trawl_status status = trawl_device_costs_complete(given, &costs, error);
    if (status != TRAWL_OK)
        return status;
    const trawl_cuda_qgram_target target = {
        .device = &device, .costs = &costs, .filter_bytes = filter_bytes};
    return trawl_cuda_qgram_choose(patterns, sample, sample_length, &target, layout, error);
}

#endif
