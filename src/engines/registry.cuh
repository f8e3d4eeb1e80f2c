/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The engines that have kernels for CUDA devices. */
#ifndef TRAWL_ENGINES_REGISTRY_CUH
#define TRAWL_ENGINES_REGISTRY_CUH

#include "gpu/contract.cuh"

/* What an engine does on CUDA devices (gpu/contract.cuh); NULL: it has no kernels. */
const trawl_cuda_engine *trawl_cuda_engine_find(const trawl_engine *engine);

#endif
