/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* How the warps of the verify step take candidates from the lists of the filter step. */
#ifndef TRAWL_ENGINES_QGRAM_CUDA_VERIFY_SHARES_CUH
#define TRAWL_ENGINES_QGRAM_CUDA_VERIFY_SHARES_CUH

#include "engines/qgram/cuda/find_keys.cuh"

/* ------------------------------------------------------------------ queues */

/* Entries of a queue: at most 31 remain before each of 32 threads adds one. */
#define WAITING 64u

/* Where the tier's number begins in an entry for a position: the position is in the lower half. */
#define END_TIER_SHIFT 32

static __device__ __forceinline__ uint32_t rank_among(uint32_t some) {
    return (uint32_t)__popc(some & ((1u << threadIdx.x % 32) - 1));
}

/* Takes the last entries of a queue, one for each thread. *there: the thread has one. */
static __device__ __forceinline__ uint64_t take(const uint64_t *queue, uint32_t *waiting,
                                                bool *there) {
    const uint32_t count = *waiting < 32 ? *waiting : 32;
    *waiting -= count;
    *there = threadIdx.x % 32 < count;
    __syncwarp();
    uint64_t taken = *there ? queue[*waiting + threadIdx.x % 32] : 0;
    __syncwarp();
    return taken;
}

static __device__ __forceinline__ uint32_t tier_of(uint64_t end) {
    return (uint32_t)(end >> END_TIER_SHIFT) & 0xff;
}

/* ------------------------------------------------------------------ candidate words */

/* A thread's candidate word; `candidate_bits` is 0 if the thread has none. */
typedef struct candidate_word {
    uint32_t candidate_bits, header;
    int32_t begin; /* first byte of the strip, in the slice */
} candidate_word;

static __device__ __forceinline__ uint32_t tier_of_word(const candidate_word &word) {
    return word.header >> TRAWL_QGRAM_WORD_TIER_SHIFT & (TRAWL_CUDA_QGRAM_TIERS - 1);
}

/* Puts all candidates of the threads' words into a queue: first the earliest one of each thread,
 * then the second one, and so on. Calls `test` whenever the queue has an entry for each thread. */
template <typename Test>
static __device__ __forceinline__ void queue_candidates(const candidate_word &word, uint64_t *queue,
                                                        uint32_t *waiting, const Test &test) {
    const uint32_t shift = word.header >> TRAWL_QGRAM_WORD_STRIDE_SHIFT;
    const uint32_t number = tier_of_word(word);
    const int32_t from =
        word.begin + (int32_t)(word.header & (TRAWL_QGRAM_MOST_STRIP - 1)) + (1 << shift);
    /* The earliest sample's bit becomes the highest. */
    uint32_t candidate_bits = word.candidate_bits << (32 - trawl_cuda_qgram_samples_of_word(shift));
    for (uint32_t some = __ballot_sync(FULL, candidate_bits != 0); some != 0;
         some = __ballot_sync(FULL, candidate_bits != 0)) {
        if (candidate_bits != 0) {
            uint32_t sample = (uint32_t)__clz((int)candidate_bits);
            candidate_bits ^= 0x80000000u >> sample;
            uint32_t byte = sample << shift; /* in the thread's own bytes of all vectors */
            int32_t end = from + (int32_t)(byte / 16 * TRAWL_QGRAM_VECTOR_BYTES + byte % 16);
            queue[*waiting + rank_among(some)] = (uint64_t)number << END_TIER_SHIFT | (uint32_t)end;
        }
        *waiting += (uint32_t)__popc(some);
        if (*waiting >= 32) {
            test();
        }
    }
}

/* ------------------------------------------------------------------ shares */

/* Returns the thread whose strip has candidate word `item` of a share. `sum` is the number of words
 * of the strips of all threads up to and including this one. All threads of the warp call this. */
static __device__ __forceinline__ uint32_t thread_with(uint32_t sum, uint32_t item) {
    uint32_t thread = 0;
#pragma unroll
    for (uint32_t step = 16; step != 0; step /= 2) {
        uint32_t before = __shfl_sync(FULL, sum, (int)(thread + step - 1));
        thread += before <= item ? step : 0;
    }
    return thread;
}

/* A strip of each thread, and the range of its candidate words in a share; `count` may be 0. */
typedef struct strip_share {
    uint32_t strip, from, count;
} strip_share;

/* How the lists of a slice are divided into shares. Shares of dense strips take longest and come
 * first. */
typedef struct division {
    uint32_t strips, each; /* number of strips that are not dense; of strips in a share */
    uint32_t groups;       /* number of groups of `each` strips */
    uint32_t share;        /* words of each strip in a share */
    uint32_t pieces;       /* number of pieces of dense strips in a share */
    uint32_t dense;        /* number of shares of these */
    uint64_t all;          /* number of all shares */
} division;

static __device__ __forceinline__ division divide(const trawl_cuda_qgram_candidates &candidates,
                                                  uint32_t strips, uint32_t warps) {
    const uint32_t usual = *candidates.listed / strips;
    const uint32_t most =
        usual < trawl_qgram_tuned::most_share ? usual : trawl_qgram_tuned::most_share;
    const uint32_t fair = (strips + warps - 1) / warps;
    uint32_t each =
        most * 32 < trawl_qgram_tuned::share_words ? 32 : trawl_qgram_tuned::share_words / most;
    each = each < fair ? each : fair;
    const uint32_t groups = (strips + each - 1) / each;
    /* A strip with far more words than others is divided among shares: otherwise all warps would
     * wait for the one that has it. */
    const uint32_t share = usual < trawl_qgram_tuned::few_words
                               ? trawl_qgram_tuned::most_share
                               : clamp(2 * (uint64_t)usual, trawl_qgram_tuned::least_share,
                                       trawl_qgram_tuned::most_share);
    const uint32_t turns = (*candidates.longest + share - 1) / share;
    /* If there are many dense strips, larger shares are faster. */
    const uint32_t listed = *candidates.dense_pieces;
    const uint32_t pieces =
        clamp(listed / (trawl_qgram_tuned::dense_shares_per_warp * warps), 1, 32);
    const uint32_t dense = (listed + pieces - 1) / pieces;
    return {strips, each, groups, share, pieces, dense, dense + (uint64_t)groups * turns};
}

/* The strips of a share are not neighbours, because neighbouring strips often have many candidates
 * together. */
static __device__ __forceinline__ strip_share
share_of(const trawl_cuda_qgram_candidates &candidates, const division &by, uint64_t number) {
    const uint32_t lane = threadIdx.x % 32;
    if (number < by.dense) {
        const uint32_t at = (uint32_t)number * by.pieces + lane;
        const bool there = lane < by.pieces && at < *candidates.dense_pieces;
        const uint2 piece = there ? __ldg(candidates.dense + at) : make_uint2(0, 0);
        return {piece.x, piece.y & ((1u << TRAWL_QGRAM_PIECE_COUNT_SHIFT) - 1),
                piece.y >> TRAWL_QGRAM_PIECE_COUNT_SHIFT};
    }
    number -= by.dense;
    strip_share result = {(uint32_t)(number % by.groups) + lane * by.groups,
                          (uint32_t)(number / by.groups) * by.share, 0};
    const uint32_t count =
        lane < by.each && result.strip < by.strips ? __ldg(candidates.count + result.strip) : 0;
    result.count = count < result.from              ? 0
                   : count - result.from < by.share ? count - result.from
                                                    : by.share;
    return result;
}

/* Calls `queue` for all candidate words of a share, 32 of them at a time. The next 32 words are
 * loaded while the samples of the last 32 are tested. */
template <typename Queue>
static __device__ __forceinline__ void
take_share(const trawl_cuda_qgram_candidates &candidates, const trawl_cuda_slice &slice,
           uint32_t strip_bytes, const strip_share &own, const Queue &queue) {
    uint32_t all, before = sum_before(own.count, &all);
    candidate_word now = {0, 0, 0};
    for (uint32_t first = 0; first < all + 32; first += 32) {
        uint64_t listed = 0;
        int32_t begin = 0;
        if (first < all) {
            const uint32_t i = first + threadIdx.x % 32;
            const uint32_t thread = thread_with(before + own.count, i < all ? i : 0);
            const uint32_t strip = __shfl_sync(FULL, own.strip, (int)thread);
            const uint32_t index = __shfl_sync(FULL, own.from - before, (int)thread) + i;
            const uint64_t *list = candidates.words + (size_t)strip * candidates.capacity;
            listed = i < all ? __ldg(list + index) : 0;
            begin = (int32_t)trawl_cuda_strip_begin(&slice, strip_bytes, strip);
        }
        if (first != 0) {
            queue(now);
        }
        now = {(uint32_t)listed, (uint32_t)(listed >> 32), begin};
    }
}

/* Calls `queue` for the candidate words of all shares that the warp takes. `number`: of the warp
 * among `warps`. *taken: how many shares all warps have taken beyond their first ones. */
template <typename Queue>
static __device__ __forceinline__ void
take_shares(const trawl_cuda_qgram_candidates &candidates, const trawl_cuda_slice &slice,
            uint32_t strip_bytes, uint32_t number, uint32_t warps, uint32_t *taken,
            const Queue &queue) {
    const division by = divide(candidates, trawl_cuda_strip_count(&slice, strip_bytes), warps);
    while (number < by.all) {
        /* Fetches the number of the next share while this one is verified. */
        uint32_t next = threadIdx.x % 32 == 0 && by.all > warps ? atomicAdd(taken, 1u) : 0;
        take_share(candidates, slice, strip_bytes, share_of(candidates, by, number), queue);
        number = warps + __shfl_sync(FULL, next, 0);
    }
}

/* Calls `test` for the samples of free anchors that end at the first owned byte of the slice or
 * before it and may lead to owned matches: whether the thread has a sample, its tier and its end.
 */
template <typename Test>
static __device__ __forceinline__ void test_samples_before(const trawl_cuda_slice &slice,
                                                           const trawl_cuda_qgram_view &view,
                                                           const Test &test) {
    for (uint32_t number = 0; number < view.tiers; number++) {
        const trawl_cuda_qgram_tier &tier = view.table[number].tier;
        if (tier.anchors == 0) {
            continue;
        }
        const uint32_t behind = (uint32_t)((uintptr_t)(slice.text + slice.owned) % tier.stride);
        for (uint32_t first = 0; first < TRAWL_CUDA_QGRAM_REACH; first += 32 * tier.stride) {
            const uint32_t distance = behind + first + threadIdx.x % 32 * tier.stride;
            const int32_t end = (int32_t)slice.owned - (int32_t)distance;
            test(distance < TRAWL_CUDA_QGRAM_REACH && end >= (int32_t)tier.gram, number, end);
        }
    }
}

#endif
