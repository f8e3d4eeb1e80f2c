/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The grid of block shapes that `trawl tune` searches, and the timing of one shape on a device.
 */
#ifndef CLI_TUNE_MEASURE_H
#define CLI_TUNE_MEASURE_H

#include "trawl/trawl_study.h"

typedef struct tune_subject {
    const trawl_cuda_db *uploaded;
    const char *kernel;
    const void *text;
    uint64_t length;
    uint32_t repeats;
    uint32_t own_threads; /* threads of a block in the kernel's own shape */
    double *seconds;      /* room for `repeats` */
    bool verbose;
    double best_gain; /* of the fastest kernel so far: its own shape's time divided by the best */
    trawl_error refusal; /* why the last impossible point was refused */
} tune_subject;

/* About as many shapes as tune_kernel tries: each axis once or twice. */
enum { TUNE_USUAL_SHAPES = 40 };

/* The best shape of a kernel. */
typedef struct tune_shape {
    uint32_t block_threads; /* 0: the kernel's own */
    uint32_t block_bytes;   /* the same */
    double seconds;         /* the median with it */
    double own_seconds;     /* the median with the kernel's own shape */
    size_t measured, refused;
} tune_shape;

/* Times the kernel's own shape once; returns about the seconds that tune_kernel takes, or 0 if the
 * kernel cannot scan. */
double tune_estimate(tune_subject *subject);

/* Searches threads per block and bytes per thread, beginning with the kernel's own shape. False
 * with the reason in subject->refusal if the kernel cannot scan at all. */
bool tune_kernel(tune_subject *subject, tune_shape *shape);

#endif
