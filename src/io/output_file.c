/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "io/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"

/* ------------------------------------------------------------------ leaving nothing behind */

/* Temporary files that exist now: what is removed when the process ends before their time. A signal
 * handler reads the slots, so they are fixed, and a slot is filled and emptied by one store. */
enum { TEMPORARY_SLOTS = 16 };
static char *volatile temporary_paths[TEMPORARY_SLOTS];
static pthread_mutex_t temporary_lock = PTHREAD_MUTEX_INITIALIZER;
static bool handlers_installed;

static void remove_temporaries(void) {
    for (size_t i = 0; i < TEMPORARY_SLOTS; i++) {
        const char *path = temporary_paths[i];
        if (path != NULL)
            (void)unlink(path);
    }
}

static void on_signal(int number) {
    remove_temporaries();
    /* The default action was restored by SA_RESETHAND: end as the sender meant it. */
    (void)raise(number);
}

static void install_handlers(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
    if (handlers_installed)
        return;
    handlers_installed = true;
    (void)atexit(remove_temporaries);
    (void)at_quick_exit(remove_temporaries);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction now;
        /* nohup and the like ignore a signal on purpose: keep that. */
        if (sigaction(numbers[i], NULL, &now) != 0 || now.sa_handler != SIG_DFL)
            continue;
        struct sigaction action = {.sa_flags = (int)SA_RESETHAND};
        action.sa_handler = on_signal;
        (void)sigemptyset(&action.sa_mask);
        (void)sigaction(numbers[i], &action, NULL);
    }
}

static void remember_temporary(char *path) {
    (void)pthread_mutex_lock(&temporary_lock);
    install_handlers();
    for (size_t i = 0; i < TEMPORARY_SLOTS; i++) {
        if (temporary_paths[i] == NULL) {
            temporary_paths[i] = path;
            break;
        }
    }
    (void)pthread_mutex_unlock(&temporary_lock);
}

static void forget_temporary(const char *path) {
    (void)pthread_mutex_lock(&temporary_lock);
    for (size_t i = 0; i < TEMPORARY_SLOTS; i++) {
        if (temporary_paths[i] == path)
            temporary_paths[i] = NULL;
    }
    (void)pthread_mutex_unlock(&temporary_lock);
}

/* ------------------------------------------------------------------ opening */

static trawl_status fail_at(const char *path, int number, trawl_error *error) {
    return trawl_fail(error, TRAWL_ERROR_IO, "%s: %s", path == NULL ? "(standard output)" : path,
                      strerror(number));
}

/* Creates the temporary file beside file->path with the rights that the new file shall have. */
static trawl_status create_temporary(output_file *file, mode_t mode, trawl_error *error) {
    size_t length = strlen(file->path);
    file->temporary_path = malloc(length + sizeof ".XXXXXX");
    if (file->temporary_path == NULL)
        return trawl_fail(error, TRAWL_ERROR_MEMORY, "%s: out of memory", file->path);
    memcpy(file->temporary_path, file->path, length);
    memcpy(file->temporary_path + length, ".XXXXXX", sizeof ".XXXXXX");
    file->descriptor = mkostemp(file->temporary_path, O_CLOEXEC);
    if (file->descriptor < 0) {
        trawl_status status = fail_at(file->path, errno, error);
        free(file->temporary_path);
        file->temporary_path = NULL;
        return status;
    }
    remember_temporary(file->temporary_path);
    /* A file system without rights may refuse; the content matters more. */
    (void)fchmod(file->descriptor, mode);
    return TRAWL_OK;
}

static mode_t default_mode(void) {
    mode_t mask = umask(0);
    (void)umask(mask);
    return 0666 & ~mask;
}

static trawl_status open_named(output_file *file, const char *path, trawl_error *error) {
    struct stat information;
    bool exists = stat(path, &information) == 0;
    if (exists && S_ISDIR(information.st_mode))
        return fail_at(path, EISDIR, error);
    if (exists && !S_ISREG(information.st_mode)) {
        /* Renaming over a device or a pipe would destroy it. */
        file->path = strdup(path);
        file->descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        if (file->path == NULL || file->descriptor < 0)
            return fail_at(path, file->path == NULL ? ENOMEM : errno, error);
        return TRAWL_OK;
    }
    /* Replace what a symbolic link points to, not the link. */
    file->path = exists ? realpath(path, NULL) : strdup(path);
    if (file->path == NULL)
        return fail_at(path, errno, error);
    return create_temporary(file, exists ? information.st_mode & 07777 : default_mode(), error);
}

trawl_status output_file_open(const char *path, output_file **file, trawl_error *error) {
    output_file *made = calloc(1, sizeof *made);
    char *buffer = malloc(OUTPUT_FILE_BUFFER);
    if (made == NULL || buffer == NULL) {
        free(made);
        free(buffer);
        return trawl_fail(error, TRAWL_ERROR_MEMORY, "out of memory");
    }
    made->buffer = buffer;
    made->capacity = OUTPUT_FILE_BUFFER;
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
    while (length > 0 && file->failure == 0) {
        ssize_t put = write(file->descriptor, bytes, length);
        if (put < 0) {
            if (errno != EINTR)
                file->failure = errno;
            continue;
        }
        bytes += put;
        length -= (size_t)put;
        file->written += (uint64_t)put;
    }
}

void output_file_drain(output_file *file) {
    write_out(file, file->buffer, file->used);
    file->used = 0;
}

void output_file_write_large(output_file *file, const void *bytes, size_t length) {
    output_file_drain(file);
    if (length >= file->capacity) {
        write_out(file, bytes, length);
        return;
    }
    memcpy(file->buffer, bytes, length);
    file->used = length;
}

size_t output_decimal(uint64_t value, char *digits) {
    /* Two digits for each division: lists of matches are mostly numbers. */
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    char reversed[20];
    size_t begin = sizeof reversed;
    while (value >= 100) {
        begin -= 2;
        memcpy(reversed + begin, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        begin -= 2;
        memcpy(reversed + begin, pairs + 2 * value, 2);
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

trawl_status output_file_flush(output_file *file, trawl_error *error) {
    output_file_drain(file);
    return file->failure == 0 ? TRAWL_OK : fail_at(file->path, file->failure, error);
}

/* ------------------------------------------------------------------ finishing */

/* Makes the rename itself durable. Not all file systems can; the content is safe already. */
static void sync_directory_of(const char *path) {
    char *copy = strdup(path);
    if (copy == NULL)
        return;
    char *slash = strrchr(copy, '/');
    if (slash != NULL)
        slash[slash == copy ? 1 : 0] = '\0';
    int directory = open(slash == NULL ? "." : copy, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        (void)fsync(directory);
        (void)close(directory);
    }
    free(copy);
}

trawl_status output_file_close(output_file *file, trawl_error *error) {
    output_file_drain(file);
    if (file->temporary_path != NULL && file->failure == 0 && fsync(file->descriptor) != 0)
        file->failure = errno;
    /* Network file systems report a full disk only here, also for standard output. */
    if (close(file->descriptor) != 0 && file->failure == 0 && errno != EINTR)
        file->failure = errno;
    file->descriptor = -1;
    if (file->temporary_path != NULL && file->failure == 0) {
        if (rename(file->temporary_path, file->path) != 0) {
            file->failure = errno;
        } else {
            forget_temporary(file->temporary_path);
            free(file->temporary_path);
            file->temporary_path = NULL;
            sync_directory_of(file->path);
        }
    }
    trawl_status status = file->failure == 0 ? TRAWL_OK : fail_at(file->path, file->failure, error);
    output_file_abandon(file);
    return status;
}

void output_file_abandon(output_file *file) {
    if (file == NULL)
        return;
    if (file->descriptor >= 0 && file->descriptor != STDOUT_FILENO)
        (void)close(file->descriptor);
    if (file->temporary_path != NULL) {
        (void)unlink(file->temporary_path);
        forget_temporary(file->temporary_path);
        free(file->temporary_path);
    }
    free(file->path);
    free(file->buffer);
    free(file);
}
