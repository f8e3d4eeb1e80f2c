/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "guard.h"

#include "sanitizers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if TESTS_ADDRESS_SANITIZER

void guarded_copy(guarded *guard, const void *bytes, size_t length, bool at_start) {
    (void)at_start;
    free(guard->region);
    /* Even malloc(0) gives a readable byte. So a block of one byte is allocated, and its end is
     * used. */
    guard->region = malloc(length ? length : 1);
    if (!guard->region)
        abort();
    guard->bytes = guard->region + (length ? 0 : 1);
    if (length)
        memcpy(guard->bytes, bytes, length);
}

void guarded_free(guarded *guard) {
    free(guard->region);
    *guard = (guarded){0};
}

void guarded_pause(guarded *guard) {
    guarded_free(guard);
}

#else

enum { PAGE = 4096 };

void guarded_copy(guarded *guard, const void *bytes, size_t length, bool at_start) {
    size_t usable = (length + PAGE - 1) / PAGE * PAGE + PAGE;
    if (!guard->region || guard->region_bytes < usable + 2 * PAGE) {
        guarded_free(guard);
        /* Room to grow, so that a run over many cases maps memory a few times only. */
        guard->region_bytes = 2 * usable + 16 * PAGE;
        void *region = mmap(NULL, guard->region_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (region == MAP_FAILED || mprotect(region, PAGE, PROT_NONE) != 0 ||
            mprotect((uint8_t *)region + guard->region_bytes - PAGE, PAGE, PROT_NONE) != 0)
            abort();
        guard->region = region;
    }
    guard->bytes =
        at_start ? guard->region + PAGE : guard->region + guard->region_bytes - PAGE - length;
    if (length)
        memcpy(guard->bytes, bytes, length);
}

void guarded_free(guarded *guard) {
    if (guard->region)
        munmap(guard->region, guard->region_bytes);
    *guard = (guarded){0};
}

void guarded_pause(guarded *guard) {
    (void)guard;
}

#endif
