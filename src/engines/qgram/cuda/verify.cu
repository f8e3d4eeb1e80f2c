/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The second step of a scan: the second and the third question (qgram.h) for what the first step
 * has listed.
 *
 * Warps take shares of it, each the next bundles of some strips, whenever they have nothing left to
 * do. What one warp asks is near to what others ask at the same time, in the text and so in the
 * caches: more of it at a time, from all over the text, took longer.
 *
 * Of 32 threads that ask something few get an answer that leads further. So between the questions
 * there are queues, of samples, of ends, and of ends with keys that may be theirs, and a question
 * is asked when there is something for each thread; at the end, for those that are left.
 */
#include "engines/qgram/cuda/verify.cuh"

#define THREADS 256u
#define WARPS (THREADS / 32)
#define MOST_SHARE 64u  /* bundles of a strip that a warp takes, at most */
#define EXPECTED 256u   /* of all strips that it takes */
#define LEAST_SHARE 32u /* of a strip, where others have less, */
#define FEW_BUNDLES 4u  /* but more than so few: then there is little to wait for */
#define LEAST_DENSE 8u  /* of a dense strip, where there are few of these */
#define DENSE_TURNS 32u /* shares of dense strips for each warp, if all strips were full */

/* Blocks of a multiprocessor at the same time: as many as registers allow, of which reporting
 * takes more. */
#define BLOCKS(report) ((report) ? 3u : 4u)

/* What waits in a queue: at most 31, and then one more of each thread. */
#define WAITING 64u
#define END_TIER_SHIFT 32
#define END_ALIGNMENT_SHIFT 40

/* The queues of a warp, in shared memory. */
typedef struct queues {
    uint64_t samples[WAITING]; /* in the lower half where one ends, above it the tier */
    uint64_t ends[WAITING];    /* the same of where keys may end, and above it the alignment */
    uint64_t suspect[WAITING]; /* the same of where some keys end as the text does: */
    uint64_t ending[WAITING];  /* the text's (trawl_ending_number), */
    uint2 keys[WAITING];       /* and the first of these keys and the one behind the last */
} queues;

/* What a warp works with. All threads have the same, but for what they have counted. */
typedef struct work {
    const tallying *with;
    const trawl_cuda_qgram_view *view;
    const trawl_cuda_qgram_candidates *candidates;
    queues *queued;
    uint32_t waiting_samples, waiting_ends, waiting_suspects;
    trawl_counter counted;
} work;

static __device__ __forceinline__ uint32_t rank_among(uint32_t some) {
    return (uint32_t)__popc(some & ((1u << threadIdx.x % 32) - 1));
}

/* Takes the last of those that wait, one for each thread, which knows then whether it has one. */
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

/* ------------------------------------------------------------------ the third question */

/* The second half of it. */
template <bool REPORT> static __device__ __forceinline__ void ask_suspects(work *self) {
    const queues *queued = self->queued;
    bool there;
    const uint64_t end = take(queued->suspect, &self->waiting_suspects, &there);
    const uint32_t at = self->waiting_suspects + threadIdx.x % 32;
    if (there) {
        const suspects among = {queued->keys[at].x, queued->keys[at].y, queued->ending[at]};
        const uint32_t number = tier_of(end);
        self->counted +=
            verify_end<REPORT>(*self->with, self->view->table[number], number, (uint32_t)end,
                               (uint32_t)(end >> END_ALIGNMENT_SHIFT), among);
    }
    __syncwarp();
}

/* The first half. */
template <bool REPORT> static __device__ __forceinline__ void ask_ends(work *self) {
    queues *queued = self->queued;
    bool there;
    const uint64_t end = take(queued->ends, &self->waiting_ends, &there);
    suspects among = {0, 0, 0};
    if (there) {
        among =
            suspects_before(*self->with->reporter, self->view->table[tier_of(end)], (uint32_t)end);
    }
    const uint32_t some = __ballot_sync(FULL, among.first != among.last);
    if (among.first != among.last) {
        const uint32_t to = self->waiting_suspects + rank_among(some);
        queued->suspect[to] = end;
        queued->ending[to] = among.ending;
        queued->keys[to] = make_uint2(among.first, among.last);
    }
    self->waiting_suspects += (uint32_t)__popc(some);
    if (self->waiting_suspects >= 32) {
        ask_suspects<REPORT>(self);
    }
}

/* Lets all ends wait. */
template <bool REPORT> static __device__ __forceinline__ void queue_ends(work *self, ends found) {
    for (uint32_t some = __ballot_sync(FULL, found.alignments != 0); some != 0;
         some = __ballot_sync(FULL, found.alignments != 0)) {
        if (found.alignments != 0) {
            int32_t alignment = __ffs((int)found.alignments) - 1;
            found.alignments &= found.alignments - 1;
            self->queued->ends[self->waiting_ends + rank_among(some)] =
                (uint64_t)alignment << END_ALIGNMENT_SHIFT |
                (uint64_t)found.number << END_TIER_SHIFT | (uint32_t)(found.end + alignment);
        }
        self->waiting_ends += (uint32_t)__popc(some);
        if (self->waiting_ends >= 32) {
            ask_ends<REPORT>(self);
        }
    }
}

/* ------------------------------------------------------------------ the second question */

template <bool REPORT> static __device__ __forceinline__ void ask_samples(work *self) {
    bool there;
    const uint64_t sample = take(self->queued->samples, &self->waiting_samples, &there);
    ends found = {0, 0, 0};
    if (there) {
        found =
            ask_sample(self->with->reporter->slice, *self->view, tier_of(sample), (int32_t)sample);
    }
    queue_ends<REPORT>(self, found);
}

/* A bundle of each thread, or none. */
typedef struct bundle {
    uint32_t passed, about;
    int32_t begin; /* of its strip */
} bundle;

/* Lets all samples wait: the oldest one of each thread, then the next ones. */
template <bool REPORT>
static __device__ __forceinline__ void queue_samples(work *self, const bundle &bundle) {
    const uint32_t shift = bundle.about >> TRAWL_QGRAM_BUNDLE_STRIDE_SHIFT;
    const uint32_t number =
        bundle.about >> TRAWL_QGRAM_BUNDLE_TIER_SHIFT & (TRAWL_CUDA_QGRAM_TIERS - 1);
    const int32_t from =
        bundle.begin + (int32_t)(bundle.about & (TRAWL_QGRAM_MOST_STRIP - 1)) + (1 << shift);
    /* The oldest one's bit becomes the highest. */
    uint32_t passed = bundle.passed << (32 - trawl_cuda_qgram_bundled(shift));
    for (uint32_t some = __ballot_sync(FULL, passed != 0); some != 0;
         some = __ballot_sync(FULL, passed != 0)) {
        if (passed != 0) {
            uint32_t sample = (uint32_t)__clz((int)passed);
            passed ^= 0x80000000u >> sample;
            uint32_t byte = sample << shift; /* of the thread's own, vector after vector */
            int32_t end = from + (int32_t)(byte / 16 * TRAWL_QGRAM_VECTOR_BYTES + byte % 16);
            self->queued->samples[self->waiting_samples + rank_among(some)] =
                (uint64_t)number << END_TIER_SHIFT | (uint32_t)end;
        }
        self->waiting_samples += (uint32_t)__popc(some);
        if (self->waiting_samples >= 32) {
            ask_samples<REPORT>(self);
        }
    }
}

/* ------------------------------------------------------------------ shares */

/* Which thread has the strip of bundle `item`, where each has the sum of the bundles up to its
 * strip's. All threads of the warp call it. */
static __device__ __forceinline__ uint32_t thread_with(uint32_t sum, uint32_t item) {
    uint32_t thread = 0;
#pragma unroll
    for (uint32_t step = 16; step != 0; step /= 2) {
        uint32_t before = __shfl_sync(FULL, sum, (int)(thread + step - 1));
        thread += before <= item ? step : 0;
    }
    return thread;
}

/* A strip of each thread, which may have none, and its bundles in a share. */
typedef struct range {
    uint32_t strip, from, count;
} range;

/* Asks for what is in a share. The next bundles are on their way while samples of these are
 * asked for. */
template <bool REPORT>
static __device__ __forceinline__ void take_share(work *self, const range &own) {
    const trawl_cuda_qgram_candidates &candidates = *self->candidates;
    uint32_t all, before = sum_before(own.count, &all);
    bundle now = {0, 0, 0};
    for (uint32_t first = 0; first < all + 32; first += 32) {
        uint64_t listed = 0;
        int32_t begin = 0;
        if (first < all) {
            const uint32_t i = first + threadIdx.x % 32;
            const uint32_t thread = thread_with(before + own.count, i < all ? i : 0);
            const uint32_t its = __shfl_sync(FULL, own.strip, (int)thread);
            const uint32_t index = __shfl_sync(FULL, own.from - before, (int)thread) + i;
            const uint64_t *list = candidates.bundles + (size_t)its * candidates.capacity;
            listed = i < all ? __ldg(list + index) : 0;
            begin = (int32_t)trawl_cuda_strip_begin(&self->with->reporter->slice,
                                                    self->with->strip_bytes, its);
        }
        if (first != 0) {
            queue_samples<REPORT>(self, now);
        }
        now = {(uint32_t)listed, (uint32_t)(listed >> 32), begin};
    }
}

/* How a slice is divided into shares: first those of dense strips, which take longest and so
 * begin first, then those of all others. */
typedef struct division {
    uint32_t strips, each; /* strips of a share that are not dense */
    uint32_t groups;       /* of so many */
    uint32_t share;        /* bundles of each of them */
    uint32_t dense_share;  /* of a dense strip */
    uint32_t of_dense;     /* shares of a dense strip */
    uint64_t dense, all;   /* shares */
} division;

static __device__ __forceinline__ uint32_t clamp(uint64_t value, uint32_t least, uint32_t most) {
    return value < least ? least : value < most ? (uint32_t)value : most;
}

static __device__ __forceinline__ division divide(const trawl_cuda_qgram_candidates &candidates,
                                                  uint32_t strips, uint32_t warps) {
    const uint32_t usual = *candidates.listed / strips;
    const uint32_t most = usual < MOST_SHARE ? usual : MOST_SHARE;
    const uint32_t fair = (strips + warps - 1) / warps;
    uint32_t each = most * 32 < EXPECTED ? 32 : EXPECTED / most;
    each = each < fair ? each : fair;
    const uint32_t groups = (strips + each - 1) / each;
    /* A strip with far more than others is divided, or all warps would wait for the one with it. */
    const uint32_t share =
        usual < FEW_BUNDLES ? MOST_SHARE : clamp(2 * (uint64_t)usual, LEAST_SHARE, MOST_SHARE);
    const uint32_t turns = (*candidates.longest + share - 1) / share;
    /* The same for dense strips; where there are many of them, large shares are quicker. */
    const uint64_t dense_strips = *candidates.dense_strips;
    const uint32_t dense_share =
        clamp(dense_strips * candidates.capacity / (DENSE_TURNS * warps), LEAST_DENSE, MOST_SHARE);
    const uint32_t of_dense = (candidates.capacity + dense_share - 1) / dense_share;
    const uint64_t dense = dense_strips * of_dense;
    return {strips,      each,     groups, share,
            dense_share, of_dense, dense,  dense + (uint64_t)groups * turns};
}

/* Strips of a share are not neighbours: where much passes, it does so in many strips in a row. */
static __device__ __forceinline__ range range_of(const trawl_cuda_qgram_candidates &candidates,
                                                 const division &by, uint64_t number) {
    const uint32_t lane = threadIdx.x % 32;
    range its = {0, 0, 0};
    uint32_t share = by.share, count = 0;
    if (number < by.dense) {
        const uint2 dense = __ldg(candidates.dense + number / by.of_dense);
        share = by.dense_share;
        its.strip = dense.x;
        its.from = (uint32_t)(number % by.of_dense) * share;
        count = lane == 0 ? dense.y : 0;
    } else {
        number -= by.dense;
        its.strip = (uint32_t)(number % by.groups) + lane * by.groups;
        its.from = (uint32_t)(number / by.groups) * share;
        count = lane < by.each && its.strip < by.strips ? __ldg(candidates.count + its.strip) : 0;
    }
    its.count = count < its.from ? 0 : count - its.from < share ? count - its.from : share;
    return its;
}

template <bool REPORT>
static __global__ void __launch_bounds__(THREADS, BLOCKS(REPORT))
    tally(const __grid_constant__ trawl_cuda_reporter reporter,
          const __grid_constant__ trawl_cuda_qgram_view view,
          const __grid_constant__ trawl_cuda_qgram_candidates candidates,
          const __grid_constant__ trawl_cuda_qgram_notes notes, uint32_t strip_bytes) {
    TRAWL_SHARED(shared);
    const tallying tallying = {&reporter, &notes, strip_bytes};
    const trawl_cuda_slice &slice = reporter.slice;
    const uint32_t warps = gridDim.x * WARPS;
    work work = {&tallying, &view, &candidates, (queues *)shared + threadIdx.x / 32, 0, 0, 0, 0};
    uint32_t number = (blockIdx.x * THREADS + threadIdx.x) / 32;
    trawl_cuda_wait_for_last();
    if (number == 0) {
        queue_ends<REPORT>(&work, ask_before(slice, view));
    }
    const division by = divide(candidates, trawl_cuda_strip_count(&slice, strip_bytes), warps);
    while (number < by.all) {
        /* The number of the share after this one is on its way meanwhile. */
        uint32_t taken =
            threadIdx.x % 32 == 0 && by.all > warps ? atomicAdd(candidates.taken, 1u) : 0;
        take_share<REPORT>(&work, range_of(candidates, by, number));
        number = warps + __shfl_sync(FULL, taken, 0);
    }
    while (work.waiting_samples != 0) {
        ask_samples<REPORT>(&work);
    }
    while (work.waiting_ends != 0) {
        ask_ends<REPORT>(&work);
    }
    while (work.waiting_suspects != 0) {
        ask_suspects<REPORT>(&work);
    }
    hand_in<REPORT>(reporter.output, work.counted, (uint32_t *)shared);
}

template <bool REPORT>
static trawl_status run(const trawl_cuda_qgram_call *call, trawl_error *error) {
    TRAWL_LAUNCH_NEXT(call->device, (tally<REPORT>),
                      (uint32_t)call->device->multiprocessors * BLOCKS(REPORT), THREADS,
                      WARPS * sizeof(queues), call->stream, *call->reporter, *call->view,
                      call->candidates, call->notes, call->strip_bytes);
    TRAWL_CUDA_LAUNCHED("tally", error);
    return TRAWL_OK;
}

trawl_status trawl_cuda_qgram_verify(const trawl_cuda_qgram_call *call, trawl_error *error) {
    return call->reporter->output.pass == TRAWL_CUDA_PASS_COUNT ? run<false>(call, error)
                                                                : run<true>(call, error);
}
