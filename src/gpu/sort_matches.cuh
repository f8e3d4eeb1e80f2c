/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Canonical order of a few matches in device memory, by one thread. */
#ifndef TRAWL_GPU_SORT_MATCHES_CUH
#define TRAWL_GPU_SORT_MATCHES_CUH

#include "gpu/contract.cuh"

static __device__ __forceinline__ bool trawl_cuda_match_before(const trawl_cuda_match &left,
                                                               const trawl_cuda_match &right) {
    if (left.end != right.end) {
        return left.end < right.end;
    }
    if (left.length != right.length) {
        return left.length > right.length; /* starts earlier */
    }
    return left.pattern < right.pattern;
}

/* Insertion sort. */
static __device__ __forceinline__ void trawl_cuda_sort_few(trawl_cuda_match *items,
                                                           uint64_t count) {
    for (uint64_t i = 1; i < count; i++) {
        trawl_cuda_match item = items[i];
        uint64_t at = i;
        for (; at > 0 && trawl_cuda_match_before(item, items[at - 1]); at--) {
            items[at] = items[at - 1];
        }
        items[at] = item;
    }
}

/* Moves the item at `root` down until it belongs behind both of its children. */
static __device__ __forceinline__ void trawl_cuda_sift(trawl_cuda_match *items, uint64_t root,
                                                       uint64_t count) {
    trawl_cuda_match item = items[root];
    for (;;) {
        uint64_t child = 2 * root + 1;
        if (child >= count) {
            break;
        }
        if (child + 1 < count && trawl_cuda_match_before(items[child], items[child + 1])) {
            child++;
        }
        if (!trawl_cuda_match_before(item, items[child])) {
            break;
        }
        items[root] = items[child];
        root = child;
    }
    items[root] = item;
}

/* Heapsort. */
static __device__ __noinline__ void trawl_cuda_sort_many(trawl_cuda_match *items, uint64_t count) {
    for (uint64_t root = count / 2; root-- > 0;) {
        trawl_cuda_sift(items, root, count);
    }
    for (uint64_t last = count - 1; last > 0; last--) {
        trawl_cuda_match item = items[0];
        items[0] = items[last];
        items[last] = item;
        trawl_cuda_sift(items, 0, last);
    }
}

static __device__ __forceinline__ void trawl_cuda_sort_matches(trawl_cuda_match *items,
                                                               uint64_t count) {
    if (count <= TRAWL_SORT_FEW) {
        trawl_cuda_sort_few(items, count);
    } else {
        trawl_cuda_sort_many(items, count);
    }
}

/* If items[at] is the first one at its end, sorts all up to `past` that end there. Other threads
 * may read the ends of these matches meanwhile: the ends are equal, so sorting does not change what
 * is read. */
static __device__ __forceinline__ void trawl_cuda_sort_end(trawl_cuda_match *items, uint64_t at,
                                                           uint64_t past) {
    const uint64_t end = items[at].end;
    if (at != 0 && items[at - 1].end == end) {
        return;
    }
    uint64_t last = at + 1;
    while (last < past && items[last].end == end) {
        last++;
    }
    if (last - at > 1) {
        trawl_cuda_sort_matches(items + at, last - at);
    }
}

#endif
