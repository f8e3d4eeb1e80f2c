/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Timing: scans of a text in device memory, and the ceilings of a device. */
#include "run/gpu/scan.cuh"

#include <math.h>

extern "C" {
#include "base/sized.h"
}

/* What a measurement has allocated. All of it is freed together at the end, also after a
 * failure. */
typedef struct measurement {
    void *text;
    void *memory[4]; /* total, per_pattern or ends or states, matches, workspace */
    void *pinned;
    cudaEvent_t begin, end; /* of a copy or a walk over memory */
    cudaEvent_t *between;   /* before the first of several scans, and behind each of them */
    uint32_t scans;
} measurement;

static void release(measurement *held) {
    if (held->begin != NULL) {
        (void)cudaEventDestroy(held->begin);
    }
    if (held->end != NULL) {
        (void)cudaEventDestroy(held->end);
    }
    for (uint32_t i = 0; held->between != NULL && i <= held->scans; i++) {
        if (held->between[i] != NULL) {
            (void)cudaEventDestroy(held->between[i]);
        }
    }
    trawl_release(held->between);
    for (size_t i = 0; i < sizeof held->memory / sizeof *held->memory; i++) {
        (void)cudaFree(held->memory[i]);
    }
    (void)cudaFree(held->text);
    (void)cudaFreeHost(held->pinned);
    (void)cudaGetLastError();
}

static int compare_seconds(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Sets *seconds to the time since the event held->begin, when all work of the default stream is
 * done. */
static trawl_status read_seconds(const measurement *held, double *seconds, trawl_error *error) {
    TRAWL_CUDA_TRY(cudaEventRecord(held->end, 0), error);
    TRAWL_CUDA_TRY(cudaEventSynchronize(held->end), error);
    float milliseconds = 0;
    TRAWL_CUDA_TRY(cudaEventElapsedTime(&milliseconds, held->begin, held->end), error);
    *seconds = (double)milliseconds / 1e3;
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ scans */

static trawl_status allocate_results(const trawl_cuda_db *uploaded,
                                     const trawl_cuda_scan_options *scan, uint64_t length,
                                     measurement *held, trawl_cuda_results *results,
                                     trawl_error *error) {
    uint64_t owned = length - scan->owned;
    size_t bytes = 0;
    TRAWL_CUDA_TRY(cudaMalloc(&held->memory[0], sizeof(uint64_t)), error);
    TRAWL_CUDA_TRY(cudaMemset(held->memory[0], 0, sizeof(uint64_t)), error);
    results->total = (uint64_t *)held->memory[0];
    if (scan->form == TRAWL_CUDA_PATTERNS) {
        bytes = uploaded->patterns.count * sizeof(uint64_t);
    } else if (scan->form == TRAWL_CUDA_ENDS) {
        bytes = (owned + 31) / 32 * sizeof(uint32_t);
    } else if (scan->form == TRAWL_CUDA_STATES) {
        bytes = owned * trawl_study_cuda_state_bytes(uploaded);
    }
    if (bytes != 0) {
        TRAWL_CUDA_TRY(cudaMalloc(&held->memory[1], bytes), error);
        results->per_pattern = (uint64_t *)held->memory[1];
        results->ends = (uint32_t *)held->memory[1];
        results->states = held->memory[1];
    }
    return TRAWL_OK;
}

static trawl_status make_events(uint32_t scans, measurement *held, trawl_error *error) {
    held->between = (cudaEvent_t *)trawl_allocate_zeroed(scans + (size_t)1, sizeof *held->between);
    held->scans = scans;
    if (held->between == NULL) {
        return trawl_fail_memory(error, "a measurement", (scans + UINT64_C(1)) * sizeof(void *));
    }
    for (uint32_t i = 0; i <= scans; i++) {
        TRAWL_CUDA_TRY(cudaEventCreate(&held->between[i]), error);
    }
    return TRAWL_OK;
}

/* Scans one time more than are timed, one behind the other without a pause, so that the device does
 * not wait for the host between them. */
static trawl_status scan_again(const trawl_cuda_db *uploaded, const trawl_cuda_scan_options *scan,
                               uint64_t length, const measurement *held,
                               const trawl_cuda_results *results, size_t workspace_bytes,
                               double *seconds, trawl_error *error) {
    trawl_status status = TRAWL_OK;
    for (uint32_t i = 0; status == TRAWL_OK && i <= held->scans; i++) {
        status = trawl_cuda_scan_any(uploaded, scan, held->text, length, results, held->memory[3],
                                     workspace_bytes, 0, error);
        if (status == TRAWL_OK) {
            TRAWL_CUDA_TRY(cudaEventRecord(held->between[i], 0), error);
        }
    }
    TRAWL_CUDA_TRY(cudaStreamSynchronize(0), error);
    for (uint32_t i = 0; status == TRAWL_OK && i < held->scans; i++) {
        float milliseconds = 0;
        TRAWL_CUDA_TRY(cudaEventElapsedTime(&milliseconds, held->between[i], held->between[i + 1]),
                       error);
        seconds[i] = (double)milliseconds / 1e3;
    }
    return status;
}

static trawl_status measure(const trawl_cuda_db *uploaded, const trawl_cuda_scan_options *scan,
                            const void *text, uint64_t length, uint32_t repeats, measurement *held,
                            double *seconds, uint64_t *total, trawl_error *error) {
    trawl_cuda_results results;
    memset(&results, 0, sizeof results);
    size_t workspace_bytes = 0;
    trawl_status status = trawl_cuda_workspace_any(uploaded, scan, length, &workspace_bytes, error);
    if (status == TRAWL_OK) {
        status = allocate_results(uploaded, scan, length, held, &results, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    status = make_events(repeats, held, error);
    if (status != TRAWL_OK) {
        return status;
    }
    TRAWL_CUDA_TRY(cudaMalloc(&held->text, length == 0 ? 1 : length), error);
    TRAWL_CUDA_TRY(cudaMemcpy(held->text, text, length, cudaMemcpyHostToDevice), error);
    TRAWL_CUDA_TRY(cudaMalloc(&held->memory[3], workspace_bytes == 0 ? 1 : workspace_bytes), error);
    status = trawl_cuda_scan_any(uploaded, scan, held->text, length, &results, held->memory[3],
                                 workspace_bytes, 0, error); /* for the number of matches */
    if (status != TRAWL_OK) {
        return status;
    }
    uint64_t found = 0;
    TRAWL_CUDA_TRY(cudaMemcpy(&found, results.total, sizeof found, cudaMemcpyDeviceToHost), error);
    if (scan->form == TRAWL_CUDA_MATCHES && found != 0) {
        TRAWL_CUDA_TRY(cudaMalloc(&held->memory[2], found * sizeof(trawl_cuda_match)), error);
        results.matches = (trawl_cuda_match *)held->memory[2];
        results.capacity = found;
    }
    status = scan_again(uploaded, scan, length, held, &results, workspace_bytes, seconds, error);
    if (status == TRAWL_OK && total != NULL) {
        TRAWL_CUDA_TRY(cudaMemcpy(total, results.total, sizeof found, cudaMemcpyDeviceToHost),
                       error);
    }
    return status;
}

extern "C" trawl_status trawl_study_cuda_measure(const trawl_cuda_db *uploaded,
                                                 const trawl_cuda_scan_options *options,
                                                 const void *text, uint64_t length,
                                                 uint32_t repeats, double *seconds, uint64_t *total,
                                                 trawl_error *error) {
    trawl_clear(error);
    if (uploaded == NULL || options == NULL || text == NULL || seconds == NULL || repeats == 0) {
        return trawl_fail(
            error, TRAWL_ERROR_ARGUMENT,
            "trawl_study_cuda_measure: a database, a scan, a text and one repeat or more "
            "are expected");
    }
    trawl_status status = trawl_sized_check(options, "CUDA scan", "TRAWL_CUDA_SCAN_OPTIONS", error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_cuda_scan_options scan;
    trawl_sized_read(&scan, options, sizeof scan);
    if (scan.owned > length) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "trawl_study_cuda_measure: %" PRIu64 " bytes are not owned, but the text "
                          "has %" PRIu64,
                          scan.owned, length);
    }
    int before;
    TRAWL_CUDA_TRY(trawl_cuda_enter(uploaded->device.number, &before), error);
    measurement held;
    memset(&held, 0, sizeof held);
    status = measure(uploaded, &scan, text, length, repeats, &held, seconds, total, error);
    release(&held);
    trawl_cuda_leave(before);
    if (status == TRAWL_OK) {
        qsort(seconds, repeats, sizeof *seconds, compare_seconds);
    }
    return status;
}

/* ------------------------------------------------------------------ ceilings */

/* Sums words, so that the compiler cannot remove a load. Each thread has four loads of 16 bytes
 * under way at a time. */
static __global__ void read_memory(const uint4 *words, size_t count, uint32_t *sink) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t sum = 0;
    for (; i + 3 * stride < count; i += 4 * stride) {
        uint4 a = words[i], b = words[i + stride];
        uint4 c = words[i + 2 * stride], d = words[i + 3 * stride];
        sum += (a.x ^ a.y ^ a.z ^ a.w) + (b.x ^ b.y ^ b.z ^ b.w);
        sum += (c.x ^ c.y ^ c.z ^ c.w) + (d.x ^ d.y ^ d.z ^ d.w);
    }
    for (; i < count; i += stride) {
        uint4 a = words[i];
        sum += a.x ^ a.y ^ a.z ^ a.w;
    }
    if (sum == 0x9e3779b9u) { /* practically never true, but the compiler cannot know that */
        *sink = sum;
    }
}

static __global__ void copy_memory(const uint4 *from, uint4 *to, size_t count) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        to[i] = from[i];
    }
}

typedef enum ceiling {
    MEMORY_READ,
    MEMORY_COPY,
    HOST_TO_DEVICE,
    DEVICE_TO_HOST,
    ZERO_COPY
} ceiling;

static trawl_status run_ceiling(ceiling which, measurement *held, size_t bytes, size_t link_bytes,
                                unsigned blocks, trawl_error *error) {
    enum { THREADS = 512 };
    uint32_t *sink = (uint32_t *)held->memory[1];
    switch (which) {
    case MEMORY_READ:
        TRAWL_LAUNCH(read_memory, blocks, THREADS, 0, 0, (const uint4 *)held->text,
                     bytes / sizeof(uint4), sink);
        break;
    case MEMORY_COPY:
        TRAWL_LAUNCH(copy_memory, blocks, THREADS, 0, 0, (const uint4 *)held->text,
                     (uint4 *)held->memory[0], bytes / sizeof(uint4));
        break;
    case HOST_TO_DEVICE:
        TRAWL_CUDA_TRY(
            cudaMemcpyAsync(held->text, held->pinned, link_bytes, cudaMemcpyHostToDevice, 0),
            error);
        break;
    case DEVICE_TO_HOST:
        TRAWL_CUDA_TRY(
            cudaMemcpyAsync(held->pinned, held->text, link_bytes, cudaMemcpyDeviceToHost, 0),
            error);
        break;
    case ZERO_COPY: {
        void *mapped = NULL;
        TRAWL_CUDA_TRY(cudaHostGetDevicePointer(&mapped, held->pinned, 0), error);
        TRAWL_LAUNCH(read_memory, blocks, THREADS, 0, 0, (const uint4 *)mapped,
                     link_bytes / sizeof(uint4), sink);
        break;
    }
    }
    TRAWL_CUDA_LAUNCHED("a ceiling", error);
    return TRAWL_OK;
}

/* The median of several runs, in bytes a second. */
static trawl_status measure_ceiling(ceiling which, measurement *held, size_t bytes,
                                    size_t link_bytes, unsigned blocks, double *rate,
                                    trawl_error *error) {
    enum { RUNS = 7 };
    double seconds[RUNS];
    for (int run = 0; run < RUNS; run++) {
        /* A run that is not timed comes first, so that the device does not wait for the host. */
        trawl_status status = run_ceiling(which, held, bytes, link_bytes, blocks, error);
        if (status == TRAWL_OK) {
            TRAWL_CUDA_TRY(cudaEventRecord(held->begin, 0), error);
            status = run_ceiling(which, held, bytes, link_bytes, blocks, error);
        }
        if (status == TRAWL_OK) {
            status = read_seconds(held, &seconds[run], error);
        }
        if (status != TRAWL_OK) {
            return status;
        }
    }
    qsort(seconds, RUNS, sizeof *seconds, compare_seconds);
    double moved = which == MEMORY_READ   ? (double)bytes
                   : which == MEMORY_COPY ? 2.0 * (double)bytes
                                          : (double)link_bytes;
    *rate = moved / fmax(seconds[RUNS / 2], 1e-9);
    return TRAWL_OK;
}

static trawl_status measure_all(measurement *held, int device, trawl_cuda_ceilings *ceilings,
                                trawl_error *error) {
    trawl_cuda_device properties;
    trawl_status status = trawl_cuda_device_read(device, &properties, error);
    if (status != TRAWL_OK) {
        return status;
    }
    size_t available = 0, whole = 0;
    TRAWL_CUDA_TRY(cudaMemGetInfo(&available, &whole), error);
    /* Many times the L2 cache, and little beside the memory that other programs need. */
    size_t bytes = (size_t)2 << 30;
    while (bytes > available / 4 && bytes > ((size_t)1 << 20)) {
        bytes /= 2;
    }
    size_t link_bytes = bytes < ((size_t)256 << 20) ? bytes : (size_t)256 << 20;
    TRAWL_CUDA_TRY(cudaMalloc(&held->text, bytes), error);
    TRAWL_CUDA_TRY(cudaMalloc(&held->memory[0], bytes), error);
    TRAWL_CUDA_TRY(cudaMalloc(&held->memory[1], sizeof(uint32_t)), error);
    TRAWL_CUDA_TRY(cudaHostAlloc(&held->pinned, link_bytes, cudaHostAllocMapped), error);
    TRAWL_CUDA_TRY(cudaEventCreate(&held->begin), error);
    TRAWL_CUDA_TRY(cudaEventCreate(&held->end), error);
    memset(held->pinned, 0x5a, link_bytes);
    TRAWL_CUDA_TRY(cudaMemset(held->text, 0x5a, bytes), error);
    double *const rates[] = {&ceilings->memory_read, &ceilings->memory_copy,
                             &ceilings->host_to_device, &ceilings->device_to_host,
                             &ceilings->zero_copy};
    unsigned blocks = (unsigned)properties.multiprocessors * 16;
    for (int which = MEMORY_READ; status == TRAWL_OK && which <= ZERO_COPY; which++) {
        status =
            measure_ceiling((ceiling)which, held, bytes, link_bytes, blocks, rates[which], error);
    }
    return status;
}

extern "C" trawl_status trawl_study_cuda_ceilings(uint32_t device, trawl_cuda_ceilings *ceilings,
                                                  trawl_error *error) {
    trawl_clear(error);
    if (ceilings == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "trawl_study_cuda_ceilings: ceilings is NULL");
    }
    trawl_status status = trawl_sized_check(ceilings, "trawl_study_cuda_ceilings: ceilings",
                                            "TRAWL_CUDA_CEILINGS", error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_cuda_ceilings known;
    memset(&known, 0, sizeof known);
    trawl_sized_write(ceilings, &known, sizeof known);
    status = trawl_cuda_check(device, error);
    if (status != TRAWL_OK) {
        return status;
    }
    int before;
    TRAWL_CUDA_TRY(trawl_cuda_enter((int)device, &before), error);
    measurement held;
    memset(&held, 0, sizeof held);
    status = measure_all(&held, (int)device, &known, error);
    trawl_sized_write(ceilings, &known, sizeof known);
    release(&held);
    trawl_cuda_leave(before);
    return status;
}

/* ------------------------------------------------------------------ host memory */

extern "C" trawl_status trawl_cuda_pin(const void *bytes, size_t length, trawl_error *error) {
    trawl_clear(error);
    if (bytes == NULL || length == 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "trawl_cuda_pin: %s; a byte or more of memory is expected",
                          bytes == NULL ? "bytes is NULL" : "length is 0");
    }
    trawl_status status = trawl_cuda_check(0, error);
    if (status != TRAWL_OK) {
        return status;
    }
    TRAWL_CUDA_TRY(cudaHostRegister(const_cast<void *>(bytes), length,
                                    cudaHostRegisterPortable | cudaHostRegisterMapped),
                   error);
    return TRAWL_OK;
}

extern "C" void trawl_cuda_unpin(const void *bytes) {
    if (bytes != NULL && cudaHostUnregister(const_cast<void *>(bytes)) != cudaSuccess) {
        (void)cudaGetLastError();
    }
}
