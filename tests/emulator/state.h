/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Shared by the files of the emulation. */
#ifndef TRAWL_EMULATOR_STATE_H
#define TRAWL_EMULATOR_STATE_H

#include "emulator.h"
#include "runtime_api.h"

namespace emulator {

/* Limits of the emulated device: those of an H200, but for the number of multiprocessors, so that
 * grids that fill it stay small. */
const int multiprocessors = 4;
const int most_threads = 1024;
const size_t most_shared = 227 << 10; /* for kernels that asked for it, else: */
const size_t default_shared = 48 << 10;
const size_t texture_alignment = 512;

void set_order(emulator_order order, unsigned seed);

/* Remembers the error for cudaGetLastError, and returns it. */
cudaError_t failed(cudaError_t code);

const int most_devices = 64;
int device_now(); /* the calling thread's current one */
int device_count();
bool device_is_old(int device);

bool is_stream(cudaStream_t stream);
bool is_of_device(cudaStream_t stream); /* the current one */
void wait_for_stream(cudaStream_t stream);
void wait_for_device();

size_t memory_total();
size_t texture_elements();
void set_memory(size_t bytes);
void set_texture_elements(size_t elements);
size_t live_memory();
size_t live_streams_and_events();

} // namespace emulator

/* Opens a runtime function, and leaves it when it has to fail. */
#define CALL()                                                                                     \
    emulator::api_call self(__func__);                                                             \
    if (self.code != cudaSuccess) {                                                                \
        return self.code;                                                                          \
    }

/* The same for functions that free something: they do so also when they fail. */
#define CALL_FREE()                                                                                \
    emulator::api_call self(__func__);                                                             \
    if (self.code == cudaErrorNoDevice) {                                                          \
        return self.code;                                                                          \
    }

/* The same for functions that do not need the current device. */
#define CALL_WITHOUT_DEVICE()                                                                      \
    emulator::api_call self(__func__, false);                                                      \
    if (self.code != cudaSuccess) {                                                                \
        return self.code;                                                                          \
    }

#define CHECK(condition, error)                                                                    \
    if (!(condition)) {                                                                            \
        return emulator::failed(error);                                                            \
    }

#endif
