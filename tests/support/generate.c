/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "generate.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATTERN = 2000, MOST_REPEATED = 400 };

/* What the bytes of one case are drawn from. */
typedef struct alphabet {
    uint8_t letters[256];
    size_t size;
} alphabet;

static alphabet choose_alphabet(random_source *random) {
    static const char *const small[] = {"a", "ab", "aA", "acgt", "abAB", "01", "xyz\n"};
    alphabet chosen = {.size = 0};
    switch (random_below(random, 8)) {
    case 0: /* one letter, of any value */
        chosen.letters[chosen.size++] = (uint8_t)random_bits(random);
        return chosen;
    case 1: /* the two ends of the range */
        chosen.letters[chosen.size++] = 0x00;
        chosen.letters[chosen.size++] = 0xff;
        if (random_chance(random, 1, 2))
            chosen.letters[chosen.size++] = 'a';
        return chosen;
    case 2:
        for (unsigned byte = 0; byte < 256; byte++)
            chosen.letters[chosen.size++] = (uint8_t)byte;
        return chosen;
    case 3:
        for (unsigned byte = 'a'; byte <= 'z'; byte++)
            chosen.letters[chosen.size++] = (uint8_t)byte;
        return chosen;
    default: {
        const char *letters = small[random_below(random, sizeof(small) / sizeof(small[0]))];
        chosen.size = strlen(letters);
        memcpy(chosen.letters, letters, chosen.size);
        return chosen;
    }
    }
}

static size_t choose_length(random_source *random) {
    size_t dice = random_below(random, 1000);
    if (dice < 850)
        return random_between(random, 1, 8);
    if (dice < 980)
        return random_between(random, 1, 40);
    return dice < 997 ? random_between(random, 1, 300) : random_between(random, 1, LONGEST_PATTERN);
}

static size_t add_random_bytes(random_source *random, const alphabet *from, uint8_t *out,
                               size_t length) {
    for (size_t i = 0; i < length; i++)
        out[i] = from->letters[random_below(random, from->size)];
    return length;
}

static size_t at_most(size_t length, size_t limit) {
    return length < limit ? length : limit;
}

/* A pattern that is related to an earlier one. `out` has room for LONGEST_PATTERN. */
static size_t make_relative(random_source *random, const alphabet *from, const test_case *test,
                            uint8_t *out) {
    const trawl_pattern *other = &test->patterns[random_below(random, test->count)];
    const trawl_pattern *third = &test->patterns[random_below(random, test->count)];
    size_t cut = random_between(random, 1, other->length);
    size_t length;
    switch (random_below(random, 7)) {
    case 0: /* a prefix, or the same */
        memcpy(out, other->bytes, cut);
        return cut;
    case 1: /* a suffix */
        memcpy(out, other->bytes + other->length - cut, cut);
        return cut;
    case 2: { /* an inner part */
        size_t start = random_below(random, other->length);
        cut = random_between(random, 1, other->length - start);
        memcpy(out, other->bytes + start, cut);
        return cut;
    }
    case 3: /* the other one with letters behind it */
        length = at_most(other->length, LONGEST_PATTERN - 8);
        memcpy(out, other->bytes, length);
        return length + add_random_bytes(random, from, out + length, random_between(random, 1, 8));
    case 4: { /* with letters in front */
        length = add_random_bytes(random, from, out, random_between(random, 1, 8));
        size_t rest = at_most(other->length, LONGEST_PATTERN - length);
        memcpy(out + length, other->bytes, rest);
        return length + rest;
    }
    case 5: { /* two in a row */
        length = at_most(other->length, LONGEST_PATTERN / 2);
        size_t rest = at_most(third->length, LONGEST_PATTERN / 2);
        memcpy(out, other->bytes, length);
        memcpy(out + length, third->bytes, rest);
        return length + rest;
    }
    default: /* one byte changed */
        memcpy(out, other->bytes, other->length);
        out[random_below(random, other->length)] = from->letters[random_below(random, from->size)];
        return other->length;
    }
}

static size_t make_pattern(random_source *random, const alphabet *from, const test_case *test,
                           uint8_t *out) {
    if (test->count && random_chance(random, 1, 2))
        return make_relative(random, from, test, out);
    size_t length = choose_length(random);
    if (random_chance(random, 1, 4)) { /* periodic, a run with period 1 */
        size_t period = random_between(random, 1, at_most(length, 4));
        add_random_bytes(random, from, out, period);
        for (size_t i = period; i < length; i++)
            out[i] = out[i - period];
        return length;
    }
    return add_random_bytes(random, from, out, length);
}

static void change_letter_cases(random_source *random, uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        uint8_t letter = bytes[i] | 0x20;
        if (letter >= 'a' && letter <= 'z' && random_chance(random, 1, 2))
            bytes[i] ^= 0x20;
    }
}

/* How many of 4 patterns ignore case. Most random sets are of one kind; real sets are mixed. */
static size_t choose_insensitivity(random_source *random) {
    size_t dice = random_below(random, 10);
    return dice < 5 ? 0 : dice < 7 ? 4 : dice < 9 ? 2 : 1;
}

static size_t choose_pattern_count(random_source *random) {
    size_t dice = random_below(random, 1000);
    if (dice < 900)
        return random_between(random, 1, 8);
    return dice < 990 ? random_between(random, 1, 40) : random_between(random, 1, 200);
}

/* Conditions of the patterns: one for all, or one for some. */
static void generate_conditions(random_source *random, size_t wanted, test_case *test) {
    static const uint8_t classes[] = {TRAWL_CLASS_NONE,      TRAWL_CLASS_WORD,  TRAWL_CLASS_WORD,
                                      TRAWL_CLASS_WORD_UTF8, TRAWL_CLASS_ALNUM, TRAWL_CLASS_LABEL,
                                      ORACLE_VOWELS,         ORACLE_ONE_CASE,   ORACLE_NOTHING};
    bool same = random_chance(random, 1, 2);
    trawl_condition condition = TRAWL_CONDITION;
    for (size_t id = 0; id < test->count; id++) {
        if (id == 0 || !same) {
            condition = (trawl_condition)TRAWL_CONDITION;
            condition.left = classes[random_below(random, sizeof(classes))];
            condition.right = classes[random_below(random, sizeof(classes))];
            if (random_chance(random, 1, 6))
                condition.min_start = random_below(random, wanted + 1);
            if (random_chance(random, 1, 6))
                condition.max_end = random_below(random, wanted + 1);
            condition.at_start = random_chance(random, 1, 12);
            condition.at_end = random_chance(random, 1, 12);
        }
        if (same || random_chance(random, 1, 2))
            test_case_set_condition(test, id, &condition);
    }
}

static void generate_text(random_source *random, const alphabet *from, size_t wanted, bool letters,
                          test_case *test) {
    uint8_t piece[LONGEST_PATTERN];
    while (test->length < wanted) {
        size_t length;
        if (random_chance(random, 2, 3)) {
            const trawl_pattern *pattern = &test->patterns[random_below(random, test->count)];
            length = pattern->length;
            memcpy(piece, pattern->bytes, length);
            if (random_chance(random, 1, 4)) /* broken off */
                length = random_between(random, 1, length);
            if (random_chance(random, 1, 6))
                piece[random_below(random, length)] =
                    from->letters[random_below(random, from->size)];
            if (letters && random_chance(random, 1, 2))
                change_letter_cases(random, piece, length);
        } else if (random_chance(random, 1, 4)) { /* a run */
            length = random_between(random, 1, 20);
            memset(piece, from->letters[random_below(random, from->size)], length);
        } else {
            length = add_random_bytes(random, from, piece, random_between(random, 1, 10));
        }
        test_case_append_text(test, piece, at_most(length, wanted - test->length));
    }
}

/* Most patterns of the set repeat another one. */
static void repeat_patterns(random_source *random, test_case *test) {
    size_t different = test->count, more = random_between(random, different, 4 * different);
    for (size_t i = 0; i < more && test->count < MOST_REPEATED; i++) {
        const trawl_pattern pattern = test->patterns[random_below(random, different)];
        test_case_add_pattern(test, pattern.bytes, pattern.length, pattern.flags);
    }
}

void generate_case(random_source *random, size_t large_every, test_case *test) {
    uint8_t bytes[LONGEST_PATTERN];
    alphabet from = choose_alphabet(random);
    size_t insensitive = choose_insensitivity(random);
    bool large = random_chance(random, 1, large_every);
    size_t count = large ? random_between(random, 1, 5) : choose_pattern_count(random);
    for (size_t id = 0; id < count; id++) {
        size_t length = make_pattern(random, &from, test, bytes);
        unsigned flags = random_chance(random, insensitive, 4) ? TRAWL_PATTERN_CASE_INSENSITIVE : 0;
        if (insensitive && random_chance(random, 1, 3))
            change_letter_cases(random, bytes, length);
        test_case_add_pattern(test, bytes, length, flags);
    }
    if (random_chance(random, 1, 12))
        repeat_patterns(random, test);
    size_t dice = random_below(random, 100);
    size_t wanted = large       ? random_between(random, 300000, 1500000)
                    : dice < 3  ? 0
                    : dice < 80 ? random_between(random, 1, 80)
                    : dice < 98 ? random_between(random, 1, 400)
                                : random_between(random, 1, 5000);
    if (random_chance(random, 1, 3)) {
        generate_conditions(random, wanted, test);
        if (random_chance(random, 1, 2)) /* boundaries in the text */
            from.letters[random_below(random, from.size)] = random_chance(random, 1, 2) ? ' ' : '-';
    }
    generate_text(random, &from, wanted, insensitive > 0, test);
}
