/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What each engine defines, by its name in engines/list.h:
 *
 *     trawl_engine_NAME   its compilation and description   database/engine.h engines/NAME/build.c
 *     trawl_walker_NAME   its walker on the CPU             scan/contract.h     engines/NAME/scan.c
 *     trawl_cuda_NAME     ENGINE_WITH_KERNELS: its kernels  gpu/contract.cuh    engines/NAME/cuda
 *
 * engines/empty is not in the list: it stands for any of them where a set has no patterns.
 *
 * The first two are declared here, the third in engines/engines.cuh. An engine's folder includes no
 * other header of engines/.
 */
#ifndef TRAWL_ENGINES_ENGINES_H
#define TRAWL_ENGINES_ENGINES_H

#include "database/engine.h"
#include "scan/contract.h"

/* clang-format off */
#define ENGINE(name)                                                                               \
    extern const trawl_engine trawl_engine_##name;                                                 \
    extern const trawl_walker_type trawl_walker_##name;
#define ENGINE_WITH_KERNELS(name) ENGINE(name)
#include "engines/list.h"
#undef ENGINE_WITH_KERNELS
#undef ENGINE
/* clang-format on */

/* Of databases without patterns, whatever their header names (engines/empty). It is in no list. */
extern const trawl_engine trawl_engine_empty;
extern const trawl_walker_type trawl_walker_empty;

#endif
