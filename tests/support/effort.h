/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * How much a test does. `make check` runs the long tests in a short form (TRAWL_TEST_EFFORT=short,
 * set by CTest): the same checks on fewer inputs. Without the variable a test does everything.
 */
#ifndef TRAWL_TESTS_EFFORT_H
#define TRAWL_TESTS_EFFORT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool effort_is_short(void) {
    const char *effort = getenv("TRAWL_TEST_EFFORT");
    return effort && strcmp(effort, "short") == 0;
}

#endif
