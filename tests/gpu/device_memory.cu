/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gpu/device_memory.h"

#include <cuda_runtime.h>

#ifdef TRAWL_EMULATOR_CUDA_RUNTIME_H
#include "emulator/emulator.h"
#define EMULATED 1
#else
#define EMULATED 0
#endif

static cudaError_t last = cudaSuccess;

static bool good(cudaError_t code) {
    if (code != cudaSuccess) {
        last = code;
        (void)cudaGetLastError();
    }
    return code == cudaSuccess;
}

bool device_is_emulated(void) {
    return EMULATED != 0;
}

int device_count(void) {
    int count = 0;
    return good(cudaGetDeviceCount(&count)) ? count : 0;
}

bool device_select(int number) {
    return good(cudaSetDevice(number));
}

void *device_allocate(size_t bytes) {
    void *memory = nullptr;
    return good(cudaMalloc(&memory, bytes ? bytes : 1)) ? memory : nullptr;
}

void device_release(void *memory) {
    (void)good(cudaFree(memory));
}

size_t device_free_bytes(void) {
    size_t available = 0, all = 0;
    return good(cudaMemGetInfo(&available, &all)) ? available : 0;
}

void *pinned_allocate(size_t bytes) {
    void *memory = nullptr;
    return good(cudaMallocHost(&memory, bytes ? bytes : 1)) ? memory : nullptr;
}

void pinned_release(void *memory) {
    (void)good(cudaFreeHost(memory));
}

void *device_stream_new(void) {
    cudaStream_t stream = nullptr;
    return good(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)) ? (void *)stream
                                                                           : nullptr;
}

void device_stream_release(void *stream) {
    (void)good(cudaStreamDestroy((cudaStream_t)stream));
}

bool device_write(void *to, const void *from, size_t bytes, void *stream) {
    return !bytes ||
           good(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, (cudaStream_t)stream));
}

bool device_fill(void *to, int byte, size_t bytes, void *stream) {
    return !bytes || good(cudaMemsetAsync(to, byte, bytes, (cudaStream_t)stream));
}

bool device_read(void *to, const void *from, size_t bytes, void *stream) {
    return (!bytes ||
            good(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, (cudaStream_t)stream))) &&
           device_wait(stream);
}

bool device_wait(void *stream) {
    return good(cudaStreamSynchronize((cudaStream_t)stream));
}

const char *device_complaint(void) {
    return cudaGetErrorString(last);
}

#if EMULATED

void device_shake(unsigned seed) {
    emulator_set_order((emulator_order)(seed % 3), seed);
    emulator_set_lazy(seed / 3 % 2);
}

bool device_fail_allocations(long after) {
    emulator_fail(after < 0 ? nullptr : "allocation", cudaErrorMemoryAllocation, after);
    return true;
}

bool device_refuse_locking(bool refuse) {
    emulator_fail(refuse ? "cudaHostRegister" : nullptr, cudaErrorNotSupported, 0);
    return true;
}

bool device_set_count(int count) {
    emulator_set_devices(count);
    return true;
}

bool device_fail_call(long number, bool lasting) {
    emulator_fail_call(number, cudaErrorLaunchFailure, lasting);
    return true;
}

long device_calls(void) {
    return emulator_calls();
}

bool device_limit_textures(size_t elements) {
    emulator_set_texture_elements(elements ? elements : (size_t)1 << 28);
    return true;
}

size_t device_live_objects(void) {
    return emulator_live_objects();
}

#else

void device_shake(unsigned seed) {
    (void)seed;
}

bool device_fail_allocations(long after) {
    (void)after;
    return false;
}

bool device_refuse_locking(bool refuse) {
    (void)refuse;
    return false;
}

bool device_set_count(int count) {
    (void)count;
    return false;
}

bool device_fail_call(long number, bool lasting) {
    (void)number, (void)lasting;
    return false;
}

long device_calls(void) {
    return 0;
}

bool device_limit_textures(size_t elements) {
    (void)elements;
    return false;
}

size_t device_live_objects(void) {
    return 0;
}

#endif
