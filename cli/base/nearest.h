/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* "Did you mean": the known name that is nearest to an unknown one. */
#ifndef CLI_BASE_NEAREST_H
#define CLI_BASE_NEAREST_H

#include <stddef.h>

/* Begin with {.unknown = "formt"}, offer every known name, then read `name`. */
typedef struct nearest {
    const char *unknown;
    const char *name; /* the nearest of the names offered; NULL: none is near */
    size_t distance;  /* private */
} nearest;

/* A name is near if `unknown` is a beginning of it, or becomes it by few changes: one for each
 * three letters. A change adds, drops or replaces a letter, or swaps two neighbours. */
void nearest_offer(nearest *search, const char *name);

#endif
