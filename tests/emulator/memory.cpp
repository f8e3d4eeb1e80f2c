/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Device memory, pinned memory, copies, textures and attributes of kernels. */
#include "state.h"
#include "threads.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

namespace emulator {
namespace {

const unsigned char poison = 0xa5;

/* Guard bytes behind each allocation. Not needed with AddressSanitizer, which finds accesses behind
 * the end itself. */
#ifdef __SANITIZE_ADDRESS__
const size_t tail_bytes = 0;
#else
const size_t tail_bytes = 64;
#endif

struct range {
    size_t bytes;
    cudaMemoryType type;
    bool registered; /* the caller's memory */
    int device;
};

struct texture {
    const unsigned char *memory; /* NULL: destroyed */
    size_t element_bytes;
    size_t elements;
};

std::map<uintptr_t, range> ranges; /* by their first address */
std::vector<texture> textures;     /* object n is number n - 1; numbers are not used again */
size_t live_textures;
std::map<std::pair<const void *, int>, size_t> shared_of_functions; /* and devices */
size_t total_memory = (size_t)4 << 30;
size_t used_memory[most_devices];
size_t most_texture_elements = (size_t)1 << 28;

/* The range that holds all these bytes. */
const range *find_range(const void *memory, size_t bytes) {
    auto next = ranges.upper_bound((uintptr_t)memory);
    if (next == ranges.begin()) {
        return nullptr;
    }
    --next;
    uintptr_t offset = (uintptr_t)memory - next->first;
    bool inside = offset <= next->second.bytes && bytes <= next->second.bytes - offset &&
                  (offset < next->second.bytes || next->second.bytes == 0);
    return inside ? &next->second : nullptr;
}

bool is_device(const void *memory, size_t bytes) {
    const range *found = find_range(memory, bytes);
    return found != nullptr && found->type == cudaMemoryTypeDevice;
}

bool is_pinned(const void *memory, size_t bytes) {
    const range *found = find_range(memory, bytes);
    return found != nullptr && found->type == cudaMemoryTypeHost;
}

/* Begins in device memory, wherever it ends. */
bool begins_in_device(const void *memory) {
    return is_device(memory, 0) || is_device(memory, 1);
}

texture *find_texture(cudaTextureObject_t object) {
    bool there = object - 1 < textures.size() && textures[object - 1].memory != nullptr;
    return there ? &textures[object - 1] : nullptr;
}

/* Fills new memory (at most 64 MiB of it) with a value that no program may rely on. */
void spoil(void *memory, size_t bytes) {
    const size_t most = (size_t)64 << 20;
    memset(memory, poison, bytes < most ? bytes : most);
}

cudaError_t allocate(void **memory, size_t bytes, cudaMemoryType type) {
    *memory = nullptr;
    if (bytes == 0) {
        return cudaSuccess; /* NULL, as CUDA does */
    }
    bool device = type == cudaMemoryTypeDevice;
    int number = device_now();
    CHECK(!device || bytes <= total_memory - used_memory[number], cudaErrorMemoryAllocation);
    CHECK(posix_memalign(memory, device ? texture_alignment : 4096, bytes + tail_bytes) == 0,
          cudaErrorMemoryAllocation);
    spoil(*memory, bytes);
    std::fill_n((unsigned char *)*memory + bytes, tail_bytes, poison);
    ranges[(uintptr_t)*memory] = {bytes, type, false, number};
    used_memory[number] += device ? bytes : 0;
    return cudaSuccess;
}

cudaError_t release(void *memory, cudaMemoryType type) {
    if (memory == nullptr) {
        return cudaSuccess;
    }
    auto found = ranges.find((uintptr_t)memory);
    CHECK(found != ranges.end() && found->second.type == type && !found->second.registered,
          cudaErrorInvalidValue);
    wait_for_device();
    size_t bytes = found->second.bytes;
    const unsigned char *end = (unsigned char *)memory + bytes;
    for (const unsigned char *next = end; next != end + tail_bytes; next++) {
        if (*next != poison) {
            fail("byte %td behind an allocation of %zu bytes was written", next - end, bytes);
        }
    }
    used_memory[found->second.device] -= type == cudaMemoryTypeDevice ? bytes : 0;
    ranges.erase(found);
    spoil(memory, bytes);
    free(memory);
    return cudaSuccess;
}

cudaError_t copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                 bool wait) {
    CHECK(is_stream(stream), cudaErrorInvalidResourceHandle);
    if (bytes == 0) {
        return cudaSuccess;
    }
    bool to_device = is_device(to, bytes), from_device = is_device(from, bytes);
    /* Copies that leave an allocation, and wrong directions. */
    CHECK(to_device || !begins_in_device(to), cudaErrorInvalidValue);
    CHECK(from_device || !begins_in_device(from), cudaErrorInvalidValue);
    if (kind != cudaMemcpyDefault) {
        bool wants_to = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
        bool wants_from = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
        /* Pinned memory has an address on the device as well. */
        CHECK(wants_to == to_device || (wants_to && is_pinned(to, bytes)), cudaErrorInvalidValue);
        CHECK(wants_from == from_device || (wants_from && is_pinned(from, bytes)),
              cudaErrorInvalidValue);
    }
    cudaError_t code = cudaSuccess;
    bool pageable =
        !(to_device || is_pinned(to, bytes)) || !(from_device || is_pinned(from, bytes));
    code = enqueue(stream, [to, from, bytes] { memmove(to, from, bytes); });
    if (code == cudaSuccess && (wait || pageable)) {
        wait_for_stream(stream); /* pageable memory is staged before the call returns */
    }
    return code;
}

} // namespace

size_t memory_total() {
    return total_memory;
}

size_t texture_elements() {
    return most_texture_elements;
}

void set_memory(size_t bytes) {
    size_t used = *std::max_element(used_memory, used_memory + most_devices);
    total_memory = bytes < used ? used : bytes;
}

void set_texture_elements(size_t elements) {
    most_texture_elements = elements;
}

size_t live_memory() {
    return ranges.size() + live_textures;
}

const void *texture_element(cudaTextureObject_t object, int index, size_t element_bytes) {
    const texture *read = find_texture(object);
    if (read == nullptr) {
        fail("tex1Dfetch of a texture object that does not exist");
    }
    if (read->element_bytes != element_bytes) {
        fail("tex1Dfetch of %zu bytes from a texture of elements of %zu", element_bytes,
             read->element_bytes);
    }
    if (index < 0 || (size_t)index >= read->elements) {
        fail("tex1Dfetch of element %d of a texture of %zu", index, read->elements);
    }
    return read->memory + (size_t)index * element_bytes;
}

/* ------------------------------------------------------------------ kernels */

cudaError_t check_launch(const kernel_launch &launch) {
    uint64_t count = (uint64_t)launch.block.x * launch.block.y * launch.block.z;
    CHECK(count != 0 && count <= (uint64_t)most_threads && launch.block.z <= 64,
          cudaErrorInvalidConfiguration);
    CHECK(launch.grid.x != 0 && launch.grid.y != 0 && launch.grid.z != 0,
          cudaErrorInvalidConfiguration);
    CHECK(launch.grid.x <= 0x7fffffff && launch.grid.y <= 65535 && launch.grid.z <= 65535,
          cudaErrorInvalidConfiguration);
    CHECK(is_of_device(launch.stream), cudaErrorInvalidResourceHandle);
    auto found = shared_of_functions.find({launch.function, device_now()});
    size_t most = found == shared_of_functions.end() ? default_shared : found->second;
    CHECK(launch.shared <= most, cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t set_function_attribute(const void *function, cudaFuncAttribute attribute, int value) {
    api_call self("cudaFuncSetAttribute");
    if (self.code != cudaSuccess) {
        return self.code;
    }
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
        CHECK(value >= 0 && (size_t)value <= most_shared, cudaErrorInvalidValue);
        shared_of_functions[{function, device_now()}] = (size_t)value;
    }
    return cudaSuccess;
}

cudaError_t copy_to_symbol(void *symbol, size_t size, const void *from, size_t bytes, size_t offset,
                           cudaMemcpyKind kind, cudaStream_t stream) {
    api_call self("cudaMemcpyToSymbolAsync");
    if (self.code != cudaSuccess) {
        return self.code;
    }
    CHECK(is_stream(stream), cudaErrorInvalidResourceHandle);
    CHECK(offset <= size && bytes <= size - offset, cudaErrorInvalidValue);
    CHECK(kind == cudaMemcpyDeviceToDevice && is_device(from, bytes),
          cudaErrorInvalidMemcpyDirection); /* what is used here */
    return enqueue(stream, [=] { memcpy((char *)symbol + offset, from, bytes); });
}

/* By threads and shared memory; registers are not counted. */
cudaError_t resident_blocks(int *blocks, int threads, size_t shared) {
    api_call self("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    if (self.code != cudaSuccess) {
        return self.code;
    }
    CHECK(threads > 0, cudaErrorInvalidValue);
    size_t by_threads = threads > most_threads ? 0 : (size_t)(2 * most_threads / threads);
    size_t by_shared = (most_shared + 1024) / (shared + 1024);
    *blocks = (int)(by_threads < by_shared ? by_threads : by_shared);
    return cudaSuccess;
}

} // namespace emulator

using emulator::allocate;
using emulator::find_range;
using emulator::ranges;

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    CALL();
    *available = emulator::total_memory - emulator::used_memory[emulator::device_now()];
    *total = emulator::total_memory;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, size_t bytes) {
    CALL();
    return allocate(memory, bytes, cudaMemoryTypeDevice);
}

cudaError_t cudaFree(void *memory) {
    CALL_FREE();
    cudaError_t code = emulator::release(memory, cudaMemoryTypeDevice);
    return self.code != cudaSuccess ? self.code : code;
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned) {
    CALL();
    return allocate(memory, bytes, cudaMemoryTypeHost);
}

cudaError_t cudaMallocHost(void **memory, size_t bytes) {
    return cudaHostAlloc(memory, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *memory) {
    CALL_FREE();
    cudaError_t code = emulator::release(memory, cudaMemoryTypeHost);
    return self.code != cudaSuccess ? self.code : code;
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned) {
    CALL();
    CHECK(memory != nullptr && bytes != 0, cudaErrorInvalidValue);
    auto next = ranges.lower_bound((uintptr_t)memory);
    bool overlaps = find_range(memory, 1) != nullptr ||
                    (next != ranges.end() && next->first - (uintptr_t)memory < bytes);
    CHECK(!overlaps, cudaErrorHostMemoryAlreadyRegistered);
    ranges[(uintptr_t)memory] = {bytes, cudaMemoryTypeHost, true, emulator::device_now()};
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *memory) {
    CALL_FREE();
    auto found = ranges.find((uintptr_t)memory);
    CHECK(found != ranges.end() && found->second.registered, cudaErrorHostMemoryNotRegistered);
    emulator::wait_for_device();
    ranges.erase(found);
    return self.code;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned) {
    CALL();
    CHECK(emulator::is_pinned(host, 1), cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *memory) {
    CALL();
    const emulator::range *found = find_range(memory, 1);
    *attributes = {};
    if (found != nullptr) {
        attributes->type = found->type;
        attributes->device = found->device;
        attributes->devicePointer = (void *)memory;
        attributes->hostPointer = found->type == cudaMemoryTypeHost ? (void *)memory : nullptr;
    } else {
        attributes->device = -2;
        attributes->hostPointer = (void *)memory;
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    CALL();
    return emulator::copy(to, from, bytes, kind, stream, false);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    CALL();
    return emulator::copy(to, from, bytes, kind, nullptr, true);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream) {
    CALL();
    if (bytes == 0) {
        return cudaSuccess;
    }
    CHECK(emulator::is_device(memory, bytes) || emulator::is_pinned(memory, bytes),
          cudaErrorInvalidValue);
    return emulator::enqueue(stream, [=] { memset(memory, value, bytes); });
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes) {
    return cudaMemsetAsync(memory, value, bytes, nullptr);
}

/* ------------------------------------------------------------------ textures */

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
    return {x, y, z, w, kind};
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *description,
                                    const cudaResourceViewDesc *view) {
    CALL();
    CHECK(resource->resType == cudaResourceTypeLinear && description != nullptr && view == nullptr,
          cudaErrorInvalidValue);
    const cudaChannelFormatDesc &format = resource->res.linear.desc;
    int lanes = (format.x != 0) + (format.y != 0) + (format.z != 0) + (format.w != 0);
    size_t bytes = resource->res.linear.sizeInBytes;
    void *memory = resource->res.linear.devPtr;
    CHECK((format.x == 8 || format.x == 16 || format.x == 32) && lanes != 3, cudaErrorInvalidValue);
    CHECK((lanes < 2 || format.y == format.x) && (lanes < 4 || format.w == format.x),
          cudaErrorInvalidValue);
    size_t element_bytes = (size_t)(format.x / 8 * lanes);
    CHECK(bytes >= element_bytes && bytes / element_bytes <= emulator::most_texture_elements,
          cudaErrorInvalidValue);
    CHECK((uintptr_t)memory % emulator::texture_alignment == 0, cudaErrorInvalidValue);
    CHECK(emulator::is_device(memory, bytes), cudaErrorInvalidValue);
    emulator::textures.push_back(
        {(const unsigned char *)memory, element_bytes, bytes / element_bytes});
    emulator::live_textures++;
    *object = emulator::textures.size();
    return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
    CALL_FREE();
    emulator::texture *found = emulator::find_texture(object);
    CHECK(found != nullptr, cudaErrorInvalidValue);
    emulator::wait_for_device();
    found->memory = nullptr;
    emulator::live_textures--;
    return self.code;
}
