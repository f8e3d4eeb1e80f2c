/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pattern/partition.h"

#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "pattern/keys.h"

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

/* Moves the pattern that *link names: the top of part `from`, or the one below a pattern of it. */
static void move(const trawl_patterns *patterns, pile_set *piles, uint32_t *link, uint32_t from,
                 uint32_t to) {
    uint32_t id = *link;
    *link = piles->below[id];
    piles->count[from]--;
    piles->length[from] -= trawl_pattern_length(patterns, id);
    push(patterns, piles, to, id);
}

/* The order of the groups, by descending size; groups of the same size by their byte. */
static void sort_groups(const trawl_keys *keys, uint8_t order[256]) {
    uint32_t size[256] = {0};
    for (uint32_t key = 0; key < keys->count; key++) {
        size[*trawl_key_bytes(keys, key)] += keys->first[key + 1] - keys->first[key];
    }
    for (unsigned byte = 0; byte < 256; byte++) { /* insertion sort: stable, so bytes ascend */
        unsigned place = byte;
        while (place > 0 && size[order[place - 1]] < size[byte]) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = (uint8_t)byte;
    }
}

/*
 * Algorithm 1: patterns are grouped by their first byte. The groups, sorted by descending size, are
 * dealt to the parts in rows of `parts` groups: the first row forwards, the second one backwards,
 * and so on. (Line 13 of the paper, max(j mod m, m - (j mod m) - 1), would deal all later rows to
 * the upper half of the parts; the paper's text asks for a round-robin distribution, as is done
 * here.)
 *
 * Groups come in that order (line 9), and the patterns of a group in the order of their bytes: then
 * the patterns at the top of a part have long prefixes in common, and moving them to another part
 * (Algorithm 2) adds few states. Keys are what automata are made of, so groups are those of keys.
 */
static void deal_groups(const trawl_patterns *patterns, const trawl_keys *keys, pile_set *piles) {
    uint8_t order[256];
    uint32_t group_first[257] = {0}; /* keys ascend: those of a byte are consecutive */
    sort_groups(keys, order);
    for (uint32_t key = 0; key < keys->count; key++) {
        group_first[*trawl_key_bytes(keys, key) + 1] = key + 1;
    }
    for (unsigned byte = 0; byte < 256; byte++) {
        if (group_first[byte + 1] == 0) {
            group_first[byte + 1] = group_first[byte];
        }
    }
    for (uint32_t j = 0; j < 256; j++) {
        uint32_t column = j % piles->parts;
        bool forwards = (j / piles->parts) % 2 == 0;
        uint32_t part = forwards ? column : piles->parts - column - 1;
        uint32_t begin = keys->first[group_first[order[j]]];
        uint32_t past = keys->first[group_first[order[j] + 1]];
        for (uint32_t i = begin; i < past; i++) {
            push(patterns, piles, part, keys->ids[i]);
        }
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

/* (longest part / shortest part) - 1, by bytes. */
static double imbalance(uint64_t longest, uint64_t shortest) {
    return shortest == 0 ? HUGE_VAL : (double)longest / (double)shortest - 1.0;
}

static bool unbalanced(const pile_set *piles, uint32_t longest, uint32_t shortest,
                       double threshold) {
    uint64_t most = piles->length[longest];
    uint64_t least = piles->length[shortest];
    return most > least && imbalance(most, least) > threshold;
}

/*
 * Moves the last patterns of the longest part to the shortest part until the two are balanced;
 * returns whether any was moved. A pattern that is at least as long as the difference of the two
 * would only swap them, for ever: it stays, and the one below it is the next. The paper does not
 * mention this case. The difference becomes smaller with every move, so that a pattern that stayed
 * once stays.
 */
static bool balance_pair(const trawl_patterns *patterns, pile_set *piles, uint32_t longest,
                         uint32_t shortest, double threshold) {
    uint32_t above = NO_PATTERN; /* the last one that stays */
    bool moved = false;
    while (piles->length[longest] > piles->length[shortest] &&
           unbalanced(piles, longest, shortest, threshold)) {
        uint64_t difference = piles->length[longest] - piles->length[shortest];
        uint32_t *link = above == NO_PATTERN ? &piles->top[longest] : &piles->below[above];
        while (*link != NO_PATTERN && trawl_pattern_length(patterns, *link) >= difference) {
            above = *link;
            link = &piles->below[above];
        }
        if (*link == NO_PATTERN || piles->count[longest] < 2) {
            break;
        }
        move(patterns, piles, link, longest, shortest);
        moved = true;
    }
    return moved;
}

/* Algorithm 2: the longest and the shortest part are balanced, then longest and shortest are
 * determined again. Where no pattern of the longest part may move, the threshold cannot be met. */
static void balance(const trawl_patterns *patterns, pile_set *piles, double threshold) {
    uint32_t longest, shortest;
    find_extremes(piles, &longest, &shortest);
    while (unbalanced(piles, longest, shortest, threshold) &&
           balance_pair(patterns, piles, longest, shortest, threshold)) {
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
            move(patterns, piles, &piles->top[fullest], fullest, part);
        }
    }
}

static void list_parts(const trawl_patterns *patterns, const pile_set *piles,
                       trawl_partition *partition, uint32_t *part_of) {
    uint32_t longest, shortest;
    find_extremes(piles, &longest, &shortest);
    partition->imbalance = imbalance(piles->length[longest], piles->length[shortest]);
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

/* `partition` has its arrays. */
static trawl_status distribute(const trawl_patterns *patterns, double threshold, pile_set *piles,
                               uint32_t *part_of, trawl_partition *partition, trawl_error *error) {
    trawl_keys keys;
    trawl_status status = trawl_keys_make(patterns, NULL, 0, &keys, error);
    if (status == TRAWL_OK) {
        for (uint32_t part = 0; part < piles->parts; part++) {
            piles->top[part] = NO_PATTERN;
        }
        deal_groups(patterns, &keys, piles);
        balance(patterns, piles, threshold);
        fill_empty(patterns, piles);
        list_parts(patterns, piles, partition, part_of);
    }
    trawl_keys_release(&keys);
    return status;
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
    } else {
        status = distribute(patterns, threshold, &piles, part_of, partition, error);
    }
    if (status != TRAWL_OK) {
        trawl_partition_release(partition);
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
