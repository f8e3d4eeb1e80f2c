/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A CPU emulation of the parts of CUDA that the CUDA code uses. It takes the place of CUDA's own
 * header, so that a C++ compiler compiles the .cu files. README.md lists what is emulated, how, and
 * what is not.
 */
#ifndef TRAWL_EMULATOR_CUDA_RUNTIME_H
#define TRAWL_EMULATOR_CUDA_RUNTIME_H

#include "vectors.h"

#include "runtime_api.h"

#include "threads.h"

#include "intrinsics.h"

#include "warp.h"

#define TRAWL_LAUNCH(kernel, blocks, threads, shared, stream, ...)                                 \
    emulator::launch(#kernel, kernel, dim3(blocks), dim3(threads), shared, stream, ##__VA_ARGS__)
#define TRAWL_LAUNCH_NEXT(device, kernel, blocks, threads, shared, stream, ...)                    \
    TRAWL_LAUNCH(kernel, blocks, threads, shared, stream, ##__VA_ARGS__)
#define TRAWL_SHARED(name) unsigned char *const name = emulator::shared_memory()

#endif
