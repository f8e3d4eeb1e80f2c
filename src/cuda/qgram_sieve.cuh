/*
 * The first question over a piece of text, for all tiers: the loop that two kernels have in common.
 * What they do with samples that pass is theirs: put_samples() for a sink of their own.
 *
 * A warp owns a part and goes over it in windows of 2 KB, of which it asks the tiers' FILTERs one
 * after the other. The loop needs all registers that there are: what the compiler would put aside
 * for it in local memory comes back late, as shared memory leaves that little cache.
 *
 * What ends at a sample, or up to 15 bytes behind it, is found by who has the sample, wherever it
 * ends; samples before the piece's first byte are asked by one warp of the second step.
 */
#ifndef TRAWL_CUDA_QGRAM_SIEVE_CUH
#define TRAWL_CUDA_QGRAM_SIEVE_CUH

#include "cuda/qgram_ask.cuh"

/* What the loop has to know of a tier, in shared memory. */
typedef struct sieve_tier {
    uint32_t shape; /* below */
    uint32_t filter_at, filter_words;
    uint32_t mask, case_bits;
    uint32_t stride_shift;
    const uint32_t *filter; /* GLOBAL */
} sieve_tier;

/* Shapes: those of qgram_filter.cuh, in shared memory or behind the L2 cache, and others. */
#define SHAPE_PAIRS 0u
#define SHAPE_EVERYWHERE(words, ones) (1u + 2 * ((words)-1) + ((ones)-1))
#define SHAPE_GLOBAL 256u

/* Shared memory of all warps. */
typedef struct sieve_tiers {
    uint32_t count, unused;
    sieve_tier tier[TRAWL_CUDA_QGRAM_TIERS];
} sieve_tiers;

/* What a warp works with. */
typedef struct sieving {
    const trawl_cuda_piece *piece;
    const uint32_t *image;    /* in shared memory */
    const sieve_tiers *tiers; /* likewise */
} sieving;

/* Some samples of a window: 32 of each thread, or less. */
typedef struct samples {
    uint32_t number;       /* of the tier */
    uint32_t stride_shift; /* the stride is 1 << this */
    uint32_t each;         /* samples of a thread, as many in each vector */
    uint32_t from;         /* the first vector's first byte, from the part's */
} samples;

/* The last byte of sample `bit`, counted from the youngest; from the part's first byte. */
static __device__ __forceinline__ uint32_t last_of(const samples &all, uint32_t bit) {
    uint32_t sample = all.each - 1 - bit, vector_shift = 4 - all.stride_shift;
    uint32_t vector = sample >> vector_shift, inside = sample & ((1u << vector_shift) - 1);
    return all.from + vector * TRAWL_QGRAM_VECTOR_BYTES + threadIdx.x % 32 * 16 +
           ((inside + 1) << all.stride_shift) - 1;
}

/* Takes the oldest of the samples that have passed away from them: its bit's number. */
static __device__ __forceinline__ uint32_t take_bit(uint32_t *passed) {
    uint32_t bit = 31 - (uint32_t)__clz((int)*passed);
    *passed ^= 1u << bit;
    return bit;
}

/* The entry of a sample in a list of candidates (qgram.cuh). */
static __device__ __forceinline__ uint16_t entry_of(const samples &all, uint32_t bit) {
    return (uint16_t)(all.number << TRAWL_QGRAM_ENTRY_SHIFT | last_of(all, bit));
}

/* How many threads before this one are among `some`. */
static __device__ __forceinline__ uint32_t rank_among(uint32_t some) {
    return (uint32_t)__popc(some & ((1u << threadIdx.x % 32) - 1));
}

/* ------------------------------------------------------------------ tiers */

/* Bits of a tier: bit b of a thread is its sample 31 - b of the window's first half, in x, and of
 * the second one, in y. */
template <int WORDS, int ONES>
static __device__ __forceinline__ uint2 every_position(const sieve_tier &tier,
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
static __device__ __forceinline__ uint2 ask_tier(const sieving &with, const sieve_tier &tier,
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

/* ------------------------------------------------------------------ a part */

/* One part, which begins at text[from]. Returns what the thread has counted of pairs; COUNTED: some
 * of it is to be counted at once. */
template <bool COUNTED, typename Sink>
static __device__ __forceinline__ uint32_t sieve_part(const sieving &with, uint32_t part_bytes,
                                                      int64_t from, Sink *sink) {
    const trawl_cuda_piece &piece = *with.piece;
    const int32_t begin = (int32_t)from;
    const int32_t past = from + part_bytes > (int64_t)piece.length ? (int32_t)piece.length
                                                                   : (int32_t)(from + part_bytes);
    uint32_t sum = 0;
    uint4 edge = load_vector(piece, begin - 16);
    uint4 own[TRAWL_QGRAM_VECTORS];
    load_window(piece, begin, own);
    for (int32_t window = begin; window < past; window += (int32_t)TRAWL_QGRAM_WINDOW) {
        bool counted = COUNTED && window > 0 && window >= (int32_t)piece.owned &&
                       window + (int32_t)TRAWL_QGRAM_WINDOW <= past;
        for (uint32_t number = 0; number < with.tiers->count; number++) {
            const sieve_tier &tier = with.tiers->tier[number];
            uint2 passed = ask_tier(with, tier, own, edge, counted, &sum);
            if (__any_sync(FULL, (passed.x | passed.y) != 0)) {
                samples all = {number, tier.stride_shift, 64u >> tier.stride_shift,
                               (uint32_t)(window - begin)};
                if (tier.stride_shift == 0) {
                    all.each = 32;
                    put_samples(sink, all, passed.x);
                    all.from += 2 * TRAWL_QGRAM_VECTOR_BYTES;
                    passed.x = passed.y;
                }
                put_samples(sink, all, passed.x);
            }
        }
        const uint4 &last = own[TRAWL_QGRAM_VECTORS - 1];
        edge = make_uint4(__shfl_sync(FULL, last.x, 31), __shfl_sync(FULL, last.y, 31),
                          __shfl_sync(FULL, last.z, 31), __shfl_sync(FULL, last.w, 31));
        if (window + (int32_t)TRAWL_QGRAM_WINDOW < past) {
            load_window(piece, window + (int32_t)TRAWL_QGRAM_WINDOW, own);
        }
    }
    return sum;
}

/* ------------------------------------------------------------------ shared memory */

/* Behind the FILTERs: the view, where numbers of tiers that are no constants cost nothing, and what
 * the loop has to know of them. */
typedef struct sieve_shared {
    trawl_cuda_qgram_view view;
    sieve_tiers tiers;
} sieve_shared;

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
                                                 sieve_shared *near) {
    for (uint32_t i = threadIdx.x; i < view.image_words / 4; i += blockDim.x) {
        ((uint4 *)shared)[i] = __ldg(view.image + i);
    }
    for (uint32_t i = threadIdx.x; i < sizeof view / 4; i += blockDim.x) {
        ((uint32_t *)&near->view)[i] = ((const uint32_t *)&view)[i];
    }
    if (threadIdx.x < view.tiers) {
        const trawl_cuda_qgram_tables &table = view.table[threadIdx.x];
        near->tiers.count = view.tiers;
        near->tiers.tier[threadIdx.x] = {
            shape_of(table.tier), table.tier.filter_at, table.tier.filter_words,
            table.mask,           table.case_bits,      (uint32_t)__ffs((int)table.tier.stride) - 1,
            table.filter};
    }
}

#endif
