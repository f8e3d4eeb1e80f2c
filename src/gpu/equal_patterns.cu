/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gpu/equal_patterns.cuh"

static bool any_case(const trawl_pattern_view *patterns, uint32_t id) {
    return (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
}

/* Whether two patterns of one key match at the same places. */
static bool are_equal(const trawl_pattern_view *patterns, uint32_t one, uint32_t other) {
    return any_case(patterns, one) == any_case(patterns, other) &&
           trawl_pattern_matches(patterns, one, trawl_view_begin(patterns, other));
}

/* Fills in the elements of one key, ids[begin .. past). */
static void find_equal(const trawl_pattern_view *patterns, const uint32_t *ids, uint32_t begin,
                       uint32_t past, trawl_equal_patterns *equal) {
    uint32_t firsts[TRAWL_EQUAL_PATTERNS_KINDS], kinds = 0, last = past;
    for (uint32_t i = begin; i < past; i++) {
        uint32_t kind = 0;
        while (kind < kinds && !are_equal(patterns, ids[firsts[kind]], ids[i])) {
            kind++;
        }
        if (kind < kinds) {
            equal[firsts[kind]].times++;
            equal[i] = {0, kind};
            continue;
        }
        if (kinds < TRAWL_EQUAL_PATTERNS_KINDS) {
            firsts[kinds++] = i;
        }
        if (last != past) {
            equal[last].next = i;
        }
        equal[i] = {1, past};
        last = i;
    }
}

trawl_status trawl_cuda_upload_equal_patterns(const trawl_outputs *outputs,
                                              const trawl_pattern_view *patterns,
                                              trawl_cuda_keys *keys, trawl_error *error) {
    bool needed = false;
    for (uint32_t key = 0; key < outputs->keys && !needed; key++) {
        needed = (outputs->verify[key] & TRAWL_VERIFY_OWN) != 0 &&
                 outputs->first[key + 1] - outputs->first[key] > 1;
    }
    if (!needed) {
        return TRAWL_OK;
    }
    const size_t bytes = outputs->first[outputs->keys] * sizeof(trawl_equal_patterns);
    trawl_equal_patterns *equal = (trawl_equal_patterns *)trawl_allocate(1, bytes);
    if (equal == NULL) {
        return trawl_fail_memory(error, "a database on a device", bytes);
    }
    for (uint32_t key = 0; key < outputs->keys; key++) {
        find_equal(patterns, outputs->ids, outputs->first[key], outputs->first[key + 1], equal);
    }
    cudaError_t code = cudaMalloc((void **)&keys->equal, bytes);
    if (code == cudaSuccess) {
        code = cudaMemcpy(keys->equal, equal, bytes, cudaMemcpyHostToDevice);
    }
    trawl_release(equal);
    return code == cudaSuccess ? TRAWL_OK : trawl_cuda_failed(code, "equal patterns", error);
}
