/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Decompression behind one small interface: a decoder turns bytes of a stored file into bytes of
 * text. Private to src/io.
 */
#ifndef SOURCE_DECODER_H
#define SOURCE_DECODER_H

#include "trawl/trawl.h"

typedef enum compression {
    COMPRESSION_NONE = 0,
    COMPRESSION_GZIP,
    COMPRESSION_ZSTD,
    COMPRESSION_XZ
} compression;

enum { COMPRESSION_MAGIC_BYTES = 6 }; /* what compression_recognise wants to see */

/* By the first bytes of a file; fewer than COMPRESSION_MAGIC_BYTES only where it is shorter. */
compression compression_recognise(const uint8_t *bytes, size_t length);

/* One piece of work: next_in/available_in are what has been read, next_out/available_out is room.
 * Both are moved forward by decoder_run. */
typedef struct decoder_step {
    const uint8_t *next_in;
    size_t available_in;
    uint8_t *next_out;
    size_t available_out;
    bool input_ended; /* no more bytes will come after available_in */
} decoder_step;

typedef struct text_decoder text_decoder;

/* `name` is the file's, for messages, and is borrowed. A format whose library is missing gives
 * TRAWL_ERROR_UNAVAILABLE. */
trawl_status decoder_open(compression format, const char *name, text_decoder **result,
                          trawl_error *error);

/* Decodes as much as input and room allow. Sets *ended when the text is complete: the last member
 * ended and so did the input. Truncated and corrupt input fail with TRAWL_ERROR_FORMAT. */
trawl_status decoder_run(text_decoder *decoder, decoder_step *step, bool *ended,
                         trawl_error *error);

/* NULL is allowed. */
void decoder_close(text_decoder *decoder);

#endif
