/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/fuse_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/status.h"

/* Segments of one filter more than its range of first bytes has. */
#define SEGMENTS_BEHIND 2u

/* How many hash functions are tried. With TRAWL_GPU_FUSE_BYTES the first one made 33 of 40 random
 * filters, and the other functions made the rest. */
#define TRIES 8u

bool trawl_fuse_has_room(double samples, uint32_t words) {
    const uint32_t segments = 4 * words / TRAWL_FUSE_SEGMENT_BYTES;
    return segments > SEGMENTS_BEHIND &&
           samples * TRAWL_GPU_FUSE_BYTES <= (double)segments * TRAWL_FUSE_SEGMENT_BYTES;
}

/* The filter as a hypergraph: bytes are its nodes, samples its edges. */
typedef struct peeling {
    const uint64_t *hashes; /* of the samples */
    uint32_t samples, range, bytes;
    uint32_t *degree; /* of each byte: how many samples have it */
    uint32_t *edges;  /* of each byte: the numbers of these samples, added by exclusive or */
    uint32_t *order;  /* samples in the order in which they were taken away */
    uint32_t *owner;  /* of each of these: the byte that no other sample had by then */
    uint32_t *single; /* a stack of bytes that one sample had */
} peeling;

static void add_all(peeling *self) {
    memset(self->degree, 0, self->bytes * sizeof *self->degree);
    memset(self->edges, 0, self->bytes * sizeof *self->edges);
    for (uint32_t sample = 0; sample < self->samples; sample++) {
        const trawl_fuse_place place = trawl_fuse_place_of(self->hashes[sample], self->range);
        for (size_t i = 0; i < 3; i++) {
            self->degree[place.at[i]]++;
            self->edges[place.at[i]] ^= sample;
        }
    }
}

/* Takes away one sample after the other that has a byte for itself. Returns whether none is
 * left. */
static bool peel(peeling *self) {
    uint32_t singles = 0, taken = 0;
    add_all(self);
    for (uint32_t byte = 0; byte < self->bytes; byte++) {
        if (self->degree[byte] == 1) {
            self->single[singles++] = byte;
        }
    }
    while (singles != 0) {
        const uint32_t byte = self->single[--singles];
        if (self->degree[byte] != 1) {
            continue; /* its last sample went with another byte */
        }
        const uint32_t sample = self->edges[byte];
        const trawl_fuse_place place = trawl_fuse_place_of(self->hashes[sample], self->range);
        self->order[taken] = sample;
        self->owner[taken++] = byte;
        for (size_t i = 0; i < 3; i++) {
            self->edges[place.at[i]] ^= sample;
            if (--self->degree[place.at[i]] == 1) {
                self->single[singles++] = place.at[i];
            }
        }
    }
    return taken == self->samples;
}

/* Sets the samples' own bytes in the reverse order, so that later ones do not change a sample that
 * is done. */
static void assign(const peeling *self, uint8_t *filter) {
    for (uint32_t i = self->samples; i-- > 0;) {
        const trawl_fuse_place place =
            trawl_fuse_place_of(self->hashes[self->order[i]], self->range);
        filter[self->owner[i]] = (uint8_t)(place.fingerprint ^ filter[place.at[0]] ^
                                           filter[place.at[1]] ^ filter[place.at[2]]);
    }
}

static int compare(const void *a, const void *b) {
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* Returns the number of different ones, which come first then. */
static size_t sort_unique(uint64_t *hashes, size_t count) {
    size_t kept = 0;
    qsort(hashes, count, sizeof *hashes, compare);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || hashes[kept - 1] != hashes[i]) {
            hashes[kept++] = hashes[i];
        }
    }
    return kept;
}

/* Returns the range of the filter, or 0. */
static uint32_t try_functions(peeling *self, uint32_t range, uint8_t *filter) {
    for (uint32_t function = 0; function < TRIES; function++) {
        self->range = range + function;
        if (peel(self)) {
            assign(self, filter);
            return self->range;
        }
    }
    return 0;
}

trawl_status trawl_fuse_make(uint64_t *hashes, size_t count, uint32_t words, uint32_t *filter,
                             uint32_t *range, trawl_error *error) {
    const size_t samples = sort_unique(hashes, count), bytes = 4 * (size_t)words;
    *range = 0;
    if (samples >= bytes || !trawl_fuse_has_room(0, words)) {
        return TRAWL_OK;
    }
    uint32_t *memory = trawl_allocate(4 * bytes + samples, sizeof *memory);
    if (memory == NULL) {
        return trawl_fail_memory(error, "a filter of samples", 4 * (4 * bytes + samples));
    }
    /* The degree of a byte only falls, so that a byte is in the stack at most once. */
    peeling self = {.hashes = hashes,
                    .samples = (uint32_t)samples,
                    .bytes =
                        (uint32_t)(bytes / TRAWL_FUSE_SEGMENT_BYTES * TRAWL_FUSE_SEGMENT_BYTES),
                    .degree = memory,
                    .edges = memory + bytes,
                    .single = memory + 2 * bytes,
                    .owner = memory + 3 * bytes,
                    .order = memory + 4 * bytes};
    *range = try_functions(&self, self.bytes - SEGMENTS_BEHIND * TRAWL_FUSE_SEGMENT_BYTES,
                           (uint8_t *)filter);
    trawl_release(memory);
    return TRAWL_OK;
}
