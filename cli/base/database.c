/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text_file.h"

/* Replaces "memory", which the library calls a block without a file, by the path. */
static void name_file(const char *path, trawl_error *error) {
    static const char memory[] = "memory: ";
    char message[sizeof error->message];
    if (strncmp(error->message, memory, sizeof memory - 1) == 0) {
        (void)snprintf(message, sizeof message, "%.300s: %s", path,
                       error->message + sizeof memory - 1);
        memcpy(error->message, message, sizeof message);
    }
}

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

/* Explains to a user who has given a file of patterns where it belongs. */
static void explain_format(trawl_status status, trawl_error *error) {
    static const char end[] = "not a trawl database";
    size_t length = strlen(error->message);
    if (status == TRAWL_ERROR_FORMAT && length >= sizeof end - 1 &&
        strcmp(error->message + length - (sizeof end - 1), end) == 0)
        (void)snprintf(error->message + length, sizeof error->message - length,
                       "; patterns come by -f, and trawl compile makes a database");
}

trawl_status database_load(const char *path, bool copy, trawl_db **db, trawl_error *error) {
    if (strcmp(path, "-") == 0) {
        error->status = TRAWL_ERROR_ARGUMENT;
        (void)snprintf(error->message, sizeof error->message,
                       "a database is not read from standard input; expected a file");
        *db = NULL;
        return error->status;
    }
    if (!copy) {
        trawl_status loaded = trawl_db_load(path, db, error);
        explain_format(loaded, error);
        return loaded;
    }
    uint8_t *bytes = NULL;
    size_t size = 0;
    trawl_status status = read_file(path, &bytes, &size, error);
    if (status == TRAWL_OK) {
        status = trawl_db_load_memory(bytes, size, db, error);
        if (status != TRAWL_OK)
            name_file(path, error);
        explain_format(status, error);
    }
    free(bytes);
    return status;
}
