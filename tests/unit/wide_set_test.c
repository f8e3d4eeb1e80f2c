/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Sets with offsets of 64 bits (pattern/offsets.h): small ones, whose first offset is so large that
 * the low 32 bits overflow.
 */
#include "faults/forgery.h"
#include "pattern/offsets.h"
#include "pattern/patterns.h"

#include "trawl/trawl.h"

enum { MANY = 3 * 65536 + 7 };

/* "0000000" to "0196614", of 7 to 9 bytes: some have letters behind their digits. */
static size_t name_of(size_t id, char name[16]) {
    static const char *const ends[] = {"", "x", "yz"};
    (void)snprintf(name, 16, "%07u%s", (unsigned)(id % 10000000), ends[id % 3]);
    return strlen(name);
}

static trawl_patterns *set_of(size_t count, bool wide, uint32_t first) {
    trawl_patterns *set;
    assert_int_equal(trawl_patterns_new(&set, &error), TRAWL_OK);
    if (wide)
        assert_int_equal(trawl_patterns_widen(set, first, &error), TRAWL_OK);
    for (size_t id = 0; id < count; id++) {
        char name[16];
        size_t length = name_of(id, name);
        assert_int_equal(trawl_patterns_add(set, name, length, 0, &error), TRAWL_OK);
    }
    return set;
}

static void expect_patterns(const trawl_patterns *set) {
    for (uint32_t id = 0; id < trawl_patterns_count(set); id++) {
        char name[16];
        trawl_pattern pattern = TRAWL_PATTERN;
        assert_true(trawl_patterns_get(set, id, &pattern));
        assert_int_equal(pattern.length, name_of(id, name));
        assert_memory_equal(pattern.bytes, name, pattern.length);
    }
}

static void expect_database(const trawl_db *db) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    assert_int_equal(trawl_db_info(db, &information, &error), TRAWL_OK);
    for (uint32_t id = 0; id < information.patterns; id++) {
        char name[16];
        trawl_pattern pattern = TRAWL_PATTERN;
        assert_true(trawl_db_pattern(db, id, &pattern));
        assert_int_equal(pattern.length, name_of(id, name));
        assert_memory_equal(pattern.bytes, name, pattern.length);
    }
}

typedef struct seen {
    uint32_t next, step; /* ids are expected in this order */
    size_t count;
} seen;

static int see(const trawl_match *match, void *context) {
    seen *self = context;
    char name[16];
    assert_int_equal(match->pattern, self->next);
    assert_int_equal(match->end - match->start, name_of(match->pattern, name));
    self->next += self->step;
    self->count++;
    return 0;
}

/* A text with every 997th pattern, between bytes of no pattern. */
static void expect_matches(const trawl_db *db, size_t count) {
    enum { STEP = 997, ROOM = 20 };
    char *text = malloc(ROOM * (count / STEP + 1));
    size_t length = 0, planted = 0;
    assert_non_null(text);
    for (size_t id = 0; id < count; id += STEP, planted++) {
        length += name_of(id, text + length);
        memcpy(text + length, " -- ", 4);
        length += 4;
    }
    seen matches = {.step = STEP};
    assert_int_equal(trawl_scan(db, text, length, NULL, see, &matches, &error), TRAWL_OK);
    assert_int_equal(matches.count, planted);
    free(text);
}

/* Offsets overflow in the first, second and last block of a base, at a base, and nowhere. */
static const uint32_t firsts[] = {0,
                                  UINT32_MAX,
                                  UINT32_MAX - 100,
                                  UINT32_MAX - 70000 * 8,
                                  UINT32_MAX - 190000 * 8,
                                  0u - 65536 * 8};

static void offsets_of_large_sets(void **state) {
    (void)state;
    static const char *const engines[] = {"auto", "qgram", "wu-manber", "rabin-karp"};
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        trawl_patterns *set = set_of(MANY, true, firsts[i]);
        expect_patterns(set);
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
        options.engine = engines[i % 4];
        trawl_db *db, *loaded;
        assert_int_equal(trawl_compile(set, &options, &db, &error), TRAWL_OK);
        trawl_patterns_free(set);
        expect_database(db);
        expect_matches(db, MANY);
        size_t size;
        const void *bytes = trawl_db_bytes(db, &size);
        assert_int_equal(trawl_db_load_memory(bytes, size, &loaded, &error), TRAWL_OK);
        expect_database(loaded);
        expect_matches(loaded, MANY);
        trawl_db_free(loaded);
        trawl_db_free(db);
    }
}

/* A set that gets bases when it is no longer empty, as one does that grows beyond 2 GiB. */
static void sets_that_grow_wide(void **state) {
    (void)state;
    static const size_t counts[] = {1, 65535, 65536, 65537, 140000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        trawl_patterns *set = set_of(counts[i], false, 0);
        assert_int_equal(trawl_patterns_widen(set, 0, &error), TRAWL_OK);
        for (size_t id = counts[i]; id < MANY; id++) {
            char name[16];
            size_t length = name_of(id, name);
            assert_int_equal(trawl_patterns_add(set, name, length, 0, &error), TRAWL_OK);
        }
        expect_patterns(set);
        trawl_db *db;
        assert_int_equal(trawl_compile(set, NULL, &db, &error), TRAWL_OK);
        trawl_patterns_free(set);
        expect_database(db);
        expect_matches(db, MANY);
        trawl_db_free(db);
    }
}

/* A set without patterns has no offsets, and a small one no bases. */
static void narrow_and_empty_sets(void **state) {
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        for (size_t count = 0; count < 2; count++) {
            trawl_patterns *set = set_of(count, wide, UINT32_MAX);
            trawl_db *db, *loaded;
            assert_int_equal(trawl_compile(set, NULL, &db, &error), TRAWL_OK);
            trawl_patterns_free(set);
            size_t size;
            uint8_t *bytes = (uint8_t *)(uintptr_t)trawl_db_bytes(db, &size);
            bool has_bases = nth_section(bytes, TRAWL_SECTION_PATTERN_BASES, 0) != NULL;
            assert_int_equal(has_bases, wide && count != 0);
            assert_int_equal(trawl_db_load_memory(bytes, size, &loaded, &error), TRAWL_OK);
            trawl_db_free(loaded);
            trawl_db_free(db);
        }
    }
}

static uint8_t *wide_block(size_t *size) {
    trawl_patterns *set = set_of(MANY, true, UINT32_MAX - 100);
    trawl_db *db;
    assert_int_equal(trawl_compile(set, NULL, &db, &error), TRAWL_OK);
    trawl_patterns_free(set);
    return bytes_of(db, size);
}

/* Bases and offsets that do not agree with each other or with the bytes. */
static void forged_offsets(void **state) {
    (void)state;
    for (int forgery = 0; forgery < 12; forgery++) {
        size_t size;
        uint8_t *block = wide_block(&size);
        uint64_t *bases = section(block, TRAWL_SECTION_PATTERN_BASES, 0);
        uint32_t *offsets = section(block, TRAWL_SECTION_PATTERN_OFFSETS, 0);
        trawl_section *entry = nth_section(block, TRAWL_SECTION_PATTERN_BASES, 0);
        assert_int_equal(entry->size, 4 * sizeof *bases);
        switch (forgery) {
        case 0:
            bases[0]++;
            break;
        case 1:
            bases[0] += UINT64_C(1) << 32;
            break;
        case 2: /* all of them: differences stay right */
            for (int i = 0; i < 4; i++)
                bases[i] += UINT64_C(1) << 32;
            break;
        case 3:
            bases[3]--;
            break;
        case 4:
            bases[2] += UINT64_C(1) << 32;
            break;
        case 5:
            entry->size -= sizeof *bases;
            break;
        case 6:
            entry->size += sizeof *bases;
            break;
        case 7:
            entry->kind = 9999;
            break;
        case 8: /* a pattern of more than 65,536 bytes, and one whose length is below 0 */
            offsets[5] += 100000;
            break;
        case 9:
            offsets[MANY]++;
            break;
        case 10:
            offsets[0] = 0;
            break;
        default: /* the shortest pattern becomes empty */
            offsets[1] = offsets[0];
            break;
        }
        assert_refused(block, size);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_of_large_sets),
        cmocka_unit_test(sets_that_grow_wide),
        cmocka_unit_test(narrow_and_empty_sets),
        cmocka_unit_test(forged_offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
