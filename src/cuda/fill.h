/* Copying text into pinned memory, fast enough for a device that waits for it. */
#ifndef TRAWL_CUDA_FILL_H
#define TRAWL_CUDA_FILL_H

#include <stddef.h>
#include <stdint.h>

/* Copies `bytes` bytes with up to `threads` threads; few bytes are left to the calling one. */
void trawl_cuda_fill(void *to, const void *from, size_t bytes, uint32_t threads);

#endif
