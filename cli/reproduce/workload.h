/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The papers' texts and pattern sets, or data that resemble them. All but the files are made from
 * seeds, so that they are the same on every machine, and a shorter text is the beginning of a
 * longer one.
 */
#ifndef CLI_REPRODUCE_WORKLOAD_H
#define CLI_REPRODUCE_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/trawl.h"

typedef enum text_kind {
    TEXT_FILES,      /* this machine's files below /usr/bin and /usr/lib, one after the other */
    TEXT_WORDS,      /* made-up words, as frequent as words of a language are */
    TEXT_DICTIONARY, /* the patterns of SET_WORDS in random order, separated by blanks, repeated:
                        Dict_Input_S and Dict_Input_L of Tran et al. */
    TEXT_DNA,        /* the letters a, c, g, t */
    TEXT_BYTES       /* random bytes */
} text_kind;

typedef enum set_kind {
    SET_HEADERS, /* headers.h */
    SET_WORDS,   /* words of five letters or more of TEXT_WORDS, drawn with repetition */
    SET_DNA,     /* distinct pieces of eight letters of TEXT_DNA */
    SET_BYTES    /* pieces of 1,024 bytes of TEXT_BYTES */
} set_kind;

/* One pattern set and one text. */
typedef struct workload {
    set_kind set;
    size_t patterns; /* their number; SET_HEADERS: not used */
    text_kind text;
    uint64_t bytes; /* of the text in the paper */
} workload;

/* A text that is made as far as it is needed. Begins as zeros with `kind` and `patterns`. */
typedef struct made_text {
    text_kind kind;
    size_t patterns; /* TEXT_DICTIONARY: of the set */
    uint8_t *bytes;  /* owned */
    size_t length;
    size_t files; /* TEXT_FILES: that were read; they were repeated if `repeated` */
    bool repeated;
} made_text;

/* Makes the text at least `length` bytes long. Ends the process if memory is short. */
void made_text_extend(made_text *text, size_t length);

/* Makes a pattern set. The caller frees it. SET_BYTES is cut from all of the first `text_bytes`
 * bytes of its text, 4,096 or more; the other sets do not use this number. */
trawl_patterns *make_patterns(set_kind kind, size_t count, size_t text_bytes);

#endif
