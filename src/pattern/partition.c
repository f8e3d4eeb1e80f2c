/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pattern/partition.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"

#define NO_PATTERN UINT32_MAX

/* The parts while patterns are moved: stacks, with the pattern that came last at the top. */
typedef struct pile_set {
    uint32_t parts;
    uint32_t *below;  /* for each pattern the one under it, or NO_PATTERN */
    uint32_t *top;    /* for each part its last pattern, or NO_PATTERN */
    uint32_t *count;  /* patterns of each part */
    uint64_t *length; /* bytes of each part */
} pile_set;

double trawl_partition_threshold(size_t patterns) {
    return patterns < 20000 ? 0.15 : 0.10;
}

static void push(const trawl_patterns *patterns, pile_set *piles, uint32_t part, uint32_t id) {
    piles->below[id] = piles->top[part];
    piles->top[part] = id;
    piles->count[part]++;
    piles->length[part] += trawl_pattern_length(patterns, id);
}

static void move_last(const trawl_patterns *patterns, pile_set *piles, uint32_t from, uint32_t to) {
    uint32_t id = piles->top[from];
    piles->top[from] = piles->below[id];
    piles->count[from]--;
    piles->length[from] -= trawl_pattern_length(patterns, id);
    push(patterns, piles, to, id);
}

/*
 * Algorithm 1: patterns are grouped by their first byte. The groups, sorted by descending size, are
 * dealt to the parts in rows of `parts` groups: the first row forwards, the second one backwards,
 * and so on. (Line 13 of the paper, max(j mod m, m - (j mod m) - 1), would deal all later rows to
 * the upper half of the parts; the paper's text asks for a round-robin distribution, as is done
 * here.)
 */
static void deal_groups(const trawl_patterns *patterns, pile_set *piles) {
    uint32_t size[256] = {0};
    uint8_t order[256];
    for (size_t id = 0; id < patterns->count; id++) {
        size[*trawl_pattern_bytes(patterns, id)]++;
    }
    for (unsigned byte = 0; byte < 256; byte++) { /* insertion sort: stable, so bytes ascend */
        unsigned place = byte;
        while (place > 0 && size[order[place - 1]] < size[byte]) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = (uint8_t)byte;
    }
    uint32_t part_of[256];
    for (uint32_t j = 0; j < 256; j++) {
        uint32_t column = j % piles->parts;
        bool forwards = (j / piles->parts) % 2 == 0;
        part_of[order[j]] = forwards ? column : piles->parts - column - 1;
    }
    for (size_t id = 0; id < patterns->count; id++) {
        push(patterns, piles, part_of[*trawl_pattern_bytes(patterns, id)], (uint32_t)id);
    }
}

static void find_extremes(const pile_set *piles, uint32_t *longest, uint32_t *shortest) {
    *longest = 0;
    *shortest = 0;
    for (uint32_t part = 1; part < piles->parts; part++) {
        *longest = piles->length[part] > piles->length[*longest] ? part : *longest;
        *shortest = piles->length[part] < piles->length[*shortest] ? part : *shortest;
    }
}

static bool unbalanced(const pile_set *piles, uint32_t longest, uint32_t shortest,
                       double threshold) {
    double most = (double)piles->length[longest];
    double least = (double)piles->length[shortest];
    return most > least && (least == 0 || most / least - 1.0 > threshold);
}

/*
 * Algorithm 2: the last pattern of the longest part is moved to the shortest part until the two are
 * balanced; then longest and shortest are determined again. A pattern that is at least as long as
 * the difference would only swap the two parts, for ever: balancing ends there. The paper does not
 * mention this case.
 */
static void balance(const trawl_patterns *patterns, pile_set *piles, double threshold) {
    uint32_t longest, shortest;
    find_extremes(piles, &longest, &shortest);
    while (unbalanced(piles, longest, shortest, threshold)) {
        do {
            uint64_t difference = piles->length[longest] - piles->length[shortest];
            if (piles->count[longest] < 2 ||
                trawl_pattern_length(patterns, piles->top[longest]) >= difference) {
                return;
            }
            move_last(patterns, piles, longest, shortest);
        } while (piles->length[longest] > piles->length[shortest] &&
                 unbalanced(piles, longest, shortest, threshold));
        find_extremes(piles, &longest, &shortest);
    }
}

/* Gives each empty part a pattern of the fullest one. Few groups, or patterns of very different
 * lengths, leave parts empty. */
static void fill_empty(const trawl_patterns *patterns, pile_set *piles) {
    for (uint32_t part = 0; part < piles->parts; part++) {
        if (piles->count[part] == 0) {
            uint32_t fullest = 0;
            for (uint32_t other = 1; other < piles->parts; other++) {
                fullest = piles->count[other] > piles->count[fullest] ? other : fullest;
            }
            move_last(patterns, piles, fullest, part);
        }
    }
}

static void list_parts(const trawl_patterns *patterns, const pile_set *piles,
                       trawl_partition *partition, uint32_t *part_of) {
    partition->first[0] = 0;
    for (uint32_t part = 0; part < piles->parts; part++) {
        partition->first[part + 1] = partition->first[part] + piles->count[part];
        for (uint32_t id = piles->top[part]; id != NO_PATTERN; id = piles->below[id]) {
            part_of[id] = part;
        }
        piles->count[part] = partition->first[part]; /* from now on the index of its next id */
    }
    for (uint32_t id = 0; id < patterns->count; id++) {
        partition->ids[piles->count[part_of[id]]++] = id;
    }
}

trawl_status trawl_partition_make(const trawl_patterns *patterns, uint32_t parts, double threshold,
                                  trawl_partition *partition, trawl_error *error) {
    memset(partition, 0, sizeof *partition);
    if (parts > patterns->count) {
        parts = (uint32_t)patterns->count;
    }
    pile_set piles = {.parts = parts,
                      .below = trawl_allocate(patterns->count, sizeof(uint32_t)),
                      .top = trawl_allocate(parts, sizeof(uint32_t)),
                      .count = trawl_allocate_zeroed(parts, sizeof(uint32_t)),
                      .length = trawl_allocate_zeroed(parts, sizeof(uint64_t))};
    uint32_t *part_of = trawl_allocate(patterns->count, sizeof *part_of);
    partition->parts = parts;
    partition->ids = trawl_allocate(patterns->count, sizeof *partition->ids);
    partition->first = trawl_allocate((size_t)parts + 1, sizeof *partition->first);
    trawl_status status = TRAWL_OK;
    if (piles.below == NULL || piles.top == NULL || piles.count == NULL || piles.length == NULL ||
        part_of == NULL || partition->ids == NULL || partition->first == NULL) {
        status = trawl_fail_memory(error, "partitioning the patterns", patterns->count * 12);
        trawl_partition_release(partition);
    } else {
        for (uint32_t part = 0; part < parts; part++) {
            piles.top[part] = NO_PATTERN;
        }
        deal_groups(patterns, &piles);
        balance(patterns, &piles, threshold);
        fill_empty(patterns, &piles);
        list_parts(patterns, &piles, partition, part_of);
    }
    trawl_release(piles.below);
    trawl_release(piles.top);
    trawl_release(piles.count);
    trawl_release(piles.length);
    trawl_release(part_of);
    return status;
}

void trawl_partition_release(trawl_partition *partition) {
    trawl_release(partition->ids);
    trawl_release(partition->first);
    memset(partition, 0, sizeof *partition);
}
