/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Records from the automaton's states and the filters' hits (automaton_records.cuh). A warp takes a
 * strip, 256 bytes at a time:
 *
 *     counts      how many matches end at each position: by its state, and by the hits there
 *     sums        where the records of each position go
 *     list        an entry where the records of each position begin, in shared memory
 *     records     each thread makes another record, so that a warp writes whole lines
 *
 * Matches of hits are rare. Where there are some, a position's records are left out at first. At
 * the end of the strip the thread of the first hit at a position writes all records of that
 * position, those of the automaton too, and puts them in order: so most threads of the warp have
 * one.
 */
#include "engines/qgram/cuda/automaton_records.cuh"
#include "engines/qgram/cuda/find_keys.cuh"
#include "gpu/sort_matches.cuh"

#define THREADS trawl_qgram_tuned::state_threads
#define WARPS (THREADS / 32)
#define COUNTED trawl_qgram_tuned::state_counts
#define LIST trawl_qgram_tuned::state_list

/* Positions that a warp takes at a time, and those of a thread. */
#define EACH 8u
#define STEP (32 * EACH)

/* An entry of a list: one more than the first match, and the position in the step. 0: the record
 * belongs to the entry before it. */
#define POSITION_BITS 8u
#define LEFT_OUT (UINT32_MAX >> POSITION_BITS) /* instead of a match: records are written later */
static_assert(STEP == 1u << POSITION_BITS, "a position of a step");
static_assert(TRAWL_QGRAM_MOST_CHAINED < LEFT_OUT, "a match and a position");

/* The shared memory of a warp; behind it there is a word for each hit of a strip. */
typedef struct warp_memory {
    uint32_t list[LIST];
    uint32_t of_hits[STEP]; /* the number of matches of the hits at each position */
    uint32_t begin[STEP];   /* where the records of each position begin, from the step's first */
} warp_memory;

static inline __host__ __device__ uint32_t warp_bytes(uint32_t capacity) {
    return (uint32_t)sizeof(warp_memory) + capacity * (uint32_t)sizeof(trawl_counter);
}

/* The arguments of the functions below. */
template <typename State> struct writer {
    const trawl_cuda_reporter *reporter;
    const trawl_cuda_qgram_view *view;
    const trawl_cuda_qgram_chains *chains;
    const State *states;
    const uint8_t *counts; /* in shared memory: of the first COUNTED states */
    warp_memory *memory;
    trawl_counter *hit_words;         /* of each hit its number of matches, then where the records
                                         of its position begin */
    const trawl_cuda_qgram_hit *hits; /* the strip's, in order */
    uint32_t hit_count;
};

/* ------------------------------------------------------------------ counts */

static __device__ __forceinline__ void load_counts(const trawl_cuda_qgram_chains &chains,
                                                   uint8_t *counts) {
    const uint32_t some = chains.states < COUNTED ? chains.states : COUNTED;
    for (uint32_t i = threadIdx.x; i < some; i += blockDim.x) {
        counts[i] = __ldg(chains.counts + i);
    }
    __syncthreads();
}

/* The number of matches that end with a state. */
static __device__ __forceinline__ uint32_t count_of(const trawl_cuda_qgram_chains &chains,
                                                    const uint8_t *counts, uint32_t state) {
    const uint32_t count = state < COUNTED ? counts[state] : __ldg(chains.counts + state);
    return count < TRAWL_QGRAM_MANY_MATCHES ? count : __ldg(chains.ranges + state).y;
}

/* Loads the states after EACH positions, which begin at states[index]. */
static __device__ __forceinline__ void load_states(const uint16_t *states, size_t index,
                                                   uint32_t *own) {
    const uint4 vector = __ldcs((const uint4 *)(states + index));
    const uint32_t words[4] = {vector.x, vector.y, vector.z, vector.w};
#pragma unroll
    for (uint32_t i = 0; i < EACH; i++) {
        own[i] = words[i / 2] >> (16 * (i % 2)) & 0xffff;
    }
}
static __device__ __forceinline__ void load_states(const uint32_t *states, size_t index,
                                                   uint32_t *own) {
    const uint4 *vectors = (const uint4 *)(states + index);
#pragma unroll
    for (uint32_t i = 0; i < EACH; i += 4) {
        const uint4 vector = __ldcs(vectors + i / 4);
        own[i] = vector.x, own[i + 1] = vector.y, own[i + 2] = vector.z, own[i + 3] = vector.w;
    }
}

/* Loads the states after the thread's positions of a step, and counts the matches there. Returns
 * their number. Positions before the first owned byte or behind the text have none. */
template <typename State>
static __device__ __forceinline__ uint32_t count_step(const trawl_cuda_slice &slice,
                                                      const trawl_cuda_qgram_chains &chains,
                                                      const State *states, const uint8_t *counts,
                                                      int32_t step, uint32_t *own,
                                                      uint32_t *count) {
    const int32_t at = step + (int32_t)(EACH * (threadIdx.x % 32));
    uint32_t sum = 0;
    load_states(states, (size_t)(at - trawl_cuda_origin(&slice)), own);
    if (chains.few && step >= (int32_t)slice.owned &&
        step + (int32_t)STEP <= (int32_t)slice.length) {
#pragma unroll
        for (uint32_t i = 0; i < EACH; i++) {
            count[i] = counts[own[i]];
            sum += count[i];
        }
        return sum;
    }
#pragma unroll
    for (uint32_t i = 0; i < EACH; i++) {
        const int32_t position = at + (int32_t)i;
        const bool inside = position >= (int32_t)slice.owned && position < (int32_t)slice.length;
        count[i] = inside ? count_of(chains, counts, own[i]) : 0;
        sum += count[i];
    }
    return sum;
}

/* Where the bytes of a strip end, in the slice. */
static __device__ __forceinline__ int32_t past_of(const trawl_cuda_slice &slice, int32_t begin,
                                                  uint32_t strip_bytes) {
    const int32_t left = (int32_t)slice.length - begin;
    return left < (int32_t)strip_bytes ? (int32_t)slice.length : begin + (int32_t)strip_bytes;
}

template <typename State>
static __global__ void __launch_bounds__(THREADS)
    sum_states(const __grid_constant__ trawl_cuda_slice slice,
               const __grid_constant__ trawl_cuda_output output,
               const __grid_constant__ trawl_cuda_qgram_chains chains, const State *states,
               uint32_t strip_bytes) {
    TRAWL_SHARED(shared);
    load_counts(chains, shared);
    const uint32_t strips = trawl_cuda_strip_count(&slice, strip_bytes);
    for (uint32_t strip = (blockIdx.x * THREADS + threadIdx.x) / 32; strip < strips;
         strip += gridDim.x * WARPS) {
        const int32_t begin = (int32_t)trawl_cuda_strip_begin(&slice, strip_bytes, strip);
        const int32_t past = past_of(slice, begin, strip_bytes);
        trawl_counter sum = 0;
        for (int32_t step = begin; step < past; step += (int32_t)STEP) {
            uint32_t own[EACH], count[EACH];
            sum += count_step(slice, chains, states, shared, step, own, count);
        }
        for (uint32_t distance = 16; distance != 0; distance /= 2) {
            sum += __shfl_down_sync(FULL, sum, distance);
        }
        if (threadIdx.x % 32 == 0) {
            output.sizes[strip] += sum;
        }
    }
}

/* ------------------------------------------------------------------ hits */

static __device__ __forceinline__ uint32_t key_of(const trawl_cuda_qgram_hit &hit) {
    return hit.key & ((1u << TRAWL_QGRAM_TIER_SHIFT) - 1);
}

template <typename State>
static __device__ __forceinline__ const trawl_cuda_keys &keys_of(const writer<State> &self,
                                                                 const trawl_cuda_qgram_hit &hit) {
    return self.view->table[hit.key >> TRAWL_QGRAM_TIER_SHIFT].endings.keys;
}

/* Notes the number of matches of each hit of the strip. */
template <typename State> static __device__ __forceinline__ void count_hits(writer<State> &self) {
    for (uint32_t i = threadIdx.x % 32; i < self.hit_count; i += 32) {
        const trawl_cuda_qgram_hit hit = self.hits[i];
        self.hit_words[i] =
            trawl_cuda_total(*self.reporter, keys_of(self, hit), hit.end, key_of(hit));
    }
    __syncwarp();
}

/* The number of hits from hits[from] on that end at or before text[past]. */
template <typename State>
static __device__ __forceinline__ uint32_t hits_before(const writer<State> &self, uint32_t from,
                                                       uint32_t past) {
    const uint32_t lane = threadIdx.x % 32;
    uint32_t count = 0;
    for (;;) {
        const uint32_t i = from + count + lane;
        const bool inside = i < self.hit_count && self.hits[i].end <= past;
        const uint32_t more = (uint32_t)__popc(__ballot_sync(FULL, inside));
        count += more;
        if (more < 32) {
            return count;
        }
    }
}

/* Adds up the matches of `count` hits from hits[from] on by their positions in the step. */
template <typename State>
static __device__ __forceinline__ void place_hits(const writer<State> &self, uint32_t from,
                                                  uint32_t count, int32_t step) {
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t i = lane; i < STEP; i += 32) {
        self.memory->of_hits[i] = 0;
    }
    __syncwarp();
    for (uint32_t i = from + lane; i < from + count; i += 32) {
        atomicAdd(&self.memory->of_hits[(int32_t)self.hits[i].end - 1 - step],
                  (uint32_t)self.hit_words[i]);
    }
    __syncwarp();
}

/* Writes all records of the positions of the strip's hits. */
template <typename State>
static __device__ __forceinline__ void write_hits(const writer<State> &self) {
    const trawl_cuda_reporter &reporter = *self.reporter;
    const int32_t origin = trawl_cuda_origin(&reporter.slice);
    for (uint32_t i = threadIdx.x % 32; i < self.hit_count; i += 32) {
        const uint32_t end = self.hits[i].end;
        if (i != 0 && self.hits[i - 1].end == end) {
            continue;
        }
        const trawl_counter begin = self.hit_words[i];
        trawl_counter at = begin;
        for (uint32_t j = i; j < self.hit_count && self.hits[j].end == end; j++) {
            trawl_cuda_report_key(reporter, keys_of(self, self.hits[j]), end, key_of(self.hits[j]),
                                  &at);
        }
        const trawl_counter others = at;
        const uint32_t state = self.states[(int32_t)end - 1 - origin];
        const uint2 range = __ldg(self.chains->ranges + state);
        for (uint32_t j = 0; j < range.y; j++) {
            const uint2 match = __ldg(self.chains->matches + range.x + j);
            reporter.output.matches[at++] = {reporter.slice.base + end, match.x, match.y};
        }
        /* Patterns of the automaton are short, unless they are runs. */
        if (others != begin && others != at &&
            reporter.output.matches[others - 1].length <= reporter.output.matches[others].length) {
            trawl_cuda_sort_matches(reporter.output.matches + begin, at - begin);
        }
    }
}

/* ------------------------------------------------------------------ records */

/* The entry that a record belongs to, and its number among the entry's records. */
typedef struct list_place {
    uint32_t entry, number;
} list_place;

/* Writes the first `count` records of the list, and clears it. The first one goes to
 * matches[cursor]. *last: the entry of the record before it, and afterwards of the last one. */
template <typename State>
static __device__ __forceinline__ void write_list(const writer<State> &self, uint32_t count,
                                                  int32_t step, trawl_counter cursor,
                                                  list_place *last) {
    const trawl_cuda_reporter &reporter = *self.reporter;
    const uint32_t lane = threadIdx.x % 32;
    const uint64_t base = reporter.slice.base + (uint64_t)((int64_t)step + 1);
    for (uint32_t i = lane; i - lane < count; i += 32) {
        const uint32_t own = self.memory->list[i];
        self.memory->list[i] = 0;
        const uint32_t entries = __ballot_sync(FULL, own != 0);
        const uint32_t before = entries & (FULL >> (31 - lane));
        const uint32_t from = before == 0 ? lane : 31 - (uint32_t)__clz((int)before);
        const uint32_t theirs = __shfl_sync(FULL, own, (int)from);
        const uint32_t entry = before == 0 ? last->entry : theirs;
        const uint32_t number = before == 0 ? last->number + 1 + lane : lane - from;
        last->entry = __shfl_sync(FULL, entry, 31);
        last->number = __shfl_sync(FULL, number, 31);
        if (i < count && entry >> POSITION_BITS != LEFT_OUT) {
            const uint2 match = __ldg(self.chains->matches + (entry >> POSITION_BITS) - 1 + number);
            const uint64_t end = base + (entry & (STEP - 1));
            __stcs((uint4 *)(reporter.output.matches + cursor + i),
                   make_uint4((uint32_t)end, (uint32_t)(end >> 32), match.x, match.y));
        }
    }
}

/* The thread's positions of a step: states, matches of the automaton, and of hits. */
typedef struct own_positions {
    uint32_t state[EACH], count[EACH], of_hits[EACH];
} own_positions;

/* Lists those of the thread's positions whose records begin at begin .. past - 1, counted from the
 * step's first one. `before`: where those of the first position begin. */
static __device__ __forceinline__ void list_positions(const trawl_cuda_qgram_chains &chains,
                                                      const own_positions &own, uint32_t before,
                                                      uint32_t begin, uint32_t past,
                                                      uint32_t *list) {
#pragma unroll
    for (uint32_t i = 0; i < EACH; i++) {
        const uint32_t all = own.count[i] + own.of_hits[i];
        if (all != 0 && before >= begin && before < past) {
            const uint32_t first =
                own.of_hits[i] != 0 ? LEFT_OUT : __ldg(&chains.ranges[own.state[i]].x) + 1;
            list[before - begin] = first << POSITION_BITS | (EACH * (threadIdx.x % 32) + i);
        }
        before += all;
    }
}

/* Notes where the records of the positions of `hits` hits begin. `before`: those of the thread's
 * first position, counted from the step's first one, which goes to matches[cursor]. */
template <typename State>
static __device__ __forceinline__ void
note_begins(const writer<State> &self, const own_positions &own, uint32_t before,
            trawl_counter cursor, uint32_t from, uint32_t hits, int32_t step) {
    const uint32_t lane = threadIdx.x % 32;
#pragma unroll
    for (uint32_t i = 0; i < EACH; i++) {
        self.memory->begin[EACH * lane + i] = before;
        before += own.count[i] + own.of_hits[i];
    }
    __syncwarp();
    for (uint32_t i = from + lane; i < from + hits; i += 32) {
        self.hit_words[i] = cursor + self.memory->begin[(int32_t)self.hits[i].end - 1 - step];
    }
    __syncwarp();
}

/* Writes the records of a step, which begins at text[step] and has `hits` hits from
 * self.hits[from] on. Returns their number. */
template <typename State>
static __device__ __forceinline__ uint32_t write_step(const writer<State> &self, int32_t step,
                                                      uint32_t from, uint32_t hits,
                                                      trawl_counter cursor) {
    own_positions own;
    uint32_t all, sum = count_step(self.reporter->slice, *self.chains, self.states, self.counts,
                                   step, own.state, own.count);
    if (hits != 0) {
        place_hits(self, from, hits, step);
    }
#pragma unroll
    for (uint32_t i = 0; i < EACH; i++) {
        own.of_hits[i] = hits != 0 ? self.memory->of_hits[EACH * (threadIdx.x % 32) + i] : 0;
        sum += own.of_hits[i];
    }
    const uint32_t before = sum_before(sum, &all);
    if (hits != 0) {
        note_begins(self, own, before, cursor, from, hits, step);
    }
    list_place last = {0, 0};
    for (uint32_t begin = 0; begin < all; begin += LIST) {
        const uint32_t past = all - begin < LIST ? all : begin + LIST;
        list_positions(*self.chains, own, before, begin, past, self.memory->list);
        __syncwarp();
        write_list(self, past - begin, step, cursor + begin, &last);
        __syncwarp();
    }
    return all;
}

template <typename State>
static __global__ void __launch_bounds__(THREADS)
    write_states(const __grid_constant__ trawl_cuda_reporter reporter,
                 const __grid_constant__ trawl_cuda_qgram_view view,
                 const __grid_constant__ trawl_cuda_qgram_chains chains,
                 const __grid_constant__ trawl_cuda_qgram_noted_hits noted, const State *states,
                 uint32_t strip_bytes) {
    TRAWL_SHARED(shared);
    if (!trawl_cuda_wanted(reporter.output)) {
        return;
    }
    load_counts(chains, shared);
    const trawl_cuda_slice &slice = reporter.slice;
    const uint32_t strips = trawl_cuda_strip_count(&slice, strip_bytes);
    warp_memory *memory =
        (warp_memory *)(shared + COUNTED + threadIdx.x / 32 * warp_bytes(noted.capacity));
    writer<State> self = {
        &reporter, &view, &chains, states, shared, memory, (trawl_counter *)(memory + 1), NULL, 0};
    for (uint32_t i = threadIdx.x % 32; i < LIST; i += 32) {
        memory->list[i] = 0;
    }
    __syncwarp();
    for (uint32_t strip = (blockIdx.x * THREADS + threadIdx.x) / 32; strip < strips;
         strip += gridDim.x * WARPS) {
        self.hit_count = noted.count[strip];
        self.hits = noted.hits + (size_t)strip * noted.capacity;
        if (self.hit_count > noted.capacity) {
            continue;
        }
        const int32_t begin = (int32_t)trawl_cuda_strip_begin(&slice, strip_bytes, strip);
        const int32_t past = past_of(slice, begin, strip_bytes);
        trawl_counter cursor = reporter.output.sizes[strip];
        uint32_t from = 0;
        count_hits(self);
        for (int32_t step = begin; step < past; step += (int32_t)STEP) {
            const uint32_t hits = from == self.hit_count
                                      ? 0
                                      : hits_before(self, from, (uint32_t)(step + (int32_t)STEP));
            cursor += write_step(self, step, from, hits, cursor);
            from += hits;
        }
        write_hits(self);
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            reporter.output.sizes[strip] = cursor;
        }
    }
}

/* ------------------------------------------------------------------ launching */

static uint32_t blocks_of(const trawl_cuda_qgram_call *call) {
    const uint32_t strips = trawl_cuda_strip_count(&call->reporter->slice, call->strip_bytes);
    const uint32_t blocks = (strips + WARPS - 1) / WARPS;
    const uint32_t most = (uint32_t)call->device->multiprocessors * trawl_qgram_tuned::state_blocks;
    return blocks < most ? blocks : most;
}

template <typename State>
static trawl_status sum(const trawl_cuda_qgram_states_call *states, trawl_error *error) {
    const trawl_cuda_qgram_call *call = states->call;
    TRAWL_LAUNCH(sum_states<State>, blocks_of(call), THREADS, COUNTED, call->stream,
                 call->reporter->slice, call->reporter->output, *states->chains,
                 (const State *)states->states, call->strip_bytes);
    TRAWL_CUDA_LAUNCHED("sum_states", error);
    return TRAWL_OK;
}

template <typename State>
static trawl_status write(const trawl_cuda_qgram_states_call *states, trawl_error *error) {
    const trawl_cuda_qgram_call *call = states->call;
    const uint32_t shared = COUNTED + WARPS * warp_bytes(call->noted.capacity);
    trawl_status status = trawl_cuda_allow_shared(call->device, write_states<State>, shared, error);
    if (status != TRAWL_OK) {
        return status;
    }
    TRAWL_LAUNCH(write_states<State>, blocks_of(call), THREADS, shared, call->stream,
                 *call->reporter, *call->view, *states->chains, call->noted,
                 (const State *)states->states, call->strip_bytes);
    TRAWL_CUDA_LAUNCHED("write_states", error);
    return TRAWL_OK;
}

trawl_status trawl_cuda_qgram_sum_states(const trawl_cuda_qgram_states_call *call,
                                         trawl_error *error) {
    return call->chains->state_bytes == 2 ? sum<uint16_t>(call, error) : sum<uint32_t>(call, error);
}

trawl_status trawl_cuda_qgram_write_states(const trawl_cuda_qgram_states_call *call,
                                           trawl_error *error) {
    return call->chains->state_bytes == 2 ? write<uint16_t>(call, error)
                                          : write<uint32_t>(call, error);
}
