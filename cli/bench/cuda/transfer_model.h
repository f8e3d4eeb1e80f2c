/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A model of the time of strategies A and B of Zha & Sahni 2011, V, after the loops of Figs. 6 and
 * 7: the text has equal segments; each is copied to the device and scanned, and its results are
 * copied back.
 */
#ifndef CLI_BENCH_CUDA_TRANSFER_MODEL_H
#define CLI_BENCH_CUDA_TRANSFER_MODEL_H

#include <stddef.h>

/* Times of one segment, in seconds. */
typedef struct transfer_times {
    double copy_in, scan, copy_out;
} transfer_times;

/* Copies to and from the device share one channel (the paper's device), or have one each. */
typedef enum transfer_channels {
    TRANSFER_ONE_CHANNEL = 1,
    TRANSFER_TWO_CHANNELS = 2
} transfer_channels;

/* Strategy A: every segment has buffers of its own, so copies and scans overlap freely. */
double transfer_model_a(const transfer_times *segment, size_t segments, transfer_channels channels);

/* Strategy B: two buffers; every step ends with a wait for its copies and its scan. */
double transfer_model_b(const transfer_times *segment, size_t segments, transfer_channels channels);

/* The bound of the time of B divided by that of A, as the paper states it. With two channels the
 * model reaches it; with one channel the model stays at or below 9/8 (copying in, scanning and
 * copying out of four segments in the ratio 57 : 171 : 172), and the paper's proof is elsewhere. */
double transfer_model_bound(transfer_channels channels);

#endif
