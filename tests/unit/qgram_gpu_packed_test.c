/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The tables of qgram's kernel packed against their definition, for each pattern and each 8-mer;
 * and when the kernel pays for a text. */
#include "engines/qgram/gpu/packed_tables.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SHARED_BYTES = 227 << 10 };

static trawl_error error;

static trawl_patterns *random_set(const char *letters, size_t least, size_t most, size_t count,
                                  size_t insensitive, uint64_t seed) {
    trawl_patterns *patterns = NULL;
    random_source random = random_for_case(seed, 0);
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t id = 0; id < count; id++) {
        char bytes[16];
        size_t length = random_between(&random, least, most);
        for (size_t i = 0; i < length; i++)
            bytes[i] = letters[random_below(&random, strlen(letters))];
        unsigned flags =
            random_below(&random, 100) < insensitive ? TRAWL_PATTERN_CASE_INSENSITIVE : 0;
        assert_int_equal(trawl_patterns_add(patterns, bytes, length, flags, &error), TRAWL_OK);
    }
    return patterns;
}

/* The letters of an 8-mer, the last one at [7]; 0xff if no letter has the index. */
static void spell(const trawl_cuda_packed_layout *layout, uint32_t window, uint8_t *bytes) {
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t index = window >> (2 * i) & 3;
        uint8_t letter = (uint8_t)(layout->letters >> (8 * index));
        bytes[i] = (letter >> layout->shift & 3u) == index ? letter : 0xff;
    }
}

static bool ends_with(const uint8_t *window, const trawl_patterns *patterns, size_t id,
                      bool folded) {
    uint32_t length = trawl_pattern_length(patterns, id);
    const uint8_t *bytes = trawl_pattern_bytes(patterns, id);
    for (uint32_t i = 0; i < length; i++) {
        uint8_t fold = folded && (bytes[i] | 0x20) >= 'a' && (bytes[i] | 0x20) <= 'z' ? 0x20 : 0;
        if ((bytes[i] | fold) != (window[8 - length + i] | fold))
            return false;
    }
    return true;
}

/* The matches that end with each 8-mer, and the length of the longest one. */
static void count_all(const trawl_cuda_packed_layout *layout, const trawl_patterns *patterns,
                      uint32_t *totals, uint32_t *longest) {
    bool folded = patterns->case_insensitive != 0;
    for (uint32_t window = 0; window < TRAWL_CUDA_PACKED_KMERS; window++) {
        uint8_t bytes[8];
        spell(layout, window, bytes);
        totals[window] = longest[window] = 0;
        for (size_t id = 0; id < patterns->count; id++)
            if (ends_with(bytes, patterns, id, folded)) {
                uint32_t length = trawl_pattern_length(patterns, id);
                totals[window]++;
                longest[window] = length > longest[window] ? length : longest[window];
            }
    }
}

static void check_window(const trawl_cuda_packed_layout *layout, const uint32_t *totals,
                         uint32_t longest, uint32_t window) {
    uint32_t key = layout->key_of[window], expected_bits = totals[window] != 0 ? 16 : 0;
    assert_int_equal(key == TRAWL_NO_KEY, totals[window] == 0);
    if (key != TRAWL_NO_KEY)
        assert_int_equal(layout->arrays.length[key], longest);
    for (uint32_t before = 0; before < 4; before++)
        expected_bits |= (uint32_t)(totals[(window << 2 | before) & 0xffff] != 0) << before;
    assert_int_equal(layout->ends[window], expected_bits);
    for (uint32_t bit = 0; bit < 5; bit++) {
        uint32_t total = bit == 4 ? totals[window] : totals[(window << 2 | bit) & 0xffff];
        for (uint32_t plane = 0; plane < layout->planes; plane++)
            assert_int_equal(layout->image[plane * TRAWL_CUDA_PACKED_KMERS + window] >> bit & 1,
                             total >> plane & 1);
    }
}

static void tables_say_what_ends(void **state) {
    (void)state;
    static const struct {
        const char *letters;
        size_t least, most, count, insensitive;
        size_t shared_bytes;
        uint32_t planes;
        bool verify;
    } sets[] = {
        {"acgt", 8, 8, 30, 0, SHARED_BYTES, 1, false},
        {"ACGT", 7, 8, 40, 100, SHARED_BYTES, 1, false},
        {"acgu", 2, 3, 40, 0, SHARED_BYTES, 3, false},
        {"acgu", 2, 3, 40, 0, 64 << 10, 0, false},
        {"ab", 3, 4, 15, 0, SHARED_BYTES, 3, false},
        {"a", 1, 3, 3, 0, 128 << 10, 2, false},
        {"01", 1, 1, 30, 0, SHARED_BYTES, 0, false},
        {"aC2", 2, 8, 30, 50, SHARED_BYTES, 0, true},
    };
    uint32_t *totals = malloc(TRAWL_CUDA_PACKED_KMERS * sizeof *totals);
    uint32_t *longest = malloc(TRAWL_CUDA_PACKED_KMERS * sizeof *longest);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        trawl_patterns *patterns = random_set(sets[i].letters, sets[i].least, sets[i].most,
                                              sets[i].count, sets[i].insensitive, i);
        trawl_cuda_packed_layout layout;
        assert_true(trawl_cuda_packed_letters(patterns, sets[i].shared_bytes, &layout, &error));
        assert_int_equal(
            trawl_cuda_packed_layout_make(patterns, sets[i].shared_bytes, &layout, &error),
            TRAWL_OK);
        count_all(&layout, patterns, totals, longest);
        uint32_t most = 0;
        for (uint32_t window = 0; window < TRAWL_CUDA_PACKED_KMERS; window++)
            most = totals[window] > most ? totals[window] : most;
        if (layout.planes != sets[i].planes || layout.verify != sets[i].verify)
            fail_msg("set %zu: %u planes for up to %u matches", i, layout.planes, most);
        for (uint32_t window = 0; window < TRAWL_CUDA_PACKED_KMERS; window++)
            check_window(&layout, totals, longest[window], window);
        trawl_cuda_packed_layout_release(&layout);
        trawl_patterns_free(patterns);
    }
    free(totals);
    free(longest);
}

static void sets_that_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *letters;
        size_t length, insensitive, shared_bytes;
        const char *words;
    } sets[] = {
        {"acgt", 9, 0, SHARED_BYTES, "9 bytes"},
        {"acgtn", 8, 0, SHARED_BYTES, "4 different letters"},
        {"aA", 4, 100, SHARED_BYTES, NULL}, /* one letter */
        {"aceg", 4, 0, SHARED_BYTES, NULL}, /* bits 1 and 2 */
        {"abdh", 4, 0, SHARED_BYTES, "adjacent bits"},
        {" @`\1", 4, 0, SHARED_BYTES, "lower 6"}, /* bits 5 and 6 */
        {"acgt", 8, 0, 48 << 10, "shared memory"},
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        trawl_patterns *patterns =
            random_set(sets[i].letters, sets[i].length, sets[i].length, 50, sets[i].insensitive, i);
        trawl_cuda_packed_layout layout;
        bool packed = trawl_cuda_packed_letters(patterns, sets[i].shared_bytes, &layout, &error);
        assert_int_equal(packed, sets[i].words == NULL);
        if (!packed && !strstr(error.message, sets[i].words))
            fail_msg("set %zu: %s", i, error.message);
        trawl_patterns_free(patterns);
    }
}

static void texts_that_are_worth_it(void **state) {
    (void)state;
    static uint8_t sample[1 << 20];
    trawl_patterns *patterns = random_set("acgt", 8, 8, 10, 50, 0);
    trawl_cuda_packed_layout layout;
    assert_true(trawl_cuda_packed_letters(patterns, SHARED_BYTES, &layout, &error));
    for (size_t i = 0; i < sizeof sample; i++)
        sample[i] = (uint8_t) "acGT"[i * 7 % 4];
    assert_true(trawl_cuda_packed_pays(&layout, 10, sample, sizeof sample));
    for (size_t i = 60; i < sizeof sample; i += 61)
        sample[i] = '\n';
    assert_true(trawl_cuda_packed_pays(&layout, 10, sample, sizeof sample));
    assert_true(trawl_cuda_packed_pays(&layout, 10, sample, 100));
    memset(sample, 'N', sizeof sample / 8);
    assert_false(trawl_cuda_packed_pays(&layout, 1000, sample, sizeof sample));
    assert_false(trawl_cuda_packed_pays(&layout, 10, NULL, 0));
    assert_true(trawl_cuda_packed_pays(&layout, 1000, NULL, 0));
    trawl_patterns_free(patterns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_say_what_ends),
        cmocka_unit_test(sets_that_are_refused),
        cmocka_unit_test(texts_that_are_worth_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
