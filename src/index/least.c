/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Range minima of `previous` in O(1). A range of rows is divided at multiples of 32 and of 1,024:
 *
 *     | rows | groups of 32 rows | blocks of 1,024 rows | groups | rows |
 *
 * Each end has at most 31 single rows and 31 groups; their numbers are all read. The blocks between
 * are covered by two ranges of `sparse`, which may overlap: from the first block on, and up to the
 * last one.
 */
#include "index/format.h"

/* The least so far. */
typedef struct least {
    const trawl_index *index;
    uint64_t row;
    uint64_t value;
} least;

/* Sets *value to the least of numbers [begin, end) of a part, and *chosen to its index, if that
 * number is less than *value. */
static bool take_numbers(const trawl_index *index, trawl_index_part part, uint64_t begin,
                         uint64_t end, uint64_t *value, uint64_t *chosen) {
    const uint32_t width = index->header.position_bytes;
    const uint8_t *bytes = trawl_index_bytes(index, part, begin * width, (end - begin) * width);
    if (bytes == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < end - begin; i++) {
        uint64_t number = trawl_index_number_of(bytes, width, i);
        if (number < *value) {
            *value = number;
            *chosen = begin + i;
        }
    }
    return true;
}

static bool take_rows(least *best, uint64_t begin, uint64_t end) {
    return begin >= end ||
           take_numbers(best->index, TRAWL_INDEX_PREVIOUS, begin, end, &best->value, &best->row);
}

/* Compares groups [begin, end). Only the rows of the group with the least minimum are read. */
static bool take_groups(least *best, uint64_t begin, uint64_t end) {
    uint64_t chosen = UINT64_MAX, value = best->value;
    if (begin < end &&
        !take_numbers(best->index, TRAWL_INDEX_MINIMA, begin, end, &value, &chosen)) {
        return false;
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
