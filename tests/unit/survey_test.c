/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the survey expects of a filter for a large set, of which it examines few patterns. */
#include "engines/qgram/survey.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PATTERNS = 100000, LENGTH = 12, TEXT = 128, GRAM = 5, STRIDE = LENGTH - GRAM + 1 };

static const char letters[] = "abcdefghijklmnop";

static void draw(uint8_t *bytes, size_t length, random_source *random) {
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)letters[random_below(random, sizeof letters - 1)];
}

/* The share of a text's samples that have a q-gram of the patterns. */
static double pass_in(const trawl_patterns *patterns, const uint8_t *text, uint32_t gram,
                      uint32_t stride) {
    trawl_error error;
    trawl_qgram_survey survey;
    assert_int_equal(trawl_survey_open(&survey, patterns, text, TEXT, &error), TRAWL_OK);
    uint32_t begin = 0;
    while (survey.count[begin] == 0)
        begin++;
    const trawl_survey_filter filter = {.begin = begin, .gram = gram, .stride = stride};
    trawl_survey_rates rates;
    trawl_survey_measure(&survey, &filter, &rates);
    trawl_survey_close(&survey);
    return rates.pass[TRAWL_SURVEY_CLASSES];
}

/* 800,000 random q-grams of 16^5 = 1,048,576: 53 % of all, of which the survey meets hardly any in
 * a short text. */
static void knows_what_chance_gives(void **state) {
    (void)state;
    random_source random = random_for_case(1, 1);
    trawl_patterns *patterns;
    trawl_error error;
    uint8_t bytes[TEXT];
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t i = 0; i < PATTERNS; i++) {
        draw(bytes, LENGTH, &random);
        assert_int_equal(trawl_patterns_add(patterns, bytes, LENGTH, 0, &error), TRAWL_OK);
    }
    for (size_t round = 0; round < 20; round++) {
        draw(bytes, TEXT, &random);
        assert_true(pass_in(patterns, bytes, GRAM, STRIDE) > 0.4);
    }
    memset(bytes, 'z', TEXT); /* no pattern has that letter */
    assert_true(pass_in(patterns, bytes, GRAM, STRIDE) < 1e-9);
    trawl_patterns_free(patterns);
}

/* One of some thousands of patterns has the byte that the text consists of, whichever it is. */
static void knows_a_byte_of_one_pattern(void **state) {
    (void)state;
    enum { SOME = 4000, WINDOW = 4 };
    uint8_t text[TEXT], bytes[WINDOW];
    trawl_error error;
    memset(text, ',', sizeof text);
    for (size_t with = 0; with < 5; with++) {
        random_source random = random_for_case(1, with);
        trawl_patterns *patterns;
        assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
        for (size_t i = 0; i < SOME; i++) {
            draw(bytes, WINDOW, &random);
            bytes[1] = i == 1000 + with ? ',' : bytes[1];
            assert_int_equal(trawl_patterns_add(patterns, bytes, WINDOW, 0, &error), TRAWL_OK);
        }
        assert_true(pass_in(patterns, text, 1, WINDOW) > 0.9);
        trawl_patterns_free(patterns);
    }
}

/* Among tens of thousands of patterns of two bytes, a single one of one byte is what the text
 * consists of, or one of two bytes is in it, in any case if it says so. */
static void knows_each_short_pattern(void **state) {
    (void)state;
    enum { MANY = 60000 };
    static const struct {
        const char *pattern;
        uint32_t flags;
        double share;
    } cases[] = {{",", 0, 1},
                 {",,", 0, 1},
                 {", ", 0, 0},
                 {"Qq", 0, 0},
                 {"Qq", TRAWL_PATTERN_CASE_INSENSITIVE, 0.25}};
    for (size_t with = 0; with < 3 * sizeof cases / sizeof *cases; with++) {
        const size_t number = with / 3;
        random_source random = random_for_case(1, with);
        uint8_t text[TEXT], bytes[2];
        trawl_patterns *patterns;
        trawl_qgram_survey survey;
        trawl_error error;
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = (uint8_t)(number < 3 ? ',' : i % 4 < 2 ? 'q' : '.');
        assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
        for (size_t i = 0; i < MANY; i++) {
            draw(bytes, sizeof bytes, &random);
            bool is_it = i == MANY / 2 + with;
            assert_int_equal(trawl_patterns_add(patterns,
                                                is_it ? cases[number].pattern : (char *)bytes,
                                                is_it ? strlen(cases[number].pattern) : 2,
                                                is_it ? cases[number].flags : 0, &error),
                             TRAWL_OK);
        }
        assert_int_equal(trawl_survey_open(&survey, patterns, text, TEXT, &error), TRAWL_OK);
        assert_true(survey.count[0] > survey.first[1]); /* not all are examined */
        double share = trawl_survey_measure_pairs(&survey);
        assert_true(share >= cases[number].share - 0.02 && share <= cases[number].share + 0.02);
        trawl_survey_close(&survey);
        trawl_patterns_free(patterns);
    }
}

/* DNA has few strings of four letters, and hardly one of sixteen twice; a line that is repeated has
 * few of either. */
static void knows_how_much_a_text_repeats_itself(void **state) {
    (void)state;
    enum { SAMPLE = 65536, LINE = 100 };
    random_source random = random_for_case(1, 2);
    uint8_t *text = malloc(SAMPLE);
    trawl_patterns *patterns;
    trawl_error error;
    assert_non_null(text);
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(patterns, "acgtacgtacgtacgtacgt", 20, 0, &error), TRAWL_OK);
    for (int repeated = 0; repeated < 2; repeated++) {
        for (size_t i = 0; i < SAMPLE; i++)
            text[i] =
                repeated && i >= LINE ? text[i - LINE] : (uint8_t) "acgt"[random_below(&random, 4)];
        trawl_qgram_survey survey;
        assert_int_equal(trawl_survey_open(&survey, patterns, text, SAMPLE, &error), TRAWL_OK);
        assert_true(trawl_survey_spread(&survey, 4) <= TRAWL_SURVEY_LEAST_SPREAD);
        if (repeated)
            assert_true(trawl_survey_spread(&survey, 16) <= TRAWL_SURVEY_LEAST_SPREAD);
        else
            assert_true(trawl_survey_spread(&survey, 16) > 0.7);
        trawl_survey_close(&survey);
    }
    trawl_patterns_free(patterns);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(knows_what_chance_gives),
                                       cmocka_unit_test(knows_a_byte_of_one_pattern),
                                       cmocka_unit_test(knows_each_short_pattern),
                                       cmocka_unit_test(knows_how_much_a_text_repeats_itself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
