/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/allocate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Bytes, on x86-64 and most 64-bit Arm processors. Others would only be slower. */
#define CACHE_LINE ((size_t)64)
#define HUGE_PAGE ((size_t)2 << 20)
/* From here on huge pages: two at least, so that little of the last one is unused. Half and double:
 * building and scanning take as long (docs/notebook/2026-11-constants.md). */
#define LARGE_ARRAY (2 * HUGE_PAGE)

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

/* The head of an array, a cache line before its first object:
 *
 *     | bytes | mapped | unused ...  | array ...      |
 *     0       8        16            64               64 + bytes
 */
typedef struct array_head {
    size_t bytes;  /* of the array, without the head */
    size_t mapped; /* bytes of the mapping, with the head; 0: the memory is from the heap */
} array_head;

#define HEAD_BYTES CACHE_LINE /* mapped arrays are so aligned to a cache line */

static array_head *head_of(void *array) {
    return (array_head *)((uint8_t *)array - HEAD_BYTES);
}

/* Makes a mapping larger, or replaces an array from the heap (or NULL) by a mapping. Requests huge
 * pages. */
static array_head *map_array(array_head *head, size_t bytes) {
    size_t mapped = (HEAD_BYTES + bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    void *memory;
    if (head != NULL && head->mapped != 0) {
        memory = mremap(head, head->mapped, mapped, MREMAP_MAYMOVE);
    } else {
        memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    if (memory == MAP_FAILED) {
        return NULL;
    }
    (void)madvise(memory, mapped, MADV_HUGEPAGE); /* a kernel that refuses costs speed alone */
    array_head *made = memory;
    if (head != NULL && made->mapped == 0) {
        memcpy(memory, head, HEAD_BYTES + head->bytes);
        free(head);
    }
    made->mapped = mapped;
    made->bytes = mapped - HEAD_BYTES;
    return made;
}

void *trawl_array_grow(void *array, size_t count, size_t size, size_t *capacity) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) {
        return NULL;
    }
    array_head *head = array == NULL ? NULL : head_of(array);
    if (bytes >= LARGE_ARRAY) {
        head = map_array(head, bytes);
    } else {
        head = realloc(head, HEAD_BYTES + bytes);
        if (head != NULL) {
            *head = (array_head){.bytes = bytes};
        }
    }
    if (head == NULL) {
        return NULL;
    }
    *capacity = head->bytes / size;
    return (uint8_t *)head + HEAD_BYTES;
}

size_t trawl_array_capacity(void *array, size_t size) {
    return array == NULL ? 0 : head_of(array)->bytes / size;
}

void trawl_array_release(void *array) {
    if (array == NULL) {
        return;
    }
    array_head *head = head_of(array);
    if (head->mapped == 0) {
        free(head);
    } else {
        (void)munmap(head, head->mapped);
    }
}

void *trawl_allocate_table(uint64_t bytes) {
    size_t alignment = bytes >= 2 * HUGE_PAGE ? HUGE_PAGE : CACHE_LINE;
    if (bytes > SIZE_MAX - alignment) {
        return NULL;
    }
    size_t rounded = ((size_t)bytes + alignment - 1) & ~(alignment - 1);
    void *memory = aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
    if (memory != NULL && alignment == HUGE_PAGE) {
        /* A kernel that refuses costs speed alone. */
        (void)madvise(memory, rounded, MADV_HUGEPAGE);
    }
    return memory;
}

void trawl_release(void *memory) {
    free(memory);
}
