/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *bytes;
    size_t length;
    unsigned flags;
    const char *name;
} sample[] = {
    {"he", 2, 0, NULL},
    {"she", 3, TRAWL_PATTERN_CASE_INSENSITIVE, "a pronoun"},
    {"his", 3, 0, NULL},
    {"hers", 4, 0, NULL},
    {"hers", 4, 0, "a duplicate"},
    {"HERS", 4, TRAWL_PATTERN_CASE_INSENSITIVE, NULL},
    {"\0\xff\0", 3, 0, NULL},
    {"r", 1, 0, NULL},
    {"abcabcabcabcabcabcabcabc", 24, 0, "periodic"},
};

#define TEXT "ushers USHERS \0\xff\0\xff\0 his abcabcabcabcabcabcabcabcabc SheR"
const uint8_t sample_text[] = TEXT;
const size_t sample_text_length = sizeof(TEXT) - 1;

trawl_patterns *sample_patterns(trawl_error *error) {
    trawl_patterns *patterns = NULL;
    trawl_status status = trawl_patterns_new(&patterns, error);
    for (size_t i = 0; i < sizeof(sample) / sizeof(sample[0]) && status == TRAWL_OK; i++) {
        status =
            trawl_patterns_add(patterns, sample[i].bytes, sample[i].length, sample[i].flags, error);
        if (status == TRAWL_OK && sample[i].name)
            status =
                trawl_patterns_name_last(patterns, sample[i].name, strlen(sample[i].name), error);
    }
    if (status != TRAWL_OK) {
        trawl_patterns_free(patterns);
        return NULL;
    }
    return patterns;
}

trawl_db *sample_db(combination which, trawl_match_kind kind) {
    trawl_error error;
    trawl_patterns *patterns = sample_patterns(&error);
    assert_non_null(patterns);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = which.engine;
    options.variant = which.variant;
    options.matches = kind;
    trawl_db *db = NULL;
    trawl_status status = trawl_compile(patterns, &options, &db, &error);
    trawl_patterns_free(patterns);
    if (status != TRAWL_OK && status != TRAWL_ERROR_LIMIT)
        fail_msg("%s/%s: %s", which.engine, which.variant ? which.variant : "-", error.message);
    return db;
}
