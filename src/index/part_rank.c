/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "index/part_rank.h"

#include <stdatomic.h>

#include "base/allocate.h"

enum { AHEAD = 32, NEAR = TRAWL_PART_NEAR, FAR = TRAWL_PART_FAR };

/* The ranks of one part while several threads make them, in blocks of 65,536 rows. */
typedef struct making {
    trawl_part_rank *part;
    atomic_uint_fast32_t next; /* the first block that no thread has taken */
} making;

static uint32_t blocks_of(uint32_t rows, uint32_t block) {
    return rows / block + 1; /* one more: ranks are also computed for the end of the rows */
}

/* Makes bwt, borders and `near` of rows [begin, end), a block, and writes the counts of this block
 * alone to its place in far[]. */
static void make_block(trawl_part_rank *part, uint32_t begin, uint32_t end) {
    uint32_t counts[256] = {0};
    for (uint32_t row = begin;; row++) {
        if (row % NEAR == 0) {
            uint16_t *near = part->near + (size_t)(row / NEAR) * part->letters;
            for (uint32_t column = 0; column < part->letters; column++) {
                near[column] = (uint16_t)counts[column];
            }
        }
        if (row == end) {
            break;
        }
        if (part->rows - row > AHEAD) {
            __builtin_prefetch(&part->text[part->suffixes[row + AHEAD]]);
        }
        int32_t suffix = part->suffixes[row];
        uint16_t symbol = suffix == 0 ? 0 : part->text[suffix - 1];
        if (symbol == 0) {
            part->borders[row / 64] |= UINT64_C(1) << row % 64;
            part->bwt[row] = part->filler;
        } else {
            part->bwt[row] = (uint8_t)(symbol - 1);
            counts[part->columns[symbol - 1]]++;
        }
        if ((row + 1) % FAR == 0 && row + 1 == end) {
            break; /* the next block has its own `near` */
        }
    }
    memcpy(part->far + (size_t)(begin / FAR) * part->letters, counts,
           part->letters * sizeof *counts);
}

static void make_blocks(void *context, uint32_t member) {
    making *made = context;
    trawl_part_rank *part = made->part;
    (void)member;
    for (;;) {
        uint32_t block = (uint32_t)atomic_fetch_add(&made->next, 1);
        if (block >= blocks_of(part->rows, FAR)) {
            return;
        }
        uint32_t begin = block * FAR, left = part->rows - begin;
        make_block(part, begin, begin + (left < FAR ? left : FAR));
    }
}

/* Adds up `far` from block to block, and computes the first row of each byte: the borders come
 * first, then the bytes by their counts. */
static void add_up(trawl_part_rank *part) {
    uint32_t sums[256] = {0}, bytes = 0;
    for (uint32_t block = 0; block < blocks_of(part->rows, FAR); block++) {
        for (uint32_t column = 0; column < part->letters; column++) {
            uint32_t *far = &part->far[(size_t)block * part->letters + column];
            uint32_t count = *far;
            *far = sums[column];
            sums[column] += count;
        }
    }
    for (uint32_t column = 0; column < part->letters; column++) {
        bytes += sums[column];
    }
    part->first[0] = part->rows - bytes;
    for (uint32_t byte = 0; byte < 256; byte++) {
        bool occurs = byte == 255 ? part->columns[byte] < part->letters
                                  : part->columns[byte] != part->columns[byte + 1];
        part->first[byte + 1] = part->first[byte] + (occurs ? sums[part->columns[byte]] : 0);
    }
}

bool trawl_part_rank_make(trawl_part_rank *part, trawl_team *team, uint32_t members) {
    const size_t letters = part->letters;
    part->bwt = trawl_allocate_table(part->rows + (uint64_t)NEAR);
    part->borders = trawl_allocate_zeroed(part->rows / 64 + 1, sizeof *part->borders);
    part->near = trawl_allocate_table(blocks_of(part->rows, NEAR) * letters * sizeof *part->near);
    part->far = trawl_allocate(blocks_of(part->rows, FAR) * letters, sizeof *part->far);
    if (part->bwt == NULL || part->borders == NULL || part->near == NULL || part->far == NULL) {
        return false;
    }
    memset(part->bwt + part->rows, 0, NEAR); /* compared, but not counted */
    making made = {.part = part};
    atomic_init(&made.next, 0);
    trawl_team_run(team, members, make_blocks, &made);
    add_up(part);
    return true;
}

void trawl_part_rank_release(trawl_part_rank *part) {
    trawl_release(part->bwt);
    trawl_release(part->borders);
    trawl_release(part->near);
    trawl_release(part->far);
}
