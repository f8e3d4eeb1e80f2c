/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Buffered output to standard output or, atomically, to a file.
 *
 * A named regular file is written under a temporary name beside it and takes its name only in
 * output_file_close, after fsync: whoever opens the name sees the old content or all of the new.
 * If the program fails, exits, or is ended by a signal that can be handled, the temporary file is
 * removed. The new file has the permissions of the one that it replaces without set-ID bits, and
 * its owner where the system allows. A name that is a device or a pipe is written directly; a
 * symbolic link keeps pointing to the file that is replaced, and one that leads to no file is
 * refused.
 *
 * Writing does not return a status: after the first failure output is dropped, and flush and close
 * report it (also ENOSPC that only close sees). A loop that may run long asks output_file_failed
 * from time to time. A reader that goes away ends the process by SIGPIPE, quietly, as with other
 * tools.
 */
#ifndef SOURCE_OUTPUT_FILE_H
#define SOURCE_OUTPUT_FILE_H

#include <string.h>

#include "base/replacement.h"
#include "trawl/trawl.h"

typedef struct output_file {
    char *buffer; /* for the inline functions below; the rest is private */
    size_t used;
    size_t capacity;
    int descriptor;
    int failure; /* errno of the first failed write, else 0 */
    uint64_t written;
    char *path;    /* for messages; NULL for standard output */
    bool replaces; /* a regular file, through `replacement`; else it is written directly */
    trawl_replacement replacement;
} output_file;

enum { OUTPUT_FILE_BUFFER = 1 << 18 };

/* Opens; `path` NULL or "-" is standard output. The caller closes or abandons it. */
trawl_status output_file_open(const char *path, output_file **file, trawl_error *error);

/* Writes out what is buffered. Returns the first failure, now or earlier. */
trawl_status output_file_flush(output_file *file, trawl_error *error);

/* Flushes, makes a named file durable and visible, and frees `file` whatever it returns. */
trawl_status output_file_close(output_file *file, trawl_error *error);

/* Frees without finishing: a named file is left as it was. NULL is allowed. */
void output_file_abandon(output_file *file);

/* True after a write failed: producing more is pointless. */
static inline bool output_file_failed(const output_file *file) {
    return file->failure != 0;
}

/* For the inline functions: makes the buffer empty, by writing or, after a failure, dropping. */
void output_file_drain(output_file *file);

/* Writes any number of bytes without going through the buffer more than needed. */
void output_file_write_large(output_file *file, const void *bytes, size_t length);

/* Room for `length` <= OUTPUT_FILE_BUFFER bytes at file->buffer + file->used; the caller fills it
 * and adds what it filled to file->used. */
static inline char *output_file_reserve(output_file *file, size_t length) {
    if (file->capacity - file->used < length)
        output_file_drain(file);
    return file->buffer + file->used;
}

static inline void output_file_write(output_file *file, const void *bytes, size_t length) {
    if (length > file->capacity - file->used) {
        output_file_write_large(file, bytes, length);
        return;
    }
    if (length != 0)
        memcpy(file->buffer + file->used, bytes, length);
    file->used += length;
}

static inline void output_file_byte(output_file *file, char byte) {
    if (file->used == file->capacity)
        output_file_drain(file);
    file->buffer[file->used++] = byte;
}

static inline void output_file_text(output_file *file, const char *text) {
    output_file_write(file, text, strlen(text));
}

/* Writes `value` in decimal to `digits` (at most 20 characters); returns how many. */
size_t output_decimal(uint64_t value, char *digits);

void output_file_decimal(output_file *file, uint64_t value);

#endif
