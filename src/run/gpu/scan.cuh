/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Scans in device memory, for the callers in this folder. */
#ifndef TRAWL_RUN_GPU_SCAN_CUH
#define TRAWL_RUN_GPU_SCAN_CUH

#include "gpu/contract.cuh"

/* trawl_cuda_workspace and trawl_cuda_scan for databases of any match kind. They find the
 * occurrences that leftmost matches are selected from, in the order of trawl_scan: if the database
 * has selection sections, at least the longest key of each part at each position; else all
 * occurrences. */
trawl_status trawl_cuda_workspace_any(const trawl_cuda_db *uploaded,
                                      const trawl_cuda_scan_options *scan, uint64_t length,
                                      size_t *bytes, trawl_error *error);
trawl_status trawl_cuda_scan_any(const trawl_cuda_db *uploaded, const trawl_cuda_scan_options *scan,
                                 const void *text, uint64_t length,
                                 const trawl_cuda_results *results, void *workspace,
                                 size_t workspace_bytes, cudaStream_t stream, trawl_error *error);

/* The same for `length` bytes, at most `most`, with a workspace that has room for a scan of `most`
 * bytes. A shorter text may be planned with more strips, which need more room; then the scan is
 * planned as one of `most` bytes. */
trawl_status trawl_cuda_scan_piece(const trawl_cuda_db *uploaded,
                                   const trawl_cuda_scan_options *scan, uint64_t most,
                                   const void *text, uint64_t length,
                                   const trawl_cuda_results *results, void *workspace,
                                   size_t workspace_bytes, cudaStream_t stream, trawl_error *error);

/* A scan of trawl_cuda_scan_in_turn, with the arguments of trawl_cuda_scan_any. */
typedef struct trawl_cuda_device_scan {
    const trawl_cuda_db *uploaded;
    const trawl_cuda_scan_options *options;
    const void *text;
    uint64_t length;
    const trawl_cuda_results *results;
    void *workspace;
    size_t workspace_bytes;
    cudaStream_t stream;
} trawl_cuda_device_scan;

/* Launches several scans from one thread, mostly of different devices. Counts are launched slice by
 * slice in turn: launching all slices of a long text takes some hundred microseconds, for which the
 * next device would wait (docs/notebook/2026-11-several-gpus.md). */
trawl_status trawl_cuda_scan_in_turn(const trawl_cuda_device_scan *scans, size_t count,
                                     trawl_error *error);

#endif
