/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What the search of `trawl tune` stands on: the grid of block shapes, and timing a point of it on
 * a device.
 */
#ifndef CLI_TUNE_MEASURE_H
#define CLI_TUNE_MEASURE_H

#include "trawl/trawl_cuda.h"

typedef struct tune_subject {
    const trawl_cuda_db *uploaded;
    const char *kernel;
    const void *text;
    uint64_t length;
    uint32_t repeats;
    uint32_t own_threads; /* T that the kernel has by itself */
    double *seconds;      /* room for `repeats` */
    bool verbose;
    trawl_error refusal; /* of the last point that could not be */
} tune_subject;

/* The best shape of a kernel. */
typedef struct tune_shape {
    uint32_t block_threads; /* 0: the kernel's own */
    uint32_t block_bytes;   /* the same */
    double seconds;         /* the median with it */
    double own_seconds;     /* the median with the kernel's own shape */
    size_t measured, refused;
} tune_shape;

/* Searches threads per block and bytes per thread, beginning with the kernel's own shape. False
 * with the reason in subject->refusal when the kernel cannot scan at all. */
bool tune_kernel(tune_subject *subject, tune_shape *shape);

#endif
