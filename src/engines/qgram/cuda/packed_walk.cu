/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Kernel `packed`: a warp goes over its strip in windows of 2 KB. It packs a window, which frees
 * the registers that the next one is loaded into, and looks its positions up meanwhile.
 *
 * In nearly all windows all bytes are letters, and all positions are the warp's own. In the others
 * positions are left out that are not its own, or that have a byte among the last `max_length` that
 * is no letter; keys that are shorter than the letters behind such a byte are looked at one by one.
 */
#include "engines/qgram/cuda/packed.cuh"
#include "engines/qgram/cuda/test.cuh"

#define VECTORS TRAWL_QGRAM_VECTORS
#define WINDOW_BYTES ((int32_t)TRAWL_QGRAM_WINDOW)
#define VECTOR_BYTES ((int32_t)TRAWL_QGRAM_VECTOR_BYTES)

/* What is done with what is found: up to 3, that many planes count it. */
enum {
    TAKE_KEYS = 4, /* keys are counted and reported, in any order */
    TAKE_RECORDS = 5
};

/* A thread's 16 bytes, and those before them. */
typedef struct letters {
    uint32_t before, own; /* packed */
    uint32_t outside;     /* bit 16 + i: byte i is no letter; bit i: byte i of those before */
} letters;

/* What all steps of a thread read. */
typedef struct packed_around {
    const trawl_cuda_reporter *reporter;
    const trawl_cuda_packed_view *view;
    const uint8_t *image; /* in shared memory */
    trawl_packed_tables tables;
} packed_around;

/* A warp's place in its strip. */
typedef struct packed_place {
    int32_t first, past;  /* owned bytes */
    uint32_t sum;         /* matches that the thread has counted by planes */
    trawl_counter cursor; /* emit.cuh; RECORDS: the warp's */
} packed_place;

/* ------------------------------------------------------------------ positions */

/* A bit for each i below 16 with first <= at + i < past. */
static __device__ __forceinline__ uint32_t within(int32_t at, int32_t first, int32_t past) {
    int32_t from = min(max(first - at, 0), 16), to = min(max(past - at, 0), 16);
    return ((1u << to) - 1) & ~((1u << from) - 1);
}

/* Each bit once more `length` - 1 times, to its left. */
static __device__ __forceinline__ uint32_t spread(uint32_t bits, uint32_t length) {
    for (uint32_t anchor_slack = 1; anchor_slack < length;) {
        uint32_t more = min(anchor_slack, length - anchor_slack);
        bits |= bits << more;
        anchor_slack += more;
    }
    return bits;
}

/* At which positions the text has other bytes than letters among the last `length`. */
static __device__ __forceinline__ uint32_t disturbed(const letters &text, uint32_t length) {
    return spread(text.outside, length) >> 16;
}

/* Which of these positions, all of them disturbed for the longest key, are not for the shortest. */
static __device__ __forceinline__ uint32_t possible_at(const trawl_cuda_packed_view &view,
                                                       const letters &text, uint32_t positions) {
    return view.min_length == view.max_length ? 0 : positions & ~disturbed(text, view.min_length);
}

/* The longest key that ends at position `at`, or TRAWL_NO_KEY. */
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

/* Which of `positions`, of which some are disturbed, have a key that ends there all the same. */
static __device__ __noinline__ uint32_t keys_behind(const trawl_cuda_packed_view &view,
                                                    const letters text, uint32_t positions) {
    uint32_t kept = 0;
    for (; positions != 0; positions &= positions - 1) {
        uint32_t at = (uint32_t)__ffs((int)positions) - 1;
        kept |= key_at(view, text, at) == TRAWL_NO_KEY ? 0 : 1u << at;
    }
    return kept;
}

/* Positions without those that only seem to end a key. */
static __device__ __forceinline__ uint32_t cleared(const trawl_cuda_packed_view &view,
                                                   const letters &text, uint32_t positions) {
    uint32_t doubtful = positions & disturbed(text, view.max_length);
    if (doubtful == 0) {
        return positions;
    }
    uint32_t possible = possible_at(view, text, doubtful);
    positions ^= doubtful;
    return possible == 0 ? positions : positions | keys_behind(view, text, possible);
}

/* The matches that end at these positions. */
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

template <int PLANES>
static __device__ __forceinline__ uint32_t count(const packed_around &around, const letters &text) {
    trawl_packed_windows windows = trawl_packed_windows_of(around.tables, text.before, text.own);
    uint32_t sum = 0;
#pragma unroll
    for (int plane = 0; plane < PLANES; plane++) {
        trawl_packed_found found = trawl_packed_look_up(
            around.tables, around.image + (uint32_t)plane * TRAWL_CUDA_PACKED_WINDOWS, windows);
        sum += (uint32_t)(__popc(found.words[0]) + __popc(found.words[1])) << plane;
    }
    return sum;
}

/* The same for positions of which some do not count. */
template <int PLANES>
static __device__ __forceinline__ uint32_t count_some(const packed_around &around,
                                                      const letters &text, uint32_t owned) {
    const trawl_cuda_packed_view &view = *around.view;
    trawl_packed_windows windows = trawl_packed_windows_of(around.tables, text.before, text.own);
    uint32_t doubtful = disturbed(text, view.max_length), all = 0, sum = 0;
#pragma unroll
    for (int plane = 0; plane < PLANES; plane++) {
        uint32_t positions =
            owned & trawl_packed_positions(trawl_packed_look_up(
                        around.tables, around.image + (uint32_t)plane * TRAWL_CUDA_PACKED_WINDOWS,
                        windows));
        all |= positions;
        sum += (uint32_t)__popc(positions & ~doubtful) << plane;
    }
    doubtful &= all;
    if (doubtful != 0) {
        uint32_t possible = possible_at(view, text, doubtful);
        sum += possible == 0 ? 0 : matches_at(view, text, possible);
    }
    return sum;
}

/* ------------------------------------------------------------------ reporting */

/* Positions of ends, as bits of the result; `at` is that of the thread's first byte. */
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

/* Reports what ends at a thread's positions; returns how many matches that are. */
static __device__ __forceinline__ trawl_counter report(const trawl_cuda_reporter &reporter,
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
            sum += trawl_cuda_qgram_total(reporter, view.keys, end, key);
        } else {
            trawl_cuda_report_key(reporter, view.keys, end, key, &sum);
        }
    }
    return sum;
}

/* Writes the records of a warp's vector, in their order; returns how many they are. */
static __device__ __forceinline__ trawl_counter write(const trawl_cuda_reporter &reporter,
                                                      const trawl_cuda_packed_view &view,
                                                      const letters text, int32_t at,
                                                      uint32_t positions, trawl_counter cursor) {
    const trawl_outputs &outputs = view.keys.outputs;
    trawl_counter own = 0;
    if (view.planes == 1) {
        own = (trawl_counter)__popc(positions);
    } else {
        for (uint32_t left = positions; left != 0; left &= left - 1) {
            uint32_t position = (uint32_t)__ffs((int)left) - 1;
            own += trawl_cuda_qgram_total(reporter, view.keys, (uint32_t)at + position + 1,
                                          key_at(view, text, position));
        }
    }
    trawl_counter inclusive = own;
#pragma unroll
    for (uint32_t distance = 1; distance < 32; distance *= 2) {
        trawl_counter other = __shfl_up_sync(FULL, inclusive, distance);
        inclusive += threadIdx.x % 32 < distance ? 0 : other;
    }
    cursor += inclusive - own;
    for (; positions != 0; positions &= positions - 1) {
        uint32_t position = (uint32_t)__ffs((int)positions) - 1;
        uint32_t key = key_at(view, text, position);
        uint32_t end = (uint32_t)at + position + 1;
        if (view.planes == 1) {
            uint32_t id = __ldg(outputs.ids + __ldg(outputs.first + key));
            reporter.output.matches[cursor++] = {reporter.slice.base + end, id,
                                                 __ldg(outputs.length + key)};
        } else {
            trawl_cuda_report_key(reporter, view.keys, end, key, &cursor);
        }
    }
    return __shfl_sync(FULL, inclusive, 31);
}

/* A vector whose positions are met one by one; `whole`: all of them count. */
template <int AFTER>
static __device__ __forceinline__ void meet(const packed_around &around, const letters &text,
                                            int32_t at, bool whole, packed_place *place) {
    const trawl_cuda_reporter &reporter = *around.reporter;
    const trawl_cuda_packed_view &view = *around.view;
    trawl_packed_found found = trawl_packed_look_up(
        around.tables, around.image, trawl_packed_windows_of(around.tables, text.before, text.own));
    if (!__any_sync(FULL, (found.words[0] | found.words[1]) != 0)) {
        return;
    }
    uint32_t positions = trawl_packed_positions(found);
    if (!whole) {
        positions = cleared(view, text, positions & within(at, place->first, place->past));
    }
    if (AFTER == TAKE_RECORDS) {
        place->cursor += write(reporter, view, text, at, positions, place->cursor);
    } else if (positions != 0) {
        place->cursor += report(reporter, view, text, at, positions);
    }
}

/* ------------------------------------------------------------------ a strip */

template <int AFTER>
static __device__ __forceinline__ void take(const packed_around &around, const letters &text,
                                            int32_t at, bool whole, packed_place *place) {
    if constexpr (AFTER >= TAKE_KEYS) {
        meet<AFTER>(around, text, at, whole, place);
    } else if (whole) {
        place->sum += count<AFTER>(around, text);
    } else {
        place->sum += count_some<AFTER>(around, text, within(at, place->first, place->past));
    }
}

/* The 16 bytes at text[at], of which the text may not have all, which are strangers then. */
template <bool FOLDED>
static __device__ __forceinline__ letters load_letters(const packed_around &around, int32_t at) {
    const trawl_cuda_slice &slice = around.reporter->slice;
    uint32_t differences[4];
    letters text;
    text.before = 0;
    text.own =
        trawl_packed_pack<FOLDED>(*around.view, around.tables, load_vector(slice, at), differences);
    text.outside =
        trawl_packed_outside(differences) | (0xffff & ~within(at, 0, (int32_t)slice.length));
    return text;
}

/* What is before the first thread's bytes; the other threads have no strangers there. */
typedef struct packed_edge {
    uint32_t letters, outside;
} packed_edge;

/* A window that has other bytes than letters, or positions that are not the strip's. Returns
 * whether such bytes are everywhere. */
template <int AFTER, bool FOLDED>
static __device__ __forceinline__ bool take_carefully(const packed_around &around, int32_t window,
                                                      packed_edge *edge, packed_place *place) {
    int32_t at = window + (int32_t)(threadIdx.x % 32 * 16);
    bool everywhere = true;
#pragma unroll 1
    for (uint32_t i = 0; i < VECTORS; i++, at += VECTOR_BYTES) {
        letters text = load_letters<FOLDED>(around, at);
        everywhere = __any_sync(FULL, text.outside != 0) && everywhere;
        text.before = trawl_qgram_before(text.own, &edge->letters);
        text.outside = text.outside << 16 | trawl_qgram_before(text.outside, &edge->outside);
        take<AFTER>(around, text, at, false, place);
    }
    edge->outside = threadIdx.x % 32 == 0 ? edge->outside : 0;
    return everywhere;
}

static __device__ __forceinline__ bool is_inside(const packed_place &place, int32_t window) {
    return window >= place.first && window + WINDOW_BYTES <= place.past;
}

static __device__ __forceinline__ void load_inner(const trawl_cuda_slice &slice, int32_t window,
                                                  uint4 (&own)[VECTORS]) {
    const uint4 *vectors = (const uint4 *)(slice.text + window) + threadIdx.x % 32;
#pragma unroll
    for (uint32_t i = 0; i < VECTORS; i++) {
        own[i] = __ldg(vectors + i * 32);
    }
}

template <int AFTER, bool FOLDED>
static __device__ __forceinline__ void walk_strip(const packed_around &around, int32_t begin,
                                                  packed_place *place) {
    /* What is loaded ahead would have to be kept in memory where functions are called. */
    constexpr bool CALLS = AFTER >= TAKE_KEYS;
    const trawl_cuda_slice &slice = around.reporter->slice;
    const int32_t lane_at = (int32_t)(threadIdx.x % 32 * 16);
    letters before = load_letters<FOLDED>(around, begin - 16);
    packed_edge edge = {before.own, threadIdx.x % 32 == 0 ? before.outside : 0};
    uint4 own[VECTORS]; /* of windows that are inside */
    if (is_inside(*place, begin)) {
        load_inner(slice, begin, own);
    }
    bool wary = false; /* the next window is likely to have other bytes than letters, too */
    for (int32_t window = begin; window < place->past; window += WINDOW_BYTES) {
        uint32_t packed[VECTORS];
        bool whole = !wary && is_inside(*place, window);
        bool more = is_inside(*place, window + WINDOW_BYTES);
        if (whole) {
            uint32_t different = edge.outside;
#pragma unroll
            for (uint32_t i = 0; i < VECTORS; i++) {
                uint32_t differences[4];
                packed[i] =
                    trawl_packed_pack<FOLDED>(*around.view, around.tables, own[i], differences);
                different |= differences[0] | differences[1] | differences[2] | differences[3];
            }
            whole = !__any_sync(FULL, different != 0);
        }
        if (!whole) {
            wary = take_carefully<AFTER, FOLDED>(around, window, &edge, place);
            if (more && !wary) {
                load_inner(slice, window + WINDOW_BYTES, own);
            }
            continue;
        }
        if (more && !CALLS) {
            load_inner(slice, window + WINDOW_BYTES, own);
        }
#pragma unroll(AFTER >= TAKE_KEYS ? 1 : 4)
        for (uint32_t i = 0; i < VECTORS; i++) {
            uint32_t now = packed[CALLS ? 0 : i];
            letters text = {trawl_qgram_before(now, &edge.letters), now, 0};
            if (CALLS) {
                packed[0] = packed[1], packed[1] = packed[2], packed[2] = packed[3];
            }
            take<AFTER>(around, text, window + lane_at + (int32_t)i * VECTOR_BYTES, true, place);
        }
        if (more && CALLS) {
            load_inner(slice, window + WINDOW_BYTES, own);
        }
    }
}

/* Threads of a block, at most: with more, registers of kernels that call functions would be in
 * memory. */
static constexpr uint32_t threads_of(int after) {
    return after >= TAKE_KEYS ? 512 : TRAWL_PACKED_THREADS;
}

template <int AFTER, bool FOLDED>
static __global__ void __launch_bounds__(threads_of(AFTER), 1)
    packed(const __grid_constant__ trawl_cuda_reporter reporter,
           const __grid_constant__ trawl_cuda_packed_view view, uint32_t strip_bytes) {
    if (!trawl_cuda_wanted(reporter.output)) {
        return;
    }
    TRAWL_SHARED(shared);
    const uint4 *image = AFTER >= TAKE_KEYS ? view.ends : view.image;
    const uint32_t vectors = (AFTER >= TAKE_KEYS ? 1 : AFTER) * (TRAWL_CUDA_PACKED_WINDOWS / 16);
    for (uint32_t i = threadIdx.x; i < vectors; i += blockDim.x) {
        ((uint4 *)shared)[i] = __ldg(image + i);
    }
    __syncthreads();
    const trawl_cuda_slice &slice = reporter.slice;
    const uint32_t strips = trawl_cuda_strip_count(&slice, strip_bytes);
    const uint32_t warps = blockDim.x / 32;
    /* Taken from one thread, so that the compiler knows it is the same for all. */
    const uint32_t warp = __shfl_sync(FULL, threadIdx.x / 32, 0);
    const uint4 tables = __ldg(view.tables);
    const packed_around around = {
        &reporter, &view, shared, {tables.x, tables.y, tables.z, tables.w}};
    const bool sizes = reporter.output.pass == TRAWL_CUDA_PASS_SIZES;
    trawl_counter counted = 0;
    for (uint32_t strip = blockIdx.x * warps + warp; strip < strips; strip += gridDim.x * warps) {
        int64_t begin = trawl_cuda_strip_begin(&slice, strip_bytes, strip);
        int64_t past = begin + strip_bytes;
        packed_place place;
        place.first = begin < (int64_t)slice.owned ? (int32_t)slice.owned : (int32_t)begin;
        place.past = past > (int64_t)slice.length ? (int32_t)slice.length : (int32_t)past;
        place.sum = 0;
        place.cursor = AFTER == TAKE_RECORDS ? reporter.output.sizes[strip] : 0;
        walk_strip<AFTER, FOLDED>(around, (int32_t)begin, &place);
        if (AFTER == TAKE_RECORDS) {
            if (threadIdx.x % 32 == 0) {
                reporter.output.sizes[strip] = place.cursor;
            }
        } else {
            trawl_counter sum = place.cursor + place.sum;
            if (sizes) {
                for (uint32_t offset = 16; offset != 0; offset /= 2) {
                    sum += __shfl_down_sync(FULL, sum, offset);
                }
                if (threadIdx.x % 32 == 0) {
                    reporter.output.sizes[strip] = sum;
                }
            } else {
                counted += sum;
            }
        }
    }
    trawl_cuda_pass pass = reporter.output.pass;
    if (pass == TRAWL_CUDA_PASS_COUNT || pass == TRAWL_CUDA_PASS_PATTERNS) {
        add_total(reporter.output, counted, (uint32_t *)shared);
    }
}

/* ------------------------------------------------------------------ launching */

template <int AFTER, bool FOLDED>
static trawl_status run(const trawl_cuda_packed_call *call, trawl_error *error) {
    uint32_t bytes = (AFTER >= TAKE_KEYS ? 1 : AFTER) * TRAWL_CUDA_PACKED_WINDOWS;
    trawl_status status =
        trawl_cuda_allow_shared(call->device, packed<AFTER, FOLDED>, bytes, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uint32_t threads = call->threads < threads_of(AFTER) ? call->threads : threads_of(AFTER);
    TRAWL_LAUNCH((packed<AFTER, FOLDED>), call->blocks, threads, bytes, call->stream,
                 *call->reporter, *call->view, call->strip_bytes);
    TRAWL_CUDA_LAUNCHED("packed", error);
    return TRAWL_OK;
}

template <int AFTER>
static trawl_status run_folded(const trawl_cuda_packed_call *call, trawl_error *error) {
    return call->view->folded ? run<AFTER, true>(call, error) : run<AFTER, false>(call, error);
}

trawl_status trawl_cuda_packed_walk(const trawl_cuda_packed_call *call, trawl_error *error) {
    trawl_cuda_pass pass = call->reporter->output.pass;
    bool counted = pass == TRAWL_CUDA_PASS_COUNT || pass == TRAWL_CUDA_PASS_SIZES;
    if (pass == TRAWL_CUDA_PASS_RECORDS) {
        return run_folded<TAKE_RECORDS>(call, error);
    }
    switch (counted ? call->view->planes : 0) {
    case 1:
        return run_folded<1>(call, error);
    case 2:
        return run_folded<2>(call, error);
    case 3:
        return run_folded<3>(call, error);
    default:
        return run_folded<TAKE_KEYS>(call, error);
    }
}
