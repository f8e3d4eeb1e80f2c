/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Outputs: the patterns that end at a position of the text.
 *
 * They belong to keys (distinct strings), not to states. A walker finds the longest key that ends
 * at a position; each key links to the longest shorter key that is a suffix of it. The keys "she",
 * "he" and "e", where "he" is pattern 0 and pattern 3:
 *
 *     text   u s h e r s             longest key here: "she"
 *                  ^ end
 *     key    2 "she" --link--> 1 "he" --link--> 0 "e" --link--> TRAWL_NO_KEY
 *     ids      [1]               [0, 3]           [2]
 *     total     4                 3                1
 *
 * A key and all that follow from its links are its chain. Starts ascend along a chain and ids
 * ascend within a key, so that following the links gives matches in canonical order. Keys are
 * numbered so that links lead to smaller numbers.
 */
#ifndef TRAWL_DATABASE_OUTPUTS_H
#define TRAWL_DATABASE_OUTPUTS_H

#include "automaton/trie.h"
#include "database/engine.h"

/* Bits of `verify`, which only folded databases have set. The patterns concerned are case-sensitive
 * and have letters: where their key ends, the text is compared with their own bytes. */
enum {
    TRAWL_VERIFY_OWN = 1,  /* this key has such a pattern */
    TRAWL_VERIFY_CHAIN = 2 /* this key or one that its links lead to has such a pattern */
};

/* All that reporting a key needs, in one load of 16 bytes. Nearly every key has one pattern and no
 * link. In databases with selection sections (database/selection.h) a record has no link and only
 * the pattern with the lowest id.
 *
 *     0         4        8                     12          16
 *     | length  | link   | v |   patterns      | ids       |
 *                          ^ bit 31: TRAWL_RECORD_VERIFY
 */
typedef struct trawl_key_record {
    uint32_t length;   /* bytes of the key */
    uint32_t link;     /* as below */
    uint32_t patterns; /* their number, and TRAWL_RECORD_VERIFY if TRAWL_VERIFY_OWN is set */
    uint32_t ids;      /* of one pattern its id; of several the index of the first one in `ids` */
} trawl_key_record;

/* So a key has at most TRAWL_PATTERNS_MAX_EQUAL patterns. */
#define TRAWL_RECORD_VERIFY UINT32_C(0x80000000)

/* With conditions, each key has a gate: the right boundaries of all patterns of its chain, a bit
 * for each class (pattern/conditions.h). Where the byte behind is in all of these classes, none of
 * the matches counts, and the chain is passed over. (Of the patterns a, aa, ... of 2,000 as whole
 * words, 2,000 would end at each position of a long run of a's.) Matches of an open gate are tested
 * one by one later (scan/conditions.h). */
typedef uint16_t trawl_gate;

/* A view of the outputs of one part. */
typedef struct trawl_outputs {
    uint32_t keys;
    const uint32_t *length; /* bytes of the key */
    const uint32_t *link;   /* a smaller number, or TRAWL_NO_KEY */
    const uint32_t *total;  /* patterns of the key's chain */
    const uint32_t *first;  /* keys + 1: patterns of key k are ids[first[k]] .. ids[first[k + 1]] */
    const uint32_t *ids;
    const uint8_t *verify;
    const trawl_key_record *records; /* the same once more, for walkers on CPUs */
    const trawl_gate *gates; /* keys + 1: of each key, then of all keys together; NULL: none */
    const uint16_t *outside; /* with gates: of each byte, the classes that it is not in */
    uint16_t left; /* with gates: left boundaries of all patterns; bit TRAWL_CLASS_NONE: some
                      pattern has none */
} trawl_outputs;

/* Whether the key is one match: it has one pattern, which needs no verification, and no link. */
static inline bool trawl_record_is_plain(const trawl_key_record *record) {
    return record->patterns == 1 && record->link == TRAWL_NO_KEY;
}

/* Whether a match of this pattern in folded text has to be compared with the text once more. A
 * case-sensitive pattern without letters does not: folding did not change it. */
bool trawl_outputs_verifies(const trawl_patterns *patterns, uint32_t id);

/* Reserves the sections of part `part` for a trie of these keys. TRAWL_ERROR_LIMIT also if a key
 * has more than TRAWL_PATTERNS_MAX_EQUAL patterns. */
trawl_status trawl_outputs_reserve(trawl_build *build, uint32_t part, const trawl_keys *keys,
                                   const char *instead);

/* Writes the sections into an allocated image, one key after the other. A key comes after the one
 * that it links to. */
typedef struct trawl_outputs_writer {
    const trawl_patterns *patterns;
    const trawl_keys *keys;
    uint32_t *length, *link, *total, *first, *ids;
    uint8_t *verify;
    trawl_key_record *records;
    trawl_gate *gates; /* NULL: no conditions */
    uint32_t count;    /* keys so far */
    uint32_t used;     /* patterns so far */
    bool longest;      /* records have the longest key alone, for leftmost kinds (selection.h) */
} trawl_outputs_writer;

void trawl_outputs_begin(const trawl_build *build, uint32_t part, const trawl_keys *keys,
                         trawl_outputs_writer *writer);
/* `key`: its index in keys. `shorter`: what it links to, numbered in the order of these calls, or
 * TRAWL_NO_KEY. */
void trawl_outputs_append(trawl_outputs_writer *writer, uint32_t key, uint32_t shorter);

/* Writes the keys of a trie in the order of its terminals. */
void trawl_outputs_fill(trawl_build *build, uint32_t part, const trawl_keys *keys,
                        const trawl_trie *trie);

/* Views the sections of a part of a valid database. */
void trawl_outputs_view(const trawl_db *db, uint32_t part, trawl_outputs *outputs);

/* Whether there are sections of outputs. Variants that list patterns themselves must not have any:
 * nothing would have checked them. */
bool trawl_outputs_are_present(const trawl_db *db);

/* Checks the sections of a part: sizes and ranges, that links lead to smaller numbers and shorter
 * keys, and that totals, verify bits and records agree with the other sections. */
trawl_status trawl_outputs_validate(const trawl_db *db, uint32_t part, trawl_error *error);

#endif
