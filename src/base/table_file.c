/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/table_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"

/* An access control list has no permission that the bits of the group do not have. */
static bool only_trusted_users_may_write(const struct stat *about) {
    bool is_trusted = about->st_uid == geteuid() || about->st_uid == 0;
    return is_trusted && (about->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static trawl_status refuse(const trawl_table_file *file, const char *kind, mode_t mode,
                           trawl_error *error) {
    if (S_ISDIR(mode)) {
        return trawl_fail(error, TRAWL_ERROR_IO, "%.300s: is a directory, expected %s file",
                          file->path, kind);
    }
    return S_ISREG(mode)
               ? trawl_fail(error, TRAWL_ERROR_FORMAT, "%.300s: not %s (empty file)", file->path,
                            kind)
               : trawl_fail(error, TRAWL_ERROR_IO, "%.300s: is not a regular file", file->path);
}

trawl_status trawl_table_file_open(const char *path, const char *kind, trawl_table_file *file,
                                   trawl_error *error) {
    struct stat about;
    trawl_status status = TRAWL_OK;
    *file = (trawl_table_file){.path = path};
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
    if (file->descriptor < 0 || fstat(file->descriptor, &about) != 0) {
        status = trawl_fail(error, TRAWL_ERROR_IO, "%.300s: %s", path, strerror(errno));
    } else if (!S_ISREG(about.st_mode) || about.st_size <= 0) {
        status = refuse(file, kind, about.st_mode, error);
    } else {
        file->size = (size_t)about.st_size;
        file->trusted = only_trusted_users_may_write(&about);
    }
    if (status != TRAWL_OK) {
        trawl_table_file_close(file);
    }
    return status;
}

void trawl_table_file_close(const trawl_table_file *file) {
    if (file->descriptor >= 0) {
        (void)close(file->descriptor);
    }
}

trawl_status trawl_table_file_read(const trawl_table_file *file, void *to, size_t size,
                                   trawl_error *error) {
    for (size_t filled = 0; filled < size;) {
        ssize_t got = read(file->descriptor, (uint8_t *)to + filled, size - filled);
        if (got < 0 && errno != EINTR) {
            return trawl_fail(error, TRAWL_ERROR_IO, "%.300s: %s", file->path, strerror(errno));
        }
        if (got == 0) {
            return trawl_fail(error, TRAWL_ERROR_IO, "%.300s: became shorter while it was read",
                              file->path);
        }
        filled += got < 0 ? 0 : (size_t)got;
    }
    return TRAWL_OK;
}

trawl_status trawl_table_file_map(const trawl_table_file *file, uint8_t **block,
                                  trawl_error *error) {
    void *mapped = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, file->descriptor, 0);
    if (mapped == MAP_FAILED) {
        int reason = errno;
        return trawl_fail(error, reason == ENOMEM ? TRAWL_ERROR_MEMORY : TRAWL_ERROR_IO,
                          "%.300s: cannot be mapped: %s", file->path, strerror(reason));
    }
    *block = mapped;
    return TRAWL_OK;
}
