/*
 * Both steps of a scan at once, for parts whose candidates could not be listed because too much
 * passes. The same loop over the text as in the first step; what passes waits in shared memory
 * until there is some for every thread of the warp, which then asks the second and the third
 * question.
 */
#include "cuda/qgram_sieve.cuh"
#include "cuda/qgram_tally.cuh"

/* Fewer than in the first step: this one needs twice as many registers. */
#define MOST_THREADS (TRAWL_QGRAM_THREADS / 2)

/* What waits of a warp: at most 31 samples, and then one more of each thread. */
#define WAITING 64u

typedef struct waiting_samples {
    const tallying *with;
    const trawl_cuda_qgram_view *near;
    uint16_t *samples; /* in shared memory, as in lists of candidates */
    uint32_t waiting;  /* all threads of the warp have the same */
    int32_t begin;     /* of the window */
    trawl_counter counted;
} waiting_samples;

/* Asks for up to 32 samples, which are taken away; returns what the thread has counted. */
template <bool REPORT>
static __device__ __noinline__ trawl_counter ask_waiting(const tallying &with,
                                                         const trawl_cuda_qgram_view &near,
                                                         const uint16_t *asked, uint32_t count,
                                                         int32_t begin) {
    trawl_counter counted = 0;
    __syncwarp();
    if (threadIdx.x % 32 < count) {
        const uint32_t entry = asked[threadIdx.x % 32], number = entry >> TRAWL_QGRAM_ENTRY_SHIFT;
        const trawl_cuda_qgram_tables &table = near.table[number];
        ends found = ask_sample(with.reporter->piece, near, number,
                                begin + (int32_t)(entry & (TRAWL_QGRAM_MOST_PART - 1)) + 1);
        for (; found.alignments != 0; found.alignments &= found.alignments - 1) {
            uint32_t alignment = (uint32_t)__ffs((int)found.alignments) - 1;
            counted +=
                tally_end<REPORT>(with, table, number, (uint32_t)found.end + alignment, alignment);
        }
    }
    __syncwarp();
    return counted;
}

/* Whether REPORT is wanted is one question for all threads of a kernel. */
static __device__ __forceinline__ void ask_some(waiting_samples *self, uint32_t first,
                                                uint32_t count) {
    const tallying &with = *self->with;
    const uint16_t *asked = self->samples + first;
    self->counted += with.reporter->output.pass == TRAWL_CUDA_PASS_COUNT
                         ? ask_waiting<false>(with, *self->near, asked, count, self->begin)
                         : ask_waiting<true>(with, *self->near, asked, count, self->begin);
}

static __device__ __forceinline__ void put_samples(waiting_samples *self, const samples &all,
                                                   uint32_t passed) {
    for (uint32_t some = __ballot_sync(FULL, passed != 0); some != 0;
         some = __ballot_sync(FULL, passed != 0)) {
        if (passed != 0) {
            self->samples[self->waiting + rank_among(some)] = entry_of(all, take_bit(&passed));
        }
        self->waiting += (uint32_t)__popc(some);
        if (self->waiting >= 32) {
            self->waiting -= 32;
            ask_some(self, self->waiting, 32);
        }
    }
}

static __global__ void __launch_bounds__(MOST_THREADS, 1)
    rest(const __grid_constant__ trawl_cuda_reporter reporter,
         const __grid_constant__ trawl_cuda_qgram_view view,
         const __grid_constant__ trawl_cuda_qgram_candidates candidates,
         const __grid_constant__ trawl_cuda_qgram_notes notes, uint32_t part_bytes) {
    if (*candidates.overflown == 0) {
        return;
    }
    TRAWL_SHARED(shared);
    const uint32_t warp = threadIdx.x / 32, warps = blockDim.x / 32;
    sieve_shared *near = (sieve_shared *)(shared + 4 * view.image_words);
    uint16_t *queues = (uint16_t *)(near + 1);
    copy_near(view, shared, near);
    __syncthreads();
    const tallying tallying = {&reporter, &notes, part_bytes};
    waiting_samples self = {&tallying, &near->view, queues + warp * WAITING, 0, 0, 0};
    const trawl_cuda_piece &piece = reporter.piece;
    const sieving with = {&piece, (const uint32_t *)shared, &near->tiers};
    /* Window by window: there may be few such parts, and each takes long. */
    const uint32_t each = part_bytes / TRAWL_QGRAM_WINDOW;
    const uint32_t windows = trawl_cuda_part_count(&piece, TRAWL_QGRAM_WINDOW);
    for (uint32_t window = blockIdx.x * warps + warp; window < windows;
         window += gridDim.x * warps) {
        if (candidates.count[window / each] <= candidates.capacity) {
            continue;
        }
        int64_t begin = trawl_cuda_part_begin(&piece, TRAWL_QGRAM_WINDOW, window);
        self.begin = (int32_t)begin;
        self.counted += reporter.output.pass == TRAWL_CUDA_PASS_COUNT
                            ? sieve_part<true>(with, TRAWL_QGRAM_WINDOW, begin, &self)
                            : sieve_part<false>(with, TRAWL_QGRAM_WINDOW, begin, &self);
        ask_some(&self, 0, self.waiting);
        self.waiting = 0;
    }
    if (reporter.output.pass == TRAWL_CUDA_PASS_COUNT ||
        reporter.output.pass == TRAWL_CUDA_PASS_PATTERNS) {
        add_total(reporter.output, self.counted, (uint32_t *)queues);
    }
}

trawl_status trawl_cuda_qgram_rest(const trawl_cuda_qgram_call *call, trawl_error *error) {
    uint32_t threads = call->threads < MOST_THREADS ? call->threads : MOST_THREADS;
    uint32_t bytes = 4 * call->view->image_words + (uint32_t)sizeof(sieve_shared) +
                     threads / 32 * WAITING * (uint32_t)sizeof(uint16_t);
    trawl_status status = trawl_cuda_allow_shared(call->device, rest, bytes, error);
    if (status != TRAWL_OK) {
        return status;
    }
    TRAWL_LAUNCH(rest, call->blocks, threads, bytes, call->stream, *call->reporter, *call->view,
                 call->candidates, call->notes, call->part_bytes);
    TRAWL_CUDA_LAUNCHED("rest", error);
    return TRAWL_OK;
}
