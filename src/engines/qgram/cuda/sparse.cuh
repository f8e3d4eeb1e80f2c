/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Kernel `sparse` (gpu/sparse_tables.h): its arguments. */
#ifndef TRAWL_ENGINES_QGRAM_CUDA_SPARSE_CUH
#define TRAWL_ENGINES_QGRAM_CUDA_SPARSE_CUH

#include "engines/qgram/cuda/engine.cuh"

extern "C" {
#include "engines/qgram/gpu/sparse_tables.h"
}

/* The tables; passed to kernels by value. All pointers are to device memory. */
typedef struct trawl_cuda_sparse_view {
    trawl_cuda_qgram_tables table; /* the keys, and their look-up by their ends */
    uint64_t case_bits;            /* trawl_qgram_case_bits */
    uint32_t stride, reach;        /* reach: the largest distance from a sample to a key's end */
    uint32_t row_bits, bucket_bits;
    const uint32_t *filter, *heads;
    const uint64_t *entries;
    const uint16_t *distances; /* trawl_sparse_made; NULL without crowded buckets */
} trawl_cuda_sparse_view;

/* Uploads all tables but those of *view->table, which the caller has uploaded. */
void trawl_cuda_sparse_put(trawl_cuda_uploader *upload, const trawl_cuda_sparse_layout *layout,
                           trawl_cuda_sparse_view *view);

/* Bytes of shared memory of a block. */
uint32_t trawl_cuda_sparse_shared_bytes(void);

/* Tests the samples of a slice, for any pass except RECORDS and STATES; pass SIZES also notes
 * hits. */
trawl_status trawl_cuda_sparse_scan(const trawl_cuda_qgram_call *call,
                                    const trawl_cuda_sparse_view *view, trawl_error *error);

#endif
