/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/status.h"
#include "database/database.h"

/* write(2) takes at most so much at once on Linux, and may take less. */
#define WRITE_AT_ONCE ((size_t)1 << 30)

static int write_all(int file, const uint8_t *bytes, uint64_t size) {
    while (size != 0) {
        ssize_t written = write(file, bytes, size < WRITE_AT_ONCE ? (size_t)size : WRITE_AT_ONCE);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return written == 0 ? ENOSPC : errno;
        }
        bytes += written;
        size -= (uint64_t)written;
    }
    return 0;
}

/* Creates a new file beside `path` whose name nobody else uses. */
static int open_temporary(const char *path, char *temporary, size_t room) {
    int file = -1;
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        const char *name = strrchr(path, '/');
        int folder = name == NULL ? 0 : (int)(name + 1 - path);
        (void)snprintf(temporary, room, "%.*s.trawl-%ld-%u.part", folder, path, (long)getpid(),
                       attempt);
        file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) {
            break;
        }
    }
    return file;
}

/* Makes the renaming itself durable. A file system that cannot is no reason to fail. */
static void sync_directory(const char *path, char *scratch) {
    (void)strcpy(scratch, path);
    int directory = open(dirname(scratch), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        (void)fsync(directory);
        (void)close(directory);
    }
}

trawl_status trawl_db_save(const trawl_db *db, const char *path, trawl_error *error) {
    trawl_clear(error);
    if (db == NULL || path == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_db_save: %s is NULL",
                          db == NULL ? "db" : "path");
    }
    /* Renaming replaces whatever has the name: refuse what is no file, follow symbolic links. */
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        return trawl_fail(error, TRAWL_ERROR_IO, "%.300s: cannot be written: %s", path,
                          S_ISDIR(about.st_mode) ? strerror(EISDIR) : "not a regular file");
    }
    char resolved[PATH_MAX];
    if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode) && realpath(path, resolved) != NULL) {
        path = resolved;
    }
    size_t room = strlen(path) + 48;
    char *temporary = trawl_allocate(room, 1);
    if (temporary == NULL) {
        return trawl_fail_memory(error, "a file name", room);
    }
    int reason = 0;
    int file = open_temporary(path, temporary, room);
    if (file < 0) {
        reason = errno;
    } else {
        reason = write_all(file, db->block, db->size);
        if (reason == 0 && fsync(file) != 0) {
            reason = errno;
        }
        if (close(file) != 0 && reason == 0) {
            reason = errno;
        }
        if (reason == 0 && rename(temporary, path) != 0) {
            reason = errno;
        }
        if (reason != 0) {
            (void)unlink(temporary);
        } else {
            sync_directory(path, temporary);
        }
    }
    trawl_release(temporary);
    if (reason != 0) {
        return trawl_fail(error, TRAWL_ERROR_IO, "%.300s: cannot be written: %s", path,
                          strerror(reason));
    }
    return TRAWL_OK;
}
