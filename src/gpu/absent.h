/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A build without CUDA. */
#ifndef TRAWL_GPU_ABSENT_H
#define TRAWL_GPU_ABSENT_H

#include "base/status.h"

/* TRAWL_ERROR_UNAVAILABLE, and how to build the CUDA module. */
trawl_status trawl_cuda_absent(trawl_error *error);

#endif
