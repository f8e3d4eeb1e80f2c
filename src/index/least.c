/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Range minima of `previous` in O(1): a range of rows is
 *
 *     | rows | groups of 32 rows | blocks of 1,024 rows | groups | rows |
 *
 * Rows and groups are at most 31 at each end, and are all read. Blocks are covered by two of
 * `sparse`, which overlap.
 */
#include "index/format.h"

/* The least so far. */
typedef struct least {
    const trawl_index *index;
    uint64_t row;
    uint64_t value;
} least;

static bool take_rows(least *best, uint64_t begin, uint64_t end) {
    for (uint64_t row = begin; row < end; row++) {
        uint64_t value;
        if (!trawl_index_number(best->index, TRAWL_INDEX_PREVIOUS, row, &value)) {
            return false;
        }
        if (value < best->value) {
            best->value = value;
            best->row = row;
        }
    }
    return true;
}

/* Of groups [begin, end): only the one with the least minimum is read. */
static bool take_groups(least *best, uint64_t begin, uint64_t end) {
    uint64_t chosen = UINT64_MAX, least_value = best->value;
    for (uint64_t group = begin; group < end; group++) {
        uint64_t value;
        if (!trawl_index_number(best->index, TRAWL_INDEX_MINIMA, group, &value)) {
            return false;
        }
        if (value < least_value) {
            least_value = value;
            chosen = group;
        }
    }
    return chosen == UINT64_MAX ||
           take_rows(best, chosen * TRAWL_INDEX_SMALL, (chosen + 1) * TRAWL_INDEX_SMALL);
}

static bool take_blocks(least *best, uint64_t begin, uint64_t end) {
    if (begin >= end) {
        return true;
    }
    uint32_t level = 63 - (uint32_t)__builtin_clzll(end - begin);
    uint64_t blocks = best->index->layout.blocks;
    uint64_t starts[2] = {begin, end - (UINT64_C(1) << level)};
    for (int i = 0; i < 2; i++) {
        uint64_t row;
        if (!trawl_index_number(best->index, TRAWL_INDEX_SPARSE, level * blocks + starts[i],
                                &row) ||
            row < begin * TRAWL_INDEX_BLOCK || row >= end * TRAWL_INDEX_BLOCK ||
            !take_rows(best, row, row + 1)) {
            return false;
        }
    }
    return true;
}

bool trawl_index_least(const trawl_index *index, uint64_t first, uint64_t last, uint64_t *row,
                       uint64_t *value) {
    enum { SMALL = TRAWL_INDEX_SMALL, GROUPS = TRAWL_INDEX_BLOCK / TRAWL_INDEX_SMALL };
    least best = {.index = index, .value = UINT64_MAX};
    uint64_t end = last + 1;
    uint64_t group = (first + SMALL - 1) / SMALL, group_end = end / SMALL;
    bool sound = true;
    if (group >= group_end) {
        sound = take_rows(&best, first, end);
    } else {
        uint64_t block = (group + GROUPS - 1) / GROUPS, block_end = group_end / GROUPS;
        sound = take_rows(&best, first, group * SMALL) &&
                take_rows(&best, group_end * SMALL, end) &&
                (block >= block_end ? take_groups(&best, group, group_end)
                                    : take_groups(&best, group, block * GROUPS) &&
                                          take_groups(&best, block_end * GROUPS, group_end) &&
                                          take_blocks(&best, block, block_end));
    }
    *row = best.row;
    *value = best.value;
    return sound && best.value != UINT64_MAX;
}
