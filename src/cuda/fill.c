#include "cuda/fill.h"

#include <omp.h>
#include <string.h>

/* A thread's share at least: below it, waking a thread takes longer than copying. */
#define SMALLEST_SHARE ((size_t)262144)
#define SHARE_UNIT ((size_t)4096)

void trawl_cuda_fill(void *to, const void *from, size_t bytes, uint32_t threads) {
    size_t shares = bytes / SMALLEST_SHARE;
    shares = shares < threads ? shares : threads;
    if (shares <= 1) {
        memcpy(to, from, bytes);
        return;
    }
    size_t share = (bytes / shares + SHARE_UNIT) / SHARE_UNIT * SHARE_UNIT;
#pragma omp parallel num_threads((int)shares) default(none) shared(to, from, bytes, share)
    /* There may be fewer threads than asked for. */
    for (size_t begin = (size_t)omp_get_thread_num() * share; begin < bytes;
         begin += (size_t)omp_get_num_threads() * share) {
        size_t left = bytes - begin;
        memcpy((char *)to + begin, (const char *)from + begin, left < share ? left : share);
    }
}
