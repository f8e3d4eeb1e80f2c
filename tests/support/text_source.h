/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A text in memory as a source, which may return few bytes at a time, fail, or end too early. */
#ifndef TRAWL_TESTS_TEXT_SOURCE_H
#define TRAWL_TESTS_TEXT_SOURCE_H

#include "trawl/trawl.h"

typedef struct text_source {
    trawl_source source; /* what is handed to the library */
    const uint8_t *bytes;
    uint64_t most;   /* bytes that one call gives */
    uint64_t broken; /* reading this byte fails with TRAWL_ERROR_IO, "broken" */
    uint64_t end;    /* the text ends here, whatever source.length says */
} text_source;

/* Gives text[0 .. length), all of it. */
void text_source_open(text_source *source, const uint8_t *bytes, uint64_t length);

/* The first byte that cannot be read, or the length. */
uint64_t text_source_readable(const text_source *source);

#endif
