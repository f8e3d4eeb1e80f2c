/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Walkers that take windows of host memory to GPUs and bring matches back. They serve all engines.
 * Both are NULL in a build without the CUDA module. */
#ifndef TRAWL_RUN_GPU_WALKERS_H
#define TRAWL_RUN_GPU_WALKERS_H

#include "scan/contract.h"

/* For one device, which options->device names. */
const trawl_walker_type *trawl_cuda_walker(void);

/* For several devices: options->device is the name of a set that is shared (gpu/devices.h). */
const trawl_walker_type *trawl_cuda_group_walker(void);

#endif
