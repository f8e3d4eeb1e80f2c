/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Reads the next bytes of a text while the last piece is being scanned: a thread reads into a ring
 * buffer, and the owner takes pieces from it. Pieces are large, so that waking many threads or a
 * GPU for each is worth it; but bytes that come slowly are held back for some milliseconds at most.
 */
#ifndef TRAWL_IO_READ_AHEAD_H
#define TRAWL_IO_READ_AHEAD_H

#include "io/text_file.h"

typedef struct read_ahead read_ahead;

/* Starts to read `file`, which belongs to the reader from now on, also if this call fails. */
trawl_status read_ahead_open(text_file *file, read_ahead **result, trawl_error *error);

/* Gives the last piece back and lends the next one, which is valid until the next call. Waits until
 * 4 MiB are there, or, if there are fewer after 5 ms, for at least one byte. *length is 0 only at
 * the end of the text. The failure of a read is returned after all bytes before it. */
trawl_status read_ahead_next(read_ahead *reader, const uint8_t **bytes, size_t *length,
                             trawl_error *error);

/* Whether read_ahead_next would have to wait: the time to show the results so far. */
bool read_ahead_is_empty(read_ahead *reader);

/* text_file_stored_position of the file. */
uint64_t read_ahead_position(read_ahead *reader);

/* Ends the reading, closes the file and frees the reader. A thread that waits for a pipe is not
 * waited for: it frees the reader when it returns. NULL is allowed. */
void read_ahead_close(read_ahead *reader);

#endif
