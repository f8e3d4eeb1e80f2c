/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A text that is read from its beginning to its end: a file, a pipe, a device or standard input,
 * compressed or not.
 *
 * Regular files are read, not mapped: if a mapped file shrinks while it is scanned, SIGBUS ends the
 * process. Compression is recognised by the first bytes, never by the name. Several gzip members,
 * zstd frames or xz streams one behind the other are one text. Truncated or corrupt data is an
 * error, and so is a format whose library was not there when this program was built.
 *
 * Error messages begin with the name of the file: "FILE: what happened".
 */
#ifndef TRAWL_IO_TEXT_FILE_H
#define TRAWL_IO_TEXT_FILE_H

#include "trawl/trawl.h"

typedef struct text_file text_file;

typedef enum text_decoding {
    TEXT_DECOMPRESS = 0, /* if the first bytes are those of a compressed format */
    TEXT_AS_IT_IS = 1    /* never decompress */
} text_decoding;

/* Opens `path`; "-" is standard input, which messages call "(standard input)". The caller closes
 * the file. TRAWL_ERROR_IO: the system refused, or it is a directory; TRAWL_ERROR_FORMAT: bad
 * compressed data; TRAWL_ERROR_UNAVAILABLE: this build has no library for the format. */
trawl_status text_file_open(const char *path, text_decoding decoding, text_file **file,
                            trawl_error *error);

/* The same for a descriptor that is open. It is closed with the file, also if this call fails,
 * unless it is standard input. */
trawl_status text_file_open_descriptor(int descriptor, const char *name, text_decoding decoding,
                                       text_file **file, trawl_error *error);

/* Reads the next bytes: at least one, at most `capacity`; *length is 0 only at the end of the text.
 * A pipe or a terminal gives what it has, so that its text is scanned as it comes. Interrupted
 * calls are repeated. After a failure, *length bytes before it are valid. */
trawl_status text_file_read(text_file *file, void *buffer, size_t capacity, size_t *length,
                            trawl_error *error);

/* Reads until the buffer is full or the text ends: *length < capacity only at the end. */
trawl_status text_file_fill(text_file *file, void *buffer, size_t capacity, size_t *length,
                            trawl_error *error);

/* For progress, in bytes of the file as it is stored (compressed): its size, 0 if not known (a
 * pipe), and how much of it has been read. */
uint64_t text_file_stored_bytes(const text_file *file);
uint64_t text_file_stored_position(const text_file *file);

/* True for a regular file that is not compressed. */
bool text_file_is_plain(const text_file *file);

/* True if the text is decompressed. */
bool text_file_is_compressed(const text_file *file);

/* The name of the compressed format that a text which is not decompressed seems to have, "bzip2" or
 * "lz4"; NULL: none. Of a pipe only what had come when it was opened is looked at. */
const char *text_file_foreign_format(const text_file *file);

/* Whether a text that begins with these bytes, at least 6 or all of a shorter one, is compressed.
 */
bool text_file_bytes_are_compressed(const void *bytes, size_t length);

/* Bytes of a plain file's text, as text_file_read_at reads it: from the descriptor's position to
 * the file's end, both when it was opened. 0 for all other files. */
uint64_t text_file_length(const text_file *file);

/* Reads bytes of a plain file from `offset` of the text on, at least one and at most `capacity`. If
 * there is none, the file has shrunk: an error. Several threads may call it at once, as long as
 * none calls text_file_read. */
trawl_status text_file_read_at(const text_file *file, uint64_t offset, void *buffer,
                               size_t capacity, size_t *length, trawl_error *error);

/* Moves a plain file's descriptor to the end of the file, as if it had been read: other processes
 * may share the descriptor. */
void text_file_pass_over(text_file *file);

/* The descriptor, for fstat and the like. It belongs to the file. */
int text_file_descriptor(const text_file *file);

/* NULL is allowed. */
void text_file_close(text_file *file);

#endif
