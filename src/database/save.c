/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "base/replacement.h"
#include "base/status.h"
#include "database/database.h"

static int save(const trawl_db *db, const char *path) {
    trawl_replacement replacement;
    uint64_t written = 0;
    int reason = trawl_replacement_begin(&replacement, path, TRAWL_PERMISSIONS_NEW);
    if (reason == 0) {
        reason = trawl_write_all(replacement.descriptor, db->block, db->size, &written);
    }
    if (reason == 0) {
        reason = trawl_replacement_commit(&replacement);
    }
    trawl_replacement_release(&replacement);
    return reason;
}

trawl_status trawl_db_save(const trawl_db *db, const char *path, trawl_error *error) {
    trawl_clear(error);
    if (db == NULL || path == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_db_save: %s is NULL",
                          db == NULL ? "db" : "path");
    }
    trawl_target target = trawl_target_of(path);
    if (target != TRAWL_TARGET_FILE) {
        return trawl_fail(error, TRAWL_ERROR_IO, "%.300s: cannot be written: %s", path,
                          target == TRAWL_TARGET_DIRECTORY ? strerror(EISDIR)
                          : target == TRAWL_TARGET_DANGLING
                              ? "a symbolic link that leads to no file"
                              : "not a regular file");
    }
    int reason = save(db, path);
    if (reason == ENOMEM) {
        return trawl_fail_memory(error, "a file name", strlen(path));
    }
    if (reason != 0) {
        return trawl_fail(error, TRAWL_ERROR_IO, "%.300s: cannot be written: %s", path,
                          strerror(reason));
    }
    return TRAWL_OK;
}
