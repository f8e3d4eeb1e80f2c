/*
 * The first question over a piece of text, for all tiers: the loop that two kernels have in common.
 * What they do with samples that pass is theirs: put_samples() for a sink of their own, which is
 * passed by value, as is all else, so that nothing has to be in local memory.
 *
 * A warp owns a part and goes over it in windows of 2 KB, of which it asks the tiers' FILTERs one
 * after the other. What passes are bits in shared memory. When a window is done, they are handed to
 * the sink, in steps of 32 samples of each thread and in rounds of these, one sample of each thread
 * that has any left. So the step and the round say how far a part is, and the second kernel goes on
 * where the first one had to stop. Nothing of this is in the way of the loop over the text, which
 * needs all registers: what the compiler would put aside for it in local memory comes back late, as
 * shared memory leaves that little cache.
 *
 * What ends at a sample, or up to 15 bytes behind it, is found by who has the sample, wherever it
 * ends; samples before the piece's first byte are asked by the kernels' first warp.
 */
#ifndef TRAWL_CUDA_QGRAM_SIEVE_CUH
#define TRAWL_CUDA_QGRAM_SIEVE_CUH

#include "cuda/qgram_ask.cuh"

/* Steps of a window: two for tiers with samples everywhere, one for the others. */
#define TIER_STEPS 2u
#define WINDOW_STEPS (TIER_STEPS * TRAWL_CUDA_QGRAM_TIERS)
#define STEP_ROUNDS 32u
static_assert(STEP_ROUNDS * WINDOW_STEPS * (TRAWL_QGRAM_MOST_PART / TRAWL_QGRAM_WINDOW + 1) <
                  TRAWL_QGRAM_ALL,
              "TRAWL_QGRAM_ALL is no place");

/* What the loop has to know of a tier, in shared memory. */
typedef struct sieve_tier {
    uint32_t shape; /* below */
    uint32_t filter_at, filter_words;
    uint32_t mask, case_bits;
    uint32_t stride;
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

/* Shared memory of a warp: a bit for each sample of a window that has passed. Bit b of a thread is
 * its sample 31 - b at a stride of 1, its sample 64 / stride - 1 - b at others. */
typedef struct passed_bits {
    uint32_t of[WINDOW_STEPS][32];
} passed_bits;

/* What a warp works with. */
typedef struct sieving {
    const trawl_cuda_piece *piece;
    const uint32_t *image;    /* in shared memory */
    const sieve_tiers *tiers; /* likewise */
    passed_bits *passed;      /* likewise */
} sieving;

/* Some samples of a window: one step. */
typedef struct samples {
    uint32_t number;       /* of the tier */
    uint32_t stride_shift; /* the stride is 1 << this */
    uint32_t each;         /* samples of a thread, as many in each vector */
    int32_t at;            /* the first vector's first byte, from the first owned one */
    uint32_t place;        /* in the part: STEP_ROUNDS times the step; the first step is 1 */
} samples;

/* The last byte of sample `bit`, counted from the youngest; from the first owned one. */
static __device__ __forceinline__ int32_t last_of(const samples &all, uint32_t bit) {
    uint32_t sample = all.each - 1 - bit, vector_shift = 4 - all.stride_shift;
    uint32_t vector = sample >> vector_shift, inside = sample & ((1u << vector_shift) - 1);
    return all.at + (int32_t)(vector * TRAWL_QGRAM_VECTOR_BYTES + threadIdx.x % 32 * 16 +
                              ((inside + 1) << all.stride_shift) - 1);
}

/* Its number, as in qgram.cuh. */
static __device__ __forceinline__ uint32_t numbered(const samples &all, uint32_t bit) {
    return all.number << TRAWL_QGRAM_SAMPLE_SHIFT | (uint32_t)last_of(all, bit);
}

/* Hands what has passed in a window to the sink. The window begins at text[window]. */
template <typename Sink>
static __device__ __noinline__ void hand_over(const sieving with, int32_t window, uint32_t place,
                                              Sink sink) {
    const int32_t owned = (int32_t)with.piece->owned;
    const int32_t most = (int32_t)with.piece->length - owned;
    samples all = {0, 0, 0, 0, place};
    for (uint32_t number = 0; number < with.tiers->count; number++) {
        uint32_t stride = with.tiers->tier[number].stride;
        all.number = number;
        all.stride_shift = (uint32_t)__ffs((int)stride) - 1;
        all.each = stride == 1 ? 32 : 64 >> all.stride_shift;
        for (uint32_t step = 0; step < (stride == 1 ? TIER_STEPS : 1); step++) {
            uint32_t passed = with.passed->of[TIER_STEPS * number + step][threadIdx.x % 32];
            all.at = window - owned + (int32_t)(step * 2 * TRAWL_QGRAM_VECTOR_BYTES);
            all.place = place + (TIER_STEPS * number + step) * STEP_ROUNDS;
            if (window < owned || window + (int32_t)TRAWL_QGRAM_WINDOW > owned + most) {
                /* The samples that end at owned bytes. */
                for (uint32_t left = passed; left != 0; left &= left - 1) {
                    uint32_t bit = (uint32_t)__ffs((int)left) - 1;
                    int32_t last = last_of(all, bit);
                    passed &= last >= 0 && last < most ? ~0u : ~(1u << bit);
                }
            }
            if (__any_sync(FULL, passed != 0)) {
                put_samples(sink, all, passed);
            }
        }
    }
}

/* ------------------------------------------------------------------ tiers */

/* Bits of both steps of a tier: the earlier one's in x. */
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

/* One part, which begins at text[from]. Ends early once stopped() says so of the sink. COUNTED:
 * what pairs say goes to count_window(). */
template <bool COUNTED, typename Sink>
static __device__ __forceinline__ void sieve_part(const sieving &with, uint32_t part_bytes,
                                                  int64_t from, Sink sink) {
    const trawl_cuda_piece &piece = *with.piece;
    const int32_t begin = (int32_t)from;
    const int32_t past = from + part_bytes > (int64_t)piece.length ? (int32_t)piece.length
                                                                   : (int32_t)(from + part_bytes);
    uint32_t place = STEP_ROUNDS; /* nothing reaches 0 */
    uint4 edge = load_vector(piece, begin - 16);
    for (int32_t window = begin; window < past; window += (int32_t)TRAWL_QGRAM_WINDOW) {
        uint4 own[TRAWL_QGRAM_VECTORS];
        load_window(piece, window, own);
        bool counted = COUNTED && window > 0 && window >= (int32_t)piece.owned &&
                       window + (int32_t)TRAWL_QGRAM_WINDOW <= past;
        uint32_t some = 0, sum = 0;
        for (uint32_t number = 0; number < with.tiers->count; number++) {
            const sieve_tier &tier = with.tiers->tier[number];
            uint2 passed = ask_tier(with, tier, own, edge, counted, &sum);
            with.passed->of[TIER_STEPS * number][threadIdx.x % 32] = passed.x;
            if (tier.stride == 1) {
                with.passed->of[TIER_STEPS * number + 1][threadIdx.x % 32] = passed.y;
            }
            some |= passed.x | passed.y;
        }
        const uint4 &last = own[TRAWL_QGRAM_VECTORS - 1];
        edge = make_uint4(__shfl_sync(FULL, last.x, 31), __shfl_sync(FULL, last.y, 31),
                          __shfl_sync(FULL, last.z, 31), __shfl_sync(FULL, last.w, 31));
        if (COUNTED && sum != 0) {
            count_window(sink, place, sum);
        }
        if (__any_sync(FULL, some != 0)) {
            hand_over(with, window, place, sink);
            if (stopped(sink)) {
                return;
            }
        }
        place += WINDOW_STEPS * STEP_ROUNDS;
    }
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
            table.mask,           table.case_bits,      table.tier.stride,
            table.filter};
    }
}

#endif
