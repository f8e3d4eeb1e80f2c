/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What only streams do: stopping, keeping an error, reporting offsets, counting, being closed
 * before the end.
 */
#include "combinations.h"
#include "cpu_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static trawl_error error;

static trawl_db *compile(const char *const *words, size_t count, trawl_match_kind kind) {
    trawl_patterns *patterns;
    trawl_db *db;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(trawl_patterns_add(patterns, words[i], strlen(words[i]), 0, &error),
                         TRAWL_OK);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.matches = kind;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_patterns_free(patterns);
    return db;
}

typedef struct listener {
    size_t calls;
    size_t stop_at; /* 0: never */
    trawl_match last;
} listener;

static int listen(const trawl_match *match, void *context) {
    listener *to = context;
    to->last = *match;
    to->calls++;
    return to->stop_at && to->calls >= to->stop_at;
}

static const char *const words[] = {"needle", "eed", "x"};

static void a_stopped_stream_stays_stopped(void **state) {
    (void)state;
    trawl_db *db = compile(words, 3, TRAWL_MATCH_ALL);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        trawl_scan_options options = TRAWL_SCAN_OPTIONS;
        trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
        options.threads = threads;
        options.study = &study;
        study.chunk_bytes = 4;
        listener to = {.stop_at = 2};
        trawl_stream *stream;
        assert_int_equal(trawl_stream_open(db, &options, listen, &to, &stream, &error), TRAWL_OK);
        trawl_status status = trawl_stream_write(stream, "needle needle x", 15, &error);
        if (status == TRAWL_OK)
            status = trawl_stream_flush(stream, &error);
        assert_int_equal(status, TRAWL_STOPPED);
        assert_int_equal(to.calls, 2);
        assert_int_equal(trawl_stream_write(stream, "x", 1, &error), TRAWL_STOPPED);
        assert_int_equal(trawl_stream_flush(stream, &error), TRAWL_STOPPED);
        assert_int_equal(trawl_stream_matches(stream), 2);
        assert_int_equal(trawl_stream_close(stream, &error), TRAWL_STOPPED);
        assert_int_equal(to.calls, 2);
    }
    trawl_db_free(db);
}

static void stopping_while_closing(void **state) {
    (void)state;
    trawl_db *db = compile(words, 3, TRAWL_MATCH_LEFTMOST_LONGEST);
    listener to = {.stop_at = 1};
    trawl_stream *stream;
    assert_int_equal(trawl_stream_open(db, NULL, listen, &to, &stream, &error), TRAWL_OK);
    trawl_status status = trawl_stream_write(stream, "needle", 6, &error);
    trawl_status closed = trawl_stream_close(stream, &error);
    assert_true(status == TRAWL_STOPPED || status == TRAWL_OK);
    assert_int_equal(closed, TRAWL_STOPPED);
    assert_int_equal(to.calls, 1);
    trawl_db_free(db);
}

static void an_abandoned_stream_reports_nothing_more(void **state) {
    (void)state;
    trawl_db *db = compile(words, 3, TRAWL_MATCH_ALL);
    listener to = {.calls = 0};
    trawl_stream *stream;
    assert_int_equal(trawl_stream_open(db, NULL, listen, &to, &stream, &error), TRAWL_OK);
    assert_int_equal(trawl_stream_write(stream, "needle", 6, &error), TRAWL_OK);
    size_t before = to.calls;
    trawl_stream_abandon(stream);
    assert_int_equal(to.calls, before);
    trawl_db_free(db);
}

static void flush_reports_what_has_ended(void **state) {
    (void)state;
    trawl_db *db = compile(words, 3, TRAWL_MATCH_ALL);
    listener to = {.calls = 0};
    trawl_stream *stream;
    assert_int_equal(trawl_stream_open(db, NULL, listen, &to, &stream, &error), TRAWL_OK);
    assert_int_equal(trawl_stream_write(stream, "nee", 3, &error), TRAWL_OK);
    assert_int_equal(trawl_stream_flush(stream, &error), TRAWL_OK);
    assert_int_equal(to.calls, 0);
    assert_int_equal(trawl_stream_offset(stream), 3);
    assert_int_equal(trawl_stream_write(stream, "dl", 2, &error), TRAWL_OK);
    assert_int_equal(trawl_stream_flush(stream, &error), TRAWL_OK);
    assert_int_equal(to.calls, 1);
    assert_int_equal(trawl_stream_write(stream, "e", 1, &error), TRAWL_OK);
    assert_int_equal(trawl_stream_flush(stream, &error), TRAWL_OK);
    assert_int_equal(trawl_stream_flush(stream, &error), TRAWL_OK); /* nothing new */
    assert_int_equal(to.calls, 2);
    assert_int_equal(to.last.pattern, 0);
    assert_int_equal(to.last.start, 0);
    assert_int_equal(to.last.end, 6);
    assert_int_equal(trawl_stream_close(stream, &error), TRAWL_OK);
    assert_int_equal(to.calls, 2);
    trawl_db_free(db);
}

static void a_stream_adds_to_the_callers_counters(void **state) {
    (void)state;
    trawl_db *db = compile(words, 3, TRAWL_MATCH_ALL);
    uint64_t counts[3] = {100, 200, 300};
    trawl_stream *stream;
    assert_int_equal(trawl_stream_open(db, NULL, NULL, NULL, &stream, &error), TRAWL_OK);
    assert_int_equal(trawl_stream_count_patterns(stream, counts, &error), TRAWL_OK);
    assert_int_equal(trawl_stream_write(stream, "needle eed x", 12, &error), TRAWL_OK);
    assert_int_equal(trawl_stream_flush(stream, &error), TRAWL_OK);
    assert_int_equal(trawl_stream_matches(stream), 4);
    assert_int_equal(trawl_stream_close(stream, &error), TRAWL_OK);
    assert_int_equal(counts[0], 101);
    assert_int_equal(counts[1], 202);
    assert_int_equal(counts[2], 301);
    trawl_db_free(db);
}

/* Two streams on one database, written alternately, are independent. */
static void streams_are_independent(void **state) {
    (void)state;
    trawl_db *db = compile(words, 3, TRAWL_MATCH_ALL);
    listener a = {.calls = 0}, b = {.calls = 0};
    trawl_stream *first, *second;
    assert_int_equal(trawl_stream_open(db, NULL, listen, &a, &first, &error), TRAWL_OK);
    assert_int_equal(trawl_stream_open(db, NULL, listen, &b, &second, &error), TRAWL_OK);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(trawl_stream_write(first, &"needle"[i], 1, &error), TRAWL_OK);
        assert_int_equal(trawl_stream_flush(first, &error), TRAWL_OK);
        assert_int_equal(trawl_stream_write(second, &"eedxxx"[i], 1, &error), TRAWL_OK);
        assert_int_equal(trawl_stream_flush(second, &error), TRAWL_OK);
    }
    assert_int_equal(trawl_stream_close(first, &error), TRAWL_OK);
    assert_int_equal(trawl_stream_close(second, &error), TRAWL_OK);
    assert_int_equal(a.calls, 2);
    assert_int_equal(b.calls, 4);
    trawl_db_free(db);
}

/* Counting streams of every kind know their total once the text has ended, not only afterwards. */
static void finishing_makes_totals_final(void **state) {
    (void)state;
    static const uint64_t expected[] = {3, 2, 2}; /* by match kind: eed lies inside needle */
    for (int kind = TRAWL_MATCH_ALL; kind <= TRAWL_MATCH_LEFTMOST_LONGEST; kind++) {
        trawl_db *db = compile(words, 3, (trawl_match_kind)kind);
        uint64_t counters[3] = {0};
        trawl_stream *stream;
        assert_int_equal(trawl_stream_open(db, NULL, NULL, NULL, &stream, &error), TRAWL_OK);
        assert_int_equal(trawl_stream_count_patterns(stream, counters, &error), TRAWL_OK);
        assert_int_equal(trawl_stream_write(stream, "a needle x", 10, &error), TRAWL_OK);
        assert_int_equal(trawl_stream_finish(stream, &error), TRAWL_OK);
        assert_int_equal(trawl_stream_finish(stream, &error), TRAWL_OK);
        assert_int_equal(trawl_stream_matches(stream), expected[kind]);
        assert_int_equal(counters[0] + counters[1] + counters[2], expected[kind]);
        assert_int_equal(trawl_stream_write(stream, "x", 1, &error), TRAWL_ERROR_ARGUMENT);
        assert_int_equal(trawl_stream_matches(stream), expected[kind]);
        assert_int_equal(trawl_stream_close(stream, &error), TRAWL_OK);
        assert_int_equal(counters[0] + counters[1] + counters[2], expected[kind]);
        trawl_db_free(db);
    }
}

/* A leftmost match may have to wait for text that comes much later, or for the end of the text. */
static void leftmost_waits_for_what_comes(void **state) {
    (void)state;
    static const char *const long_and_short[] = {"b", "abcdefghijklmnop"};
    trawl_db *db = compile(long_and_short, 2, TRAWL_MATCH_LEFTMOST_FIRST);
    const char *const texts[] = {"abcdefghijklmnop", "abcdefghijklmnoX", "abc"};
    for (size_t t = 0; t < 3; t++) {
        listener to = {.calls = 0};
        trawl_stream *stream;
        assert_int_equal(trawl_stream_open(db, NULL, listen, &to, &stream, &error), TRAWL_OK);
        for (size_t i = 0; texts[t][i]; i++) {
            assert_int_equal(trawl_stream_write(stream, &texts[t][i], 1, &error), TRAWL_OK);
            assert_int_equal(trawl_stream_flush(stream, &error), TRAWL_OK);
        }
        assert_int_equal(trawl_stream_close(stream, &error), TRAWL_OK);
        assert_int_equal(to.calls, 1);
        assert_int_equal(to.last.pattern, t == 0);
        assert_int_equal(to.last.start, t != 0);
    }
    trawl_db_free(db);
}

int main(void) {
    cpu_set_apply();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stopped_stream_stays_stopped),
        cmocka_unit_test(stopping_while_closing),
        cmocka_unit_test(an_abandoned_stream_reports_nothing_more),
        cmocka_unit_test(flush_reports_what_has_ended),
        cmocka_unit_test(a_stream_adds_to_the_callers_counters),
        cmocka_unit_test(streams_are_independent),
        cmocka_unit_test(finishing_makes_totals_final),
        cmocka_unit_test(leftmost_waits_for_what_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
