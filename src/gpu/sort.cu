/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gpu/sort.cuh"

/* A strip has a few hundred bytes of text and usually a handful of matches: one thread sorts them
 * in place. */

static __device__ __forceinline__ bool before(const trawl_cuda_match &left,
                                              const trawl_cuda_match &right) {
    if (left.end != right.end) {
        return left.end < right.end;
    }
    if (left.length != right.length) {
        return left.length > right.length; /* starts earlier */
    }
    return left.pattern < right.pattern;
}

static __device__ void sort_few(trawl_cuda_match *items, uint64_t count) {
    for (uint64_t i = 1; i < count; i++) {
        trawl_cuda_match item = items[i];
        uint64_t at = i;
        for (; at > 0 && before(item, items[at - 1]); at--) {
            items[at] = items[at - 1];
        }
        items[at] = item;
    }
}

/* Moves the item at `root` down until no child of it belongs behind it. */
static __device__ void sift(trawl_cuda_match *items, uint64_t root, uint64_t count) {
    trawl_cuda_match item = items[root];
    for (;;) {
        uint64_t child = 2 * root + 1;
        if (child >= count) {
            break;
        }
        if (child + 1 < count && before(items[child], items[child + 1])) {
            child++;
        }
        if (!before(item, items[child])) {
            break;
        }
        items[root] = items[child];
        root = child;
    }
    items[root] = item;
}

static __device__ void sort_many(trawl_cuda_match *items, uint64_t count) {
    for (uint64_t root = count / 2; root-- > 0;) {
        sift(items, root, count);
    }
    for (uint64_t last = count - 1; last > 0; last--) {
        trawl_cuda_match item = items[0];
        items[0] = items[last];
        items[last] = item;
        sift(items, 0, last);
    }
}

static __device__ void sort(trawl_cuda_match *items, uint64_t count) {
    if (count <= TRAWL_SORT_FEW) {
        sort_few(items, count);
    } else {
        sort_many(items, count);
    }
}

static __global__ void sort_strips(trawl_cuda_match *matches, const trawl_counter *ends,
                                   uint64_t strips, const trawl_counter *total,
                                   trawl_counter capacity) {
    uint64_t strip = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (strip >= strips || *total > capacity) {
        return;
    }
    uint64_t begin = strip == 0 ? 0 : ends[strip - 1];
    sort(matches + begin, ends[strip] - begin);
}

/* The thread of the first match at an end sorts all that end there. Other threads may read the ends
 * of these matches meanwhile: the ends are equal, so sorting does not change what is read. */
static __global__ void sort_equal_ends(trawl_cuda_match *matches, const trawl_counter *total,
                                       trawl_counter capacity) {
    const uint64_t count = *total, stride = (uint64_t)gridDim.x * blockDim.x;
    if (count > capacity) {
        return;
    }
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        const uint64_t end = matches[i].end;
        if (i != 0 && matches[i - 1].end == end) {
            continue;
        }
        uint64_t past = i + 1;
        while (past < count && matches[past].end == end) {
            past++;
        }
        if (past - i > 1) {
            sort(matches + i, past - i);
        }
    }
}

trawl_status trawl_cuda_sort_strips(const trawl_gpu_tuning *tuning, trawl_cuda_match *matches,
                                    const trawl_counter *ends, uint64_t strips,
                                    const trawl_counter *total, trawl_counter capacity,
                                    cudaStream_t stream, trawl_error *error) {
    const uint32_t threads = tuning->sort_strip_threads;
    TRAWL_LAUNCH(sort_strips, (unsigned)((strips + threads - 1) / threads), threads, 0, stream,
                 matches, ends, strips, total, capacity);
    TRAWL_CUDA_LAUNCHED("sort_strips", error);
    return TRAWL_OK;
}

trawl_status trawl_cuda_sort_equal_ends(const trawl_gpu_tuning *tuning, trawl_cuda_match *matches,
                                        const trawl_counter *total, trawl_counter capacity,
                                        cudaStream_t stream, trawl_error *error) {
    TRAWL_LAUNCH(sort_equal_ends, tuning->sort_end_blocks, tuning->sort_end_threads, 0, stream,
                 matches, total, capacity);
    TRAWL_CUDA_LAUNCHED("sort_equal_ends", error);
    return TRAWL_OK;
}
