/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What the runners use of the CUDA module, in plain C. In a build without the module (absent.c)
 * every function fails and says why.
 */
#ifndef TRAWL_GPU_MODULE_H
#define TRAWL_GPU_MODULE_H

#include "scan/contract.h"
#include "trawl/trawl_study.h"

/* Describes the CUDA devices that can be used, the best first, in an array of `capacity` complete
 * trawl_device; returns their number: 0 if there are none, whatever the reason. */
size_t trawl_cuda_list(trawl_device *devices, size_t capacity);

/* TRAWL_OK when device `number` can be used; else TRAWL_ERROR_UNAVAILABLE with the reason: no
 * module, no driver, too old a driver or device, no such device, no free memory. */
trawl_status trawl_cuda_check(uint32_t number, trawl_error *error);

/* TRAWL_ERROR_LIMIT for a set whose offsets need more than 32 bits (pattern/offsets.h), which
 * kernels do not read. */
trawl_status trawl_cuda_check_patterns(const trawl_db *db, trawl_error *error);

/* What a plan for a GPU depends on. */
typedef struct trawl_cuda_properties {
    uint32_t multiprocessors;
    size_t shared_bytes; /* that a block may have */
    size_t cache_bytes;  /* of the second level */
    size_t memory_bytes; /* all of it, free or not */
} trawl_cuda_properties;

/* Fails as trawl_cuda_check does, but never for lack of memory: how much is free is known only to a
 * context, and making one takes long. */
trawl_status trawl_cuda_read_properties(uint32_t number, trawl_cuda_properties *properties,
                                        trawl_error *error);

/* "cuda" is device 0, "cuda:N" device N; false for anything else, also for several devices. */
bool trawl_cuda_device_number(const char *name, uint32_t *number);

/* The same for plans, which are made for one device: of a name of several ones (gpu/devices.h) the
 * first, 0 for "cuda:all" and "cuda:auto". "auto" is for the caller to decide: false. */
bool trawl_cuda_planned_device(const char *name, uint32_t *number);

#endif
