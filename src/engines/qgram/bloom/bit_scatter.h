/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Bits that are set all over a table which no cache holds. Each word would be waited for; so it is
 * asked for when it is known which one it is, and its bits are set when some others have been. What
 * is set last is there only after trawl_bit_scatter_finish.
 */
#ifndef TRAWL_ENGINES_QGRAM_BLOOM_BIT_SCATTER_H
#define TRAWL_ENGINES_QGRAM_BLOOM_BIT_SCATTER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TRAWL_BIT_SCATTER_AHEAD 32u /* words: what waits for memory by then has come, mostly */

typedef struct trawl_bit_scatter {
    uint32_t *table;
    uint32_t count; /* of the words that were noted, modulo 2^32 */
    struct {
        uint32_t word, bits; /* at first all 0: no bits of word 0 */
    } waiting[TRAWL_BIT_SCATTER_AHEAD];
} trawl_bit_scatter;

/* Clears the table, of 1 << bits words, at most 2^32 of them. */
static inline void trawl_bit_scatter_begin(trawl_bit_scatter *self, uint32_t *table,
                                           uint32_t bits) {
    memset(table, 0, sizeof *table << bits);
    memset(self, 0, sizeof *self);
    self->table = table;
}

static inline void trawl_bit_scatter_set(trawl_bit_scatter *self, size_t word, uint32_t bits) {
    uint32_t place = self->count++ % TRAWL_BIT_SCATTER_AHEAD;
    __builtin_prefetch(&self->table[word], 1);
    self->table[self->waiting[place].word] |= self->waiting[place].bits;
    self->waiting[place].word = (uint32_t)word;
    self->waiting[place].bits = bits;
}

static inline void trawl_bit_scatter_finish(const trawl_bit_scatter *self) {
    for (uint32_t i = 0; i < TRAWL_BIT_SCATTER_AHEAD; i++) {
        self->table[self->waiting[i].word] |= self->waiting[i].bits;
    }
}

#endif
