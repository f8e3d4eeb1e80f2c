/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Texts of more than 4 GiB, without storing one: a stream is given the same 64 MiB again and again,
 * and a whole text is one block of memory mapped 65 times in a row.
 */
#include "oracle.h"
#include "sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define BLOCK ((size_t)64 << 20)
enum { BLOCKS = 65 }; /* 4,160 MiB */
#define MIDDLE ((size_t)12345678)

/* "needle" stands in the middle of every block and across every seam of two blocks. */
static const char needle[] = "needle";
enum { NEEDLE = 6, BEFORE_SEAM = 2 };

static uint8_t *text; /* BLOCKS views of one block, one behind the other */
static trawl_db *db;
static trawl_error error;

static int map_text(void **state) {
    (void)state;
    int file = memfd_create("trawl-test", 0);
    if (file < 0 || ftruncate(file, (off_t)BLOCK) != 0)
        return -1;
    uint8_t *range =
        mmap(NULL, BLOCK * BLOCKS, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED)
        return -1;
    for (size_t i = 0; i < BLOCKS; i++)
        if (mmap(range + i * BLOCK, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                 0) == MAP_FAILED)
            return -1;
    close(file);
    text = range;
    memset(text, '.', BLOCK);
    memcpy(text + MIDDLE, needle, NEEDLE);
    memcpy(text + BLOCK - BEFORE_SEAM, needle, BEFORE_SEAM);
    memcpy(text, needle + BEFORE_SEAM, NEEDLE - BEFORE_SEAM);

    trawl_patterns *patterns;
    if (trawl_patterns_new(&patterns, &error) != TRAWL_OK ||
        trawl_patterns_add(patterns, needle, NEEDLE, 0, &error) != TRAWL_OK ||
        trawl_patterns_add(patterns, "dle", 3, 0, &error) != TRAWL_OK)
        return -1;
    trawl_status status = trawl_compile(patterns, NULL, &db, &error);
    trawl_patterns_free(patterns);
    return status == TRAWL_OK ? 0 : -1;
}

static int unmap_text(void **state) {
    (void)state;
    trawl_db_free(db);
    return munmap(text, BLOCK * BLOCKS);
}

static int record(const trawl_match *match, void *context) {
    match_list_add(context, match->pattern, match->start, match->end);
    return 0;
}

static void expect_matches(match_list *found) {
    match_list expected = {0};
    match_list_add(&expected, 1, 1, 4); /* the rest of a needle that has no beginning */
    for (uint64_t i = 0; i < BLOCKS; i++) {
        uint64_t middle = i * BLOCK + MIDDLE, seam = (i + 1) * BLOCK - BEFORE_SEAM;
        match_list_add(&expected, 0, middle, middle + NEEDLE);
        match_list_add(&expected, 1, middle + 3, middle + NEEDLE);
        if (i + 1 < BLOCKS) {
            match_list_add(&expected, 0, seam, seam + NEEDLE);
            match_list_add(&expected, 1, seam + 3, seam + NEEDLE);
        }
    }
    assert_true(match_list_equal(found, &expected));
    match_list_free(&expected);
    match_list_free(found);
}

static bool too_slow(void) {
    if (TESTS_ARE_SANITIZED)
        printf("skipped: 4 GiB take too long under a sanitizer\n");
    return TESTS_ARE_SANITIZED;
}

static void a_stream_of_4_gib(void **state) {
    (void)state;
    if (too_slow())
        skip();
    match_list found = {0};
    trawl_stream *stream;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.threads = 2;
    assert_int_equal(trawl_stream_open(db, &options, record, &found, &stream, &error), TRAWL_OK);
    for (uint64_t i = 0; i < BLOCKS; i++) {
        assert_int_equal(trawl_stream_write(stream, text, BLOCK, &error), TRAWL_OK);
        assert_int_equal(trawl_stream_offset(stream), (i + 1) * BLOCK);
    }
    assert_int_equal(trawl_stream_close(stream, &error), TRAWL_OK);
    expect_matches(&found);
}

static void a_text_of_4_gib(void **state) {
    (void)state;
    if (too_slow())
        skip();
    match_list found = {0};
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.threads = 2;
    assert_int_equal(trawl_scan(db, text, BLOCK * BLOCKS, &options, record, &found, &error),
                     TRAWL_OK);
    expect_matches(&found);
}

static void a_text_of_4_gib_by_one_thread(void **state) {
    (void)state;
    if (too_slow())
        skip();
    uint64_t total, each[2];
    assert_int_equal(trawl_count(db, text, BLOCK * BLOCKS, NULL, &total, each, &error), TRAWL_OK);
    assert_int_equal(each[0], 2 * BLOCKS - 1);
    assert_int_equal(each[1], 2 * BLOCKS);
    assert_int_equal(total, each[0] + each[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_of_4_gib),
        cmocka_unit_test(a_text_of_4_gib),
        cmocka_unit_test(a_text_of_4_gib_by_one_thread),
    };
    return cmocka_run_group_tests(tests, map_text, unmap_text);
}
