/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TRAWL_GPU_READ_TABLE_CUH
#define TRAWL_GPU_READ_TABLE_CUH

#include "gpu/runtime.cuh"

/* How a kernel reads a table in device memory: by plain loads, by read-only loads, or through a
 * texture object. A template argument of kernels: the papers compare these. */
enum trawl_cuda_path { TRAWL_CUDA_PLAIN, TRAWL_CUDA_READ_ONLY, TRAWL_CUDA_TEXTURE };

/* Element `index` of a table of T. `texture` is 0 unless the path is TRAWL_CUDA_TEXTURE. */
template <int PATH, typename T>
static __device__ __forceinline__ T trawl_cuda_read_table(const void *table,
                                                          cudaTextureObject_t texture,
                                                          size_t index) {
    if (PATH == TRAWL_CUDA_TEXTURE) {
        return tex1Dfetch<T>(texture, (int)index);
    }
    if (PATH == TRAWL_CUDA_READ_ONLY) {
        return __ldg((const T *)table + index);
    }
    return ((const T *)table)[index];
}

#endif
