/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Buffered output to standard output or, atomically, to a file.
 *
 * A regular file appears as a whole or not at all (base/replacement.h): output_file_close gives it
 * its name. If the program fails, exits, or is ended by a signal that can be handled before that,
 * the temporary file is removed. The new file has the permissions of the one that it replaces
 * without set-ID bits, and its owner where the system allows. A device or a pipe is written
 * directly; a symbolic link that leads to no file is refused.
 *
 * Functions that write do not return a status. After the first failure, output is dropped, and
 * output_file_close returns the failure; some file systems report a full disk only when a file is
 * closed. Long loops should check output_file_failed from time to time. If the reader of standard
 * output goes away, SIGPIPE ends the process without a message, as with other tools.
 *
 * Not thread safe for one output.
 */
#ifndef TRAWL_IO_OUTPUT_FILE_H
#define TRAWL_IO_OUTPUT_FILE_H

#include <stdbool.h>
#include <string.h>

#include "base/replacement.h"
#include "trawl/trawl.h"

/* Receives the bytes of an output that is no file. False: it failed, and has reported that
 * itself. */
typedef bool (*output_take)(void *context, const char *bytes, size_t length);

typedef struct output_file {
    char *buffer; /* this and the next two are for the inline functions; the rest is private */
    size_t used;
    size_t capacity;
    int descriptor;
    int failure; /* errno of the first failed write, else 0 */
    uint64_t written;
    char *path;    /* for messages; NULL for standard output */
    bool replaces; /* a regular file, through `replacement`; else it is written directly */
    trawl_replacement replacement;
    output_take take; /* NULL: bytes go to `descriptor` */
    void *take_context;
} output_file;

enum {
    /* Bytes: fewer calls of write(2) against what fits into the second-level cache. No measurement
     * chose it. */
    OUTPUT_FILE_BUFFER = 1 << 18,
    OUTPUT_FILES_AT_ONCE = 16 /* open files, at most, whose temporary files a signal removes */
};

/* Opens an output; `path` NULL or "-": standard output. The caller closes or abandons it. */
trawl_status output_file_open(const char *path, output_file **file, trawl_error *error);

/* The same for tables that will be mapped into memory: no one else may write to a new file,
 * whatever the umask. Changes the umask for a moment, so no other thread may make files meanwhile.
 */
trawl_status output_file_open_table(const char *path, output_file **file, trawl_error *error);

/* The same for an output that a function takes. */
trawl_status output_file_open_for(output_take take, void *context, output_file **file,
                                  trawl_error *error);

/* Writes the buffered bytes, gives a regular file its name, and frees `file` in any case. */
trawl_status output_file_close(output_file *file, trawl_error *error);

/* Frees `file` without giving the new file its name: a regular file of that name stays as it was.
 * NULL is allowed. */
void output_file_abandon(output_file *file);

/* True after a failed write: all further output is dropped. */
static inline bool output_file_failed(const output_file *file) {
    return file->failure != 0;
}

/* True for a regular file, which output_file_abandon leaves as it was. */
static inline bool output_file_replaces(const output_file *file) {
    return file->replaces;
}

/* Empties the buffer, by writing it, or after a failure by dropping it. */
void output_file_drain(output_file *file);

/* Writes any number of bytes, without copying them into the buffer if they are many. */
void output_file_write_large(output_file *file, const void *bytes, size_t length);

/* Returns room for `length` bytes, at most OUTPUT_FILE_BUFFER. The caller writes there and adds the
 * number of bytes to file->used. */
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

/* write(2) until all bytes are written, also after signals; *written is increased by those that
 * were, also on failure. 0, or an errno value. For files that are written without a buffer. */
int output_write_all(int descriptor, const void *bytes, size_t length, uint64_t *written);

/* All numbers of two digits, one behind the other: those of n begin at 2 * n. Two digits for each
 * division, since lists of matches consist mostly of numbers. */
extern const char output_digit_pairs[201];

/* output_file_write for libraries that write to a function: a trawl_on_bytes, whose context is the
 * output_file. Nonzero: the file has failed. */
int output_file_take(const void *bytes, size_t length, void *file);

/* Writes `value` in decimal to `digits`, at most 20 characters; returns their number. */
size_t output_decimal(uint64_t value, char *digits);

void output_file_decimal(output_file *file, uint64_t value);

#endif
