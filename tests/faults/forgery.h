/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Forged databases: tests change fields so that several of them agree with each other, and correct
 * the checksum. Random changes of bytes never produce these.
 */
#ifndef TRAWL_TESTS_FORGERY_H
#define TRAWL_TESTS_FORGERY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "database/image.h"
#include "database/validate.h"

static trawl_error error;

/* The bytes of a database, which is freed, in memory of their own: they may be changed. */
static inline uint8_t *bytes_of(trawl_db *db, size_t *size) {
    const void *bytes = trawl_db_bytes(db, size);
    uint8_t *block = malloc(*size);
    assert_non_null(block);
    memcpy(block, bytes, *size);
    trawl_db_free(db);
    return block;
}

/* A database of a few words as bytes that may be changed. */
static inline uint8_t *compiled(const char *engine, const char *variant, size_t *size) {
    static const char *const words[] = {"he", "she", "his", "hers", "shell", "hell", "sell"};
    trawl_patterns *patterns;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_int_equal(trawl_patterns_add(patterns, words[i], strlen(words[i]), 0, &error),
                         TRAWL_OK);
    }
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = engine;
    options.variant = variant;
    trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;
    study.split_parts = 2;
    options.study = &study;
    trawl_db *db;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_patterns_free(patterns);
    return bytes_of(db, size);
}

/* The section of this kind and part in a block. */
static inline void *section(uint8_t *block, trawl_section_kind kind, uint32_t part) {
    const trawl_image_header *header = (const trawl_image_header *)block;
    const trawl_section *sections = (const trawl_section *)(header + 1);
    for (uint32_t i = 0; i < header->section_count; i++) {
        if (sections[i].kind == (uint32_t)kind && sections[i].part == part) {
            return block + sections[i].offset;
        }
    }
    fail_msg("section %d is missing", (int)kind);
    return NULL;
}

/* The n-th section of a kind, whatever its part; NULL: there are no more. */
static inline trawl_section *nth_section(uint8_t *block, trawl_section_kind kind, uint32_t n) {
    const trawl_image_header *header = (const trawl_image_header *)block;
    trawl_section *sections = (trawl_section *)(block + sizeof *header);
    for (uint32_t i = 0; i < header->section_count; i++)
        if (sections[i].kind == (uint32_t)kind && n-- == 0)
            return &sections[i];
    return NULL;
}

/* The unchanged block loads; the changed one is refused, and freed. */
static inline void assert_refused(uint8_t *block, size_t size) {
    trawl_image_header *header = (trawl_image_header *)block;
    header->checksum = trawl_block_checksum(block, size);
    trawl_db *db;
    assert_int_equal(trawl_db_load_memory(block, size, &db, &error), TRAWL_ERROR_FORMAT);
    assert_null(db);
    assert_true(strlen(error.message) > 10);
    free(block);
}

#endif
