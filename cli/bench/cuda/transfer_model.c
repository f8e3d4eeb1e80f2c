/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/cuda/transfer_model.h"

static double larger(double left, double right) {
    return left > right ? left : right;
}

double transfer_model_a(const transfer_times *segment, size_t segments,
                        transfer_channels channels) {
    double in = segment->copy_in;
    double scan = segment->scan;
    double out = segment->copy_out;
    double count = (double)segments;
    /* A pipeline of three stages: one segment passes all of them, the others the slowest one. */
    double stages = in + scan + out + (count - 1) * larger(scan, larger(in, out));
    if (channels == TRANSFER_TWO_CHANNELS)
        return stages;
    /* One channel makes all copies one after the other. */
    return larger(stages, count * (in + out));
}

double transfer_model_b(const transfer_times *segment, size_t segments,
                        transfer_channels channels) {
    double in = segment->copy_in;
    double scan = segment->scan;
    double out = segment->copy_out;
    if (segments < 2)
        return in + scan + out;
    /* Step i copies segment i in, scans segment i - 1 and copies the results of segment i - 2 out.
     * The first steps have nothing to copy out, the last ones nothing to copy in. */
    double copies = channels == TRANSFER_TWO_CHANNELS ? larger(in, out) : in + out;
    return in + larger(in, scan) + (double)(segments - 2) * larger(copies, scan) +
           larger(scan, out) + out;
}

double transfer_model_bound(transfer_channels channels) {
    return channels == TRANSFER_TWO_CHANNELS ? 4.0 / 3 : 17.0 / 15;
}
