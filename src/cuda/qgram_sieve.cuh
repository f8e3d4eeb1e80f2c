/*
 * The first question over a piece of text, for all tiers: the loop that two kernels have in common.
 * What they do with samples that pass is theirs: put_samples() for a sink of their own.
 *
 * A warp owns a part and goes over it in windows of 2 KB. For each of them it asks the tiers'
 * FILTERs one after the other, in steps of at most 32 samples a thread, and hands what passes to
 * the sink in rounds, one sample of each thread that has any left. So a step and a round of it say
 * how far a part is, and the second kernel goes on where the first one had to stop.
 *
 * What ends at a sample, or up to 15 bytes behind it, is found by who has the sample, wherever it
 * ends; samples before the piece's first byte are asked by the kernels' first warp.
 */
#ifndef TRAWL_CUDA_QGRAM_SIEVE_CUH
#define TRAWL_CUDA_QGRAM_SIEVE_CUH

#include "cuda/qgram_ask.cuh"

/* How far a part is: 32 rounds for each step, a few steps for each tier of each window. */
#define STEP_ROUNDS 32u
#define WINDOW_STEPS (TRAWL_CUDA_QGRAM_TIERS * TRAWL_QGRAM_VECTORS)
static_assert(STEP_ROUNDS * WINDOW_STEPS * (TRAWL_QGRAM_MOST_PART / TRAWL_QGRAM_WINDOW + 1) <
                  TRAWL_QGRAM_ALL,
              "TRAWL_QGRAM_ALL is no place");

/* Some samples of a window: one step. */
typedef struct samples {
    uint32_t number; /* of the tier */
    uint32_t stride;
    uint32_t each;  /* samples of a thread: all those of each / (16 / stride) vectors */
    int32_t at;     /* the first vector's first byte, from the first owned one */
    uint32_t place; /* in the part: STEP_ROUNDS times the step */
} samples;

/* What a warp asks with. */
typedef struct asking {
    const trawl_cuda_qgram_tables *table; /* in shared memory */
    const uint32_t *filter;
    uint32_t number;
    int32_t window; /* from the first owned byte */
    uint32_t place;
    int32_t most; /* owned bytes */
} asking;

/* The last byte of sample `bit`, counted from the youngest. */
static __device__ __forceinline__ int32_t last_of(const samples &all, uint32_t bit) {
    uint32_t sample = all.each - 1 - bit, per_vector = 16 / all.stride;
    return all.at + (int32_t)(sample / per_vector * TRAWL_QGRAM_VECTOR_BYTES +
                              threadIdx.x % 32 * 16 + (sample % per_vector + 1) * all.stride - 1);
}

/* Its number, as in qgram.cuh. */
static __device__ __forceinline__ uint32_t numbered(const samples &all, uint32_t bit) {
    return all.number << TRAWL_QGRAM_SAMPLE_SHIFT | (uint32_t)last_of(all, bit);
}

/* The samples of `passed` that end at owned bytes. */
static __device__ __noinline__ uint32_t within_piece(const samples all, int32_t most,
                                                     uint32_t passed) {
    for (uint32_t left = passed; left != 0; left &= left - 1) {
        uint32_t bit = (uint32_t)__ffs((int)left) - 1;
        int32_t last = last_of(all, bit);
        passed &= last >= 0 && last < most ? ~0u : ~(1u << bit);
    }
    return passed;
}

/* Hands the samples whose bits are set in `passed` to the sink: bit b is sample `each` - 1 - b of
 * the thread. */
template <int STRIDE, typename Sink>
static __device__ __forceinline__ void hand_over(const asking &ask, Sink *sink, uint32_t each,
                                                 uint32_t vector, uint32_t passed) {
    if (!__any_sync(FULL, passed != 0)) {
        return;
    }
    samples all = {ask.number, STRIDE, each,
                   ask.window + (int32_t)(vector * TRAWL_QGRAM_VECTOR_BYTES),
                   ask.place + vector * STEP_ROUNDS};
    if (ask.window < 0 || ask.window + (int32_t)TRAWL_QGRAM_WINDOW > ask.most) {
        passed = within_piece(all, ask.most, passed);
    }
    put_samples(sink, all, passed);
}

template <int WORDS, int ONES, typename Sink>
static __device__ __forceinline__ void every_position(const asking &ask, Sink *sink,
                                                      const uint4 *own, const uint4 &edge) {
    uint32_t size = ask.table->tier.filter_words;
    uint32_t mask = ask.table->mask, case_bits = ask.table->case_bits;
    uint4 before = edge;
#pragma unroll
    for (uint32_t i = 0; i < TRAWL_QGRAM_VECTORS; i += 2) {
        uint32_t passed = trawl_qgram_vectors<1, WORDS, ONES, false, 2>(
            own + i, &before, ask.filter, size, mask, case_bits);
        hand_over<1>(ask, sink, 32, i, passed);
    }
}

template <int STRIDE, int WORDS, bool GLOBAL, typename Sink>
static __device__ __forceinline__ void sampled(const asking &ask, Sink *sink, const uint4 *own,
                                               const uint4 &edge) {
    uint4 before = edge;
    uint32_t passed = trawl_qgram_vectors<STRIDE, WORDS, 2, GLOBAL, TRAWL_QGRAM_VECTORS>(
        own, &before, ask.filter, ask.table->tier.filter_words, ask.table->mask,
        ask.table->case_bits);
    hand_over<STRIDE>(ask, sink, TRAWL_QGRAM_VECTORS * 16 / STRIDE, 0, passed);
}

/* Pairs of bytes. `counted`: all positions are owned and have a byte before them, so that what the
 * pairs say is counted at once, by steps that the sink takes. */
template <typename Sink>
static __device__ __forceinline__ void pairs(const asking &ask, Sink *sink, const uint4 *own,
                                             uint4 edge, bool counted) {
#pragma unroll
    for (uint32_t i = 0; i < TRAWL_QGRAM_VECTORS; i++) {
        uint32_t words[5] = {trawl_qgram_before(own[i].w, &edge.w), own[i].x, own[i].y, own[i].z,
                             own[i].w};
        uint32_t bits = 0, sum = 0;
#pragma unroll
        for (uint32_t j = 0; j < 16; j++) {
            uint32_t total = trawl_qgram_pair(ask.filter, words, j);
            uint32_t least = counted ? TRAWL_CUDA_QGRAM_MANY_PAIRS : 1;
            bits |= total >= least ? 1u << (15 - j) : 0;
            sum += total >= least ? 0 : total;
        }
        if (counted) {
            count_step(sink, ask.place + i * STEP_ROUNDS, sum);
        }
        hand_over<1>(ask, sink, 16, i, bits);
    }
}

template <bool GLOBAL, typename Sink>
static __device__ __forceinline__ void ask_filter(const asking &ask, Sink *sink, const uint4 *own,
                                                  const uint4 &edge) {
    switch (TRAWL_QGRAM_SHAPE(ask.table->tier.stride, trawl_cuda_qgram_words(&ask.table->tier))) {
#define SHAPE(stride, words)                                                                       \
    case TRAWL_QGRAM_SHAPE(stride, words):                                                         \
        sampled<stride, words, GLOBAL>(ask, sink, own, edge);                                      \
        break;
        TRAWL_QGRAM_SHAPES
#undef SHAPE
    default:
        break;
    }
}

template <typename Sink>
static __device__ __forceinline__ void ask_everywhere(const asking &ask, Sink *sink,
                                                      const uint4 *own, const uint4 &edge) {
    bool one_word = trawl_cuda_qgram_words(&ask.table->tier) == 1;
    if (ask.table->tier.filter_ones == 1) {
        one_word ? every_position<1, 1>(ask, sink, own, edge)
                 : every_position<2, 1>(ask, sink, own, edge);
    } else {
        one_word ? every_position<1, 2>(ask, sink, own, edge)
                 : every_position<2, 2>(ask, sink, own, edge);
    }
}

/* One part, which begins at text[begin]; `image` and `near` are in shared memory. Ends early once
 * stopped() says so of the sink. COUNTED: count_step() is wanted. */
template <bool COUNTED, typename Sink>
static __device__ __forceinline__ void
sieve_part(const trawl_cuda_piece &piece, const uint32_t *image, const trawl_cuda_qgram_view *near,
           uint32_t part_bytes, int64_t from, Sink *sink) {
    const int32_t begin = (int32_t)from, owned = (int32_t)piece.owned;
    const int32_t past = from + part_bytes > (int64_t)piece.length ? (int32_t)piece.length
                                                                   : (int32_t)(from + part_bytes);
    const uint32_t tiers = near->tiers;
    asking ask = {NULL,
                  NULL,
                  0,
                  begin - owned,
                  STEP_ROUNDS, /* nothing reaches 0 */
                  (int32_t)piece.length - owned};
    uint4 edge = load_vector(piece, begin - 16);
    uint4 own[TRAWL_QGRAM_VECTORS];
    load_window(piece, begin, own);
    for (int32_t window = begin; window < past; window += (int32_t)TRAWL_QGRAM_WINDOW) {
        for (uint32_t number = 0; number < tiers; number++) {
            const trawl_cuda_qgram_tables *table = &near->table[number];
            ask.table = table;
            ask.filter = image + table->tier.filter_at;
            ask.number = number;
            if (table->tier.place == TRAWL_CUDA_QGRAM_GLOBAL) {
                ask.filter = table->filter;
                ask_filter<true>(ask, sink, own, edge);
            } else if (table->tier.place == TRAWL_CUDA_QGRAM_DIRECT) {
                bool whole =
                    window > 0 && window >= owned && window + (int32_t)TRAWL_QGRAM_WINDOW <= past;
                pairs(ask, sink, own, edge, COUNTED && whole);
            } else if (table->tier.stride > 1) {
                ask_filter<false>(ask, sink, own, edge);
            } else {
                ask_everywhere(ask, sink, own, edge);
            }
            ask.place += TRAWL_QGRAM_VECTORS * STEP_ROUNDS;
        }
        if (stopped(sink)) {
            return;
        }
        const uint4 &last = own[TRAWL_QGRAM_VECTORS - 1];
        edge = make_uint4(__shfl_sync(FULL, last.x, 31), __shfl_sync(FULL, last.y, 31),
                          __shfl_sync(FULL, last.z, 31), __shfl_sync(FULL, last.w, 31));
        if (window + (int32_t)TRAWL_QGRAM_WINDOW < past) {
            load_window(piece, window + (int32_t)TRAWL_QGRAM_WINDOW, own);
        }
        ask.window += (int32_t)TRAWL_QGRAM_WINDOW;
    }
}

/* Copies the FILTERs and, behind them, the view to shared memory, where numbers of tiers that are
 * no constants cost nothing. All threads of the block call it, and wait for each other afterwards.
 */
static __device__ __forceinline__ const trawl_cuda_qgram_view *
copy_near(const trawl_cuda_qgram_view &view, uint32_t image_words, uint8_t *shared) {
    for (uint32_t i = threadIdx.x; i < image_words / 4; i += blockDim.x) {
        ((uint4 *)shared)[i] = __ldg(view.image + i);
    }
    trawl_cuda_qgram_view *near = (trawl_cuda_qgram_view *)(shared + 4 * image_words);
    for (uint32_t i = threadIdx.x; i < sizeof view / 4; i += blockDim.x) {
        ((uint32_t *)near)[i] = ((const uint32_t *)&view)[i];
    }
    return near;
}

#endif
