/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The filter step: tests all samples of the text against the sample filters, and lists candidates
 * for the verify step, strip by strip.
 *
 * It does nothing else. An earlier version looked up end offsets here, while the text was in
 * caches. That made warps wait which had text to read, and took longer than reading some of the
 * text again.
 *
 * A warp owns a strip and tests it batch by batch, each batch against one tier after the other. The
 * loop needs all registers: registers in local memory would be slow, because the filters in shared
 * memory leave little of the L1 cache. For the same reason candidates are listed in the form in
 * which the loop has them, a bit for each sample; the verify step turns the bits into positions.
 *
 * The warp that owns a sample reports every match that the sample leads to, up to 15 bytes behind
 * the sample, even behind the strip. Samples before the first byte of the slice are tested by one
 * warp of the verify step (test_before).
 */
#include "engines/qgram/cuda/find_keys.cuh"

/* What the loop reads of a tier, in shared memory. */
typedef struct filter_tier {
    uint32_t shape;                  /* trawl_qgram_shape_of */
    uint32_t filter_at, filter_size; /* trawl_qgram_filter_size */
    uint32_t mask, folded;
    uint32_t stride_shift;
    const uint32_t *filter; /* GLOBAL */
} filter_tier;

/* The tiers, in shared memory, for all warps of a block. */
typedef struct filter_tiers {
    uint32_t count, unused;
    filter_tier tier[TRAWL_CUDA_QGRAM_TIERS];
} filter_tiers;

/* The arguments of the functions below. */
typedef struct filter_context {
    const trawl_cuda_slice *slice;
    const uint32_t *image;     /* in shared memory */
    const filter_tiers *tiers; /* in shared memory */
} filter_context;

/* The candidate list of a strip while it is written. All members but `samples` have the same value
 * in all threads of the warp. */
typedef struct candidate_list {
    uint64_t *words;
    uint32_t count;
    uint32_t samples; /* candidates of the thread */
} candidate_list;

/* Lists the candidates of each thread. `at`: offset of the thread's first byte in the strip. All
 * threads of the warp call this. */
static __device__ __forceinline__ void list_candidates(candidate_list *self, uint32_t number,
                                                       const filter_tier &tier, uint32_t at,
                                                       uint32_t candidate_bits) {
    const uint32_t lane = threadIdx.x % 32, some = __ballot_sync(FULL, candidate_bits != 0);
    if (candidate_bits != 0) {
        uint32_t header = at | number << TRAWL_QGRAM_WORD_TIER_SHIFT |
                          tier.stride_shift << TRAWL_QGRAM_WORD_STRIDE_SHIFT;
        self->words[self->count + (uint32_t)__popc(some & ((1u << lane) - 1))] =
            (uint64_t)header << 32 | candidate_bits;
    }
    self->count += (uint32_t)__popc(some);
    self->samples += (uint32_t)__popc(candidate_bits);
}

/* ------------------------------------------------------------------ tiers */

/* Tests all positions. Bit b of a thread's result is its sample 31 - b: of the first half of the
 * batch in x, of the second half in y. */
template <int WORDS, int BITS>
static __device__ __forceinline__ uint2 every_position(const filter_tier &tier,
                                                       const uint32_t *filter, const uint4 *own,
                                                       uint4 edge) {
    uint2 candidate_bits;
    candidate_bits.x = trawl_qgram_test_vectors<1, WORDS, BITS, false, 2>(
        own, &edge, filter, tier.filter_size, tier.mask, tier.folded != 0);
    candidate_bits.y = trawl_qgram_test_vectors<1, WORDS, BITS, false, 2>(
        own + 2, &edge, filter, tier.filter_size, tier.mask, tier.folded != 0);
    return candidate_bits;
}

/* The same by cores. */
static __device__ __forceinline__ uint2 test_cores(const filter_tier &tier, const uint32_t *filter,
                                                   const uint4 *own, uint4 edge) {
    uint2 candidate_bits;
    candidate_bits.x =
        trawl_qgram_test_cores<2>(own, &edge, filter, tier.filter_size, tier.folded != 0);
    candidate_bits.y =
        trawl_qgram_test_cores<2>(own + 2, &edge, filter, tier.filter_size, tier.folded != 0);
    return candidate_bits;
}

/* Tests all byte pairs. `counted`: all positions are owned and have a byte before them. Then
 * matches are counted at once, in *sum, and only pairs with 15 matches or more are candidates. */
static __device__ __forceinline__ uint2 test_pairs(const uint32_t *filter, const uint4 *own,
                                                   uint4 edge, bool counted, uint32_t *sum) {
    uint32_t candidate_bits[2] = {0, 0};
#pragma unroll
    for (uint32_t i = 0; i < trawl_qgram_tuned::vectors; i++) {
        uint32_t words[5] = {trawl_qgram_word_before(own[i].w, &edge.w), own[i].x, own[i].y,
                             own[i].z, own[i].w};
#pragma unroll
        for (uint32_t j = 0; j < 16; j++) {
            uint32_t total = trawl_qgram_pair_total(filter, words, j);
            uint32_t least = counted ? TRAWL_CUDA_QGRAM_MANY_PAIRS : 1;
            candidate_bits[i / 2] = candidate_bits[i / 2] << 1 | (total >= least ? 1 : 0);
            *sum += total >= least ? 0 : total;
        }
    }
    return make_uint2(candidate_bits[0], candidate_bits[1]);
}

/* Tests a batch for a tier of any shape. At strides above 1 only x of the result is used: bit b is
 * the thread's sample 64 / stride - 1 - b. */
struct test_batch {
    const filter_tier &tier;
    const uint32_t *filter; /* in shared memory */
    const uint4 *own;
    const uint4 &edge;
    bool counted;
    uint32_t *sum;

    __device__ __forceinline__ uint2 pairs() const {
        return test_pairs(filter, own, edge, counted, sum);
    }
    __device__ __forceinline__ uint2 cores() const {
        return test_cores(tier, filter, own, edge);
    }
    template <int WORDS, int BITS> __device__ __forceinline__ uint2 every() const {
        return every_position<WORDS, BITS>(tier, filter, own, edge);
    }
    template <int STRIDE, int WORDS, int BITS, bool GLOBAL>
    __device__ __forceinline__ uint2 strided() const {
        uint4 before = edge;
        return make_uint2(
            trawl_qgram_test_vectors<STRIDE, WORDS, BITS, GLOBAL, trawl_qgram_tuned::vectors>(
                own, &before, GLOBAL ? tier.filter : filter, tier.filter_size, tier.mask,
                tier.folded != 0),
            0);
    }
};

static __device__ __forceinline__ uint2 test_tier(const filter_context &context,
                                                  const filter_tier &tier, const uint4 *own,
                                                  const uint4 &edge, bool counted, uint32_t *sum) {
    const test_batch test = {tier, context.image + tier.filter_at, own, edge, counted, sum};
    return trawl_qgram_visit_shape<uint2>(tier.shape, test);
}

/* ------------------------------------------------------------------ a strip */

/* Tests one strip, which begins at text[from]. Returns how many matches of byte pairs the thread
 * has counted. COUNTED: they are counted in batches that are owned completely. */
template <bool COUNTED>
static __device__ __forceinline__ uint32_t filter_strip(const filter_context &context,
                                                        uint32_t strip_bytes, int64_t from,
                                                        candidate_list *list) {
    const trawl_cuda_slice &slice = *context.slice;
    const int32_t begin = (int32_t)from;
    const int32_t past = from + strip_bytes > (int64_t)slice.length ? (int32_t)slice.length
                                                                    : (int32_t)(from + strip_bytes);
    uint32_t sum = 0;
    uint4 edge = load_vector(slice, begin - 16);
    uint4 own[trawl_qgram_tuned::vectors];
    load_batch(slice, begin, own);
    for (int32_t batch = begin; batch < past; batch += (int32_t)TRAWL_QGRAM_BATCH) {
        bool counted = COUNTED && batch > 0 && batch >= (int32_t)slice.owned &&
                       batch + (int32_t)TRAWL_QGRAM_BATCH <= past;
        for (uint32_t number = 0; number < context.tiers->count; number++) {
            const filter_tier &tier = context.tiers->tier[number];
            uint2 candidate_bits = test_tier(context, tier, own, edge, counted, &sum);
            if (__any_sync(FULL, (candidate_bits.x | candidate_bits.y) != 0)) {
                uint32_t at = (uint32_t)(batch - begin) + threadIdx.x % 32 * 16;
                list_candidates(list, number, tier, at, candidate_bits.x);
                if (tier.stride_shift == 0) {
                    list_candidates(list, number, tier, at + 2 * TRAWL_QGRAM_VECTOR_BYTES,
                                    candidate_bits.y);
                }
            }
        }
        edge = vector_of_last_thread(own[trawl_qgram_tuned::vectors - 1]);
        if (batch + (int32_t)TRAWL_QGRAM_BATCH < past) {
            load_batch(slice, batch + (int32_t)TRAWL_QGRAM_BATCH, own);
        }
    }
    return sum;
}

/* ------------------------------------------------------------------ shared memory */

/* What a block has in shared memory behind the filters. */
typedef struct filter_shared {
    filter_tiers tiers;
    trawl_counter counted; /* matches of byte pairs; not in a register: the loop needs all */
    trawl_counter samples; /* candidates of all strips so far */
    uint32_t strips, listed, longest;
} filter_shared;

/* Copies the filters, and initialises `block`. All threads of the block call this, and synchronise
 * afterwards. */
static __device__ __forceinline__ void copy_to_shared(const trawl_cuda_qgram_view &view,
                                                      uint8_t *shared, filter_shared *block) {
    copy_image(view.image, view.image_words / 4, shared);
    if (threadIdx.x == 0) {
        block->tiers.count = view.tiers;
        block->counted = 0;
        block->listed = block->longest = block->strips = 0;
        block->samples = 0;
    }
    if (threadIdx.x < view.tiers) {
        const trawl_cuda_qgram_tables &table = view.table[threadIdx.x];
        block->tiers.tier[threadIdx.x] = {trawl_qgram_shape_of(table.tier),
                                          table.tier.filter_at,
                                          trawl_qgram_filter_size(table.tier),
                                          table.mask,
                                          table.tier.folded,
                                          (uint32_t)__ffs((int)table.tier.stride) - 1,
                                          table.filter};
    }
}

/* Whether a strip with so many candidates is dense. All threads of the warp call this. */
static __device__ __forceinline__ bool is_dense(filter_shared *block, uint32_t samples,
                                                uint32_t strip_bytes) {
    uint32_t dense = 0;
    if (threadIdx.x % 32 == 0) {
        const uint64_t strips = atomicAdd(&block->strips, 1u) + 1;
        const uint64_t sum = atomicAdd(&block->samples, (trawl_counter)samples) + samples;
        dense = samples > strip_bytes / trawl_qgram_tuned::dense_bytes_per_candidate ||
                (samples > strip_bytes / trawl_qgram_tuned::least_bytes_per_candidate &&
                 samples * strips > trawl_qgram_tuned::dense_times_mean * sum);
    }
    return __shfl_sync(FULL, dense, 0) != 0;
}

/* Lists the pieces of a dense strip with so many candidate words and candidates. All threads of the
 * warp call this. */
static __device__ __forceinline__ void list_pieces(const trawl_cuda_qgram_candidates &candidates,
                                                   uint32_t strip, uint32_t count,
                                                   uint32_t samples) {
    const uint32_t words =
        clamp((uint64_t)count * trawl_qgram_tuned::piece_candidates / samples,
              trawl_qgram_tuned::least_piece_words, trawl_qgram_tuned::most_piece_words);
    const uint32_t pieces = (count + words - 1) / words, lane = threadIdx.x % 32;
    uint32_t first = lane == 0 ? atomicAdd(candidates.dense_pieces, pieces) : 0;
    first = __shfl_sync(FULL, first, 0);
    for (uint32_t i = lane; i < pieces; i += 32) {
        const uint32_t from = i * words, left = count - from;
        candidates.dense[first + i] = make_uint2(
            strip, from | (left < words ? left : words) << TRAWL_QGRAM_PIECE_COUNT_SHIFT);
    }
}

template <bool COUNTED>
static __global__ void __launch_bounds__(trawl_qgram_tuned::filter_threads, 1)
    filter_text(const __grid_constant__ trawl_cuda_reporter reporter,
                const __grid_constant__ trawl_cuda_qgram_view view,
                const __grid_constant__ trawl_cuda_qgram_candidates candidates,
                uint32_t strip_bytes) {
    TRAWL_SHARED(shared);
    filter_shared *block = (filter_shared *)(shared + 4 * view.image_words);
    trawl_cuda_let_next();
    copy_to_shared(view, shared, block);
    __syncthreads();
    const trawl_cuda_slice &slice = reporter.slice;
    const uint32_t strips = trawl_cuda_strip_count(&slice, strip_bytes);
    const uint32_t warps = blockDim.x / 32;
    const filter_context context = {&slice, (const uint32_t *)shared, &block->tiers};
    for (uint32_t strip = blockIdx.x * warps + threadIdx.x / 32; strip < strips;
         strip += gridDim.x * warps) {
        candidate_list list = {candidates.words + (size_t)strip * candidates.capacity, 0, 0};
        uint32_t sum = filter_strip<COUNTED>(
            context, strip_bytes, trawl_cuda_strip_begin(&slice, strip_bytes, strip), &list);
        if (COUNTED && sum != 0) {
            atomicAdd(&block->counted, (trawl_counter)sum);
        }
        uint32_t samples;
        (void)sum_before(list.samples, &samples);
        const bool dense = is_dense(block, samples, strip_bytes);
        if (threadIdx.x % 32 == 0) {
            candidates.count[strip] = dense ? 0 : list.count;
            if (!dense && list.count != 0) {
                atomicAdd(&block->listed, list.count);
                atomicMax(&block->longest, list.count);
            }
        }
        if (dense) {
            list_pieces(candidates, strip, list.count, samples);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(candidates.listed, block->listed);
        atomicMax(candidates.longest, block->longest);
        if (COUNTED && block->counted != 0) {
            atomicAdd(reporter.output.total, block->counted);
        }
    }
}

uint32_t trawl_cuda_qgram_filter_shared(void) {
    return (uint32_t)sizeof(filter_shared);
}

template <bool COUNTED>
static trawl_status run(const trawl_cuda_qgram_call *call, trawl_error *error) {
    uint32_t bytes = 4 * call->view->image_words + trawl_cuda_qgram_filter_shared();
    trawl_status status = trawl_cuda_allow_shared(call->device, filter_text<COUNTED>, bytes, error);
    if (status != TRAWL_OK) {
        return status;
    }
    TRAWL_LAUNCH((filter_text<COUNTED>), call->blocks, call->threads, bytes, call->stream,
                 *call->reporter, *call->view, call->candidates, call->strip_bytes);
    TRAWL_CUDA_LAUNCHED("filter_text", error);
    return TRAWL_OK;
}

trawl_status trawl_cuda_qgram_filter_text(const trawl_cuda_qgram_call *call, trawl_error *error) {
    return call->reporter->output.pass == TRAWL_CUDA_PASS_COUNT ? run<true>(call, error)
                                                                : run<false>(call, error);
}
