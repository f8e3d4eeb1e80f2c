/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Random collections, with small alphabets, equal and empty documents, and every query compared
 * with naive search in each document, and with KMP.
 */
#include "index_memory.h"
#include "random.h"
#include "suffix_queries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_DOCUMENTS = 400, MOST_BYTES = 4000, MOST_PATTERN = 12 };

typedef struct collection {
    uint8_t bytes[MOST_BYTES];
    index_text texts[MOST_DOCUMENTS];
    size_t count;
    size_t length;
} collection;

static trawl_error error;

static void make_bytes(random_source *random, uint8_t *bytes, size_t length) {
    static const char *const alphabets[] = {"a", "ab", "abc", "acgt"};
    size_t which = random_below(random, 6);
    for (size_t i = 0; i < length; i++) {
        if (which < 4)
            bytes[i] = (uint8_t)alphabets[which][random_below(random, strlen(alphabets[which]))];
        else if (which == 4)
            bytes[i] = random_chance(random, 1, 2) ? 0 : 0xff;
        else
            bytes[i] = (uint8_t)random_bits(random);
    }
}

static void make_collection(random_source *random, collection *all) {
    all->count = random_chance(random, 1, 20)   ? 0
                 : random_chance(random, 1, 10) ? random_between(random, 1, MOST_DOCUMENTS)
                                                : random_between(random, 1, 12);
    size_t total = random_chance(random, 1, 4) ? MOST_BYTES : 200, used = 0;
    total = random_below(random, total) + 1;
    make_bytes(random, all->bytes, total);
    for (size_t i = 0; i < all->count; i++) {
        size_t left = total - used, length = random_below(random, 2 * total / all->count + 2);
        length = length < left ? length : left;
        all->texts[i] = (index_text){"n", all->bytes + used, length};
        used += length;
        if (i > 0 && random_chance(random, 1, 4)) /* equal to an earlier one, or its end */
        {
            const index_text *other = &all->texts[random_below(random, i)];
            size_t skipped =
                random_chance(random, 1, 2) ? 0 : random_below(random, other->length + 1);
            all->texts[i].bytes = (const uint8_t *)other->bytes + skipped;
            all->texts[i].length = other->length - skipped;
        }
    }
    all->length = total;
}

/* ------------------------------------------------------------------ the oracle */

typedef struct expectation {
    const collection *all;
    const uint8_t *pattern;
    size_t length;
    uint32_t document; /* the next occurrence is here or later */
    uint64_t start;
} expectation;

static bool occurs_at(const expectation *next, uint32_t document, size_t start) {
    const index_text *text = &next->all->texts[document];
    return start + next->length <= text->length &&
           memcmp((const uint8_t *)text->bytes + start, next->pattern, next->length) == 0;
}

/* Goes to the next occurrence; false: there is none. */
static bool advance(expectation *next) {
    for (; next->document < next->all->count; next->document++, next->start = 0)
        for (; next->start < next->all->texts[next->document].length; next->start++)
            if (occurs_at(next, next->document, next->start))
                return true;
    return false;
}

static int expect_position(uint32_t document, uint64_t start, void *context) {
    expectation *next = context;
    if (!advance(next) || next->document != document || next->start != start)
        return 1;
    next->start++;
    return 0;
}

static uint64_t count_in(const expectation *pattern, uint32_t document) {
    uint64_t count = 0;
    for (size_t start = 0; start < pattern->all->texts[document].length; start++)
        count += occurs_at(pattern, document, start);
    return count;
}

/* ------------------------------------------------------------------ queries */

static void check_top(trawl_index_search *search, const trawl_index_count *all, size_t count) {
    const trawl_index_count *top;
    trawl_index_count copy[MOST_DOCUMENTS];
    size_t most = 3, top_count;
    if (count != 0)
        memcpy(copy, all, count * sizeof *copy);
    assert_int_equal(trawl_index_document_counts(search, most, &top, &top_count, &error), TRAWL_OK);
    assert_int_equal(top_count, count < most ? count : most);
    for (size_t i = 0; i < top_count; i++) {
        size_t best = 0;
        for (size_t k = 1; k < count; k++)
            if (copy[k].occurrences > copy[best].occurrences)
                best = k;
        assert_int_equal(top[i].document, copy[best].document);
        assert_int_equal(top[i].occurrences, copy[best].occurrences);
        copy[best].occurrences = 0;
    }
}

static void check_pattern(trawl_index_search *search, const collection *all, const uint8_t *pattern,
                          size_t length) {
    expectation next = {.all = all, .pattern = pattern, .length = length};
    const trawl_index_count *counts;
    const uint32_t *documents;
    size_t count, document_count, expected = 0, borders[MOST_PATTERN];
    uint64_t occurrences, sum = 0;
    assert_int_equal(trawl_index_find(search, pattern, length, &occurrences, &error), TRAWL_OK);
    assert_int_equal(trawl_index_documents(search, &documents, &document_count, &error), TRAWL_OK);
    uint32_t *listed = malloc((document_count + 1) * sizeof *listed);
    assert_non_null(listed);
    if (document_count != 0)
        memcpy(listed, documents, document_count * sizeof *listed);
    assert_int_equal(trawl_index_document_counts(search, 0, &counts, &count, &error), TRAWL_OK);
    assert_int_equal(count, document_count);
    for (uint32_t document = 0; document < all->count; document++) {
        const index_text *text = &all->texts[document];
        uint64_t here = count_in(&next, document);
        assert_int_equal(here,
                         kmp_search(pattern, length, text->bytes, text->length, borders, NULL, 0));
        sum += here;
        if (here == 0)
            continue;
        assert_true(expected < count);
        assert_int_equal(listed[expected], document);
        assert_int_equal(counts[expected].document, document);
        assert_int_equal(counts[expected].occurrences, here);
        expected++;
    }
    assert_int_equal(expected, count);
    assert_int_equal(occurrences, sum);
    check_top(search, counts, count);
    assert_int_equal(trawl_index_positions(search, expect_position, &next, &error), TRAWL_OK);
    assert_false(advance(&next));
    free(listed);
}

static void check_case(uint64_t seed, uint64_t number) {
    random_source random = random_for_case(seed, number);
    static collection all;
    static index_memory memory;
    make_collection(&random, &all);
    trawl_index_options options = TRAWL_INDEX_OPTIONS;
    memory.wide = random_chance(&random, 1, 3);
    options.threads = (uint32_t)random_below(&random, 3);
    trawl_index *index = NULL;
    trawl_index_search *search = NULL;
    if (index_memory_build(all.texts, all.count, &options, &memory, &error) != TRAWL_OK ||
        trawl_index_load_memory(memory.bytes, memory.size, &index, &error) != TRAWL_OK ||
        trawl_index_search_open(index, &search, &error) != TRAWL_OK)
        fail_msg("case %llu: %s", (unsigned long long)number, error.message);
    for (int i = 0; i < 12; i++) {
        uint8_t pattern[MOST_PATTERN];
        size_t length = random_between(&random, 1, i < 3 ? 2 : MOST_PATTERN);
        length = length < all.length ? length : all.length;
        if (random_chance(&random, 3, 4)) /* from the text, perhaps across a border */
            memcpy(pattern, all.bytes + random_below(&random, all.length - length + 1), length);
        else
            make_bytes(&random, pattern, length);
        check_pattern(search, &all, pattern, length);
    }
    trawl_index_search_close(search);
    trawl_index_free(index);
}

static void random_collections(void **state) {
    (void)state;
    const char *cases = getenv("TRAWL_TEST_CASES"), *one = getenv("TRAWL_TEST_CASE");
    uint64_t count = cases ? strtoull(cases, NULL, 10) : 1500, seed = random_seed();
    uint64_t begin = one ? strtoull(one, NULL, 10) : 0;
    printf("seed %llu\n", (unsigned long long)seed);
    for (uint64_t number = begin; number < (one ? begin + 1 : count); number++)
        check_case(seed, number);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_collections)};
    return cmocka_run_group_tests_name("index_random", tests, NULL, NULL);
}
