/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Decompression costs no system call for a regular file that is not compressed: that is seen in the
 * bytes that the first read returns.
 */
#ifndef CLI_GREP_SOURCE_H
#define CLI_GREP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "io/read_ahead.h"
#include "io/text_file.h"

typedef struct grep_source {
    bool decompress;   /* set before grep_source_open; false: bytes are read as they are stored */
    unsigned threads;  /* set before grep_source_open; with 1 no thread is started */
    bool plain;        /* the text is known to be stored as it is */
    bool regular;      /* a regular file */
    bool decompressed; /* known after the first read */
    bool ended;        /* there are no more bytes, or `problem` says why none can be read */
    char problem[512]; /* a sentence without the name of the text; "": none */

    /* private */
    int descriptor;
    bool begun;
    off_t begin;        /* position of a regular file's descriptor at first */
    uint64_t length;    /* of a regular file from there on */
    uint64_t got;       /* bytes read from the descriptor */
    text_file *file;    /* NULL: bytes are read from the descriptor; or `reader` owns it */
    read_ahead *reader; /* NULL: `file` is read by this thread */
    const uint8_t *piece, *piece_end; /* lent by `reader` */
} grep_source;

/* Begins a text at the descriptor's position, which with `plain` may be in the middle of a text
 * that is known not to be compressed. The descriptor is not closed. */
void grep_source_open(grep_source *source, int descriptor, const struct stat *information,
                      bool plain);

/* Reads at least one byte and at most `capacity`; 0: `ended` is set. */
size_t grep_source_read(grep_source *source, void *buffer, size_t capacity);

/* Whether the next read may wait for bytes of a pipe or terminal. */
bool grep_source_may_wait(grep_source *source);

void grep_source_close(grep_source *source);

#endif
