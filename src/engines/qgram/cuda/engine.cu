/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Engine qgram on a device: plans and starts its kernels. */
#include "engines/engines.cuh"
#include "engines/qgram/cuda/upload.cuh"

/* The most batches of a strip of a long text. Between least_batches and this number, a plan takes
 * the number that gives warps the most equal shares. */
#define MOST_BATCHES (TRAWL_QGRAM_MOST_STRIP / TRAWL_QGRAM_BATCH)

/* ------------------------------------------------------------------ planning */

static uint64_t strips_of_slice(const trawl_cuda_launch_plan *plan) {
    return plan->slice_bytes / plan->strip_bytes + 2;
}

static uint64_t warps_of(const trawl_cuda_db *uploaded, const trawl_cuda_launch_plan *plan) {
    return (uint64_t)uploaded->device.multiprocessors * (plan->block_threads / 32);
}

/* The largest number of candidate words for a batch: for each of 32 threads one in each tier, or
 * two at a stride of 1. */
static uint32_t words_of_batch(const trawl_cuda_qgram_view *view) {
    uint32_t words = 0;
    for (uint32_t i = 0; i < view->tiers; i++) {
        words += view->table[i].tier.stride == 1 ? 64 : 32;
    }
    return words;
}

/* Words of totals before the candidate lists: dense_pieces, listed, longest, taken,
 * taken_of_anchors. */
#define CANDIDATE_WORDS 5u

/*
 * The candidate lists of one slice in the workspace; they are overwritten by the next slice.
 *
 *     5 words of totals | words of each strip | pieces of dense strips | lists of all strips
 *
 * Without a workspace (NULL), only *bytes is meaningful.
 */
static trawl_cuda_qgram_candidates candidates_of(const trawl_cuda_qgram_view *view,
                                                 const trawl_cuda_launch_plan *plan,
                                                 void *workspace, uint64_t *bytes) {
    trawl_cuda_qgram_candidates candidates = {};
    const uint64_t strips = strips_of_slice(plan);
    uintptr_t at = (uintptr_t)workspace;
    candidates.capacity = plan->strip_bytes / TRAWL_QGRAM_BATCH * words_of_batch(view);
    candidates.dense_pieces = (uint32_t *)at;
    candidates.listed = (uint32_t *)(at + sizeof(uint32_t));
    candidates.longest = (uint32_t *)(at + 2 * sizeof(uint32_t));
    candidates.taken = (uint32_t *)(at + 3 * sizeof(uint32_t));
    candidates.taken_of_anchors = (uint32_t *)(at + 4 * sizeof(uint32_t));
    at += trawl_cuda_aligned(CANDIDATE_WORDS * sizeof(uint32_t));
    candidates.count = (uint32_t *)at;
    at += trawl_cuda_aligned(strips * sizeof(uint32_t));
    candidates.dense = (uint2 *)at;
    const uint64_t pieces =
        (candidates.capacity - 1) / trawl_qgram_tuned::least_piece_words + 1; /* of a strip */
    at += trawl_cuda_aligned(strips * pieces * sizeof(uint2));
    candidates.words = (uint64_t *)at;
    at += trawl_cuda_aligned(strips * candidates.capacity * sizeof(uint64_t));
    *bytes = at - (uintptr_t)workspace;
    return candidates;
}

/* 32-bit words that are zeroed before hits are noted: `overflown`, and `count` of each strip. */
static uint64_t noted_words(const trawl_cuda_launch_plan *plan) {
    return 1 + strips_of_slice(plan);
}

static uint64_t noted_bytes(const trawl_cuda_launch_plan *plan) {
    uint64_t hits = strips_of_slice(plan) * (plan->strip_bytes / trawl_qgram_tuned::bytes_per_hit);
    return trawl_cuda_aligned(noted_words(plan) * sizeof(uint32_t)) +
           trawl_cuda_aligned(hits * sizeof(trawl_cuda_qgram_hit));
}

/* The noted hits of a slice. */
static trawl_cuda_qgram_noted_hits noted_of(const trawl_cuda_launch_plan *plan, uint8_t *at) {
    trawl_cuda_qgram_noted_hits noted = {};
    noted.overflown = (uint32_t *)at;
    noted.count = noted.overflown + 1;
    at += trawl_cuda_aligned(noted_words(plan) * sizeof(uint32_t));
    noted.hits = (trawl_cuda_qgram_hit *)at;
    noted.capacity = plan->strip_bytes / trawl_qgram_tuned::bytes_per_hit;
    return noted;
}

/* The states of the automaton after each byte of a slice. */
static uint64_t states_bytes(const trawl_cuda_qgram_uploaded *tables,
                             const trawl_cuda_launch_plan *plan) {
    return tables->chains.states == 0
               ? 0
               : trawl_cuda_aligned(strips_of_slice(plan) * plan->strip_bytes *
                                    tables->chains.state_bytes);
}

/* All that pass SIZES leaves of a slice for pass RECORDS: noted hits, then states. */
static uint64_t kept_bytes(const trawl_cuda_qgram_uploaded *tables,
                           const trawl_cuda_launch_plan *plan) {
    return noted_bytes(plan) + states_bytes(tables, plan);
}

/* Most slices of a scan. */
static uint64_t slices_of(const trawl_cuda_launch_request *request,
                          const trawl_cuda_launch_plan *plan) {
    return request->length / plan->slice_bytes + 1;
}

/* The marks of a slice, for kernel packed. As noted hits, those of all slices are kept. */
static uint64_t marks_bytes(const trawl_cuda_launch_plan *plan) {
    return trawl_cuda_packed_marks_bytes(strips_of_slice(plan), plan->strip_bytes);
}

static uint32_t *marks_of(const trawl_cuda_launch_plan *plan, const trawl_cuda_slice *slice,
                          const trawl_cuda_output *output, void *workspace) {
    bool wanted = output->pass == TRAWL_CUDA_PASS_SIZES || output->pass == TRAWL_CUDA_PASS_RECORDS;
    uint8_t *at = (uint8_t *)workspace + slice->first / plan->slice_bytes * marks_bytes(plan);
    return wanted ? (uint32_t *)at : NULL;
}

/* The number of batches of a strip. Warps take strips in turn, and a warp with one strip more than
 * the others makes them wait: so the number for which the busiest warp has the fewest batches. */
static uint32_t batches_of_strip(uint64_t length, uint64_t warps) {
    uint64_t batches = (length + TRAWL_QGRAM_BATCH - 1) / TRAWL_QGRAM_BATCH, least = UINT64_MAX;
    uint64_t each = (batches + warps - 1) / warps;
    if (each <= MOST_BATCHES) {
        return each == 0 ? 1 : (uint32_t)each;
    }
    uint32_t best = MOST_BATCHES;
    for (uint32_t some = MOST_BATCHES; some >= trawl_qgram_tuned::least_batches; some--) {
        uint64_t strips = (batches + some - 1) / some;
        uint64_t longest = (strips + warps - 1) / warps * some;
        if (longest < least) {
            least = longest;
            best = some;
        }
    }
    return best;
}

/* The part of the launch plan that both kernels have in common: all but memory. A strip has at most
 * `most_batches` batches, unless the caller asks for more. */
static trawl_status plan_strips(const trawl_cuda_db *uploaded,
                                const trawl_cuda_launch_request *request, uint32_t most_batches,
                                trawl_cuda_launch_plan *plan, trawl_error *error) {
    if (request->table_path == TRAWL_TABLES_TEXTURE) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "qgram: kernel %s has no table path texture: its tables are in shared "
                          "memory and behind read-only loads",
                          trawl_cuda_kernel_name(uploaded, plan));
    }
    plan->table_path = TRAWL_TABLES_READ_ONLY;
    plan->block_threads =
        request->block_threads != 0 ? request->block_threads : trawl_qgram_tuned::filter_threads;
    plan->ordered = true;
    plan->strip_threads = 32;
    uint64_t longest =
        request->length < TRAWL_CUDA_LARGEST_SLICE ? request->length : TRAWL_CUDA_LARGEST_SLICE;
    uint32_t batches = batches_of_strip(longest, warps_of(uploaded, plan));
    batches = batches < most_batches ? batches : most_batches;
    plan->strip_bytes = batches * TRAWL_QGRAM_BATCH;
    if (request->block_bytes != 0) {
        uint32_t unit = plan->block_threads / 32 * TRAWL_QGRAM_BATCH;
        if (request->block_bytes % unit != 0 ||
            request->block_bytes / (plan->block_threads / 32) > TRAWL_QGRAM_MOST_STRIP) {
            return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                              "qgram, kernel %s: %u bytes of text per block of %u threads; a "
                              "multiple of %u up to %u is expected",
                              trawl_cuda_kernel_name(uploaded, plan), request->block_bytes,
                              plan->block_threads, unit,
                              plan->block_threads / 32 * TRAWL_QGRAM_MOST_STRIP);
        }
        plan->strip_bytes = request->block_bytes / (plan->block_threads / 32);
    }
    plan->slice_bytes = TRAWL_CUDA_LARGEST_SLICE;
    if (request->length < plan->slice_bytes) {
        plan->slice_bytes = (request->length / 4096 + 1) * 4096;
    }
    return TRAWL_OK;
}

static uint32_t choose(const trawl_cuda_db *uploaded) {
    const trawl_cuda_qgram_uploaded *tables = (const trawl_cuda_qgram_uploaded *)uploaded->tables;
    return tables->packed_pays   ? TRAWL_CUDA_QGRAM_PACKED
           : tables->sparse_pays ? TRAWL_CUDA_QGRAM_SPARSE
                                 : TRAWL_CUDA_QGRAM_FILTER;
}

/* The memory of kernel sparse. Records of full strips are written with the tiers' tables. */
static trawl_status plan_sparse(const trawl_cuda_db *uploaded,
                                const trawl_cuda_launch_request *request,
                                trawl_cuda_launch_plan *plan, trawl_error *error) {
    const trawl_cuda_qgram_uploaded *tables = (const trawl_cuda_qgram_uploaded *)uploaded->tables;
    uint32_t bytes = trawl_cuda_sparse_shared_bytes();
    if (request->form == TRAWL_CUDA_MATCHES) {
        const uint32_t full = trawl_cuda_qgram_shared_bytes(&tables->view, plan->block_threads);
        bytes = full > bytes ? full : bytes;
        plan->workspace_bytes = slices_of(request, plan) * noted_bytes(plan);
    }
    return trawl_cuda_plan_shared(uploaded, bytes, plan, error);
}

static trawl_status plan(const trawl_cuda_db *uploaded, const trawl_cuda_launch_request *request,
                         trawl_cuda_launch_plan *plan, trawl_error *error) {
    const trawl_cuda_qgram_uploaded *tables = (const trawl_cuda_qgram_uploaded *)uploaded->tables;
    const bool packs = plan->kernel == TRAWL_CUDA_QGRAM_PACKED;
    const bool is_sparse = plan->kernel == TRAWL_CUDA_QGRAM_SPARSE;
    const trawl_error *obstacle = is_sparse ? &tables->sparse_obstacle : &tables->packed_obstacle;
    if ((packs || is_sparse) && obstacle->status != TRAWL_OK) {
        return trawl_fail(error, obstacle->status,
                          "qgram, kernel %s: %s; kernel filter takes any set",
                          trawl_cuda_kernel_name(uploaded, plan), obstacle->message);
    }
    uint32_t most_batches = MOST_BATCHES;
    if (request->form == TRAWL_CUDA_MATCHES && !packs) {
        most_batches = tables->chains.states != 0 && !is_sparse ? trawl_qgram_tuned::state_batches
                                                                : trawl_qgram_tuned::record_batches;
    }
    trawl_status status = plan_strips(uploaded, request, most_batches, plan, error);
    if (status != TRAWL_OK) {
        return status;
    }
    if (packs) {
        uint32_t bytes = trawl_cuda_packed_shared_bytes(&tables->packed, request->form);
        if (request->form == TRAWL_CUDA_MATCHES) {
            plan->workspace_bytes = slices_of(request, plan) * marks_bytes(plan);
        }
        return trawl_cuda_plan_shared(uploaded, bytes, plan, error);
    }
    if (is_sparse) {
        return plan_sparse(uploaded, request, plan, error);
    }
    /* Frequent patterns may be longer than patterns of the tiers before theirs (runs of one byte),
     * so records with the same end have to be sorted. */
    plan->ordered_ends = tables->automaton != NULL && tables->chains.states == 0;
    if (tables->automaton != NULL) {
        plan->overlap = tables->automaton_db->header->max_length - 1;
    }
    (void)candidates_of(&tables->view, plan, NULL, &plan->workspace_bytes);
    if (request->form == TRAWL_CUDA_MATCHES) {
        plan->workspace_bytes += slices_of(request, plan) * kept_bytes(tables, plan);
    }
    return trawl_cuda_plan_shared(
        uploaded, trawl_cuda_qgram_shared_bytes(&tables->view, plan->block_threads), plan, error);
}

/* ------------------------------------------------------------------ launching */

/* Counts the matches of frequent patterns, also by pattern, or marks their ends. */
static trawl_status walk_automaton(const trawl_cuda_db *automaton, const trawl_cuda_slice *slice,
                                   const trawl_cuda_output *output, cudaStream_t stream,
                                   trawl_error *error) {
    trawl_cuda_launch_request request = {};
    request.form = output->pass == TRAWL_CUDA_PASS_COUNT      ? TRAWL_CUDA_COUNT
                   : output->pass == TRAWL_CUDA_PASS_PATTERNS ? TRAWL_CUDA_PATTERNS
                                                              : TRAWL_CUDA_ENDS;
    request.length = slice->length;
    trawl_cuda_launch_plan plan = {}; /* kernel 0, hot */
    trawl_status status = automaton->engine->plan(automaton, &request, &plan, error);
    return status != TRAWL_OK
               ? status
               : automaton->engine->launch(automaton, &plan, slice, output, NULL, stream, error);
}

/* Pass RECORDS. `states`: NULL if there are none. Hits are of the first `tiers` tiers then. */
static trawl_status write_all(const trawl_cuda_qgram_call *call,
                              const trawl_cuda_qgram_states_call *states, uint32_t tiers,
                              trawl_error *error) {
    trawl_status status =
        trawl_cuda_qgram_order_hits(call, states != NULL ? tiers : call->view->tiers, error);
    if (status == TRAWL_OK) {
        status = states != NULL ? trawl_cuda_qgram_write_states(states, error)
                                : trawl_cuda_qgram_write_records(call, error);
    }
    if (status == TRAWL_OK) {
        /* Where only the longest key of an end counts, the automaton has counted one for all of its
         * tiers, and each other tier has counted its own. */
        const bool longest = call->view->table[0].endings.keys.longest;
        status = trawl_cuda_qgram_write_full_strips(
            call, states != NULL && longest ? tiers : call->view->tiers, error);
    }
    return status == TRAWL_OK && states != NULL ? trawl_cuda_qgram_sort_full_strips(call, error)
                                                : status;
}

/* All other passes: filters, and the automaton for the patterns that it has. `view` is what the
 * call has. `states`: NULL, or where the automaton leaves its states in pass SIZES. */
static trawl_status test_all(const trawl_cuda_qgram_uploaded *tables,
                             const trawl_cuda_qgram_call *call, trawl_cuda_qgram_view *view,
                             const trawl_cuda_qgram_states_call *states, trawl_error *error) {
    const trawl_cuda_slice *slice = &call->reporter->slice;
    const trawl_cuda_output *output = &call->reporter->output;
    trawl_status status = TRAWL_OK;
    if (tables->automaton != NULL && (output->pass != TRAWL_CUDA_PASS_SIZES || states != NULL)) {
        view->tiers = tables->filter_tiers;
        view->image_words = tables->filter_tier_words;
        status = states != NULL
                     ? trawl_cuda_hot_ranks(tables->automaton, slice, states->states, call->stream,
                                            error)
                     : walk_automaton(tables->automaton, slice, output, call->stream, error);
    }
    if (status == TRAWL_OK) {
        TRAWL_CUDA_TRY(cudaMemsetAsync(call->candidates.dense_pieces, 0,
                                       CANDIDATE_WORDS * sizeof(uint32_t), call->stream),
                       error);
        status = trawl_cuda_qgram_filter_text(call, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_cuda_qgram_verify(call, error);
    }
    return status == TRAWL_OK && states != NULL ? trawl_cuda_qgram_sum_states(states, error)
                                                : status;
}

/* Kernel sparse. Its hits are those of one tier. `call` has all tiers, for full strips. */
static trawl_status launch_sparse(const trawl_cuda_qgram_uploaded *tables,
                                  trawl_cuda_qgram_call *call, trawl_error *error) {
    const trawl_cuda_qgram_view *all = call->view;
    trawl_cuda_qgram_view keys = {};
    keys.tiers = 1;
    keys.table[0] = tables->sparse.table;
    if (call->reporter->output.pass != TRAWL_CUDA_PASS_RECORDS) {
        return trawl_cuda_sparse_scan(call, &tables->sparse, error);
    }
    call->view = &keys;
    trawl_status status = trawl_cuda_qgram_order_hits(call, 1, error);
    if (status == TRAWL_OK) {
        status = trawl_cuda_qgram_write_records(call, error);
    }
    if (status == TRAWL_OK) {
        call->view = all;
        const bool longest = keys.table[0].endings.keys.longest;
        status = trawl_cuda_qgram_write_full_strips(call, longest ? 0 : all->tiers, error);
    }
    return status == TRAWL_OK && tables->automaton != NULL
               ? trawl_cuda_qgram_sort_full_strips(call, error)
               : status;
}

static trawl_status launch(const trawl_cuda_db *uploaded, const trawl_cuda_launch_plan *plan,
                           const trawl_cuda_slice *slice, const trawl_cuda_output *output,
                           void *workspace, cudaStream_t stream, trawl_error *error) {
    const trawl_cuda_qgram_uploaded *tables = (const trawl_cuda_qgram_uploaded *)uploaded->tables;
    trawl_cuda_reporter reporter = {*slice, *output, uploaded->patterns};
    if (plan->kernel == TRAWL_CUDA_QGRAM_PACKED) {
        return trawl_cuda_packed_launch(uploaded, plan, &tables->packed, &reporter,
                                        marks_of(plan, slice, output, workspace), stream, error);
    }
    uint32_t strips = trawl_cuda_strip_count(slice, plan->strip_bytes);
    uint32_t warps = plan->block_threads / 32;
    uint32_t blocks = (strips + warps - 1) / warps;
    uint32_t multiprocessors = (uint32_t)uploaded->device.multiprocessors;
    uint64_t bytes;
    trawl_cuda_qgram_view view = tables->view;
    trawl_cuda_qgram_call call = {&reporter,
                                  &view,
                                  candidates_of(&tables->view, plan, workspace, &bytes),
                                  {},
                                  plan->strip_bytes,
                                  blocks < multiprocessors ? blocks : multiprocessors,
                                  plan->block_threads,
                                  plan->shared_bytes,
                                  &uploaded->device,
                                  stream};
    const bool is_sparse = plan->kernel == TRAWL_CUDA_QGRAM_SPARSE;
    if (output->pass != TRAWL_CUDA_PASS_SIZES && output->pass != TRAWL_CUDA_PASS_RECORDS) {
        return is_sparse ? launch_sparse(tables, &call, error)
                         : test_all(tables, &call, &view, NULL, error);
    }
    const uint64_t number = slice->first / plan->slice_bytes;
    uint8_t *kept = (uint8_t *)workspace + (is_sparse ? number * noted_bytes(plan)
                                                      : bytes + number * kept_bytes(tables, plan));
    call.noted = noted_of(plan, kept);
    const trawl_cuda_qgram_states_call with_states = {&call, &tables->chains,
                                                      kept + noted_bytes(plan)};
    const trawl_cuda_qgram_states_call *states = tables->chains.states != 0 ? &with_states : NULL;
    if (output->pass == TRAWL_CUDA_PASS_RECORDS) {
        return is_sparse ? launch_sparse(tables, &call, error)
                         : write_all(&call, states, tables->filter_tiers, error);
    }
    TRAWL_CUDA_TRY(
        cudaMemsetAsync(call.noted.overflown, 0, noted_words(plan) * sizeof(uint32_t), stream),
        error);
    return is_sparse ? launch_sparse(tables, &call, error)
                     : test_all(tables, &call, &view, states, error);
}

const trawl_cuda_engine trawl_cuda_qgram = {
    trawl_cuda_qgram_prepare, trawl_cuda_qgram_release, plan, launch, true, choose};
