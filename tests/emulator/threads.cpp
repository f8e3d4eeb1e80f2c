/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Fibers, barriers and the order in which threads run. */
#include "threads.h"
#include "emulator.h"
#include "state.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <signal.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#if defined __SANITIZE_ADDRESS__
#define EMULATOR_ASAN 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define EMULATOR_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define EMULATOR_TSAN 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define EMULATOR_TSAN 1
#endif
#ifdef EMULATOR_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef EMULATOR_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#ifndef __x86_64__
#include <ucontext.h>
#endif

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace emulator {
namespace {

/* ------------------------------------------------------------------ fibers */

const size_t stack_bytes = 256 << 10;

/* A fiber: a stack, and where execution goes on. It runs one thread after another. */
struct fiber {
    unsigned char *stack;
#ifdef __x86_64__
    void *saved;
#else
    ucontext_t saved;
#endif
    void *tsan;
    fiber *next; /* in the list of idle ones */
};

#ifdef __x86_64__
/* swapcontext without its system calls: saves the registers that belong to the caller and the stack
 * pointer, and takes those of the other. */
extern "C" void trawl_emulator_switch(void **saved, void *target);
__asm__(".text\n"
        ".type trawl_emulator_switch,@function\n"
        "trawl_emulator_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size trawl_emulator_switch,.-trawl_emulator_switch\n");
#endif

fiber scheduler; /* the launching thread's own stack */
#ifdef EMULATOR_ASAN
const void *own_bottom; /* its bounds */
size_t own_size;
#endif
fiber *idle; /* a list */

void switch_fiber(fiber *from, fiber *to) {
#ifdef EMULATOR_ASAN
    void *fake = nullptr;
    bool home = to == &scheduler;
    __sanitizer_start_switch_fiber(&fake, home ? own_bottom : to->stack,
                                   home ? own_size : stack_bytes);
#endif
#ifdef EMULATOR_TSAN
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
#ifdef __x86_64__
    trawl_emulator_switch(&from->saved, to->saved);
#else
    swapcontext(&from->saved, &to->saved);
#endif
#ifdef EMULATOR_ASAN
    const void *bottom;
    size_t size;
    __sanitizer_finish_switch_fiber(fake, &bottom, &size);
    if (from != &scheduler) {
        own_bottom = bottom;
        own_size = size;
    }
#endif
}

/* ------------------------------------------------------------------ threads of the block */

enum thread_state { READY, AT_BARRIER, AT_WARP, EXITED };

struct thread {
    thread_state state;
    fiber *on; /* NULL before its first step */
    uint3 index;
    /* where it waits */
    const char *operation;
    const char *file;
    int line;
    int predicate;
    unsigned mask;
    unsigned group;
    unsigned some;  /* of the group, the lanes whose value is not 0 */
    uint64_t value; /* brought */
};

const kernel_launch *current; /* NULL: no kernel runs */
void (*run_thread)(const void *);
const void *context;
std::vector<thread> threads;
std::vector<uint64_t> results; /* the values of the threads, once their group is complete */
unsigned self;                 /* the running thread */
bool in_thread;
unsigned barrier_result;
unsigned char *shared;
size_t shared_bytes;

emulator_order order;
std::minstd_rand randomness;

const unsigned char poison = 0xa5;

/* Runs threads on its stack for ever. */
void fiber_main() {
#ifdef EMULATOR_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &own_bottom, &own_size);
#endif
    for (;;) {
        run_thread(context);
        threads[self].state = EXITED;
        switch_fiber(threads[self].on, &scheduler);
    }
}

fiber *new_fiber() {
    size_t guard = 4096;
    void *memory = mmap(nullptr, guard + stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, guard, PROT_NONE) != 0) {
        fail("no memory for the stack of a thread");
    }
    fiber *made = new fiber();
    made->stack = (unsigned char *)memory + guard;
#ifdef __x86_64__
    void **top = (void **)(made->stack + stack_bytes);
    *--top = nullptr; /* alignment: a function begins 8 bytes off a multiple of 16 */
    *--top = (void *)fiber_main;
    for (int i = 0; i < 6; i++) {
        *--top = nullptr;
    }
    made->saved = top;
#else
    getcontext(&made->saved);
    made->saved.uc_stack.ss_sp = made->stack;
    made->saved.uc_stack.ss_size = stack_bytes;
    makecontext(&made->saved, fiber_main, 0);
#endif
#ifdef EMULATOR_TSAN
    made->tsan = __tsan_create_fiber(0);
#endif
    return made;
}

void step(unsigned number) {
    thread *next = &threads[number];
    if (next->on == nullptr) {
        if (idle == nullptr) {
            idle = new_fiber();
        }
        next->on = idle;
        idle = idle->next;
    }
    self = number;
    threadIdx = next->index;
    in_thread = true;
    switch_fiber(&scheduler, next->on);
    in_thread = false;
    if (next->state == EXITED) {
        next->on->next = idle;
        idle = next->on;
    }
}

void wait(thread_state state, const char *operation, const char *file, int line) {
    if (!in_thread) {
        fail("%s (%s:%d) outside of a kernel", operation, file, line);
    }
    thread *waiting = &threads[self];
    waiting->state = state;
    waiting->operation = operation;
    waiting->file = file;
    waiting->line = line;
    switch_fiber(waiting->on, &scheduler);
}

/* The numbers below `count` in the order in which their threads run. */
const std::vector<unsigned> &turns(unsigned count, std::vector<unsigned> &list) {
    list.resize(count);
    for (unsigned i = 0; i < count; i++) {
        list[i] = order == EMULATOR_REVERSE ? count - 1 - i : i;
    }
    if (order == EMULATOR_RANDOM) {
        std::shuffle(list.begin(), list.end(), randomness);
    }
    return list;
}

bool is_same(const char *left, const char *right) {
    return left == right || strcmp(left, right) == 0;
}

/* Lets complete groups of lanes go on. */
bool release_lanes(unsigned first, unsigned count) {
    thread *const lanes = &threads[first];
    bool any = false;
    for (unsigned i = 0; i < count; i++) {
        if (lanes[i].state != AT_WARP) {
            continue;
        }
        unsigned group = 0, some = 0;
        bool complete = true;
        for (unsigned j = 0; j < count && complete; j++) {
            if ((lanes[i].mask >> j & 1) != 0 && lanes[j].state != EXITED) {
                complete = lanes[j].state == AT_WARP && lanes[j].mask == lanes[i].mask &&
                           is_same(lanes[j].operation, lanes[i].operation);
                group |= 1u << j;
                some |= lanes[j].value != 0 ? 1u << j : 0;
            }
        }
        if (!complete) {
            continue;
        }
        any = true;
        for (unsigned j = 0; j < count; j++) {
            if ((group >> j & 1) != 0) {
                lanes[j].state = READY;
                lanes[j].group = group;
                lanes[j].some = some;
                results[first + j] = lanes[j].value;
            }
        }
    }
    return any;
}

/* Runs the threads of a warp until all have exited, or wait for other warps or for lanes that will
 * not come. */
void run_warp(unsigned first, unsigned count) {
    static std::vector<unsigned> list;
    do {
        for (unsigned lane : turns(count, list)) {
            if (threads[first + lane].state == READY) {
                step(first + lane);
            }
        }
    } while (release_lanes(first, count));
}

/* The threads wait for each other in different places. */
[[noreturn]] void report_deadlock() {
    std::string places;
    unsigned exited = 0;
    std::vector<bool> told(threads.size());
    for (unsigned i = 0; i < threads.size(); i++) {
        if (threads[i].state == EXITED) {
            exited++;
            continue;
        }
        if (told[i]) {
            continue;
        }
        unsigned same = 0;
        for (unsigned j = i; j < threads.size(); j++) {
            if (threads[j].state != EXITED && threads[j].line == threads[i].line &&
                threads[j].state == threads[i].state &&
                strcmp(threads[j].operation, threads[i].operation) == 0 &&
                strcmp(threads[j].file, threads[i].file) == 0) {
                told[j] = true;
                same++;
            }
        }
        char text[512];
        char mask[32] = "";
        if (threads[i].state == AT_WARP) {
            snprintf(mask, sizeof mask, ", mask 0x%08x", threads[i].mask);
        }
        snprintf(text, sizeof text, "\n  %u wait in %s (%s:%d%s), the first is thread %u", same,
                 threads[i].operation, threads[i].file, threads[i].line, mask, i);
        places += text;
    }
    fail("divergent barrier: not all threads reach the same one%s\n  %u have exited",
         places.c_str(), exited);
}

/* Whether threads are left; lets them go on when all of them wait at the same barrier. */
bool release_block() {
    thread *first = nullptr;
    unsigned count = 0;
    for (thread &each : threads) {
        if (each.state == EXITED) {
            continue;
        }
        if (first == nullptr) {
            first = &each;
        }
        if (each.state != AT_BARRIER || each.line != first->line ||
            !is_same(each.operation, first->operation) || !is_same(each.file, first->file)) {
            report_deadlock();
        }
        count += each.predicate != 0;
    }
    barrier_result = count;
    for (thread &each : threads) {
        if (each.state == AT_BARRIER) {
            each.state = READY;
        }
    }
    return first != nullptr;
}

/* Misaligned accesses become illegal instructions (-fsanitize=alignment). This handler prints
 * where, then the program's own handler is called. */
struct sigaction illegal_before;

void on_illegal_instruction(int) {
    char text[256];
    int length = snprintf(text, sizeof text,
                          "CUDA emulator: kernel %s, block (%u, %u, %u), thread (%u, %u, %u): "
                          "misaligned access\n",
                          current->name, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x,
                          threadIdx.y, threadIdx.z);
    if (length > 0 && write(STDERR_FILENO, text, (size_t)length) >= 0) {
        sigaction(SIGILL, &illegal_before, nullptr);
    }
}

void run_block() {
    static std::vector<unsigned> list;
    unsigned count = (unsigned)threads.size(), i = 0;
    for (thread &each : threads) {
        each.state = READY;
        each.on = nullptr;
        each.index = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
        i++;
    }
    if (shared_bytes != 0) {
        memset(shared, poison, shared_bytes);
    }
    do {
        for (unsigned warp : turns((count + 31) / 32, list)) {
            run_warp(32 * warp, std::min(count - 32 * warp, 32u));
        }
    } while (release_block());
}

} // namespace

void fail(const char *format, ...) {
    va_list arguments;
    fflush(stdout);
    fputs("CUDA emulator: ", stderr);
    if (current != nullptr) {
        fprintf(stderr, "kernel %s, block (%u, %u, %u) of (%u, %u, %u)", current->name, blockIdx.x,
                blockIdx.y, blockIdx.z, gridDim.x, gridDim.y, gridDim.z);
        if (in_thread) {
            fprintf(stderr, ", thread (%u, %u, %u) of", threadIdx.x, threadIdx.y, threadIdx.z);
        } else {
            fputs(", threads", stderr);
        }
        fprintf(stderr, " (%u, %u, %u): ", blockDim.x, blockDim.y, blockDim.z);
    }
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

bool in_kernel() {
    return in_thread;
}

unsigned block_barrier(const char *operation, int predicate, const char *file, int line) {
    threads[self].predicate = predicate;
    wait(AT_BARRIER, operation, file, line);
    return barrier_result;
}

exchanged warp_exchange(const char *operation, unsigned mask, uint64_t value, const char *file,
                        int line) {
    const unsigned lane = self % 32;
    if (in_thread && (mask >> lane & 1) == 0) {
        fail("%s (%s:%d): the mask 0x%08x is without the calling lane %u", operation, file, line,
             mask, lane);
    }
    threads[self].mask = mask;
    threads[self].value = value;
    wait(AT_WARP, operation, file, line);
    return {lane, threads[self].group, threads[self].some, &results[self - lane]};
}

unsigned char *shared_memory() {
    if (!in_thread) {
        fail("shared memory outside of a kernel");
    }
    return shared;
}

void set_order(emulator_order wanted, unsigned seed) {
    order = wanted;
    randomness.seed(seed);
}

void run_grid(const kernel_launch &launch, void (*run)(const void *), const void *parameters) {
    static std::vector<unsigned> list;
    if (current != nullptr) {
        fail("a kernel launches %s", launch.name);
    }
    current = &launch;
    run_thread = run;
    context = parameters;
    blockDim = launch.block;
    gridDim = launch.grid;
    threads.resize((size_t)blockDim.x * blockDim.y * blockDim.z);
    results.resize((threads.size() + 31) / 32 * 32);
#ifdef EMULATOR_TSAN
    scheduler.tsan = __tsan_get_current_fiber();
#endif
    /* Exactly as large as wished for, so that AddressSanitizer sees accesses behind the end. */
    void *memory = nullptr;
    shared_bytes = launch.shared;
    if (posix_memalign(&memory, 128, shared_bytes) != 0) {
        fail("no memory for %zu bytes of shared memory", shared_bytes);
    }
    shared = (unsigned char *)memory;
    struct sigaction illegal = {};
    illegal.sa_handler = on_illegal_instruction;
    sigaction(SIGILL, &illegal, &illegal_before);
    uint64_t blocks = (uint64_t)gridDim.x * gridDim.y * gridDim.z;
    const uint64_t at_once = 1 << 16; /* blocks put in order together */
    for (uint64_t first = 0; first < blocks; first += at_once) {
        for (unsigned i : turns((unsigned)std::min(blocks - first, at_once), list)) {
            uint64_t block = first + i;
            blockIdx = {(unsigned)(block % gridDim.x), (unsigned)(block / gridDim.x % gridDim.y),
                        (unsigned)(block / gridDim.x / gridDim.y)};
            run_block();
        }
    }
    sigaction(SIGILL, &illegal_before, nullptr);
    free(memory);
    current = nullptr;
}

} // namespace emulator
