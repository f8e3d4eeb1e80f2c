/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What each engine with kernels defines for CUDA devices: trawl_cuda_NAME (engines/engines.h has
 * the other two). */
#ifndef TRAWL_ENGINES_ENGINES_CUH
#define TRAWL_ENGINES_ENGINES_CUH

#include "gpu/contract.cuh"

/* clang-format off */
#define ENGINE(name)
#define ENGINE_WITH_KERNELS(name) extern const trawl_cuda_engine trawl_cuda_##name;
#include "engines/list.h"
#undef ENGINE_WITH_KERNELS
#undef ENGINE
/* clang-format on */

/* Of databases without patterns. It is in no list. */
extern const trawl_cuda_engine trawl_cuda_empty;

#endif
