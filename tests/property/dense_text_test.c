/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Two matches for every byte of text: they are delivered while the text is scanned, and never all
 * in memory at once, even when the receiver is slower than the scanning threads.
 */
#include "sanitizers.h"

#include "trawl/trawl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <cmocka.h>

/* Held all at once, the matches of the text would take 24 * 2 * TEXT bytes. */
#define TEXT ((size_t)(TESTS_ARE_SANITIZED ? 4 : 32) << 20)
#define MEMORY_ALLOWED ((size_t)(TESTS_ARE_SANITIZED ? 160 : 96) << 20)

static uint8_t *text;
static trawl_db *db;
static trawl_error error;

static int setup(void **state) {
    (void)state;
    trawl_patterns *patterns;
    text = malloc(TEXT);
    if (!text || trawl_patterns_new(&patterns, &error) != TRAWL_OK ||
        trawl_patterns_add(patterns, "a", 1, 0, &error) != TRAWL_OK ||
        trawl_patterns_add(patterns, "aaaaa", 5, 0, &error) != TRAWL_OK)
        return -1;
    memset(text, 'a', TEXT);
    trawl_status status = trawl_compile(patterns, NULL, &db, &error);
    trawl_patterns_free(patterns);
    return status == TRAWL_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    trawl_db_free(db);
    free(text);
    return 0;
}

/* The most memory that this process has ever had. */
static size_t peak(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss * 1024;
}

typedef struct receiver {
    uint64_t matches;
    bool disordered;
    uint64_t last_end, last_start;
} receiver;

/* Sleeps now and then, so that the searching threads could run ahead. */
static int receive(const trawl_match *match, void *context) {
    receiver *to = context;
    to->disordered |=
        to->matches && (match->end < to->last_end ||
                        (match->end == to->last_end && match->start <= to->last_start));
    to->last_end = match->end;
    to->last_start = match->start;
    if (to->matches++ % (TEXT / 2) == 1000) {
        struct timespec pause = {.tv_sec = 0, .tv_nsec = 200000000};
        nanosleep(&pause, NULL);
    }
    return 0;
}

static void expect(const receiver *to, size_t before) {
    size_t grown = peak() - before;
    assert_int_equal(to->matches, 2 * TEXT - 4);
    assert_false(to->disordered);
    if (grown > MEMORY_ALLOWED)
        fail_msg("%zu MiB more were needed for a text of %zu MiB", grown >> 20, TEXT >> 20);
}

static void scan_with(uint32_t threads) {
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.threads = threads;
    receiver to = {.matches = 0};
    size_t before = peak();
    assert_int_equal(trawl_scan(db, text, TEXT, &options, receive, &to, &error), TRAWL_OK);
    expect(&to, before);
}

static void serial(void **state) {
    (void)state;
    scan_with(1);
}

static void two_threads(void **state) {
    (void)state;
    scan_with(2);
}

static void four_threads(void **state) {
    (void)state;
    scan_with(4);
}

static void stream(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        trawl_scan_options options = TRAWL_SCAN_OPTIONS;
        options.threads = threads;
        receiver to = {.matches = 0};
        trawl_stream *pieces;
        size_t before = peak();
        assert_int_equal(trawl_stream_open(db, &options, receive, &to, &pieces, &error), TRAWL_OK);
        size_t half = TEXT / 2 + 12345;
        assert_int_equal(trawl_stream_write(pieces, text, half, &error), TRAWL_OK);
        assert_int_equal(trawl_stream_write(pieces, text + half, TEXT - half, &error), TRAWL_OK);
        assert_int_equal(trawl_stream_close(pieces, &error), TRAWL_OK);
        expect(&to, before);
    }
}

static int receive_batch(const trawl_match *matches, size_t count, void *context) {
    for (size_t i = 0; i < count; i++)
        receive(&matches[i], context);
    return 0;
}

static void batches(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        trawl_scan_options options = TRAWL_SCAN_OPTIONS;
        options.threads = threads;
        receiver to = {.matches = 0};
        size_t before = peak();
        assert_int_equal(trawl_scan_batches(db, text, TEXT, &options, receive_batch, &to, &error),
                         TRAWL_OK);
        expect(&to, before);
    }
}

/* Collecting into arrays of all sizes: new ones, and those of another text's result. These do have
 * all matches in memory. */
static void collecting(void **state) {
    (void)state;
    trawl_matches matches = {NULL, 0};
    for (size_t length = 100; length <= TEXT / 4; length *= 7) {
        for (uint32_t threads = 1; threads <= 4; threads++) {
            trawl_scan_options options = TRAWL_SCAN_OPTIONS;
            options.threads = threads;
            if (threads % 2)
                trawl_matches_free(&matches);
            assert_int_equal(trawl_collect_into(db, text, length, &options, &matches, &error),
                             TRAWL_OK);
            assert_int_equal(matches.count, 2 * length - 4);
            for (size_t i = 0; i < matches.count; i++) {
                const trawl_match *match = &matches.items[i];
                uint64_t end = i < 4 ? i + 1 : 5 + (i - 4) / 2;
                bool first = i >= 4 && i % 2 == 0; /* the longer one */
                if (match->end != end || match->start != end - (first ? 5 : 1) ||
                    match->pattern != (first ? 1 : 0) || match->reserved != 0)
                    fail_msg("match %zu of %zu is wrong", i, matches.count);
            }
        }
    }
    trawl_matches_free(&matches);
}

static void counting(void **state) {
    (void)state;
    uint64_t total, each[2];
    size_t before = peak();
    assert_int_equal(trawl_count(db, text, TEXT, NULL, &total, each, &error), TRAWL_OK);
    receiver to = {.matches = total};
    expect(&to, before);
    assert_int_equal(each[0], TEXT);
    assert_int_equal(each[1], TEXT - 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serial),     cmocka_unit_test(two_threads), cmocka_unit_test(four_threads),
        cmocka_unit_test(stream),     cmocka_unit_test(counting),    cmocka_unit_test(batches),
        cmocka_unit_test(collecting),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
