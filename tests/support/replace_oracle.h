/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The oracle of replacing: random replacements, and the expected result for known matches, made
 * byte by byte. It shares nothing with the library but the structures of trawl_replace.h. */
#ifndef TRAWL_TESTS_REPLACE_ORACLE_H
#define TRAWL_TESTS_REPLACE_ORACLE_H

#include "oracle.h"
#include "random.h"
#include "trawl/trawl_replace.h"

/* Bytes that grow, owned by the test. */
typedef struct byte_list {
    uint8_t *items;
    size_t count, capacity;
} byte_list;

void byte_list_add(byte_list *list, const void *bytes, size_t length);
void byte_list_free(byte_list *list);

typedef struct replace_oracle {
    trawl_replace_options options; /* for the library; `scan` is left to the caller */
    trawl_span *each;              /* of each pattern; bytes NULL: matches stay as they are */
    size_t patterns;
} replace_oracle;

/* Chooses replacements: one for all, for each pattern, a mask, or the values of the database. */
void replace_oracle_open(replace_oracle *self, const trawl_db *db, random_source *random);
void replace_oracle_close(replace_oracle *self);

/* Appends the result for text[0, length) with these matches, which are in order and do not overlap,
 * to `result`; returns how many are replaced. A match that begins at `until` or behind, and all
 * bytes from there on, are left out; the result of a whole text has until = length. */
size_t replace_oracle_text(const replace_oracle *self, const uint8_t *text, size_t length,
                           const trawl_match *matches, size_t count, size_t until,
                           byte_list *result);

#endif
