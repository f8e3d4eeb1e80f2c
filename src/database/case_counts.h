/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Sets of which some patterns match in any case and others in one case only: how many patterns of a
 * key match, without comparing each of them with the text.
 *
 * Keys of such a set are folded, so the case of its patterns has to be compared with the text. But
 * most texts have few capital letters. Where the text that a key covers has no capitals, a pattern
 * of the key matches if it matches in any case or has no capitals itself. Where that text has some,
 * a pattern matches if it matches in any case or has the same capitals. Patterns of one spelling
 * are compared once. For two keys, of which the first one links to the second one:
 *
 *     own patterns                               plain   any case   own spellings
 *     "of the" 271 times, "Of the", "Of the"       273          1   "Of the": 2
 *     "the" in any case, "the", "THE"                2          1   "THE": 1
 *
 * The numbers under "plain" and "any case" are with those of links. The text "of the" has 273
 * matches. The text "Of the" has 2 of the first key, by its spelling, and 2 of the second one,
 * whose text has no capitals.
 */
#ifndef TRAWL_DATABASE_CASE_COUNTS_H
#define TRAWL_DATABASE_CASE_COUNTS_H

#include "database/outputs.h"

/* In flags of trawl_case_flags: the pattern has letters from A to Z. */
#define TRAWL_PATTERN_HAS_CAPITALS UINT8_C(0x80)

/* A spelling with capitals of a key's patterns. */
typedef struct trawl_spelling {
    uint32_t offset;   /* where the first of them begins among the bytes of all patterns */
    uint32_t patterns; /* how many have it */
} trawl_spelling;

/* A view of the counts of one part. */
typedef struct trawl_case_counts {
    const uint32_t *plain;    /* of each key: patterns of it and of its links that match where the
                                 text has no capitals; NULL: no counts */
    const uint32_t *any_case; /* of each key: those of them that match in any case */
    const uint32_t *first;    /* keys + 1: own spellings of key k are spellings[first[k]] to
                                 spellings[first[k + 1] - 1] */
    const trawl_spelling *spellings;
} trawl_case_counts;

/* Whether some patterns match in any case and others do not. */
bool trawl_case_is_mixed(const trawl_pattern_view *patterns);

/* Writes the flags of all patterns, with TRAWL_PATTERN_HAS_CAPITALS where it holds. */
void trawl_case_flags(const trawl_pattern_view *patterns, uint8_t *flags);

/* The words of 32 bits that the counts of a part need. Of the outputs only keys, link, first and
 * ids are used. `flags`: of trawl_case_flags. */
uint64_t trawl_case_words(const trawl_outputs *outputs, const uint8_t *flags);

/* Writes these words. */
void trawl_case_write(const trawl_outputs *outputs, const trawl_pattern_view *patterns,
                      const uint8_t *flags, uint32_t *words);

/* A view of words wherever they are; `count`: of trawl_case_words, `keys`: of the part. */
trawl_case_counts trawl_case_view(const uint32_t *words, uint64_t count, uint32_t keys);

#endif
