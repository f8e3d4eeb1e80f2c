/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* For tests of the public interface: a set of the patterns "abc" and "b", its database, and what a
 * failed call has to say. */
#ifndef TRAWL_TESTS_UNIT_API_SET_H
#define TRAWL_TESTS_UNIT_API_SET_H

#include "trawl/trawl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static trawl_error error;
static trawl_patterns *patterns;
static trawl_db *db;

static int setup(void **state) {
    (void)state;
    if (trawl_patterns_new(&patterns, &error) != TRAWL_OK ||
        trawl_patterns_add(patterns, "abc", 3, 0, &error) != TRAWL_OK ||
        trawl_patterns_add(patterns, "b", 1, 0, &error) != TRAWL_OK ||
        trawl_compile(patterns, NULL, &db, &error) != TRAWL_OK)
        return -1;
    memset(&error, 0, sizeof(error));
    return 0;
}

static int teardown(void **state) {
    (void)state;
    trawl_db_free(db);
    trawl_patterns_free(patterns);
    return 0;
}

/* The call failed with this status, and said why in one sentence. */
static void expect_error(trawl_status status, trawl_status wanted) {
    assert_int_equal(status, wanted);
    assert_int_equal(error.status, wanted);
    assert_true(strlen(error.message) > 0);
    assert_true(strlen(error.message) < sizeof(error.message));
    assert_null(strchr(error.message, '\n'));
    memset(&error, 0, sizeof(error));
}

#endif
