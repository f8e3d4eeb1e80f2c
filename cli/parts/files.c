/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/parts/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"

char *parts_path(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = allocate(size);
    (void)snprintf(path, size, "%s/%s", folder, name);
    return path;
}

char *parts_numbered(const char *folder, const char *name, unsigned number) {
    char numbered[64];
    (void)snprintf(numbered, sizeof numbered, "%s%u", name, number);
    return parts_path(folder, numbered);
}

int parts_read_at(int descriptor, uint64_t offset, void *buffer, size_t length) {
    uint8_t *to = buffer;
    while (length != 0) {
        size_t most = length < ((size_t)1 << 30) ? length : (size_t)1 << 30;
        ssize_t got = pread(descriptor, to, most, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : -1;
        to += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
    return 0;
}

/* Another user who may write to the folder could have put a FIFO there, which would block, or a
 * link to a file of this user, which would be overwritten. Both are refused. */
int parts_open(const char *path, int flags) {
    bool writes = (flags & O_ACCMODE) != O_RDONLY;
    int descriptor =
        open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (writes ? O_NOFOLLOW : 0), 0666);
    struct stat information;
    if (descriptor >= 0 && fstat(descriptor, &information) == 0 && S_ISREG(information.st_mode))
        return descriptor;
    if (descriptor >= 0)
        report("%s: is no regular file", path);
    else if (writes && errno == ELOOP)
        report("%s: is a symbolic link, and results are not written through one", path);
    else
        report("%s: %s", path, strerror(errno));
    if (descriptor >= 0)
        (void)close(descriptor);
    return -1;
}

uint8_t *parts_read_file(const char *path, uint64_t most, size_t *length) {
    int descriptor = parts_open(path, O_RDONLY);
    off_t size = descriptor < 0 ? -1 : lseek(descriptor, 0, SEEK_END);
    int error = size < 0 ? errno : 0;
    uint8_t *bytes = NULL;
    if (descriptor < 0)
        return NULL;
    if (error == 0 && (uint64_t)size > most) {
        report("%s: is damaged: %lld bytes long, at most %llu can be right", path, (long long)size,
               (unsigned long long)most);
    } else if (error == 0) {
        *length = (size_t)size;
        bytes = allocate(*length + 1);
        error = parts_read_at(descriptor, 0, bytes, *length);
    }
    (void)close(descriptor);
    if (error == 0)
        return bytes;
    report("%s: %s", path, error < 0 ? "became shorter while it was read" : strerror(error));
    free(bytes);
    return NULL;
}

int parts_sync_folder(const char *folder) {
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return errno;
    /* File systems that cannot do this for folders say EINVAL. */
    int error = fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
    (void)close(descriptor);
    return error;
}

/* The number in "PREFIXnumber" as parts_numbered writes it, or -1. */
static long number_of(const char *name, const char *prefix) {
    size_t length = strlen(prefix);
    const char *digits = name + length;
    if (strncmp(name, prefix, length) != 0 || *digits == '\0' || strlen(digits) > 9 ||
        strspn(digits, "0123456789") != strlen(digits) || (*digits == '0' && digits[1] != '\0'))
        return -1;
    return strtol(digits, NULL, 10);
}

static void add_journal(parts_writers *writers, unsigned number) {
    /* Doubled whenever it is a power of two. */
    size_t count = writers->journal_count;
    if ((count & (count - 1)) == 0)
        writers->journals = reallocate(writers->journals, (2 * count + 1) * sizeof(unsigned));
    writers->journals[writers->journal_count++] = number;
}

/* Takes the file of a writer. False after reporting. */
static bool add_writer(parts_writers *writers, const char *folder, const char *name) {
    long part = number_of(name, "part-"), journal = number_of(name, "journal-");
    long number = part > journal ? part : journal;
    if (number >= PARTS_MOST_WRITERS) {
        report("%s/%s: is no file of this scan: expected numbers below %d", folder, name,
               PARTS_MOST_WRITERS);
        return false;
    }
    if (journal >= 0)
        add_journal(writers, (unsigned)journal);
    if (number >= (long)writers->count)
        writers->count = (unsigned)number + 1;
    return true;
}

static int compare_numbers(const void *left, const void *right) {
    const unsigned *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

bool parts_find_writers(const char *folder, parts_writers *writers) {
    *writers = (parts_writers){.count = 0};
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        report("%s: %s", folder, strerror(errno));
        return false;
    }
    bool good = true;
    const struct dirent *entry = NULL;
    while (good && (entry = readdir(directory)) != NULL)
        good = add_writer(writers, folder, entry->d_name);
    (void)closedir(directory);
    if (writers->journal_count != 0)
        qsort(writers->journals, writers->journal_count, sizeof(unsigned), compare_numbers);
    if (!good)
        parts_release_writers(writers);
    return good;
}

void parts_release_writers(parts_writers *writers) {
    free(writers->journals);
    *writers = (parts_writers){.count = 0};
}
