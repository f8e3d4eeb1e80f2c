/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/database.h"

#include <stdio.h>
#include <stdlib.h>

#include "io/text_file.h"

/* Reads a whole file. The caller frees *bytes, also after a failure. */
static trawl_status read_file(const char *path, uint8_t **bytes, size_t *size, trawl_error *error) {
    text_file *file = NULL;
    *bytes = NULL;
    *size = 0;
    trawl_status status = text_file_open(path, TEXT_AS_IT_IS, &file, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uint64_t length = text_file_length(file);
    *bytes = malloc(length + 1);
    if (*bytes == NULL) {
        error->status = status = TRAWL_ERROR_MEMORY;
        (void)snprintf(error->message, sizeof error->message, "%.300s: out of memory", path);
    } else {
        status = text_file_fill(file, *bytes, length, size, error);
    }
    text_file_close(file);
    return status;
}

trawl_status database_load(const char *path, bool copy, trawl_db **db, trawl_error *error) {
    if (!copy) {
        return trawl_db_load(path, db, error);
    }
    uint8_t *bytes = NULL;
    size_t size = 0;
    trawl_status status = read_file(path, &bytes, &size, error);
    if (status == TRAWL_OK) {
        status = trawl_db_load_memory(bytes, size, db, error);
    }
    free(bytes);
    return status;
}
