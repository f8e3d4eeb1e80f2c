/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Manages whose tables are in constant memory. This is the only state of the library that belongs
 * to no object: a __constant__ array exists once in a program, and so does the record of what it
 * holds.
 */
#include "engines/ac_nfa/cuda/engine.cuh"

static pthread_mutex_t trawl_nfa_constant_lock = PTHREAD_MUTEX_INITIALIZER;

/* Whose tables each array holds; NULL: none. */
static const trawl_cuda_ac_nfa_tables
    *trawl_nfa_constant_holders[TRAWL_CUDA_NFA_FORMS][TRAWL_CUDA_NFA_CONSTANT_DEVICES];

trawl_status trawl_cuda_nfa_constant_begin(const trawl_cuda_ac_nfa_launch *launch, bool *filled,
                                           trawl_error *error) {
    const trawl_cuda_ac_nfa_tables *tables = launch->tables;
    (void)pthread_mutex_lock(&trawl_nfa_constant_lock);
    const trawl_cuda_ac_nfa_tables *holder =
        trawl_nfa_constant_holders[tables->form][launch->device->number];
    *filled = holder == tables;
    if (holder != NULL) {
        cudaError_t code = cudaStreamWaitEvent(launch->stream, holder->last_read, 0);
        if (code != cudaSuccess) {
            (void)pthread_mutex_unlock(&trawl_nfa_constant_lock);
            return trawl_cuda_failed(code, "cudaStreamWaitEvent", error);
        }
    }
    return TRAWL_OK;
}

trawl_status trawl_cuda_nfa_constant_end(const trawl_cuda_ac_nfa_launch *launch,
                                         trawl_status status, trawl_error *error) {
    const trawl_cuda_ac_nfa_tables *tables = launch->tables;
    if (status == TRAWL_OK) {
        cudaError_t code = cudaEventRecord(tables->last_read, launch->stream);
        if (code != cudaSuccess) {
            status = trawl_cuda_failed(code, "cudaEventRecord", error);
        }
    }
    if (status != TRAWL_OK) {
        (void)cudaStreamSynchronize(
            launch->stream); /* there is no event for the next turn to wait for */
    }
    trawl_nfa_constant_holders[tables->form][launch->device->number] =
        status == TRAWL_OK ? tables : NULL;
    (void)pthread_mutex_unlock(&trawl_nfa_constant_lock);
    return status;
}

void trawl_cuda_nfa_constant_forget(const trawl_cuda_ac_nfa_tables *tables) {
    (void)pthread_mutex_lock(&trawl_nfa_constant_lock);
    for (uint32_t device = 0; device < TRAWL_CUDA_NFA_CONSTANT_DEVICES; device++) {
        if (trawl_nfa_constant_holders[tables->form][device] == tables) {
            trawl_nfa_constant_holders[tables->form][device] = NULL;
        }
    }
    (void)pthread_mutex_unlock(&trawl_nfa_constant_lock);
}
