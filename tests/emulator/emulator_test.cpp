/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Tests of the CUDA emulation itself: its results, and the mistakes that it must find. */
#include "emulator.h"
#include "gpu/emission.cuh"

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
}

/* ------------------------------------------------------------------ kernels */

/* Sums over a block in shared memory, with several barriers, so that the order of threads must not
 * matter. */
static __global__ void sum_kernel(const uint32_t *in, uint32_t count, uint32_t *out) {
    TRAWL_SHARED(memory);
    __shared__ uint32_t first;
    uint32_t *sums = (uint32_t *)memory;
    uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
    sums[threadIdx.x] = index < count ? in[index] : 0;
    if (threadIdx.x == 0) {
        first = sums[0];
    }
    for (uint32_t half = blockDim.x / 2; half != 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
    }
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) {
        atomicAdd(&out[0], sums[0]);
        atomicMax(&out[1], first);
    }
}

/* Threads that have exited count as arrived at a barrier. */
static __global__ void early_exit_kernel(uint32_t *out) {
    TRAWL_SHARED(memory);
    if (threadIdx.x % 3 != 0) {
        return;
    }
    memory[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (uint32_t i = 0; i < blockDim.x; i += 3) {
            *out += memory[i];
        }
    }
}

template <int width> static __global__ void shuffle_kernel(uint64_t *out) {
    uint32_t lane = threadIdx.x % 32;
    uint64_t value = (uint64_t)lane << 32 | lane;
    uint64_t sum = 0;
    sum += __shfl_sync(0xffffffffu, value, 3, width);
    sum = 31 * sum + __shfl_up_sync(0xffffffffu, value, 2, width);
    sum = 31 * sum + __shfl_down_sync(0xffffffffu, value, 5, width);
    sum = 31 * sum + __shfl_xor_sync(0xffffffffu, value, 4, width);
    sum = 31 * sum + __ballot_sync(0xffffffffu, lane % 3 == 0);
    sum = 31 * sum + (uint64_t)__any_sync(0xffffffffu, lane == 31);
    sum = 31 * sum + (uint64_t)__all_sync(0xffffffffu, lane < 31);
    sum = 31 * sum + (uint64_t)__syncthreads_count(lane < 7);
    out[threadIdx.x] = sum;
}

static __global__ void texture_kernel(cudaTextureObject_t bytes, cudaTextureObject_t vectors,
                                      uint32_t first, uint32_t *out) {
    uint32_t i = first + threadIdx.x;
    uint4 vector = tex1Dfetch<uint4>(vectors, (int)(i / 16));
    const uint32_t words[] = {vector.x, vector.y, vector.z, vector.w};
    uint32_t byte = tex1Dfetch<unsigned char>(bytes, (int)i);
    atomicAdd(out, byte == (words[i / 4 % 4] >> (8 * (i % 4)) & 0xff));
}

static __global__ void index_kernel(uint32_t *out) {
    out[threadIdx.x] = threadIdx.x + 3;
}

static __global__ void divergent_kernel(uint32_t *out) {
    if (threadIdx.x < 5) {
        __syncthreads();
    } else {
        __syncthreads();
    }
    *out = 1;
}

static __global__ void half_warp_kernel(uint32_t *out) {
    if (threadIdx.x < 16) {
        *out = __shfl_down_sync(0xffffffffu, threadIdx.x, 1);
    } else {
        __syncthreads();
    }
}

/* Reads its neighbour's value without a barrier: right in one order only. */
static __global__ void race_kernel(uint32_t *out) {
    TRAWL_SHARED(memory);
    memory[threadIdx.x] = (unsigned char)threadIdx.x;
    out[threadIdx.x] = threadIdx.x == 0 ? 0 : memory[threadIdx.x - 1];
}

static __global__ void misaligned_kernel(const uint32_t *in, uint32_t *out) {
    *out = *in;
}

/* Reporting by trawl's own gpu/emission.cuh. */
static __global__ void cursor_kernel(trawl_cuda_output output) {
    trawl_cuda_cursor_end(output, threadIdx.x < 40, threadIdx.x, threadIdx.x);
}

/* ------------------------------------------------------------------ helpers */

static void require(cudaError_t code) {
    if (code != cudaSuccess) {
        fail_msg("%s", cudaGetErrorName(code));
    }
}

static void *device_copy(const void *bytes, size_t size) {
    void *memory;
    require(cudaMalloc(&memory, size));
    require(bytes != NULL ? cudaMemcpy(memory, bytes, size, cudaMemcpyHostToDevice)
                          : cudaMemset(memory, 0, size));
    return memory;
}

static void fetch(void *to, const void *from, size_t size) {
    require(cudaGetLastError());
    require(cudaMemcpy(to, from, size, cudaMemcpyDeviceToHost));
}

/* Runs `action` in a child, which must end by itself with a message that contains `text`. */
static void require_abort(void (*action)(void), const char *text) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int number : {SIGABRT, SIGILL}) {
            signal(number, SIG_DFL); /* not cmocka's handlers */
        }
        dup2(ends[1], STDERR_FILENO);
        action();
        _exit(0);
    }
    close(ends[1]);
    char message[4096];
    size_t length = 0;
    ssize_t got;
    while ((got = read(ends[0], message + length, sizeof message - 1 - length)) > 0) {
        length += (size_t)got;
    }
    message[length] = 0;
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    if (strstr(message, text) == NULL) {
        fail_msg("no \"%s\" in: %s", text, message);
    }
}

static const emulator_order orders[] = {EMULATOR_FORWARD, EMULATOR_REVERSE, EMULATOR_RANDOM};

/* ------------------------------------------------------------------ tests */

static void sums_in_shared_memory(void **) {
    uint32_t in[1000], out[2], sum = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        in[i] = i * i;
        sum += i * i;
    }
    uint32_t *device_in = (uint32_t *)device_copy(in, sizeof in);
    for (emulator_order order : orders) {
        emulator_set_order(order, 7);
        uint32_t *device_out = (uint32_t *)device_copy(NULL, sizeof out);
        TRAWL_LAUNCH(sum_kernel, 4, 256, 1024, NULL, device_in, 1000, device_out);
        fetch(out, device_out, sizeof out);
        assert_int_equal(out[0], sum);
        assert_int_equal(out[1], 768 * 768);
        require(cudaFree(device_out));
    }
    emulator_set_order(EMULATOR_FORWARD, 0);
    require(cudaFree(device_in));
    assert_int_equal(emulator_live_objects(), 0);
}

static void exited_threads_count_as_arrived(void **) {
    uint32_t out, *device_out = (uint32_t *)device_copy(NULL, sizeof out);
    TRAWL_LAUNCH(early_exit_kernel, 1, 100, 100, NULL, device_out);
    fetch(&out, device_out, sizeof out);
    assert_int_equal(out, 34);
    require(cudaFree(device_out));
}

static uint64_t expected_shuffle(uint32_t lane, uint32_t width) {
    uint32_t begin = lane / width * width;
    auto value = [](uint32_t of) { return (uint64_t)of << 32 | of; };
    uint64_t sum = value(begin + 3 % width);
    sum = 31 * sum + value(lane - begin < 2 ? lane : lane - 2);
    sum = 31 * sum + value(lane + 5 >= begin + width ? lane : lane + 5);
    sum = 31 * sum + value((lane ^ 4) >= begin + width ? lane : lane ^ 4);
    sum = 31 * sum + 0x49249249u;
    sum = 31 * sum + 1;
    sum = 31 * sum;
    return 31 * sum + 14;
}

static void lanes_exchange_values(void **) {
    uint64_t out[64], *device_out = (uint64_t *)device_copy(NULL, sizeof out);
    for (emulator_order order : orders) {
        emulator_set_order(order, 3);
        TRAWL_LAUNCH((shuffle_kernel<32>), 1, 64, 0, NULL, device_out);
        fetch(out, device_out, sizeof out);
        for (uint32_t i = 0; i < 64; i++) {
            assert_int_equal(out[i], expected_shuffle(i % 32, 32));
        }
        TRAWL_LAUNCH((shuffle_kernel<8>), 1, 64, 0, NULL, device_out);
        fetch(out, device_out, sizeof out);
        for (uint32_t i = 0; i < 64; i++) {
            assert_int_equal(out[i], expected_shuffle(i % 32, 8));
        }
    }
    emulator_set_order(EMULATOR_FORWARD, 0);
    require(cudaFree(device_out));
}

static void cursors_are_summed(void **) {
    trawl_cuda_output output = {};
    output.pass = TRAWL_CUDA_PASS_COUNT;
    output.total = (trawl_counter *)device_copy(NULL, sizeof *output.total);
    TRAWL_LAUNCH(cursor_kernel, 2, 64, 0, NULL, output);
    trawl_counter total;
    fetch(&total, output.total, sizeof total);
    assert_int_equal(total, 2 * 39 * 40 / 2);
    require(cudaFree(output.total));
}

static cudaError_t make_texture(const void *memory, size_t bytes, cudaChannelFormatDesc format,
                                cudaTextureObject_t *texture) {
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)memory;
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = bytes;
    description.readMode = cudaReadModeElementType;
    return cudaCreateTextureObject(texture, &resource, &description, NULL);
}

static cudaTextureObject_t texture_of_bytes, texture_of_vectors;
static uint32_t *texture_hits;

static void textures(void **) {
    unsigned char bytes[256];
    for (int i = 0; i < 256; i++) {
        bytes[i] = (unsigned char)(i * 37);
    }
    unsigned char *memory = (unsigned char *)device_copy(bytes, sizeof bytes);
    texture_hits = (uint32_t *)device_copy(NULL, sizeof *texture_hits);
    require(make_texture(memory, 256, cudaCreateChannelDesc<unsigned char>(), &texture_of_bytes));
    require(make_texture(memory, 256, cudaCreateChannelDesc<uint4>(), &texture_of_vectors));
    TRAWL_LAUNCH(texture_kernel, 1, 256, 0, NULL, texture_of_bytes, texture_of_vectors, 0,
                 texture_hits);
    uint32_t hits;
    fetch(&hits, texture_hits, sizeof hits);
    assert_int_equal(hits, 256);
    require_abort(
        [] {
            TRAWL_LAUNCH(texture_kernel, 1, 2, 0, NULL, texture_of_bytes, texture_of_vectors, 255,
                         texture_hits);
        },
        "kernel texture_kernel");
    cudaTextureObject_t other;
    assert_int_equal(make_texture(memory + 16, 16, cudaCreateChannelDesc<uint4>(), &other),
                     cudaErrorInvalidValue);
    emulator_set_texture_elements(255);
    assert_int_equal(make_texture(memory, 256, cudaCreateChannelDesc<unsigned char>(), &other),
                     cudaErrorInvalidValue);
    emulator_set_texture_elements((size_t)1 << 28);
    require(cudaDestroyTextureObject(texture_of_bytes));
    require(cudaDestroyTextureObject(texture_of_vectors));
    require(cudaFree(memory));
    require(cudaFree(texture_hits));
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
}

struct square {
    __host__ __device__ uint64_t operator()(uint32_t x) const {
        return (uint64_t)x * x;
    }
};

struct add_modulo {
    __host__ __device__ uint32_t operator()(uint32_t x, uint32_t y) const {
        return (x + y) % 97;
    }
};

static void cub_scans(void **) {
    enum { COUNT = 5000 };
    static uint32_t in[COUNT], out[COUNT];
    static uint64_t sums[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        in[i] = i * 2654435761u >> 20;
    }
    uint32_t *device_in = (uint32_t *)device_copy(in, sizeof in);
    uint32_t *device_out = (uint32_t *)device_copy(NULL, sizeof out);
    uint64_t *device_sums = (uint64_t *)device_copy(NULL, sizeof sums);
    size_t bytes = 0;
    require(cub::DeviceScan::ExclusiveSum(NULL, bytes, device_in, device_out, COUNT));
    assert_true(bytes > 0);
    void *storage = device_copy(NULL, bytes);
    require(cub::DeviceScan::ExclusiveSum(storage, bytes, device_in, device_out, COUNT));
    fetch(out, device_out, sizeof out);
    for (uint32_t i = 0, sum = 0; i < COUNT; sum += in[i++]) {
        assert_int_equal(out[i], sum);
    }
    require(cub::DeviceScan::InclusiveScan(storage, bytes, device_in, device_out, add_modulo{},
                                           (int64_t)COUNT));
    fetch(out, device_out, sizeof out);
    for (uint32_t i = 1, sum = in[0]; i < COUNT; i++) {
        sum = (sum + in[i]) % 97;
        assert_int_equal(out[i], sum);
    }
    auto squares = thrust::make_transform_iterator(thrust::make_counting_iterator(0u), square{});
    require(cub::DeviceScan::ExclusiveSum(storage, bytes, squares, device_sums, COUNT));
    fetch(sums, device_sums, sizeof sums);
    uint64_t last = COUNT - 1;
    assert_int_equal(sums[last], (last - 1) * last * (2 * last - 1) / 6);
    size_t little = 1;
    assert_int_equal(cub::DeviceScan::ExclusiveSum(storage, little, device_in, device_out, COUNT),
                     cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    require(cudaFree(storage));
    require(cudaFree(device_sums));
    require(cudaFree(device_out));
    require(cudaFree(device_in));
    assert_int_equal(emulator_live_objects(), 0);
}

static void launch_errors(void **) {
    uint32_t *out = NULL;
    TRAWL_LAUNCH(index_kernel, 1, 1025, 0, NULL, out);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    TRAWL_LAUNCH(index_kernel, 0, 32, 0, NULL, out);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    TRAWL_LAUNCH(index_kernel, 1, 32, 50000, NULL, out);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    require(cudaFuncSetAttribute(race_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
    out = (uint32_t *)device_copy(NULL, 32 * sizeof *out);
    TRAWL_LAUNCH(race_kernel, 1, 32, 60000, NULL, out);
    require(cudaGetLastError());
    require(cudaFree(out));
    assert_int_equal(
        cudaFuncSetAttribute(race_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000),
        cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
}

static void wrong_copies(void **) {
    char host[64];
    char *memory = (char *)device_copy(NULL, 64);
    assert_int_equal(cudaMemcpy(memory + 1, host, 64, cudaMemcpyHostToDevice),
                     cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpy(host, memory, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    assert_int_equal(cudaFree(memory + 1), cudaErrorInvalidValue);
    require(cudaFree(memory));
    assert_int_equal(cudaMemcpy(memory, host, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
}

static void failures_on_demand(void **) {
    void *memory;
    emulator_fail("allocation", cudaErrorMemoryAllocation, 1);
    require(cudaMalloc(&memory, 16));
    void *other;
    assert_int_equal(cudaMallocHost(&other, 16), cudaErrorMemoryAllocation);
    assert_int_equal(cudaMalloc(&other, 16), cudaErrorMemoryAllocation);
    emulator_fail("cudaMemset", cudaErrorLaunchFailure, 0);
    emulator_fail("cudaMemsetAsync", cudaErrorLaunchFailure, 0);
    assert_int_equal(cudaMemset(memory, 0, 16), cudaErrorLaunchFailure);
    emulator_fail(NULL, 0, 0);
    require(cudaFree(memory));
    assert_int_equal(cudaMalloc(&other, (size_t)1 << 40), cudaErrorMemoryAllocation);
    assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
}

static void streams_and_events(void **) {
    for (int lazy = 0; lazy < 2; lazy++) {
        emulator_set_lazy(lazy);
        cudaStream_t first, second;
        cudaEvent_t done;
        uint32_t *host;
        require(cudaMallocHost(&host, sizeof *host));
        *host = 0;
        uint32_t *memory = (uint32_t *)device_copy(NULL, 4 * sizeof *memory);
        require(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
        require(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
        require(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
        TRAWL_LAUNCH(index_kernel, 1, 4, 0, first, memory);
        require(cudaEventRecord(done, first));
        require(cudaStreamWaitEvent(second, done));
        require(cudaMemcpyAsync(host, memory + 3, sizeof *host, cudaMemcpyDeviceToHost, second));
        assert_int_equal(*host, lazy ? 0 : 6);
        require(cudaStreamSynchronize(second));
        assert_int_equal(*host, 6);
        require(cudaEventDestroy(done));
        require(cudaStreamDestroy(first));
        require(cudaStreamDestroy(second));
        require(cudaFree(memory));
        require(cudaFreeHost(host));
        assert_int_equal(emulator_live_objects(), 0);
    }
    emulator_set_lazy(0);
}

static void mistakes_are_found(void **) {
    static uint32_t *out;
    out = (uint32_t *)device_copy(NULL, 64 * sizeof *out);
    require_abort([] { TRAWL_LAUNCH(divergent_kernel, 1, 32, 0, NULL, out); },
                  "kernel divergent_kernel, block (0, 0, 0) of (1, 1, 1), threads (32, 1, 1): "
                  "divergent barrier");
    require_abort([] { TRAWL_LAUNCH(half_warp_kernel, 1, 32, 0, NULL, out); },
                  "16 wait in __shfl_down_sync");
    require_abort(
        [] {
            const uint32_t *in = (const uint32_t *)((const char *)out + 2);
            TRAWL_LAUNCH(misaligned_kernel, 1, 32, 0, NULL, in, out);
        },
        "misaligned");
    require(cudaFree(out));
}

static void orders_show_races(void **) {
    uint32_t out[32], different = 0, *device_out = (uint32_t *)device_copy(NULL, sizeof out);
    for (emulator_order order : orders) {
        emulator_set_order(order, 1);
        TRAWL_LAUNCH(race_kernel, 1, 32, 32, NULL, device_out);
        fetch(out, device_out, sizeof out);
        different += out[20] != 19;
    }
    emulator_set_order(EMULATOR_FORWARD, 0);
    assert_int_not_equal(different, 0);
    require(cudaFree(device_out));
}

static void bits(void **) {
    assert_int_equal(__byte_perm(0x33221100, 0x77665544, 0x7531), 0x77553311);
    assert_int_equal(__byte_perm(0x80221100, 0, 0xb0b0), 0xff00ff00);
    assert_int_equal(__funnelshift_r(0x11223344, 0xaabbccdd, 8), 0xdd112233);
    assert_int_equal(__funnelshift_l(0x11223344, 0xaabbccdd, 8), 0xbbccdd11);
    assert_int_equal(__funnelshift_rc(1, 2, 40), 2);
    assert_int_equal(__brev(1), 0x80000000u);
    assert_int_equal(__ffs(0), 0);
    assert_int_equal(__clz(0), 32);
    assert_int_equal(__umulhi(0x80000000u, 6), 3);
    assert_int_equal(min(3u, -1), 3);
    assert_int_equal(max(2, 7), 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_in_shared_memory),
        cmocka_unit_test(exited_threads_count_as_arrived),
        cmocka_unit_test(lanes_exchange_values),
        cmocka_unit_test(cursors_are_summed),
        cmocka_unit_test(textures),
        cmocka_unit_test(cub_scans),
        cmocka_unit_test(launch_errors),
        cmocka_unit_test(wrong_copies),
        cmocka_unit_test(failures_on_demand),
        cmocka_unit_test(streams_and_events),
        cmocka_unit_test(mistakes_are_found),
        cmocka_unit_test(orders_show_races),
        cmocka_unit_test(bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
