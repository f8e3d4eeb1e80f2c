/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The CUDA devices of this machine: their number, properties, and whether they can be used; errors
 * of CUDA calls. */
#include "gpu/contract.cuh"

extern "C" {
#include "gpu/devices.h"
}

/* Compute capability 7.0: the first with independent thread scheduling. The build has code from 7.5
 * on unless CMAKE_CUDA_ARCHITECTURES says otherwise (cmake/cuda.cmake); a launch then says so. */
#define OLDEST_MAJOR 7

/* A device with less than this free is of no use for scanning. */
#define LEAST_FREE_BYTES ((size_t)64 << 20)

trawl_status trawl_cuda_failed(cudaError_t code, const char *call, trawl_error *error) {
    int device = -1;
    (void)cudaGetLastError();
    if (cudaGetDevice(&device) != cudaSuccess) {
        (void)cudaGetLastError();
    }
    trawl_status status = TRAWL_ERROR_DEVICE;
    if (code == cudaErrorMemoryAllocation) {
        status = TRAWL_ERROR_MEMORY;
    } else if (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver ||
               code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDevice ||
               code == cudaErrorInitializationError || code == cudaErrorSystemDriverMismatch ||
               code == cudaErrorDevicesUnavailable) {
        status = TRAWL_ERROR_UNAVAILABLE;
    }
    int length = (int)strcspn(call, "("); /* the function's name is enough */
    return trawl_fail(error, status, "%.*s failed on CUDA device %d: %s (%s)", length, call, device,
                      cudaGetErrorString(code), cudaGetErrorName(code));
}

/* The number of devices, or 0 with the reason. */
static int count_devices(trawl_error *error) {
    int driver = 0, count = 0;
    cudaError_t code = cudaDriverGetVersion(&driver);
    if (code == cudaSuccess && driver == 0) {
        trawl_error_write(error, TRAWL_ERROR_UNAVAILABLE,
                          "no CUDA device can be used: no driver is installed");
        return 0;
    }
    if (code == cudaSuccess) {
        code = cudaGetDeviceCount(&count);
    }
    if (code == cudaErrorInsufficientDriver) {
        (void)cudaGetLastError();
        trawl_error_write(error, TRAWL_ERROR_UNAVAILABLE,
                          "no CUDA device can be used: the driver is for CUDA %d.%d, this program "
                          "needs %d.%d",
                          driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
                          CUDART_VERSION % 1000 / 10);
        return 0;
    }
    if (code != cudaSuccess || count == 0) {
        (void)cudaGetLastError();
        trawl_error_write(error, TRAWL_ERROR_UNAVAILABLE, "no CUDA device can be used: %s",
                          code == cudaSuccess ? "there is none" : cudaGetErrorString(code));
        return 0;
    }
    return count;
}

extern "C" size_t trawl_cuda_list(trawl_device *devices, size_t capacity) {
    int count = count_devices(NULL);
    size_t usable = 0;
    for (int number = 0; number < count; number++) {
        cudaDeviceProp properties;
        if (cudaGetDeviceProperties(&properties, number) != cudaSuccess) {
            (void)cudaGetLastError();
            continue;
        }
        if (properties.major < OLDEST_MAJOR) {
            continue;
        }
        if (usable < capacity) {
            trawl_device *device = &devices[usable];
            memset(device, 0, sizeof *device);
            (void)snprintf(device->name, sizeof device->name, "cuda:%d", number);
            (void)snprintf(device->description, sizeof device->description,
                           "%.64s (compute capability %d.%d)", properties.name, properties.major,
                           properties.minor);
            device->memory_bytes = properties.totalGlobalMem;
            device->units = (uint32_t)properties.multiProcessorCount;
        }
        usable++;
    }
    return usable;
}

/* Whether device `number` is one of `count`, and new enough. */
static trawl_status find_among(uint32_t number, int count, trawl_error *error) {
    if (number >= (uint32_t)count) {
        return trawl_fail(error, TRAWL_ERROR_UNAVAILABLE,
                          "there is no CUDA device %u: the last one is %d", number, count - 1);
    }
    /* One attribute: every scan calls this function, and fetching all properties takes long. */
    int major = 0;
    TRAWL_CUDA_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, (int)number),
                   error);
    if (major < OLDEST_MAJOR) {
        cudaDeviceProp properties;
        TRAWL_CUDA_TRY(cudaGetDeviceProperties(&properties, (int)number), error);
        return trawl_fail(error, TRAWL_ERROR_UNAVAILABLE,
                          "CUDA device %u (%.64s) has compute capability %d.%d; %d.0 is needed",
                          number, properties.name, properties.major, properties.minor,
                          OLDEST_MAJOR);
    }
    return TRAWL_OK;
}

/* Whether device `number` is there, and new enough. */
static trawl_status find_device(uint32_t number, trawl_error *error) {
    trawl_clear(error);
    trawl_error reason;
    int count = count_devices(&reason);
    return count == 0 ? trawl_fail(error, TRAWL_ERROR_UNAVAILABLE, "%s", reason.message)
                      : find_among(number, count, error);
}

extern "C" trawl_status trawl_cuda_devices_find(trawl_device_set *set, trawl_error *error) {
    trawl_clear(error);
    trawl_error reason;
    int count = count_devices(&reason);
    if (count == 0) {
        return trawl_fail(error, TRAWL_ERROR_UNAVAILABLE, "%s", reason.message);
    }
    trawl_status status = TRAWL_OK;
    for (uint32_t i = 0; i < set->count && status == TRAWL_OK; i++) {
        status = find_among(set->number[i], count, error);
    }
    for (int number = 0; set->all && number < count && set->count < TRAWL_MOST_DEVICES; number++) {
        status = find_among((uint32_t)number, count, error);
        set->number[set->count] = (uint16_t)number;
        set->count += status == TRAWL_OK ? 1 : 0;
    }
    return set->all && set->count != 0 ? TRAWL_OK : status;
}

extern "C" trawl_status trawl_cuda_check(uint32_t number, trawl_error *error) {
    trawl_status status = find_device(number, error);
    if (status != TRAWL_OK) {
        return status;
    }
    int before;
    TRAWL_CUDA_TRY(trawl_cuda_enter((int)number, &before), error);
    size_t available = 0, whole = 0;
    cudaError_t code = cudaMemGetInfo(&available, &whole);
    trawl_cuda_leave(before);
    if (code != cudaSuccess) {
        (void)cudaGetLastError();
        return trawl_fail(error, TRAWL_ERROR_UNAVAILABLE, "CUDA device %u cannot be used: %s (%s)",
                          number, cudaGetErrorString(code), cudaGetErrorName(code));
    }
    if (available < LEAST_FREE_BYTES) {
        return trawl_fail(error, TRAWL_ERROR_UNAVAILABLE,
                          "CUDA device %u has %zu bytes of memory free; %zu are needed", number,
                          available, LEAST_FREE_BYTES);
    }
    return TRAWL_OK;
}

extern "C" trawl_status trawl_cuda_start(uint32_t device, trawl_error *error) {
    return trawl_cuda_check(device, error); /* reading the free memory makes a context */
}

extern "C" trawl_status
trawl_cuda_read_properties(uint32_t number, trawl_cuda_properties *properties, trawl_error *error) {
    trawl_status status = find_device(number, error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_cuda_device found = {};
    status = trawl_cuda_device_read((int)number, &found, error);
    if (status == TRAWL_OK) {
        cudaDeviceProp all;
        TRAWL_CUDA_TRY(cudaGetDeviceProperties(&all, (int)number), error);
        properties->memory_bytes = all.totalGlobalMem;
        properties->multiprocessors = (uint32_t)found.multiprocessors;
        properties->shared_bytes = found.shared_bytes;
        properties->cache_bytes = found.l2_bytes;
    }
    return status;
}

cudaError_t trawl_cuda_enter(int device, int *before) {
    *before = -1;
    cudaError_t code = cudaGetDevice(before);
    if (code == cudaSuccess && *before != device) {
        code = cudaSetDevice(device);
    }
    return code;
}

void trawl_cuda_leave(int before) {
    int now = -1;
    if (before >= 0 && (cudaGetDevice(&now) != cudaSuccess || now != before)) {
        (void)cudaSetDevice(before);
        (void)cudaGetLastError(); /* otherwise the next launch would seem to have failed */
    }
}

trawl_status trawl_cuda_device_read(int number, trawl_cuda_device *device, trawl_error *error) {
    static const cudaDeviceAttr asked[] = {cudaDevAttrMultiProcessorCount,
                                           cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                           cudaDevAttrL2CacheSize,
                                           cudaDevAttrMaxTexture1DLinearWidth,
                                           cudaDevAttrWarpSize,
                                           cudaDevAttrComputeCapabilityMajor};
    int values[sizeof asked / sizeof *asked];
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        TRAWL_CUDA_TRY(cudaDeviceGetAttribute(&values[i], asked[i], number), error);
    }
    device->number = number;
    device->multiprocessors = values[0];
    device->shared_bytes = (size_t)values[1];
    device->l2_bytes = (size_t)values[2];
    device->texture_elements = (size_t)values[3];
    device->warp = (uint32_t)values[4];
    device->overlaps = values[5] >= 9;
    device->tuning = trawl_gpu_tuning_for(values[5]);
    return TRAWL_OK;
}
