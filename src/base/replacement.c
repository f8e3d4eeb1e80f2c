/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/allocate.h"

/* write(2) takes at most 2 GiB at once on Linux, and may take less. */
#define WRITE_AT_ONCE ((size_t)1 << 30)
/* Names that are tried before the folder is taken to be full of them. */
#define ATTEMPTS 100u
/* A temporary name is the name, cut off where the file system would refuse it as too long, and a
 * full stop with this many letters and digits. */
#define RANDOM_LETTERS 6
#define KEPT_OF_NAME (NAME_MAX - 1 - RANDOM_LETTERS)

trawl_target trawl_target_of(const char *path) {
    struct stat about;
    if (stat(path, &about) != 0) {
        return lstat(path, &about) == 0 && S_ISLNK(about.st_mode) ? TRAWL_TARGET_DANGLING
                                                                  : TRAWL_TARGET_FILE;
    }
    if (S_ISREG(about.st_mode)) {
        return TRAWL_TARGET_FILE;
    }
    return S_ISDIR(about.st_mode) ? TRAWL_TARGET_DIRECTORY : TRAWL_TARGET_SPECIAL;
}

/* ------------------------------------------------------------------ the temporary file */

/* The name that a renaming has to replace, in memory of its own: a symbolic link that leads to a
 * file stays a link. NULL: errno says why. */
static char *resolve(const char *path) {
    struct stat about;
    char resolved[PATH_MAX];
    if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode)) {
        path = realpath(path, resolved);
        if (path == NULL) {
            return NULL;
        }
    }
    size_t bytes = strlen(path) + 1;
    char *copy = trawl_allocate(bytes, 1);
    if (copy == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    return memcpy(copy, path, bytes);
}

/* Random letters. Whoever could predict them could take all names that will be tried. Where the
 * kernel has no random numbers, they still differ from call to call. */
static void choose_letters(unsigned attempt, char letters[RANDOM_LETTERS]) {
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    uint64_t mixed;
    if (getrandom(&mixed, sizeof mixed, GRND_NONBLOCK) != (ssize_t)sizeof mixed) {
        struct timespec now;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        mixed = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)getpid() << 42;
    }
    mixed = (mixed + attempt) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < RANDOM_LETTERS; i++) {
        mixed ^= mixed >> 29;
        letters[i] = alphabet[mixed % (sizeof alphabet - 1)];
        mixed *= UINT64_C(0xbf58476d1ce4e5b9);
    }
}

/* Creates a new file, whose name nobody else uses, beside replacement->path. The umask applies to
 * `mode`. */
static int create_temporary(trawl_replacement *replacement, mode_t mode) {
    const char *path = replacement->path;
    const char *slash = strrchr(path, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash + 1 - path);
    size_t name = strlen(path + folder);
    size_t kept = folder + (name < KEPT_OF_NAME ? name : KEPT_OF_NAME);
    replacement->temporary = trawl_allocate(kept + 1 + RANDOM_LETTERS + 1, 1);
    if (replacement->temporary == NULL) {
        return ENOMEM;
    }
    memcpy(replacement->temporary, path, kept);
    char *letters = replacement->temporary + kept;
    *letters++ = '.';
    letters[RANDOM_LETTERS] = '\0';
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        choose_letters(attempt, letters);
        replacement->descriptor =
            open(replacement->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (replacement->descriptor >= 0) {
            replacement->exists = true;
            return 0;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    return errno;
}

/* Gives the temporary file the owner, the group and the permissions of the file that it replaces,
 * as far as the system allows: the content matters more. Set-ID bits are never copied: they were
 * given to other content. Another group than before gets no more than everybody. */
static void copy_permissions(const trawl_replacement *replacement, const struct stat *replaced) {
    int file = replacement->descriptor;
    mode_t mode = replaced->st_mode & 0777;
    if (fchown(file, (uid_t)-1, replaced->st_gid) != 0) {
        mode = (mode & 0707) | (mode & (mode & 07) << 3);
    }
    (void)fchmod(file, mode);
    struct stat made;
    if (fstat(file, &made) == 0 && made.st_uid != replaced->st_uid) {
        (void)!fchown(file, replaced->st_uid, (gid_t)-1);
    }
}

int trawl_replacement_begin(trawl_replacement *replacement, const char *path,
                            trawl_permissions permissions) {
    *replacement = (trawl_replacement){.descriptor = -1};
    replacement->path = resolve(path);
    if (replacement->path == NULL) {
        return errno;
    }
    struct stat replaced;
    bool keep = permissions == TRAWL_PERMISSIONS_KEPT && stat(path, &replaced) == 0;
    /* Nobody else may open a file whose permissions are still to be copied. */
    mode_t mode = keep ? 0600 : permissions == TRAWL_PERMISSIONS_NEW ? 0644 : 0666;
    int reason = create_temporary(replacement, mode);
    if (reason == 0 && keep) {
        copy_permissions(replacement, &replaced);
    }
    return reason;
}

/* ------------------------------------------------------------------ its end */

static int close_descriptor(trawl_replacement *replacement) {
    int result = close(replacement->descriptor);
    replacement->descriptor = -1; /* Linux releases it whatever close returns */
    return result == 0 || errno == EINTR ? 0 : errno;
}

/* Makes the renaming itself durable. A file system that cannot is no reason to fail: the content is
 * safe. */
static void sync_folder(const char *path) {
    char scratch[PATH_MAX]; /* dirname writes to it */
    (void)snprintf(scratch, sizeof scratch, "%s", path);
    int folder = open(dirname(scratch), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)fsync(folder);
        (void)close(folder);
    }
}

static int rename_temporary(trawl_replacement *replacement) {
    if (rename(replacement->temporary, replacement->path) != 0) {
        return errno;
    }
    replacement->exists = false;
    return 0;
}

int trawl_replacement_commit(trawl_replacement *replacement) {
    int reason = fsync(replacement->descriptor) == 0 ? 0 : errno;
    /* Network file systems report a full disk only when a file is closed. */
    int closed = close_descriptor(replacement);
    reason = reason == 0 ? closed : reason;
    if (reason == 0) {
        reason = rename_temporary(replacement);
    }
    if (reason == 0) {
        sync_folder(replacement->path);
    }
    return reason;
}

void trawl_replacement_discard(trawl_replacement *replacement) {
    if (replacement->descriptor >= 0) {
        (void)close_descriptor(replacement);
    }
    if (replacement->exists) {
        (void)unlink(replacement->temporary);
        replacement->exists = false;
    }
}

void trawl_replacement_release(trawl_replacement *replacement) {
    trawl_replacement_discard(replacement);
    trawl_release(replacement->path);
    trawl_release(replacement->temporary);
    *replacement = (trawl_replacement){.descriptor = -1};
}

/* ------------------------------------------------------------------ writing */

int trawl_write_all(int descriptor, const void *bytes, size_t size, uint64_t *written) {
    const uint8_t *next = bytes;
    while (size != 0) {
        ssize_t put = write(descriptor, next, size < WRITE_AT_ONCE ? size : WRITE_AT_ONCE);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            return put == 0 ? ENOSPC : errno;
        }
        next += put;
        size -= (size_t)put;
        *written += (uint64_t)put;
    }
    return 0;
}
