/*
 * The first step of a scan: FILTER for all samples of the text, and the second question (qgram.h)
 * for what passes, while its bytes are still in the caches. What passes that too is listed for the
 * second step (qgram_tally.cu).
 *
 * Few samples pass, and not those of all threads at once: they wait in shared memory until there is
 * one for every thread of the warp.
 */
#include "cuda/qgram_sieve.cuh"

/* What waits of a warp: at most 31 samples, and then one more of each thread. */
#define WAITING 64u

/* Where a warp lists; in shared memory, so that the loop over the text has its registers. */
typedef struct chunks {
    uint32_t waiting;
    uint32_t next;  /* entry of the chunk that is filled, of all; a multiple of CHUNK: it is full */
    uint32_t spare; /* first entry of the chunk that comes next, or TRAWL_QGRAM_ALL */
    uint32_t reached;
    uint32_t samples[WAITING];
} chunks;

typedef struct listing {
    const trawl_cuda_qgram_candidates *candidates;
    const trawl_cuda_piece *piece;
    const trawl_cuda_qgram_view *near;
    chunks *own;
    trawl_counter *counted; /* the block's: in shared memory */
} listing;

/* Entries that are left of a chunk. */
static __device__ __forceinline__ uint32_t room_behind(uint32_t next) {
    return (0 - next) % TRAWL_QGRAM_CHUNK;
}

static __device__ __forceinline__ bool stopped(const listing &self) {
    return self.own->reached != TRAWL_QGRAM_ALL;
}

/* It is only asked for windows before which the part has not been stopped. */
static __device__ __forceinline__ void count_window(const listing &self, uint32_t place,
                                                    uint32_t sum) {
    (void)place;
    atomicAdd(self.counted, (trawl_counter)sum);
}

/* Takes a chunk. Returns its first entry, or TRAWL_QGRAM_ALL. */
static __device__ __noinline__ uint32_t take_chunk(const trawl_cuda_qgram_candidates &candidates) {
    uint32_t taken = 0;
    if (threadIdx.x % 32 == 0) {
        taken = atomicAdd(candidates.taken, 1u);
    }
    taken = __shfl_sync(FULL, taken, 0);
    return taken < candidates.chunks ? taken * TRAWL_QGRAM_CHUNK : TRAWL_QGRAM_ALL;
}

/* Asks for `count` of the samples that wait, from number `first` on, and lists what passes. There
 * is room for all of them. */
static __device__ __noinline__ void screen(const trawl_cuda_qgram_candidates &candidates,
                                           const trawl_cuda_piece &piece,
                                           const trawl_cuda_qgram_view &near, chunks *own,
                                           uint32_t first, uint32_t count) {
    const uint32_t lane = threadIdx.x % 32, next = own->next, room = room_behind(next);
    ends found = {0, 0, 0};
    uint32_t sample = 0;
    if (lane < count) {
        sample = own->samples[first + lane];
        found = ask_sample(piece, near, sample);
    }
    uint32_t some = __ballot_sync(FULL, found.alignments != 0);
    uint32_t rank = (uint32_t)__popc(some & ((1u << lane) - 1)), all = (uint32_t)__popc(some);
    uint32_t slot = rank < room ? next + rank : own->spare + (rank - room);
    if (found.alignments != 0) {
        candidates.entries[slot] = make_uint2(sample, found.alignments);
    }
    __syncwarp();
    if (lane == 0) {
        if (room != 0 && all >= room) {
            candidates.used[next / TRAWL_QGRAM_CHUNK] = TRAWL_QGRAM_CHUNK;
        }
        own->next = next + all;
        if (all > room) {
            own->next = own->spare + (all - room);
            own->spare = TRAWL_QGRAM_ALL;
        }
    }
    __syncwarp();
}

static __device__ __forceinline__ void put_samples(const listing &self, const samples &all,
                                                   uint32_t passed) {
    chunks *own = self.own;
    uint32_t place = all.place, waiting = own->waiting;
    for (uint32_t some = __ballot_sync(FULL, passed != 0); some != 0 && !stopped(self);
         some = __ballot_sync(FULL, passed != 0)) {
        uint32_t count = (uint32_t)__popc(some);
        /* Whatever waits has a place in a chunk already. */
        if (waiting + count > room_behind(own->next) && own->spare == TRAWL_QGRAM_ALL) {
            uint32_t spare = take_chunk(*self.candidates);
            if (threadIdx.x % 32 == 0) {
                own->spare = spare;
                own->reached = spare == TRAWL_QGRAM_ALL ? place : TRAWL_QGRAM_ALL;
            }
            __syncwarp();
            if (spare == TRAWL_QGRAM_ALL) {
                break;
            }
        }
        if (passed != 0) {
            uint32_t bit = 31 - (uint32_t)__clz((int)passed);
            uint32_t rank = (uint32_t)__popc(some & ((1u << threadIdx.x % 32) - 1));
            passed ^= 1u << bit;
            own->samples[waiting + rank] = numbered(all, bit);
        }
        waiting += count;
        __syncwarp();
        if (waiting >= 32) {
            waiting -= 32;
            screen(*self.candidates, *self.piece, *self.near, own, waiting, 32);
        }
        place++;
    }
    if (threadIdx.x % 32 == 0) {
        own->waiting = waiting;
    }
    __syncwarp();
}

/* Lists what waits, and says how many entries the last chunks have. */
static __device__ __forceinline__ void end_chunks(const listing &self) {
    const trawl_cuda_qgram_candidates &candidates = *self.candidates;
    chunks *own = self.own;
    screen(candidates, *self.piece, *self.near, own, 0, own->waiting);
    if (threadIdx.x % 32 == 0) {
        if (room_behind(own->next) != 0) {
            candidates.used[own->next / TRAWL_QGRAM_CHUNK] = own->next % TRAWL_QGRAM_CHUNK;
        }
        if (own->spare != TRAWL_QGRAM_ALL) {
            candidates.used[own->spare / TRAWL_QGRAM_CHUNK] = 0;
        }
    }
}

/* Shared memory of a warp. */
typedef struct sieve_warp {
    passed_bits passed;
    chunks list;
} sieve_warp;

static_assert(sizeof(sieve_shared) % 16 == 0 && sizeof(sieve_warp) % 8 == 0, "aligned");

template <bool COUNTED>
static __global__ void __launch_bounds__(TRAWL_QGRAM_THREADS, 1)
    sieve(const __grid_constant__ trawl_cuda_reporter reporter,
          const __grid_constant__ trawl_cuda_qgram_view view,
          const __grid_constant__ trawl_cuda_qgram_candidates candidates, uint32_t part_bytes) {
    TRAWL_SHARED(shared);
    sieve_shared *near = (sieve_shared *)(shared + 4 * view.image_words);
    sieve_warp *own = (sieve_warp *)(near + 1) + threadIdx.x / 32;
    trawl_counter *counted = (trawl_counter *)((sieve_warp *)(near + 1) + blockDim.x / 32);
    copy_near(view, shared, near);
    if (threadIdx.x % 32 == 0) {
        own->list.waiting = own->list.next = 0;
        own->list.spare = own->list.reached = TRAWL_QGRAM_ALL;
    }
    if (threadIdx.x == 0) {
        *counted = 0;
    }
    __syncthreads();
    const trawl_cuda_piece &piece = reporter.piece;
    const uint32_t parts = trawl_cuda_part_count(&piece, part_bytes);
    const uint32_t warps = blockDim.x / 32;
    const listing self = {&candidates, &piece, &near->view, &own->list, counted};
    const sieving with = {&piece, (const uint32_t *)shared, &near->tiers, &own->passed};
    for (uint32_t part = blockIdx.x * warps + threadIdx.x / 32; part < parts;
         part += gridDim.x * warps) {
        if (stopped(self)) {
            own->list.reached = 0; /* there are no chunks for this part either */
        } else {
            sieve_part<COUNTED>(with, part_bytes, trawl_cuda_part_begin(&piece, part_bytes, part),
                                self);
        }
        if (threadIdx.x % 32 == 0) {
            candidates.reached[part] = own->list.reached;
            if (stopped(self)) {
                atomicAdd(candidates.stopped, 1u);
            }
        }
    }
    end_chunks(self);
    if (COUNTED) {
        __syncthreads();
        if (threadIdx.x == 0 && *counted != 0) {
            atomicAdd(reporter.output.total, *counted);
        }
    }
}

uint32_t trawl_cuda_qgram_sieve_shared(uint32_t warps) {
    return (uint32_t)(sizeof(sieve_shared) + warps * sizeof(sieve_warp) + sizeof(trawl_counter));
}

template <bool COUNTED>
static trawl_status run(const trawl_cuda_qgram_call *call, trawl_error *error) {
    uint32_t bytes =
        4 * call->view->image_words + trawl_cuda_qgram_sieve_shared(call->threads / 32);
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
