/* Finding the longest key that ends at a position (engine/endings.h), and what follows from it. */
#ifndef TRAWL_CPU_ENDINGS_H
#define TRAWL_CPU_ENDINGS_H

#include <string.h>

#include "engine/emit.h"
#include "engine/endings.h"

/* What becomes of matches: they go into `sink`, or, when that is NULL, are counted. */
typedef struct trawl_consumer {
    trawl_sink *sink;
    trawl_counts *counts;
} trawl_consumer;

/* One part's keys. Belongs to a walker, that is to one thread. */
typedef struct trawl_endings_search {
    trawl_outputs outputs;
    const uint64_t *endings;
    const trawl_pattern_view *patterns;
    bool folded;
    uint64_t *hits; /* one for each key once patterns are counted */
} trawl_endings_search;

void trawl_endings_open(const trawl_db *db, uint32_t part, trawl_endings_search *search);
void trawl_endings_close(trawl_endings_search *search);

/* To be called before a walk over a window. */
trawl_status trawl_endings_begin(trawl_endings_search *search, const trawl_consumer *consumer,
                                 trawl_error *error);

/* Adds what walks that counted patterns have put off. */
void trawl_endings_settle(trawl_endings_search *search, trawl_counts *counts);

/* Lower-cases the ASCII letters among eight bytes. */
static inline uint64_t trawl_fold_word(uint64_t word) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t low = word & (ones * 0x7f);
    uint64_t from_a = low + ones * (0x80 - 'A'); /* top bit of a byte: not below 'A' */
    uint64_t past_z = low + ones * (0x7f - 'Z'); /* top bit of a byte: above 'Z' */
    uint64_t upper = from_a & ~past_z & ~word & (ones * 0x80);
    return word | upper >> 2;
}

/* The ending (trawl_ending_number) of text[0 .. end), folded where the keys are. */
static inline uint64_t trawl_ending_load(const uint8_t *text, size_t end, bool folded) {
    uint64_t word = 0;
    if (end >= sizeof word) {
        memcpy(&word, text + end - sizeof word, sizeof word);
    } else {
        for (size_t i = 0; i < end; i++) {
            word = word >> 8 | (uint64_t)text[i] << 56;
        }
    }
    return folded ? trawl_fold_word(word) : word;
}

/* The longest of the keys first .. last - 1 that ends before text[end], or TRAWL_NO_KEY. All of
 * them end with the same `known` bytes, and so does the text, whose ending is `ending`. */
uint32_t trawl_endings_find(const trawl_endings_search *search, uint32_t first, uint32_t last,
                            size_t known, const uint8_t *text, size_t end, uint64_t ending);

/* Reports that key and all keys that are suffixes of it. */
static inline trawl_status trawl_endings_report(trawl_endings_search *search,
                                                const trawl_window *window, size_t end,
                                                uint32_t key, const trawl_consumer *consumer) {
    if (consumer->sink != NULL) {
        return trawl_emit_matches(&search->outputs, search->patterns, window, end, key,
                                  consumer->sink);
    }
    trawl_emit_counts(&search->outputs, search->patterns, window, end, key, consumer->counts,
                      consumer->counts->per_pattern == NULL ? NULL : search->hits);
    return TRAWL_OK;
}

#endif
