/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The part of CUB that the CUDA code uses, with the interface of CUB 3: a first call without
 * temporary storage returns the size that is needed. Items are computed one after another. Sums
 * have the types that CUB uses, so that a sum that overflows in CUB overflows here.
 */
#ifndef TRAWL_EMULATOR_CUB_H
#define TRAWL_EMULATOR_CUB_H

#include <cuda_runtime.h>

#include <cstring>
#include <functional>
#include <iterator>
#include <type_traits>

namespace cub {

struct DeviceScan {
    template <class Input, class Output, class Operation, class Count>
    static cudaError_t InclusiveScan(void *storage, size_t &bytes, Input in, Output out,
                                     Operation operation, Count items,
                                     cudaStream_t stream = nullptr) {
        return scan<false>(storage, bytes, in, out, operation, items, stream);
    }

    template <class Input, class Output, class Count>
    static cudaError_t ExclusiveSum(void *storage, size_t &bytes, Input in, Output out, Count items,
                                    cudaStream_t stream = nullptr) {
        return scan<true>(storage, bytes, in, out, std::plus<>{}, items, stream);
    }

  private:
    template <class Iterator> using value_of = typename std::iterator_traits<Iterator>::value_type;

    /* `out` may be `in`. */
    template <bool exclusive, class Input, class Output, class Operation, class Count>
    static cudaError_t scan(void *storage, size_t &bytes, Input in, Output out, Operation operation,
                            Count items, cudaStream_t stream) {
        emulator::api_call self("cub::DeviceScan");
        if (self.code != cudaSuccess) {
            return self.code;
        }
        size_t needed = (size_t)items / 64 / 256 * 256 + 511;
        if (storage == nullptr) {
            bytes = needed;
            return cudaSuccess;
        }
        if (bytes < needed) {
            emulator::set_last_error(cudaErrorInvalidValue);
            return cudaErrorInvalidValue;
        }
        return emulator::enqueue(stream, [=] {
            using Value = value_of<Input>;
            using Accumulator = std::decay_t<std::invoke_result_t<Operation, Value, Value>>;
            memset(storage, 0x5a, needed);
            Accumulator sum{};
            for (std::ptrdiff_t i = 0; i < (std::ptrdiff_t)items; i++) {
                Accumulator before = sum, value = (Accumulator)in[i];
                sum = i == 0 ? value : (Accumulator)operation(sum, value);
                out[i] = (value_of<Output>)(exclusive ? before : sum);
            }
        });
    }
};

} // namespace cub

#endif
