/*
 * The first step of a scan: FILTER alone, for all samples of the text. What passes is listed for
 * the second step (qgram_tally.cu). Nothing else happens here, so that a block's threads have
 * registers enough to keep a multiprocessor busy with reading.
 */
#include "cuda/qgram_sieve.cuh"

/* The chunk that a warp fills. All threads of the warp have the same, but for `counted`. */
typedef struct listing {
    const trawl_cuda_qgram_candidates *candidates;
    uint32_t next; /* the entry, of all */
    uint32_t room; /* entries that the chunk has left; 0: there is none yet */
    uint32_t reached;
    uint32_t counted; /* the thread's, of the part */
} listing;

static __device__ __forceinline__ bool stopped(const listing *self) {
    return self->reached != TRAWL_QGRAM_ALL;
}

static __device__ __forceinline__ void count_step(listing *self, uint32_t place, uint32_t sum) {
    (void)place;
    self->counted += stopped(self) ? 0 : sum;
}

/* Ends the chunk and takes another one. Returns its first entry, or TRAWL_QGRAM_ALL. */
static __device__ __noinline__ uint32_t take_chunk(const trawl_cuda_qgram_candidates &candidates,
                                                   uint32_t next, uint32_t room) {
    uint32_t taken = 0;
    if (threadIdx.x % 32 == 0) {
        if (next != 0) {
            candidates.used[(next + room - 1) / TRAWL_QGRAM_CHUNK] = TRAWL_QGRAM_CHUNK;
        }
        taken = atomicAdd(candidates.taken, 1u);
    }
    taken = __shfl_sync(FULL, taken, 0);
    return taken < candidates.chunks ? taken * TRAWL_QGRAM_CHUNK : TRAWL_QGRAM_ALL;
}

static __device__ __forceinline__ void put_samples(listing *self, const samples &all,
                                                   uint32_t passed) {
    uint32_t place = all.place;
    for (uint32_t some = __ballot_sync(FULL, passed != 0); some != 0 && !stopped(self);
         some = __ballot_sync(FULL, passed != 0)) {
        uint32_t count = (uint32_t)__popc(some);
        uint32_t rank = (uint32_t)__popc(some & ((1u << threadIdx.x % 32) - 1));
        uint32_t slot = self->next + rank;
        if (count > self->room) {
            uint32_t begin = take_chunk(*self->candidates, self->next, self->room);
            if (begin == TRAWL_QGRAM_ALL) {
                self->reached = place;
                break;
            }
            slot = rank < self->room ? slot : begin + (rank - self->room);
            self->next = begin + (count - self->room);
            self->room = TRAWL_QGRAM_CHUNK - (count - self->room);
        } else {
            self->next += count;
            self->room -= count;
        }
        if (passed != 0) {
            uint32_t bit = 31 - (uint32_t)__clz((int)passed);
            passed ^= 1u << bit;
            self->candidates->entries[slot] =
                all.number << TRAWL_QGRAM_ENTRY_SHIFT | (uint32_t)last_of(all, bit);
        }
        place++;
    }
}

template <bool COUNTED>
static __global__ void __launch_bounds__(TRAWL_QGRAM_THREADS, 1)
    sieve(const __grid_constant__ trawl_cuda_reporter reporter,
          const __grid_constant__ trawl_cuda_qgram_view view,
          const __grid_constant__ trawl_cuda_qgram_candidates candidates, uint32_t part_bytes) {
    TRAWL_SHARED(shared);
    const trawl_cuda_qgram_view *near = copy_near(view, view.image_words, shared);
    /* What pairs count is here and not in registers, of which the loop needs all. */
    trawl_counter *counted =
        (trawl_counter *)(shared + 4 * (view.image_words + TRAWL_QGRAM_VIEW_WORDS));
    if (threadIdx.x == 0) {
        *counted = 0;
    }
    __syncthreads();
    const trawl_cuda_piece &piece = reporter.piece;
    const uint32_t parts = trawl_cuda_part_count(&piece, part_bytes);
    const uint32_t warps = blockDim.x / 32;
    listing self = {&candidates, 0, 0, TRAWL_QGRAM_ALL, 0};
    for (uint32_t part = blockIdx.x * warps + threadIdx.x / 32; part < parts;
         part += gridDim.x * warps) {
        if (stopped(&self)) {
            self.reached = 0; /* there are no chunks for this part either */
        } else {
            sieve_part<COUNTED>(piece, (const uint32_t *)shared, near, part_bytes,
                                trawl_cuda_part_begin(&piece, part_bytes, part), &self);
        }
        if (COUNTED && self.counted != 0) {
            atomicAdd(counted, (trawl_counter)self.counted);
            self.counted = 0;
        }
        if (threadIdx.x % 32 == 0) {
            candidates.reached[part] = self.reached;
            if (stopped(&self)) {
                atomicAdd(candidates.stopped, 1u);
            }
        }
    }
    if (threadIdx.x % 32 == 0 && self.next != 0) {
        candidates.used[(self.next + self.room - 1) / TRAWL_QGRAM_CHUNK] =
            TRAWL_QGRAM_CHUNK - self.room;
    }
    if (COUNTED) {
        __syncthreads();
        if (threadIdx.x == 0 && *counted != 0) {
            atomicAdd(reporter.output.total, *counted);
        }
    }
}

template <bool COUNTED>
static trawl_status run(const trawl_cuda_qgram_call *call, trawl_error *error) {
    uint32_t bytes =
        4 * (call->view->image_words + TRAWL_QGRAM_VIEW_WORDS) + (uint32_t)sizeof(trawl_counter);
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
