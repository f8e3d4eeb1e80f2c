/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A file as bytes in memory, for measurements. */
#ifndef TRAWL_TESTS_BENCH_READ_FILE_H
#define TRAWL_TESTS_BENCH_READ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Free the bytes with free. NULL: the file is empty, or cannot be read. */
static inline uint8_t *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    *length = 0;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && ftell(file) > 0) {
        *length = (size_t)ftell(file);
        rewind(file);
        bytes = malloc(*length);
        if (bytes != NULL)
            *length = fread(bytes, 1, *length, file);
    }
    if (file != NULL)
        (void)fclose(file);
    return bytes;
}

#endif
