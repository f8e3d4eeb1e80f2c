/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Kernel `packed`: a warp tests its strip batch by batch. It packs a batch, which frees the
 * registers for loading the next one, and looks up the positions while that is loaded.
 *
 * In nearly all batches all bytes are letters of the set and all positions belong to the strip. In
 * other batches some positions need care: those outside the strip do not count; those with a byte
 * outside the alphabet among the last `max_length` bytes may still end a shorter key, which is
 * looked up position by position.
 *
 * For records, the pass that counts also leaves a mark, one bit, for each position of a strip where
 * matches end. Records are written from these marks (packed_records.cu). A bit for every position
 * takes less time than a list of those with matches, whose length the threads would have to add up.
 */
#include "engines/qgram/cuda/find_keys.cuh"
#include "engines/qgram/cuda/packed.cuh"

#define VECTORS trawl_qgram_tuned::vectors
#define BATCH_BYTES ((int32_t)TRAWL_QGRAM_BATCH)
#define VECTOR_BYTES ((int32_t)TRAWL_QGRAM_VECTOR_BYTES)

/* What a kernel does at positions where matches end. A value up to 3: it counts them by that many
 * planes. */
enum { OUTPUT_KEYS = 4 /* counts or reports keys, in any order */ };

/* A thread's 16 letters, and the 16 before them. */
typedef struct letters {
    uint32_t before, own; /* packed */
    uint32_t outside;     /* bytes outside the alphabet: bit 16 + i: byte i; bit i: byte i before */
} letters;

/* The arguments of the functions below. */
typedef struct packed_context {
    const trawl_cuda_reporter *reporter;
    const trawl_cuda_packed_view *view;
    const uint8_t *image; /* in shared memory */
    trawl_packed_tables tables;
} packed_context;

/* A warp's strip. */
typedef struct packed_strip {
    int32_t begin;         /* of the strip, in the slice */
    int32_t first, past;   /* owned bytes */
    uint32_t sum;          /* matches that the thread has counted by planes */
    trawl_counter counted; /* by keys */
    uint16_t *marks;       /* 16 positions each; NULL: no marks are wanted */
} packed_strip;

/* ------------------------------------------------------------------ positions */

/* Returns a bit for each i below 16: 1 if first <= at + i < past. */
static __device__ __forceinline__ uint32_t within(int32_t at, int32_t first, int32_t past) {
    int32_t from = min(max(first - at, 0), 16), to = min(max(past - at, 0), 16);
    return ((1u << to) - 1) & ~((1u << from) - 1);
}

/* Sets the `length` - 1 bits above each bit that is set. */
static __device__ __forceinline__ uint32_t spread(uint32_t bits, uint32_t length) {
    for (uint32_t width = 1; width < length;) {
        uint32_t more = min(width, length - width);
        bits |= bits << more;
        width += more;
    }
    return bits;
}

/* Returns the positions with a byte outside the alphabet among their last `length` bytes. */
static __device__ __forceinline__ uint32_t outside_within(const letters &text, uint32_t length) {
    return spread(text.outside, length) >> 16;
}

/* Of positions with such a byte among their last max_length bytes, returns those where a shorter
 * key may end: none if all keys are equally long. */
static __device__ __forceinline__ uint32_t possible_at(const trawl_cuda_packed_view &view,
                                                       const letters &text, uint32_t positions) {
    return view.min_length == view.max_length ? 0
                                              : positions & ~outside_within(text, view.min_length);
}

/* Returns the longest key that ends at position `at`, or TRAWL_NO_KEY. */
static __device__ __forceinline__ uint32_t key_at(const trawl_cuda_packed_view &view,
                                                  const letters &text, uint32_t at) {
    uint64_t both = (uint64_t)text.own << 32 | text.before;
    uint32_t key = __ldg(view.key_of + (uint32_t)(both >> (2 * at + 18) & 0xffff));
    if (text.outside != 0) {
        uint32_t run = (uint32_t)__clz((int)(text.outside << (15 - at)));
        while (key != TRAWL_NO_KEY && __ldg(view.keys.outputs.length + key) > run) {
            key = __ldg(view.keys.outputs.link + key);
        }
    }
    return key;
}

/* Returns those of `positions` where a key ends. Some may have a byte outside the alphabet among
 * their last bytes. */
static __device__ __noinline__ uint32_t keys_behind(const trawl_cuda_packed_view &view,
                                                    const letters text, uint32_t positions) {
    uint32_t kept = 0;
    for (; positions != 0; positions &= positions - 1) {
        uint32_t at = (uint32_t)__ffs((int)positions) - 1;
        kept |= key_at(view, text, at) == TRAWL_NO_KEY ? 0 : 1u << at;
    }
    return kept;
}

/* Of positions where the plane says that a key ends, returns those where that is true. */
static __device__ __forceinline__ uint32_t true_ends(const trawl_cuda_packed_view &view,
                                                     const letters &text, uint32_t positions) {
    uint32_t uncertain = positions & outside_within(text, view.max_length);
    if (uncertain == 0) {
        return positions;
    }
    uint32_t possible = possible_at(view, text, uncertain);
    positions ^= uncertain;
    return possible == 0 ? positions : positions | keys_behind(view, text, possible);
}

/* Returns the number of matches that end at these positions. */
static __device__ __noinline__ uint32_t matches_at(const trawl_cuda_packed_view &view,
                                                   const letters text, uint32_t positions) {
    uint32_t sum = 0;
    for (; positions != 0; positions &= positions - 1) {
        uint32_t key = key_at(view, text, (uint32_t)__ffs((int)positions) - 1);
        sum += key == TRAWL_NO_KEY ? 0 : __ldg(view.keys.outputs.total + key);
    }
    return sum;
}

/* ------------------------------------------------------------------ counting */

/* Returns the number of matches that end in a vector; with MARKED, sets *ends to the positions. */
template <int PLANES, bool MARKED>
static __device__ __forceinline__ uint32_t count(const packed_context &context, const letters &text,
                                                 uint32_t *ends) {
    trawl_packed_kmers kmers = trawl_packed_kmers_of(context.tables, text.before, text.own);
    trawl_packed_found all = {{0, 0}};
    uint32_t sum = 0;
#pragma unroll
    for (int plane = 0; plane < PLANES; plane++) {
        trawl_packed_found found = trawl_packed_look_up(
            context.tables, context.image + (uint32_t)plane * TRAWL_CUDA_PACKED_KMERS, kmers);
        sum += (uint32_t)(__popc(found.words[0]) + __popc(found.words[1])) << plane;
        all.words[0] |= found.words[0];
        all.words[1] |= found.words[1];
    }
    if (MARKED) {
        *ends = (all.words[0] | all.words[1]) == 0 ? 0 : trawl_packed_positions(all);
    }
    return sum;
}

/* The same, only at the positions `owned`, and with care for bytes outside the alphabet. */
template <int PLANES, bool MARKED>
static __device__ __forceinline__ uint32_t count_some(const packed_context &context,
                                                      const letters &text, uint32_t owned,
                                                      uint32_t *ends) {
    const trawl_cuda_packed_view &view = *context.view;
    trawl_packed_kmers kmers = trawl_packed_kmers_of(context.tables, text.before, text.own);
    uint32_t uncertain = outside_within(text, view.max_length), all = 0, sum = 0;
#pragma unroll
    for (int plane = 0; plane < PLANES; plane++) {
        uint32_t positions =
            owned &
            trawl_packed_positions(trawl_packed_look_up(
                context.tables, context.image + (uint32_t)plane * TRAWL_CUDA_PACKED_KMERS, kmers));
        all |= positions;
        sum += (uint32_t)__popc(positions & ~uncertain) << plane;
    }
    if (MARKED) {
        *ends = true_ends(view, text, all);
    }
    uncertain &= all;
    if (uncertain != 0) {
        uint32_t possible = possible_at(view, text, uncertain);
        sum += possible == 0 ? 0 : matches_at(view, text, possible);
    }
    return sum;
}

/* ------------------------------------------------------------------ reporting */

/* Marks the ends at a thread's positions; `at` is the position of its first byte. */
static __device__ __forceinline__ void mark_ends(const trawl_cuda_reporter &reporter, int32_t at,
                                                 uint32_t positions) {
    int32_t owned = (int32_t)reporter.slice.owned;
    if (at < owned) {
        positions >>= owned - at;
        at = owned;
    }
    uint64_t bit = reporter.slice.first + (uint32_t)(at - owned);
    uint64_t bits = (uint64_t)positions << (bit % 32);
    uint32_t *words = reporter.output.ends + bit / 32;
    if ((uint32_t)bits != 0) {
        atomicOr(words, (uint32_t)bits);
    }
    if (bits >> 32 != 0) {
        atomicOr(words + 1, (uint32_t)(bits >> 32));
    }
}

/* Reports the keys that end at a thread's positions. Returns the number of matches. */
static __device__ __forceinline__ trawl_counter report_keys(const trawl_cuda_reporter &reporter,
                                                            const trawl_cuda_packed_view &view,
                                                            const letters text, int32_t at,
                                                            uint32_t positions) {
    trawl_cuda_pass pass = reporter.output.pass;
    if (pass == TRAWL_CUDA_PASS_ENDS && !view.verify) {
        mark_ends(reporter, at, positions);
        return 0;
    }
    bool counted = pass == TRAWL_CUDA_PASS_COUNT || pass == TRAWL_CUDA_PASS_SIZES;
    trawl_counter sum = 0;
    for (; positions != 0; positions &= positions - 1) {
        uint32_t position = (uint32_t)__ffs((int)positions) - 1;
        uint32_t key = key_at(view, text, position);
        uint32_t end = (uint32_t)at + position + 1;
        if (counted) {
            sum += trawl_cuda_total(reporter, view.keys, end, key);
        } else {
            trawl_cuda_report_key(reporter, view.keys, end, key, &sum);
        }
    }
    return sum;
}

/* Reports the matches of a vector position by position, and returns the positions. `whole`: all
 * positions belong to the strip and all bytes are letters. */
static __device__ __forceinline__ uint32_t report_positions(const packed_context &context,
                                                            const letters &text, int32_t at,
                                                            bool whole, packed_strip *place) {
    const trawl_cuda_packed_view &view = *context.view;
    trawl_packed_found found =
        trawl_packed_look_up(context.tables, context.image,
                             trawl_packed_kmers_of(context.tables, text.before, text.own));
    if (!__any_sync(FULL, (found.words[0] | found.words[1]) != 0)) {
        return 0;
    }
    uint32_t positions = trawl_packed_positions(found);
    if (!whole) {
        positions = true_ends(view, text, positions & within(at, place->first, place->past));
    }
    if (positions != 0) {
        place->counted += report_keys(*context.reporter, view, text, at, positions);
    }
    return positions;
}

/* ------------------------------------------------------------------ a strip */

template <int OUTPUT, bool MARKED>
static __device__ __forceinline__ void process(const packed_context &context, const letters &text,
                                               int32_t at, bool whole, packed_strip *place) {
    uint32_t ends = 0;
    if constexpr (OUTPUT == OUTPUT_KEYS) {
        ends = report_positions(context, text, at, whole, place);
    } else if (whole) {
        place->sum += count<OUTPUT, MARKED>(context, text, &ends);
    } else {
        place->sum +=
            count_some<OUTPUT, MARKED>(context, text, within(at, place->first, place->past), &ends);
    }
    if (MARKED) {
        place->marks[(uint32_t)(at - place->begin) / 16] = (uint16_t)ends;
    }
}

/* Packs the 16 bytes at text[at]. Bytes that are not in the slice count as outside the alphabet. */
template <bool FOLDED>
static __device__ __forceinline__ letters load_letters(const packed_context &context, int32_t at) {
    const trawl_cuda_slice &slice = context.reporter->slice;
    uint32_t differences[4];
    letters text;
    text.before = 0;
    text.own = trawl_packed_pack<FOLDED>(*context.view, context.tables, load_vector(slice, at),
                                         differences);
    text.outside =
        trawl_packed_outside(differences) | (0xffff & ~within(at, 0, (int32_t)slice.length));
    return text;
}

/* The last letters before the first thread's bytes. In the other threads `outside` is 0. */
typedef struct packed_edge {
    uint32_t letters, outside;
} packed_edge;

/* Tests a batch that has bytes outside the alphabet, or positions that are not the strip's. Returns
 * whether each of its vectors has such bytes. */
template <int OUTPUT, bool FOLDED, bool MARKED>
static __device__ __forceinline__ bool process_mixed_batch(const packed_context &context,
                                                           int32_t batch, packed_edge *edge,
                                                           packed_strip *place) {
    int32_t at = batch + (int32_t)(threadIdx.x % 32 * 16);
    bool everywhere = true;
#pragma unroll 1
    for (uint32_t i = 0; i < VECTORS; i++, at += VECTOR_BYTES) {
        letters text = load_letters<FOLDED>(context, at);
        everywhere = __any_sync(FULL, text.outside != 0) && everywhere;
        text.before = trawl_qgram_word_before(text.own, &edge->letters);
        text.outside = text.outside << 16 | trawl_qgram_word_before(text.outside, &edge->outside);
        process<OUTPUT, MARKED>(context, text, at, false, place);
    }
    edge->outside = threadIdx.x % 32 == 0 ? edge->outside : 0;
    return everywhere;
}

static __device__ __forceinline__ bool is_inside(const packed_strip &place, int32_t batch) {
    return batch >= place.first && batch + BATCH_BYTES <= place.past;
}

static __device__ __forceinline__ void load_inner(const trawl_cuda_slice &slice, int32_t batch,
                                                  uint4 (&own)[VECTORS]) {
    const uint4 *vectors = (const uint4 *)(slice.text + batch) + threadIdx.x % 32;
#pragma unroll
    for (uint32_t i = 0; i < VECTORS; i++) {
        own[i] = __ldg(vectors + i * 32);
    }
}

template <int OUTPUT, bool FOLDED, bool MARKED>
static __device__ __forceinline__ void scan_strip(const packed_context &context, int32_t begin,
                                                  packed_strip *place) {
    /* Called functions need the registers, so nothing is loaded before a call. */
    constexpr bool CALLS = OUTPUT == OUTPUT_KEYS;
    const trawl_cuda_slice &slice = context.reporter->slice;
    const int32_t lane_at = (int32_t)(threadIdx.x % 32 * 16);
    letters before = load_letters<FOLDED>(context, begin - 16);
    packed_edge edge = {before.own, threadIdx.x % 32 == 0 ? before.outside : 0};
    uint4 own[VECTORS]; /* of batches that are inside the strip */
    if (is_inside(*place, begin)) {
        load_inner(slice, begin, own);
    }
    bool mixed = false; /* the next batch is likely to have bytes outside the alphabet too */
    for (int32_t batch = begin; batch < place->past; batch += BATCH_BYTES) {
        uint32_t packed[VECTORS];
        bool whole = !mixed && is_inside(*place, batch);
        bool more = is_inside(*place, batch + BATCH_BYTES);
        if (whole) {
            uint32_t different = edge.outside;
#pragma unroll
            for (uint32_t i = 0; i < VECTORS; i++) {
                uint32_t differences[4];
                packed[i] =
                    trawl_packed_pack<FOLDED>(*context.view, context.tables, own[i], differences);
                different |= differences[0] | differences[1] | differences[2] | differences[3];
            }
            whole = !__any_sync(FULL, different != 0);
        }
        if (!whole) {
            mixed = process_mixed_batch<OUTPUT, FOLDED, MARKED>(context, batch, &edge, place);
            if (more && !mixed) {
                load_inner(slice, batch + BATCH_BYTES, own);
            }
            continue;
        }
        if (more && !CALLS) {
            load_inner(slice, batch + BATCH_BYTES, own);
        }
#pragma unroll(OUTPUT == OUTPUT_KEYS ? 1 : 4)
        for (uint32_t i = 0; i < VECTORS; i++) {
            uint32_t now = packed[CALLS ? 0 : i];
            letters text = {trawl_qgram_word_before(now, &edge.letters), now, 0};
            if (CALLS) {
                packed[0] = packed[1], packed[1] = packed[2], packed[2] = packed[3];
            }
            process<OUTPUT, MARKED>(context, text, batch + lane_at + (int32_t)i * VECTOR_BYTES,
                                    true, place);
        }
        if (more && CALLS) {
            load_inner(slice, batch + BATCH_BYTES, own);
        }
    }
}

/* The most threads of a block. With more threads, kernels that call functions would have registers
 * in local memory. */
static constexpr uint32_t threads_of(int after) {
    return after == OUTPUT_KEYS ? trawl_qgram_tuned::packed_threads_reporting
                                : trawl_qgram_tuned::packed_threads;
}

/* Adds up what the threads of a warp have counted in a strip. */
static __device__ __forceinline__ void put_size(const trawl_cuda_output &output, uint32_t strip,
                                                trawl_counter sum) {
    for (uint32_t offset = 16; offset != 0; offset /= 2) {
        sum += __shfl_down_sync(FULL, sum, offset);
    }
    if (threadIdx.x % 32 == 0) {
        output.sizes[strip] = sum;
    }
}

template <int OUTPUT, bool FOLDED, bool MARKED>
static __global__ void __launch_bounds__(threads_of(OUTPUT), 1)
    packed(const __grid_constant__ trawl_cuda_reporter reporter,
           const __grid_constant__ trawl_cuda_packed_view view, uint32_t strip_bytes,
           uint32_t *marks) {
    TRAWL_SHARED(shared);
    const uint4 *image = OUTPUT == OUTPUT_KEYS ? view.ends : view.image;
    const uint32_t vectors = (OUTPUT == OUTPUT_KEYS ? 1 : OUTPUT) * (TRAWL_CUDA_PACKED_KMERS / 16);
    copy_image(image, vectors, shared);
    __syncthreads();
    const trawl_cuda_slice &slice = reporter.slice;
    const uint32_t strips = trawl_cuda_strip_count(&slice, strip_bytes);
    const uint32_t warps = blockDim.x / 32;
    /* Taken from one thread, so that the compiler knows that the value is the same in all. */
    const uint32_t warp = __shfl_sync(FULL, threadIdx.x / 32, 0);
    const uint4 tables = __ldg(view.tables);
    const packed_context context = {
        &reporter, &view, shared, {tables.x, tables.y, tables.z, tables.w}};
    const bool sizes = reporter.output.pass == TRAWL_CUDA_PASS_SIZES;
    trawl_counter counted = 0;
    for (uint32_t strip = blockIdx.x * warps + warp; strip < strips; strip += gridDim.x * warps) {
        int64_t begin = trawl_cuda_strip_begin(&slice, strip_bytes, strip);
        int64_t past = begin + strip_bytes;
        packed_strip place;
        place.begin = (int32_t)begin;
        place.first = begin < (int64_t)slice.owned ? (int32_t)slice.owned : (int32_t)begin;
        place.past = past > (int64_t)slice.length ? (int32_t)slice.length : (int32_t)past;
        place.sum = 0;
        place.counted = 0;
        place.marks = MARKED ? (uint16_t *)marks + (size_t)strip * (strip_bytes / 16) : NULL;
        scan_strip<OUTPUT, FOLDED, MARKED>(context, (int32_t)begin, &place);
        trawl_counter sum = place.counted + place.sum;
        if (sizes) {
            put_size(reporter.output, strip, sum);
        } else {
            counted += sum;
        }
    }
    trawl_cuda_pass pass = reporter.output.pass;
    if (pass == TRAWL_CUDA_PASS_COUNT || pass == TRAWL_CUDA_PASS_PATTERNS) {
        add_total(reporter.output, counted, (uint32_t *)shared);
    }
}

/* ------------------------------------------------------------------ launching */

template <int OUTPUT, bool FOLDED, bool MARKED>
static trawl_status run(const trawl_cuda_packed_call *call, trawl_error *error) {
    uint32_t bytes = (OUTPUT == OUTPUT_KEYS ? 1 : OUTPUT) * TRAWL_CUDA_PACKED_KMERS;
    trawl_status status =
        trawl_cuda_allow_shared(call->device, packed<OUTPUT, FOLDED, MARKED>, bytes, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uint32_t threads = call->threads < threads_of(OUTPUT) ? call->threads : threads_of(OUTPUT);
    TRAWL_LAUNCH((packed<OUTPUT, FOLDED, MARKED>), call->blocks, threads, bytes, call->stream,
                 *call->reporter, *call->view, call->strip_bytes, call->marks);
    TRAWL_CUDA_LAUNCHED("packed", error);
    return TRAWL_OK;
}

template <int OUTPUT, bool FOLDED>
static trawl_status run_marked(const trawl_cuda_packed_call *call, trawl_error *error) {
    return call->marks != NULL ? run<OUTPUT, FOLDED, true>(call, error)
                               : run<OUTPUT, FOLDED, false>(call, error);
}

template <int OUTPUT>
static trawl_status run_folded(const trawl_cuda_packed_call *call, trawl_error *error) {
    return call->view->folded ? run_marked<OUTPUT, true>(call, error)
                              : run_marked<OUTPUT, false>(call, error);
}

trawl_status trawl_cuda_packed_scan(const trawl_cuda_packed_call *call, trawl_error *error) {
    trawl_cuda_pass pass = call->reporter->output.pass;
    bool counted = pass == TRAWL_CUDA_PASS_COUNT || pass == TRAWL_CUDA_PASS_SIZES;
    switch (counted ? call->view->planes : 0) {
    case 1:
        return run_folded<1>(call, error);
    case 2:
        return run_folded<2>(call, error);
    case 3:
        return run_folded<3>(call, error);
    default:
        return run_folded<OUTPUT_KEYS>(call, error);
    }
}
