/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Replacing the matches in a text.
 *
 * The database is of a leftmost kind, so that matches do not overlap: TRAWL_MATCH_LEFTMOST_LONGEST
 * is what is mostly meant by a list of words. Every match is replaced once; what it is replaced
 * with is not searched. All other bytes stay as they are. Conditions hold (trawl_conditions.h).
 *
 *     trawl_replace_options options = TRAWL_REPLACE_OPTIONS;        each pattern's value
 *     trawl_replacer *replacer;
 *     if (trawl_replacer_open(db, &options, &replacer, &error) == TRAWL_OK) {
 *         while (next_text(&text, &length)) {
 *             trawl_replace(replacer, text, length, write_bytes, file, NULL);
 *         }
 *         trawl_replacer_close(replacer);
 *     }
 *
 * A replacer is made once and used by one thread at a time. On one thread a call allocates nothing,
 * except the first one of trawl_records_replace, and its arrays as they grow. Replacers work on the
 * CPU.
 *
 * With several threads (options.scan) long texts and pieces, and records, are searched by all of
 * them; the result is the same for any number. Such calls allocate memory and may also return
 * TRAWL_ERROR_MEMORY. The system may refuse threads: then there are fewer. The threads sleep
 * between calls; in the child of a fork a replacer starts new ones (trawl.h).
 */
#ifndef TRAWL_TRAWL_REPLACE_H
#define TRAWL_TRAWL_REPLACE_H

#include "trawl/trawl_records.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a match is replaced with. */
typedef enum trawl_replace_kind {
    TRAWL_REPLACE_VALUES = 0, /* the pattern's value (trawl_groups.h); one without a value stays */
    TRAWL_REPLACE_ONE = 1,    /* the same bytes for all patterns */
    TRAWL_REPLACE_EACH = 2,   /* bytes for each pattern */
    TRAWL_REPLACE_MASK = 3    /* as many times a byte as the match has bytes */
} trawl_replace_kind;

typedef struct trawl_replace_options {
    size_t size; /* sizeof(trawl_replace_options) */
    trawl_replace_kind kind;
    uint8_t mask;           /* TRAWL_REPLACE_MASK: that byte */
    trawl_span one;         /* TRAWL_REPLACE_ONE: these bytes, perhaps none */
    const trawl_span *each; /* TRAWL_REPLACE_EACH: one for each pattern. A span with bytes NULL: the
                               match stays as it is. Spans and bytes must outlive the replacer, as
                               those of `one` */
    uint64_t *per_pattern; /* NULL, or a counter for each pattern, to which its replaced matches are
                              added; must outlive the replacer */
    const trawl_scan_options *scan; /* NULL: one thread; or as for trawl_record_scanner_open, its
                                       threads included. Its report is not filled in */
} trawl_replace_options;
#define TRAWL_REPLACE_OPTIONS TRAWL_SIZED(trawl_replace_options)

/* What one thread needs to replace matches in many texts. */
typedef struct trawl_replacer trawl_replacer;

/* Opens a replacer; `options` NULL: the patterns' values. The database must outlive it. The caller
 * owns *replacer; free it with trawl_replacer_close.
 * Errors: TRAWL_ERROR_ARGUMENT, also for a database of TRAWL_MATCH_ALL, and for values where no
 * pattern has one; TRAWL_ERROR_LIMIT, TRAWL_ERROR_MEMORY; *replacer is then NULL. */
TRAWL_API trawl_status trawl_replacer_open(const trawl_db *db, const trawl_replace_options *options,
                                           trawl_replacer **replacer, trawl_error *error);

/* Frees a replacer; NULL is allowed. */
TRAWL_API void trawl_replacer_close(trawl_replacer *replacer);

/* Receives the next bytes of the result, 1 or more, which are valid only during the call. Returns 0
 * to go on, anything else to stop. It must not use the replacer. It is never called by two threads
 * at once, but with several threads it may be called by different ones in turn. */
typedef int (*trawl_on_bytes)(const void *bytes, size_t length, void *context);

/* Replaces the matches in text[0, length) and calls on_bytes for the result, piece by piece.
 * `replaced`: NULL, or how many matches were replaced. Returns TRAWL_OK, or TRAWL_STOPPED if
 * on_bytes asked to stop; TRAWL_ERROR_ARGUMENT if a pointer is NULL. */
TRAWL_API trawl_status trawl_replace(trawl_replacer *replacer, const void *text, size_t length,
                                     trawl_on_bytes on_bytes, void *context, uint64_t *replaced);

/* The same into memory: writes the result to out[0, capacity), which must not overlap the text, and
 * sets *needed to its length. If that is more than `capacity`, only so many bytes are written, and
 * the result is TRAWL_ERROR_LIMIT. `out` may be NULL if capacity is 0. */
TRAWL_API trawl_status trawl_replace_into(trawl_replacer *replacer, const void *text, size_t length,
                                          void *out, size_t capacity, uint64_t *needed,
                                          uint64_t *replaced);

/*
 * A text in pieces of any length, one at a time: trawl_replacer_start, then trawl_replacer_write
 * for each piece, then trawl_replacer_finish. The result is that of trawl_replace for the whole
 * text. A call hands out all that no later text can change: of what has been written, fewer bytes
 * wait than the longest pattern has (with conditions, one more).
 *
 * Results as of trawl_replace. After TRAWL_STOPPED or an error, calls do nothing but return it
 * until the next trawl_replacer_start. trawl_replacer_finish begins a new text; `replaced` is over
 * all pieces. The other calls of a replacer may be used between the pieces, but for
 * trawl_replacer_start.
 */
TRAWL_API void trawl_replacer_start(trawl_replacer *replacer);
TRAWL_API trawl_status trawl_replacer_write(trawl_replacer *replacer, const void *piece,
                                            size_t length, trawl_on_bytes on_bytes, void *context);
TRAWL_API trawl_status trawl_replacer_finish(trawl_replacer *replacer, trawl_on_bytes on_bytes,
                                             void *context, uint64_t *replaced);

/* Records after replacing: that of number i is bytes[offsets[i], offsets[i + 1]), without a tail;
 * an absent one is empty. The next call uses the memory again; free it with
 * trawl_replaced_records_free. Begins as {NULL}. Its layout never changes. */
typedef struct trawl_replaced_records {
    uint8_t *bytes;
    uint64_t *offsets; /* one more than records */
} trawl_replaced_records;

/* Replaces the matches of each record. Errors: those of trawl_records_scan. */
TRAWL_API trawl_status trawl_records_replace(trawl_replacer *replacer, const trawl_records *records,
                                             trawl_replaced_records *result, uint64_t *replaced,
                                             trawl_error *error);

/* Frees the arrays and makes *result empty. NULL is allowed. */
TRAWL_API void trawl_replaced_records_free(trawl_replaced_records *result);

#ifdef __cplusplus
}
#endif
#endif
