/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * How long the two strategies of Zha & Sahni 2011, V, take: a text in equal segments, each of which
 * is copied to the device, scanned, and its results copied back. From the loops of Figs. 6 and 7.
 */
#ifndef CLI_BENCH_CUDA_TRANSFER_MODEL_H
#define CLI_BENCH_CUDA_TRANSFER_MODEL_H

#include <stddef.h>

/* What one segment takes, in seconds. */
typedef struct transfer_times {
    double copy_in, scan, copy_out;
} transfer_times;

/* Copies in and out share one channel (the paper's device), or have one each. */
typedef enum transfer_channels {
    TRANSFER_ONE_CHANNEL = 1,
    TRANSFER_TWO_CHANNELS = 2
} transfer_channels;

/* All segments have buffers of their own: whatever can overlap does. */
double transfer_model_a(const transfer_times *segment, size_t segments, transfer_channels channels);

/* Two buffers: every step ends with a wait for all that is under way. */
double transfer_model_b(const transfer_times *segment, size_t segments, transfer_channels channels);

/* What the paper proves: B takes at most so many times as long as A. */
double transfer_model_bound(transfer_channels channels);

#endif
