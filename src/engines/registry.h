/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Engines and their kernels by name. */
#ifndef TRAWL_ENGINES_REGISTRY_H
#define TRAWL_ENGINES_REGISTRY_H

#include "database/engine.h"

/* The engine of that name, or NULL. */
const trawl_engine *trawl_engine_find(const char *name);

/* The engine of that name, and the index of its variant; `variant` NULL: 0, the default.
 * TRAWL_ERROR_ARGUMENT with the list of names for an unknown one. */
trawl_status trawl_engine_find_variant(const char *name, const char *variant,
                                       const trawl_engine **engine, unsigned *index,
                                       trawl_error *error);

/* The index of a kernel among those of an engine. `kernel` NULL: 0, the default where the engine
 * does not choose by the set. TRAWL_ERROR_ARGUMENT with the list of names for an unknown one;
 * TRAWL_ERROR_UNAVAILABLE with a list of engines where this engine has no kernels at all. */
trawl_status trawl_kernel_find(const char *engine, const char *kernel, uint32_t *index,
                               trawl_error *error);

/* The kernel that zero-copy takes when none is named; NULL: the same as for other transfers. */
const char *trawl_kernel_for_zero_copy(const char *engine);

#endif
