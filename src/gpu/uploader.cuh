/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Copies arrays of the host into one block of device memory. The caller makes the same calls twice:
 * the first round adds up the bytes, the second one copies. */
#ifndef TRAWL_GPU_UPLOADER_CUH
#define TRAWL_GPU_UPLOADER_CUH

#include "gpu/contract.cuh"

typedef struct trawl_cuda_uploader {
    const trawl_cuda_db *uploaded;
    uint8_t *memory; /* of the device; NULL while bytes are counted */
    uint64_t used;
    cudaError_t code; /* of the first copy that failed */
} trawl_cuda_uploader;

/* Where the array is on the device; NULL while bytes are counted. */
static inline const void *trawl_cuda_put(trawl_cuda_uploader *self, const void *array,
                                         uint64_t bytes) {
    const void *place = self->memory == NULL ? NULL : self->memory + self->used;
    if (self->memory != NULL && bytes != 0 && self->code == cudaSuccess) {
        self->code = cudaMemcpy(self->memory + self->used, array, bytes, cudaMemcpyHostToDevice);
    }
    self->used += trawl_cuda_aligned(bytes);
    return place;
}

#endif
