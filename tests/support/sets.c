/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "sets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

trawl_patterns *set_new(void) {
    trawl_patterns *set = NULL;
    assert_int_equal(trawl_patterns_new(&set, NULL), TRAWL_OK);
    return set;
}

void set_add(trawl_patterns *set, const char *text) {
    assert_int_equal(trawl_patterns_add(set, text, strlen(text), 0, NULL), TRAWL_OK);
}

void set_add_all(trawl_patterns *set, const trawl_pattern *patterns, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_int_equal(
            trawl_patterns_add(set, patterns[i].bytes, patterns[i].length, patterns[i].flags, NULL),
            TRAWL_OK);
}

trawl_db *set_compile(trawl_patterns *set, combination which, trawl_error *error) {
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = which.engine;
    options.variant = which.variant;
    trawl_db *db = NULL;
    trawl_status status = trawl_compile(set, &options, &db, error);
    trawl_patterns_free(set);
    if (status != TRAWL_OK && status != TRAWL_ERROR_LIMIT)
        fail_msg("%s/%s: %s", which.engine, which.variant ? which.variant : "-", error->message);
    return db;
}
