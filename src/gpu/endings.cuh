/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Reporting what database/endings_search.h finds, on the device. */
#ifndef TRAWL_GPU_ENDINGS_CUH
#define TRAWL_GPU_ENDINGS_CUH

extern "C" {
#include "database/endings_search.h"
}

#include "gpu/emission.cuh"

/* The keys of one part; passed to kernels by value. Pointers are the device's. */
typedef struct trawl_cuda_endings {
    trawl_cuda_keys keys;
    const uint64_t *endings;
    bool folded;
} trawl_cuda_endings;

static inline trawl_cuda_endings trawl_cuda_endings_of(const trawl_cuda_db *uploaded,
                                                       uint32_t part) {
    trawl_cuda_endings endings;
    endings.keys = uploaded->keys[part];
    endings.endings =
        (const uint64_t *)trawl_cuda_section(uploaded, TRAWL_SECTION_KEY_ENDING, part);
    endings.folded = uploaded->db->header->folded != 0;
    return endings;
}

/*
 * Reports the keys that end before text[end], if one of first .. last - 1 is the longest of them.
 * All of those end with the same `known` bytes, and so does the text, whose ending is `ending`.
 * Returns whether a key was reported. Not inlined: calls are rare, and inlined code would add to
 * the registers of every thread.
 */
static __device__ __noinline__ bool
trawl_cuda_report_ending(const trawl_cuda_reporter &reporter, const trawl_cuda_endings &endings,
                         uint32_t first, uint32_t last, uint32_t known, uint32_t end,
                         uint64_t ending, trawl_counter *cursor) {
    trawl_endings_view view;
    view.outputs = endings.keys.outputs;
    view.endings = endings.endings;
    view.patterns = reporter.patterns;
    view.folded = endings.folded;
    uint64_t compared = 0; /* unused: kernels have no guard */
    uint32_t key = trawl_endings_find_in(&view, first, last, known, reporter.slice.text, end,
                                         ending, &compared);
    if (key == TRAWL_NO_KEY) {
        return false;
    }
    trawl_cuda_report_key(reporter, endings.keys, end, key, cursor);
    return true;
}

#endif
