/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Conditions of patterns as words, in the fourth column of a tsv file and in reports. They are
 * separated by commas:
 *
 *     word              a boundary on both sides; also word-utf8, alnum, label, or a class of bytes
 *     left=C, right=C   a boundary on one side
 *     start=N, end=N    least start, greatest end
 *     at-start, at-end  the match starts or ends with the text
 *     -                 none
 *
 * A class of bytes is written as in [a-z_\x80-\xFF]: bytes and ranges, with the escapes of
 * patterns; \x5D is a bracket, and \x2D a dash. It has at least one byte.
 */
#ifndef TRAWL_IO_CONDITION_TEXT_H
#define TRAWL_IO_CONDITION_TEXT_H

#include "trawl/trawl_conditions.h"

/* Gives the last pattern of the set the condition that the text says. A word may be repeated, but
 * start= and end= may stand once, and each side has one class. `boundary`: TRAWL_CLASS_NONE, or
 * what condition_add_boundary will add, which it has added to some pattern before: classes [BYTES]
 * get its members at once, as a set has room for few classes. False: `message` says what was
 * expected. */
enum { CONDITION_MESSAGE = 192 };
bool condition_add_text(trawl_patterns *patterns, const uint8_t *text, size_t length,
                        uint8_t boundary, char message[CONDITION_MESSAGE]);

/* Adds a boundary on both sides to the condition of the last pattern; `number` is a class that the
 * library defines. Where a side has a class already, the byte there may be in neither. Errors:
 * those of trawl_set_class and trawl_patterns_condition_last. */
trawl_status condition_add_boundary(trawl_patterns *patterns, uint8_t number, trawl_error *error);

/* Whether condition_add_text would take what condition_write_text writes for pattern `id`: not if a
 * class has no bytes, or if no match can fulfil the condition. */
bool condition_has_text(const trawl_db *db, uint32_t id);

/* Writes the condition of pattern `id`, or "-", with a NUL. `text` has room for CONDITION_TEXT. */
enum { CONDITION_TEXT = 4096 };
void condition_write_text(const trawl_db *db, uint32_t id, char *text);

#endif
