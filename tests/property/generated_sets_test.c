/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Three families of sets that found bugs in other matchers: all short strings over three letters,
 * random literals that must find themselves, and long runs of one byte.
 */
#include "combinations.h"
#include "cpu_set.h"
#include "sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef void (*with_db)(const trawl_db *db, const test_case *set, void *context);

/* Compiles a set with every engine and variant. */
static void for_every_engine(const test_case *set, with_db function, void *context) {
    for (size_t c = 0; c < combination_count(); c++) {
        combination_failure failure;
        combination which = combination_at(c);
        trawl_db *db;
        if (combination_compile(which, set, TRAWL_MATCH_ALL, &db, &failure) == COMBINATION_FAILED)
            fail_msg("%s/%s: %s", which.engine, which.variant ? which.variant : "-", failure.what);
        if (db)
            function(db, set, context);
        trawl_db_free(db);
    }
}

static const char *engine_of(const trawl_db *db) {
    static char name[128];
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    snprintf(name, sizeof(name), "%s/%s", information.engine, information.variant);
    return name;
}

/* ------------------------------------------------------------------ all short strings */

enum { SHORT_TEXTS = 1092, LONG_TEXTS = 570, WORDS = 510, WORDS_IN_SET = 32 };

typedef struct text {
    uint8_t bytes[64];
    size_t length;
} text;

/* All strings of 1 to `longest` letters over the first `size` letters, shorter ones first. */
static size_t all_strings(const uint8_t *letters, size_t size, size_t longest, text *out) {
    size_t count = 0, first = 0, end;
    for (size_t i = 0; i < size; i++)
        out[count++] = (text){.bytes = {letters[i]}, .length = 1};
    for (size_t length = 2; length <= longest; length++) {
        end = count;
        for (; first < end; first++)
            for (size_t i = 0; i < size; i++) {
                out[count] = out[first];
                out[count].bytes[out[count].length++] = letters[i];
                count++;
            }
    }
    return count;
}

typedef struct short_texts {
    text items[SHORT_TEXTS + LONG_TEXTS];
    match_list expected[SHORT_TEXTS + LONG_TEXTS];
    size_t count;
} short_texts;

/* Longer texts are concatenations of short ones, whose numbers follow a Fibonacci-like sequence:
 * this mixes all of them, in an order that is the same on every machine. */
static void glue_long_texts(short_texts *texts) {
    size_t a = 1, b = 2;
    while (texts->count < SHORT_TEXTS + LONG_TEXTS) {
        text *glued = &texts->items[texts->count++];
        size_t wanted = 7 + texts->count % 40;
        *glued = (text){.length = 0};
        while (glued->length < wanted) {
            const text *part = &texts->items[a % SHORT_TEXTS];
            size_t next = (a + b) % 1000003;
            a = b;
            b = next;
            memcpy(glued->bytes + glued->length, part->bytes, part->length);
            glued->length += part->length;
        }
    }
}

static void collect_short_texts(const trawl_db *db, const test_case *set, void *context) {
    const short_texts *texts = context;
    trawl_error error;
    for (size_t i = 0; i < texts->count; i += TESTS_ARE_SLOW ? 7 : 1) {
        trawl_matches matches;
        const text *t = &texts->items[i];
        assert_int_equal(trawl_collect(db, t->bytes, t->length, NULL, &matches, &error), TRAWL_OK);
        match_list found = {.items = matches.items, .count = matches.count};
        if (!match_list_equal(&found, &texts->expected[i])) {
            printf("%s, text of %zu bytes, set of %zu patterns\n", engine_of(db), t->length,
                   set->count);
            test_case shown;
            test_case_copy(&shown, set);
            test_case_append_text(&shown, t->bytes, t->length);
            test_case_print(stdout, &shown);
            test_case_free(&shown);
            fail();
        }
        trawl_matches_free(&matches);
    }
}

static void all_short_strings(void **state) {
    (void)state;
    static const uint8_t alphabets[][3] = {
        {'a', 'b', 'x'}, {'x', 'y', 'z'}, {0x00, 'A', 0x20}, {'a', 0x20, 0x99}};
    static text words[WORDS];
    static short_texts texts;
    for (size_t a = 0; a < sizeof(alphabets) / sizeof(alphabets[0]); a++) {
        texts.count = all_strings(alphabets[a], 3, 6, texts.items);
        assert_int_equal(texts.count, SHORT_TEXTS);
        glue_long_texts(&texts);
        assert_int_equal(all_strings(alphabets[a], 2, 8, words), WORDS);
        for (size_t first = 0; first < WORDS; first += WORDS_IN_SET) {
            test_case set = {0};
            for (size_t i = first; i < first + WORDS_IN_SET && i < WORDS; i++)
                test_case_add_pattern(&set, words[i].bytes, words[i].length, 0);
            for (size_t i = 0; i < texts.count; i++)
                oracle_search(set.patterns, set.count, texts.items[i].bytes, texts.items[i].length,
                              TRAWL_MATCH_ALL, &texts.expected[i]);
            for_every_engine(&set, collect_short_texts, &texts);
            test_case_free(&set);
        }
    }
    for (size_t i = 0; i < texts.count; i++)
        match_list_free(&texts.expected[i]);
}

/* ------------------------------------------------------------------ literals find themselves */

typedef struct wanted {
    uint32_t pattern;
    uint64_t end;
    bool seen;
} wanted;

static int look(const trawl_match *match, void *context) {
    wanted *self = context;
    self->seen |= match->pattern == self->pattern && match->start == 0 && match->end == self->end;
    return 0;
}

static void scan_each_pattern(const trawl_db *db, const test_case *set, void *context) {
    trawl_error error;
    (void)context;
    size_t step = set->count > 1000 ? 7 : 1;
    for (size_t id = 0; id < set->count; id += step) {
        const trawl_pattern *pattern = &set->patterns[id];
        wanted self = {.pattern = (uint32_t)id, .end = pattern->length};
        assert_int_equal(trawl_scan(db, pattern->bytes, pattern->length, NULL, look, &self, &error),
                         TRAWL_OK);
        if (!self.seen)
            fail_msg("%s does not find pattern %zu of %zu in itself", engine_of(db), id,
                     set->count);
    }
}

static void random_literals_find_themselves(void **state) {
    (void)state;
    static const struct {
        size_t count, shortest, longest;
    } sets[] = {{1, 3, 10},   {10, 3, 10},   {100, 3, 10},   {500, 3, 10},  {10000, 3, 10},
                {1, 10, 100}, {10, 10, 100}, {100, 10, 100}, {500, 10, 100}};
    for (size_t s = 0; s < sizeof(sets) / sizeof(sets[0]); s++)
        for (unsigned cases = 0; cases < 3; cases++) { /* sensitive, insensitive, alternating */
            if (TESTS_ARE_SLOW && sets[s].count > 500)
                continue;
            random_source random = random_for_case(random_seed(), s * 3 + cases);
            test_case set = {0};
            for (size_t i = 0; i < sets[s].count; i++) {
                uint8_t bytes[100];
                size_t length = random_between(&random, sets[s].shortest, sets[s].longest);
                for (size_t k = 0; k < length; k++)
                    bytes[k] = (uint8_t)('a' + random_below(&random, 26));
                test_case_add_pattern(&set, bytes, length, cases == 1 || (cases == 2 && i % 2));
            }
            for_every_engine(&set, scan_each_pattern, NULL);
            test_case_free(&set);
        }
}

/* ------------------------------------------------------------------ floods */

enum { POWERS = 8, FLOOD = 1024 };

/* Patterns k-1, 8+k-1 and 16+k-1 are the byte k times; the second has another byte before these,
 * the third one behind. */
static void count_flood(const trawl_db *db, const test_case *set, void *context) {
    uint8_t byte = *(const uint8_t *)context;
    uint64_t each[3 * POWERS], total, sum = 0;
    uint8_t flood[FLOOD + 2];
    trawl_error error;
    memset(flood, byte, sizeof(flood));
    assert_int_equal(set->count, 3 * POWERS);
    assert_int_equal(trawl_count(db, flood, FLOOD, NULL, &total, each, &error), TRAWL_OK);
    for (size_t k = 1; k <= POWERS; k++) {
        assert_int_equal(each[k - 1], FLOOD - k + 1);
        assert_int_equal(each[POWERS + k - 1], 0);
        assert_int_equal(each[2 * POWERS + k - 1], 0);
        sum += each[k - 1];
    }
    assert_int_equal(total, sum);
    flood[0] = flood[FLOOD + 1] = (uint8_t)(byte ^ 0x41);
    assert_int_equal(trawl_count(db, flood, FLOOD + 2, NULL, &total, each, &error), TRAWL_OK);
    for (size_t k = 1; k <= POWERS; k++) {
        assert_int_equal(each[k - 1], FLOOD - k + 1);
        assert_int_equal(each[POWERS + k - 1], 1);
        assert_int_equal(each[2 * POWERS + k - 1], 1);
    }
}

static void floods_of_every_byte(void **state) {
    (void)state;
    for (unsigned value = 0; value < 256; value += TESTS_ARE_SLOW ? 15 : 1) {
        uint8_t byte = (uint8_t)value, bytes[POWERS + 1];
        test_case set = {0};
        memset(bytes, byte, sizeof(bytes));
        for (size_t k = 1; k <= POWERS; k++)
            test_case_add_pattern(&set, bytes, k, 0);
        for (size_t k = 1; k <= POWERS; k++) {
            bytes[0] = byte ^ 0x41;
            test_case_add_pattern(&set, bytes, k + 1, 0);
            bytes[0] = byte;
        }
        for (size_t k = 1; k <= POWERS; k++) {
            bytes[k] = byte ^ 0x41;
            test_case_add_pattern(&set, bytes, k + 1, 0);
            bytes[k] = byte;
        }
        for_every_engine(&set, count_flood, &byte);
        test_case_free(&set);
    }
}

int main(void) {
    cpu_set_apply();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_short_strings),
        cmocka_unit_test(random_literals_find_themselves),
        cmocka_unit_test(floods_of_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
