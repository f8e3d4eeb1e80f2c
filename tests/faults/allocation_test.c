/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Each allocation of a compilation, and of each way to scan, fails once: the call returns
 * TRAWL_ERROR_MEMORY and leaks nothing. The linker replaces the allocation functions in the library
 * and in this program alone (-Wl,--wrap).
 */
#include "failing_memory.h"
#include "sample.h"
#include "temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ------------------------------------------------------------------ what is done without memory */

static trawl_error error;
static const char *doing;
static char saved_path[4096];

static int ignore(const trawl_match *match, void *context) {
    (void)match;
    (void)context;
    return 0;
}

static int ignore_batch(const trawl_match *matches, size_t count, void *context) {
    (void)matches;
    (void)count;
    (void)context;
    return 0;
}

static trawl_status scan_all_ways(const trawl_db *db, const trawl_scan_options *options) {
    uint64_t total, each[16];
    trawl_matches matches = {.items = NULL};
    doing = "trawl_scan";
    trawl_status status =
        trawl_scan(db, sample_text, sample_text_length, options, ignore, NULL, &error);
    if (status != TRAWL_OK)
        return status;
    doing = "trawl_count";
    status = trawl_count(db, sample_text, sample_text_length, options, &total, each, &error);
    if (status != TRAWL_OK)
        return status;
    doing = "trawl_collect";
    status = trawl_collect(db, sample_text, sample_text_length, options, &matches, &error);
    if (status != TRAWL_OK) {
        assert_null(matches.items); /* nothing that the caller would have to free */
        return status;
    }
    doing = "trawl_collect_into";
    status = trawl_collect_into(db, sample_text, sample_text_length, options, &matches, &error);
    trawl_matches_free(&matches);
    if (status != TRAWL_OK)
        return status;
    doing = "trawl_scan_batches";
    status = trawl_scan_batches(db, sample_text, sample_text_length, options, ignore_batch, NULL,
                                &error);
    if (status != TRAWL_OK)
        return status;
    trawl_stream *stream = NULL;
    doing = "trawl_stream_open";
    status = trawl_stream_open(db, options, ignore, NULL, &stream, &error);
    if (status != TRAWL_OK) {
        assert_null(stream);
        return status;
    }
    doing = "trawl_stream_write";
    for (size_t at = 0; at < sample_text_length && status == TRAWL_OK; at += 16) {
        size_t left = sample_text_length - at;
        status = trawl_stream_write(stream, sample_text + at, left < 16 ? left : 16, &error);
        if (status == TRAWL_OK)
            status = trawl_stream_flush(stream, &error);
    }
    if (status != TRAWL_OK) {
        trawl_error repeated;
        assert_int_equal(trawl_stream_write(stream, "x", 1, &repeated), status);
        trawl_stream_abandon(stream);
        return status;
    }
    doing = "trawl_stream_close";
    return trawl_stream_close(stream, &error);
}

static trawl_status save_and_load(const trawl_db *db) {
    size_t size;
    const void *bytes = trawl_db_bytes(db, &size);
    trawl_db *loaded = NULL;
    doing = "trawl_db_load_memory";
    trawl_status status = trawl_db_load_memory(bytes, size, &loaded, &error);
    if (status != TRAWL_OK) {
        assert_null(loaded);
        return status;
    }
    trawl_db_free(loaded);
    doing = "trawl_db_save";
    status = trawl_db_save(db, saved_path, &error);
    if (status != TRAWL_OK)
        return status;
    doing = "trawl_db_load";
    status = trawl_db_load(saved_path, &loaded, &error);
    if (status != TRAWL_OK) {
        assert_null(loaded);
        return status;
    }
    trawl_db_free(loaded);
    return TRAWL_OK;
}

static trawl_status do_everything(combination which, trawl_match_kind kind) {
    doing = "adding patterns";
    trawl_patterns *patterns = sample_patterns(&error);
    if (!patterns)
        return error.status;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = which.engine;
    options.variant = which.variant;
    options.matches = kind;
    trawl_statistics statistics = TRAWL_STATISTICS;
    uint64_t size;
    trawl_db *db = NULL;
    doing = "trawl_patterns_statistics";
    trawl_status status = trawl_patterns_statistics(patterns, &statistics, &error);
    if (status == TRAWL_OK) {
        doing = "trawl_compile_size";
        status = trawl_compile_size(patterns, &options, &size, &error);
    }
    if (status == TRAWL_OK) {
        doing = "trawl_compile";
        status = trawl_compile(patterns, &options, &db, &error);
    }
    trawl_patterns_free(patterns);
    if (status != TRAWL_OK) {
        assert_null(db);
        return status;
    }
    trawl_scan_options serial = TRAWL_SCAN_OPTIONS;
    trawl_scan_options threaded = TRAWL_SCAN_OPTIONS;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    threaded.threads = 2;
    threaded.study = &study;
    study.chunk_bytes = 7;
    study.copy_tables = true;
    threaded.placement = TRAWL_PLACEMENT_CLOSE;
    status = scan_all_ways(db, &serial);
    if (status == TRAWL_OK)
        status = scan_all_ways(db, &threaded);
    if (status == TRAWL_OK)
        status = save_and_load(db);
    trawl_db_free(db);
    return status;
}

static void every_allocation_fails_once(void **state) {
    (void)state;
    int file;
    temporary_template(saved_path, sizeof(saved_path));
    file = mkstemp(saved_path);
    assert_true(file >= 0);
    close(file);
    size_t failures = 0, tolerated = 0;
    for (size_t c = 0; c < combination_count(); c++) {
        combination which = combination_at(c);
        trawl_match_kind kind = (trawl_match_kind)(c % MATCH_KINDS);
        atomic_store(&countdown, -1);
        trawl_status status = do_everything(which, kind);
        if (status == TRAWL_ERROR_LIMIT)
            continue;
        if (status != TRAWL_OK)
            fail_msg("%s: %s", which.engine, error.message);
        for (long index = 0;; index++) {
            long before = atomic_load(&live);
            memset(&error, 0, sizeof(error));
            atomic_store(&failed, false);
            atomic_store(&countdown, index);
            status = do_everything(which, kind);
            atomic_store(&countdown, -1);
            const char *variant = which.variant ? which.variant : "-";
            if (atomic_load(&live) != before)
                fail_msg("%s/%s: %ld allocations leaked when allocation %ld failed (%s)",
                         which.engine, variant, atomic_load(&live) - before, index, doing);
            if (!atomic_load(&failed)) {
                assert_int_equal(status, TRAWL_OK);
                break;
            }
            failures++;
            tolerated += status == TRAWL_OK;
            if (status != TRAWL_OK && status != TRAWL_ERROR_MEMORY)
                fail_msg("%s/%s: %s when allocation %ld failed (%s)", which.engine, variant,
                         trawl_status_text(status), index, doing);
            if (status != TRAWL_OK && !strlen(error.message))
                fail_msg("%s/%s: no sentence when allocation %ld failed (%s)", which.engine,
                         variant, index, doing);
        }
    }
    unlink(saved_path);
    printf("%zu allocations failed, %zu of them without effect\n", failures, tolerated);
    assert_true(failures > combination_count());
}

/* A set stays usable after an addition that found no memory. */
static void additions_are_all_or_nothing(void **state) {
    (void)state;
    for (long index = 0; index < 60; index++) {
        trawl_patterns *patterns;
        atomic_store(&countdown, -1);
        assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
        atomic_store(&countdown, index);
        size_t added = 0;
        for (uint32_t i = 0; i < 500; i++) {
            size_t before = trawl_patterns_count(patterns);
            assert_int_equal(before, added);
            uint8_t bytes[300];
            memset(bytes, (int)(i & 255), sizeof(bytes));
            trawl_status status = trawl_patterns_add(patterns, bytes, 1 + i % 300, 0, &error);
            assert_true(status == TRAWL_OK || status == TRAWL_ERROR_MEMORY);
            added += status == TRAWL_OK;
            if (status == TRAWL_OK && i % 3 == 0)
                status = trawl_patterns_name_last(patterns, "name", 4, &error);
            assert_true(status == TRAWL_OK || status == TRAWL_ERROR_MEMORY);
        }
        atomic_store(&countdown, -1);
        assert_true(added >= 498);
        assert_int_equal(trawl_patterns_count(patterns), added);
        for (uint32_t id = 0; id < added; id++) {
            trawl_pattern pattern = TRAWL_PATTERN;
            assert_true(trawl_patterns_get(patterns, id, &pattern));
            for (size_t i = 1; i < pattern.length; i++)
                assert_int_equal(pattern.bytes[i], pattern.bytes[0]);
        }
        trawl_patterns_free(patterns);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(additions_are_all_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
