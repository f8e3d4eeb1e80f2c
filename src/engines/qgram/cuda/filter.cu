/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The first step of a scan: FILTER alone, for all samples of the text. What passes is listed, strip
 * by strip, for the second step (qgram_tally.cu). Nothing else happens here: asking the second
 * question as well, while the text is in the caches, keeps warps waiting that have text to read,
 * and took longer than to read some of it once more.
 *
 * A warp owns a strip and goes over it in windows of 2 KB, of which it asks the tiers' FILTERs one
 * after the other. The loop needs all registers that there are: what the compiler would put aside
 * for it in local memory comes back late, as shared memory leaves that little cache. So what passes
 * is listed as the loop has it, a bit for each sample of a thread; who asks further has the time to
 * take the bits apart.
 *
 * What ends at a sample, or up to 15 bytes behind it, is found by who has the sample, wherever it
 * ends; samples before the slice's first byte are asked by one warp of the second step.
 */
#include "engines/qgram/cuda/test.cuh"

/* What the loop has to know of a tier, in shared memory. */
typedef struct filter_tier {
    uint32_t shape; /* below */
    uint32_t filter_at, filter_words;
    uint32_t mask, case_bits;
    uint32_t stride_shift;
    const uint32_t *filter; /* GLOBAL */
} filter_tier;

/* Shapes: those of qgram_filter.cuh, in shared memory or behind the L2 cache, and others. */
#define SHAPE_PAIRS 0u
#define SHAPE_EVERYWHERE(words, ones) (1u + 2 * ((words)-1) + ((ones)-1))
#define SHAPE_GLOBAL 256u

/* Shared memory of all warps. */
typedef struct filter_tiers {
    uint32_t count, unused;
    filter_tier tier[TRAWL_CUDA_QGRAM_TIERS];
} filter_tiers;

/* What a warp works with. */
typedef struct sieving {
    const trawl_cuda_slice *slice;
    const uint32_t *image;     /* in shared memory */
    const filter_tiers *tiers; /* likewise */
} sieving;

/* A strip's list while it is written. All threads of the warp have the same, but for `samples`. */
typedef struct listing {
    uint64_t *bundles;
    uint32_t count;
    uint32_t samples; /* of the thread, that have passed */
} listing;

/* Lists what has passed of the samples of each thread, whose bytes begin `at` bytes behind the
 * strip's first one. All threads of the warp call it. */
static __device__ __forceinline__ void
put_bundle(listing *self, uint32_t number, const filter_tier &tier, uint32_t at, uint32_t passed) {
    const uint32_t lane = threadIdx.x % 32, some = __ballot_sync(FULL, passed != 0);
    if (passed != 0) {
        uint32_t about = at | number << TRAWL_QGRAM_BUNDLE_TIER_SHIFT |
                         tier.stride_shift << TRAWL_QGRAM_BUNDLE_STRIDE_SHIFT;
        self->bundles[self->count + (uint32_t)__popc(some & ((1u << lane) - 1))] =
            (uint64_t)about << 32 | passed;
    }
    self->count += (uint32_t)__popc(some);
    self->samples += (uint32_t)__popc(passed);
}

/* ------------------------------------------------------------------ tiers */

/* Bits of a tier: bit b of a thread is its sample 31 - b of the window's first half, in x, and of
 * the second one, in y. */
template <int WORDS, int ONES>
static __device__ __forceinline__ uint2 every_position(const filter_tier &tier,
                                                       const uint32_t *filter, const uint4 *own,
                                                       uint4 edge) {
    uint2 passed;
    passed.x = trawl_qgram_vectors<1, WORDS, ONES, false, 2>(own, &edge, filter, tier.filter_words,
                                                             tier.mask, tier.case_bits);
    passed.y = trawl_qgram_vectors<1, WORDS, ONES, false, 2>(
        own + 2, &edge, filter, tier.filter_words, tier.mask, tier.case_bits);
    return passed;
}

/* Pairs of bytes. `counted`: all positions are owned and have a byte before them, so that what the
 * pairs say is counted at once, in *sum. */
static __device__ __forceinline__ uint2 pairs(const uint32_t *filter, const uint4 *own, uint4 edge,
                                              bool counted, uint32_t *sum) {
    uint32_t passed[2] = {0, 0};
#pragma unroll
    for (uint32_t i = 0; i < TRAWL_QGRAM_VECTORS; i++) {
        uint32_t words[5] = {trawl_qgram_before(own[i].w, &edge.w), own[i].x, own[i].y, own[i].z,
                             own[i].w};
#pragma unroll
        for (uint32_t j = 0; j < 16; j++) {
            uint32_t total = trawl_qgram_pair(filter, words, j);
            uint32_t least = counted ? TRAWL_CUDA_QGRAM_MANY_PAIRS : 1;
            passed[i / 2] = passed[i / 2] << 1 | (total >= least ? 1 : 0);
            *sum += total >= least ? 0 : total;
        }
    }
    return make_uint2(passed[0], passed[1]);
}

/* The same for all tiers; at strides of more than 1 bit b of x is sample 64 / stride - 1 - b. */
static __device__ __forceinline__ uint2 ask_tier(const sieving &with, const filter_tier &tier,
                                                 const uint4 *own, const uint4 &edge, bool counted,
                                                 uint32_t *sum) {
    const uint32_t *filter = with.image + tier.filter_at;
    uint4 before = edge;
    switch (tier.shape) {
#define SHAPE(stride, words)                                                                       \
    case TRAWL_QGRAM_SHAPE(stride, words):                                                         \
        return make_uint2(trawl_qgram_vectors<stride, words, 2, false, TRAWL_QGRAM_VECTORS>(       \
                              own, &before, filter, tier.filter_words, tier.mask, tier.case_bits), \
                          0);
        TRAWL_QGRAM_SHAPES
#undef SHAPE
    case SHAPE_PAIRS:
        return pairs(filter, own, edge, counted, sum);
    case SHAPE_EVERYWHERE(1, 1):
        return every_position<1, 1>(tier, filter, own, edge);
    case SHAPE_EVERYWHERE(1, 2):
        return every_position<1, 2>(tier, filter, own, edge);
    case SHAPE_EVERYWHERE(2, 1):
        return every_position<2, 1>(tier, filter, own, edge);
    case SHAPE_EVERYWHERE(2, 2):
        return every_position<2, 2>(tier, filter, own, edge);
#define SHAPE(stride, words)                                                                       \
    case SHAPE_GLOBAL + TRAWL_QGRAM_SHAPE(stride, words):                                          \
        return make_uint2(                                                                         \
            trawl_qgram_vectors<stride, words, 2, true, TRAWL_QGRAM_VECTORS>(                      \
                own, &before, tier.filter, tier.filter_words, tier.mask, tier.case_bits),          \
            0);
        TRAWL_QGRAM_SHAPES
#undef SHAPE
    default:
        return make_uint2(0, 0);
    }
}

/* ------------------------------------------------------------------ a strip */

/* One strip, which begins at text[from]. Returns what the thread has counted of pairs; COUNTED:
 * some of it is to be counted at once. */
template <bool COUNTED>
static __device__ __forceinline__ uint32_t filter_strip(const sieving &with, uint32_t strip_bytes,
                                                        int64_t from, listing *list) {
    const trawl_cuda_slice &slice = *with.slice;
    const int32_t begin = (int32_t)from;
    const int32_t past = from + strip_bytes > (int64_t)slice.length ? (int32_t)slice.length
                                                                    : (int32_t)(from + strip_bytes);
    uint32_t sum = 0;
    uint4 edge = load_vector(slice, begin - 16);
    uint4 own[TRAWL_QGRAM_VECTORS];
    load_window(slice, begin, own);
    for (int32_t window = begin; window < past; window += (int32_t)TRAWL_QGRAM_WINDOW) {
        bool counted = COUNTED && window > 0 && window >= (int32_t)slice.owned &&
                       window + (int32_t)TRAWL_QGRAM_WINDOW <= past;
        for (uint32_t number = 0; number < with.tiers->count; number++) {
            const filter_tier &tier = with.tiers->tier[number];
            uint2 passed = ask_tier(with, tier, own, edge, counted, &sum);
            if (__any_sync(FULL, (passed.x | passed.y) != 0)) {
                uint32_t at = (uint32_t)(window - begin) + threadIdx.x % 32 * 16;
                put_bundle(list, number, tier, at, passed.x);
                if (tier.stride_shift == 0) {
                    put_bundle(list, number, tier, at + 2 * TRAWL_QGRAM_VECTOR_BYTES, passed.y);
                }
            }
        }
        const uint4 &last = own[TRAWL_QGRAM_VECTORS - 1];
        edge = make_uint4(__shfl_sync(FULL, last.x, 31), __shfl_sync(FULL, last.y, 31),
                          __shfl_sync(FULL, last.z, 31), __shfl_sync(FULL, last.w, 31));
        if (window + (int32_t)TRAWL_QGRAM_WINDOW < past) {
            load_window(slice, window + (int32_t)TRAWL_QGRAM_WINDOW, own);
        }
    }
    return sum;
}

/* ------------------------------------------------------------------ shared memory */

/* Behind the FILTERs. */
typedef struct filter_shared {
    filter_tiers tiers;
    trawl_counter counted; /* by pairs: not in registers, of which the loop needs all */
    uint32_t listed, longest;
} filter_shared;

static __device__ __forceinline__ uint32_t shape_of(const trawl_cuda_qgram_tier &tier) {
    uint32_t words = trawl_cuda_qgram_words(&tier);
    if (tier.place == TRAWL_CUDA_QGRAM_DIRECT) {
        return SHAPE_PAIRS;
    }
    if (tier.stride == 1) {
        return SHAPE_EVERYWHERE(words, tier.filter_ones);
    }
    return TRAWL_QGRAM_SHAPE(tier.stride, words) +
           (tier.place == TRAWL_CUDA_QGRAM_GLOBAL ? SHAPE_GLOBAL : 0);
}

/* Fills it. All threads of the block call it, and wait for each other afterwards. */
static __device__ __forceinline__ void copy_near(const trawl_cuda_qgram_view &view, uint8_t *shared,
                                                 filter_shared *near) {
    for (uint32_t i = threadIdx.x; i < view.image_words / 4; i += blockDim.x) {
        ((uint4 *)shared)[i] = __ldg(view.image + i);
    }
    if (threadIdx.x == 0) {
        near->tiers.count = view.tiers;
        near->counted = 0;
        near->listed = near->longest = 0;
    }
    if (threadIdx.x < view.tiers) {
        const trawl_cuda_qgram_tables &table = view.table[threadIdx.x];
        near->tiers.tier[threadIdx.x] = {
            shape_of(table.tier), table.tier.filter_at, table.tier.filter_words,
            table.mask,           table.case_bits,      (uint32_t)__ffs((int)table.tier.stride) - 1,
            table.filter};
    }
}

template <bool COUNTED>
static __global__ void __launch_bounds__(TRAWL_QGRAM_THREADS, 1)
    sieve(const __grid_constant__ trawl_cuda_reporter reporter,
          const __grid_constant__ trawl_cuda_qgram_view view,
          const __grid_constant__ trawl_cuda_qgram_candidates candidates, uint32_t strip_bytes) {
    TRAWL_SHARED(shared);
    filter_shared *near = (filter_shared *)(shared + 4 * view.image_words);
    trawl_cuda_let_next();
    copy_near(view, shared, near);
    __syncthreads();
    const trawl_cuda_slice &slice = reporter.slice;
    const uint32_t strips = trawl_cuda_strip_count(&slice, strip_bytes);
    const uint32_t warps = blockDim.x / 32;
    const sieving with = {&slice, (const uint32_t *)shared, &near->tiers};
    for (uint32_t strip = blockIdx.x * warps + threadIdx.x / 32; strip < strips;
         strip += gridDim.x * warps) {
        listing list = {candidates.bundles + (size_t)strip * candidates.capacity, 0, 0};
        uint32_t sum = filter_strip<COUNTED>(
            with, strip_bytes, trawl_cuda_strip_begin(&slice, strip_bytes, strip), &list);
        if (COUNTED && sum != 0) {
            atomicAdd(&near->counted, (trawl_counter)sum);
        }
        uint32_t samples;
        (void)sum_before(list.samples, &samples);
        const bool dense = samples > strip_bytes / TRAWL_QGRAM_BYTES_PER_SAMPLE;
        if (threadIdx.x % 32 == 0) {
            candidates.count[strip] = dense ? 0 : list.count;
            if (dense) {
                candidates.dense[atomicAdd(candidates.dense_strips, 1u)] =
                    make_uint2(strip, list.count);
            } else if (list.count != 0) {
                atomicAdd(&near->listed, list.count);
                atomicMax(&near->longest, list.count);
            }
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(candidates.listed, near->listed);
        atomicMax(candidates.longest, near->longest);
        if (COUNTED && near->counted != 0) {
            atomicAdd(reporter.output.total, near->counted);
        }
    }
}

uint32_t trawl_cuda_qgram_filter_shared(void) {
    return (uint32_t)sizeof(filter_shared);
}

template <bool COUNTED>
static trawl_status run(const trawl_cuda_qgram_call *call, trawl_error *error) {
    uint32_t bytes = 4 * call->view->image_words + trawl_cuda_qgram_filter_shared();
    trawl_status status = trawl_cuda_allow_shared(call->device, sieve<COUNTED>, bytes, error);
    if (status != TRAWL_OK) {
        return status;
    }
    TRAWL_LAUNCH((sieve<COUNTED>), call->blocks, call->threads, bytes, call->stream,
                 *call->reporter, *call->view, call->candidates, call->strip_bytes);
    TRAWL_CUDA_LAUNCHED("sieve", error);
    return TRAWL_OK;
}

trawl_status trawl_cuda_qgram_filter_text(const trawl_cuda_qgram_call *call, trawl_error *error) {
    return call->reporter->output.pass == TRAWL_CUDA_PASS_COUNT ? run<true>(call, error)
                                                                : run<false>(call, error);
}
