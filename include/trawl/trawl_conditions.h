/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Conditions of patterns: where in a text, and between which bytes, a pattern counts.
 *
 *     trawl_condition word = TRAWL_CONDITION;
 *     word.left = word.right = TRAWL_CLASS_WORD;
 *     trawl_patterns_add(patterns, "cat", 3, 0, &error);
 *     trawl_patterns_condition_last(patterns, &word, &error);      "cat", but not "concatenate"
 *
 * An occurrence that does not fulfil the condition of its pattern is no match. This is tested
 * before leftmost matches are selected: there a shorter or later occurrence may be found instead.
 * Conditions are stored in databases and hold for all calls that report or count matches.
 *
 * Limits: trawl_cuda_scan, whose text is in the memory of a GPU, refuses sets with conditions; rows
 * (trawl_cuda_rows.h) have them. trawl_scan with device "cuda" tests conditions on the host, also
 * for counts. A stream reports a match when the byte behind it is known.
 */
#ifndef TRAWL_TRAWL_CONDITIONS_H
#define TRAWL_TRAWL_CONDITIONS_H

#include "trawl/trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Classes of bytes, for boundaries. */
enum {
    TRAWL_CLASS_NONE = 0,      /* no boundary is wanted */
    TRAWL_CLASS_WORD = 1,      /* 0-9 A-Z a-z _ */
    TRAWL_CLASS_WORD_UTF8 = 2, /* these and all bytes from 0x80 on: letters of UTF-8 */
    TRAWL_CLASS_ALNUM = 3,     /* 0-9 A-Z a-z */
    TRAWL_CLASS_LABEL = 4,     /* 0-9 A-Z a-z - : labels of domain names */
    TRAWL_CLASS_OWN = 8,       /* 8 to 15: trawl_patterns_class */
    TRAWL_CLASSES = 16
};

/* What a match of a pattern has to fulfil, besides its bytes. A member that is 0 demands nothing.
 * Offsets count from the first byte of the text. */
typedef struct trawl_condition {
    size_t size;         /* sizeof(trawl_condition) */
    uint64_t min_start;  /* the match starts there or later */
    uint64_t max_end;    /* and ends there or before; 0: no limit */
    uint8_t left;        /* the byte before the match is not of this class, or there is none */
    uint8_t right;       /* the same for the byte behind the match */
    bool at_start;       /* the match starts with the text */
    bool at_end;         /* the match ends with the text */
    uint8_t reserved[4]; /* 0 */
} trawl_condition;
#define TRAWL_CONDITION TRAWL_SIZED(trawl_condition)

/* Sets the condition of the pattern that was added last, in place of any earlier one; NULL: none.
 * Errors: TRAWL_ERROR_ARGUMENT, also for a class that is not known; TRAWL_ERROR_LIMIT after
 * 4,294,967,294 different conditions; TRAWL_ERROR_MEMORY. */
TRAWL_API trawl_status trawl_patterns_condition_last(trawl_patterns *patterns,
                                                     const trawl_condition *condition,
                                                     trawl_error *error);

/* Defines class `number`, 8 to 15, of this set: byte b is a member if bit b % 8 of members[b / 8]
 * is set. A class is defined once, before conditions name it.
 * Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_MEMORY. */
TRAWL_API trawl_status trawl_patterns_class(trawl_patterns *patterns, uint8_t number,
                                            const uint8_t members[32], trawl_error *error);

/* Reads the condition of pattern `id`. False if it has none, if `id` is not below the number of
 * patterns, or if condition->size is 0. */
TRAWL_API bool trawl_patterns_condition(const trawl_patterns *patterns, uint32_t id,
                                        trawl_condition *condition);
TRAWL_API bool trawl_db_condition(const trawl_db *db, uint32_t id, trawl_condition *condition);

/* Whether any pattern of a database has a condition. */
TRAWL_API bool trawl_db_has_conditions(const trawl_db *db);

/* Reads the members of class `number`, also of one that the library defines; a class that nobody
 * has defined has none. False if the database has no conditions, or `number` is not 1 to 15. */
TRAWL_API bool trawl_db_class(const trawl_db *db, uint8_t number, uint8_t members[32]);

/* Appends all patterns of a database to an empty set, with flags, names, conditions, classes,
 * groups and values.
 * Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_LIMIT, TRAWL_ERROR_MEMORY. */
TRAWL_API trawl_status trawl_patterns_add_database(trawl_patterns *patterns, const trawl_db *db,
                                                   trawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
