/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Kernel `sparse`: tests samples of 16 bytes, which are a stride of up to 1,024 bytes apart.
 * Threads wait for memory nearly all of the time, so each thread has several samples at once, of
 * which the text and then the words of the filter are loaded together.
 *
 *     text    |16|..........|16|..........|16|..........|16|.....
 *     thread   0             1             2             3         of a warp
 *
 * Candidates wait in a queue in shared memory until there is one for each thread of the warp. A
 * candidate's bucket has the keys that have this sample, each with the distance to its end, or, if
 * the bucket is crowded, only the distances (engines/qgram/sparse/format.h). Each occurrence of a
 * key has one sample that is its anchor, so it is found once.
 */
#include "engines/qgram/cuda/sparse.cuh"
#include "engines/qgram/cuda/verify.cuh"
#include "engines/qgram/cuda/verify_shares.cuh"

#define THREADS trawl_qgram_tuned::sparse_threads
#define WARPS (THREADS / 32)
#define TOGETHER trawl_qgram_tuned::sparse_together

/* The candidates of a warp. */
typedef struct sparse_queue {
    uint64_t hash[WAITING];
    uint32_t at[WAITING]; /* first byte of the sample, in the slice */
} sparse_queue;

/* The state of a warp. All members but `counted` have the same value in all threads. */
typedef struct sparse_work {
    const verify_context *context;
    const trawl_cuda_sparse_view *view;
    sparse_queue *queue;
    uint32_t waiting;
    trawl_counter counted;
} sparse_work;

/* ------------------------------------------------------------------ ends */

static __device__ __forceinline__ bool is_owned(const trawl_cuda_slice &slice, uint32_t end) {
    return end > slice.owned && end <= slice.length;
}

/* Adds what the threads have found. All threads of the warp call this. */
template <after_verify AFTER>
static __device__ __forceinline__ void add_found(sparse_work *self, const verified_end &found) {
    if (AFTER != AFTER_NOTE) {
        self->counted += found.total;
    } else if (__any_sync(FULL, found.total != 0)) {
        note_hits(*self->context, found);
    }
}

/* Compares a key of a bucket, which may end before text[end]. Unless each key counts its own
 * matches, it is only counted if it is the longest one that ends there. */
template <after_verify AFTER>
static __device__ __forceinline__ verified_end compare_key(const sparse_work &self, uint32_t end,
                                                           uint32_t key) {
    const trawl_cuda_qgram_tables &table = self.view->table;
    if (counts_own<AFTER>(table)) {
        return verify_entry<AFTER>(*self.context, table, 0, end, key, TRAWL_CUDA_ANCHOR_WHOLE);
    }
    const key_range range = keys_with_ending(*self.context->reporter, table, end);
    return range.first == range.last
               ? verified_end{0, end, key, 0}
               : verify_end<AFTER>(*self.context, table, 0, end, 0, key, range);
}

/* Looks up the key that ends before text[end], `distance` bytes behind the first byte of a sample
 * whose bucket is crowded. */
template <after_verify AFTER>
static __device__ __forceinline__ verified_end look_up_end(const sparse_work &self, uint32_t end,
                                                           uint32_t distance) {
    const trawl_cuda_sparse_view &view = *self.view;
    const uint32_t key = longest_key_before(*self.context->reporter, view.table, end);
    const uint32_t residue = (distance - TRAWL_SPARSE_GRAM) % view.stride;
    const bool counts = key != TRAWL_NO_KEY &&
                        __ldg(view.distances + (size_t)key * view.stride + residue) == distance;
    return counts ? count_longest<AFTER>(*self.context, view.table, 0, end, key)
                  : verified_end{0, end, key, 0};
}

/* Looks up all ends that the threads' crowded buckets name, those of one thread after the other.
 * `crowded` is 0 in threads without such a bucket. */
template <after_verify AFTER>
static __device__ __forceinline__ void test_crowded(sparse_work *self, uint32_t at,
                                                    uint64_t crowded) {
    const uint32_t reach = self->view->reach, step = trawl_sparse_step(reach);
    for (uint32_t some = __ballot_sync(FULL, crowded != 0); some != 0; some &= some - 1) {
        const int thread = __ffs((int)some) - 1;
        const uint32_t from = __shfl_sync(FULL, at, thread);
        const uint64_t steps = (uint64_t)__shfl_sync(FULL, (uint32_t)(crowded >> 32), thread)
                                   << 32 |
                               __shfl_sync(FULL, (uint32_t)crowded, thread);
        for (uint32_t before = 0; before < reach; before += 32) {
            const uint32_t distance = before + threadIdx.x % 32 + 1;
            const uint32_t end = from + distance;
            verified_end found = {0, 0, 0, 0};
            if (distance >= TRAWL_SPARSE_GRAM && distance <= reach &&
                (steps >> (distance - 1) / step & 1) != 0 &&
                is_owned(self->context->reporter->slice, end)) {
                found = look_up_end<AFTER>(*self, end, distance);
            }
            add_found<AFTER>(self, found);
        }
    }
}

/* ------------------------------------------------------------------ candidates */

/* Takes candidates from the queue, and compares them with their buckets. */
template <after_verify AFTER>
static __device__ __forceinline__ void test_candidates(sparse_work *self) {
    const trawl_cuda_sparse_view &view = *self->view;
    const uint32_t count = self->waiting < 32 ? self->waiting : 32, lane = threadIdx.x % 32;
    uint64_t hash = 0, crowded = 0;
    uint32_t at = 0, next = 0, past = 0;
    self->waiting -= count;
    __syncwarp();
    if (lane < count) {
        hash = self->queue->hash[self->waiting + lane];
        at = self->queue->at[self->waiting + lane];
        const uint32_t *heads = view.heads + trawl_sparse_bucket(hash, view.bucket_bits);
        const uint32_t head = __ldg(heads);
        next = head & ~TRAWL_SPARSE_CROWDED;
        past = __ldg(heads + 1) & ~TRAWL_SPARSE_CROWDED;
        if (head != next) {
            crowded = __ldg((const unsigned long long *)view.entries + next);
            past = next;
        }
    }
    __syncwarp();
    while (__any_sync(FULL, next != past)) {
        verified_end found = {0, 0, 0, 0};
        if (next != past) {
            const uint64_t entry = __ldg((const unsigned long long *)view.entries + next++);
            const uint32_t end = at + ((uint32_t)(entry >> 32) & 0xffff);
            if (entry >> 48 == trawl_sparse_tag(hash) &&
                is_owned(self->context->reporter->slice, end)) {
                found = compare_key<AFTER>(*self, end, (uint32_t)entry);
            }
        }
        add_found<AFTER>(self, found);
    }
    if (__any_sync(FULL, crowded != 0)) {
        test_crowded<AFTER>(self, at, crowded);
    }
}

/* Queues the threads' candidates. */
template <after_verify AFTER>
static __device__ __forceinline__ void queue_candidate(sparse_work *self, bool passed,
                                                       uint64_t hash, uint32_t at) {
    const uint32_t some = __ballot_sync(FULL, passed);
    if (passed) {
        const uint32_t to = self->waiting + rank_among(some);
        self->queue->hash[to] = hash;
        self->queue->at[to] = at;
    }
    self->waiting += (uint32_t)__popc(some);
    if (self->waiting >= 32) {
        test_candidates<AFTER>(self);
    }
}

/* ------------------------------------------------------------------ samples */

static __device__ __forceinline__ uint64_t hash_of(const uint4 &bytes, uint64_t case_bits) {
    const uint64_t first = (uint64_t)bytes.y << 32 | bytes.x;
    const uint64_t last = (uint64_t)bytes.w << 32 | bytes.z;
    return trawl_sparse_hash(trawl_qgram_fold(first, case_bits), trawl_qgram_fold(last, case_bits));
}

/* Tests TOGETHER samples of each thread: those with the numbers `first` + 32 * i + lane, of `count`
 * samples, of which number 0 is at text[from]. */
template <after_verify AFTER>
static __device__ __forceinline__ void test_samples(sparse_work *self, uint32_t from,
                                                    uint32_t first, uint32_t count) {
    const trawl_cuda_sparse_view &view = *self->view;
    const uint8_t *text = self->context->reporter->slice.text;
    const uint32_t lane = threadIdx.x % 32;
    uint4 bytes[TOGETHER];
    uint64_t hash[TOGETHER];
    uint32_t word[TOGETHER];
#pragma unroll
    for (uint32_t i = 0; i < TOGETHER; i++) {
        const uint32_t number = first + 32 * i + lane;
        bytes[i] = make_uint4(0, 0, 0, 0);
        if (number < count) {
            bytes[i] = __ldg((const uint4 *)(text + from + (size_t)number * view.stride));
        }
    }
#pragma unroll
    for (uint32_t i = 0; i < TOGETHER; i++) {
        hash[i] = hash_of(bytes[i], view.case_bits);
        word[i] = __ldg(view.filter + trawl_sparse_word(hash[i], view.row_bits));
    }
#pragma unroll
    for (uint32_t i = 0; i < TOGETHER; i++) {
        const uint32_t number = first + 32 * i + lane, mask = trawl_sparse_mask(hash[i]);
        queue_candidate<AFTER>(self, number < count && (word[i] & mask) == mask, hash[i],
                               from + number * view.stride);
    }
}

/* The first sample that may lead to an owned end: the text is aligned there. */
static __device__ __forceinline__ uint32_t first_sample(const trawl_cuda_slice &slice,
                                                        uint32_t reach) {
    const uint32_t least = slice.owned + 1 < reach ? 0 : slice.owned + 1 - reach;
    return least + (uint32_t)(-(uintptr_t)(slice.text + least) % TRAWL_SPARSE_GRAM);
}

template <after_verify AFTER>
static __global__ void __launch_bounds__(THREADS, AFTER == AFTER_REPORT
                                                      ? trawl_qgram_tuned::sparse_blocks_reporting
                                                      : trawl_qgram_tuned::sparse_blocks)
    scan_sparse(const __grid_constant__ trawl_cuda_reporter reporter,
                const __grid_constant__ trawl_cuda_sparse_view view,
                const __grid_constant__ trawl_cuda_qgram_noted_hits noted, uint32_t strip_bytes) {
    TRAWL_SHARED(shared);
    const verify_context context = {&reporter, &noted, strip_bytes};
    const trawl_cuda_slice &slice = reporter.slice;
    sparse_work work = {&context, &view, (sparse_queue *)shared + threadIdx.x / 32, 0, 0};
    const uint32_t warp = (blockIdx.x * THREADS + threadIdx.x) / 32;
    const uint32_t from = first_sample(slice, view.reach);
    const uint32_t count = from + TRAWL_SPARSE_GRAM > slice.length
                               ? 0
                               : (slice.length - TRAWL_SPARSE_GRAM - from) / view.stride + 1;
    for (uint32_t first = warp * (32 * TOGETHER); first < count;
         first += gridDim.x * WARPS * (32 * TOGETHER)) {
        test_samples<AFTER>(&work, from, first, count);
    }
    while (work.waiting != 0) {
        test_candidates<AFTER>(&work);
    }
    add_counted<AFTER>(reporter.output, work.counted, (uint32_t *)shared);
}

/* ------------------------------------------------------------------ launching */

uint32_t trawl_cuda_sparse_shared_bytes(void) {
    return WARPS * (uint32_t)sizeof(sparse_queue);
}

template <after_verify AFTER>
static trawl_status launch(const trawl_cuda_qgram_call *call, const trawl_cuda_sparse_view *view,
                           trawl_error *error) {
    const uint32_t blocks = (uint32_t)call->device->multiprocessors *
                            (AFTER == AFTER_REPORT ? trawl_qgram_tuned::sparse_blocks_reporting
                                                   : trawl_qgram_tuned::sparse_blocks);
    TRAWL_LAUNCH(scan_sparse<AFTER>, blocks, THREADS, trawl_cuda_sparse_shared_bytes(),
                 call->stream, *call->reporter, *view, call->noted, call->strip_bytes);
    TRAWL_CUDA_LAUNCHED("scan_sparse", error);
    return TRAWL_OK;
}

trawl_status trawl_cuda_sparse_scan(const trawl_cuda_qgram_call *call,
                                    const trawl_cuda_sparse_view *view, trawl_error *error) {
    switch (call->reporter->output.pass) {
    case TRAWL_CUDA_PASS_COUNT:
        return launch<AFTER_COUNT>(call, view, error);
    case TRAWL_CUDA_PASS_SIZES:
        return launch<AFTER_NOTE>(call, view, error);
    default:
        return launch<AFTER_REPORT>(call, view, error);
    }
}

/* ------------------------------------------------------------------ uploading */

void trawl_cuda_sparse_put(trawl_cuda_uploader *upload, const trawl_cuda_sparse_layout *layout,
                           trawl_cuda_sparse_view *view) {
    const trawl_qgram_tier *tier = &layout->tier;
    const trawl_sparse_tables *tables = &layout->tables;
    const trawl_sparse_header *header = &layout->made.header;
    const uint64_t anchors = (uint64_t)layout->arrays.keys.count * tier->stride;
    view->case_bits = trawl_qgram_case_bits(tier->folded != 0);
    view->stride = tier->stride;
    view->reach = header->reach;
    view->row_bits = tier->row_bits;
    view->bucket_bits = tier->suffix_filter_bits;
    view->filter = (const uint32_t *)trawl_cuda_put(upload, tables->filter,
                                                    sizeof *tables->filter << tier->row_bits);
    view->heads = (const uint32_t *)trawl_cuda_put(
        upload, tables->heads, sizeof *tables->heads * ((UINT64_C(1) << view->bucket_bits) + 2));
    view->entries = (const uint64_t *)trawl_cuda_put(upload, tables->entries,
                                                     sizeof *tables->entries * header->entries);
    view->distances = (const uint16_t *)trawl_cuda_put(
        upload, layout->made.distances,
        header->crowded == 0 ? 0 : sizeof *layout->made.distances * anchors);
}
