/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * CUDA's headers and trawl's C headers for the files of this module, and what they all use of CUDA.
 *
 * Kernels are launched with TRAWL_LAUNCH and take dynamic shared memory with TRAWL_SHARED, so that
 * the tests can run them on a CPU with an emulation of the few parts of CUDA used here
 * (tests/emulator). Stay with those: threads, blocks, shared memory, barriers, atomics, warp votes
 * and shuffles of full warps, texture objects over linear memory, streams and events, CUB's device
 * scan.
 */
#ifndef TRAWL_GPU_RUNTIME_CUH
#define TRAWL_GPU_RUNTIME_CUH

#include <cuda_runtime.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern "C" {
#include "base/allocate.h"
#include "base/status.h"
#include "database/engine.h"
#include "database/outputs.h"
#include "gpu/module.h"
#include "gpu/tuning.h"
}

#ifndef TRAWL_LAUNCH
#define TRAWL_LAUNCH(kernel, blocks, threads, shared, stream, ...)                                 \
    kernel<<<(blocks), (threads), (shared), (stream)>>>(__VA_ARGS__)
#define TRAWL_SHARED(name) extern __shared__ __align__(16) unsigned char name[]

/* Launches a kernel that may begin before the previous kernel of the stream has ended: as soon as
 * all blocks of the previous kernel have called trawl_cuda_let_next(). The kernel calls
 * trawl_cuda_wait_for_last() before it reads what the previous kernel writes. That saves a few
 * microseconds for each launch. Devices that cannot do this (trawl_cuda_device) run the kernels one
 * after the other. */
#define TRAWL_LAUNCH_NEXT(device, kernel, blocks, threads, shared, stream, ...)                    \
    trawl_cuda_launch_next((device)->overlaps, kernel, blocks, threads, shared, stream, __VA_ARGS__)

template <typename... Parameters, typename... Arguments>
static inline void trawl_cuda_launch_next(bool overlaps, void (*kernel)(Parameters...),
                                          uint32_t blocks, uint32_t threads, size_t shared,
                                          cudaStream_t stream, const Arguments &...arguments) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = overlaps ? 1 : 0;
    /* TRAWL_CUDA_LAUNCHED reads the result from cudaGetLastError(). */
    (void)cudaLaunchKernelEx(&config, kernel, arguments...);
}
#endif

static __device__ __forceinline__ void trawl_cuda_let_next(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

static __device__ __forceinline__ void trawl_cuda_wait_for_last(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* "cudaMalloc failed on device 0: out of memory (cudaErrorMemoryAllocation)" and the status that
 * fits. Clears the error, unless it is one that the device does not recover from. */
trawl_status trawl_cuda_failed(cudaError_t code, const char *call, trawl_error *error);

/* Runs a CUDA call; its failure leaves the function with a status. */
#define TRAWL_CUDA_TRY(call, error)                                                                \
    do {                                                                                           \
        cudaError_t trawl_code = (call);                                                           \
        if (trawl_code != cudaSuccess) {                                                           \
            return trawl_cuda_failed(trawl_code, #call, error);                                    \
        }                                                                                          \
    } while (0)

/* To be used after each launch, with the kernel's name. */
#define TRAWL_CUDA_LAUNCHED(name, error)                                                           \
    do {                                                                                           \
        cudaError_t trawl_code = cudaGetLastError();                                               \
        if (trawl_code != cudaSuccess) {                                                           \
            return trawl_cuda_failed(trawl_code, "launching " name, error);                        \
        }                                                                                          \
    } while (0)

#endif
