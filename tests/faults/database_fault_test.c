/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A disk that fails while a database is saved: every system call of trawl_db_save fails once, in
 * several ways. The caller gets a sentence, an earlier file of the name is untouched, no temporary
 * file and no descriptor is left. The linker hands the calls to this file (-Wl,--wrap).
 */
#include "sample.h"
#include "temporary.h"

#include "base/replacement.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

ssize_t __real_write(int file, const void *bytes, size_t size);
int __real_fsync(int file);
int __real_close(int file);
int __real_rename(const char *from, const char *to);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
int __wrap_fsync(int file);
int __wrap_close(int file);
int __wrap_rename(const char *from, const char *to);
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

typedef enum call { WRITE, FSYNC, CLOSE, RENAME, CALLS } call;

static struct {
    call which;
    int reason;     /* 0: nothing fails */
    unsigned after; /* calls that succeed first */
    bool happened;
    bool in_small_steps; /* write takes 100 bytes at most, and is interrupted every other time */
    unsigned writes;
} fault;

static bool strikes(call which) {
    if (!fault.reason || fault.which != which || fault.after--)
        return false;
    fault.happened = true;
    errno = fault.reason;
    fault.reason = 0;
    return true;
}

ssize_t __wrap_write(int file, const void *bytes, size_t size) {
    if (strikes(WRITE))
        return -1;
    if (fault.in_small_steps && ++fault.writes % 2) {
        errno = EINTR;
        return -1;
    }
    return __real_write(file, bytes, fault.in_small_steps && size > 100 ? 100 : size);
}

int __wrap_fsync(int file) {
    return strikes(FSYNC) ? -1 : __real_fsync(file);
}

/* Linux closes the descriptor even if close fails. */
int __wrap_close(int file) {
    bool failed = strikes(CLOSE);
    int reason = errno, result = __real_close(file);
    errno = failed ? reason : errno;
    return failed ? -1 : result;
}

int __wrap_rename(const char *from, const char *to) {
    return strikes(RENAME) ? -1 : __real_rename(from, to);
}

static bool time_stands_still;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now) {
    if (time_stands_still) {
        *now = (struct timespec){.tv_sec = 1};
        return 0;
    }
    return __real_clock_gettime(clock, now);
}

static char folder[3000], path[4096];
static trawl_db *db;
static trawl_error error;

static int setup(void **state) {
    (void)state;
    temporary_template(folder, sizeof(folder));
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/db", folder);
    db = sample_db((combination){.engine = "auto"}, TRAWL_MATCH_ALL);
    return db ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    trawl_db_free(db);
    return rmdir(folder);
}

static size_t entries_of(const char *name) {
    size_t count = 0;
    DIR *directory = opendir(name);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2;
}

static const char old[] = "what was there before";

static void write_old_file(void) {
    FILE *file = fopen(path, "w");
    fwrite(old, 1, sizeof(old), file);
    fclose(file);
}

static void expect_old_file(void) {
    char bytes[2 * sizeof(old)];
    FILE *file = fopen(path, "r");
    assert_int_equal(fread(bytes, 1, sizeof(bytes), file), sizeof(old));
    fclose(file);
    assert_memory_equal(bytes, old, sizeof(old));
    assert_int_equal(entries_of(folder), 1);
}

static void every_call_fails(void **state) {
    (void)state;
    static const int reasons[] = {ENOSPC, EIO, EDQUOT};
    size_t struck = 0;
    write_old_file();
    size_t descriptors = entries_of("/proc/self/fd");
    for (int which = 0; which < CALLS; which++)
        for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
            memset(&fault, 0, sizeof(fault));
            fault.which = (call)which;
            fault.reason = reasons[i];
            trawl_status status = trawl_db_save(db, path, &error);
            assert_true(fault.happened);
            assert_int_equal(status, TRAWL_ERROR_IO);
            assert_non_null(strstr(error.message, path));
            assert_non_null(strstr(error.message, strerror(reasons[i])));
            expect_old_file();
            struck++;
        }
    assert_int_equal(struck, CALLS * sizeof(reasons) / sizeof(reasons[0]));
    assert_int_equal(entries_of("/proc/self/fd"), descriptors);
    unlink(path);
}

/* The disk becomes full in the middle of the file. */
static void a_later_write_fails(void **state) {
    (void)state;
    write_old_file();
    memset(&fault, 0, sizeof(fault));
    fault = (typeof(fault)){.which = WRITE, .reason = ENOSPC, .after = 7, .in_small_steps = true};
    assert_int_equal(trawl_db_save(db, path, &error), TRAWL_ERROR_IO);
    assert_true(fault.happened);
    expect_old_file();
    unlink(path);
}

static void short_and_interrupted_writes_are_continued(void **state) {
    (void)state;
    trawl_db *loaded;
    memset(&fault, 0, sizeof(fault));
    fault.in_small_steps = true;
    assert_int_equal(trawl_db_save(db, path, &error), TRAWL_OK);
    memset(&fault, 0, sizeof(fault));
    assert_int_equal(trawl_db_load(path, &loaded, &error), TRAWL_OK);
    size_t a, b;
    const void *bytes = trawl_db_bytes(db, &a), *again = trawl_db_bytes(loaded, &b);
    assert_int_equal(a, b);
    assert_memory_equal(bytes, again, a);
    trawl_db_free(loaded);
    unlink(path);
}

/* The directory cannot be written to. Skipped for the superuser, who can write to it. */
static void a_folder_without_permission(void **state) {
    (void)state;
    if (geteuid() == 0) {
        printf("skipped: the superuser may write anywhere\n");
        skip();
    }
    chmod(folder, 0500);
    trawl_status status = trawl_db_save(db, path, &error);
    chmod(folder, 0700);
    assert_int_equal(status, TRAWL_ERROR_IO);
}

/* The name of the temporary file does not follow from the time and the number of the process. */
static void temporary_names_cannot_be_predicted(void **state) {
    (void)state;
    char names[3][sizeof path];
    time_stands_still = true;
    for (size_t i = 0; i < 3; i++) {
        trawl_replacement replacement;
        assert_int_equal(trawl_replacement_begin(&replacement, path, TRAWL_PERMISSIONS_NEW), 0);
        snprintf(names[i], sizeof names[i], "%s", replacement.temporary);
        trawl_replacement_release(&replacement);
    }
    time_stands_still = false;
    assert_string_not_equal(names[0], names[1]);
    assert_string_not_equal(names[1], names[2]);
    assert_string_not_equal(names[0], names[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(temporary_names_cannot_be_predicted),
        cmocka_unit_test(every_call_fails),
        cmocka_unit_test(a_later_write_fails),
        cmocka_unit_test(short_and_interrupted_writes_are_continued),
        cmocka_unit_test(a_folder_without_permission),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
