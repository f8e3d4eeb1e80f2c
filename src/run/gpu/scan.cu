/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The scan call: cuts a text into slices, and puts the passes over them into the caller's stream.
 * Nothing here allocates, waits or copies to the host.
 */
#include <cub/device/device_scan.cuh>

#include "gpu/emission.cuh"
#include "gpu/sort.cuh"
#include "run/gpu/scan.cuh"

extern "C" {
#include "base/sized.h"
#include "engines/registry.h"
#include "run/options.h"
}

/* A scan whose options have been read, with its launch plan. */
typedef struct planned_scan {
    trawl_cuda_scan_options scan; /* complete */
    trawl_cuda_launch_plan plan;
    uint64_t owned_bytes;
    uint64_t most_strips; /* of all slices together, wherever the text lies; only for MATCHES */
    /* of the workspace */
    size_t engine_bytes, hits_bytes, sizes_bytes, sum_bytes;
} planned_scan;

static size_t workspace_bytes_of(const planned_scan *planned) {
    return planned->engine_bytes + planned->hits_bytes + planned->sizes_bytes + planned->sum_bytes;
}

/* Room for the exclusive sum over the strips' sizes. */
static trawl_status size_of_sum(uint64_t count, size_t *bytes, trawl_error *error) {
    trawl_counter *sizes = NULL;
    *bytes = 0;
    TRAWL_CUDA_TRY(cub::DeviceScan::ExclusiveSum(NULL, *bytes, sizes, sizes, (int64_t)count),
                   error);
    return TRAWL_OK;
}

/* Reads the caller's options and checks those that all engines share. */
static trawl_status read_options(const trawl_cuda_db *uploaded,
                                 const trawl_cuda_scan_options *given, uint64_t length,
                                 trawl_cuda_scan_options *scan, trawl_study_scan_options *study,
                                 trawl_error *error) {
    trawl_status status = TRAWL_OK;
    memset(scan, 0, sizeof *scan);
    if (uploaded == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "the uploaded database is NULL");
    }
    if (given != NULL) {
        status = trawl_sized_check(given, "CUDA scan", "TRAWL_CUDA_SCAN_OPTIONS", error);
        if (status != TRAWL_OK) {
            return status;
        }
        trawl_sized_read(scan, given, sizeof *scan);
    }
    status = trawl_study_options_read(scan->study, study, error);
    if (status != TRAWL_OK) {
        return status;
    }
    if ((unsigned)scan->form > TRAWL_CUDA_STATES ||
        (unsigned)study->table_path > TRAWL_TABLES_READ_ONLY) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "CUDA scan: unknown %s %d",
                          (unsigned)scan->form > TRAWL_CUDA_STATES ? "form" : "table path",
                          (unsigned)scan->form > TRAWL_CUDA_STATES ? (int)scan->form
                                                                   : (int)study->table_path);
    }
    if (scan->owned > length) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "CUDA scan: the text has %" PRIu64 " bytes, its owned part begins at "
                          "%" PRIu64,
                          length, scan->owned);
    }
    if (study->block_threads % 32 != 0 || study->block_threads > TRAWL_CUDA_MOST_THREADS) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "CUDA scan: %u threads per block; a multiple of 32 up to %u is expected",
                          study->block_threads, TRAWL_CUDA_MOST_THREADS);
    }
    if (scan->form == TRAWL_CUDA_STATES && uploaded->patterns.count == 0) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "the database has 0 patterns, and no automaton whose states (form %d) "
                          "could be written",
                          (int)TRAWL_CUDA_STATES);
    }
    if (scan->form == TRAWL_CUDA_STATES && trawl_study_cuda_state_bytes(uploaded) == 0) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "engine %s has no single automaton whose states (form %d) could be "
                          "written; engines ac-dfa and ac-nfa have",
                          uploaded->db->header->engine, (int)TRAWL_CUDA_STATES);
    }
    return TRAWL_OK;
}

/* Reads and checks the caller's options, and lets the engine make the launch plan, as for a text of
 * `most` bytes. */
static trawl_status plan_scan_of(const trawl_cuda_db *uploaded,
                                 const trawl_cuda_scan_options *given, uint64_t length,
                                 uint64_t most, planned_scan *planned, trawl_error *error) {
    memset(planned, 0, sizeof *planned);
    trawl_cuda_scan_options *scan = &planned->scan;
    trawl_study_scan_options study;
    trawl_status status = read_options(uploaded, given, length, scan, &study, error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_cuda_launch_request request = {scan->form, study.block_threads, study.block_bytes,
                                         study.table_path, most};
    trawl_cuda_launch_plan *plan = &planned->plan;
    status = trawl_kernel_find(uploaded->db->header->engine, scan->kernel, &plan->kernel, error);
    if (status == TRAWL_OK) {
        if (scan->kernel == NULL && uploaded->engine->choose != NULL) {
            plan->kernel = uploaded->engine->choose(uploaded);
        }
        status = uploaded->engine->plan(uploaded, &request, plan, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    if (plan->slice_bytes == 0 || plan->slice_bytes > TRAWL_CUDA_LARGEST_SLICE) {
        plan->slice_bytes = TRAWL_CUDA_LARGEST_SLICE;
    }
    planned->owned_bytes = length - scan->owned;
    planned->engine_bytes = trawl_cuda_aligned(plan->workspace_bytes);
    if (scan->form == TRAWL_CUDA_PATTERNS) {
        planned->hits_bytes = trawl_cuda_aligned((size_t)uploaded->hits * sizeof(trawl_counter));
    }
    if (scan->form == TRAWL_CUDA_MATCHES) {
        uint64_t slices = planned->owned_bytes / plan->slice_bytes + 1;
        /* Strips begin up to 15 bytes before a slice's owned bytes, and the last one is short. */
        planned->most_strips =
            planned->owned_bytes / plan->strip_bytes + slices * (15 / plan->strip_bytes + 2);
        planned->sizes_bytes =
            trawl_cuda_aligned((planned->most_strips + 1) * sizeof(trawl_counter));
        status = size_of_sum(planned->most_strips + 1, &planned->sum_bytes, error);
        planned->sum_bytes = trawl_cuda_aligned(planned->sum_bytes);
    }
    return status;
}

static trawl_status plan_scan(const trawl_cuda_db *uploaded, const trawl_cuda_scan_options *given,
                              uint64_t length, planned_scan *planned, trawl_error *error) {
    return plan_scan_of(uploaded, given, length, length, planned, error);
}

/* ------------------------------------------------------------------ small kernels */

/* Adds the hits of each key to the patterns that trawl_cuda_report_key reports for it. */
static __global__ void distribute_hits(const trawl_cuda_keys *keys, const trawl_counter *hits,
                                       trawl_counter *per_pattern) {
    const trawl_cuda_keys part = keys[blockIdx.y];
    const trawl_outputs &outputs = part.outputs;
    uint32_t stride = gridDim.x * blockDim.x;
    for (uint32_t key = blockIdx.x * blockDim.x + threadIdx.x; key < outputs.keys; key += stride) {
        trawl_counter count = hits[part.first_hit + key];
        if (count == 0) {
            continue;
        }
        if (part.longest) {
            atomicAdd(&per_pattern[outputs.ids[outputs.first[key]]], count);
            continue;
        }
        for (uint32_t at = key; at != TRAWL_NO_KEY; at = outputs.link[at]) {
            for (uint32_t i = outputs.first[at]; i < outputs.first[at + 1]; i++) {
                atomicAdd(&per_pattern[outputs.ids[i]], count);
            }
        }
    }
}

/* ------------------------------------------------------------------ passes */

/* What all slices of one scan share. */
typedef struct scan_call {
    const trawl_cuda_db *uploaded;
    const planned_scan *planned;
    const uint8_t *text;
    uint64_t length;
    const trawl_cuda_results *results;
    uint8_t *engine_workspace;
    trawl_counter *hits;
    trawl_counter *sizes;
    void *sum;
    cudaStream_t stream;
    uint64_t strips; /* of the slices so far */
} scan_call;

static trawl_cuda_slice slice_at(const scan_call *call, uint64_t begin) {
    uint64_t overlap = call->uploaded->db->header->max_length - 1;
    uint64_t end = call->length - begin > call->planned->plan.slice_bytes
                       ? begin + call->planned->plan.slice_bytes
                       : call->length;
    uint64_t from = begin < overlap ? 0 : begin - overlap;
    trawl_cuda_slice slice;
    slice.text = call->text + from;
    slice.length = (uint32_t)(end - from);
    slice.owned = (uint32_t)(begin - from);
    slice.base = call->planned->scan.base + from;
    slice.first = begin - call->planned->scan.owned;
    return slice;
}

/* A pass over the slice that begins at `begin`. */
static trawl_status run_slice(scan_call *call, trawl_cuda_pass pass, uint64_t begin,
                              trawl_error *error) {
    const trawl_cuda_launch_plan *plan = &call->planned->plan;
    trawl_cuda_slice slice = slice_at(call, begin);
    trawl_cuda_output output;
    output.pass = pass;
    output.total = (trawl_counter *)call->results->total;
    output.hits = call->hits;
    output.per_pattern = (trawl_counter *)call->results->per_pattern;
    output.sizes = call->sizes == NULL ? NULL : call->sizes + call->strips;
    output.matches = call->results->matches;
    output.capacity = call->results->capacity;
    output.ends = call->results->ends;
    output.states = call->results->states;
    output.shared_strips = false;
    call->strips += trawl_cuda_strip_count(&slice, plan->strip_bytes);
    return call->uploaded->engine->launch(call->uploaded, plan, &slice, &output,
                                          call->engine_workspace, call->stream, error);
}

/* One pass over all slices. */
static trawl_status run_pass(scan_call *call, trawl_cuda_pass pass, trawl_error *error) {
    trawl_status status = TRAWL_OK;
    call->strips = 0;
    for (uint64_t begin = call->planned->scan.owned; status == TRAWL_OK && begin < call->length;
         begin += call->planned->plan.slice_bytes) {
        status = run_slice(call, pass, begin, error);
    }
    return status;
}

static trawl_status clear_total(const scan_call *call, trawl_error *error) {
    TRAWL_CUDA_TRY(cudaMemsetAsync(call->results->total, 0, sizeof(uint64_t), call->stream), error);
    return TRAWL_OK;
}

static trawl_status run_count(scan_call *call, trawl_error *error) {
    const trawl_cuda_db *uploaded = call->uploaded;
    trawl_status status = clear_total(call, error);
    if (status != TRAWL_OK) {
        return status;
    }
    if (call->planned->scan.form == TRAWL_CUDA_COUNT) {
        return run_pass(call, TRAWL_CUDA_PASS_COUNT, error);
    }
    if (uploaded->patterns.count != 0) {
        TRAWL_CUDA_TRY(cudaMemsetAsync(call->results->per_pattern, 0,
                                       uploaded->patterns.count * sizeof(uint64_t), call->stream),
                       error);
    }
    if (uploaded->hits != 0) {
        TRAWL_CUDA_TRY(
            cudaMemsetAsync(call->hits, 0, uploaded->hits * sizeof(trawl_counter), call->stream),
            error);
    }
    status = run_pass(call, TRAWL_CUDA_PASS_PATTERNS, error);
    if (status == TRAWL_OK && uploaded->hits != 0) {
        const uint32_t threads = uploaded->device.tuning->counter_threads;
        const uint32_t most = uploaded->device.tuning->counter_blocks;
        const uint32_t needed = uploaded->hits / threads + 1;
        const dim3 blocks(needed < most ? needed : most, uploaded->parts);
        TRAWL_LAUNCH(distribute_hits, blocks, threads, 0, call->stream, uploaded->device_keys,
                     call->hits, (trawl_counter *)call->results->per_pattern);
        TRAWL_CUDA_LAUNCHED("distribute_hits", error);
    }
    return status;
}

static trawl_status run_matches(scan_call *call, trawl_error *error) {
    const planned_scan *planned = call->planned;
    TRAWL_CUDA_TRY(cudaMemsetAsync(call->sizes, 0,
                                   (planned->most_strips + 1) * sizeof(trawl_counter),
                                   call->stream),
                   error);
    trawl_status status = run_pass(call, TRAWL_CUDA_PASS_SIZES, error);
    if (status != TRAWL_OK) {
        return status;
    }
    /* Sizes behind the last strip are 0, so that the sum behind the last strip is the total. */
    size_t sum_bytes = planned->sum_bytes;
    TRAWL_CUDA_TRY(cub::DeviceScan::ExclusiveSum(call->sum, sum_bytes, call->sizes, call->sizes,
                                                 (int64_t)(call->strips + 1), call->stream),
                   error);
    TRAWL_CUDA_TRY(cudaMemcpyAsync(call->results->total, call->sizes + call->strips,
                                   sizeof(uint64_t), cudaMemcpyDeviceToDevice, call->stream),
                   error);
    if (call->results->capacity == 0) {
        return TRAWL_OK;
    }
    status = run_pass(call, TRAWL_CUDA_PASS_RECORDS, error);
    if (status == TRAWL_OK && planned->plan.ordered_ends && call->strips != 0) {
        status = trawl_cuda_sort_equal_ends(call->uploaded->device.tuning, call->results->matches,
                                            (const trawl_counter *)call->results->total,
                                            call->results->capacity, call->stream, error);
    } else if (status == TRAWL_OK && !planned->plan.ordered && call->strips != 0) {
        status = trawl_cuda_sort_strips(call->uploaded->device.tuning, call->results->matches,
                                        call->sizes, call->strips,
                                        (const trawl_counter *)call->results->total,
                                        call->results->capacity, call->stream, error);
    }
    return status;
}

static trawl_status run_ends(scan_call *call, trawl_error *error) {
    TRAWL_CUDA_TRY(cudaMemsetAsync(call->results->ends, 0,
                                   (call->planned->owned_bytes + 31) / 32 * sizeof(uint32_t),
                                   call->stream),
                   error);
    return run_pass(call, TRAWL_CUDA_PASS_ENDS, error);
}

/* ------------------------------------------------------------------ the call */

/* The name of a result that the form needs and the caller did not give, or NULL. */
static const char *missing_result(const trawl_cuda_db *uploaded, const planned_scan *planned,
                                  const trawl_cuda_results *results) {
    trawl_cuda_form form = planned->scan.form;
    if (form <= TRAWL_CUDA_MATCHES && results->total == NULL) {
        return "total";
    }
    if (form == TRAWL_CUDA_PATTERNS && results->per_pattern == NULL &&
        uploaded->patterns.count != 0) {
        return "per_pattern";
    }
    if (form == TRAWL_CUDA_MATCHES && results->capacity != 0 && results->matches == NULL) {
        return "matches";
    }
    if (form == TRAWL_CUDA_ENDS && results->ends == NULL && planned->owned_bytes != 0) {
        return "ends";
    }
    if (form == TRAWL_CUDA_STATES && results->states == NULL && planned->owned_bytes != 0) {
        return "states";
    }
    return NULL;
}

static trawl_status start(scan_call *call, trawl_error *error) {
    switch (call->planned->scan.form) {
    case TRAWL_CUDA_COUNT:
    case TRAWL_CUDA_PATTERNS:
        return run_count(call, error);
    case TRAWL_CUDA_MATCHES:
        return run_matches(call, error);
    case TRAWL_CUDA_ENDS:
        return run_ends(call, error);
    case TRAWL_CUDA_STATES:
        return run_pass(call, TRAWL_CUDA_PASS_STATES, error);
    }
    return TRAWL_OK;
}

/* Checks what the caller gave for a planned scan, and sets *call. */
static trawl_status prepare(const trawl_cuda_db *uploaded, const planned_scan *planned,
                            const void *text, uint64_t length, const trawl_cuda_results *results,
                            void *workspace, size_t workspace_bytes, cudaStream_t stream,
                            scan_call *call, trawl_error *error) {
    const char *missing = results == NULL ? "results" : missing_result(uploaded, planned, results);
    if (missing != NULL || (text == NULL && length != 0)) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_cuda_scan: %s is NULL",
                          missing != NULL ? missing : "text");
    }
    size_t needed = workspace_bytes_of(planned);
    if (workspace_bytes < needed || (needed != 0 && workspace == NULL) ||
        (uintptr_t)workspace % TRAWL_CUDA_ARRAY_ALIGNMENT != 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "trawl_cuda_scan: the workspace has %zu bytes at %p; %zu are needed, "
                          "aligned to %zu",
                          workspace == NULL ? (size_t)0 : workspace_bytes, workspace, needed,
                          TRAWL_CUDA_ARRAY_ALIGNMENT);
    }
    memset(call, 0, sizeof *call);
    call->uploaded = uploaded;
    call->planned = planned;
    call->text = (const uint8_t *)text;
    call->length = length;
    call->results = results;
    call->stream = stream;
    uint8_t *at = (uint8_t *)workspace;
    call->engine_workspace = at;
    at += planned->engine_bytes;
    call->hits = planned->hits_bytes == 0 ? NULL : (trawl_counter *)at;
    at += planned->hits_bytes;
    call->sizes = planned->sizes_bytes == 0 ? NULL : (trawl_counter *)at;
    at += planned->sizes_bytes;
    call->sum = at;
    return TRAWL_OK;
}

/* Checks what the caller gave for a planned scan, and launches it. */
static trawl_status launch_planned(const trawl_cuda_db *uploaded, const planned_scan *planned,
                                   const void *text, uint64_t length,
                                   const trawl_cuda_results *results, void *workspace,
                                   size_t workspace_bytes, cudaStream_t stream,
                                   trawl_error *error) {
    scan_call call;
    trawl_status status = prepare(uploaded, planned, text, length, results, workspace,
                                  workspace_bytes, stream, &call, error);
    if (status != TRAWL_OK) {
        return status;
    }
    int before;
    TRAWL_CUDA_TRY(trawl_cuda_enter(uploaded->device.number, &before), error);
    status = start(&call, error);
    trawl_cuda_leave(before);
    return status;
}

trawl_status trawl_cuda_scan_any(const trawl_cuda_db *uploaded, const trawl_cuda_scan_options *scan,
                                 const void *text, uint64_t length,
                                 const trawl_cuda_results *results, void *workspace,
                                 size_t workspace_bytes, cudaStream_t stream, trawl_error *error) {
    planned_scan planned;
    trawl_status status = plan_scan(uploaded, scan, length, &planned, error);
    return status != TRAWL_OK ? status
                              : launch_planned(uploaded, &planned, text, length, results, workspace,
                                               workspace_bytes, stream, error);
}

/* A scan of trawl_cuda_scan_in_turn. */
typedef struct turn {
    planned_scan planned;
    scan_call call;
    uint64_t begin; /* of the next slice of a count */
} turn;

static trawl_status prepare_turn(const trawl_cuda_device_scan *scan, turn *made,
                                 trawl_error *error) {
    trawl_status status =
        plan_scan(scan->uploaded, scan->options, scan->length, &made->planned, error);
    if (status == TRAWL_OK) {
        status = prepare(scan->uploaded, &made->planned, scan->text, scan->length, scan->results,
                         scan->workspace, scan->workspace_bytes, scan->stream, &made->call, error);
        made->begin = made->planned.scan.owned;
    }
    return status;
}

/* Launches the next slice of a count; first, what comes before its slices. All of any other form.
 */
static trawl_status take_turn(turn *self, bool is_first, trawl_error *error) {
    int before;
    TRAWL_CUDA_TRY(trawl_cuda_enter(self->call.uploaded->device.number, &before), error);
    trawl_status status = TRAWL_OK;
    if (self->planned.scan.form != TRAWL_CUDA_COUNT) {
        status = is_first ? start(&self->call, error) : TRAWL_OK;
        self->begin = self->call.length;
    } else if (is_first) {
        status = clear_total(&self->call, error);
    }
    if (status == TRAWL_OK && self->begin < self->call.length) {
        status = run_slice(&self->call, TRAWL_CUDA_PASS_COUNT, self->begin, error);
        self->begin += self->planned.plan.slice_bytes;
    }
    trawl_cuda_leave(before);
    return status;
}

trawl_status trawl_cuda_scan_in_turn(const trawl_cuda_device_scan *scans, size_t count,
                                     trawl_error *error) {
    turn *turns = (turn *)trawl_allocate_zeroed(count, sizeof *turns);
    trawl_status status = turns == NULL
                              ? trawl_fail_memory(error, "scans of devices", count * sizeof *turns)
                              : TRAWL_OK;
    for (size_t i = 0; i < count && status == TRAWL_OK; i++) {
        status = prepare_turn(&scans[i], &turns[i], error);
    }
    bool is_first = true;
    for (bool goes_on = count != 0; goes_on && status == TRAWL_OK; is_first = false) {
        goes_on = false;
        for (size_t i = 0; i < count && status == TRAWL_OK; i++) {
            if (is_first || turns[i].begin < turns[i].call.length) {
                status = take_turn(&turns[i], is_first, error);
            }
            goes_on = goes_on || turns[i].begin < turns[i].call.length;
        }
    }
    trawl_release(turns);
    return status;
}

trawl_status trawl_cuda_scan_piece(const trawl_cuda_db *uploaded,
                                   const trawl_cuda_scan_options *scan, uint64_t most,
                                   const void *text, uint64_t length,
                                   const trawl_cuda_results *results, void *workspace,
                                   size_t workspace_bytes, cudaStream_t stream,
                                   trawl_error *error) {
    planned_scan planned;
    trawl_status status = plan_scan(uploaded, scan, length, &planned, error);
    if (status == TRAWL_OK && workspace_bytes_of(&planned) > workspace_bytes) {
        status = plan_scan_of(uploaded, scan, length, most, &planned, error);
    }
    return status != TRAWL_OK ? status
                              : launch_planned(uploaded, &planned, text, length, results, workspace,
                                               workspace_bytes, stream, error);
}

trawl_status trawl_cuda_workspace_any(const trawl_cuda_db *uploaded,
                                      const trawl_cuda_scan_options *scan, uint64_t length,
                                      size_t *bytes, trawl_error *error) {
    planned_scan planned;
    trawl_status status = plan_scan(uploaded, scan, length, &planned, error);
    *bytes = status == TRAWL_OK ? workspace_bytes_of(&planned) : 0;
    return status;
}

/* Refuses databases whose matches would have to be selected, or tested for conditions, on the host:
 * callers get exactly the matches of their database, or an error. NULL is allowed. */
static trawl_status check_kind(const trawl_cuda_db *uploaded, trawl_error *error) {
    if (uploaded != NULL && uploaded->db->header->match_kind != TRAWL_MATCH_ALL) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "leftmost matches (kind %u) are selected on the host: use trawl_scan "
                          "with device \"cuda\"",
                          uploaded->db->header->match_kind);
    }
    if (uploaded != NULL && uploaded->db->conditions.records != NULL) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "conditions of patterns (of %u) are tested on the host: use trawl_scan "
                          "with device \"cuda\"",
                          uploaded->db->header->pattern_count);
    }
    return TRAWL_OK;
}

extern "C" trawl_status trawl_cuda_scan(const trawl_cuda_db *uploaded,
                                        const trawl_cuda_scan_options *scan, const void *text,
                                        uint64_t length, const trawl_cuda_results *results,
                                        void *workspace, size_t workspace_bytes, void *stream,
                                        trawl_error *error) {
    trawl_clear(error);
    trawl_status status = check_kind(uploaded, error);
    return status != TRAWL_OK
               ? status
               : trawl_cuda_scan_any(uploaded, scan, text, length, results, workspace,
                                     workspace_bytes, (cudaStream_t)stream, error);
}

extern "C" trawl_status trawl_cuda_workspace(const trawl_cuda_db *uploaded,
                                             const trawl_cuda_scan_options *scan, uint64_t length,
                                             size_t *bytes, trawl_error *error) {
    trawl_clear(error);
    if (bytes == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_cuda_workspace: bytes is NULL");
    }
    *bytes = 0;
    trawl_status status = check_kind(uploaded, error);
    return status != TRAWL_OK ? status
                              : trawl_cuda_workspace_any(uploaded, scan, length, bytes, error);
}

extern "C" trawl_status trawl_study_cuda_layout(const trawl_cuda_db *uploaded,
                                                const trawl_cuda_scan_options *options,
                                                uint64_t length, trawl_cuda_layout *layout,
                                                trawl_error *error) {
    trawl_clear(error);
    if (layout == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_study_cuda_layout: layout is NULL");
    }
    trawl_status status =
        trawl_sized_check(layout, "trawl_study_cuda_layout: layout", "TRAWL_CUDA_LAYOUT", error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_cuda_layout known;
    memset(&known, 0, sizeof known);
    trawl_sized_write(layout, &known, sizeof known);
    planned_scan planned;
    if (length == 0) {
        trawl_cuda_scan_options read;
        trawl_study_scan_options study;
        status = read_options(uploaded, options, UINT64_MAX, &read, &study, error);
        if (status != TRAWL_OK) {
            return status;
        }
        length = read.owned + TRAWL_CUDA_LARGEST_SLICE;
    }
    status = plan_scan(uploaded, options, length, &planned, error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_kernel_description kernel;
    kernel.size = sizeof kernel;
    if (trawl_kernel_describe(uploaded->db->header->engine, planned.plan.kernel, &kernel)) {
        (void)snprintf(known.kernel, sizeof known.kernel, "%s", kernel.name);
    }
    known.block_threads = planned.plan.block_threads;
    uint32_t sharing = planned.plan.strip_threads == 0 ? 1 : planned.plan.strip_threads;
    known.thread_bytes = planned.plan.strip_bytes / sharing;
    known.shared_bytes = planned.plan.shared_bytes;
    known.overlap_overhead = (double)planned.plan.overlap / (double)planned.plan.strip_bytes;
    known.table_path = planned.plan.table_path;
    known.bank_accesses = planned.plan.bank_accesses;
    trawl_sized_write(layout, &known, sizeof known);
    return TRAWL_OK;
}
