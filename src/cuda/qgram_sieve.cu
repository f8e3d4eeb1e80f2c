/*
 * The first step of a scan: FILTER alone, for all samples of the text. What passes is listed, part
 * by part, for the second step (qgram_verify.cu). Nothing else happens here, so that a block's
 * threads have registers enough to keep a multiprocessor busy with reading.
 */
#include "cuda/qgram_settle.cuh"

/* A part's list while it is written. All threads of the warp have the same. */
typedef struct listing {
    uint16_t *list;
    uint32_t capacity;
    uint32_t count; /* what passed, also beyond the capacity */
    uint32_t from;  /* where the window begins in the part */
} listing;

/* Lists the samples whose bits are set in `passed`, of which bit b is sample `samples` - 1 - b of
 * the thread's vectors from `vector` on. An entry is the tier and the sample's last byte. */
static __device__ __forceinline__ void list_samples(listing *self, uint32_t number, uint32_t stride,
                                                    uint32_t samples, uint32_t vector,
                                                    uint32_t passed) {
    uint32_t lane = threadIdx.x % 32;
    uint32_t per_vector = 16 / stride;
    for (uint32_t some = __ballot_sync(FULL, passed != 0); some != 0;
         some = __ballot_sync(FULL, passed != 0)) {
        if (passed != 0) {
            uint32_t bit = 31 - (uint32_t)__clz((int)passed);
            passed ^= 1u << bit;
            uint32_t sample = samples - 1 - bit;
            uint32_t last = self->from + (vector + sample / per_vector) * TRAWL_QGRAM_VECTOR_BYTES +
                            lane * 16 + (sample % per_vector + 1) * stride - 1;
            uint32_t slot = self->count + (uint32_t)__popc(some & ((1u << lane) - 1));
            if (slot < self->capacity) {
                self->list[slot] = (uint16_t)(number << TRAWL_QGRAM_ENTRY_SHIFT | last);
            }
        }
        self->count += (uint32_t)__popc(some);
    }
}

/* What a warp asks with. */
typedef struct asking {
    const trawl_cuda_qgram_tables *table; /* in shared memory */
    const uint32_t *filter;
    uint32_t number;
} asking;

template <int WORDS, int ONES>
static __device__ __forceinline__ void every_position(const asking ask, listing *self,
                                                      const uint4 *own, const uint4 &edge) {
    uint32_t size = ask.table->tier.filter_words;
    uint32_t mask = ask.table->mask, case_bits = ask.table->case_bits;
    uint4 before = edge;
#pragma unroll
    for (uint32_t i = 0; i < TRAWL_QGRAM_VECTORS; i += 2) {
        uint32_t passed = trawl_qgram_vectors<1, WORDS, ONES, false, 2>(
            own + i, &before, ask.filter, size, mask, case_bits);
        list_samples(self, ask.number, 1, 32, i, passed);
    }
}

template <int STRIDE, int WORDS, bool GLOBAL>
static __device__ __forceinline__ void sampled(const asking ask, listing *self, const uint4 *own,
                                               const uint4 &edge) {
    uint4 before = edge;
    uint32_t passed = trawl_qgram_vectors<STRIDE, WORDS, 2, GLOBAL, TRAWL_QGRAM_VECTORS>(
        own, &before, ask.filter, ask.table->tier.filter_words, ask.table->mask,
        ask.table->case_bits);
    list_samples(self, ask.number, STRIDE, TRAWL_QGRAM_VECTORS * 16 / STRIDE, 0, passed);
}

/* Pairs of bytes; returns how many matches were counted. `counted`: see qgram_walk.cu. */
static __device__ __forceinline__ uint32_t pairs(const asking ask, listing *self, const uint4 *own,
                                                 uint4 edge, bool counted) {
    uint32_t sum = 0;
#pragma unroll
    for (uint32_t i = 0; i < TRAWL_QGRAM_VECTORS; i++) {
        uint32_t words[5] = {trawl_qgram_before(own[i].w, &edge.w), own[i].x, own[i].y, own[i].z,
                             own[i].w};
        uint32_t bits = 0;
#pragma unroll
        for (uint32_t j = 0; j < 16; j++) {
            uint32_t total = trawl_qgram_pair(ask.filter, words, j);
            uint32_t least = counted ? TRAWL_CUDA_QGRAM_MANY_PAIRS : 1;
            bits |= total >= least ? 1u << (15 - j) : 0;
            sum += total >= least ? 0 : total;
        }
        list_samples(self, ask.number, 1, 16, i, bits);
    }
    return sum;
}

template <bool GLOBAL>
static __device__ __forceinline__ void ask_filter(const asking ask, listing *self, const uint4 *own,
                                                  const uint4 &edge) {
    switch (TRAWL_QGRAM_SHAPE(ask.table->tier.stride, trawl_cuda_qgram_words(&ask.table->tier))) {
#define SHAPE(stride, words)                                                                       \
    case TRAWL_QGRAM_SHAPE(stride, words):                                                         \
        sampled<stride, words, GLOBAL>(ask, self, own, edge);                                      \
        break;
        TRAWL_QGRAM_SHAPES
#undef SHAPE
    default:
        break;
    }
}

static __device__ __forceinline__ void ask_everywhere(const asking ask, listing *self,
                                                      const uint4 *own, const uint4 &edge) {
    bool one_word = trawl_cuda_qgram_words(&ask.table->tier) == 1;
    if (ask.table->tier.filter_ones == 1) {
        one_word ? every_position<1, 1>(ask, self, own, edge)
                 : every_position<2, 1>(ask, self, own, edge);
    } else {
        one_word ? every_position<1, 2>(ask, self, own, edge)
                 : every_position<2, 2>(ask, self, own, edge);
    }
}

template <bool COUNTED>
static __global__ void __launch_bounds__(TRAWL_QGRAM_THREADS, 1)
    sieve(const __grid_constant__ trawl_cuda_reporter reporter,
          const __grid_constant__ trawl_cuda_qgram_view view,
          const __grid_constant__ trawl_cuda_qgram_candidates candidates, uint32_t part_bytes) {
    TRAWL_SHARED(shared);
    for (uint32_t i = threadIdx.x; i < view.image_words / 4; i += blockDim.x) {
        ((uint4 *)shared)[i] = __ldg(view.image + i);
    }
    trawl_cuda_qgram_view *near = (trawl_cuda_qgram_view *)(shared + 4 * view.image_words);
    for (uint32_t i = threadIdx.x; i < sizeof view / 4; i += blockDim.x) {
        ((uint32_t *)near)[i] = ((const uint32_t *)&view)[i];
    }
    __syncthreads();
    const trawl_cuda_piece &piece = reporter.piece;
    const uint32_t parts = trawl_cuda_part_count(&piece, part_bytes);
    const uint32_t warps = blockDim.x / 32;
    const uint32_t tiers = view.tiers;
    trawl_counter counted = 0;
    for (uint32_t part = blockIdx.x * warps + threadIdx.x / 32; part < parts;
         part += gridDim.x * warps) {
        int64_t from = trawl_cuda_part_begin(&piece, part_bytes, part);
        int32_t begin = (int32_t)from;
        int32_t first = from < (int64_t)piece.owned ? (int32_t)piece.owned : begin;
        int32_t past = from + part_bytes > (int64_t)piece.length ? (int32_t)piece.length
                                                                 : (int32_t)(from + part_bytes);
        listing self = {candidates.list + (size_t)part * candidates.capacity, candidates.capacity,
                        0, 0};
        uint32_t sum = 0;
        uint4 edge = load_vector(piece, begin - 16);
        uint4 own[TRAWL_QGRAM_VECTORS];
        load_window(piece, begin, own);
        for (int32_t window = begin; window < past; window += (int32_t)TRAWL_QGRAM_WINDOW) {
            for (uint32_t number = 0; number < tiers; number++) {
                const trawl_cuda_qgram_tables *table = &near->table[number];
                asking ask = {table, (const uint32_t *)shared + table->tier.filter_at, number};
                if (table->tier.place == TRAWL_CUDA_QGRAM_GLOBAL) {
                    ask.filter = table->filter;
                    ask_filter<true>(ask, &self, own, edge);
                } else if (table->tier.place == TRAWL_CUDA_QGRAM_DIRECT) {
                    bool whole = window > 0 && window >= first &&
                                 window + (int32_t)TRAWL_QGRAM_WINDOW <= past;
                    sum += pairs(ask, &self, own, edge, COUNTED && whole);
                } else if (table->tier.stride > 1) {
                    ask_filter<false>(ask, &self, own, edge);
                } else {
                    ask_everywhere(ask, &self, own, edge);
                }
            }
            const uint4 &last = own[TRAWL_QGRAM_VECTORS - 1];
            edge = make_uint4(__shfl_sync(FULL, last.x, 31), __shfl_sync(FULL, last.y, 31),
                              __shfl_sync(FULL, last.z, 31), __shfl_sync(FULL, last.w, 31));
            if (window + (int32_t)TRAWL_QGRAM_WINDOW < past) {
                load_window(piece, window + (int32_t)TRAWL_QGRAM_WINDOW, own);
            }
            self.from += TRAWL_QGRAM_WINDOW;
        }
        if (self.count <= candidates.capacity) {
            counted += sum; /* else the part is walked again from its beginning */
        }
        if (threadIdx.x % 32 == 0) {
            candidates.count[part] = self.count;
            if (self.count > candidates.capacity) {
                atomicAdd(candidates.overflown, 1u);
            }
        }
    }
    if (COUNTED) {
        add_total(reporter.output, counted, (uint32_t *)shared);
    }
}

template <bool COUNTED>
static trawl_status run(const trawl_cuda_qgram_call *call, trawl_error *error) {
    uint32_t bytes = 4 * (call->view->image_words + TRAWL_QGRAM_VIEW_WORDS);
    bytes = bytes < 1024 ? 1024 : bytes; /* sums take the image's place in the end */
    trawl_status status = trawl_cuda_allow_shared(call->device, sieve<COUNTED>, bytes, error);
    if (status != TRAWL_OK) {
        return status;
    }
    TRAWL_LAUNCH((sieve<COUNTED>), call->blocks, call->threads, bytes, call->stream,
                 *call->reporter, *call->view, call->candidates, call->part_bytes);
    TRAWL_CUDA_LAUNCHED("sieve", error);
    return TRAWL_OK;
}

trawl_status trawl_cuda_qgram_sieve(const trawl_cuda_qgram_call *call, trawl_error *error) {
    return call->reporter->output.pass == TRAWL_CUDA_PASS_COUNT ? run<true>(call, error)
                                                                : run<false>(call, error);
}
