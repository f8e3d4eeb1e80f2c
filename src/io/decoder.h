/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Decompression: a decoder turns the bytes of a stored file into the bytes of a text, with one
 * interface for all formats. Private to src/io.
 */
#ifndef TRAWL_IO_DECODER_H
#define TRAWL_IO_DECODER_H

#include "trawl/trawl.h"

typedef enum compression {
    COMPRESSION_NONE = 0,
    COMPRESSION_GZIP,
    COMPRESSION_ZSTD,
    COMPRESSION_XZ
} compression;

enum { COMPRESSION_MAGIC_BYTES = 6 }; /* first bytes of a file that its format is recognised by */

/* The format of a file, recognised by its first COMPRESSION_MAGIC_BYTES bytes (fewer if the file is
 * shorter). */
compression compression_recognise(const uint8_t *bytes, size_t length);

/* The name of a format that is not decoded, recognised in the same way: "bzip2" or "lz4"; or NULL.
 */
const char *compression_foreign(const uint8_t *bytes, size_t length);

/* Whether a file of a compressed format may begin with these bytes. */
bool compression_is_possible(const uint8_t *bytes, size_t length);

/* Bytes that have been read, and room for text. decoder_run moves both forward. */
typedef struct decoder_step {
    const uint8_t *next_in;
    size_t available_in;
    uint8_t *next_out;
    size_t available_out;
    bool input_ended; /* there are no more bytes behind these */
} decoder_step;

typedef struct text_decoder text_decoder;

/* Opens a decoder; close it with decoder_close. `name`: of the file, for messages; it must live as
 * long as the decoder. TRAWL_ERROR_UNAVAILABLE: this build has no library for the format. */
trawl_status decoder_open(compression format, const char *name, text_decoder **result,
                          trawl_error *error);

/* Decodes as much as input and room allow. *ended: the text is complete, as the last member (frame,
 * stream) and the input have ended. TRAWL_ERROR_FORMAT: the input is truncated or corrupt. */
trawl_status decoder_run(text_decoder *decoder, decoder_step *step, bool *ended,
                         trawl_error *error);

/* NULL is allowed. */
void decoder_close(text_decoder *decoder);

#endif
