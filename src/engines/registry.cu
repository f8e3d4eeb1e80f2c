/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/registry.cuh"

#include "engines/engines.cuh"

extern "C" {
#include "engines/engines.h"
}

/* clang-format off */
static const struct {
    const trawl_engine *engine;
    const trawl_cuda_engine *device;
} engines[] = {
#define ENGINE(name)
#define ENGINE_WITH_KERNELS(name) {&trawl_engine_##name, &trawl_cuda_##name},
#include "engines/list.h"
#undef ENGINE_WITH_KERNELS
#undef ENGINE
};
/* clang-format on */

const trawl_cuda_engine *trawl_cuda_engine_find(const trawl_engine *engine) {
    if (engine == &trawl_engine_empty) {
        return &trawl_cuda_empty;
    }
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        if (engines[i].engine == engine) {
            return engines[i].device;
        }
    }
    return NULL;
}
