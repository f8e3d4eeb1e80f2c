/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The folder of tests' files: TMPDIR, else /dev/shm (saving a database waits for the disk), else
 * /tmp.
 */
#ifndef TRAWL_TESTS_TEMPORARY_H
#define TRAWL_TESTS_TEMPORARY_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Writes a name for mkstemp or mkdtemp into `path`. */
static inline void temporary_template(char *path, size_t size) {
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder)
        folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, size, "%s/trawl-test-XXXXXX", folder);
}

#endif
