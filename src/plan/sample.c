/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "plan/sample.h"

#include <string.h>

#include "base/allocate.h"
#include "base/random.h"
#include "base/status.h"
#include "constants/cpu.h"

/* The Markov chain: the bytes that follow each context, one list for each context.
 *
 *     begins   0   2   2   5 ...        context c is followed by next[begins[c]] up to
 *     next     e a     t t h ...        next[begins[c + 1] - 1] */
typedef struct chain {
    const uint8_t *bytes; /* the patterns, one after the other */
    size_t length;
    unsigned order;   /* bytes of a context: 0 to 2 */
    uint32_t *begins; /* (1 << 8 * order) + 1 */
    uint8_t *next;
} chain;

static uint32_t context(const chain *self, const uint8_t *at) {
    return self->order == 0   ? 0
           : self->order == 1 ? at[-1]
                              : (uint32_t)at[-1] | (uint32_t)at[-2] << 8;
}

/* A counting sort. Contexts extend over the end of a pattern into the next pattern. */
static void sort_by_context(chain *self) {
    size_t contexts = (size_t)1 << 8 * self->order;
    memset(self->begins, 0, (contexts + 1) * sizeof *self->begins);
    for (size_t i = self->order; i < self->length; i++) {
        self->begins[context(self, self->bytes + i) + 1]++;
    }
    for (size_t i = 0; i < contexts; i++) {
        self->begins[i + 1] += self->begins[i];
    }
    for (size_t i = self->order; i < self->length; i++) {
        self->next[self->begins[context(self, self->bytes + i)]++] = self->bytes[i];
    }
    /* Each list's beginning has been moved to its end by the loop. */
    memmove(self->begins + 1, self->begins, contexts * sizeof *self->begins);
    self->begins[0] = 0;
}

static unsigned choose_order(const uint8_t *bytes, size_t length) {
    bool seen[256] = {false};
    size_t singles = 0, pairs = 0;
    uint8_t seen_pairs[65536 / 8] = {0};
    for (size_t i = 0; i < length; i++) {
        singles += !seen[bytes[i]];
        seen[bytes[i]] = true;
        if (i != 0) {
            uint32_t pair = bytes[i] | (uint32_t)bytes[i - 1] << 8;
            pairs += (seen_pairs[pair / 8] >> pair % 8 & 1) == 0;
            seen_pairs[pair / 8] |= (uint8_t)(1u << pair % 8);
        }
    }
    return length >= TRAWL_MADE_UP_CONTEXT_COUNT * pairs     ? 2
           : length >= TRAWL_MADE_UP_CONTEXT_COUNT * singles ? 1
                                                             : 0;
}

static void write_text(const chain *self, uint8_t *text, size_t length) {
    uint64_t random = UINT64_C(0x2545f4914f6cdd1d);
    size_t inside = self->length > self->order ? self->length - self->order : 1;
    for (size_t i = 0; i < length; i++) {
        (void)trawl_random_next(&random);
        uint32_t at = i < self->order ? 0 : context(self, text + i);
        uint32_t begin = self->begins[at], end = self->begins[at + 1];
        if (i < self->order || begin == end) { /* no byte follows this context */
            text[i] = self->bytes[self->order + random % inside];
        } else {
            text[i] = self->next[begin + random % (end - begin)];
        }
    }
}

trawl_status trawl_sample_make(const trawl_patterns *patterns, uint8_t **sample, size_t *length,
                               trawl_error *error) {
    /* Sets are often sorted, so that a part is not typical of the whole; the middle is as good as
     * any other. */
    size_t total = trawl_patterns_bytes(patterns);
    size_t part = total < TRAWL_MADE_UP_PATTERN_BYTES ? total : TRAWL_MADE_UP_PATTERN_BYTES;
    chain made = {.bytes = patterns->bytes + (total - part) / 2, .length = part};
    made.order = part < 3 ? 0 : choose_order(made.bytes, part);
    size_t contexts = ((size_t)1 << 8 * made.order) + 1;
    made.begins = trawl_allocate(contexts + 1, sizeof *made.begins);
    made.next = trawl_allocate(part, 1);
    *sample = trawl_allocate(TRAWL_MADE_UP_TEXT_BYTES, 1);
    *length = TRAWL_MADE_UP_TEXT_BYTES;
    trawl_status status = TRAWL_OK;
    if (made.begins == NULL || made.next == NULL || *sample == NULL) {
        trawl_release(*sample);
        *sample = NULL;
        status = trawl_fail_memory(error, "planning", part + TRAWL_MADE_UP_TEXT_BYTES);
    } else {
        sort_by_context(&made);
        write_text(&made, *sample, TRAWL_MADE_UP_TEXT_BYTES);
    }
    trawl_release(made.begins);
    trawl_release(made.next);
    return status;
}
