/*
 * The first step of a scan: FILTER alone, for all samples of the text. What passes is listed, part
 * by part, for the second step (qgram_tally.cu). Nothing else happens here: asking the second
 * question as well, while the text is in the caches, keeps warps waiting that have text to read,
 * and took longer than to read some of it once more.
 */
#include "cuda/qgram_sieve.cuh"

/* A part's list while it is written. All threads of the warp have the same. */
typedef struct listing {
    uint16_t *list;
    uint32_t capacity;
    uint32_t count; /* what passed, also beyond the capacity */
} listing;

static __device__ __forceinline__ void put_samples(listing *self, const samples &all,
                                                   uint32_t passed) {
    for (uint32_t some = __ballot_sync(FULL, passed != 0); some != 0;
         some = __ballot_sync(FULL, passed != 0)) {
        if (passed != 0) {
            uint32_t bit = take_bit(&passed), slot = self->count + rank_among(some);
            if (slot < self->capacity) {
                self->list[slot] = entry_of(all, bit);
            }
        }
        self->count += (uint32_t)__popc(some);
    }
}

template <bool COUNTED>
static __global__ void __launch_bounds__(TRAWL_QGRAM_THREADS, 1)
    sieve(const __grid_constant__ trawl_cuda_reporter reporter,
          const __grid_constant__ trawl_cuda_qgram_view view,
          const __grid_constant__ trawl_cuda_qgram_candidates candidates, uint32_t part_bytes) {
    TRAWL_SHARED(shared);
    sieve_shared *near = (sieve_shared *)(shared + 4 * view.image_words);
    /* What pairs count is here and not in registers, of which the loop needs all. */
    trawl_counter *counted = (trawl_counter *)(near + 1);
    uint32_t *listed = (uint32_t *)(counted + 1), *longest = listed + 1;
    copy_near(view, shared, near);
    if (threadIdx.x == 0) {
        *counted = 0;
        *listed = *longest = 0;
    }
    __syncthreads();
    const trawl_cuda_piece &piece = reporter.piece;
    const uint32_t parts = trawl_cuda_part_count(&piece, part_bytes);
    const uint32_t warps = blockDim.x / 32;
    const sieving with = {&piece, (const uint32_t *)shared, &near->tiers};
    for (uint32_t part = blockIdx.x * warps + threadIdx.x / 32; part < parts;
         part += gridDim.x * warps) {
        listing self = {candidates.list + (size_t)part * candidates.capacity, candidates.capacity,
                        0};
        uint32_t sum = sieve_part<COUNTED>(with, part_bytes,
                                           trawl_cuda_part_begin(&piece, part_bytes, part), &self);
        if (COUNTED && sum != 0 && self.count <= candidates.capacity) {
            atomicAdd(counted, (trawl_counter)sum); /* else the part is done again */
        }
        if (threadIdx.x % 32 == 0) {
            candidates.count[part] = self.count;
            if (self.count > candidates.capacity) {
                atomicAdd(candidates.overflown, 1u);
            } else if (self.count != 0) {
                atomicAdd(listed, self.count);
                atomicMax(longest, self.count);
            }
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(candidates.listed, *listed);
        atomicMax(candidates.longest, *longest);
        if (COUNTED && *counted != 0) {
            atomicAdd(reporter.output.total, *counted);
        }
    }
}

uint32_t trawl_cuda_qgram_sieve_shared(void) {
    return (uint32_t)(sizeof(sieve_shared) + 2 * sizeof(trawl_counter));
}

template <bool COUNTED>
static trawl_status run(const trawl_cuda_qgram_call *call, trawl_error *error) {
    uint32_t bytes = 4 * call->view->image_words + trawl_cuda_qgram_sieve_shared();
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
