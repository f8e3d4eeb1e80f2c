/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * rabin-karp, kernel steps: Nunes et al. 2018, IV and V, as in the paper. Each step is a launch of
 * its own, so that each can be timed:
 *
 *     step 2   a block of 64 threads hashes each pattern; the table HT is made from these hashes
 *     step 3   a_i = d^(n-1-i) t_i mod q into an array, by 64 blocks of 64 threads
 *     step 4   its prefix sums modulo q: CUB's decoupled look-back scan
 *     step 5   for every window the difference of two sums times a power (Equation 4), HT, EQ, by
 *              64 blocks of 64 threads
 *
 * It is not optimized: HT has no filter, and the text is divided only after 2^28 bytes. Kernel
 * prefix-sums is the fast version of the same algorithm. The paper's table HT has one pattern in an
 * entry; here an entry is a list, in no particular order.
 */
#include <cub/device/device_scan.cuh>

#include "engines/rabin_karp/cuda/sums.cuh"

#define PAPER_THREADS 64u /* of a block, and blocks of a grid: Nunes et al. 2018, V */
#define PAPER_BLOCKS 64u

/* Bytes of text in a launch: twice the paper's largest text. */
#define LARGEST_SLICE (UINT64_C(1) << 28)

/* ------------------------------------------------------------------ step 2 */

/* Block b hashes pattern b and counts it in the list of its hash. */
static __global__ void hash_patterns(trawl_cuda_powers powers, trawl_pattern_view patterns,
                                     bool folded, uint32_t *hashes, uint32_t *sizes) {
    __shared__ uint32_t sums[TRAWL_HASHING_THREADS];
    uint32_t begin = patterns.offsets[blockIdx.x];
    uint32_t hash = trawl_cuda_hash_by_block<true>(
        powers, patterns.bytes + begin, patterns.offsets[blockIdx.x + 1] - begin, folded, sums);
    if (threadIdx.x == 0) {
        hashes[blockIdx.x] = hash;
        atomicAdd(&sizes[hash], 1u);
    }
}

/* Puts each pattern into its list. next[hash] is where the next one goes: heads[hash] at first. */
static __global__ void fill_lists(const uint32_t *hashes, uint32_t count, uint32_t *next,
                                  uint32_t *ids) {
    for (uint32_t id = blockIdx.x * blockDim.x + threadIdx.x; id < count;
         id += gridDim.x * blockDim.x) {
        ids[atomicAdd(&next[hashes[id]], 1u)] = id;
    }
}

/* ------------------------------------------------------------------ step 3 */

static __global__ void fill_terms(term_of<true> term, uint32_t count, uint16_t *terms) {
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x) {
        terms[i] = (uint16_t)term(i);
    }
}

/* ------------------------------------------------------------------ step 5 */

typedef struct hash_table {
    const uint32_t *heads; /* q + 1 */
    const uint32_t *ids;
} hash_table;

static __device__ __forceinline__ uint32_t hash_at(const trawl_cuda_powers &powers,
                                                   const slice_sums<uint16_t> &sums,
                                                   uint32_t number, uint32_t window) {
    return window_hash<true>(powers, turn_of(powers, sums, number),
                             (uint32_t)__ldg(&sums.sums[number]), sum_before(sums, number, window));
}

/* Compares the patterns of `window` bytes in an entry of HT with the window (EQ in the paper). */
static __device__ __forceinline__ void verify(const trawl_cuda_reporter &reporter,
                                              const hash_table &table, uint32_t hash, uint32_t end,
                                              uint32_t window, trawl_counter *cursor) {
    const trawl_pattern_view &patterns = reporter.patterns;
    for (uint32_t i = table.heads[hash]; i < table.heads[hash + 1]; i++) {
        uint32_t id = table.ids[i];
        if (patterns.offsets[id + 1] - patterns.offsets[id] == window &&
            trawl_cuda_pattern_matches(patterns, id, reporter.slice.text + (end - window))) {
            trawl_cuda_report(reporter, id, end, window, cursor);
        }
    }
}

/* A warp searches 32 strips of 32 windows at a time. In step k its lanes hash the windows of strip
 * k, so that their loads of sums are coalesced; then each verifies the candidates of its own
 * strip. */
static __global__ void __launch_bounds__(TRAWL_CUDA_MOST_THREADS, 1)
    look_up(const __grid_constant__ trawl_cuda_reporter reporter,
            const __grid_constant__ trawl_cuda_powers powers, slice_sums<uint16_t> sums,
            hash_table table, uint32_t window) {
    if (!trawl_cuda_wanted(reporter.output)) {
        return;
    }
    const trawl_cuda_slice &slice = reporter.slice;
    uint32_t strips = trawl_cuda_strip_count(&slice, TRAWL_SUMS_STRIP_BYTES);
    uint32_t lane = threadIdx.x % TRAWL_SUMS_WARP;
    uint32_t least = window - 1; /* the first window's last byte, unless the slice is later */
    int32_t first = (int32_t)((slice.owned < least ? least : slice.owned) - sums.begin);
    int32_t past = (int32_t)sums.count;
    int32_t origin = trawl_cuda_origin(&slice) - (int32_t)sums.begin;
    for (uint32_t tile = blockIdx.x * blockDim.x + threadIdx.x - lane; tile < strips;
         tile += gridDim.x * blockDim.x) {
        int32_t begin = origin + (int32_t)(tile * TRAWL_SUMS_STRIP_BYTES);
        uint32_t candidates = 0;
        for (uint32_t step = 0; step < TRAWL_SUMS_WARP; step++) {
            int32_t number = begin + (int32_t)(step * TRAWL_SUMS_WARP + lane);
            bool valid = number >= first && number < past;
            uint32_t hash = valid ? hash_at(powers, sums, (uint32_t)number, window) : 0;
            bool listed = valid && __ldg(&table.heads[hash]) != __ldg(&table.heads[hash + 1]);
            uint32_t votes = __ballot_sync(TRAWL_SUMS_ALL_LANES, listed);
            candidates = lane == step ? votes : candidates;
        }
        uint32_t strip = tile + lane;
        bool valid = strip < strips;
        trawl_counter cursor = valid ? trawl_cuda_cursor_begin(reporter.output, strip) : 0;
        for (; candidates != 0; candidates &= candidates - 1) {
            uint32_t number = (uint32_t)(begin + (int32_t)(lane * TRAWL_SUMS_STRIP_BYTES)) +
                              (uint32_t)__ffs((int)candidates) - 1;
            verify(reporter, table, hash_at(powers, sums, number, window), sums.begin + number + 1,
                   window, &cursor);
        }
        trawl_cuda_cursor_end(reporter.output, valid, strip, cursor);
    }
}

/* ------------------------------------------------------------------ planning */

/* The offset of each array in the workspace, in bytes. */
typedef struct steps_layout {
    size_t heads, next, ids, hashes, sums, storage, storage_bytes, past;
} steps_layout;

static size_t take(size_t *at, size_t bytes) {
    size_t begin = *at;
    *at += trawl_cuda_aligned(bytes);
    return begin;
}

static cudaError_t scan_sizes(uint32_t modulus, void *storage, size_t *storage_bytes,
                              uint32_t *heads, cudaStream_t stream) {
    return cub::DeviceScan::ExclusiveSum(storage, *storage_bytes, heads, heads, modulus + 1,
                                         stream);
}

static cudaError_t scan_terms(const trawl_cuda_powers *powers, uint32_t count, void *storage,
                              size_t *storage_bytes, uint16_t *terms, cudaStream_t stream) {
    add_modulo<true> add = {*powers};
    return cub::DeviceScan::InclusiveScan(storage, *storage_bytes, terms, terms, add, count,
                                          stream);
}

static trawl_status lay_out(const trawl_cuda_powers *powers, uint32_t patterns, uint64_t count,
                            steps_layout *layout, trawl_error *error) {
    size_t at = 0, sizes = 0, terms = 0;
    memset(layout, 0, sizeof *layout);
    TRAWL_CUDA_TRY(scan_sizes(powers->modulus, NULL, &sizes, NULL, NULL), error);
    if (count != 0) {
        TRAWL_CUDA_TRY(scan_terms(powers, (uint32_t)count, NULL, &terms, NULL, NULL), error);
    }
    layout->heads = take(&at, ((size_t)powers->modulus + 1) * sizeof(uint32_t));
    layout->next = take(&at, ((size_t)powers->modulus + 1) * sizeof(uint32_t));
    layout->ids = take(&at, (size_t)patterns * sizeof(uint32_t));
    layout->hashes = take(&at, (size_t)patterns * sizeof(uint32_t));
    layout->sums = take(&at, (size_t)count * sizeof(uint16_t));
    layout->storage_bytes = sizes > terms ? sizes : terms;
    layout->storage = take(&at, layout->storage_bytes);
    layout->past = at;
    return TRAWL_OK;
}

trawl_status trawl_cuda_rabin_karp_steps_plan(const trawl_cuda_db *uploaded,
                                              const trawl_cuda_launch_request *request,
                                              trawl_cuda_launch_plan *plan, trawl_error *error) {
    const trawl_cuda_rabin_karp_tables *tables =
        (const trawl_cuda_rabin_karp_tables *)uploaded->tables;
    const trawl_cuda_powers *powers = &tables->powers;
    if (!tables->paper || powers->narrow == NULL) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "rabin-karp: kernel steps makes the table HT of whole patterns, modulo a "
                          "prime of at most 65,536 that does not divide the base: variants paper, "
                          "single and steps; kernel rolling takes any database");
    }
    plan->block_threads = request->block_threads != 0 ? request->block_threads : PAPER_THREADS;
    trawl_status status = trawl_sums_plan_strips(request, "steps", plan, error);
    if (status != TRAWL_OK) {
        return status;
    }
    plan->ordered = false;
    plan->slice_bytes = LARGEST_SLICE;
    const uint64_t count = trawl_sums_most(tables, request, LARGEST_SLICE);
    steps_layout layout;
    status = lay_out(powers, uploaded->patterns.count, count, &layout, error);
    plan->workspace_bytes = layout.past;
    return status;
}

/* ------------------------------------------------------------------ launching */

/* Step 2. */
static trawl_status make_table(const trawl_cuda_db *uploaded, const trawl_cuda_powers *powers,
                               const steps_layout *layout, uint8_t *workspace, cudaStream_t stream,
                               trawl_error *error) {
    uint32_t *heads = (uint32_t *)(workspace + layout->heads);
    uint32_t *next = (uint32_t *)(workspace + layout->next);
    uint32_t *hashes = (uint32_t *)(workspace + layout->hashes);
    uint32_t patterns = uploaded->patterns.count;
    size_t bytes = ((size_t)powers->modulus + 1) * sizeof *heads;
    size_t storage_bytes = layout->storage_bytes;
    TRAWL_CUDA_TRY(cudaMemsetAsync(heads, 0, bytes, stream), error);
    TRAWL_LAUNCH(hash_patterns, patterns, TRAWL_HASHING_THREADS, 0, stream, *powers,
                 uploaded->patterns, uploaded->db->header->folded != 0, hashes, heads);
    TRAWL_CUDA_LAUNCHED("hash_patterns", error);
    TRAWL_CUDA_TRY(
        scan_sizes(powers->modulus, workspace + layout->storage, &storage_bytes, heads, stream),
        error);
    TRAWL_CUDA_TRY(cudaMemcpyAsync(next, heads, bytes, cudaMemcpyDeviceToDevice, stream), error);
    TRAWL_LAUNCH(fill_lists, PAPER_BLOCKS, PAPER_THREADS, 0, stream, hashes, patterns, next,
                 (uint32_t *)(workspace + layout->ids));
    TRAWL_CUDA_LAUNCHED("fill_lists", error);
    return TRAWL_OK;
}

/* Steps 3 and 4. */
static trawl_status make_sums(const trawl_cuda_db *uploaded, const trawl_cuda_launch_plan *plan,
                              const trawl_cuda_powers *powers, const uint8_t *text, uint32_t count,
                              const steps_layout *layout, uint8_t *workspace, cudaStream_t stream,
                              trawl_error *error) {
    uint16_t *sums = (uint16_t *)(workspace + layout->sums);
    term_of<true> term = {*powers, text, count - 1, uploaded->db->header->folded != 0};
    TRAWL_LAUNCH(fill_terms, PAPER_BLOCKS, plan->block_threads, 0, stream, term, count, sums);
    TRAWL_CUDA_LAUNCHED("fill_terms", error);
    trawl_status status = trawl_cuda_step_ends(plan, 1, stream, error);
    if (status != TRAWL_OK) {
        return status;
    }
    size_t storage_bytes = layout->storage_bytes;
    TRAWL_CUDA_TRY(
        scan_terms(powers, count, workspace + layout->storage, &storage_bytes, sums, stream),
        error);
    return trawl_cuda_step_ends(plan, 2, stream, error);
}

/* Of steps 2, 3 and 5; step 4 is a kernel of CUB's own. */
static trawl_status note_occupancy(const trawl_cuda_db *uploaded,
                                   const trawl_cuda_launch_plan *plan, trawl_error *error) {
    const trawl_cuda_device *device = &uploaded->device;
    trawl_status status =
        trawl_cuda_note_occupancy(plan, device, 0, hash_patterns, TRAWL_HASHING_THREADS, error);
    if (status == TRAWL_OK) {
        status = trawl_cuda_note_occupancy(plan, device, 1, fill_terms, plan->block_threads, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_cuda_note_occupancy(plan, device, 3, look_up, plan->block_threads, error);
    }
    return status;
}

trawl_status trawl_cuda_rabin_karp_steps(const trawl_cuda_db *uploaded,
                                         const trawl_cuda_launch_plan *plan,
                                         const trawl_cuda_reporter *reporter, void *workspace,
                                         cudaStream_t stream, trawl_error *error) {
    const trawl_cuda_rabin_karp_tables *tables =
        (const trawl_cuda_rabin_karp_tables *)uploaded->tables;
    const trawl_cuda_powers *powers = &tables->powers;
    const trawl_cuda_slice *slice = &reporter->slice;
    uint8_t *bytes = (uint8_t *)workspace;
    uint32_t begin = trawl_sums_begin(tables, slice);
    uint32_t count = slice->length - begin;
    steps_layout layout;
    trawl_status status = lay_out(powers, uploaded->patterns.count, count, &layout, error);
    if (status == TRAWL_OK) {
        status = note_occupancy(uploaded, plan, error);
    }
    if (status == TRAWL_OK) {
        status = make_table(uploaded, powers, &layout, bytes, stream, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_cuda_step_ends(plan, 0, stream, error);
    }
    if (status == TRAWL_OK) {
        status = make_sums(uploaded, plan, powers, slice->text + begin, count, &layout, bytes,
                           stream, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    slice_sums<uint16_t> sums = {(const uint16_t *)(bytes + layout.sums), begin, count};
    hash_table table = {(const uint32_t *)(bytes + layout.heads),
                        (const uint32_t *)(bytes + layout.ids)};
    for (uint32_t i = 0; i < tables->passes; i++) {
        uint32_t window = tables->each[i].window;
        if (slice->length >= window) {
            TRAWL_LAUNCH(look_up, PAPER_BLOCKS, plan->block_threads, 0, stream, *reporter, *powers,
                         sums, table, window);
            TRAWL_CUDA_LAUNCHED("look_up", error);
        }
    }
    return trawl_cuda_step_ends(plan, 3, stream, error);
}
