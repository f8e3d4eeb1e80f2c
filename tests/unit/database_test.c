/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Saving and loading: a loaded database equals the saved one, a file appears completely or not at
 * all, and files that are not databases are refused with a reason.
 */
#include "sample.h"
#include "temporary.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[3000];
static trawl_error error;

static int make_folder(void **state) {
    (void)state;
    temporary_template(folder, sizeof(folder));
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder); /* fails when a test or the library left something behind */
}

static const char *path_of(const char *name) {
    static char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void expect_same(const trawl_db *db, const trawl_db *loaded) {
    size_t size, loaded_size;
    const void *bytes = trawl_db_bytes(db, &size);
    const void *loaded_bytes = trawl_db_bytes(loaded, &loaded_size);
    assert_int_equal(size, loaded_size);
    assert_memory_equal(bytes, loaded_bytes, size);
    trawl_db_information a = TRAWL_DB_INFORMATION, b = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &a, NULL);
    (void)trawl_db_info(loaded, &b, NULL);
    assert_string_equal(a.engine, b.engine);
    assert_string_equal(a.variant, b.variant);
    assert_string_equal(a.reason, b.reason);
    assert_int_equal(a.patterns, b.patterns);
    assert_int_equal(a.matches, b.matches);
    assert_true(a.build_seconds == b.build_seconds);
    for (uint32_t id = 0; id < a.patterns; id++) {
        trawl_pattern p = TRAWL_PATTERN, q = TRAWL_PATTERN;
        assert_true(trawl_db_pattern(db, id, &p));
        assert_true(trawl_db_pattern(loaded, id, &q));
        assert_int_equal(p.length, q.length);
        assert_memory_equal(p.bytes, q.bytes, p.length);
        assert_int_equal(p.flags, q.flags);
        assert_int_equal(p.name_length, q.name_length);
        if (p.name_length)
            assert_memory_equal(p.name, q.name, p.name_length);
    }
    trawl_matches x, y;
    assert_int_equal(trawl_collect(db, sample_text, sample_text_length, NULL, &x, &error),
                     TRAWL_OK);
    assert_int_equal(trawl_collect(loaded, sample_text, sample_text_length, NULL, &y, &error),
                     TRAWL_OK);
    assert_true(x.count > 0);
    assert_int_equal(x.count, y.count);
    assert_memory_equal(x.items, y.items, x.count * sizeof(*x.items));
    trawl_matches_free(&x);
    trawl_matches_free(&y);
}

static void comes_back_the_same(void **state) {
    (void)state;
    for (size_t c = 0; c < combination_count(); c++)
        for (int kind = 0; kind < MATCH_KINDS; kind++) {
            trawl_db *db = sample_db(combination_at(c), (trawl_match_kind)kind), *loaded;
            if (!db)
                continue;
            size_t size;
            const void *bytes = trawl_db_bytes(db, &size);
            assert_int_equal(trawl_db_load_memory(bytes, size, &loaded, &error), TRAWL_OK);
            expect_same(db, loaded);
            trawl_db_free(loaded);
            assert_int_equal(trawl_db_save(db, path_of("db"), &error), TRAWL_OK);
            assert_int_equal(trawl_db_load(path_of("db"), &loaded, &error), TRAWL_OK);
            expect_same(db, loaded);
            /* A loaded database can be saved again, over the file that it is mapped from. */
            assert_int_equal(trawl_db_save(loaded, path_of("db"), &error), TRAWL_OK);
            expect_same(db, loaded);
            trawl_db_free(loaded);
            assert_int_equal(unlink(path_of("db")), 0);
            trawl_db_free(db);
        }
}

/* Two compilations of a set give the same bytes, but for the measured time and the checksum: no
 * padding is uninitialised, and no order depends on addresses. */
static void compilations_repeat(void **state) {
    (void)state;
    for (size_t c = 0; c < combination_count(); c++) {
        trawl_db *a = sample_db(combination_at(c), TRAWL_MATCH_ALL);
        trawl_db *b = sample_db(combination_at(c), TRAWL_MATCH_ALL);
        if (!a)
            continue;
        size_t size, other;
        const uint8_t *x = trawl_db_bytes(a, &size), *y = trawl_db_bytes(b, &other);
        assert_int_equal(size, other);
        size_t differences = 0;
        for (size_t i = 0; i < size; i++)
            differences += x[i] != y[i];
        assert_true(differences <= 16);
        trawl_db_free(a);
        trawl_db_free(b);
    }
}

static void saving_replaces_a_file(void **state) {
    (void)state;
    trawl_db *db = sample_db((combination){.engine = "auto"}, TRAWL_MATCH_ALL), *loaded;
    FILE *file = fopen(path_of("db"), "w");
    fputs("something else that was here before", file);
    fclose(file);
    assert_int_equal(trawl_db_load(path_of("db"), &loaded, &error), TRAWL_ERROR_FORMAT);
    assert_null(loaded);
    assert_int_equal(trawl_db_save(db, path_of("db"), &error), TRAWL_OK);
    assert_int_equal(trawl_db_load(path_of("db"), &loaded, &error), TRAWL_OK);
    trawl_db_free(loaded);
    unlink(path_of("db"));
    trawl_db_free(db);
}

static void failing_to_save_changes_nothing(void **state) {
    (void)state;
    trawl_db *db = sample_db((combination){.engine = "auto"}, TRAWL_MATCH_ALL);
    assert_int_equal(trawl_db_save(db, path_of("no/such/folder/db"), &error), TRAWL_ERROR_IO);
    assert_true(strlen(error.message) > 0);
    /* The name is a folder's, so saving fails; the temporary file must be removed (remove_folder
     * checks). */
    assert_int_equal(mkdir(path_of("taken"), 0700), 0);
    assert_int_equal(trawl_db_save(db, path_of("taken"), &error), TRAWL_ERROR_IO);
    assert_int_equal(rmdir(path_of("taken")), 0);
    assert_int_equal(trawl_db_save(db, "", &error), TRAWL_ERROR_IO);
    trawl_db_free(db);
}

static void other_files_are_refused(void **state) {
    (void)state;
    trawl_db *loaded = (trawl_db *)folder;
    assert_int_equal(trawl_db_load(path_of("missing"), &loaded, &error), TRAWL_ERROR_IO);
    assert_null(loaded);
    assert_non_null(strstr(error.message, "missing")); /* names the file */
    assert_int_not_equal(trawl_db_load(folder, &loaded, &error), TRAWL_OK);
    assert_null(loaded);
    assert_int_not_equal(trawl_db_load("/dev/null", &loaded, &error), TRAWL_OK);
    FILE *file = fopen(path_of("empty"), "w");
    fclose(file);
    assert_int_equal(trawl_db_load(path_of("empty"), &loaded, &error), TRAWL_ERROR_FORMAT);
    unlink(path_of("empty"));
    assert_int_equal(trawl_db_load_memory("", 0, &loaded, &error), TRAWL_ERROR_FORMAT);
    assert_int_equal(trawl_db_load_memory("TRAWLDB\n", 8, &loaded, &error), TRAWL_ERROR_FORMAT);
    assert_true(strlen(error.message) > 0);
}

/* The message names an unknown version of the format. */
static void another_version_is_named(void **state) {
    (void)state;
    trawl_db *db = sample_db((combination){.engine = "auto"}, TRAWL_MATCH_ALL), *loaded;
    size_t size;
    const void *bytes = trawl_db_bytes(db, &size);
    uint8_t *copy = malloc(size);
    memcpy(copy, bytes, size);
    copy[8] = 99;
    assert_int_equal(trawl_db_load_memory(copy, size, &loaded, &error), TRAWL_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "99"));
    free(copy);
    trawl_db_free(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back_the_same),
        cmocka_unit_test(compilations_repeat),
        cmocka_unit_test(saving_replaces_a_file),
        cmocka_unit_test(failing_to_save_changes_nothing),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(another_version_is_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
