/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A text that is read from its beginning to its end: a file, a pipe, a device or standard input,
 * compressed or not.
 *
 * Regular files are read, not mapped: a mapped file that shrinks while it is scanned would kill the
 * process. Compression is recognised by the first bytes, never by the name; several gzip members,
 * zstd frames or xz streams in a row are one text. Truncated or corrupt input is an error, and so
 * is a format whose library was not found when this program was built.
 *
 * Error messages begin with the name of the file: "FILE: what happened".
 */
#ifndef SOURCE_TEXT_FILE_H
#define SOURCE_TEXT_FILE_H

#include "trawl/trawl.h"

typedef struct text_file text_file;

typedef enum text_decoding {
    TEXT_DECOMPRESS = 0, /* by magic bytes */
    TEXT_AS_IT_IS = 1    /* the bytes of the file, whatever they are */
} text_decoding;

/* Opens `path`; "-" is standard input, which is called "(standard input)" in messages. The caller
 * closes it. A directory is an error. error->status is TRAWL_ERROR_IO when the system refused,
 * TRAWL_ERROR_FORMAT for bad compressed data, TRAWL_ERROR_UNAVAILABLE for a missing library. */
trawl_status text_file_open(const char *path, text_decoding decoding, text_file **file,
                            trawl_error *error);

/* The same from a descriptor that is open already, which is closed with the file (0 stays open). */
trawl_status text_file_open_descriptor(int descriptor, const char *name, text_decoding decoding,
                                       text_file **file, trawl_error *error);

/* Reads the next bytes: at least one unless the text has ended (*length is 0 then), and no more
 * than `capacity`. A pipe or terminal gives what it has, so that its text is scanned as it comes.
 * EINTR is retried. Bytes may have been stored before an error is found: they are valid. */
trawl_status text_file_read(text_file *file, void *buffer, size_t capacity, size_t *length,
                            trawl_error *error);

/* Reads until the buffer is full or the text has ended: *length < capacity means the end. */
trawl_status text_file_fill(text_file *file, void *buffer, size_t capacity, size_t *length,
                            trawl_error *error);

/* Bytes in the file as it is stored, 0 when not known (a pipe), and how many of them were read:
 * what a progress line needs, compressed or not. */
uint64_t text_file_stored_bytes(const text_file *file);
uint64_t text_file_stored_position(const text_file *file);

/* True for a regular file that is not compressed. */
bool text_file_is_plain(const text_file *file);

/* Bytes of the text that text_file_read_at reads: of a plain file, from where its descriptor stood
 * when it was opened to where it ended then; 0 for any other. */
uint64_t text_file_length(const text_file *file);

/* Reads bytes of a plain file from `offset` of the text on: as many as there are, at most
 * `capacity`; none there is an error, as the file has shrunk then. Safe to call from several
 * threads at once, while none of them calls text_file_read. */
trawl_status text_file_read_at(const text_file *file, uint64_t offset, void *buffer,
                               size_t capacity, size_t *length, trawl_error *error);

/* Leaves a plain file's descriptor where reading it to its end leaves it: others may share it. */
void text_file_pass_over(text_file *file);

/* For fstat and the like; it belongs to the file. */
int text_file_descriptor(const text_file *file);

/* NULL is allowed. */
void text_file_close(text_file *file);

#endif
