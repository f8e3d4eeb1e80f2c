/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Pattern sets and texts for the tests of the planner. Exactly one file of a program includes this.
 */
#ifndef TRAWL_TESTS_PLANNED_SETS_H
#define TRAWL_TESTS_PLANNED_SETS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trawl/trawl_study.h"

static trawl_error error;

/* `count` patterns of `length` letters, all different. */
static inline trawl_patterns *numbered(unsigned count, size_t length) {
    trawl_patterns *patterns;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (unsigned i = 0; i < count; i++) {
        char bytes[64];
        unsigned rest = i * 2654435761u;
        for (size_t j = 0; j < length; j++) {
            bytes[j] = (char)('a' + rest % 26);
            rest = rest / 26 + i * 40503u + (unsigned)j;
        }
        assert_int_equal(trawl_patterns_add(patterns, bytes, length, 0, &error), TRAWL_OK);
    }
    return patterns;
}

/* The sample of the text for the planner: `patterns` of this set, or bytes unlike them. */
static inline char *text_of(const trawl_patterns *patterns, size_t length) {
    char *text = malloc(length);
    assert_non_null(text);
    memset(text, '-', length);
    size_t count = patterns == NULL ? 0 : trawl_patterns_count(patterns);
    size_t at = 0;
    for (uint32_t id = 0; count != 0; id = (id + 1) % (uint32_t)count) {
        trawl_pattern pattern = TRAWL_PATTERN;
        assert_true(trawl_patterns_get(patterns, id, &pattern));
        if (at + pattern.length > length) {
            break;
        }
        memcpy(text + at, pattern.bytes, pattern.length);
        at += pattern.length;
    }
    return text;
}

#endif
