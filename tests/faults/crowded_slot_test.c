/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Patterns whose words all fall into one slot of the hash table by which ends are looked up: a
 * look-up then reads the ranges of all of them. Though look-ups are few, the guard (scan/guard.h)
 * has to notice that they are slow, and to hand the text over to an automaton.
 */
#include "combinations.h"
#include "database/endings.h"
#include "database/engine.h"
#include "engines/qgram/divide.h"
#include "plan/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PATTERNS = 20000, LENGTH = 8, STEP = 800, TEXT_BYTES = 8 << 20 };

static trawl_error error;

/* The number that multiplied by `odd` is 1, modulo 2^64: each step of Newton's method doubles the
 * number of right bits. */
static uint64_t inverse(uint64_t odd) {
    uint64_t number = odd;
    for (int step = 0; step < 6; step++)
        number *= 2 - odd * number;
    return number;
}

/* Pattern `index`: the eight bytes whose slot is 0 in tables of up to 2^40 slots. */
static void write_pattern(uint64_t index, uint8_t *bytes) {
    const uint64_t word = (index + 1) * inverse(UINT64_C(0x9e3779b97f4a7c15));
    memcpy(bytes, &word, LENGTH);
}

static uint64_t number_of(const uint8_t *bytes) {
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

static trawl_patterns *make_patterns(void) {
    trawl_patterns *patterns = NULL;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (uint64_t i = 0; i < PATTERNS; i++) {
        uint8_t bytes[LENGTH];
        write_pattern(i, bytes);
        assert_int_equal(trawl_ending_slot(number_of(bytes), 40), 0);
        assert_int_equal(trawl_patterns_add(patterns, bytes, LENGTH, 0, &error), TRAWL_OK);
    }
    return patterns;
}

/* One tier with a Bloom filter, whose candidates are looked up. */
static trawl_db *compile_qgram(const trawl_patterns *patterns) {
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_qgram_choice choice;
    trawl_db *db = NULL;
    memset(&choice, 0, sizeof choice);
    choice.header.tiers = 1;
    choice.header.tier[0] = (trawl_qgram_tier){.kind = TRAWL_TIER_BLOOM,
                                               .min_length = LENGTH,
                                               .max_length = LENGTH,
                                               .window = LENGTH,
                                               .gram = LENGTH,
                                               .stride = 1,
                                               .row_bits = 16};
    options.engine = "qgram";
    if (trawl_compile_divided(patterns, &options, &choice, &db, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    return db;
}

/* A pattern in every STEP bytes. */
static uint8_t *make_text(void) {
    uint8_t *text = calloc(TEXT_BYTES, 1);
    assert_non_null(text);
    for (size_t i = 0; i < TEXT_BYTES; i++)
        text[i] = (uint8_t)(i * i % 251);
    for (size_t at = 0; at + LENGTH <= TEXT_BYTES; at += STEP)
        write_pattern(at / STEP * 7919 % PATTERNS, text + at);
    return text;
}

static void text_is_handed_over(void **state) {
    (void)state;
    trawl_patterns *patterns = make_patterns();
    trawl_db *db = compile_qgram(patterns);
    uint8_t *text = make_text();
    trawl_study_scan_report report = TRAWL_STUDY_SCAN_REPORT;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    uint64_t total = 0;
    options.study = &study;
    options.threads = 1;
    study.report = &report;
    assert_int_equal(trawl_count(db, text, TEXT_BYTES, &options, &total, NULL, &error), TRAWL_OK);
    assert_true(total >= TEXT_BYTES / STEP);
    assert_int_equal(report.filtered_bytes + report.fallback_bytes, TEXT_BYTES);
    assert_true(report.fallback_bytes != 0);
    trawl_db_free(db);
    free(text);
    trawl_patterns_free(patterns);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_is_handed_over)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
