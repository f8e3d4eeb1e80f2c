/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Kernel hot: the shape of a launch, and which of its two walks a pass needs. */
#include "engines/ac_dfa/cuda/hot.cuh"

extern "C" {
#include "engines/ac_dfa/hot_walk.h"
}

/* Bytes of a block's text, at most, where the caller chooses: offsets stay in 32 bits. */
#define MOST_BLOCK_BYTES (UINT32_C(1) << 27)
/* Slices are multiples of this many bytes, so that every slice is aligned as the text is. No
 * measurement chose the number. */
#define SLICE_UNIT UINT64_C(4096)

/* ------------------------------------------------------------------ planning */

trawl_status trawl_cuda_hot_plan(const trawl_cuda_db *uploaded,
                                 const trawl_cuda_launch_request *request,
                                 trawl_cuda_launch_plan *plan, trawl_error *error) {
    const trawl_cuda_hot *hot = ((const trawl_cuda_ac_dfa_tables *)uploaded->tables)->hot;
    bool staged = request->form != TRAWL_CUDA_COUNT; /* threads gather states or notes of matches */
    uint32_t most = staged ? hot->stage_bytes / TRAWL_HOT_STAGE_BYTES : TRAWL_CUDA_MOST_THREADS;
    if (request->table_path == TRAWL_TABLES_TEXTURE) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "ac-dfa: kernel hot has no table path texture: its tables are in shared "
                          "memory and behind read-only loads; kernels ac1 to ac4 have");
    }
    plan->table_path = TRAWL_TABLES_READ_ONLY;
    uint32_t threads = request->block_threads != 0 ? request->block_threads : most;
    if (threads > most) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "ac-dfa, kernel hot: %u threads per block; with results other than a "
                          "count, up to %u are expected",
                          threads, most);
    }
    uint64_t slices = request->length / TRAWL_CUDA_LARGEST_SLICE + 1;
    uint64_t slice = request->length / slices + 1;
    plan->slice_bytes = (slice + SLICE_UNIT - 1) / SLICE_UNIT * SLICE_UNIT;
    plan->block_threads = threads;
    uint32_t strip_bytes =
        trawl_hot_strip_bytes(plan->slice_bytes, hot->view.overlap,
                              (uint32_t)uploaded->device.multiprocessors, threads, NULL);
    plan->shared_bytes = staged ? hot->staged_image.image_bytes + threads * TRAWL_HOT_STAGE_BYTES
                                : hot->view.image.image_bytes;
    return trawl_cuda_plan_text(uploaded, request, strip_bytes, TRAWL_HOT_READ_BYTES,
                                MOST_BLOCK_BYTES, plan, error);
}

/* A launch for one slice; `staged`: the pass gathers states or notes. */
static trawl_cuda_hot_call call_of(const trawl_cuda_db *uploaded,
                                   const trawl_cuda_launch_plan *plan,
                                   const trawl_cuda_reporter *reporter, bool staged,
                                   cudaStream_t stream) {
    const trawl_cuda_hot *hot = ((const trawl_cuda_ac_dfa_tables *)uploaded->tables)->hot;
    uint32_t multiprocessors = (uint32_t)uploaded->device.multiprocessors;
    trawl_cuda_hot_call call = {reporter,
                                uploaded->keys[0],
                                hot->view,
                                trawl_cuda_block_count(&reporter->slice, plan),
                                plan->block_threads,
                                plan->strip_bytes,
                                0,
                                &uploaded->device,
                                stream};
    call.blocks = call.blocks < multiprocessors ? call.blocks : multiprocessors;
    call.view.image = staged ? hot->staged_image : hot->view.image;
    call.shared_bytes =
        call.view.image.image_bytes + (staged ? plan->block_threads * TRAWL_HOT_STAGE_BYTES : 0);
    return call;
}

trawl_status trawl_cuda_hot_launch(const trawl_cuda_db *uploaded,
                                   const trawl_cuda_launch_plan *plan,
                                   const trawl_cuda_reporter *reporter, cudaStream_t stream,
                                   trawl_error *error) {
    const trawl_cuda_hot *hot = ((const trawl_cuda_ac_dfa_tables *)uploaded->tables)->hot;
    trawl_cuda_pass pass = reporter->output.pass;
    bool staged = pass != TRAWL_CUDA_PASS_COUNT && pass != TRAWL_CUDA_PASS_SIZES;
    const trawl_cuda_hot_call call = call_of(uploaded, plan, reporter, staged, stream);
    return pass == TRAWL_CUDA_PASS_STATES ? trawl_cuda_hot_states(&call, error)
                                          : trawl_cuda_hot_report(&call, hot->verify, error);
}

trawl_status trawl_cuda_hot_ranks(const trawl_cuda_db *automaton, const trawl_cuda_slice *slice,
                                  void *ranks, cudaStream_t stream, trawl_error *error) {
    const trawl_cuda_hot *hot = ((const trawl_cuda_ac_dfa_tables *)automaton->tables)->hot;
    trawl_cuda_launch_request request = {};
    request.form = TRAWL_CUDA_STATES;
    request.length = slice->length;
    trawl_cuda_launch_plan plan = {}; /* kernel 0, hot */
    trawl_status status = trawl_cuda_hot_plan(automaton, &request, &plan, error);
    if (status != TRAWL_OK) {
        return status;
    }
    const uint32_t before = slice->owned - (uint32_t)trawl_cuda_origin(slice);
    trawl_cuda_reporter reporter = {*slice, {}, automaton->patterns};
    reporter.slice.first = 0;
    reporter.output.pass = TRAWL_CUDA_PASS_STATES;
    reporter.output.states = (uint8_t *)ranks + before * (hot->view.wide_states ? 4 : 2);
    trawl_cuda_hot_call call = call_of(automaton, &plan, &reporter, true, stream);
    call.view.number = NULL;
    return trawl_cuda_hot_states(&call, error);
}
