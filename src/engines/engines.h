/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What each engine defines, by its name in engines/list.h: trawl_engine_NAME (database/engine.h)
 * and trawl_walker_NAME (scan/contract.h), its walker on the CPU.
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

#endif
