/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Reading a text while the last piece of it is still being scanned: a thread reads into a ring of
 * bytes, and its owner takes pieces out. They are large, so that many threads or a GPU are worth
 * waking for each; but what comes slowly is not kept back for more than a moment.
 */
#ifndef SOURCE_READ_AHEAD_H
#define SOURCE_READ_AHEAD_H

#include "io/text_file.h"

typedef struct read_ahead read_ahead;

/* Starts reading `file`, which belongs to the reader from now on, also when this fails. */
trawl_status read_ahead_open(text_file *file, read_ahead **result, trawl_error *error);

/* Gives back the last piece and lends the next one, valid until the next call, when some MiB have
 * come, or some milliseconds have gone since it was asked for and something came. *length is 0 only
 * at the end of the text. A failed read is reported after all bytes before it have been lent. */
trawl_status read_ahead_next(read_ahead *reader, const uint8_t **bytes, size_t *length,
                             trawl_error *error);

/* True when read_ahead_next would have to wait: the moment to show results so far. */
bool read_ahead_is_empty(read_ahead *reader);

/* text_file_stored_position of the file, as far as it has been read. */
uint64_t read_ahead_position(read_ahead *reader);

/* Ends the reading and closes the file. A thread that is blocked in a pipe is not waited for: it
 * cleans up behind itself. NULL is allowed. */
void read_ahead_close(read_ahead *reader);

#endif
