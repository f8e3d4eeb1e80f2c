/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The register Bloom filter: the same candidates with every instruction set, no end of a pattern
 * missed, few false candidates, no byte read outside the text, and refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engines/qgram/registers/scan.h"
#include "guard.h"
#include "random.h"
#include "sets.h"

enum { LONGEST = 1200, PATTERNS = 300 };

static trawl_error error;

/* The last bytes of patterns, the last one first. */
typedef struct ends {
    uint8_t reversed[PATTERNS][TRAWL_REGISTER_BLOOM_BYTES];
    uint32_t gram;
    bool folded;
} ends;

static void draw(ends *drawn, random_source *random, size_t letters) {
    drawn->gram = (uint32_t)random_between(random, 1, TRAWL_REGISTER_BLOOM_BYTES);
    drawn->folded = random_chance(random, 1, 2) != 0;
    for (size_t i = 0; i < PATTERNS; i++)
        for (size_t k = 0; k < TRAWL_REGISTER_BLOOM_BYTES; k++)
            drawn->reversed[i][k] = (uint8_t)(random_below(random, letters) * 37);
}

static void fill(trawl_register_bloom *filter, const ends *drawn, size_t count, bool wide) {
    trawl_register_bloom_clear(filter, drawn->folded, wide);
    for (size_t i = 0; i < count; i++)
        trawl_register_bloom_add(filter, drawn->reversed[i], drawn->gram);
}

/* Whether one of the patterns' ends stands before and at `last`; where letters fold, in any case.
 */
static bool stands(const ends *drawn, size_t count, const uint8_t *last) {
    for (size_t i = 0; i < count; i++) {
        uint32_t distance = 0;
        uint8_t differs = drawn->folded ? 0xdf : 0xff;
        while (distance < drawn->gram &&
               ((*(last - distance) ^ drawn->reversed[i][distance]) & differs) == 0)
            distance++;
        if (distance == drawn->gram)
            return true;
    }
    return false;
}

static void all_sets_note_the_same(void **state) {
    (void)state;
    static const size_t alphabets[] = {1, 2, 4, 26, 256};
    size_t sets = 0;
    for (size_t round = 0; round < 300; round++) {
        random_source random = random_for_case(random_seed(), round);
        static ends drawn;
        size_t letters = alphabets[random_below(&random, 5)];
        size_t count = random_between(&random, 1, PATTERNS);
        draw(&drawn, &random, letters);
        trawl_register_bloom filter;
        fill(&filter, &drawn, count, random_chance(&random, 1, 2) != 0);
        trawl_register_bloom_view search =
            trawl_register_bloom_view_of(&filter, drawn.gram, drawn.folded);
        size_t length = random_between(&random, drawn.gram, LONGEST);
        static uint8_t bytes[LONGEST];
        for (size_t i = 0; i < length; i++)
            bytes[i] = (uint8_t)(random_below(&random, letters) * 37);
        guarded text;
        guarded_copy(&text, bytes, length, random_chance(&random, 1, 2));
        size_t first = random_between(&random, drawn.gram - 1, length - 1);
        size_t least = random_chance(&random, 1, 2) ? drawn.gram - 1 : first;
        size_t positions =
            random_chance(&random, 1, 2) ? length - least : random_below(&random, length - least);
        static uint32_t expected[LONGEST + 1];
        static uint32_t noted[LONGEST + 1];
        size_t should = trawl_register_bloom_for(TRAWL_CPU_SCALAR)(&search, text.bytes, least,
                                                                   positions, expected);
        size_t next = 0;
        for (size_t last = least; last < least + positions; last++) {
            bool passes = next < should && expected[next] == last;
            next += passes;
            assert_true(passes || !stands(&drawn, count, text.bytes + last));
        }
        assert_int_equal(next, should);
        for (int set = TRAWL_CPU_AVX2; set < TRAWL_CPU_SETS; set++) {
            if (!trawl_cpu_has((trawl_cpu_set)set))
                continue;
            sets++;
            size_t found = trawl_register_bloom_for((trawl_cpu_set)set)(&search, text.bytes, least,
                                                                        positions, noted);
            assert_int_equal(found, should);
            assert_memory_equal(noted, expected, found * sizeof *noted);
        }
        guarded_free(&text);
    }
    printf("%zu comparisons with other sets than scalar\n", sets);
}

/* Expected false candidates: with 300 of 1,024 bits set in each of four banks 0.4 % of all
 * positions; with 300 of 2,048 bits 0.04 %. */
static void few_others_pass(void **state) {
    (void)state;
    random_source random = random_for_case(random_seed(), 1000);
    static ends drawn;
    draw(&drawn, &random, 256);
    drawn.gram = 4;
    drawn.folded = false;
    trawl_register_bloom filter;
    fill(&filter, &drawn, PATTERNS, false);
    enum { LENGTH = 200000 };
    uint8_t *text = malloc(LENGTH);
    assert_non_null(text);
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = (uint8_t)random_below(&random, 256);
    double pass = trawl_register_bloom_pass_rate(&filter, drawn.gram, text, LENGTH);
    assert_true(pass > 0.001 && pass < 0.01);
    trawl_register_bloom wide;
    fill(&wide, &drawn, PATTERNS, true);
    assert_true(trawl_register_bloom_pass_rate(&wide, drawn.gram, text, LENGTH) < pass / 5);
    assert_true(trawl_register_bloom_is_valid(&filter, sizeof filter, false));
    assert_false(trawl_register_bloom_is_valid(&filter, sizeof filter, true));
    assert_false(trawl_register_bloom_is_valid(&filter, sizeof filter - 4, false));
    filter.hash[3][7] ^= 1;
    assert_false(trawl_register_bloom_is_valid(&filter, sizeof filter, false));
    assert_true(trawl_register_bloom_is_valid(&wide, sizeof wide, false));
    wide.index_mask = 63;
    assert_false(trawl_register_bloom_is_valid(&wide, sizeof wide, false));
    wide.index_mask = 511;
    assert_false(trawl_register_bloom_is_valid(&wide, sizeof wide, false));
    free(text);
}

static trawl_db *compile(size_t count) {
    trawl_patterns *set = set_new();
    for (size_t i = 0; i < count; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, "word%zu", 1000 + i);
        set_add(set, text);
    }
    return set_compile(set, (combination){.engine = "qgram", .variant = "registers"}, &error);
}

static void large_sets_are_refused(void **state) {
    (void)state;
    trawl_db *db = compile(TRAWL_REGISTER_BLOOM_PATTERNS);
    assert_non_null(db);
    trawl_study_plan plan = TRAWL_STUDY_PLAN;
    assert_int_equal(trawl_study_db_plan(db, &plan, &error), TRAWL_OK);
    assert_int_equal(plan.filters, 1);
    assert_string_equal(plan.filter[0].kind, "registers");
    trawl_db_free(db);
    assert_null(compile(TRAWL_REGISTER_BLOOM_PATTERNS + 1));
    assert_int_equal(error.status, TRAWL_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "at most 1280 patterns, and these are 1281"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_sets_note_the_same),
                                       cmocka_unit_test(few_others_pass),
                                       cmocka_unit_test(large_sets_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
