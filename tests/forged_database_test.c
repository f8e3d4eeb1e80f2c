/*
 * Databases forged by somebody who knows the format: several fields changed so that they agree with
 * each other, and the checksum made right. Changing bytes at random never finds these.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automaton/nfa.h"
#include "db/validate.h"
#include "engine/image.h"
#include "engine/outputs.h"

static trawl_error error;

/* A database of a few words as bytes that may be changed. */
static uint8_t *compiled(const char *engine, const char *variant, size_t *size) {
    static const char *const words[] = {"he", "she", "his", "hers", "shell", "hell"};
    trawl_patterns *patterns;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_int_equal(trawl_patterns_add(patterns, words[i], strlen(words[i]), 0, &error),
                         TRAWL_OK);
    }
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = engine;
    options.variant = variant;
    options.split_parts = 2;
    trawl_db *db;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    const void *bytes = trawl_db_bytes(db, size);
    uint8_t *block = malloc(*size);
    assert_non_null(block);
    memcpy(block, bytes, *size);
    trawl_db_free(db);
    trawl_patterns_free(patterns);
    return block;
}

static void *section(uint8_t *block, trawl_section_kind kind, uint32_t part) {
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

/* The block loads when nothing is changed, and is refused as it is now. */
static void assert_refused(uint8_t *block, size_t size) {
    trawl_image_header *header = (trawl_image_header *)block;
    header->checksum = trawl_block_checksum(block, size);
    trawl_db *db;
    assert_int_equal(trawl_db_load_memory(block, size, &db, &error), TRAWL_ERROR_FORMAT);
    assert_null(db);
    assert_true(strlen(error.message) > 10);
    free(block);
}

/* Walks without complete rows take a failure's number for a state. */
static void rows_where_no_walk_expects_them(void **state) {
    (void)state;
    static const char *const variants[] = {"array", "array-divergence-free",
                                           "bitmap-divergence-free",
                                           "bitmap-counts-divergence-free"};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        size_t size;
        uint8_t *block = compiled("ac-nfa", variants[i], &size);
        trawl_nfa_header *header = section(block, TRAWL_SECTION_NFA_HEADER, 0);
        /* The section of rows has 1 + 7 entries here; 4 + 4 describe it as well. */
        assert_int_equal(header->classes, 7);
        header->classes = 4;
        header->top_span = 4;
        header->top = 1;
        uint8_t *class_of = section(block, TRAWL_SECTION_CLASSES, 0);
        memset(class_of, 0, 256);
        if (i < 2) {
            *(uint32_t *)section(block, TRAWL_SECTION_NFA_FAILURE, 0) = TRAWL_FAILURE_ROW;
        } else {
            trawl_bitmap_state *root = section(block, TRAWL_SECTION_NFA_STATES, 0);
            root->failure = TRAWL_FAILURE_ROW;
        }
        assert_refused(block, size);
    }
}

static void endless_failures(void **state) {
    (void)state;
    size_t size;
    uint8_t *block = compiled("ac-nfa", "array", &size);
    uint32_t *failure = section(block, TRAWL_SECTION_NFA_FAILURE, 0);
    failure[2] = (failure[2] & ~TRAWL_FAILURE_NUMBER) | 3;
    failure[3] = (failure[3] & ~TRAWL_FAILURE_NUMBER) | 2;
    assert_refused(block, size);
}

/* Links that run in a circle would be followed forever. */
static void endless_outputs(void **state) {
    (void)state;
    size_t size;
    uint8_t *block = compiled("ac-dfa", "classes", &size);
    uint32_t *link = section(block, TRAWL_SECTION_KEY_LINK, 0);
    link[1] = 1;
    assert_refused(block, size);
}

/* Walkers believe records instead of the lists that they repeat. */
static void records_that_lie(void **state) {
    (void)state;
    static const char *const engines[] = {"ac-dfa", "ac-nfa", "ac-split", "wu-manber",
                                          "rabin-karp"};
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        for (int field = 0; field < 4; field++) {
            size_t size;
            uint8_t *block = compiled(engines[i], NULL, &size);
            trawl_key_record *record = section(block, TRAWL_SECTION_KEY_RECORD, 0);
            uint32_t *fields[] = {&record->length, &record->link, &record->patterns, &record->ids};
            *fields[field] += 1;
            assert_refused(block, size);
        }
    }
}

/* Threads that scan different parts count a pattern of both at the same moment. */
static void a_pattern_in_two_parts(void **state) {
    (void)state;
    size_t size;
    uint8_t *block = compiled("ac-split", "in-parallel", &size);
    uint32_t *ids[2], *length[2];
    for (uint32_t part = 0; part < 2; part++) {
        ids[part] = section(block, TRAWL_SECTION_KEY_IDS, part);
        length[part] = section(block, TRAWL_SECTION_KEY_LENGTH, part);
    }
    /* "she" and "his", or "hell" and another of that length, may lie in different parts. */
    bool forged = false;
    for (int i = 0; i < 3 && !forged; i++) {
        for (int j = 0; j < 3 && !forged; j++) {
            if (length[0][i] == length[1][j]) {
                ids[1][j] = ids[0][i];
                forged = true;
            }
        }
    }
    if (!forged) {
        free(block);
        fail_msg("the parts have no patterns of one length");
    }
    assert_refused(block, size);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_where_no_walk_expects_them),
        cmocka_unit_test(endless_failures),
        cmocka_unit_test(endless_outputs),
        cmocka_unit_test(records_that_lie),
        cmocka_unit_test(a_pattern_in_two_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
