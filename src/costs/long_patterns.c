/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "costs/long_patterns.h"

#include "base/allocate.h"
#include "base/status.h"

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

void trawl_long_patterns_add(trawl_long_patterns *self, size_t id, uint64_t hash, uint8_t mark) {
    uint32_t *head = &self->heads[hash >> (64 - self->bits)];
    self->all[self->count++] =
        (trawl_long_pattern){.hash = hash, .id = (uint32_t)id, .next = *head, .mark = mark};
    *head = self->count;
}

/* Whether the text has the bytes of the pattern behind the hashed ones. */
static bool is_at(trawl_long_patterns *self, const uint8_t *pattern, uint32_t length,
                  const uint8_t *text) {
    uint32_t i = self->known;
    while (i < length && self->fold[pattern[i]] == self->fold[text[i]]) {
        i++;
    }
    self->compared += i - self->known + 1;
    return i == length;
}

uint32_t trawl_long_patterns_find(trawl_long_patterns *self, const uint8_t *text, size_t length,
                                  uint64_t hash, uint8_t *ends) {
    uint32_t new_ends = 0;
    for (uint32_t at = self->heads[hash >> (64 - self->bits)]; at != 0;) {
        const trawl_long_pattern *entry = &self->all[at - 1];
        uint32_t bytes = trawl_pattern_length(self->patterns, entry->id);
        if (entry->hash == hash && bytes <= length &&
            is_at(self, trawl_pattern_bytes(self->patterns, entry->id), bytes, text)) {
            new_ends += ends[bytes - 1] == 0;
            ends[bytes - 1] |= entry->mark;
        }
        at = entry->next;
    }
    return new_ends;
}
