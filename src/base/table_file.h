/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Files of tables, databases and indexes: opened, mapped or read. */
#ifndef TRAWL_BASE_TABLE_FILE_H
#define TRAWL_BASE_TABLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/trawl.h"

typedef struct trawl_table_file {
    int descriptor;
    const char *path; /* for messages */
    size_t size;      /* at least 1 */
    /* The effective user or root owns the file, and no one else may write to it. Other files
     * are read into memory, as users who can write to a mapped file could change its tables after
     * they were validated. */
    bool trusted;
} trawl_table_file;

/* Opens a regular file that is not empty. `kind`: what messages say that it should be, such as
 * "database". Close it with trawl_table_file_close. */
trawl_status trawl_table_file_open(const char *path, const char *kind, trawl_table_file *file,
                                   trawl_error *error);
void trawl_table_file_close(const trawl_table_file *file);

/* Reads the next `size` bytes. */
trawl_status trawl_table_file_read(const trawl_table_file *file, void *to, size_t size,
                                   trawl_error *error);

/* Maps the whole file; free it with munmap. */
trawl_status trawl_table_file_map(const trawl_table_file *file, uint8_t **block,
                                  trawl_error *error);

#endif
