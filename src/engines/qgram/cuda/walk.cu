/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Records of strips with more hits than were noted: one more walk over them, in the order of the
 * text.
 *
 * A warp owns a strip and goes over it in windows of 2 KB. What passes is queued, so that the
 * second question is asked by whole warps; it leaves bits where keys may end. After a round of some
 * windows the third question is asked for each bit, in the order of the text.
 *
 * Samples end up to 15 bytes before matches do, which may then end in the next round (its bits are
 * kept) or in the next strip, whose warp looks at the samples before its first byte itself.
 */
#include "engines/qgram/cuda/test.cuh"

/* What a warp works with. */
typedef struct surroundings {
    const trawl_cuda_reporter *reporter;
    const trawl_cuda_qgram_view *view;
    const uint32_t *image; /* in shared memory */
    uint32_t *bitmaps;     /* in shared memory: the warp's, tier after tier */
    uint32_t *queue;       /* likewise */
    uint32_t bitmap_words; /* of each tier */
} surroundings;

/* A warp's place in its strip. */
typedef struct place {
    int32_t round;        /* where the round begins, in the slice; may be negative */
    uint32_t from;        /* where the window begins in it */
    uint32_t first, past; /* owned bytes: matches' last bytes are among them */
    uint32_t queued;      /* samples in the queue */
    uint32_t bits;        /* the thread has set bits; other threads may have too */
    trawl_counter cursor; /* where the next record goes */
} place;

/* ------------------------------------------------------------------ the second question */

/* Sets the bits of the ends that a sample of tier `number` may belong to, which ends `at` bytes
 * behind the beginning of the round, or before it. Returns 0 where there are none. */
static __device__ __forceinline__ uint32_t ask_align(const surroundings &around, int32_t round,
                                                     uint32_t number, int32_t at) {
    const trawl_cuda_qgram_tables &table = around.view->table[number];
    uint32_t alignments = alignments_of(around.reporter->slice, table, round + at);
    uint32_t *bitmap = around.bitmaps + number * around.bitmap_words;
    uint32_t some = alignments;
    while (alignments != 0) {
        uint32_t alignment = (uint32_t)__ffs((int)alignments) - 1;
        alignments &= alignments - 1;
        uint32_t last = (uint32_t)at + alignment - 1; /* of the match; wraps before the round */
        if (last < 32 * around.bitmap_words) {
            atomicOr(&bitmap[last / 32], 1u << (last % 32));
        }
    }
    return some;
}

/* Samples that end where a strip begins, or before it, and reach into it: each tier has at most
 * BEFORE of them, and a thread asks for one. */
static_assert(TRAWL_CUDA_QGRAM_TIERS * TRAWL_CUDA_QGRAM_BEFORE <= 32, "one for each thread");

static __device__ __forceinline__ uint32_t ask_before(const surroundings &around, int32_t begin) {
    uint32_t lane = threadIdx.x % 32, number = lane / TRAWL_CUDA_QGRAM_BEFORE;
    if (number >= around.view->tiers) {
        return 0;
    }
    uint32_t stride = around.view->table[number].tier.stride;
    uint32_t distance = lane % TRAWL_CUDA_QGRAM_BEFORE * stride;
    return stride == 1 || distance >= TRAWL_CUDA_QGRAM_ANCHOR_SLACK
               ? 0
               : ask_align(around, begin, number, -(int32_t)distance);
}

/* ------------------------------------------------------------------ records */

/* What a settled round adds. */
typedef struct settled {
    trawl_counter cursor;
    uint32_t behind; /* bits behind the round, which belong to the next one: some tier has any */
} settled;

/* Bits of the round as a list, in the order of matches: which tier, which byte of the round. It
 * takes the queue's place, and may be made in several pieces. */
#define LIST (2 * TRAWL_QGRAM_QUEUE)
#define LISTED_TIER_SHIFT 14

/* Lists a thread's bits from number `begin` of all on, as many as there is room for; the thread's
 * first one is number `rank`. */
static __device__ __forceinline__ void list_bits(const surroundings &around, uint32_t rank,
                                                 uint32_t begin) {
    uint16_t *list = (uint16_t *)around.queue;
    uint32_t each = around.bitmap_words / 32, tiers = around.view->tiers;
    for (uint32_t i = 0; i < each; i++) {
        uint32_t word = each * (threadIdx.x % 32) + i, either = 0;
        for (uint32_t number = 0; number < tiers; number++) {
            either |= around.bitmaps[number * around.bitmap_words + word];
        }
        while (either != 0) {
            uint32_t bit = (uint32_t)__ffs((int)either) - 1;
            either &= either - 1;
            for (uint32_t number = 0; number < tiers; number++) {
                if ((around.bitmaps[number * around.bitmap_words + word] >> bit & 1) != 0) {
                    if (rank - begin < LIST) {
                        list[rank - begin] =
                            (uint16_t)(number << LISTED_TIER_SHIFT | (32 * word + bit));
                    }
                    rank++;
                }
            }
        }
    }
}

/* Asks the third question for the bits of a round, writes their records and takes the bits away. */
static __device__ __noinline__ settled settle(const surroundings &around, const place place) {
    const trawl_cuda_reporter &reporter = *around.reporter;
    uint32_t lane = threadIdx.x % 32, each = around.bitmap_words / 32;
    uint32_t tiers = around.view->tiers, bits = 0, all;
    const uint16_t *list = (const uint16_t *)around.queue;
    settled result = {place.cursor, 0};
    __syncwarp();
    for (uint32_t number = 0; number < tiers; number++) {
        const uint32_t *bitmap = around.bitmaps + number * around.bitmap_words;
        for (uint32_t i = 0; i < each; i++) {
            bits += (uint32_t)__popc(bitmap[each * lane + i]);
        }
    }
    uint32_t rank = sum_before(bits, &all);
    for (uint32_t begin = 0; begin < all; begin += LIST) {
        if (rank < begin + LIST && rank + bits > begin) {
            list_bits(around, rank, begin);
        }
        __syncwarp();
        uint32_t listed = all - begin < LIST ? all - begin : LIST;
        for (uint32_t i = lane; i - lane < listed; i += 32) {
            uint32_t number = 0, end = 0, key = TRAWL_NO_KEY, sum;
            if (i < listed) {
                number = list[i] >> LISTED_TIER_SHIFT;
                int32_t last = place.round + (int32_t)(list[i] & ((1u << LISTED_TIER_SHIFT) - 1));
                end = (uint32_t)last + 1;
                if (last >= (int32_t)place.first && last < (int32_t)place.past) {
                    key = key_before(reporter, around.view->table[number], end);
                }
            }
            const trawl_cuda_keys &keys = around.view->table[number].endings.keys;
            uint32_t total =
                key == TRAWL_NO_KEY ? 0 : trawl_cuda_qgram_total(reporter, keys, end, key);
            trawl_counter at = result.cursor + sum_before(total, &sum);
            if (total != 0) {
                trawl_cuda_report_key(reporter, keys, end, key, &at);
            }
            result.cursor += sum;
        }
        __syncwarp();
    }
    for (uint32_t number = 0; number < tiers; number++) {
        uint32_t *bitmap = around.bitmaps + number * around.bitmap_words;
        uint32_t behind = bitmap[around.bitmap_words - 1];
        __syncwarp();
        for (uint32_t i = 0; i < each; i++) {
            bitmap[each * lane + i] = lane == 0 && i == 0 ? behind : 0;
        }
        if (lane == 0) {
            bitmap[around.bitmap_words - 1] = 0;
        }
        result.behind |= behind;
    }
    __syncwarp();
    return result;
}

/* Asks for the first 32 of the queue, or for all when there are fewer. */
static __device__ __noinline__ void ask_queue(const surroundings &around, int32_t round,
                                              uint32_t queued) {
    uint32_t lane = threadIdx.x % 32;
    __syncwarp();
    if (lane < queued) {
        uint32_t queued_at = around.queue[lane] & ((1u << TRAWL_QGRAM_TIER_SHIFT) - 1);
        ask_align(around, round, around.queue[lane] >> TRAWL_QGRAM_TIER_SHIFT, (int32_t)queued_at);
    }
    __syncwarp();
    if (lane + 32 < queued) {
        around.queue[lane] = around.queue[32 + lane];
    }
    __syncwarp();
}

/* Queues the samples whose bits are set in `passed`, of which bit b is sample `count` - 1 - b of
 * the thread, counted over `count` * stride / 16 vectors of the window. */
static __device__ __forceinline__ void queue_samples(const surroundings around, place *place,
                                                     uint32_t number, uint32_t stride,
                                                     uint32_t count, uint32_t passed) {
    uint32_t lane = threadIdx.x % 32;
    uint32_t per_vector = 16 / stride;
    for (uint32_t some = __ballot_sync(FULL, passed != 0); some != 0;
         some = __ballot_sync(FULL, passed != 0)) {
        if (passed != 0) {
            uint32_t bit = 31 - (uint32_t)__clz((int)passed);
            passed ^= 1u << bit;
            uint32_t sample = count - 1 - bit;
            uint32_t at = place->from + sample / per_vector * TRAWL_QGRAM_VECTOR_BYTES + lane * 16 +
                          (sample % per_vector + 1) * stride;
            uint32_t slot = place->queued + (uint32_t)__popc(some & ((1u << lane) - 1));
            around.queue[slot] = number << TRAWL_QGRAM_TIER_SHIFT | at;
        }
        place->queued += (uint32_t)__popc(some);
        if (place->queued >= 32) {
            const surroundings rare = around; /* so that only the copy is in memory */
            ask_queue(rare, place->round, place->queued);
            place->queued -= 32;
            place->bits = 1;
        }
    }
}

/* ------------------------------------------------------------------ the first question */

/* Sets bits of a window's bitmap for the 16 bytes of vector `vector`. */
static __device__ __forceinline__ void set_bits(const surroundings around, const place &place,
                                                uint32_t number, uint32_t vector, uint32_t bits) {
    uint32_t lane = threadIdx.x % 32;
    uint32_t word = (place.from + vector * TRAWL_QGRAM_VECTOR_BYTES) / 32 + lane / 2;
    atomicOr(&around.bitmaps[number * around.bitmap_words + word], bits << (16 * (lane % 2)));
}

/* Samples at every position: their ends are the matches', so that there is no second question. */
template <int WORDS, int ONES>
static __device__ __forceinline__ void
every_position(const surroundings around, place *place, const trawl_cuda_qgram_tables &table,
               uint32_t number, const uint4 *own, const uint4 &edge) {
    const uint32_t *filter = around.image + table.tier.filter_at;
    uint4 before = edge;
#pragma unroll
    for (uint32_t i = 0; i < TRAWL_QGRAM_VECTORS; i += 2) {
        uint32_t passed = trawl_qgram_vectors<1, WORDS, ONES, false, 2>(
            own + i, &before, filter, table.tier.filter_words, table.mask, table.case_bits);
        if (passed != 0) {
            uint32_t ends = __brev(passed); /* of the first vector in the lower half */
            if ((ends & 0xffff) != 0) {
                set_bits(around, *place, number, i, ends & 0xffff);
            }
            if (ends >> 16 != 0) {
                set_bits(around, *place, number, i + 1, ends >> 16);
            }
            place->bits = 1;
        }
    }
}

/* Samples at a stride. */
template <int STRIDE, int WORDS, bool GLOBAL>
static __device__ __forceinline__ void
sampled(const surroundings around, place *place, const trawl_cuda_qgram_tables &table,
        uint32_t number, const uint4 *own, const uint4 &edge) {
    const uint32_t *filter = GLOBAL ? table.filter : around.image + table.tier.filter_at;
    uint4 before = edge;
    uint32_t passed = trawl_qgram_vectors<STRIDE, WORDS, 2, GLOBAL, TRAWL_QGRAM_VECTORS>(
        own, &before, filter, table.tier.filter_words, table.mask, table.case_bits);
    queue_samples(around, place, number, STRIDE, TRAWL_QGRAM_VECTORS * 16 / STRIDE, passed);
}

/* Pairs of bytes. */
static __device__ __forceinline__ void pairs(const surroundings around, place *place,
                                             const trawl_cuda_qgram_tables &table, uint32_t number,
                                             const uint4 *own, uint4 edge) {
    const uint32_t *filter = around.image + table.tier.filter_at;
#pragma unroll
    for (uint32_t i = 0; i < TRAWL_QGRAM_VECTORS; i++) {
        uint32_t words[5] = {trawl_qgram_before(own[i].w, &edge.w), own[i].x, own[i].y, own[i].z,
                             own[i].w};
        uint32_t bits = 0;
#pragma unroll
        for (uint32_t j = 0; j < 16; j++) {
            bits |= trawl_qgram_pair(filter, words, j) != 0 ? 1u << j : 0;
        }
        if (bits != 0) {
            set_bits(around, *place, number, i, bits);
            place->bits = 1;
        }
    }
}

template <bool GLOBAL>
static __device__ __forceinline__ void
ask_filter(const surroundings around, place *place, const trawl_cuda_qgram_tables &table,
           uint32_t number, const uint4 *own, const uint4 &edge) {
    switch (TRAWL_QGRAM_SHAPE(table.tier.stride, trawl_cuda_qgram_words(&table.tier))) {
#define SHAPE(stride, words)                                                                       \
    case TRAWL_QGRAM_SHAPE(stride, words):                                                         \
        sampled<stride, words, GLOBAL>(around, place, table, number, own, edge);                   \
        break;
        TRAWL_QGRAM_SHAPES
#undef SHAPE
    default:
        break;
    }
}

static __device__ __forceinline__ void ask_tier(const surroundings around, place *place,
                                                uint32_t number, const uint4 *own,
                                                const uint4 &edge) {
    const trawl_cuda_qgram_tables &table = around.view->table[number];
    if (table.tier.place == TRAWL_CUDA_QGRAM_DIRECT) {
        pairs(around, place, table, number, own, edge);
    } else if (table.tier.stride == 1) {
        bool one_word = trawl_cuda_qgram_words(&table.tier) == 1;
        if (table.tier.filter_ones == 1) {
            one_word ? every_position<1, 1>(around, place, table, number, own, edge)
                     : every_position<2, 1>(around, place, table, number, own, edge);
        } else {
            one_word ? every_position<1, 2>(around, place, table, number, own, edge)
                     : every_position<2, 2>(around, place, table, number, own, edge);
        }
    } else if (table.tier.place == TRAWL_CUDA_QGRAM_SHARED) {
        ask_filter<false>(around, place, table, number, own, edge);
    } else {
        ask_filter<true>(around, place, table, number, own, edge);
    }
}

static __device__ __forceinline__ void walk_strip(const surroundings around, place *place,
                                                  int32_t begin) {
    const trawl_cuda_slice &slice = around.reporter->slice;
    const trawl_cuda_qgram_view &view = *around.view;
    const uint32_t round_bytes = 32 * (around.bitmap_words - 1);
    uint4 edge = load_vector(slice, begin - 16);
    uint4 own[TRAWL_QGRAM_VECTORS];
    load_window(slice, begin, own);
    place->bits |= ask_before(around, begin);
    for (place->round = begin; (int32_t)place->past > place->round;
         place->round += (int32_t)round_bytes) {
        place->from = 0;
        for (int32_t window = place->round;
             place->from < round_bytes && window < (int32_t)place->past;
             window += (int32_t)TRAWL_QGRAM_WINDOW) {
            for (uint32_t number = 0; number < view.tiers; number++) {
                ask_tier(around, place, number, own, edge);
            }
            const uint4 &last = own[TRAWL_QGRAM_VECTORS - 1];
            edge = make_uint4(__shfl_sync(FULL, last.x, 31), __shfl_sync(FULL, last.y, 31),
                              __shfl_sync(FULL, last.z, 31), __shfl_sync(FULL, last.w, 31));
            if (window + (int32_t)TRAWL_QGRAM_WINDOW < (int32_t)place->past) {
                load_window(slice, window + (int32_t)TRAWL_QGRAM_WINDOW, own);
            }
            place->from += TRAWL_QGRAM_WINDOW;
        }
        if (place->queued != 0) {
            const surroundings rare = around;
            ask_queue(rare, place->round, place->queued);
            place->queued = 0;
            place->bits = 1;
        }
        if (__any_sync(FULL, place->bits != 0)) {
            const surroundings rare = around;
            settled result = settle(rare, *place);
            place->cursor = result.cursor;
            place->bits = result.behind;
        }
    }
}

static __global__ void __launch_bounds__(TRAWL_QGRAM_THREADS, 1)
    walk(const __grid_constant__ trawl_cuda_reporter reporter,
         const __grid_constant__ trawl_cuda_qgram_view view,
         const __grid_constant__ trawl_cuda_qgram_notes notes, uint32_t strip_bytes) {
    if (!trawl_cuda_wanted(reporter.output) || *notes.overflown == 0) {
        return;
    }
    TRAWL_SHARED(shared);
    for (uint32_t i = threadIdx.x; i < view.image_words / 4; i += blockDim.x) {
        ((uint4 *)shared)[i] = __ldg(view.image + i);
    }
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t warp_words = view.tiers * view.bitmap_words + TRAWL_QGRAM_QUEUE;
    /* The view is asked for all the time, with numbers of tiers that constants have no place for.
     */
    trawl_cuda_qgram_view *near = (trawl_cuda_qgram_view *)(shared + 4 * view.image_words);
    for (uint32_t i = threadIdx.x; i < sizeof view / 4; i += blockDim.x) {
        ((uint32_t *)near)[i] = ((const uint32_t *)&view)[i];
    }
    uint32_t *own = (uint32_t *)shared + view.image_words + TRAWL_QGRAM_VIEW_WORDS +
                    threadIdx.x / 32 * warp_words;
    for (uint32_t i = lane; i < warp_words; i += 32) {
        own[i] = 0;
    }
    __syncthreads();
    const surroundings around = {
        &reporter,        near, (const uint32_t *)shared, own, own + view.tiers * view.bitmap_words,
        view.bitmap_words};
    const trawl_cuda_slice &slice = reporter.slice;
    const uint32_t strips = trawl_cuda_strip_count(&slice, strip_bytes);
    const uint32_t warps = blockDim.x / 32;
    for (uint32_t strip = blockIdx.x * warps + threadIdx.x / 32; strip < strips;
         strip += gridDim.x * warps) {
        if (notes.count[strip] <= notes.capacity) {
            continue;
        }
        int64_t begin = trawl_cuda_strip_begin(&slice, strip_bytes, strip);
        int64_t past = begin + strip_bytes;
        place place;
        place.first = begin < (int64_t)slice.owned ? slice.owned : (uint32_t)begin;
        place.past = past > (int64_t)slice.length ? slice.length : (uint32_t)past;
        place.queued = place.bits = 0;
        place.cursor = reporter.output.sizes[strip];
        walk_strip(around, &place, (int32_t)begin);
        if (lane == 0) {
            reporter.output.sizes[strip] = place.cursor;
        }
        __syncwarp();
        /* What ends behind the strip is another warp's. */
        for (uint32_t i = lane; i < view.tiers * view.bitmap_words; i += 32) {
            own[i] = 0;
        }
        __syncwarp();
    }
}

trawl_status trawl_cuda_qgram_walk(const trawl_cuda_qgram_call *call, trawl_error *error) {
    trawl_status status = trawl_cuda_allow_shared(call->device, walk, call->shared_bytes, error);
    if (status != TRAWL_OK) {
        return status;
    }
    TRAWL_LAUNCH(walk, call->blocks, call->threads, call->shared_bytes, call->stream,
                 *call->reporter, *call->view, call->notes, call->strip_bytes);
    TRAWL_CUDA_LAUNCHED("walk", error);
    return TRAWL_OK;
}
