/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gpu/rows_case.h"

#include "gpu/device_memory.h"
#include "trawl/trawl_groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int compare_offsets(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Device memory with a copy of host memory, of no more bytes. */
static void *put(const void *bytes, size_t size) {
    void *memory = device_allocate(size);
    assert_non_null(memory);
    assert_true(device_write(memory, bytes, size, NULL) && device_wait(NULL));
    return memory;
}

static void cut(rows_case *made, random_source *random) {
    size_t length = made->test->length;
    for (size_t i = 0; i <= made->count; i++)
        made->offsets[i] = i && random_chance(random, 1, 5) ? made->offsets[i - 1]
                                                            : random_below(random, length + 1);
    qsort(made->offsets, made->count + 1, sizeof(*made->offsets), compare_offsets);
    if (random_chance(random, 1, 2)) {
        made->offsets[0] = 0;
        made->offsets[made->count] = length;
    }
    made->rows.begin = random_chance(random, 1, 2) ? 0 : made->offsets[0];
    made->rows.end = random_chance(random, 1, 2) ? length : made->offsets[made->count];
}

/* Writes the offsets of a slice: other offsets come before and behind them. */
static void put_offsets(rows_case *made, random_source *random) {
    uint64_t wide[MOST_ROWS + 9];
    uint32_t narrow[MOST_ROWS + 9];
    size_t before = random_below(random, 4), count = made->count + 1;
    memset(wide, 0, sizeof(wide));
    memcpy(wide + before, made->offsets, count * sizeof(*wide));
    for (size_t i = 0; i < before + count; i++)
        narrow[i] = (uint32_t)wide[i];
    bool is_wide = random_chance(random, 1, 2);
    size_t size = is_wide ? 8 : 4;
    made->memory[1] =
        put(is_wide ? (const void *)wide : (const void *)narrow, (before + count) * size);
    made->rows.offset_bytes = (uint32_t)size;
    made->rows.offsets = (const uint8_t *)made->memory[1] + before * size;
}

static void put_valid(rows_case *made, random_source *random) {
    bool some = random_chance(random, 1, 2);
    made->rows.valid_offset = random_below(random, 20);
    for (size_t i = 0; i < sizeof(made->valid); i++)
        made->valid[i] = (uint8_t)random_bits(random);
    for (size_t i = 0; i < made->count; i++) {
        uint64_t bit = made->rows.valid_offset + i;
        made->present[i] = !some || (made->valid[bit / 8] >> (bit % 8) & 1) != 0;
    }
    if (some) {
        made->memory[2] = put(made->valid, (made->rows.valid_offset + made->count + 7) / 8);
        made->rows.valid = made->memory[2];
    }
}

/* An empty text may have no address. */
static const uint8_t *text_at(const test_case *test, uint64_t offset) {
    return test->length == 0 ? test->text : test->text + offset;
}

static void expect(rows_case *made) {
    const test_case *test = made->test;
    match_list found = {.count = 0};
    for (size_t i = 0; i < made->count; i++) {
        uint64_t length = made->offsets[i + 1] - made->offsets[i];
        length = length < made->rows.tail || !made->present[i] ? 0 : length - made->rows.tail;
        made->begin[i] = made->matches.count;
        oracle_search_with(test->patterns, test->conditioned ? test->conditions : NULL, test->count,
                           text_at(test, made->offsets[i]), (size_t)length, made->kind, &found);
        for (size_t m = 0; m < found.count; m++)
            match_list_add(&made->matches, found.items[m].pattern, found.items[m].start,
                           found.items[m].end);
    }
    made->begin[made->count] = made->matches.count;
    match_list_free(&found);
    oracle_search(test->patterns, test->count, text_at(test, made->rows.begin),
                  (size_t)(made->rows.end - made->rows.begin), TRAWL_MATCH_ALL, &made->all);
}

void rows_case_make(rows_case *made, const test_case *test, trawl_match_kind kind,
                    random_source *random) {
    memset(made, 0, sizeof(*made));
    made->test = test;
    made->kind = kind;
    made->rows = (trawl_cuda_rows)TRAWL_CUDA_ROWS;
    made->count = random_between(random, 1, random_chance(random, 1, 3) ? 4 : MOST_ROWS);
    made->rows.count = made->count;
    made->rows.tail = random_chance(random, 1, 2) ? 0 : (uint32_t)random_below(random, 3);
    cut(made, random);
    made->memory[0] = put(test->text, test->length);
    made->rows.bytes = made->memory[0];
    put_offsets(made, random);
    put_valid(made, random);
    expect(made);
}

void rows_case_free(rows_case *made) {
    for (size_t i = 0; i < sizeof(made->memory) / sizeof(*made->memory); i++)
        device_release(made->memory[i]);
    match_list_free(&made->matches);
    match_list_free(&made->all);
}

static uint64_t most_ending(const rows_case *rows, uint64_t piece_bytes) {
    uint64_t most = 0;
    for (size_t first = 0, next; first < rows->all.count; first = next) {
        uint64_t piece = (rows->all.items[first].end - 1) / piece_bytes;
        for (next = first;
             next < rows->all.count && (rows->all.items[next].end - 1) / piece_bytes == piece;)
            next++;
        most = next - first > most ? next - first : most;
    }
    return most;
}

uint64_t rows_case_most(const rows_case *rows, uint64_t piece_bytes, bool ahead) {
    uint64_t span = rows->rows.end - rows->rows.begin, most = 0, longest = 1;
    if (!ahead)
        return most_ending(rows, piece_bytes);
    for (size_t id = 0; id < rows->test->count; id++)
        longest =
            rows->test->patterns[id].length > longest ? rows->test->patterns[id].length : longest;
    for (uint64_t begin = 0; begin < span;) {
        uint64_t end = span - begin > piece_bytes ? begin + piece_bytes : span, count = 0;
        for (size_t m = 0; m < rows->all.count; m++)
            count +=
                rows->all.items[m].start >= begin && rows->all.items[m].end <= end + longest - 1;
        most = count > most ? count : most;
        begin = end;
    }
    return most;
}

bool rows_case_is_first(const rows_case *rows, size_t row, size_t m) {
    uint32_t group = rows->groups[rows->matches.items[m].pattern];
    for (size_t before = rows->begin[row]; before < m; before++)
        if (rows->groups[rows->matches.items[before].pattern] == group)
            return false;
    return true;
}

static void define_classes(trawl_patterns *patterns) {
    static const uint8_t classes[] = {ORACLE_VOWELS, ORACLE_ONE_CASE, ORACLE_NOTHING};
    trawl_error error = {.message = ""};
    for (size_t i = 0; i < sizeof(classes); i++) {
        uint8_t members[32] = {0};
        for (unsigned byte = 0; byte < 256; byte++)
            members[byte / 8] |= (uint8_t)(oracle_is_member(classes[i], (uint8_t)byte) << byte % 8);
        assert_int_equal(trawl_patterns_class(patterns, classes[i], members, &error), TRAWL_OK);
    }
}

/* The case's set; groups NULL: none. */
static trawl_patterns *make_set(const test_case *test, const uint32_t *groups) {
    trawl_patterns *patterns = NULL;
    trawl_error error = {.message = ""};
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    if (test->conditioned)
        define_classes(patterns);
    for (size_t id = 0; id < test->count; id++) {
        const trawl_pattern *pattern = &test->patterns[id];
        assert_int_equal(
            trawl_patterns_add(patterns, pattern->bytes, pattern->length, pattern->flags, &error),
            TRAWL_OK);
        if (test->conditioned)
            assert_int_equal(trawl_patterns_condition_last(patterns, &test->conditions[id], &error),
                             TRAWL_OK);
        if (groups)
            assert_int_equal(trawl_patterns_group_last(patterns, groups[id], &error), TRAWL_OK);
    }
    return patterns;
}

trawl_db *rows_compile(combination which, const test_case *test, const uint32_t *groups,
                       trawl_match_kind kind) {
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_patterns *patterns = make_set(test, groups);
    trawl_db *db = NULL;
    trawl_error error = {.message = ""};
    options.engine = which.engine;
    options.variant = which.variant;
    options.matches = kind;
    trawl_status status = trawl_compile(patterns, &options, &db, &error);
    trawl_patterns_free(patterns);
    if (status != TRAWL_OK && status != TRAWL_ERROR_LIMIT)
        fail_msg("%s: %s", which.engine, error.message);
    return db;
}
