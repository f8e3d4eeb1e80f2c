/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Names of sets of GPUs, such as "cuda:0-3", and which GPUs there are. */
#ifndef TRAWL_GPU_DEVICES_H
#define TRAWL_GPU_DEVICES_H

#include "trawl/trawl.h"

enum { TRAWL_MOST_DEVICES = 64, TRAWL_DEVICE_NAME_BYTES = 128 };

/* The GPUs of a scan. */
typedef struct trawl_device_set {
    uint32_t count;
    uint16_t number[TRAWL_MOST_DEVICES]; /* CUDA's, in the order of the name; one may be in it
                                            several times */
    /* True: each GPU takes the next segment when it is ready. A GPU that fails is not used any
     * more; the others go on, or, if none is left, the CPU. False: there is one GPU, and its
     * failure is the scan's. */
    bool shared;
    bool all;             /* all GPUs that there are: the name has no numbers */
    uint64_t least_bytes; /* of a text, for each GPU that takes part beside the first */
} trawl_device_set;

/* Reads "cuda" (device 0), "cuda:N", "cuda:N,M", "cuda:N-M", "cuda:all", "cuda:auto" or "auto";
 * false for anything else. Does not check that the devices are there: the last three give an empty
 * set. */
bool trawl_cuda_devices_read(const char *name, trawl_device_set *set);

/* Fills a set of `all` with the devices that can be used, and checks that those of any other set
 * are there. No device gets a context, so how much memory is free is not known.
 * TRAWL_ERROR_UNAVAILABLE with the reason if a device is not there, or none is. */
trawl_status trawl_cuda_devices_find(trawl_device_set *set, trawl_error *error);

/* Writes the name of a set with at least one device: "cuda:0", "cuda:0-7", "cuda:0,2"; a list that
 * is too long for `size` bytes ends with "...". */
void trawl_cuda_devices_name(const trawl_device_set *set, char *name, size_t size);

#endif
