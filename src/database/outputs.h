/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Outputs: which patterns end where an automaton stands.
 *
 * They are kept per key (distinct string), not per state: a state names the longest key that is a
 * suffix of it, and every key links to the longest shorter one that is a suffix of it in turn. The
 * lists are so shared along the failure links, and following a chain gives ascending starts, which
 * with ascending ids within a key is the canonical order. A key links to a smaller number.
 */
#ifndef TRAWL_DATABASE_OUTPUTS_H
#define TRAWL_DATABASE_OUTPUTS_H

#include "automaton/trie.h"
#include "database/engine.h"

/* Bits of `verify`. Only folded databases have them. */
enum {
    TRAWL_VERIFY_OWN = 1,  /* some pattern of this key is case-sensitive and has letters */
    TRAWL_VERIFY_CHAIN = 2 /* so has this key or one that it links to */
};

/* What reporting a key takes, in one load: nearly always a key has one pattern and no shorter key.
 */
typedef struct trawl_key_record {
    uint32_t length;
    uint32_t link;
    uint32_t patterns; /* how many, and TRAWL_RECORD_VERIFY for TRAWL_VERIFY_OWN */
    uint32_t ids;      /* the pattern when there is one, else the first one's index in ids */
} trawl_key_record;

#define TRAWL_RECORD_VERIFY UINT32_C(0x80000000)

typedef struct trawl_outputs {
    uint32_t keys;
    const uint32_t *length; /* bytes of the key */
    const uint32_t *link;   /* the next shorter key, always a smaller number, or TRAWL_NO_KEY */
    const uint32_t *total;  /* patterns of the key and of all that it links to */
    const uint32_t *first;  /* keys + 1: patterns of key k are ids[first[k]] .. ids[first[k + 1]] */
    const uint32_t *ids;
    const uint8_t *verify;
    const trawl_key_record *records; /* the same once more, for walkers of the CPU */
} trawl_outputs;

/* One pattern that needs no verification, and no shorter key: one match. */
static inline bool trawl_record_is_plain(const trawl_key_record *record) {
    return record->patterns == 1 && record->link == TRAWL_NO_KEY;
}

/* Whether a match of this pattern in folded text has to be compared with the text once more. A
 * case-sensitive pattern without letters does not: folding did not change it. */
bool trawl_outputs_verifies(const trawl_patterns *patterns, uint32_t id);

/* Reserves the sections of part `part` for a trie of these keys. */
trawl_status trawl_outputs_reserve(trawl_build *build, uint32_t part, const trawl_keys *keys,
                                   const char *instead);

/* Writes them, one key after the other, into an allocated image. Every key comes after the one that
 * it links to; `shorter` is that one's number (in order of appending) or TRAWL_NO_KEY. */
typedef struct trawl_outputs_writer {
    const trawl_patterns *patterns;
    const trawl_keys *keys;
    uint32_t *length, *link, *total, *first, *ids;
    uint8_t *verify;
    trawl_key_record *records;
    uint32_t count; /* keys so far */
    uint32_t used;  /* patterns so far */
    bool longest;   /* records have the longest key alone, for leftmost kinds (selection.h) */
} trawl_outputs_writer;

void trawl_outputs_begin(const trawl_build *build, uint32_t part, const trawl_keys *keys,
                         trawl_outputs_writer *writer);
void trawl_outputs_append(trawl_outputs_writer *writer, uint32_t key, uint32_t shorter);

/* Writes the keys of a trie in the order of its terminals. */
void trawl_outputs_fill(trawl_build *build, uint32_t part, const trawl_keys *keys,
                        const trawl_trie *trie);

/* Views the sections of a part of a valid database. */
void trawl_outputs_view(const trawl_db *db, uint32_t part, trawl_outputs *outputs);

/* Checks the sections of a part: sizes, ranges, falling links, ascending lengths, and records that
 * say what the other sections say. */
trawl_status trawl_outputs_validate(const trawl_db *db, uint32_t part, trawl_error *error);

#endif
