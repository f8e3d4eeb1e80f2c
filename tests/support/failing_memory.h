/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Failing memory: any one allocation can be made to fail, and allocations that are not freed are
 * counted. Defines the functions that replace the allocation functions at link time (--wrap), so
 * exactly one file of a program includes it.
 */
#ifndef TESTS_FAILING_MEMORY_H
#define TESTS_FAILING_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);
void __wrap_free(void *memory);

static atomic_long live;           /* allocations that have not been freed */
static atomic_long countdown = -1; /* allocations until one fails; negative: none does */
static atomic_bool failed;         /* it was reached */
static atomic_size_t largest;      /* bytes of the largest allocation */
/* The same for the allocations of one thread. */
static _Thread_local long countdown_here = -1;

static bool fails(void) {
    bool here = countdown_here >= 0 && countdown_here-- == 0;
    bool anywhere = atomic_load(&countdown) >= 0 && atomic_fetch_sub(&countdown, 1) == 0;
    if (here || anywhere)
        atomic_store(&failed, true);
    return here || anywhere;
}

static void note(size_t size) {
    if (size > atomic_load(&largest))
        atomic_store(&largest, size);
}

static void *counted(void *memory) {
    if (memory)
        atomic_fetch_add(&live, 1);
    return memory;
}

void *__wrap_malloc(size_t size) {
    note(size);
    return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    note(count * size);
    return fails() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size) {
    note(size);
    if (fails())
        return NULL;
    void *moved = __real_realloc(memory, size);
    return memory ? moved : counted(moved);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    note(size);
    return fails() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size) {
    note(size);
    if (fails())
        return 12; /* ENOMEM */
    int result = __real_posix_memalign(memory, alignment, size);
    if (result == 0)
        counted(*memory);
    return result;
}

void __wrap_free(void *memory) {
    if (memory)
        atomic_fetch_sub(&live, 1);
    __real_free(memory);
}

#endif
