/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Grids, blocks, threads and barriers. The blocks of a grid run one after another; the threads of a
 * block are fibers, each of which runs until it waits at a barrier or a warp's collective.
 */
#ifndef TRAWL_EMULATOR_THREADS_H
#define TRAWL_EMULATOR_THREADS_H

#include "runtime_api.h"
#include "vectors.h"

#include <tuple>

#define __global__
#define __device__ __attribute__((unused))
#define __host__
#define __constant__ __attribute__((unused))
#define __shared__ static      /* blocks never run at the same time */
#define __forceinline__ inline /* always_inline: ten to twenty times as long to compile */
#define __noinline__           /* also a word inside attributes of the C++ library's headers */
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define __builtin_assume(condition)                                                                \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            __builtin_unreachable();                                                               \
        }                                                                                          \
    } while (0)
/* Loops are unrolled by hints of nvcc that other compilers do not know. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

/* Of the thread that runs at the moment. */
extern uint3 threadIdx;
extern uint3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;
constexpr int warpSize = 32;

namespace emulator {

/* Ends the process with a message that names the kernel, the block and the thread. */
[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether a kernel is running. The functions below may only be called then. */
bool in_kernel();

/* Waits until all live threads of the block are here; returns how many of them came with a
 * predicate that is not 0. */
unsigned block_barrier(const char *operation, int predicate, const char *file, int line);

/* What the lanes of a warp bring to a collective. */
struct exchanged {
    unsigned lane;          /* the caller's number */
    unsigned group;         /* the lanes that took part, a bit each */
    unsigned some;          /* of these, those whose value is not 0 */
    const uint64_t *values; /* of all 32 lanes; other lanes' are undefined */
};

/* Waits until all live lanes of the mask are here with the same operation and mask. The values are
 * valid until the caller waits again. */
exchanged warp_exchange(const char *operation, unsigned mask, uint64_t value, const char *file,
                        int line);

unsigned char *shared_memory();

struct kernel_launch {
    const char *name;
    const void *function;
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};

/* The error that CUDA's own check of the launch would give. */
cudaError_t check_launch(const kernel_launch &launch);
void run_grid(const kernel_launch &launch, void (*run_thread)(const void *), const void *context);
void set_last_error(cudaError_t code);

template <class... Parameters, class... Arguments>
void launch(const char *name, void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared,
            cudaStream_t stream, Arguments... arguments) {
    struct parameters {
        void (*kernel)(Parameters...);
        std::tuple<Parameters...> arguments;
    };
    static_assert(sizeof...(Parameters) == sizeof...(Arguments), "arguments of a kernel");
    kernel_launch launch{name, (const void *)kernel, grid, block, shared, stream};
    api_call self("cudaLaunchKernel");
    cudaError_t code = self.code;
    if (code == cudaSuccess) {
        code = check_launch(launch);
    }
    if (code == cudaSuccess) {
        parameters context{kernel, std::tuple<Parameters...>(Parameters(arguments)...)};
        code = enqueue(stream, [launch, context] {
            run_grid(
                launch,
                [](const void *pointer) {
                    const parameters *context = (const parameters *)pointer;
                    std::apply(context->kernel, context->arguments);
                },
                &context);
        });
    }
    set_last_error(code);
}

} // namespace emulator

#define EMULATOR_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()

static inline void __syncthreads(EMULATOR_PLACE) {
    emulator::block_barrier("__syncthreads", 0, file, line);
}
static inline int __syncthreads_count(int predicate, EMULATOR_PLACE) {
    return (int)emulator::block_barrier("__syncthreads_count", predicate != 0, file, line);
}
static inline int __syncthreads_or(int predicate, EMULATOR_PLACE) {
    return emulator::block_barrier("__syncthreads_or", predicate != 0, file, line) != 0;
}
static inline int __syncthreads_and(int predicate, EMULATOR_PLACE) {
    return emulator::block_barrier("__syncthreads_and", predicate == 0, file, line) == 0;
}

[[noreturn]] static inline void __trap() {
    emulator::fail("__trap");
}

#endif
