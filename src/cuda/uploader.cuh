/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Arrays of the host in one block of device memory: they are put twice, first to be counted, then
 * to be copied. */
#ifndef TRAWL_CUDA_UPLOADER_CUH
#define TRAWL_CUDA_UPLOADER_CUH

extern "C" {
#include "cuda/qgram.h"
}

#include "cuda/engine.cuh"

#define TRAWL_CUDA_ARRAY_ALIGNMENT ((uint64_t)256)

typedef struct trawl_cuda_uploader {
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
    self->used += (bytes + TRAWL_CUDA_ARRAY_ALIGNMENT - 1) / TRAWL_CUDA_ARRAY_ALIGNMENT *
                  TRAWL_CUDA_ARRAY_ALIGNMENT;
    return place;
}

/* The outputs of keys; all of *keys but first_hit. */
static inline void trawl_cuda_put_outputs(trawl_cuda_uploader *self,
                                          const trawl_cuda_qgram_arrays *arrays,
                                          trawl_cuda_keys *keys) {
    const uint64_t count = arrays->keys.count;
    trawl_outputs *outputs = &keys->outputs;
    outputs->keys = (uint32_t)count;
    outputs->length = (const uint32_t *)trawl_cuda_put(self, arrays->length, count * 4);
    outputs->link = (const uint32_t *)trawl_cuda_put(self, arrays->link, count * 4);
    outputs->total = (const uint32_t *)trawl_cuda_put(self, arrays->total, count * 4);
    outputs->first = (const uint32_t *)trawl_cuda_put(self, arrays->first, (count + 1) * 4);
    outputs->ids = (const uint32_t *)trawl_cuda_put(self, arrays->ids,
                                                    (uint64_t)arrays->keys.pattern_count * 4);
    outputs->verify = (const uint8_t *)trawl_cuda_put(self, arrays->verify, count);
    outputs->records = NULL;
}

#endif
