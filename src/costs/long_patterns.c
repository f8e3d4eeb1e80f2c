/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "costs/long_patterns.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "costs/automata.h"

trawl_status trawl_long_patterns_open(trawl_long_patterns *self, const trawl_patterns *patterns,
                                      const uint8_t *fold, uint32_t known, size_t room,
                                      trawl_error *error) {
    *self = (trawl_long_patterns){.patterns = patterns, .fold = fold, .known = known, .bits = 4};
    while (self->bits < 30 && (size_t)1 << self->bits < room) {
        self->bits++;
    }
    self->heads = trawl_allocate_zeroed((size_t)1 << self->bits, sizeof *self->heads);
    self->all = trawl_allocate(room + 1, sizeof *self->all);
    if (self->heads == NULL || self->all == NULL) {
        trawl_long_patterns_close(self);
        return trawl_fail_memory(error, "planning", room * sizeof *self->all);
    }
    return TRAWL_OK;
}

void trawl_long_patterns_close(trawl_long_patterns *self) {
    trawl_release(self->heads);
    trawl_release(self->all);
    self->heads = NULL;
    self->all = NULL;
}

void trawl_long_patterns_add(trawl_long_patterns *self, size_t id, uint64_t hash, bool verified) {
    uint32_t *head = &self->heads[hash >> (64 - self->bits)];
    self->all[self->count++] =
        (trawl_long_pattern){.hash = hash, .id = (uint32_t)id, .next = *head, .verified = verified};
    *head = self->count;
}

/* How many of the first `length` bytes of the pattern the text has; the hashed ones are equal. */
static uint32_t count_equal(trawl_long_patterns *self, const uint8_t *pattern, uint32_t length,
                            const uint8_t *text) {
    uint32_t i = self->known;
    while (i < length && self->fold[pattern[i]] == self->fold[text[i]]) {
        i++;
    }
    self->compared += i - self->known + 1;
    return i;
}

trawl_new_ends trawl_mark_end(uint8_t *end, bool verified, bool matches) {
    trawl_new_ends new = {.folded = (*end & TRAWL_TRACE_END) == 0,
                          .matches = matches && (*end & TRAWL_TRACE_MATCH) == 0,
                          .compared = verified};
    *end |= (uint8_t)(TRAWL_TRACE_END | (verified ? TRAWL_TRACE_VERIFIED : 0) |
                      (matches ? TRAWL_TRACE_MATCH : 0));
    return new;
}

trawl_new_ends trawl_long_patterns_find(trawl_long_patterns *self, const uint8_t *text,
                                        size_t length, uint64_t hash, uint8_t *ends,
                                        uint32_t *depth) {
    trawl_new_ends all = {0};
    *depth = self->known;
    for (uint32_t at = self->heads[hash >> (64 - self->bits)]; at != 0;) {
        const trawl_long_pattern *entry = &self->all[at - 1];
        const uint8_t *pattern = trawl_pattern_bytes(self->patterns, entry->id);
        uint32_t bytes = trawl_pattern_length(self->patterns, entry->id);
        at = entry->next;
        if (entry->hash != hash) {
            continue;
        }
        uint32_t equal =
            count_equal(self, pattern, bytes < length ? bytes : (uint32_t)length, text);
        *depth = equal > *depth ? equal : *depth;
        if (equal == bytes) {
            bool matches = !entry->verified || memcmp(pattern, text, bytes) == 0;
            trawl_new_ends new = trawl_mark_end(&ends[bytes - 1], entry->verified, matches);
            all.folded += new.folded;
            all.matches += new.matches;
            all.compared += new.compared;
        }
    }
    return all;
}
