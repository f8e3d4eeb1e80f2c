/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Databases without patterns on the device: a scan launches nothing, so that its results stay what
 * they were set to before the first pass, which is zeros. */
#include "engines/engines.cuh"
#include "gpu/contract.cuh"

static trawl_status prepare(trawl_cuda_db *uploaded, const uint8_t *sample, size_t sample_length,
                            trawl_error *error) {
    (void)uploaded;
    (void)sample;
    (void)sample_length;
    (void)error;
    return TRAWL_OK;
}

static void release(trawl_cuda_db *uploaded) {
    (void)uploaded;
}

/* A strip of any size will do. The named kernel stays in the plan, for reports. */
static trawl_status plan(const trawl_cuda_db *uploaded, const trawl_cuda_launch_request *request,
                         trawl_cuda_launch_plan *plan, trawl_error *error) {
    (void)uploaded;
    (void)error;
    plan->block_threads = request->block_threads == 0 ? 32 : request->block_threads;
    plan->strip_bytes = 4096;
    plan->ordered = true;
    return TRAWL_OK;
}

static trawl_status launch(const trawl_cuda_db *uploaded, const trawl_cuda_launch_plan *plan,
                           const trawl_cuda_slice *slice, const trawl_cuda_output *output,
                           void *workspace, cudaStream_t stream, trawl_error *error) {
    (void)uploaded;
    (void)plan;
    (void)slice;
    (void)output;
    (void)workspace;
    (void)stream;
    (void)error;
    return TRAWL_OK;
}

const trawl_cuda_engine trawl_cuda_empty = {prepare, release, plan, launch, true, NULL};
