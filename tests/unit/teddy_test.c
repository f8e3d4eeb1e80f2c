/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Teddy: the same candidates with every instruction set, no occurrence missed, no byte read outside
 * the text, right estimates, and refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "database/validate.h"
#include "engines/qgram/teddy/scan.h"
#include "guard.h"
#include "random.h"
#include "sets.h"

enum { LONGEST = 1200, REACH = TRAWL_TEDDY_SUFFIX };

static trawl_error error;

/* Letters of a random text or pattern: few, ASCII, or any bytes. */
typedef enum alphabet { FEW, ASCII, BYTES, ALPHABETS } alphabet;

static uint8_t random_byte(random_source *random, alphabet letters) {
    if (letters == FEW)
        return (uint8_t) "abAB"[random_below(random, 4)];
    return (uint8_t)random_below(random, letters == ASCII ? 128 : 256);
}

static trawl_patterns *random_patterns(random_source *random, size_t count, size_t shortest,
                                       alphabet letters) {
    trawl_patterns *patterns;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[64];
        size_t length = random_between(random, shortest, 40);
        for (size_t k = 0; k < length; k++)
            bytes[k] = random_byte(random, letters);
        uint32_t flags = random_chance(random, 1, 3) ? TRAWL_PATTERN_CASE_INSENSITIVE : 0;
        assert_int_equal(trawl_patterns_add(patterns, bytes, length, flags, &error), TRAWL_OK);
    }
    return patterns;
}

static double make(const trawl_patterns *patterns, uint32_t window, const uint8_t *sample,
                   size_t length, trawl_teddy *filter) {
    uint32_t ids[TRAWL_TEDDY_PATTERNS];
    for (uint32_t id = 0; id < TRAWL_TEDDY_PATTERNS; id++)
        ids[id] = id;
    return trawl_teddy_make(patterns, ids, (uint32_t)patterns->count, window, sample, length,
                            filter);
}

static bool passes(const trawl_teddy *filter, const uint8_t *last) {
    const trawl_teddy_pair *pair = &filter->pair;
    if (trawl_teddy_has_pair(filter))
        return *(last + 1 - pair->before[0]) == pair->byte[0] &&
               *(last + 1 - pair->before[1]) == pair->byte[1];
    uint8_t pass = 0xff;
    for (uint32_t probe = 0; probe < filter->probes; probe++)
        pass &= trawl_teddy_test(filter, probe, *(last - filter->distance[probe]));
    return pass != 0;
}

/* Whether the pattern's last bytes stand before and at `last`, in either case where it says so. */
static bool stands(const trawl_patterns *patterns, size_t id, uint32_t window,
                   const uint8_t *last) {
    const uint8_t *past = trawl_pattern_bytes(patterns, id + 1);
    bool folds = (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
    for (uint32_t distance = 0; distance < window; distance++) {
        uint8_t byte = *(past - 1 - distance), other = byte;
        if (folds && ((byte | 32) >= 'a' && (byte | 32) <= 'z'))
            other ^= 32;
        if (*(last - distance) != byte && *(last - distance) != other)
            return false;
    }
    return true;
}

/* Puts ends of patterns into the text, in random case. */
static void plant(random_source *random, const trawl_patterns *patterns, uint8_t *text,
                  size_t length) {
    for (size_t i = 0; i < length / 40; i++) {
        size_t id = random_below(random, patterns->count);
        size_t size = trawl_pattern_length(patterns, id);
        if (size > length)
            continue;
        uint8_t *to = text + random_below(random, length - size + 1);
        memcpy(to, trawl_pattern_bytes(patterns, id), size);
        for (size_t k = 0; k < size; k++)
            if ((to[k] | 32) >= 'a' && (to[k] | 32) <= 'z' && random_chance(random, 1, 8))
                to[k] ^= 32;
    }
}

static void check_sets(const trawl_teddy *filter, const uint8_t *text, size_t first,
                       size_t length) {
    uint32_t expected[LONGEST], noted[LONGEST + TRAWL_TEDDY_SPARE];
    size_t count = 0;
    for (size_t last = first; last < length; last++) {
        expected[count] = (uint32_t)last;
        count += passes(filter, text + last);
    }
    for (int set = 0; set < TRAWL_CPU_SETS; set++) {
        if (!trawl_cpu_has((trawl_cpu_set)set))
            continue;
        for (int dense = 0; dense < 2; dense++) {
            size_t found = trawl_teddy_for((trawl_cpu_set)set)(filter, text, first, length - first,
                                                               dense != 0, noted);
            assert_int_equal(found, count);
            assert_memory_equal(noted, expected, count * sizeof *noted);
        }
    }
}

static void all_sets_find_every_occurrence(void **state) {
    (void)state;
    size_t pairs = 0, cases = 1500;
    guarded text = {0};
    for (uint64_t index = 0; index < cases; index++) {
        random_source random = random_for_case(random_seed(), index);
        alphabet letters = (alphabet)random_below(&random, ALPHABETS);
        size_t shortest = random_between(&random, 1, 20);
        trawl_patterns *patterns = random_patterns(
            &random, random_between(&random, 1, random_chance(&random, 1, 9) ? 128 : 12), shortest,
            letters);
        uint32_t window = (uint32_t)patterns->min_length;
        uint8_t bytes[LONGEST];
        size_t length = random_below(&random, LONGEST);
        for (size_t i = 0; i < length; i++)
            bytes[i] = random_byte(&random, random_chance(&random, 1, 50) ? BYTES : letters);
        plant(&random, patterns, bytes, length);
        trawl_teddy filter;
        double expected =
            make(patterns, window, bytes, random_chance(&random, 1, 2) ? length : 0, &filter);
        assert_true(expected >= 0 && expected <= 1);
        assert_true(trawl_teddy_is_valid(&filter, sizeof filter, window));
        assert_true(trawl_teddy_work(&filter) >= 1);
        pairs += trawl_teddy_has_pair(&filter);
        guarded_copy(&text, bytes, length, random_chance(&random, 1, 2));
        uint32_t anchor_slack = window < REACH ? window : REACH;
        for (size_t last = anchor_slack - 1; last < length; last++)
            for (size_t id = 0; id < patterns->count; id++)
                if (stands(patterns, id, anchor_slack, text.bytes + last))
                    assert_true(passes(&filter, text.bytes + last));
        if (length >= anchor_slack) {
            check_sets(&filter, text.bytes, anchor_slack - 1, length);
            check_sets(&filter, text.bytes, random_between(&random, anchor_slack - 1, length),
                       length);
        }
        trawl_patterns_free(patterns);
    }
    assert_in_range(pairs, cases / 40, cases / 2);
    guarded_free(&text);
}

/* A single pattern is found by its two rarest bytes; one in any case, or one among others, is not,
 * unless all of them have these bytes. */
static void rarest_bytes_of_all_patterns_are_compared(void **state) {
    (void)state;
    static const struct {
        const char *patterns[3];
        uint32_t flags;
        const char *pair; /* its later byte first; NULL: none */
    } cases[] = {
        {{"eteZeeqtte"}, 0, "qZ"},
        {{"etteqtetZ"}, 0, "Zq"},
        {{"eteZeeqtte"}, TRAWL_PATTERN_CASE_INSENSITIVE, NULL},
        {{"q.com", "z.com", "xj.com"}, 0, "m."},
        {{"etet.e", "tete.a"}, TRAWL_PATTERN_CASE_INSENSITIVE, ".."},
        {{"zebra", "quick"}, 0, NULL},
        {{"e", "t", "a"}, 0, NULL}, /* many candidates, and no pair */
        {{"qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"}, 0, "qq"},
    };
    static uint8_t text[20000];
    random_source random = random_for_case(3, 0);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t) "etaoinsrhldcu-, .m"[random_below(&random, i % 50 == 0 ? 18 : 14)];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trawl_patterns *patterns;
        trawl_teddy filter;
        assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
        for (size_t k = 0; k < 3 && cases[i].patterns[k] != NULL; k++)
            assert_int_equal(trawl_patterns_add(patterns, cases[i].patterns[k],
                                                strlen(cases[i].patterns[k]), cases[i].flags,
                                                &error),
                             TRAWL_OK);
        (void)make(patterns, (uint32_t)patterns->max_length, text, sizeof text, &filter);
        const trawl_teddy_pair *pair = &filter.pair;
        assert_int_equal(trawl_teddy_has_pair(&filter), cases[i].pair != NULL);
        if (cases[i].pair != NULL) {
            bool in_order = pair->before[0] <= pair->before[1];
            assert_int_equal(pair->byte[in_order ? 0 : 1], cases[i].pair[0]);
            assert_int_equal(pair->byte[in_order ? 1 : 0], cases[i].pair[1]);
            /* The ends of a run, as neighbours stand at nearly every position of one. */
            if (pair->byte[0] == pair->byte[1] && patterns->count == 1)
                assert_int_equal(pair->before[in_order ? 1 : 0], patterns->max_length);
        }
        trawl_patterns_free(patterns);
    }
}

static void estimates_are_near_the_truth(void **state) {
    (void)state;
    enum { LENGTH = 200000 };
    uint8_t *text = malloc(LENGTH);
    assert_non_null(text);
    for (uint64_t index = 0; index < 12; index++) {
        random_source random = random_for_case(random_seed(), 10000 + index);
        for (size_t i = 0; i < LENGTH; i++)
            text[i] = (uint8_t)('a' + random_below(&random, 26));
        trawl_patterns *patterns;
        assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
        for (size_t i = 0; i < 4 + 10 * index; i++)
            assert_int_equal(trawl_patterns_add(patterns, text + 1000 * i, 6, 0, &error), TRAWL_OK);
        trawl_teddy filter;
        double expected = make(patterns, 6, text, LENGTH, &filter);
        size_t found = 0;
        for (size_t last = REACH; last < LENGTH; last++)
            found += passes(&filter, text + last);
        double counted = (double)found / LENGTH;
        assert_true(expected < counted * 2 + 0.0005 && counted < expected * 2 + 0.0005);
        trawl_patterns_free(patterns);
    }
    free(text);
}

static trawl_db *compile(size_t count) {
    trawl_patterns *set = set_new();
    for (size_t i = 0; i < count; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, "%zu:word", 1000 + i);
        set_add(set, text);
    }
    return set_compile(set, (combination){.engine = "qgram", .variant = "teddy"}, &error);
}

/* The planner prices Teddy by candidates in the whole sample, not only in its beginning. */
static void candidates_far_from_the_beginning_count(void **state) {
    (void)state;
    static uint8_t text[131072];
    random_source random = random_for_case(random_seed(), 0);
    trawl_patterns *patterns;
    trawl_teddy filter;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(patterns, "needle", 6, 0, &error), TRAWL_OK);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i < sizeof text / 2 ? random_byte(&random, BYTES) : (uint8_t) "needle"[i % 6];
    double rate = make(patterns, 6, text, sizeof text, &filter);
    assert_true(rate > 0.07 && rate < 0.1); /* one in six in the second half */
    trawl_patterns_free(patterns);
}

static void large_sets_are_refused(void **state) {
    (void)state;
    trawl_db *db = compile(TRAWL_TEDDY_PATTERNS);
    assert_non_null(db);
    trawl_db_free(db);
    assert_null(compile(TRAWL_TEDDY_PATTERNS + 1));
    assert_int_equal(error.status, TRAWL_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "at most 128 patterns, and these are 129"));
}

/* Patterns that end in sixteen zeros, and a text with as many zeros as other bytes: probes before
 * the zeros keep the runs of the text out. */
static void runs_at_ends_of_patterns_do_not_pass(void **state) {
    (void)state;
    enum { LENGTH = 65536, COUNT = 3 };
    static uint8_t text[LENGTH];
    random_source random = random_for_case(7, 0);
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = i % 128 < 64 ? 0 : (uint8_t)random_below(&random, 256);
    trawl_patterns *patterns;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t i = 0; i < COUNT; i++) {
        uint8_t bytes[20] = {0};
        for (size_t k = 0; k < 4; k++)
            bytes[k] = (uint8_t)random_between(&random, 1, 255);
        assert_int_equal(trawl_patterns_add(patterns, bytes, sizeof bytes, 0, &error), TRAWL_OK);
    }
    trawl_teddy filter;
    double expected = make(patterns, 20, text, LENGTH, &filter);
    size_t passed = 0;
    for (size_t last = REACH; last < LENGTH; last++)
        passed += passes(&filter, text + last);
    assert_true(passed < LENGTH / 100);
    assert_true(expected < 0.01);
    trawl_patterns_free(patterns);
}

/* A filter that would read outside the text is refused, although its checksum is right. */
static void damaged_filters_are_refused(void **state) {
    (void)state;
    for (int damage = 0; damage <= 7; damage++) {
        trawl_db *db = compile(9);
        assert_non_null(db);
        size_t size;
        const void *bytes = trawl_db_bytes(db, &size);
        uint8_t *block = malloc(size);
        assert_non_null(block);
        memcpy(block, bytes, size);
        trawl_db_free(db);
        trawl_image_header *header = (trawl_image_header *)(void *)block;
        const trawl_section *section = (const trawl_section *)(header + 1);
        while (section->kind != TRAWL_SECTION_QGRAM_SAMPLE_FILTER)
            section++;
        trawl_teddy *filter = (trawl_teddy *)(void *)(block + section->offset);
        filter->probes = damage == 1 ? 0 : damage == 2 ? 9 : filter->probes;
        filter->both = damage == 3 ? filter->probes + 1 : filter->both;
        filter->ascii = damage == 4 ? 2 : filter->ascii;
        filter->distance[filter->probes / 2] =
            damage == 5 ? REACH : filter->distance[filter->probes / 2];
        filter->pair = damage == 6   ? (trawl_teddy_pair){.before = {1, REACH + 1}}
                       : damage == 7 ? (trawl_teddy_pair){.before = {1, 0}}
                                     : filter->pair;
        header->checksum = trawl_block_checksum(block, size);
        trawl_status status = trawl_db_load_memory(block, size, &db, &error);
        assert_int_equal(status, damage == 0 ? TRAWL_OK : TRAWL_ERROR_FORMAT);
        if (damage == 0)
            trawl_db_free(db);
        else
            assert_non_null(strstr(error.message, "filter"));
        free(block);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sets_find_every_occurrence),
        cmocka_unit_test(rarest_bytes_of_all_patterns_are_compared),
        cmocka_unit_test(estimates_are_near_the_truth),
        cmocka_unit_test(candidates_far_from_the_beginning_count),
        cmocka_unit_test(large_sets_are_refused),
        cmocka_unit_test(runs_at_ends_of_patterns_do_not_pass),
        cmocka_unit_test(damaged_filters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
