/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Times of the steps of kernel `steps` of rabin-karp. */
#include "gpu/contract.cuh"

extern "C" {
#include "base/sized.h"
#include "engines/engines.h"
#include "engines/registry.h"
}

#define MOST_TEXT (UINT64_C(1) << 28) /* of one launch */

/* What a measurement has allocated. All of it is freed together at the end, also after a
 * failure. */
typedef struct step_run {
    void *text, *total, *workspace;
    cudaEvent_t begin, ends[TRAWL_CUDA_MOST_STEPS];
    double seconds[TRAWL_CUDA_MOST_STEPS];
    double occupancy[TRAWL_CUDA_MOST_STEPS];
} step_run;

static void release(step_run *held) {
    (void)cudaFree(held->text);
    (void)cudaFree(held->total);
    (void)cudaFree(held->workspace);
    if (held->begin != NULL) {
        (void)cudaEventDestroy(held->begin);
    }
    for (uint32_t step = 0; step < TRAWL_CUDA_MOST_STEPS; step++) {
        if (held->ends[step] != NULL) {
            (void)cudaEventDestroy(held->ends[step]);
        }
    }
    (void)cudaGetLastError();
}

static trawl_status allocate(const void *text, uint64_t length, uint64_t workspace_bytes,
                             step_run *held, trawl_error *error) {
    TRAWL_CUDA_TRY(cudaMalloc(&held->text, length), error);
    TRAWL_CUDA_TRY(cudaMemcpy(held->text, text, length, cudaMemcpyHostToDevice), error);
    TRAWL_CUDA_TRY(cudaMalloc(&held->total, sizeof(trawl_counter)), error);
    TRAWL_CUDA_TRY(cudaMalloc(&held->workspace, workspace_bytes), error);
    TRAWL_CUDA_TRY(cudaEventCreate(&held->begin), error);
    for (uint32_t step = 0; step < TRAWL_CUDA_MOST_STEPS; step++) {
        TRAWL_CUDA_TRY(cudaEventCreate(&held->ends[step]), error);
    }
    return TRAWL_OK;
}

/* Launches once, and adds the steps' times if `timed`. */
static trawl_status run_once(const trawl_cuda_db *uploaded, const trawl_cuda_launch_plan *plan,
                             uint64_t length, bool timed, step_run *held, trawl_error *error) {
    trawl_cuda_slice slice;
    memset(&slice, 0, sizeof slice);
    slice.text = (const uint8_t *)held->text;
    slice.length = (uint32_t)length;
    trawl_cuda_output output;
    memset(&output, 0, sizeof output);
    output.pass = TRAWL_CUDA_PASS_COUNT;
    output.total = (trawl_counter *)held->total;
    TRAWL_CUDA_TRY(cudaMemsetAsync(held->total, 0, sizeof(trawl_counter), 0), error);
    TRAWL_CUDA_TRY(cudaEventRecord(held->begin, 0), error);
    trawl_status status =
        uploaded->engine->launch(uploaded, plan, &slice, &output, held->workspace, 0, error);
    if (status != TRAWL_OK) {
        return status;
    }
    TRAWL_CUDA_TRY(cudaEventSynchronize(held->ends[TRAWL_CUDA_MOST_STEPS - 1]), error);
    cudaEvent_t before = held->begin;
    for (uint32_t step = 0; timed && step < TRAWL_CUDA_MOST_STEPS; step++) {
        float milliseconds = 0;
        TRAWL_CUDA_TRY(cudaEventElapsedTime(&milliseconds, before, held->ends[step]), error);
        held->seconds[step] += (double)milliseconds / 1e3;
        before = held->ends[step];
    }
    return TRAWL_OK;
}

static trawl_status measure(const trawl_cuda_db *uploaded, const void *text, uint64_t length,
                            uint32_t repeats, step_run *held, trawl_study_steps *known,
                            trawl_error *error) {
    trawl_cuda_launch_request request;
    memset(&request, 0, sizeof request);
    request.form = TRAWL_CUDA_COUNT;
    request.length = length;
    trawl_cuda_launch_plan plan;
    memset(&plan, 0, sizeof plan);
    trawl_status status =
        trawl_kernel_find(uploaded->db->header->engine, "steps", &plan.kernel, error);
    if (status == TRAWL_OK) {
        status = uploaded->engine->plan(uploaded, &request, &plan, error);
    }
    if (status == TRAWL_OK) {
        status = allocate(text, length, plan.workspace_bytes, held, error);
    }
    plan.step_ends = held->ends;
    plan.step_occupancy = held->occupancy;
    for (uint32_t i = 0; status == TRAWL_OK && i <= repeats; i++) {
        status = run_once(uploaded, &plan, length, i != 0, held, error);
        plan.step_occupancy = NULL; /* known from the run that is not timed */
    }
    if (status != TRAWL_OK) {
        return status;
    }
    TRAWL_CUDA_TRY(
        cudaMemcpy(&known->total, held->total, sizeof known->total, cudaMemcpyDeviceToHost), error);
    known->hashes = held->seconds[0] / repeats;
    known->terms = held->seconds[1] / repeats;
    known->sums = held->seconds[2] / repeats;
    known->windows = held->seconds[3] / repeats;
    for (uint32_t step = 0; step < TRAWL_CUDA_MOST_STEPS; step++) {
        known->occupancy[step] = held->occupancy[step];
    }
    return TRAWL_OK;
}

extern "C" trawl_status trawl_study_cuda_measure_steps(const trawl_cuda_db *uploaded,
                                                       const void *text, uint64_t length,
                                                       uint32_t repeats, trawl_study_steps *steps,
                                                       trawl_error *error) {
    trawl_clear(error);
    if (uploaded == NULL || text == NULL || length == 0 || length > MOST_TEXT || repeats == 0 ||
        steps == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "trawl_study_cuda_measure_steps: a database, a text of 1 to %" PRIu64
                          " bytes, one repeat or more, and room for the times are expected",
                          MOST_TEXT);
    }
    if (uploaded->db->engine != &trawl_engine_rabin_karp) {
        return trawl_fail(
            error, TRAWL_ERROR_ARGUMENT,
            "trawl_study_cuda_measure_steps: the database is of engine %s; rabin-karp "
            "is expected",
            uploaded->db->header->engine);
    }
    trawl_status status = trawl_sized_check(steps, "trawl_study_cuda_measure_steps: steps",
                                            "TRAWL_STUDY_STEPS", error);
    if (status != TRAWL_OK) {
        return status;
    }
    int before;
    TRAWL_CUDA_TRY(trawl_cuda_enter(uploaded->device.number, &before), error);
    step_run held;
    trawl_study_steps known;
    memset(&held, 0, sizeof held);
    memset(&known, 0, sizeof known);
    status = measure(uploaded, text, length, repeats, &held, &known, error);
    release(&held);
    trawl_cuda_leave(before);
    if (status == TRAWL_OK) {
        trawl_sized_write(steps, &known, sizeof known);
    }
    return status;
}
