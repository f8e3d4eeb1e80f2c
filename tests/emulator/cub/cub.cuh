/*
 * The part of CUB that src/cuda uses, one item after another, with CUB 3's interface: a first call
 * without temporary storage says how much is needed. The types of accumulators are CUB's, so that a
 * sum that overflows there overflows here.
 */
#ifndef TRAWL_EMULATOR_CUB_H
#define TRAWL_EMULATOR_CUB_H

#ifndef EMULATOR_CUB_PART
#warning "include <cub/device/device_scan.cuh> or the like: all of CUB needs C++ exceptions"
#endif

#include <cuda_runtime.h>

#include <cuda/std/functional>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>
#include <vector>

namespace cub {

template <class Key> struct DoubleBuffer {
    Key *d_buffers[2];
    int selector;
    DoubleBuffer(Key *current = nullptr, Key *other = nullptr)
        : d_buffers{current, other}, selector(0) {
    }
    Key *Current() {
        return d_buffers[selector];
    }
    Key *Alternate() {
        return d_buffers[selector ^ 1];
    }
};

struct NullType {};

} // namespace cub

namespace emulator {

template <class Iterator> using value_of = typename std::iterator_traits<Iterator>::value_type;

template <class Operation, class First, class Second>
using accumulator_of = std::decay_t<std::invoke_result_t<Operation, First, Second>>;

/* Answers the question for the size, or checks the storage, spoils it and runs the work. */
template <class Work>
cudaError_t cub_call(const char *name, void *storage, size_t &bytes, size_t needed,
                     cudaStream_t stream, Work work) {
    api_call self(name);
    if (self.code != cudaSuccess) {
        return self.code;
    }
    needed = needed / 256 * 256 + 511;
    if (storage == nullptr) {
        bytes = needed;
        return cudaSuccess;
    }
    if (bytes < needed) {
        set_last_error(cudaErrorInvalidValue);
        return cudaErrorInvalidValue;
    }
    return enqueue(stream, [=] {
        memset(storage, 0x5a, needed);
        work();
    });
}

template <class Output, class Value> void store(Output out, uint64_t index, const Value &value) {
    out[(std::ptrdiff_t)index] = (value_of<Output>)value;
}

} // namespace emulator

namespace cub {

struct DeviceScan {
    template <class Input, class Output, class Operation, class Initial, class Count>
    static cudaError_t ExclusiveScan(void *storage, size_t &bytes, Input in, Output out,
                                     Operation operation, Initial initial, Count items,
                                     cudaStream_t stream = nullptr) {
        using Value = emulator::value_of<Input>;
        using Accumulator = emulator::accumulator_of<Operation, Value, Initial>;
        return emulator::cub_call(
            "cub::DeviceScan", storage, bytes, (size_t)items / 64, stream, [=] {
                Accumulator sum = (Accumulator)initial;
                for (uint64_t i = 0; i < (uint64_t)items; i++) {
                    Accumulator next = (Accumulator)operation(sum, in[(std::ptrdiff_t)i]);
                    emulator::store(out, i, sum);
                    sum = next;
                }
            });
    }

    template <class Input, class Output, class Operation, class Count>
    static cudaError_t InclusiveScan(void *storage, size_t &bytes, Input in, Output out,
                                     Operation operation, Count items,
                                     cudaStream_t stream = nullptr) {
        using Value = emulator::value_of<Input>;
        using Accumulator = emulator::accumulator_of<Operation, Value, Value>;
        return emulator::cub_call("cub::DeviceScan", storage, bytes, (size_t)items / 64, stream,
                                  [=] {
                                      Accumulator sum{};
                                      for (uint64_t i = 0; i < (uint64_t)items; i++) {
                                          Accumulator value = (Accumulator)in[(std::ptrdiff_t)i];
                                          sum = i == 0 ? value : (Accumulator)operation(sum, value);
                                          emulator::store(out, i, sum);
                                      }
                                  });
    }

    template <class Input, class Output, class Operation, class Initial, class Count>
    static cudaError_t InclusiveScanInit(void *storage, size_t &bytes, Input in, Output out,
                                         Operation operation, Initial initial, Count items,
                                         cudaStream_t stream = nullptr) {
        using Value = emulator::value_of<Input>;
        using Accumulator = emulator::accumulator_of<Operation, Value, Initial>;
        return emulator::cub_call("cub::DeviceScan", storage, bytes, (size_t)items / 64, stream,
                                  [=] {
                                      Accumulator sum = (Accumulator)initial;
                                      for (uint64_t i = 0; i < (uint64_t)items; i++) {
                                          sum = (Accumulator)operation(sum, in[(std::ptrdiff_t)i]);
                                          emulator::store(out, i, sum);
                                      }
                                  });
    }

    template <class Input, class Output, class Count>
    static cudaError_t ExclusiveSum(void *storage, size_t &bytes, Input in, Output out, Count items,
                                    cudaStream_t stream = nullptr) {
        return ExclusiveScan(storage, bytes, in, out, ::cuda::std::plus<>{},
                             emulator::value_of<Input>{}, items, stream);
    }

    template <class Input, class Output, class Count>
    static cudaError_t InclusiveSum(void *storage, size_t &bytes, Input in, Output out, Count items,
                                    cudaStream_t stream = nullptr) {
        return InclusiveScan(storage, bytes, in, out, ::cuda::std::plus<>{}, items, stream);
    }

    /* In place. */
    template <class Data, class Count>
    static std::enable_if_t<std::is_integral<Count>::value, cudaError_t>
    ExclusiveSum(void *storage, size_t &bytes, Data data, Count items,
                 cudaStream_t stream = nullptr) {
        return ExclusiveSum(storage, bytes, data, data, items, stream);
    }

    template <class Data, class Count>
    static std::enable_if_t<std::is_integral<Count>::value, cudaError_t>
    InclusiveSum(void *storage, size_t &bytes, Data data, Count items,
                 cudaStream_t stream = nullptr) {
        return InclusiveSum(storage, bytes, data, data, items, stream);
    }
};

struct DeviceReduce {
    template <class Input, class Output, class Count, class Operation, class Initial>
    static cudaError_t Reduce(void *storage, size_t &bytes, Input in, Output out, Count items,
                              Operation operation, Initial initial, cudaStream_t stream = nullptr) {
        using Value = emulator::value_of<Input>;
        using Accumulator = emulator::accumulator_of<Operation, Value, Initial>;
        return emulator::cub_call("cub::DeviceReduce", storage, bytes, (size_t)items / 1024, stream,
                                  [=] {
                                      Accumulator sum = (Accumulator)initial;
                                      for (uint64_t i = 0; i < (uint64_t)items; i++) {
                                          sum = (Accumulator)operation(sum, in[(std::ptrdiff_t)i]);
                                      }
                                      emulator::store(out, 0, sum);
                                  });
    }

    template <class Input, class Output, class Count>
    static cudaError_t Sum(void *storage, size_t &bytes, Input in, Output out, Count items,
                           cudaStream_t stream = nullptr) {
        return Reduce(storage, bytes, in, out, items, ::cuda::std::plus<>{},
                      emulator::value_of<Output>{}, stream);
    }

    template <class Input, class Output, class Count>
    static cudaError_t Max(void *storage, size_t &bytes, Input in, Output out, Count items,
                           cudaStream_t stream = nullptr) {
        return Reduce(storage, bytes, in, out, items, ::cuda::maximum<>{},
                      std::numeric_limits<emulator::value_of<Input>>::lowest(), stream);
    }

    template <class Input, class Output, class Count>
    static cudaError_t Min(void *storage, size_t &bytes, Input in, Output out, Count items,
                           cudaStream_t stream = nullptr) {
        return Reduce(storage, bytes, in, out, items, ::cuda::minimum<>{},
                      std::numeric_limits<emulator::value_of<Input>>::max(), stream);
    }
};

struct DeviceSelect {
    template <class Input, class Flags, class Output, class Selected, class Count>
    static cudaError_t Flagged(void *storage, size_t &bytes, Input in, Flags flags, Output out,
                               Selected selected, Count items, cudaStream_t stream = nullptr) {
        return emulator::cub_call("cub::DeviceSelect", storage, bytes, (size_t)items / 64, stream,
                                  [=] {
                                      uint64_t count = 0;
                                      for (uint64_t i = 0; i < (uint64_t)items; i++) {
                                          if (flags[(std::ptrdiff_t)i]) {
                                              emulator::store(out, count++, in[(std::ptrdiff_t)i]);
                                          }
                                      }
                                      emulator::store(selected, 0, count);
                                  });
    }

    template <class Input, class Output, class Selected, class Count, class Condition>
    static cudaError_t If(void *storage, size_t &bytes, Input in, Output out, Selected selected,
                          Count items, Condition condition, cudaStream_t stream = nullptr) {
        return emulator::cub_call("cub::DeviceSelect", storage, bytes, (size_t)items / 64, stream,
                                  [=] {
                                      uint64_t count = 0;
                                      for (uint64_t i = 0; i < (uint64_t)items; i++) {
                                          emulator::value_of<Input> value = in[(std::ptrdiff_t)i];
                                          if (condition(value)) {
                                              emulator::store(out, count++, value);
                                          }
                                      }
                                      emulator::store(selected, 0, count);
                                  });
    }
};

} // namespace cub

namespace emulator {

/* Sorts by bits [begin, end) of the keys, as a radix sort does: stable. */
template <class Key, class Value>
void sort_pairs(const Key *keys_in, Key *keys_out, const Value *values_in, Value *values_out,
                uint64_t items, int begin, int end, bool descending) {
    static_assert(std::is_integral<Key>::value, "keys are integers here");
    using Unsigned = std::make_unsigned_t<Key>;
    std::vector<uint64_t> positions(items);
    for (uint64_t i = 0; i < items; i++) {
        positions[i] = i;
    }
    const int bits = (int)sizeof(Key) * 8;
    auto digit = [=](uint64_t i) {
        Unsigned key = (Unsigned)keys_in[i];
        if (std::is_signed<Key>::value) {
            key = (Unsigned)(key ^ (Unsigned)((Unsigned)1 << (bits - 1)));
        }
        uint64_t digits = end <= begin ? 0 : (uint64_t)key >> begin;
        return end - begin >= 64 ? digits : digits & (((uint64_t)1 << (end - begin)) - 1);
    };
    std::stable_sort(positions.begin(), positions.end(), [=](uint64_t left, uint64_t right) {
        return descending ? digit(right) < digit(left) : digit(left) < digit(right);
    });
    std::vector<Key> keys(items);
    for (uint64_t i = 0; i < items; i++) {
        keys[i] = keys_in[positions[i]];
    }
    if (values_in != nullptr) {
        std::vector<Value> values(items);
        for (uint64_t i = 0; i < items; i++) {
            values[i] = values_in[positions[i]];
        }
        std::copy(values.begin(), values.end(), values_out);
    }
    std::copy(keys.begin(), keys.end(), keys_out);
}

template <class Key, class Value>
cudaError_t radix_sort(void *storage, size_t &bytes, const Key *keys_in, Key *keys_out,
                       const Value *values_in, Value *values_out, uint64_t items, int begin,
                       int end, bool descending, bool copies, cudaStream_t stream) {
    size_t item = sizeof(Key) + (values_in == nullptr ? 0 : sizeof(Value));
    size_t needed = items / 64 + (copies ? (size_t)items * item : 0);
    return cub_call("cub::DeviceRadixSort", storage, bytes, needed, stream, [=] {
        sort_pairs(keys_in, keys_out, values_in, values_out, items, begin, end, descending);
    });
}

} // namespace emulator

namespace cub {

#define EMULATOR_SORT(suffix, descending)                                                          \
    template <class Key, class Count>                                                              \
    static cudaError_t SortKeys##suffix(                                                           \
        void *storage, size_t &bytes, const Key *in, Key *out, Count items, int begin = 0,         \
        int end = (int)sizeof(Key) * 8, cudaStream_t stream = nullptr) {                           \
        return emulator::radix_sort<Key, char>(storage, bytes, in, out, nullptr, nullptr,          \
                                               (uint64_t)items, begin, end, descending, true,      \
                                               stream);                                            \
    }                                                                                              \
    template <class Key, class Value, class Count>                                                 \
    static cudaError_t SortPairs##suffix(                                                          \
        void *storage, size_t &bytes, const Key *keys_in, Key *keys_out, const Value *values_in,   \
        Value *values_out, Count items, int begin = 0, int end = (int)sizeof(Key) * 8,             \
        cudaStream_t stream = nullptr) {                                                           \
        return emulator::radix_sort(storage, bytes, keys_in, keys_out, values_in, values_out,      \
                                    (uint64_t)items, begin, end, descending, true, stream);        \
    }                                                                                              \
    template <class Key, class Count>                                                              \
    static cudaError_t SortKeys##suffix(                                                           \
        void *storage, size_t &bytes, DoubleBuffer<Key> &keys, Count items, int begin = 0,         \
        int end = (int)sizeof(Key) * 8, cudaStream_t stream = nullptr) {                           \
        Key *in = keys.Current(), *out = keys.Alternate();                                         \
        keys.selector ^= storage != nullptr;                                                       \
        return emulator::radix_sort<Key, char>(storage, bytes, in, out, nullptr, nullptr,          \
                                               (uint64_t)items, begin, end, descending, false,     \
                                               stream);                                            \
    }                                                                                              \
    template <class Key, class Value, class Count>                                                 \
    static cudaError_t SortPairs##suffix(void *storage, size_t &bytes, DoubleBuffer<Key> &keys,    \
                                         DoubleBuffer<Value> &values, Count items, int begin = 0,  \
                                         int end = (int)sizeof(Key) * 8,                           \
                                         cudaStream_t stream = nullptr) {                          \
        Key *keys_in = keys.Current(), *keys_out = keys.Alternate();                               \
        Value *values_in = values.Current(), *values_out = values.Alternate();                     \
        keys.selector ^= storage != nullptr;                                                       \
        values.selector ^= storage != nullptr;                                                     \
        return emulator::radix_sort(storage, bytes, keys_in, keys_out, values_in, values_out,      \
                                    (uint64_t)items, begin, end, descending, false, stream);       \
    }

struct DeviceRadixSort {
    EMULATOR_SORT(, false)
    EMULATOR_SORT(Descending, true)
};

struct DeviceMergeSort {
    template <class Keys, class Count, class Less>
    static cudaError_t SortKeys(void *storage, size_t &bytes, Keys keys, Count items, Less less,
                                cudaStream_t stream = nullptr) {
        size_t needed = (size_t)items * sizeof(emulator::value_of<Keys>);
        return emulator::cub_call("cub::DeviceMergeSort", storage, bytes, needed, stream,
                                  [=] { std::stable_sort(keys, keys + (size_t)items, less); });
    }
    template <class Keys, class Count, class Less>
    static cudaError_t StableSortKeys(void *storage, size_t &bytes, Keys keys, Count items,
                                      Less less, cudaStream_t stream = nullptr) {
        return SortKeys(storage, bytes, keys, items, less, stream);
    }
};

/* Each segment [begins[i], ends[i]) on its own. */
struct DeviceSegmentedSort {
    template <class Key, class Value, class Begins, class Ends>
    static cudaError_t SortPairs(void *storage, size_t &bytes, const Key *keys_in, Key *keys_out,
                                 const Value *values_in, Value *values_out, int64_t items,
                                 int64_t segments, Begins begins, Ends ends,
                                 cudaStream_t stream = nullptr) {
        size_t item = sizeof(Key) + (values_in == nullptr ? 0 : sizeof(Value));
        size_t needed = (size_t)items * item + (size_t)segments * 8;
        return emulator::cub_call("cub::DeviceSegmentedSort", storage, bytes, needed, stream, [=] {
            for (int64_t i = 0; i < segments; i++) {
                int64_t begin = (int64_t)begins[i], end = (int64_t)ends[i];
                if (begin < end) {
                    emulator::sort_pairs(keys_in + begin, keys_out + begin,
                                         values_in == nullptr ? nullptr : values_in + begin,
                                         values_out == nullptr ? nullptr : values_out + begin,
                                         (uint64_t)(end - begin), 0, (int)sizeof(Key) * 8, false);
                }
            }
        });
    }
    template <class Key, class Begins, class Ends>
    static cudaError_t SortKeys(void *storage, size_t &bytes, const Key *in, Key *out,
                                int64_t items, int64_t segments, Begins begins, Ends ends,
                                cudaStream_t stream = nullptr) {
        return SortPairs<Key, char>(storage, bytes, in, out, nullptr, nullptr, items, segments,
                                    begins, ends, stream);
    }
};

struct DeviceRunLengthEncode {
    template <class Input, class Unique, class Lengths, class Runs, class Count>
    static cudaError_t Encode(void *storage, size_t &bytes, Input in, Unique unique,
                              Lengths lengths, Runs runs, Count items,
                              cudaStream_t stream = nullptr) {
        return emulator::cub_call(
            "cub::DeviceRunLengthEncode", storage, bytes, (size_t)items / 64, stream, [=] {
                uint64_t count = 0, begin = 0;
                for (uint64_t i = 1; i <= (uint64_t)items; i++) {
                    if (i == (uint64_t)items ||
                        !(in[(std::ptrdiff_t)i] == in[(std::ptrdiff_t)begin])) {
                        emulator::store(unique, count, in[(std::ptrdiff_t)begin]);
                        emulator::store(lengths, count++, i - begin);
                        begin = i;
                    }
                }
                emulator::store(runs, 0, count);
            });
    }
};

} // namespace cub

#endif
