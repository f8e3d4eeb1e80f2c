#include "common/allocate.h"

#include <stdlib.h>
#include <sys/mman.h>

#define CACHE_LINE ((size_t)64)
#define HUGE_PAGE ((size_t)2 << 20)

void *trawl_allocate(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        return NULL;
    }
    return malloc(bytes == 0 ? 1 : bytes);
}

void *trawl_allocate_zeroed(size_t count, size_t size) {
    return calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);
}

void *trawl_reallocate(void *memory, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        return NULL;
    }
    return realloc(memory, bytes == 0 ? 1 : bytes);
}

void *trawl_allocate_table(uint64_t bytes) {
    size_t alignment = bytes >= 2 * HUGE_PAGE ? HUGE_PAGE : CACHE_LINE;
    if (bytes > SIZE_MAX - alignment) {
        return NULL;
    }
    size_t rounded = ((size_t)bytes + alignment - 1) & ~(alignment - 1);
    void *memory = aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
    if (memory != NULL && alignment == HUGE_PAGE) {
        /* Only advice: a kernel that does not follow it costs speed, not correctness. */
        (void)madvise(memory, rounded, MADV_HUGEPAGE);
    }
    return memory;
}

void trawl_release(void *memory) {
    free(memory);
}
