/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Databases with one filter of a given shape: a sample filter of the patterns' last bytes, or free
 * anchors, one q-gram anywhere in a pattern. Texts with matches around the boundaries of blocks,
 * chunks and pieces. And the choice of the planner.
 */
#include "case.h"
#include "cpu_set.h"
#include "database/database.h"
#include "effort.h"
#include "engines/qgram/anchors/format.h"
#include "engines/qgram/bloom/fields.h"
#include "plan/plan.h"
#include "random.h"
#include "runner.h"
#include "sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCK = 16384, SAMPLE = 40000, MOST_LENGTH = 2000, ENDINGS = 3, ENDING = 14 };

/* ------------------------------------------------------------------ the naive oracle */

static uint8_t lower(uint8_t byte) {
    return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + 32) : byte;
}

static bool stands_before(const trawl_pattern *pattern, const uint8_t *end) {
    const uint8_t *bytes = pattern->bytes, *start = end - pattern->length;
    for (size_t i = 0; i < pattern->length; i++) {
        bool same = (pattern->flags & TRAWL_PATTERN_CASE_INSENSITIVE) != 0
                        ? lower(bytes[i]) == lower(start[i])
                        : bytes[i] == start[i];
        if (!same)
            return false;
    }
    return true;
}

/* In canonical order: at each end the longest pattern first, then the lowest number. */
static void search(const test_case *test, match_list *found) {
    size_t *order = malloc(test->count * sizeof *order);
    for (size_t i = 0; i < test->count; i++) {
        size_t at = i;
        for (; at != 0 && test->patterns[order[at - 1]].length < test->patterns[i].length; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    match_list_clear(found);
    for (size_t end = 1; end <= test->length; end++)
        for (size_t i = 0; i < test->count; i++) {
            const trawl_pattern *pattern = &test->patterns[order[i]];
            if (pattern->length <= end && stands_before(pattern, test->text + end))
                match_list_add(found, (uint32_t)order[i], end - pattern->length, end);
        }
    free(order);
}

/* ------------------------------------------------------------------ sets, texts and samples */

/* A set whose patterns share their endings, so that their rare bytes are before these. */
typedef struct shape {
    uint32_t gram, stride;
    unsigned letters; /* of the alphabet: 1, 2, 4, 26 or 256 */
    bool folded;
    bool is_free; /* free anchors */
} shape;

typedef struct material {
    uint8_t endings[ENDINGS][ENDING];
    uint8_t sample[SAMPLE];
} material;

static uint8_t any_byte(unsigned letters, random_source *random) {
    size_t byte = random_below(random, letters);
    if (letters == 256) /* zeros and 255 more often than the others */
        return random_chance(random, 1, 5) ? (random_chance(random, 1, 2) ? 0 : 0xff)
                                           : (uint8_t)byte;
    return (uint8_t)((letters == 4 ? "acGT" : "abcdefghijklmnopqrstuvwxyz")[byte]);
}

static void fill_bytes(uint8_t *bytes, size_t length, unsigned letters, random_source *random) {
    for (size_t i = 0; i < length; i++)
        bytes[i] = any_byte(letters, random);
}

/* The text sample is full of the endings. */
static void fill_sample(material *made, unsigned letters, random_source *random) {
    for (size_t i = 0; i < ENDINGS; i++)
        fill_bytes(made->endings[i], ENDING, letters, random);
    fill_bytes(made->sample, SAMPLE, letters, random);
    for (size_t at = 0; at + ENDING < SAMPLE; at += random_between(random, ENDING, 3 * ENDING))
        memcpy(made->sample + at, made->endings[random_below(random, ENDINGS)], ENDING);
}

static size_t any_length(uint32_t least, random_source *random) {
    switch (random_below(random, 8)) {
    case 0:
        return least;
    case 1:
        return random_between(random, least, MOST_LENGTH);
    default:
        return random_between(random, least, least + 24);
    }
}

static void add_patterns(test_case *test, const shape *of, const material *made,
                         random_source *random) {
    static uint8_t bytes[MOST_LENGTH];
    uint32_t least = of->gram + of->stride - 1;
    /* Buckets of free anchors are crowded from 65 keys on. */
    size_t count = random_between(random, 1, of->is_free && random_chance(random, 1, 2) ? 240 : 60);
    for (size_t i = 0; i < count; i++) {
        size_t length = any_length(least, random);
        size_t ending = length < ENDING ? length : ENDING;
        fill_bytes(bytes, length, of->letters, random);
        if (random_chance(random, 2, 3))
            memcpy(bytes + length - ending,
                   made->endings[random_below(random, ENDINGS)] + ENDING - ending, ending);
        if (random_chance(random, 1, 10)) /* runs of one byte */
            memset(bytes + random_below(random, length), bytes[length - 1], 1),
                memset(bytes + length - random_between(random, 1, length), bytes[length - 1], 1);
        if (random_chance(random, 1, 12))
            memset(bytes + length / 2, bytes[length - 1], length - length / 2);
        unsigned flags =
            of->folded && random_chance(random, 1, 2) ? TRAWL_PATTERN_CASE_INSENSITIVE : 0;
        test_case_add_pattern(test, bytes, length, flags);
        if (random_chance(random, 1, 10)) /* twice */
            test_case_add_pattern(test, bytes, length, 0);
        if (random_chance(random, 1, 6)) { /* one that ends or begins another */
            size_t part = random_between(random, least, length);
            test_case_add_pattern(test, bytes + (i % 2 ? length - part : 0), part, flags);
        }
    }
    if (of->folded) /* whatever else is drawn */
        test_case_add_pattern(test, bytes, least, TRAWL_PATTERN_CASE_INSENSITIVE);
}

static void plant(test_case *test, size_t end, random_source *random) {
    const trawl_pattern *pattern = &test->patterns[random_below(random, test->count)];
    if (pattern->length > end || end > test->length)
        return;
    uint8_t *to = test->text + end - pattern->length;
    memcpy(to, pattern->bytes, pattern->length);
    for (size_t i = 0; pattern->flags != 0 && i < pattern->length; i++)
        if (lower(to[i]) >= 'a' && lower(to[i]) <= 'z' && random_chance(random, 1, 2))
            to[i] ^= 0x20;
}

/* About `blocks` blocks long, with matches around the boundaries of blocks and chunks and at the
 * end. */
static void make_text(test_case *test, const material *made, unsigned letters, size_t blocks,
                      size_t chunk, random_source *random) {
    size_t length = BLOCK * blocks + random_below(random, 129) - 64;
    uint8_t byte = any_byte(letters, random);
    for (size_t i = 0; i < length; i++) {
        if (letters > 4 || random_chance(random, 1, 40))
            byte = any_byte(letters, random);
        test_case_append_text(test, &byte, 1);
    }
    for (size_t at = 0; at + ENDING < length; at += random_between(random, ENDING, 40 * ENDING))
        memcpy(test->text + at, made->endings[random_below(random, ENDINGS)], ENDING);
    for (size_t i = 0; i < 40; i++)
        plant(test, random_below(random, length), random);
    for (size_t at = BLOCK; at < length + 100; at += BLOCK)
        for (size_t i = 0; i < 4; i++)
            plant(test, at + random_below(random, 181) - 90, random);
    for (size_t at = chunk; chunk > 100 && at < length; at += chunk)
        plant(test, at + random_below(random, 101) - 50, random);
    plant(test, length, random);
}

/* ------------------------------------------------------------------ one filter */

static size_t crowded; /* buckets, of all cases */

static size_t count_crowded(const trawl_db *db) {
    const trawl_anchors_header *header = trawl_db_section(db, TRAWL_SECTION_QGRAM_BUCKETS, 0, NULL);
    return header == NULL ? 0 : header->crowded;
}

static trawl_db *compile(const test_case *test, const shape *of, const material *made) {
    trawl_error error;
    trawl_patterns *patterns = test_case_patterns(test, &error);
    assert_non_null(patterns);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "qgram";
    options.sample = made->sample;
    options.sample_length = SAMPLE;
    static trawl_qgram_choice choice;
    memset(&choice, 0, sizeof choice);
    choice.header.tiers = 1;
    choice.header.tier[0] = (trawl_qgram_tier){.kind = TRAWL_TIER_BLOOM,
                                               .min_length = (uint32_t)patterns->min_length,
                                               .max_length = (uint32_t)patterns->max_length,
                                               .window = of->gram + of->stride - 1,
                                               .gram = of->gram,
                                               .stride = of->stride,
                                               .folded = of->folded,
                                               .row_bits = 10 + of->stride % 5};
    if (of->is_free) {
        trawl_qgram_tier *tier = &choice.header.tier[0];
        tier->kind = TRAWL_TIER_ANCHORS;
        tier->fields = of->stride % 2 != 0
                           ? 0
                           : trawl_qgram_spread_fields(of->gram, tier->row_bits, of->folded);
    }
    trawl_db *db;
    if (trawl_compile_divided(patterns, &options, &choice, &db, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    crowded += count_crowded(db);
    trawl_patterns_free(patterns);
    return db;
}

static void check(const runner *how, const trawl_db *db, const test_case *test, const shape *of,
                  const match_list *expected, random_source *random) {
    char what[2000], description[200];
    if (runner_check(how, db, test->text, test->length, expected, random, what, sizeof what))
        return;
    runner_describe(how, description, sizeof description);
    fail_msg("%sgram %u, stride %u, %u letters%s; %s: %s", of->is_free ? "free anchors, " : "",
             of->gram, of->stride, of->letters, of->folded ? ", folded" : "", description, what);
}

static void one_case(const shape *of, size_t number) {
    static material made;
    static const size_t chunks[] = {0, 1, 37, 70, 333, 4096, 16383, 16384, 16385, 20000};
    random_source random = random_for_case(random_seed(), number);
    fill_sample(&made, of->letters, &random);
    test_case test = {.name = strdup("anchors")};
    add_patterns(&test, of, &made, &random);
    size_t chunk = chunks[random_below(&random, sizeof chunks / sizeof *chunks)];
    make_text(&test, &made, of->letters, 1 + number % 3, chunk, &random);
    trawl_db *db = compile(&test, of, &made);
    match_list expected = {0};
    search(&test, &expected);
    size_t piece = random_between(&random, 1, 70);
    const runner runners[] = {
        {.call = RUNNER_COLLECT},
        {.call = RUNNER_COUNT_PATTERNS},
        {.call = RUNNER_COLLECT, .chunk_bytes = chunk == 1 ? 0 : chunk},
        {.call = RUNNER_COLLECT, .threads = 3, .chunk_bytes = chunk == 1 ? 0 : chunk},
        {.call = RUNNER_STREAM, .piece_bytes = piece, .flush = number % 2 == 0},
        {.call = RUNNER_STREAM_COUNT, .piece_bytes = RUNNER_PIECE_RANDOM},
        {.call = RUNNER_BATCHES, .origin = RUNNER_MEMORY, .chunk_bytes = BLOCK + piece},
    };
    for (size_t i = 0; i < sizeof runners / sizeof *runners; i++)
        check(&runners[i], db, &test, of, &expected, &random);
    /* Short texts: a window may begin before the text. */
    size_t whole = test.length;
    for (size_t length = number % 7; length < whole && length < 300; length += 7) {
        test.length = length;
        search(&test, &expected);
        check(&(runner){.call = RUNNER_COLLECT}, db, &test, of, &expected, &random);
        check(&(runner){.call = RUNNER_COLLECT, .chunk_bytes = 1}, db, &test, of, &expected,
              &random);
    }
    match_list_free(&expected);
    trawl_db_free(db);
    test_case_free(&test);
}

static void finds_by_last_bytes(void **state) {
    (void)state;
    static const uint32_t grams[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16};
    static const uint32_t strides[] = {1, 2, 3, 5, 8, 9, 17, 40, 48};
    static const unsigned alphabets[] = {1, 2, 4, 26, 256};
    size_t number = 0;
    for (size_t g = 0; g < sizeof grams / sizeof *grams; g++)
        for (size_t s = 0; s < sizeof strides / sizeof *strides; s++) {
            if ((TESTS_ARE_SLOW && (g + s) % 4 != 0) || (effort_is_short() && (g + s) % 2 != 0))
                continue;
            for (size_t round = 0; round < 2; round++, number++) {
                const shape of = {.gram = grams[g],
                                  .stride = strides[s],
                                  .letters = alphabets[number % 5],
                                  .folded = number % 4 == 1};
                one_case(&of, 1 + number);
            }
        }
}

static void finds_by_free_anchors(void **state) {
    (void)state;
    static const uint32_t grams[] = {1, 3, 4, 5, 7, 8};
    static const uint32_t strides[] = {1, 2, 3, 4, 8, 15, 16};
    static const unsigned alphabets[] = {26, 1, 256, 2, 4};
    size_t number = 1000;
    crowded = 0;
    for (size_t g = 0; g < sizeof grams / sizeof *grams; g++)
        for (size_t s = 0; s < sizeof strides / sizeof *strides; s++) {
            if ((TESTS_ARE_SLOW && (g + s) % 3 != 0) || (effort_is_short() && (g + s) % 2 != 0))
                continue;
            for (size_t round = 0; round < 2; round++, number++) {
                const shape of = {.gram = grams[g],
                                  .stride = strides[s],
                                  .letters = alphabets[number % 5],
                                  .folded = number % 4 == 1,
                                  .is_free = true};
                one_case(&of, number);
            }
        }
    printf("%zu crowded buckets\n", crowded);
    assert_true(crowded > 20);
}

/* ------------------------------------------------------------------ the planner */

/* Patterns whose last bytes are frequent in the text. */
static trawl_db *plan(const uint8_t *sample, size_t length) {
    trawl_error error;
    trawl_patterns *patterns;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    random_source random = random_for_case(random_seed(), 5000);
    for (size_t i = 0; i < 1500; i++) {
        uint8_t bytes[40];
        size_t own = random_between(&random, 4, 20);
        for (size_t k = 0; k < own; k++)
            bytes[k] = (uint8_t)random_below(&random, 256);
        memset(bytes + own, 0, 7);
        bytes[own + 7] = (uint8_t)random_below(&random, 3);
        assert_int_equal(trawl_patterns_add(patterns, bytes, own + 8, 0, &error), TRAWL_OK);
    }
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "qgram";
    options.sample = sample;
    options.sample_length = length;
    trawl_db *db;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_patterns_free(patterns);
    return db;
}

static bool has_free_anchors(const trawl_db *db) {
    trawl_study_plan plan = TRAWL_STUDY_PLAN;
    bool found = false;
    assert_int_equal(trawl_study_db_plan(db, &plan, NULL), TRAWL_OK);
    for (size_t i = 0; i < plan.filters; i++)
        found = found || strcmp(plan.filter[i].kind, "anchors") == 0;
    return found;
}

static void the_planner_takes_it_where_it_helps(void **state) {
    (void)state;
    enum { LENGTH = 131072 };
    uint8_t *sample = malloc(LENGTH);
    random_source random = random_for_case(random_seed(), 5001);
    for (size_t i = 0; i < LENGTH; i++) {
        size_t random_part = random_below(&random, 100);
        sample[i] = i / 16 % 2 == 0 ? 0 : random_part < 50 ? 0 : (uint8_t)random_part;
    }
    trawl_db *db = plan(sample, LENGTH);
    assert_true(has_free_anchors(db));
    trawl_db_free(db);
    free(sample);
}

int main(void) {
    cpu_set_apply();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_planner_takes_it_where_it_helps),
        cmocka_unit_test(finds_by_last_bytes),
        cmocka_unit_test(finds_by_free_anchors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
