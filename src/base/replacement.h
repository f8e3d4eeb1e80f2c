/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Files that appear as a whole or not at all. A new file is written under a temporary name in the
 * folder of the name that it shall have, and takes that name when all of it is on the disk: whoever
 * opens the name sees the old content or all of the new.
 *
 *     trawl_replacement_begin       the temporary file exists and can be written to
 *     trawl_write_all               as often as needed
 *     trawl_replacement_commit      the file has its name; or
 *     trawl_replacement_discard     the temporary file is gone
 *     trawl_replacement_release     always, also after a failure of any of these
 *
 * Functions return 0 or an errno value; callers make sentences of them. Not thread safe for one
 * replacement; replacements of different names, or of one name in several threads or processes, do
 * not disturb each other: the last commit wins.
 */
#ifndef TRAWL_BASE_REPLACEMENT_H
#define TRAWL_BASE_REPLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What has a name now, symbolic links followed. */
typedef enum trawl_target {
    TRAWL_TARGET_FILE,      /* a regular file, or nothing that can be seen: can be replaced */
    TRAWL_TARGET_DIRECTORY, /* cannot be replaced */
    TRAWL_TARGET_SPECIAL,   /* a device, a pipe or a socket: must not be replaced */
    TRAWL_TARGET_DANGLING   /* a symbolic link that leads to no file: not followed, since whoever
                               made the link would choose where a new file is created */
} trawl_target;

trawl_target trawl_target_of(const char *path);

typedef struct trawl_replacement {
    char *path;      /* what will be replaced: a symbolic link's file, not the link */
    char *temporary; /* the name until then */
    int descriptor;  /* open for writing until commit or discard, then -1 */
    bool exists;     /* the temporary file is there */
} trawl_replacement;

/* Which permissions the new file has. */
typedef enum trawl_permissions {
    TRAWL_PERMISSIONS_NEW, /* 0644 without the process's umask: whatever that is, no one else may
                              write to the file, which will be mapped (base/table_file.h) */
    TRAWL_PERMISSIONS_KEPT /* those of the file that is replaced, and its owner
                              and group where the system allows; never set-user-ID, set-group-ID
                              or sticky. Without such a file those of any new file */
} trawl_permissions;

/* Makes the temporary file, whose name nobody can predict. `path` must be a TRAWL_TARGET_FILE.
 * ENOMEM: out of memory. */
int trawl_replacement_begin(trawl_replacement *replacement, const char *path,
                            trawl_permissions permissions);

/* Writes the file to the disk, closes it, and gives it its name. After a failure the old file is as
 * it was, and the temporary file waits to be discarded. */
int trawl_replacement_commit(trawl_replacement *replacement);

/* Closes and removes the temporary file unless it was committed. */
void trawl_replacement_discard(trawl_replacement *replacement);

/* Discards, and frees the two names. */
void trawl_replacement_release(trawl_replacement *replacement);

/* write(2) until all `size` bytes are written, also after signals. *written is increased by the
 * bytes that were, also on failure. */
int trawl_write_all(int descriptor, const void *bytes, size_t size, uint64_t *written);

#endif
