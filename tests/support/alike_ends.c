/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "alike_ends.h"

#include "engines/qgram/look_up_word.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { STEMS = 4, TEXT_BYTES = 8000 };

static void write_letters(uint8_t *bytes, size_t length, size_t letters, random_source *random) {
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)('a' + random_below(random, letters));
}

/* The number of the eight bytes before `end`, as look-up words have it. */
static uint64_t number_before(const uint8_t *end) {
    uint64_t number;
    memcpy(&number, end - sizeof number, sizeof number);
    return number;
}

/* The look-up word of the `count` bytes before `end`, a multiple of eight. */
static uint64_t word_before(const uint8_t *end, uint32_t count) {
    uint64_t word = number_before(end);
    for (uint32_t at = 8; at < count; at += 8)
        word = trawl_qgram_longer_word(word, number_before(end - at));
    return word;
}

/* Changes the pattern that ends before `end` so that `count` different bytes of it have the word of
 * those before `other`: the earliest eight are what the word lacks. */
static void give_word_of(uint8_t *end, const uint8_t *other, uint32_t count) {
    uint64_t wanted = word_before(other, count);
    end[-1] ^= 1;
    memset(end - count, 0, 8);
    uint64_t missing = wanted - word_before(end, count);
    memcpy(end - count, &missing, sizeof missing);
    assert_true(word_before(end, count) == wanted);
}

static void add_patterns(test_case *test, random_source *random, const alike_ends *kind) {
    uint8_t stems[STEMS][50];
    const uint32_t word_bytes = trawl_qgram_look_up_bytes((uint32_t)kind->shortest);
    for (size_t i = 0; i < STEMS; i++)
        write_letters(stems[i], sizeof stems[i], kind->letters, random);
    while (test->count < kind->patterns) {
        uint8_t bytes[ALIKE_LONGEST];
        size_t length = random_between(random, kind->shortest, ALIKE_LONGEST);
        size_t shared = random_between(random, 8, sizeof stems[0]);
        unsigned flags =
            kind->any_case && random_chance(random, 1, 2) ? TRAWL_PATTERN_CASE_INSENSITIVE : 0;
        shared = shared < length ? shared : length;
        write_letters(bytes, length, kind->letters, random);
        memcpy(bytes + length - shared,
               stems[random_below(random, STEMS)] + sizeof stems[0] - shared, shared);
        test_case_add_pattern(test, bytes, length, flags);
        if (random_chance(random, 1, 8) && length > kind->shortest)
            test_case_add_pattern(test, bytes + (length - kind->shortest), kind->shortest, flags);
        if (kind->same_words && !kind->any_case && word_bytes > 8 && random_chance(random, 1, 8)) {
            const trawl_pattern *last = &test->patterns[test->count - 1];
            memcpy(bytes, last->bytes, last->length);
            give_word_of(bytes + last->length, last->bytes + last->length, word_bytes);
            test_case_add_pattern(test, bytes, last->length, 0);
        }
    }
}

static void append_text(test_case *test, random_source *random) {
    uint8_t bytes[ALIKE_LONGEST];
    while (test->length < TEXT_BYTES) {
        const trawl_pattern *pattern = &test->patterns[random_below(random, test->count)];
        memcpy(bytes, pattern->bytes, pattern->length);
        if (random_chance(random, 1, 2))
            bytes[random_below(random, pattern->length)] ^= random_chance(random, 1, 2) ? 0x20 : 1;
        test_case_append_text(test, bytes, pattern->length);
        if (random_chance(random, 1, 2)) {
            size_t length = random_between(random, 1, 60);
            write_letters(bytes, length, 26, random);
            test_case_append_text(test, bytes, length);
        }
    }
}

void alike_ends_case(random_source *random, const alike_ends *kind, test_case *test) {
    add_patterns(test, random, kind);
    append_text(test, random);
}
