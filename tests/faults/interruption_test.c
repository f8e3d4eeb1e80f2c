/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Signals whose handlers make system calls end early (EINTR) are sent to every thread of the
 * process all the time. Reading a pipe, saving and loading databases, and scans by several threads
 * give the same results as without signals.
 */
#include "io/read_ahead.h"
#include "temporary.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { TEXT = 3000000, PIECE = 3000, PIECES = 100 };

static trawl_error error;
static uint8_t text[TEXT];
static trawl_db *db;
static uint64_t expected;

/* ------------------------------------------------------------------ signals */

static atomic_bool ends;
static atomic_long received;

static void receive(int number) {
    (void)number;
    atomic_fetch_add(&received, 1);
}

static void pause_for(long microseconds) {
    const struct timespec time = {.tv_nsec = microseconds * 1000};
    (void)nanosleep(&time, NULL);
}

static void signal_all_but(pid_t self) {
    DIR *threads = opendir("/proc/self/task");
    assert_non_null(threads);
    const struct dirent *entry;
    while ((entry = readdir(threads)) != NULL) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        if (thread > 0 && thread != self)
            (void)syscall(SYS_tgkill, getpid(), thread, SIGUSR1); /* it may have ended */
    }
    closedir(threads);
}

static void *send_signals(void *unused) {
    (void)unused;
    while (!atomic_load(&ends)) {
        signal_all_but((pid_t)syscall(SYS_gettid));
        pause_for(200);
    }
    return NULL;
}

static pthread_t sender;

static int begin_signals(void **state) {
    (void)state;
    struct sigaction action = {.sa_handler = receive}; /* without SA_RESTART */
    atomic_store(&ends, false);
    return sigaction(SIGUSR1, &action, NULL) == 0 &&
                   pthread_create(&sender, NULL, send_signals, NULL) == 0
               ? 0
               : -1;
}

static int end_signals(void **state) {
    (void)state;
    atomic_store(&ends, true);
    return pthread_join(sender, NULL) == 0 && atomic_load(&received) > 0 ? 0 : -1;
}

/* ------------------------------------------------------------------ what they interrupt */

static uint64_t count(const trawl_db *with, uint32_t threads) {
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.threads = threads;
    uint64_t total = 0;
    assert_int_equal(trawl_count(with, text, TEXT, &options, &total, NULL, &error), TRAWL_OK);
    return total;
}

static void scans_by_threads(void **state) {
    (void)state;
    for (int round = 0; round < 5; round++) {
        trawl_scan_options options = TRAWL_SCAN_OPTIONS;
        trawl_matches matches;
        options.threads = 4;
        assert_int_equal(count(db, 4), expected);
        assert_int_equal(trawl_collect(db, text, TEXT, &options, &matches, &error), TRAWL_OK);
        assert_int_equal(matches.count, expected);
        trawl_matches_free(&matches);
    }
}

static void saving_and_loading(void **state) {
    (void)state;
    char path[4096];
    temporary_template(path, sizeof path);
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    for (int round = 0; round < 20; round++) {
        trawl_db *loaded = NULL;
        assert_int_equal(trawl_db_save(db, path, &error), TRAWL_OK);
        assert_int_equal(trawl_db_load(path, &loaded, &error), TRAWL_OK);
        if (round == 0)
            assert_int_equal(count(loaded, 1), expected);
        trawl_db_free(loaded);
    }
    unlink(path);
}

/* Writes pieces of the text into a pipe, slowly enough for its reader to wait. */
static void *write_slowly(void *context) {
    int pipe_end = *(const int *)context;
    for (size_t at = 0; at < (size_t)PIECE * PIECES;) {
        ssize_t put = write(pipe_end, text + at, PIECE - at % PIECE);
        at += put > 0 ? (size_t)put : 0;
        pause_for(300);
    }
    close(pipe_end);
    return NULL;
}

static void reading_of_a_pipe(void **state) {
    (void)state;
    int ends_of_pipe[2];
    pthread_t writer;
    assert_int_equal(pipe(ends_of_pipe), 0);
    assert_int_equal(pthread_create(&writer, NULL, write_slowly, &ends_of_pipe[1]), 0);
    text_file *file = NULL;
    read_ahead *reader = NULL;
    assert_int_equal(
        text_file_open_descriptor(ends_of_pipe[0], "pipe", TEXT_DECOMPRESS, &file, &error),
        TRAWL_OK);
    assert_int_equal(read_ahead_open(file, &reader, &error), TRAWL_OK);
    size_t at = 0, length = 0;
    do {
        const uint8_t *bytes = NULL;
        assert_int_equal(read_ahead_next(reader, &bytes, &length, &error), TRAWL_OK);
        assert_true(at + length <= TEXT);
        if (length != 0)
            assert_memory_equal(bytes, text + at, length);
        at += length;
    } while (length != 0);
    assert_int_equal(at, PIECE * PIECES);
    read_ahead_close(reader);
    pthread_join(writer, NULL);
}

static int make_input(void **state) {
    (void)state;
    static const char *const words[] = {"fox", "dog", "quick brown", "zz"};
    static const char line[] = "the quick brown fox and the dog;";
    trawl_patterns *patterns = NULL;
    for (size_t i = 0; i < TEXT; i++)
        text[i] = (uint8_t)line[i % (sizeof line - 1)];
    trawl_status status = trawl_patterns_new(&patterns, &error);
    for (size_t i = 0; status == TRAWL_OK && i < sizeof words / sizeof words[0]; i++)
        status = trawl_patterns_add(patterns, words[i], strlen(words[i]), 0, &error);
    if (status == TRAWL_OK)
        status = trawl_compile(patterns, NULL, &db, &error);
    trawl_patterns_free(patterns);
    if (status == TRAWL_OK)
        expected = count(db, 1);
    return status == TRAWL_OK ? 0 : -1;
}

static int free_input(void **state) {
    (void)state;
    trawl_db_free(db);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scans_by_threads, begin_signals, end_signals),
        cmocka_unit_test_setup_teardown(saving_and_loading, begin_signals, end_signals),
        cmocka_unit_test_setup_teardown(reading_of_a_pipe, begin_signals, end_signals)};
    return cmocka_run_group_tests(tests, make_input, free_input);
}
