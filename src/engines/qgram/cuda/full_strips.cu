/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Records of full strips, which have more hits than could be noted: tests their samples again, and
 * writes records in the order of the text.
 *
 * A warp owns a strip and tests it in rounds of some batches. Candidates are queued, so that whole
 * warps look up their end offsets; each end offset sets a bit in the bitmap of the round. At the
 * end of a round, keys are looked up for the bits in the order of the text:
 *
 *     round      batch | batch | batch | batch |
 *     bitmap     ..1.......1..1................|..1.      one bit for each byte, for each tier
 *                                                behind: belongs to the next round
 *
 * A match ends up to 15 bytes behind the sample that leads to it, with free anchors up to 63:
 * perhaps in the next round, for which such bits are kept, or in the next strip. So each warp also
 * tests the samples just before its strip.
 */
#include "engines/qgram/cuda/free_anchors.cuh"
#include "gpu/sort_matches.cuh"

#define SORT_THREADS trawl_qgram_tuned::record_threads

/* The arguments of the functions below. */
typedef struct warp_context {
    const trawl_cuda_reporter *reporter;
    const trawl_cuda_qgram_view *view;
    const uint32_t *image; /* in shared memory */
    uint32_t *bitmaps;     /* the warp's, in shared memory: one for each tier */
    uint32_t *queue;       /* in shared memory */
    uint32_t bitmap_words; /* of a tier */
    uint32_t
        first_of_automaton; /* of the tiers from this one on, only the longest key is reported */
} warp_context;

/* Where a warp is in its strip. */
typedef struct strip_state {
    int32_t round;        /* first byte of the round, in the slice; may be negative */
    uint32_t from;        /* first byte of the batch, in the round */
    uint32_t first, past; /* owned bytes: last bytes of matches are in this range */
    uint32_t queued;      /* candidates in the queue */
    uint32_t bits;        /* nonzero: this thread has set bits in a bitmap */
    trawl_counter cursor; /* where the next record goes */
} strip_state;

/* ------------------------------------------------------------------ end offsets */

/* The end offsets of a sample of a tier of any kind. */
static __device__ __forceinline__ uint64_t all_end_offsets(const trawl_cuda_slice &slice,
                                                           const trawl_cuda_qgram_tables &table,
                                                           int32_t end) {
    return table.tier.anchors != 0 ? possible_ends(slice, table, end)
                                   : end_offsets_of(slice, table, end);
}

/* Sets the bits of the ends that a sample of tier `number` may lead to. The sample ends `at` bytes
 * behind the first byte of the round; `at` may be negative. Returns 0 if there are no such ends. */
static __device__ __forceinline__ uint32_t look_up_end_offsets(const warp_context &context,
                                                               int32_t round, uint32_t number,
                                                               int32_t at) {
    const trawl_cuda_qgram_tables &table = context.view->table[number];
    uint64_t end_offsets = all_end_offsets(context.reporter->slice, table, round + at);
    uint32_t *bitmap = context.bitmaps + number * context.bitmap_words;
    uint32_t some = end_offsets != 0 ? 1 : 0;
    while (end_offsets != 0) {
        uint32_t end_offset = (uint32_t)__ffsll((long long)end_offsets) - 1;
        end_offsets &= end_offsets - 1;
        /* The last byte of the match; wraps around if it is before the round. */
        uint32_t last = (uint32_t)at + end_offset - 1;
        if (last < 32 * context.bitmap_words) {
            atomicOr(&bitmap[last / 32], 1u << (last % 32));
        }
    }
    return some;
}

/* Tests the samples that end at the first byte of a strip or before it and may lead to matches in
 * the strip, 32 at a time. */
static __device__ __forceinline__ uint32_t test_before(const warp_context &context, int32_t begin) {
    uint32_t some = 0;
    for (uint32_t number = 0; number < context.view->tiers; number++) {
        const trawl_cuda_qgram_tier &tier = context.view->table[number].tier;
        const uint32_t reach = tier.anchors != 0  ? TRAWL_CUDA_QGRAM_REACH
                               : tier.stride == 1 ? 0
                                                  : TRAWL_CUDA_QGRAM_ANCHOR_SLACK;
        for (uint32_t distance = threadIdx.x % 32 * tier.stride; distance < reach;
             distance += 32 * tier.stride) {
            some |= look_up_end_offsets(context, begin, number, -(int32_t)distance);
        }
    }
    return some;
}

/* ------------------------------------------------------------------ records */

/* The result of a round. */
typedef struct round_result {
    trawl_counter cursor;
    uint32_t behind; /* nonzero: there are bits behind the round, which belong to the next one */
} round_result;

/*
 * The bits of a round as a list in the order of matches: tier, and byte of the round. The list is
 * in the queue's memory, two entries in a word. If it is too long for that, it is made and
 * processed in several parts.
 *
 *     15  14 13      0
 *     | tier | byte   |
 */
#define LIST (2 * TRAWL_QGRAM_QUEUE)
#define LISTED_TIER_SHIFT 14

/* Writes the thread's bits into the list that has room for LIST bits from number `begin` on. The
 * thread's first bit has number `rank`. */
static __device__ __forceinline__ void list_bits(const warp_context &context, uint32_t rank,
                                                 uint32_t begin) {
    uint16_t *list = (uint16_t *)context.queue;
    uint32_t each = context.bitmap_words / 32, tiers = context.view->tiers;
    for (uint32_t i = 0; i < each; i++) {
        uint32_t word = each * (threadIdx.x % 32) + i, either = 0;
        for (uint32_t number = 0; number < tiers; number++) {
            either |= context.bitmaps[number * context.bitmap_words + word];
        }
        while (either != 0) {
            uint32_t bit = (uint32_t)__ffs((int)either) - 1;
            either &= either - 1;
            for (uint32_t number = 0; number < tiers; number++) {
                if ((context.bitmaps[number * context.bitmap_words + word] >> bit & 1) != 0) {
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

/* Whether a longer key of another tier of the automaton ends there. `at`: last byte, in the round.
 */
static __device__ __noinline__ bool is_end_of_longer(const warp_context &context, uint32_t number,
                                                     uint32_t at, uint32_t end, uint32_t key) {
    const uint32_t length = __ldg(context.view->table[number].endings.keys.outputs.length + key);
    for (uint32_t other = context.first_of_automaton; other < context.view->tiers; other++) {
        const uint32_t bits = context.bitmaps[other * context.bitmap_words + at / 32];
        if (other == number || (bits >> at % 32 & 1) == 0) {
            continue;
        }
        const trawl_cuda_qgram_tables &table = context.view->table[other];
        const uint32_t found = longest_key_before(*context.reporter, table, end);
        if (found != TRAWL_NO_KEY && __ldg(table.endings.keys.outputs.length + found) > length) {
            return true;
        }
    }
    return false;
}

/* Looks up keys for the bits of a round, writes their records, and clears the bits. Bits behind the
 * round become the first ones of the next round. */
static __device__ __noinline__ round_result write_round(const warp_context &context,
                                                        const strip_state state) {
    const trawl_cuda_reporter &reporter = *context.reporter;
    uint32_t lane = threadIdx.x % 32, each = context.bitmap_words / 32;
    uint32_t tiers = context.view->tiers, bits = 0, all;
    const uint16_t *list = (const uint16_t *)context.queue;
    round_result result = {state.cursor, 0};
    __syncwarp();
    for (uint32_t number = 0; number < tiers; number++) {
        const uint32_t *bitmap = context.bitmaps + number * context.bitmap_words;
        for (uint32_t i = 0; i < each; i++) {
            bits += (uint32_t)__popc(bitmap[each * lane + i]);
        }
    }
    uint32_t rank = sum_before(bits, &all);
    for (uint32_t begin = 0; begin < all; begin += LIST) {
        if (rank < begin + LIST && rank + bits > begin) {
            list_bits(context, rank, begin);
        }
        __syncwarp();
        uint32_t listed = all - begin < LIST ? all - begin : LIST;
        for (uint32_t i = lane; i - lane < listed; i += 32) {
            uint32_t number = 0, end = 0, key = TRAWL_NO_KEY, sum;
            if (i < listed) {
                number = list[i] >> LISTED_TIER_SHIFT;
                const uint32_t byte = list[i] & ((1u << LISTED_TIER_SHIFT) - 1);
                int32_t last = state.round + (int32_t)byte;
                end = (uint32_t)last + 1;
                if (last >= (int32_t)state.first && last < (int32_t)state.past) {
                    key = longest_key_before(reporter, context.view->table[number], end);
                }
                if (key != TRAWL_NO_KEY && number >= context.first_of_automaton &&
                    is_end_of_longer(context, number, byte, end, key)) {
                    key = TRAWL_NO_KEY;
                }
            }
            const trawl_cuda_keys &keys = context.view->table[number].endings.keys;
            uint32_t total = key == TRAWL_NO_KEY ? 0 : trawl_cuda_total(reporter, keys, end, key);
            trawl_counter at = result.cursor + sum_before(total, &sum);
            if (total != 0) {
                trawl_cuda_report_key(reporter, keys, end, key, &at);
            }
            result.cursor += sum;
        }
        __syncwarp();
    }
    for (uint32_t number = 0; number < tiers; number++) {
        uint32_t *bitmap = context.bitmaps + number * context.bitmap_words;
        uint32_t *last = bitmap + context.bitmap_words - TRAWL_QGRAM_BEHIND;
        uint32_t behind = lane < TRAWL_QGRAM_BEHIND ? last[lane] : 0;
        __syncwarp();
        for (uint32_t i = 0; i < each; i++) {
            bitmap[each * lane + i] = 0;
        }
        __syncwarp();
        if (lane < TRAWL_QGRAM_BEHIND) {
            bitmap[lane] = behind;
            last[lane] = 0;
        }
        result.behind |= behind;
    }
    __syncwarp();
    return result;
}

/* Looks up the end offsets of the first 32 candidates of the queue, or of all if there are
 * fewer. */
static __device__ __noinline__ void test_queue(const warp_context &context, int32_t round,
                                               uint32_t queued) {
    uint32_t lane = threadIdx.x % 32;
    __syncwarp();
    if (lane < queued) {
        uint32_t queued_at = context.queue[lane] & ((1u << TRAWL_QGRAM_TIER_SHIFT) - 1);
        look_up_end_offsets(context, round, context.queue[lane] >> TRAWL_QGRAM_TIER_SHIFT,
                            (int32_t)queued_at);
    }
    __syncwarp();
    if (lane + 32 < queued) {
        context.queue[lane] = context.queue[32 + lane];
    }
    __syncwarp();
}

/* Queues candidates. Bit b of candidate_bits is sample `count` - 1 - b of the thread, of those from
 * vector `vector` on, each of which has 16 / stride. */
static __device__ __forceinline__ void queue_samples(const warp_context context, strip_state *state,
                                                     uint32_t number, uint32_t stride,
                                                     uint32_t vector, uint32_t count,
                                                     uint32_t candidate_bits) {
    uint32_t lane = threadIdx.x % 32;
    uint32_t per_vector = 16 / stride;
    for (uint32_t some = __ballot_sync(FULL, candidate_bits != 0); some != 0;
         some = __ballot_sync(FULL, candidate_bits != 0)) {
        if (candidate_bits != 0) {
            uint32_t bit = 31 - (uint32_t)__clz((int)candidate_bits);
            candidate_bits ^= 1u << bit;
            uint32_t sample = count - 1 - bit;
            uint32_t at = state->from + (vector + sample / per_vector) * TRAWL_QGRAM_VECTOR_BYTES +
                          lane * 16 + (sample % per_vector + 1) * stride;
            uint32_t slot = state->queued + (uint32_t)__popc(some & ((1u << lane) - 1));
            context.queue[slot] = number << TRAWL_QGRAM_TIER_SHIFT | at;
        }
        state->queued += (uint32_t)__popc(some);
        if (state->queued >= 32) {
            const warp_context copy = context; /* only the copy has to be in local memory */
            test_queue(copy, state->round, state->queued);
            state->queued -= 32;
            state->bits = 1;
        }
    }
}

/* ------------------------------------------------------------------ the sample filters */

/* Sets bits in a tier's bitmap for the thread's 16 bytes of a vector. */
static __device__ __forceinline__ void set_bits(const warp_context context,
                                                const strip_state &state, uint32_t number,
                                                uint32_t vector, uint32_t bits) {
    uint32_t lane = threadIdx.x % 32;
    uint32_t word = (state.from + vector * TRAWL_QGRAM_VECTOR_BYTES) / 32 + lane / 2;
    atomicOr(&context.bitmaps[number * context.bitmap_words + word], bits << (16 * (lane % 2)));
}

/* At a stride of 1 samples end where matches end, unless anchors are free: bits are set without
 * looking up end offsets. */
template <int WORDS, int BITS>
static __device__ __forceinline__ void
every_position(const warp_context context, strip_state *state, const trawl_cuda_qgram_tables &table,
               uint32_t number, const uint4 *own, const uint4 &edge) {
    const uint32_t *filter = context.image + table.tier.filter_at;
    uint4 before = edge;
#pragma unroll
    for (uint32_t i = 0; i < trawl_qgram_tuned::vectors; i += 2) {
        uint32_t candidate_bits = trawl_qgram_test_vectors<1, WORDS, BITS, false, 2>(
            own + i, &before, filter, table.tier.filter_words, table.mask, table.tier.folded != 0);
        if (table.tier.anchors != 0) {
            queue_samples(context, state, number, 1, i, 32, candidate_bits);
        } else if (candidate_bits != 0) {
            uint32_t ends = __brev(candidate_bits); /* first vector in the lower half */
            if ((ends & 0xffff) != 0) {
                set_bits(context, *state, number, i, ends & 0xffff);
            }
            if (ends >> 16 != 0) {
                set_bits(context, *state, number, i + 1, ends >> 16);
            }
            state->bits = 1;
        }
    }
}

/* All positions, by cores: anchors are free. */
static __device__ __forceinline__ void test_cores(const warp_context context, strip_state *state,
                                                  const trawl_cuda_qgram_tables &table,
                                                  uint32_t number, const uint4 *own,
                                                  const uint4 &edge) {
    const uint32_t *filter = context.image + table.tier.filter_at;
    uint4 before = edge;
#pragma unroll
    for (uint32_t i = 0; i < trawl_qgram_tuned::vectors; i += 2) {
        uint32_t candidate_bits = trawl_qgram_test_cores<2>(
            own + i, &before, filter, table.tier.filter_words, table.tier.folded != 0);
        queue_samples(context, state, number, 1, i, 32, candidate_bits);
    }
}

/* Samples at a stride. */
template <int STRIDE, int WORDS, int BITS, bool GLOBAL>
static __device__ __forceinline__ void
test_strided(const warp_context context, strip_state *state, const trawl_cuda_qgram_tables &table,
             uint32_t number, const uint4 *own, const uint4 &edge) {
    const uint32_t *filter = GLOBAL ? table.filter : context.image + table.tier.filter_at;
    uint4 before = edge;
    uint32_t candidate_bits =
        trawl_qgram_test_vectors<STRIDE, WORDS, BITS, GLOBAL, trawl_qgram_tuned::vectors>(
            own, &before, filter, trawl_qgram_filter_size(table.tier), table.mask,
            table.tier.folded != 0);
    queue_samples(context, state, number, STRIDE, 0, trawl_qgram_tuned::vectors * 16 / STRIDE,
                  candidate_bits);
}

/* Byte pairs. */
static __device__ __forceinline__ void test_pairs(const warp_context context, strip_state *state,
                                                  const trawl_cuda_qgram_tables &table,
                                                  uint32_t number, const uint4 *own, uint4 edge) {
    const uint32_t *filter = context.image + table.tier.filter_at;
#pragma unroll
    for (uint32_t i = 0; i < trawl_qgram_tuned::vectors; i++) {
        uint32_t words[5] = {trawl_qgram_word_before(own[i].w, &edge.w), own[i].x, own[i].y,
                             own[i].z, own[i].w};
        uint32_t bits = 0;
#pragma unroll
        for (uint32_t j = 0; j < 16; j++) {
            bits |= trawl_qgram_pair_total(filter, words, j) != 0 ? 1u << j : 0;
        }
        if (bits != 0) {
            set_bits(context, *state, number, i, bits);
            state->bits = 1;
        }
    }
}

/* Tests a batch for a tier of any shape. */
struct test_strip_batch {
    const warp_context &context;
    strip_state *state;
    const trawl_cuda_qgram_tables &table;
    uint32_t number;
    const uint4 *own;
    const uint4 &edge;

    __device__ __forceinline__ void pairs() const {
        test_pairs(context, state, table, number, own, edge);
    }
    __device__ __forceinline__ void cores() const {
        test_cores(context, state, table, number, own, edge);
    }
    template <int WORDS, int BITS> __device__ __forceinline__ void every() const {
        every_position<WORDS, BITS>(context, state, table, number, own, edge);
    }
    template <int STRIDE, int WORDS, int BITS, bool GLOBAL>
    __device__ __forceinline__ void strided() const {
        test_strided<STRIDE, WORDS, BITS, GLOBAL>(context, state, table, number, own, edge);
    }
};

static __device__ __forceinline__ void test_tier(const warp_context context, strip_state *state,
                                                 uint32_t number, const uint4 *own,
                                                 const uint4 &edge) {
    const trawl_cuda_qgram_tables &table = context.view->table[number];
    const test_strip_batch test = {context, state, table, number, own, edge};
    trawl_qgram_visit_shape<void>(trawl_qgram_shape_of(table.tier), test);
}

static __device__ __forceinline__ void scan_strip(const warp_context context, strip_state *state,
                                                  int32_t begin) {
    const trawl_cuda_slice &slice = context.reporter->slice;
    const trawl_cuda_qgram_view &view = *context.view;
    const uint32_t round_bytes = 32 * (context.bitmap_words - TRAWL_QGRAM_BEHIND);
    uint4 edge = load_vector(slice, begin - 16);
    uint4 own[trawl_qgram_tuned::vectors];
    load_batch(slice, begin, own);
    state->bits |= test_before(context, begin);
    for (state->round = begin; (int32_t)state->past > state->round;
         state->round += (int32_t)round_bytes) {
        state->from = 0;
        for (int32_t batch = state->round;
             state->from < round_bytes && batch < (int32_t)state->past;
             batch += (int32_t)TRAWL_QGRAM_BATCH) {
            for (uint32_t number = 0; number < view.tiers; number++) {
                test_tier(context, state, number, own, edge);
            }
            edge = vector_of_last_thread(own[trawl_qgram_tuned::vectors - 1]);
            if (batch + (int32_t)TRAWL_QGRAM_BATCH < (int32_t)state->past) {
                load_batch(slice, batch + (int32_t)TRAWL_QGRAM_BATCH, own);
            }
            state->from += TRAWL_QGRAM_BATCH;
        }
        if (state->queued != 0) {
            const warp_context copy = context;
            test_queue(copy, state->round, state->queued);
            state->queued = 0;
            state->bits = 1;
        }
        if (__any_sync(FULL, state->bits != 0)) {
            const warp_context copy = context;
            round_result result = write_round(copy, *state);
            state->cursor = result.cursor;
            state->bits = result.behind;
        }
    }
}

static __global__ void __launch_bounds__(trawl_qgram_tuned::filter_threads, 1)
    write_full_strips(const __grid_constant__ trawl_cuda_reporter reporter,
                      const __grid_constant__ trawl_cuda_qgram_view view,
                      const __grid_constant__ trawl_cuda_qgram_noted_hits noted,
                      uint32_t strip_bytes, uint32_t first_of_automaton) {
    if (!trawl_cuda_wanted(reporter.output) || *noted.overflown == 0) {
        return;
    }
    TRAWL_SHARED(shared);
    copy_image(view.image, view.image_words / 4, shared);
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t warp_words = view.tiers * view.bitmap_words + TRAWL_QGRAM_QUEUE;
    /* In shared memory the view is indexed by tier, which kernel arguments cannot be. */
    trawl_cuda_qgram_view *block_view = (trawl_cuda_qgram_view *)(shared + 4 * view.image_words);
    for (uint32_t i = threadIdx.x; i < sizeof view / 4; i += blockDim.x) {
        ((uint32_t *)block_view)[i] = ((const uint32_t *)&view)[i];
    }
    uint32_t *own = (uint32_t *)shared + view.image_words + TRAWL_QGRAM_VIEW_WORDS +
                    threadIdx.x / 32 * warp_words;
    for (uint32_t i = lane; i < warp_words; i += 32) {
        own[i] = 0;
    }
    __syncthreads();
    const warp_context context = {&reporter,
                                  block_view,
                                  (const uint32_t *)shared,
                                  own,
                                  own + view.tiers * view.bitmap_words,
                                  view.bitmap_words,
                                  first_of_automaton};
    const trawl_cuda_slice &slice = reporter.slice;
    const uint32_t strips = trawl_cuda_strip_count(&slice, strip_bytes);
    const uint32_t warps = blockDim.x / 32;
    for (uint32_t strip = blockIdx.x * warps + threadIdx.x / 32; strip < strips;
         strip += gridDim.x * warps) {
        if (noted.count[strip] <= noted.capacity) {
            continue;
        }
        int64_t begin = trawl_cuda_strip_begin(&slice, strip_bytes, strip);
        int64_t past = begin + strip_bytes;
        strip_state state;
        state.first = begin < (int64_t)slice.owned ? slice.owned : (uint32_t)begin;
        state.past = past > (int64_t)slice.length ? slice.length : (uint32_t)past;
        state.queued = state.bits = 0;
        state.cursor = reporter.output.sizes[strip];
        scan_strip(context, &state, (int32_t)begin);
        if (lane == 0) {
            reporter.output.sizes[strip] = state.cursor;
        }
        __syncwarp();
        /* Ends behind the strip belong to another warp. */
        for (uint32_t i = lane; i < view.tiers * view.bitmap_words; i += 32) {
            own[i] = 0;
        }
        __syncwarp();
    }
}

trawl_status trawl_cuda_qgram_write_full_strips(const trawl_cuda_qgram_call *call,
                                                uint32_t first_of_automaton, trawl_error *error) {
    trawl_status status =
        trawl_cuda_allow_shared(call->device, write_full_strips, call->shared_bytes, error);
    if (status != TRAWL_OK) {
        return status;
    }
    TRAWL_LAUNCH(write_full_strips, call->blocks, call->threads, call->shared_bytes, call->stream,
                 *call->reporter, *call->view, call->noted, call->strip_bytes, first_of_automaton);
    TRAWL_CUDA_LAUNCHED("write_full_strips", error);
    return TRAWL_OK;
}

/* The records of a strip follow those of the strip before it, whose size is where they end. */
static __global__ void __launch_bounds__(SORT_THREADS)
    sort_full_strips(const __grid_constant__ trawl_cuda_slice slice,
                     const __grid_constant__ trawl_cuda_output output,
                     const __grid_constant__ trawl_cuda_qgram_noted_hits noted,
                     uint32_t strip_bytes) {
    if (!trawl_cuda_wanted(output) || *noted.overflown == 0) {
        return;
    }
    const uint32_t strips = trawl_cuda_strip_count(&slice, strip_bytes);
    for (uint32_t strip = (blockIdx.x * SORT_THREADS + threadIdx.x) / 32; strip < strips;
         strip += gridDim.x * (SORT_THREADS / 32)) {
        if (noted.count[strip] <= noted.capacity) {
            continue;
        }
        const trawl_counter past = output.sizes[strip];
        trawl_counter at = strip == 0 && slice.first == 0 ? 0 : output.sizes[(int64_t)strip - 1];
        for (at += threadIdx.x % 32; at < past; at += 32) {
            trawl_cuda_sort_end(output.matches, at, past);
        }
    }
}

trawl_status trawl_cuda_qgram_sort_full_strips(const trawl_cuda_qgram_call *call,
                                               trawl_error *error) {
    TRAWL_LAUNCH(sort_full_strips, (uint32_t)call->device->multiprocessors, SORT_THREADS, 0,
                 call->stream, call->reporter->slice, call->reporter->output, call->noted,
                 call->strip_bytes);
    TRAWL_CUDA_LAUNCHED("sort_full_strips", error);
    return TRAWL_OK;
}
