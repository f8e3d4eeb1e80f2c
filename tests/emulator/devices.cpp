/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The properties of the emulated devices, and the names of errors. */
#include "errors.h"
#include "state.h"
#include "threads.h"

#include <cstdio>
#include <cstring>
#include <map>

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
    CALL_WITHOUT_DEVICE();
    CHECK(device >= 0 && device < emulator::device_count(), cudaErrorInvalidDevice);
    snprintf(text, (size_t)size, "0000:%02X:00.0", (unsigned)device + 1);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
    CALL_WITHOUT_DEVICE();
    CHECK(device >= 0 && device < emulator::device_count(), cudaErrorInvalidDevice);
    *properties = {};
    snprintf(properties->name, sizeof properties->name, "CUDA emulation");
    properties->totalGlobalMem = emulator::memory_total();
    properties->sharedMemPerBlock = emulator::default_shared;
    properties->sharedMemPerBlockOptin = emulator::most_shared;
    properties->sharedMemPerMultiprocessor = 228 << 10;
    properties->reservedSharedMemPerBlock = 1 << 10;
    properties->totalConstMem = 64 << 10;
    properties->textureAlignment = emulator::texture_alignment;
    properties->regsPerBlock = properties->regsPerMultiprocessor = 64 << 10;
    properties->warpSize = warpSize;
    properties->maxThreadsPerBlock = emulator::most_threads;
    properties->maxThreadsPerMultiProcessor = 2048;
    properties->maxBlocksPerMultiProcessor = 32;
    const int most_threads[] = {1024, 1024, 64}, most_blocks[] = {0x7fffffff, 65535, 65535};
    memcpy(properties->maxThreadsDim, most_threads, sizeof most_threads);
    memcpy(properties->maxGridSize, most_blocks, sizeof most_blocks);
    properties->major = emulator::device_is_old(device) ? 6 : 9;
    properties->multiProcessorCount = emulator::multiprocessors;
    properties->asyncEngineCount = 3;
    properties->concurrentKernels = properties->unifiedAddressing = 1;
    properties->l2CacheSize = 60 << 20;
    properties->memoryBusWidth = 6144;
    properties->canMapHostMemory = properties->canUseHostPointerForRegisteredMem = 1;
    properties->hostRegisterSupported = properties->hostRegisterReadOnlySupported = 1;
    properties->pciBusID = device + 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
    CALL_WITHOUT_DEVICE();
    cudaDeviceProp properties;
    cudaError_t code = cudaGetDeviceProperties(&properties, device);
    if (code != cudaSuccess) {
        return code;
    }
    const std::map<cudaDeviceAttr, size_t> values = {
        {cudaDevAttrMaxThreadsPerBlock, (size_t)properties.maxThreadsPerBlock},
        {cudaDevAttrMaxGridDimX, (size_t)properties.maxGridSize[0]},
        {cudaDevAttrMaxSharedMemoryPerBlock, properties.sharedMemPerBlock},
        {cudaDevAttrTotalConstantMemory, properties.totalConstMem},
        {cudaDevAttrWarpSize, (size_t)properties.warpSize},
        {cudaDevAttrMaxRegistersPerBlock, (size_t)properties.regsPerBlock},
        {cudaDevAttrClockRate, 1980000},
        {cudaDevAttrTextureAlignment, properties.textureAlignment},
        {cudaDevAttrMultiProcessorCount, (size_t)properties.multiProcessorCount},
        {cudaDevAttrIntegrated, 0},
        {cudaDevAttrCanMapHostMemory, 1},
        {cudaDevAttrComputeMode, 0},
        {cudaDevAttrMemoryClockRate, 3201000},
        {cudaDevAttrGlobalMemoryBusWidth, (size_t)properties.memoryBusWidth},
        {cudaDevAttrL2CacheSize, (size_t)properties.l2CacheSize},
        {cudaDevAttrMaxThreadsPerMultiProcessor, (size_t)properties.maxThreadsPerMultiProcessor},
        {cudaDevAttrAsyncEngineCount, (size_t)properties.asyncEngineCount},
        {cudaDevAttrUnifiedAddressing, 1},
        {cudaDevAttrMaxTexture1DLinearWidth, emulator::texture_elements()},
        {cudaDevAttrComputeCapabilityMajor, (size_t)properties.major},
        {cudaDevAttrComputeCapabilityMinor, (size_t)properties.minor},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, properties.sharedMemPerMultiprocessor},
        {cudaDevAttrMaxRegistersPerMultiprocessor, (size_t)properties.regsPerMultiprocessor},
        {cudaDevAttrPageableMemoryAccess, 0},
        {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, properties.sharedMemPerBlockOptin},
        {cudaDevAttrHostRegisterSupported, 1},
        {cudaDevAttrMaxBlocksPerMultiprocessor, (size_t)properties.maxBlocksPerMultiProcessor},
        {cudaDevAttrReservedSharedMemoryPerBlock, properties.reservedSharedMemPerBlock},
        {cudaDevAttrHostRegisterReadOnlySupported, 1},
    };
    auto found = values.find(attribute);
    CHECK(found != values.end(), cudaErrorInvalidValue);
    *value = (int)found->second;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) {
    CALL_WITHOUT_DEVICE();
    *version = CUDART_VERSION;
    return cudaSuccess;
}

const char *cudaGetErrorName(cudaError_t code) {
    for (const auto &each : error_texts) {
        if (each.code == code) {
            return each.name;
        }
    }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t code) {
    for (const auto &each : error_texts) {
        if (each.code == code) {
            return each.text;
        }
    }
    return "unrecognized error code";
}
