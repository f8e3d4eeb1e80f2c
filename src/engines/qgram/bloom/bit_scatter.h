/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Bit scatter buffer: sets bits all over a table that is larger than the caches, without waiting
 * for the cache line of each word. A word is prefetched when its bits are noted, and written when
 * 32 more words have been noted:
 *
 *   set(word, bits) --> [ 32 noted words, prefetched ] --> table[word] |= bits
 *
 * The table is complete only after trawl_bit_scatter_finish. Filling tables took half as long with
 * the buffer or less (docs/notebook/2026-11-building.md).
 */
#ifndef TRAWL_ENGINES_QGRAM_BLOOM_BIT_SCATTER_H
#define TRAWL_ENGINES_QGRAM_BLOOM_BIT_SCATTER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Words in the buffer: by then most cache lines have arrived. Chosen, not measured against
 * others. */
#define TRAWL_BIT_SCATTER_AHEAD 32u

typedef struct trawl_bit_scatter {
    uint32_t *table;
    uint32_t count; /* words noted so far, modulo 2^32 */
    struct {
        uint32_t word, bits; /* at first 0 and 0, which sets nothing in word 0 */
    } noted[TRAWL_BIT_SCATTER_AHEAD];
} trawl_bit_scatter;

/* Clears the table, of 1 << bits words, at most 2^32 of them. */
static inline void trawl_bit_scatter_begin(trawl_bit_scatter *self, uint32_t *table,
                                           uint32_t bits) {
    memset(table, 0, sizeof *table << bits);
    memset(self, 0, sizeof *self);
    self->table = table;
}

/* Notes that these bits of a word are to be set. */
static inline void trawl_bit_scatter_set(trawl_bit_scatter *self, size_t word, uint32_t bits) {
    uint32_t place = self->count++ % TRAWL_BIT_SCATTER_AHEAD;
    __builtin_prefetch(&self->table[word], 1);
    self->table[self->noted[place].word] |= self->noted[place].bits;
    self->noted[place].word = (uint32_t)word;
    self->noted[place].bits = bits;
}

/* Writes the words that are still noted. */
static inline void trawl_bit_scatter_finish(const trawl_bit_scatter *self) {
    for (uint32_t i = 0; i < TRAWL_BIT_SCATTER_AHEAD; i++) {
        self->table[self->noted[i].word] |= self->noted[i].bits;
    }
}

#endif
