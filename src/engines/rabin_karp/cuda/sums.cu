/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * rabin-karp, kernel prefix-sums (Nunes et al. 2018, IV):
 *
 *     step 3   a_i = d^(n-1-i) t_i mod q, computed where the scan reads it
 *     step 4   their prefix sums modulo q: CUB's decoupled look-back scan with addition mod q
 *     step 5   for every window the difference of two sums times a power (Equation 4), HT, EQ
 *
 * The sums do not depend on a window's length, so steps 3 and 4 are done once for a slice, step 5
 * once for each pass. With q up to 65,536 sums have 16 bits: the text is read once, the sums are
 * written once and read twice, the second time mostly from the cache.
 */
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "engines/rabin_karp/cuda/sums.cuh"

/* ------------------------------------------------------------------ steps 3 and 4 */

/* Computes the sums of text[0 .. count). If `storage` is NULL, it only sets *storage_bytes to the
 * temporary storage that this needs. */
template <bool NARROW, typename SUM>
static cudaError_t scan_terms(const trawl_cuda_powers *powers, const uint8_t *text, uint32_t count,
                              bool folded, void *storage, size_t *storage_bytes, SUM *sums,
                              cudaStream_t stream) {
    term_of<NARROW> term = {*powers, text, count - 1, folded};
    add_modulo<NARROW> add = {*powers};
    auto terms = thrust::make_transform_iterator(thrust::make_counting_iterator<uint32_t>(0), term);
    return cub::DeviceScan::InclusiveScan(storage, *storage_bytes, terms, sums, add, count, stream);
}

/* ------------------------------------------------------------------ step 5 */

/*
 * Returns the candidates among the windows of a lane's strip, as a mask. A warp has 32 strips of 32
 * bytes; in step k its lanes test the 32 windows of strip k, so that loads of sums and powers are
 * coalesced, and the vote of the warp is the mask of lane k:
 *
 *                 lane 0   lane 1  ..  lane 31
 *     step 0      w 0      w 1         w 31        vote -> mask of lane 0
 *     step 1      w 32     w 33        w 63        vote -> mask of lane 1
 *
 * `at` is the number of this lane's sum in step 0. Windows whose last byte's sum has a number
 * outside first .. past - 1 are no candidates. WHOLE: there are none of these, and the sum before
 * every window exists.
 */
template <bool PAPER, bool NARROW, bool WHOLE, typename SUM>
static __device__ __forceinline__ uint32_t vote(const trawl_cuda_rabin_karp_pass &pass,
                                                const trawl_cuda_powers &powers,
                                                const slice_sums<SUM> &slice,
                                                const uint32_t *filter, int32_t at, int32_t first,
                                                int32_t past) {
    uint32_t lane = threadIdx.x % TRAWL_SUMS_WARP;
    uint32_t ahead = trawl_cuda_exponent(powers, TRAWL_SUMS_WARP);
    uint32_t turn = WHOLE ? turn_of(powers, slice, (uint32_t)at) : 0;
    uint32_t candidates = 0;
    for (uint32_t step = 0; step < TRAWL_SUMS_WARP; step += TRAWL_SUMS_STEPS_AHEAD) {
        uint32_t sum[TRAWL_SUMS_STEPS_AHEAD], before[TRAWL_SUMS_STEPS_AHEAD];
        const SUM *here = slice.sums + at;
        for (uint32_t s = 0; s < TRAWL_SUMS_STEPS_AHEAD; s++) {
            int32_t number = at + (int32_t)(s * TRAWL_SUMS_WARP);
            bool valid = WHOLE || (number >= first && number < past);
            sum[s] = valid ? (uint32_t)__ldg(here + s * TRAWL_SUMS_WARP) : 0;
            before[s] = WHOLE   ? (uint32_t)__ldg(here + s * TRAWL_SUMS_WARP - pass.window)
                        : valid ? sum_before(slice, (uint32_t)number, pass.window)
                                : 0;
        }
        for (uint32_t s = 0; s < TRAWL_SUMS_STEPS_AHEAD; s++) {
            int32_t number = at + (int32_t)(s * TRAWL_SUMS_WARP);
            bool valid = WHOLE || (number >= first && number < past);
            if (!WHOLE) {
                turn = valid ? turn_of(powers, slice, (uint32_t)number) : 0;
            }
            uint32_t hash = window_hash<NARROW>(powers, turn, sum[s], before[s]);
            bool passes = trawl_cuda_rabin_karp_passes<PAPER>(pass, filter, hash) && valid;
            uint32_t votes = __ballot_sync(TRAWL_SUMS_ALL_LANES, passes);
            candidates = lane == step + s ? votes : candidates;
            if (WHOLE) { /* (turn + 32) % period: the one that did not wrap is smaller */
                turn += ahead;
                turn = min(turn, turn - powers.period);
            }
        }
        at += (int32_t)(TRAWL_SUMS_STEPS_AHEAD * TRAWL_SUMS_WARP);
    }
    return candidates;
}

/*
 * paper: whether the second filter contains some candidate of the warp. About k / q of all windows
 * are candidates by chance. They are distributed evenly over the lanes first, so that the warp
 * waits for one load of the text, and not for as many as the lane with the most candidates has.
 */
static __device__ __forceinline__ bool some_may_stand(const trawl_cuda_rabin_karp_pass &pass,
                                                      const uint32_t *filter, const uint8_t *text,
                                                      uint32_t end_of_first, uint32_t candidates) {
    const uint32_t lane = threadIdx.x % TRAWL_SUMS_WARP;
    uint32_t own = (uint32_t)__popc(candidates),
             past = own; /* candidates of this lane and all before it */
    for (uint32_t distance = 1; distance < TRAWL_SUMS_WARP; distance *= 2) {
        uint32_t before = __shfl_up_sync(TRAWL_SUMS_ALL_LANES, past, distance);
        past += lane >= distance ? before : 0;
    }
    const uint32_t count = __shfl_sync(TRAWL_SUMS_ALL_LANES, past, TRAWL_SUMS_WARP - 1);
    bool found = false;
    for (uint32_t base = 0; base < count; base += TRAWL_SUMS_WARP) {
        uint32_t candidate = base + lane;
        uint32_t owner = 0; /* the first lane whose `past` is larger */
        for (uint32_t step = TRAWL_SUMS_WARP / 2; step != 0; step /= 2) {
            uint32_t reached = __shfl_sync(TRAWL_SUMS_ALL_LANES, past, owner + step - 1);
            owner += reached <= candidate ? step : 0;
        }
        owner = owner < TRAWL_SUMS_WARP ? owner : TRAWL_SUMS_WARP - 1;
        uint32_t mask = __shfl_sync(TRAWL_SUMS_ALL_LANES, candidates, owner);
        uint32_t skip =
            candidate - (__shfl_sync(TRAWL_SUMS_ALL_LANES, past, owner) - (uint32_t)__popc(mask));
        if (candidate < count) {
            for (; skip != 0; skip--) {
                mask &= mask - 1;
            }
            uint32_t end =
                end_of_first + owner * TRAWL_SUMS_STRIP_BYTES + (uint32_t)__ffs((int)mask) - 1;
            found = found || trawl_cuda_rabin_karp_may_stand(pass, filter, text, end);
        }
    }
    return __any_sync(TRAWL_SUMS_ALL_LANES, found) != 0;
}

/* A warp searches 32 strips of 32 bytes at a time; every lane verifies the candidates of its own
 * strip, in the order of the text. */
template <bool PAPER, bool NARROW, typename SUM>
static __global__ void __launch_bounds__(TRAWL_SUMS_MOST_THREADS)
    look_up(const __grid_constant__ trawl_cuda_reporter reporter,
            const __grid_constant__ trawl_cuda_rabin_karp_pass pass,
            const __grid_constant__ trawl_cuda_powers powers, slice_sums<SUM> sums) {
    if (!trawl_cuda_wanted(reporter.output)) {
        return;
    }
    TRAWL_SHARED(shared);
    const uint32_t *filter = (const uint32_t *)shared;
    trawl_cuda_rabin_karp_load_filter<PAPER>(pass, (uint32_t *)shared);
    __syncthreads();
    const trawl_cuda_slice &slice = reporter.slice;
    uint32_t strips = trawl_cuda_strip_count(&slice, TRAWL_SUMS_STRIP_BYTES);
    uint32_t lane = threadIdx.x % TRAWL_SUMS_WARP;
    uint32_t least = pass.window - 1; /* the first window's last byte, unless the slice is later */
    int32_t first = (int32_t)((slice.owned < least ? least : slice.owned) - sums.begin);
    int32_t past = (int32_t)sums.count;
    int32_t origin = trawl_cuda_origin(&slice) - (int32_t)sums.begin;
    for (uint32_t tile = blockIdx.x * blockDim.x + threadIdx.x - lane; tile < strips;
         tile += gridDim.x * blockDim.x) {
        int32_t begin = origin + (int32_t)(tile * TRAWL_SUMS_STRIP_BYTES);
        bool whole = begin >= first && begin >= (int32_t)pass.window &&
                     begin + (int32_t)(TRAWL_SUMS_WARP * TRAWL_SUMS_STRIP_BYTES) <= past;
        int32_t at = begin + (int32_t)lane;
        uint32_t candidates =
            whole ? vote<PAPER, NARROW, true>(pass, powers, sums, filter, at, first, past)
                  : vote<PAPER, NARROW, false>(pass, powers, sums, filter, at, first, past);
        if (PAPER && !some_may_stand(pass, filter, slice.text,
                                     (uint32_t)((int32_t)sums.begin + begin) + 1, candidates)) {
            candidates = 0;
        }
        uint32_t strip = tile + lane;
        bool valid = strip < strips;
        trawl_counter cursor = valid ? trawl_cuda_cursor_begin(reporter.output, strip) : 0;
        while (candidates != 0) {
            uint32_t number = (uint32_t)(begin + (int32_t)(lane * TRAWL_SUMS_STRIP_BYTES)) +
                              (uint32_t)__ffs((int)candidates) - 1;
            candidates &= candidates - 1;
            if (PAPER && !trawl_cuda_rabin_karp_may_stand(pass, filter, slice.text,
                                                          sums.begin + number + 1)) {
                continue;
            }
            uint32_t hash = window_hash<NARROW>(powers, turn_of(powers, sums, number),
                                                (uint32_t)__ldg(&sums.sums[number]),
                                                sum_before(sums, number, pass.window));
            trawl_cuda_rabin_karp_look_up<PAPER>(reporter, pass, hash, sums.begin + number + 1,
                                                 &cursor);
        }
        trawl_cuda_cursor_end(reporter.output, valid, strip, cursor);
    }
}

/* ------------------------------------------------------------------ planning */

static size_t sums_bytes(const trawl_cuda_powers *powers, uint64_t count) {
    return trawl_cuda_aligned(count *
                              (powers->narrow != NULL ? sizeof(uint16_t) : sizeof(uint32_t)));
}

/* Steps 3 and 4, or only the temporary storage that they need (scan_terms). */
static cudaError_t scan_any(const trawl_cuda_powers *powers, const uint8_t *text, uint32_t count,
                            bool folded, void *storage, size_t *storage_bytes, void *sums,
                            cudaStream_t stream) {
    return powers->narrow != NULL ? scan_terms<true>(powers, text, count, folded, storage,
                                                     storage_bytes, (uint16_t *)sums, stream)
                                  : scan_terms<false>(powers, text, count, folded, storage,
                                                      storage_bytes, (uint32_t *)sums, stream);
}

trawl_status trawl_cuda_rabin_karp_sum_plan(const trawl_cuda_db *uploaded,
                                            const trawl_cuda_launch_request *request,
                                            trawl_cuda_launch_plan *plan, trawl_error *error) {
    const trawl_cuda_rabin_karp_tables *tables =
        (const trawl_cuda_rabin_karp_tables *)uploaded->tables;
    const trawl_cuda_powers *powers = &tables->powers;
    if (powers->modulus == 0) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "rabin-karp: kernel prefix-sums needs a prime modulus that does not "
                          "divide the base: variant paper, or rabin_karp_modulus; kernel rolling "
                          "takes any database");
    }
    const trawl_gpu_tuning *tuning = uploaded->device.tuning;
    plan->block_threads =
        request->block_threads != 0 ? request->block_threads : tuning->sums_threads;
    if (plan->block_threads > TRAWL_SUMS_MOST_THREADS) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "rabin-karp: %u threads per block; kernel prefix-sums takes up to %u",
                          plan->block_threads, TRAWL_SUMS_MOST_THREADS);
    }
    trawl_status status = trawl_sums_plan_strips(request, "prefix-sums", plan, error);
    if (status != TRAWL_OK) {
        return status;
    }
    for (uint32_t pass = 0; pass < tables->passes; pass++) {
        uint32_t bytes = trawl_cuda_rabin_karp_filter_bytes(&tables->each[pass]);
        plan->shared_bytes = bytes > plan->shared_bytes ? bytes : plan->shared_bytes;
    }
    plan->slice_bytes = tuning->sums_slice;
    const uint64_t count = trawl_sums_most(tables, request, tuning->sums_slice);
    size_t storage_bytes = 0;
    if (count != 0) {
        TRAWL_CUDA_TRY(
            scan_any(powers, NULL, (uint32_t)count, false, NULL, &storage_bytes, NULL, NULL),
            error);
    }
    plan->workspace_bytes = sums_bytes(powers, count) + trawl_cuda_aligned(storage_bytes);
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ launching */

/* What the passes of one launch have in common. */
typedef struct sum_launch {
    const trawl_cuda_launch_plan *plan;
    const trawl_cuda_reporter *reporter;
    const trawl_cuda_powers *powers;
    const void *sums;
    uint32_t begin, count;
    uint32_t most_blocks;
    cudaStream_t stream;
} sum_launch;

template <bool PAPER, bool NARROW, typename SUM>
static void launch_look_up(const sum_launch *shared, const trawl_cuda_rabin_karp_pass *pass) {
    const trawl_cuda_launch_plan *plan = shared->plan;
    uint32_t blocks = trawl_cuda_block_count(&shared->reporter->slice, plan);
    blocks = blocks > shared->most_blocks ? shared->most_blocks : blocks;
    slice_sums<SUM> sums = {(const SUM *)shared->sums, shared->begin, shared->count};
    TRAWL_LAUNCH((look_up<PAPER, NARROW, SUM>), blocks, plan->block_threads,
                 trawl_cuda_rabin_karp_filter_bytes(pass), shared->stream, *shared->reporter, *pass,
                 *shared->powers, sums);
}

trawl_status trawl_cuda_rabin_karp_sum(const trawl_cuda_db *uploaded,
                                       const trawl_cuda_launch_plan *plan,
                                       const trawl_cuda_reporter *reporter, void *workspace,
                                       cudaStream_t stream, trawl_error *error) {
    const trawl_cuda_rabin_karp_tables *tables =
        (const trawl_cuda_rabin_karp_tables *)uploaded->tables;
    const trawl_cuda_powers *powers = &tables->powers;
    const trawl_cuda_slice *slice = &reporter->slice;
    sum_launch shared;
    shared.plan = plan;
    shared.reporter = reporter;
    shared.powers = powers;
    shared.sums = workspace;
    shared.begin = trawl_sums_begin(tables, slice);
    shared.count = slice->length - shared.begin;
    const trawl_gpu_tuning *tuning = uploaded->device.tuning;
    shared.most_blocks = tuning->sums_rounds * (uint32_t)uploaded->device.multiprocessors *
                         (tuning->resident_threads / plan->block_threads);
    shared.stream = stream;
    size_t before = sums_bytes(powers, shared.count);
    size_t storage_bytes = plan->workspace_bytes - before;
    TRAWL_CUDA_TRY(scan_any(powers, slice->text + shared.begin, shared.count,
                            uploaded->db->header->folded != 0, (uint8_t *)workspace + before,
                            &storage_bytes, workspace, stream),
                   error);
    for (uint32_t i = 0; i < tables->passes; i++) {
        const trawl_cuda_rabin_karp_pass *pass = &tables->each[i];
        if (slice->length < pass->window) {
            continue;
        }
        if (powers->narrow != NULL) {
            if (tables->paper) {
                launch_look_up<true, true, uint16_t>(&shared, pass);
            } else {
                launch_look_up<false, true, uint16_t>(&shared, pass);
            }
        } else if (tables->paper) {
            launch_look_up<true, false, uint32_t>(&shared, pass);
        } else {
            launch_look_up<false, false, uint32_t>(&shared, pass);
        }
        TRAWL_CUDA_LAUNCHED("look_up", error);
    }
    return TRAWL_OK;
}
