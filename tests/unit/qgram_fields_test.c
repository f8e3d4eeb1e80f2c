/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Sample filters whose row is a field of bits of each byte, or a product: databases with one filter
 * of a given shape, for every length of a sample, some strides and sizes, with and without letter
 * case, folding letters alone and all bytes, against the oracle.
 */
#include "base/cpu.h"
#include "case.h"
#include "cpu_set.h"
#include "database/database.h"
#include "engines/qgram/bloom/fields.h"
#include "plan/plan.h"
#include "random.h"
#include "sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT = 40000, PATTERNS = 120 };

static const char *const alphabets[] = {"ab", "acgt", "abcdefghijklmnopqrstuvwxyzABCXYZ .,019\xe4"};

/* Pairs of bytes that differ in the bit 0x20: letters, and others that folding makes equal. */
static const char cases[] = "aAbB \x01!\x10"
                            "0@`\x1b;[{";

static void extracts_bits_in_order(void **state) {
    (void)state;
    random_source random = random_for_case(random_seed(), 1);
    for (size_t round = 0; round < 2000; round++) {
        uint32_t fields = 0, bytes = (uint32_t)random_between(&random, 1, 8);
        for (uint32_t byte = 0; byte < bytes; byte++)
            fields |= (uint32_t)random_between(&random, 1, 7) << (4 * byte);
        uint64_t number = random_bits(&random), expected = 0;
        uint64_t mask = trawl_qgram_fields_mask(fields);
        unsigned at = 0;
        for (unsigned bit = 0; bit < 64; bit++)
            if (mask >> bit & 1)
                expected |= (number >> bit & 1) << at++;
        assert_int_equal(trawl_qgram_extract(number, fields), expected);
    }
}

static void add_random(test_case *test, const char *alphabet, size_t length, bool folded,
                       random_source *random) {
    uint8_t bytes[64];
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)alphabet[random_below(random, strlen(alphabet))];
    test_case_add_pattern(test, bytes, length,
                          folded && random_chance(random, 1, 2) ? TRAWL_PATTERN_CASE_INSENSITIVE
                                                                : 0);
}

static void make_case(test_case *test, const char *alphabet, size_t least, bool folded,
                      random_source *random) {
    for (size_t i = 0; i < PATTERNS; i++)
        add_random(test, alphabet, random_between(random, least, least + 6), folded, random);
    if (folded) /* whatever else is drawn */
        test_case_add_pattern(test, "Folded letters of a pattern, a long one", 39,
                              TRAWL_PATTERN_CASE_INSENSITIVE);
    for (size_t i = 0; i < TEXT; i++)
        test_case_append_text(test, &alphabet[random_below(random, strlen(alphabet))], 1);
    for (size_t i = 0; i < TEXT / 400; i++) {
        const trawl_pattern *pattern = &test->patterns[random_below(random, test->count)];
        uint8_t *to = test->text + random_below(random, TEXT - pattern->length);
        memcpy(to, pattern->bytes, pattern->length);
        for (size_t k = 0; folded && k < pattern->length; k++)
            if (to[k] >= 'a' && to[k] <= 'z' && random_chance(random, 1, 2))
                to[k] ^= 0x20;
    }
}

/* Compiles it in one hashed tier and compares; returns whether its rows are fields. */
static bool check(const test_case *test, trawl_qgram_tier tier) {
    trawl_error error;
    trawl_patterns *patterns = test_case_patterns(test, &error);
    assert_non_null(patterns);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "qgram";
    options.sample = test->text;
    options.sample_length = test->length;
    trawl_qgram_choice choice;
    memset(&choice, 0, sizeof choice);
    choice.header.tiers = 1;
    choice.header.tier[0] = tier;
    choice.header.tier[0].min_length = (uint32_t)patterns->min_length;
    choice.header.tier[0].max_length = (uint32_t)patterns->max_length;
    trawl_db *db;
    if (trawl_compile_divided(patterns, &options, &choice, &db, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    const trawl_qgram_header *header = trawl_db_section(db, TRAWL_SECTION_QGRAM_HEADER, 0, NULL);
    const trawl_qgram_tier *made = &header->tier[0];
    assert_true(trawl_qgram_fields_are_valid(made));
    match_list expected = {0};
    oracle_search(test->patterns, test->count, test->text, test->length, TRAWL_MATCH_ALL,
                  &expected);
    trawl_matches found;
    assert_int_equal(trawl_collect(db, test->text, test->length, NULL, &found, &error), TRAWL_OK);
    bool same = found.count == expected.count;
    for (size_t i = 0; same && i < expected.count; i++)
        same = found.items[i].pattern == expected.items[i].pattern &&
               found.items[i].end == expected.items[i].end;
    if (!same)
        fail_msg("gram %u, stride %u, row bits %u, fields %#x: %zu matches, %zu expected",
                 made->gram, made->stride, made->row_bits, made->fields, (size_t)found.count,
                 expected.count);
    bool fields = made->fields != 0;
    trawl_matches_free(&found);
    match_list_free(&expected);
    trawl_db_free(db);
    trawl_patterns_free(patterns);
    return fields;
}

static void finds_what_the_oracle_finds(void **state) {
    (void)state;
    static const uint32_t strides[] = {1, 2, 3, 4, 5, 7, 8, 11, 20};
    size_t with_fields[2] = {0}, checked = 0;
    for (uint32_t gram = 1; gram <= TRAWL_QGRAM_MAX_GRAM; gram++) {
        for (size_t s = 0; s < sizeof strides / sizeof *strides; s++, checked++) {
            if (TESTS_ARE_SLOW && checked % 3 != 0)
                continue;
            bool folded = checked % 2 == 1;
            random_source random = random_for_case(random_seed(), 100 + checked);
            test_case test = {.name = strdup("fields")};
            uint32_t window = gram + strides[s] - 1;
            make_case(&test, alphabets[random_below(&random, 3)], window, folded, &random);
            trawl_qgram_tier tier = {.kind = TRAWL_TIER_BLOOM,
                                     .window = window,
                                     .gram = gram,
                                     .stride = strides[s],
                                     .folded = folded,
                                     .row_bits = (uint32_t)random_between(&random, 1, 18)};
            with_fields[folded] += check(&test, tier);
            test_case_free(&test);
        }
    }
    if (trawl_cpu_extracts())
        assert_true(with_fields[0] > 3 && with_fields[1] > 3);
    else
        assert_int_equal(with_fields[0] + with_fields[1], 0);
}

/* Free anchors, whose filter is as it is given: keys that share their anchors, and lists of a
 * bucket that are read only behind some neighbours. */
static void folds_all_bytes_or_letters(void **state) {
    (void)state;
    size_t checked = 0;
    for (uint32_t gram = 3; gram <= 8; gram++) {
        for (uint32_t stride = 1; stride <= 4; stride++, checked++) {
            random_source random = random_for_case(random_seed(), 300 + checked);
            test_case test = {.name = strdup("folds")};
            uint32_t window = gram + stride - 1;
            make_case(&test, checked % 3 == 0 ? alphabets[checked % 2] : cases, window, true,
                      &random);
            trawl_qgram_tier tier = {.kind = TRAWL_TIER_ANCHORS,
                                     .window = window,
                                     .gram = gram,
                                     .stride = stride,
                                     .folded = 1,
                                     .row_bits = (uint32_t)random_between(&random, 6, 16)};
            for (tier.fold_all = 0; tier.fold_all < 2; tier.fold_all++)
                assert_false(check(&test, tier));
            tier.fold_all = 0;
            tier.fields = trawl_qgram_spread_fields(gram, tier.row_bits, true);
            if (tier.fields != 0)
                assert_true(check(&test, tier));
            test_case_free(&test);
        }
    }
}

/* Samples of more than eight bytes, of which each is one of four letters. */
static void long_samples_use_all_bits_of_rows(void **state) {
    (void)state;
    enum { SAMPLES = 32000, MEAN = SAMPLES / 32 };
    random_source random = random_for_case(random_seed(), 2);
    for (uint32_t gram = 9; gram <= TRAWL_QGRAM_MAX_GRAM; gram++) {
        const trawl_qgram_tier tier = {.kind = TRAWL_TIER_BLOOM, .gram = gram, .row_bits = 12};
        const trawl_qgram_placing placing = trawl_qgram_placing_of(&tier);
        unsigned with_bit[32] = {0};
        for (size_t i = 0; i < SAMPLES; i++) {
            uint8_t bytes[TRAWL_QGRAM_MAX_GRAM];
            for (uint32_t k = 0; k < gram; k++)
                bytes[k] = (uint8_t) "acgt"[random_below(&random, 4)];
            uint64_t first, last;
            memcpy(&first, bytes, sizeof first);
            memcpy(&last, bytes + gram - 8, sizeof last);
            uint64_t place = trawl_qgram_place(&placing, trawl_qgram_join_words(first, last));
            assert_true(place >> TRAWL_QGRAM_ROW_BIT < 1u << tier.row_bits);
            with_bit[place & 31]++;
        }
        for (unsigned bit = 0; bit < 32; bit++)
            assert_in_range(with_bit[bit], MEAN / 2, 2 * MEAN);
    }
}

/* Values that a damaged database may contain. */
static void refuses_invalid_fields(void **state) {
    (void)state;
    trawl_qgram_tier tier = {.kind = TRAWL_TIER_BLOOM, .gram = 3, .stride = 1, .row_bits = 9};
    static const struct {
        uint32_t fields, folded, gram, row_bits;
        bool valid;
    } rows[] = {
        {0, 0, 3, 9, true},           {0x455, 0, 3, 9, true},       {0x455, 1, 3, 9, true},
        {0x266, 0, 3, 9, true},       {0x266, 1, 3, 9, false},      {0x455, 0, 3, 8, false},
        {0x554, 0, 3, 9, false},      {0x059, 0, 3, 9, false},      {0x1355, 0, 3, 9, false},
        {0x455, 0, 9, 9, false},      {0x455, 0, 2, 9, false},      {0x185, 0, 3, 9, false},
        {0x11111117, 0, 8, 9, true},  {0x11111117, 0, 7, 9, false}, {0x01111118, 0, 8, 9, false},
        {0x11111117, 1, 8, 9, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tier.fields = rows[i].fields;
        tier.folded = rows[i].folded;
        tier.gram = rows[i].gram;
        tier.row_bits = rows[i].row_bits;
        if (trawl_qgram_fields_are_valid(&tier) != rows[i].valid)
            fail_msg("fields %#x of %u bytes", tier.fields, tier.gram);
    }
}

int main(void) {
    cpu_set_apply();
    const struct CMUnitTest tests[] = {cmocka_unit_test(extracts_bits_in_order),
                                       cmocka_unit_test(finds_what_the_oracle_finds),
                                       cmocka_unit_test(folds_all_bytes_or_letters),
                                       cmocka_unit_test(long_samples_use_all_bits_of_rows),
                                       cmocka_unit_test(refuses_invalid_fields)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
