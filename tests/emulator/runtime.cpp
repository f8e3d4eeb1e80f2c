/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The lock, failures on demand, the current device, streams and events. */
#include "state.h"
#include "threads.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace emulator {

/* ------------------------------------------------------------------ the lock and failures */

namespace {

std::mutex mutex;
std::condition_variable changed;
std::thread::id owner;
unsigned depth;

thread_local cudaError_t last_error;
thread_local int current_device;

int devices = 1;
int old_devices;
bool lazy;
std::string failing; /* the function; empty: none */
cudaError_t failing_code;
long failing_after;
long calls;         /* of all functions */
long failing_call;  /* 0: none */
bool failing_lasts; /* the device is lost from then on */
cudaError_t call_code;
bool gone[most_devices];

void lock() {
    std::unique_lock<std::mutex> hold(mutex);
    std::thread::id me = std::this_thread::get_id();
    changed.wait(hold, [me] { return depth == 0 || owner == me; });
    owner = me;
    depth++;
}

void unlock() {
    std::lock_guard<std::mutex> hold(mutex);
    if (--depth == 0) {
        changed.notify_all();
    }
}

/* Calls `done` until it is true, with the lock fully released meanwhile; holds the lock again when
 * it returns. */
template <class Done> void outside_lock_until(Done done) {
    std::unique_lock<std::mutex> hold(mutex);
    std::thread::id me = std::this_thread::get_id();
    unsigned kept = depth;
    depth = 0;
    changed.notify_all();
    changed.wait(hold, [done] { return depth == 0 && done(); });
    owner = me;
    depth = kept;
}

long number(const char *name, long fallback) {
    const char *text = getenv(name);
    return text == nullptr || *text == 0 ? fallback : atol(text);
}

void read_environment() {
    static bool done;
    if (done) {
        return;
    }
    done = true;
    const char *text = getenv("TRAWL_EMULATOR_ORDER");
    std::string word = text == nullptr ? "" : text;
    unsigned seed = (unsigned)number("TRAWL_EMULATOR_SEED", 1);
    if (word == "reverse" || word == "random") {
        set_order(word == "reverse" ? EMULATOR_REVERSE : EMULATOR_RANDOM, seed);
    } else if (!word.empty() && word != "forward") {
        fail("TRAWL_EMULATOR_ORDER is forward, reverse or random, not %s", text);
    }
    devices = (int)number("TRAWL_EMULATOR_DEVICES", devices);
    if (devices > most_devices) {
        fail("TRAWL_EMULATOR_DEVICES: at most %d", most_devices);
    }
    old_devices = (int)number("TRAWL_EMULATOR_OLD_DEVICES", old_devices);
    lazy = number("TRAWL_EMULATOR_LAZY", lazy) != 0;
    long after = number("TRAWL_EMULATOR_FAIL_AFTER", -1);
    if (after >= 0 && failing.empty()) {
        failing = "allocation";
        failing_code = cudaErrorMemoryAllocation;
        failing_after = after;
    }
    size_t bytes = (size_t)number("TRAWL_EMULATOR_MEMORY", 0);
    if (bytes != 0) {
        set_memory(bytes);
    }
}

bool fails(const char *name) {
    return !failing.empty() && failing == name && failing_after-- <= 0;
}

/* Whether this call fails: because of its number, or because its device is lost. */
bool call_fails(bool device_is_used) {
    bool now = ++calls == failing_call;
    if (now && failing_lasts && device_is_used) {
        gone[current_device] = true;
    }
    return now || (device_is_used && gone[current_device]);
}

} // namespace

int device_now() {
    return current_device;
}

int device_count() {
    return devices;
}

bool device_is_old(int device) {
    return device < old_devices;
}

api_call::api_call(const char *name, bool device_is_used) : code(cudaSuccess) {
    lock();
    read_environment();
    if (in_kernel()) {
        fail("a kernel calls %s", name);
    }
    static const std::set<std::string> allocating = {"cudaMalloc", "cudaHostAlloc",
                                                     "cudaHostRegister"};
    if (devices == 0) {
        code = cudaErrorNoDevice;
    } else if (call_fails(device_is_used)) {
        code = call_code;
    } else if (fails(name) || (allocating.count(name) != 0 && fails("allocation"))) {
        code = failing_code;
    }
    if (code != cudaSuccess) {
        last_error = code;
    }
}

api_call::~api_call() {
    unlock();
}

void set_last_error(cudaError_t code) {
    if (code != cudaSuccess) {
        last_error = code;
    }
}

} // namespace emulator

using emulator::enqueue;

/* ------------------------------------------------------------------ streams and events */

struct CUstream_st {
    int device;
    bool blocking; /* waits for the default stream, and that one for it */
    std::deque<std::function<void()>> work;
    bool running;
    std::thread::id runner;
};

namespace emulator {
namespace {

/* One cudaEventRecord. */
struct record {
    CUstream_st *stream;
    bool done;
    std::chrono::steady_clock::time_point time;
};

CUstream_st default_streams[most_devices];
std::set<CUstream_st *> streams;
std::set<CUevent_st *> events;

CUstream_st *find_stream(cudaStream_t stream) {
    if ((uintptr_t)stream <= 2) { /* NULL, cudaStreamLegacy, cudaStreamPerThread */
        default_streams[current_device].device = current_device;
        default_streams[current_device].blocking = true;
        return &default_streams[current_device];
    }
    return streams.count(stream) != 0 ? stream : nullptr;
}

/* Runs the work of a stream: all of it, or until the record is done. */
void drain(CUstream_st *stream, const record *until) {
    std::thread::id me = std::this_thread::get_id();
    while (until == nullptr || !until->done) {
        if (stream->running) {
            if (stream->runner == me) {
                return;
            }
            outside_lock_until([stream] { return !stream->running; });
            continue;
        }
        if (stream->work.empty()) {
            return;
        }
        std::function<void()> next = std::move(stream->work.front());
        stream->work.pop_front();
        stream->running = true;
        stream->runner = me;
        next();
        stream->running = false;
        changed.notify_all();
    }
}

void drain_all() {
    for (CUstream_st &stream : default_streams) {
        drain(&stream, nullptr);
    }
    for (CUstream_st *stream : std::set<CUstream_st *>(streams)) {
        drain(stream, nullptr);
    }
}

bool is_default(const CUstream_st *stream) {
    return stream == &default_streams[stream->device];
}

/* The default stream waits for all blocking streams and they for it. */
void keep_default_order(CUstream_st *stream) {
    if (!is_default(stream)) {
        if (stream->blocking) {
            drain(&default_streams[stream->device], nullptr);
        }
        return;
    }
    for (CUstream_st *other : std::set<CUstream_st *>(streams)) {
        if (other->blocking && other->device == stream->device) {
            drain(other, nullptr);
        }
    }
}

} // namespace

cudaError_t failed(cudaError_t code) {
    last_error = code;
    return code;
}

void wait_for_device() {
    drain_all();
}

void wait_for_stream(cudaStream_t stream) {
    CUstream_st *found = find_stream(stream);
    if (found != nullptr) {
        keep_default_order(found);
        drain(found, nullptr);
    }
}

bool is_stream(cudaStream_t stream) {
    return find_stream(stream) != nullptr;
}

bool is_of_device(cudaStream_t stream) {
    const CUstream_st *found = find_stream(stream);
    return found != nullptr && found->device == current_device;
}

cudaError_t enqueue(cudaStream_t handle, std::function<void()> work) {
    CUstream_st *stream = find_stream(handle);
    CHECK(stream != nullptr, cudaErrorInvalidResourceHandle);
    keep_default_order(stream);
    stream->work.push_back(std::move(work));
    if (!lazy) {
        drain(stream, nullptr);
    }
    return cudaSuccess;
}

size_t live_streams_and_events() {
    return streams.size() + events.size();
}

} // namespace emulator

struct CUevent_st {
    int device;
    bool timing;
    std::shared_ptr<emulator::record> last;
};

using emulator::drain;
using emulator::events;
using emulator::streams;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    CALL();
    *stream =
        new CUstream_st{emulator::device_now(), flags != cudaStreamNonBlocking, {}, false, {}};
    streams.insert(*stream);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    CALL_FREE();
    CHECK(streams.count(stream) != 0, cudaErrorInvalidResourceHandle);
    drain(stream, nullptr);
    streams.erase(stream);
    delete stream;
    return self.code;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    CALL();
    CHECK(emulator::is_stream(stream), cudaErrorInvalidResourceHandle);
    emulator::wait_for_stream(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    CALL();
    CHECK(events.count(event) != 0, cudaErrorInvalidResourceHandle);
    std::shared_ptr<emulator::record> record = event->last;
    if (record == nullptr) {
        return cudaSuccess; /* an event that was never recorded counts as complete */
    }
    return enqueue(stream, [record] {
        if (!record->done) {
            drain(record->stream, record.get());
        }
    });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    CALL();
    *event = new CUevent_st{emulator::device_now(), (flags & cudaEventDisableTiming) == 0, nullptr};
    events.insert(*event);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    CALL_FREE();
    CHECK(events.erase(event) != 0, cudaErrorInvalidResourceHandle);
    delete event;
    return self.code;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    CALL();
    CHECK(events.count(event) != 0 && emulator::is_stream(stream), cudaErrorInvalidResourceHandle);
    auto record = std::make_shared<emulator::record>();
    record->stream = emulator::find_stream(stream);
    CHECK(event->device == record->stream->device, cudaErrorInvalidResourceHandle);
    event->last = record;
    return enqueue(stream, [record] {
        record->time = std::chrono::steady_clock::now();
        record->done = true;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    CALL();
    CHECK(events.count(event) != 0, cudaErrorInvalidResourceHandle);
    std::shared_ptr<emulator::record> record = event->last;
    if (record != nullptr && !record->done) {
        drain(record->stream, record.get());
    }
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    CALL();
    CHECK(events.count(event) != 0, cudaErrorInvalidResourceHandle);
    std::shared_ptr<emulator::record> record = event->last;
    if (record == nullptr || record->done) {
        return cudaSuccess;
    }
    drain(record->stream, record.get());
    return cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    CALL();
    CHECK(events.count(begin) != 0 && events.count(end) != 0, cudaErrorInvalidResourceHandle);
    CHECK(begin->timing && end->timing && begin->last != nullptr && end->last != nullptr,
          cudaErrorInvalidResourceHandle);
    CHECK(begin->device == end->device, cudaErrorInvalidResourceHandle);
    if (!begin->last->done || !end->last->done) {
        return cudaErrorNotReady;
    }
    std::chrono::duration<float, std::milli> time = end->last->time - begin->last->time;
    *milliseconds = time.count() < 1e-3f ? 1e-3f : time.count();
    return cudaSuccess;
}

/* ------------------------------------------------------------------ devices and the last error */

cudaError_t cudaGetDeviceCount(int *count) {
    *count = 0;
    CALL_WITHOUT_DEVICE();
    *count = emulator::devices;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    CALL_WITHOUT_DEVICE();
    CHECK(device >= 0 && device < emulator::devices, cudaErrorInvalidDevice);
    emulator::current_device = device;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
    CALL_WITHOUT_DEVICE();
    *device = emulator::current_device;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) {
    CALL();
    emulator::wait_for_device();
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void) {
    cudaError_t code = emulator::last_error;
    emulator::last_error = cudaSuccess;
    return code;
}

/* ------------------------------------------------------------------ controls */

namespace emulator {
namespace {

/* The environment is read first, so that it does not override what a program sets itself. */
struct control {
    control() {
        lock();
        read_environment();
    }
    ~control() {
        unlock();
    }
};

} // namespace
} // namespace emulator

void emulator_set_order(emulator_order order, unsigned seed) {
    emulator::control held;
    emulator::set_order(order, seed);
}

void emulator_set_lazy(int lazy) {
    emulator::control held;
    emulator::drain_all();
    emulator::lazy = lazy != 0;
}

void emulator_fail(const char *name, int code, long after) {
    emulator::control held;
    emulator::failing = name == nullptr ? "" : name;
    emulator::failing_code = (cudaError_t)code;
    emulator::failing_after = after;
}

void emulator_fail_call(long number, int code, int lasting) {
    emulator::control held;
    emulator::calls = 0;
    emulator::failing_call = number;
    emulator::call_code = (cudaError_t)code;
    emulator::failing_lasts = lasting != 0;
    if (number == 0) {
        std::fill_n(emulator::gone, emulator::most_devices, false);
    }
}

long emulator_calls(void) {
    emulator::control held;
    long count = emulator::calls;
    emulator::calls = 0;
    return count;
}

void emulator_set_devices(int count) {
    emulator::control held;
    emulator::devices = count < emulator::most_devices ? count : emulator::most_devices;
}

size_t emulator_live_objects(void) {
    emulator::control held;
    return emulator::live_streams_and_events() + emulator::live_memory();
}

void emulator_set_texture_elements(size_t elements) {
    emulator::control held;
    emulator::set_texture_elements(elements);
}
