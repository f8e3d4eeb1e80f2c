/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "io/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"

/* ------------------------------------------------------------------ leaving nothing behind */

/* The names of the temporary files that exist now: a signal handler removes these files if the
 * process ends. The handler must not wait for a lock, so there is a fixed number of slots, and each
 * is written by a single store. */
static char *volatile temporary_paths[OUTPUT_FILES_AT_ONCE];
static pthread_mutex_t temporary_lock = PTHREAD_MUTEX_INITIALIZER;
static bool handlers_installed;

static void remove_temporaries(void) {
    for (size_t i = 0; i < OUTPUT_FILES_AT_ONCE; i++) {
        const char *path = temporary_paths[i];
        if (path != NULL)
            (void)unlink(path);
    }
}

static void on_signal(int number) {
    remove_temporaries();
    /* SA_RESETHAND has restored the default action, which ends the process with this signal. */
    (void)raise(number);
}

/* Whether a signal ends the process unless it is handled, and can be handled. */
static bool ends_process(int number) {
    switch (number) {
    case SIGKILL: /* cannot be handled */
    case SIGSTOP:
    case SIGTSTP: /* stop the process, or let it go on */
    case SIGTTIN:
    case SIGTTOU:
    case SIGCONT:
    case SIGCHLD: /* are ignored */
    case SIGURG:
    case SIGWINCH:
        return false;
    default:
        return true;
    }
}

static void install_handlers(void) {
    if (handlers_installed)
        return;
    handlers_installed = true;
    (void)atexit(remove_temporaries);
    (void)at_quick_exit(remove_temporaries);
    for (int number = 1; number <= SIGRTMAX; number++) {
        struct sigaction now;
        /* nohup and the like ignore a signal on purpose: keep that. The C library refuses the
         * numbers that it uses itself. */
        if (!ends_process(number) || sigaction(number, NULL, &now) != 0 ||
            now.sa_handler != SIG_DFL)
            continue;
        struct sigaction action = {.sa_flags = (int)SA_RESETHAND};
        action.sa_handler = on_signal;
        (void)sigemptyset(&action.sa_mask);
        (void)sigaction(number, &action, NULL);
    }
}

static void remember_temporary(char *path) {
    (void)pthread_mutex_lock(&temporary_lock);
    install_handlers();
    for (size_t i = 0; i < OUTPUT_FILES_AT_ONCE; i++) {
        if (temporary_paths[i] == NULL) {
            temporary_paths[i] = path;
            break;
        }
    }
    (void)pthread_mutex_unlock(&temporary_lock);
}

static void forget_temporary(const char *path) {
    (void)pthread_mutex_lock(&temporary_lock);
    for (size_t i = 0; i < OUTPUT_FILES_AT_ONCE; i++) {
        if (temporary_paths[i] == path)
            temporary_paths[i] = NULL;
    }
    (void)pthread_mutex_unlock(&temporary_lock);
}

/* ------------------------------------------------------------------ opening */

static trawl_status fail_at(const char *path, int number, trawl_error *error) {
    const char *name = path == NULL ? "(standard output)" : path;
    if (number == ENOMEM)
        return trawl_fail(error, TRAWL_ERROR_MEMORY, "%s: out of memory", name);
    return trawl_fail(error, TRAWL_ERROR_IO, "%s: %s", name, strerror(number));
}

/* Opens a device or a pipe, which a file must not replace. */
static trawl_status open_special(output_file *file, trawl_error *error) {
    file->descriptor = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return file->descriptor < 0 ? fail_at(file->path, errno, error) : TRAWL_OK;
}

/* Makes the temporary file. Signals are blocked until its name is in a slot for the handler. */
static int begin_replacement(output_file *file, const char *path) {
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int reason = trawl_replacement_begin(&file->replacement, path, TRAWL_PERMISSIONS_KEPT);
    if (reason == 0) {
        file->replaces = true;
        file->descriptor = file->replacement.descriptor;
        remember_temporary(file->replacement.temporary);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return reason;
}

static trawl_status open_named(output_file *file, const char *path, trawl_error *error) {
    file->path = strdup(path);
    if (file->path == NULL)
        return fail_at(path, ENOMEM, error);
    if (path[0] == '\0') /* a temporary file could be made, but would have no name to get */
        return fail_at(path, ENOENT, error);
    trawl_target target = trawl_target_of(path);
    if (target == TRAWL_TARGET_DIRECTORY)
        return fail_at(path, EISDIR, error);
    if (target == TRAWL_TARGET_SPECIAL)
        return open_special(file, error);
    if (target == TRAWL_TARGET_DANGLING)
        return trawl_fail(error, TRAWL_ERROR_IO,
                          "%s: cannot be written: a symbolic link that leads to no file", path);
    int reason = begin_replacement(file, path);
    return reason == 0 ? TRAWL_OK : fail_at(path, reason, error);
}

/* An output without a descriptor; NULL if memory is out. */
static output_file *make_output(trawl_error *error) {
    output_file *made = calloc(1, sizeof *made);
    char *buffer = malloc(OUTPUT_FILE_BUFFER);
    if (made == NULL || buffer == NULL) {
        free(made);
        free(buffer);
        (void)trawl_fail(error, TRAWL_ERROR_MEMORY, "out of memory");
        return NULL;
    }
    made->buffer = buffer;
    made->capacity = OUTPUT_FILE_BUFFER;
    made->descriptor = -1;
    made->replacement.descriptor = -1;
    return made;
}

trawl_status output_file_open_table(const char *path, output_file **file, trawl_error *error) {
    const mode_t before = umask(S_IWGRP | S_IWOTH);
    (void)umask(before | S_IWGRP | S_IWOTH);
    trawl_status status = output_file_open(path, file, error);
    (void)umask(before);
    return status;
}

trawl_status output_file_open_for(output_take take, void *context, output_file **file,
                                  trawl_error *error) {
    output_file *made = make_output(error);
    if (made == NULL)
        return TRAWL_ERROR_MEMORY;
    made->take = take;
    made->take_context = context;
    *file = made;
    return TRAWL_OK;
}

trawl_status output_file_open(const char *path, output_file **file, trawl_error *error) {
    output_file *made = make_output(error);
    if (made == NULL)
        return TRAWL_ERROR_MEMORY;
    made->descriptor = STDOUT_FILENO;
    trawl_status status = TRAWL_OK;
    if (path != NULL && strcmp(path, "-") != 0) {
        made->descriptor = -1;
        status = open_named(made, path, error);
    }
    if (status == TRAWL_OK)
        *file = made;
    else
        output_file_abandon(made);
    return status;
}

/* ------------------------------------------------------------------ writing */

static void write_out(output_file *file, const char *bytes, size_t length) {
    if (file->failure != 0)
        return;
    if (file->take == NULL)
        file->failure = trawl_write_all(file->descriptor, bytes, length, &file->written);
    else if (!file->take(file->take_context, bytes, length))
        file->failure = EIO;
}

void output_file_drain(output_file *file) {
    write_out(file, file->buffer, file->used);
    file->used = 0;
}

int output_write_all(int descriptor, const void *bytes, size_t length, uint64_t *written) {
    return trawl_write_all(descriptor, bytes, length, written);
}

void output_file_write_large(output_file *file, const void *bytes, size_t length) {
    output_file_drain(file);
    if (length >= file->capacity / 2) {
        write_out(file, bytes, length);
        return;
    }
    memcpy(file->buffer, bytes, length);
    file->used = length;
}

const char output_digit_pairs[201] = "00010203040506070809101112131415161718192021222324"
                                     "25262728293031323334353637383940414243444546474849"
                                     "50515253545556575859606162636465666768697071727374"
                                     "75767778798081828384858687888990919293949596979899";

int output_file_take(const void *bytes, size_t length, void *file) {
    output_file_write(file, bytes, length);
    return output_file_failed(file);
}

size_t output_decimal(uint64_t value, char *digits) {
    char reversed[20];
    size_t begin = sizeof reversed;
    while (value >= 100) {
        begin -= 2;
        memcpy(reversed + begin, output_digit_pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        begin -= 2;
        memcpy(reversed + begin, output_digit_pairs + 2 * value, 2);
    } else {
        reversed[--begin] = (char)('0' + value);
    }
    size_t count = sizeof reversed - begin;
    memcpy(digits, reversed + begin, count);
    return count;
}

void output_file_decimal(output_file *file, uint64_t value) {
    file->used += output_decimal(value, output_file_reserve(file, 20));
}

/* ------------------------------------------------------------------ finishing */

trawl_status output_file_close(output_file *file, trawl_error *error) {
    output_file_drain(file);
    if (file->replaces && file->failure == 0) {
        file->failure = trawl_replacement_commit(&file->replacement);
    } else if (!file->replaces && file->take == NULL && close(file->descriptor) != 0 &&
               file->failure == 0 && errno != EINTR) {
        /* Network file systems report a full disk only here, also for standard output. */
        file->failure = errno;
    }
    file->descriptor = -1;
    trawl_status status = file->failure == 0 ? TRAWL_OK : fail_at(file->path, file->failure, error);
    output_file_abandon(file);
    return status;
}

void output_file_abandon(output_file *file) {
    if (file == NULL)
        return;
    if (file->replaces) {
        /* In this order, so that a signal handler at any time finds a valid name in the slot. */
        trawl_replacement_discard(&file->replacement);
        forget_temporary(file->replacement.temporary);
    } else if (file->descriptor >= 0 && file->descriptor != STDOUT_FILENO) {
        (void)close(file->descriptor);
    }
    trawl_replacement_release(&file->replacement);
    free(file->path);
    free(file->buffer);
    free(file);
}
