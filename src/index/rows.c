/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "index/rows.h"

#include <stdatomic.h>
#include <string.h>

#include "base/allocate.h"

enum { AHEAD = 32, BLOCK = TRAWL_INDEX_BLOCK };

/* ------------------------------------------------------------------ work for several threads */

/* Work on rows that the threads of a team take in turn, several blocks at a time. */
typedef struct shared_work {
    trawl_index_rows *rows;
    void (*do_block)(trawl_index_rows *rows, uint64_t begin, uint64_t end, const void *context);
    const void *context;
    uint64_t end;
    atomic_uint_fast64_t next;
} shared_work;

enum { TAKEN = 64 * BLOCK }; /* rows that a member takes at a time */

static void take_blocks(void *context, uint32_t member) {
    (void)member;
    shared_work *work = context;
    for (;;) {
        uint64_t begin = atomic_fetch_add(&work->next, TAKEN);
        if (begin >= work->end) {
            return;
        }
        uint64_t left = work->end - begin;
        work->do_block(work->rows, begin, begin + (left < TAKEN ? left : TAKEN), work->context);
    }
}

static void share(trawl_index_rows *rows, uint64_t begin, uint64_t end, const void *context,
                  void (*do_block)(trawl_index_rows *, uint64_t, uint64_t, const void *)) {
    shared_work work = {.rows = rows, .do_block = do_block, .context = context, .end = end};
    atomic_init(&work.next, begin);
    trawl_team_run(rows->team, rows->members, take_blocks, &work);
}

/* ------------------------------------------------------------------ BWT and counts */

/* One block, whose counts begin as zeros. */
static void make_block(trawl_index_rows *rows, uint64_t begin, uint64_t end) {
    const uint16_t *text = rows->text->text;
    const uint32_t width = rows->header->position_bytes, letters = rows->header->letters;
    const uint64_t row_count = rows->header->rows;
    uint32_t counts[256] = {0};
    uint8_t *bwt = rows->bwt + (begin - rows->bwt_begin);
    for (uint64_t row = begin; row < end; row++) {
        if (row_count - row > AHEAD) {
            __builtin_prefetch(&text[trawl_index_get(rows->positions, width, row + AHEAD)]);
        }
        uint64_t position = trawl_index_get(rows->positions, width, row);
        uint16_t symbol = position == 0 ? 0 : text[position - 1];
        if (symbol == 0) {
            rows->borders[row / 64] |= UINT64_C(1) << row % 64;
            bwt[row - begin] = (uint8_t)rows->header->filler;
        } else {
            bwt[row - begin] = (uint8_t)(symbol - 1);
            counts[symbol - 1]++;
        }
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        if (counts[byte] != 0) {
            trawl_index_set(rows->counts, width, begin / BLOCK * letters + rows->columns[byte],
                            counts[byte]);
        }
    }
}

static void make_blocks(trawl_index_rows *rows, uint64_t begin, uint64_t end, const void *context) {
    (void)context;
    for (; begin < end; begin += BLOCK) {
        make_block(rows, begin, end - begin < BLOCK ? end : begin + BLOCK);
    }
}

void trawl_index_make_bwt(trawl_index_rows *rows) {
    share(rows, rows->bwt_begin, rows->bwt_end, NULL, make_blocks);
}

void trawl_index_add_counts(trawl_index_rows *rows) {
    const uint32_t width = rows->header->position_bytes, letters = rows->header->letters;
    uint64_t sums[256] = {0};
    for (uint64_t block = 0; block < rows->layout->blocks; block++) {
        for (uint32_t column = 0; column < letters; column++) {
            uint64_t count = trawl_index_get(rows->counts, width, block * letters + column);
            trawl_index_set(rows->counts, width, block * letters + column, sums[column]);
            sums[column] += count;
        }
    }
}

/* ------------------------------------------------------------------ documents */

uint32_t *trawl_index_make_directory(const trawl_index_rows *rows) {
    const uint64_t *starts = rows->text->starts;
    uint64_t entries = (rows->header->rows >> TRAWL_INDEX_DIRECTORY) + 2;
    uint32_t *directory = trawl_allocate((size_t)entries, sizeof *directory);
    if (directory == NULL) {
        return NULL;
    }
    uint64_t document = 0;
    for (uint64_t entry = 0; entry < entries; entry++) {
        uint64_t position = entry << TRAWL_INDEX_DIRECTORY;
        while (document + 1 < rows->header->documents && starts[document + 1] <= position) {
            document++;
        }
        directory[entry] = (uint32_t)document;
    }
    return directory;
}

/* The last document that begins at or before the position. (Empty documents begin where the next
 * one does, so the last of them is the one that has the position.) */
static uint64_t find_document(const uint64_t *starts, const uint32_t *directory,
                              uint64_t position) {
    const uint32_t *entry = directory + (position >> TRAWL_INDEX_DIRECTORY);
    uint64_t low = entry[0], high = (uint64_t)entry[1] + 1;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        *(starts[middle] <= position ? &low : &high) = middle;
    }
    return low;
}

static void replace_positions(trawl_index_rows *rows, uint64_t begin, uint64_t end,
                              const void *context) {
    const uint32_t *directory = context;
    const uint32_t width = rows->header->position_bytes;
    for (uint64_t row = begin; row < end; row++) {
        if (end - row > AHEAD) {
            uint64_t later = trawl_index_get(rows->positions, width, row + AHEAD);
            __builtin_prefetch(&directory[later >> TRAWL_INDEX_DIRECTORY]);
        }
        uint64_t position = trawl_index_get(rows->positions, width, row);
        trawl_index_set(rows->positions, width, row,
                        find_document(rows->text->starts, directory, position));
    }
}

void trawl_index_make_documents(trawl_index_rows *rows, const uint32_t *directory) {
    share(rows, 0, rows->header->rows, directory, replace_positions);
}

void trawl_index_make_previous(trawl_index_rows *rows, uint64_t *last) {
    const uint32_t width = rows->header->position_bytes;
    const uint64_t count = rows->header->rows;
    for (uint64_t row = 0; row < count; row++) {
        if (count - row > AHEAD) {
            __builtin_prefetch(&last[trawl_index_get(rows->positions, width, row + AHEAD)], 1);
        }
        uint64_t document = trawl_index_get(rows->positions, width, row);
        trawl_index_set(rows->positions, width, row, last[document]);
        last[document] = row + 1;
    }
}

/* ------------------------------------------------------------------ range minima */

/* The two arrays that trawl_index_make_minima fills. */
typedef struct minima_arrays {
    void *minima;
    void *sparse;
} minima_arrays;

/* Makes the minima of groups, and level 0 of `sparse`, for rows [begin, end). `begin` is the first
 * row of a block. */
static void make_groups(trawl_index_rows *rows, uint64_t begin, uint64_t end, const void *context) {
    const minima_arrays *to = context;
    const uint32_t width = rows->header->position_bytes;
    uint64_t block_least = UINT64_MAX, block_row = begin;
    for (uint64_t row = begin; row < end;) {
        uint64_t least = UINT64_MAX, group = row / TRAWL_INDEX_SMALL;
        do {
            uint64_t value = trawl_index_get(rows->positions, width, row);
            least = value < least ? value : least;
            if (value < block_least) {
                block_least = value;
                block_row = row;
            }
            row++;
        } while (row < end && row % TRAWL_INDEX_SMALL != 0);
        trawl_index_set(to->minima, width, group, least);
        if (row == end || row % BLOCK == 0) {
            trawl_index_set(to->sparse, width, (row - 1) / BLOCK, block_row);
            block_least = UINT64_MAX;
        }
    }
}

void trawl_index_make_minima(trawl_index_rows *rows, void *minima, void *sparse) {
    const uint32_t width = rows->header->position_bytes;
    const uint64_t blocks = rows->layout->blocks;
    const minima_arrays to = {.minima = minima, .sparse = sparse};
    share(rows, 0, rows->header->rows, &to, make_groups);
    for (uint32_t level = 1; level < rows->layout->levels; level++) {
        uint64_t half = UINT64_C(1) << (level - 1);
        for (uint64_t block = 0; block < blocks; block++) {
            uint64_t above = (level - 1) * blocks;
            uint64_t row = trawl_index_get(sparse, width, above + block);
            /* Entries of ranges that go beyond the last block are never read. */
            if (block + half < (rows->header->rows + BLOCK - 1) / BLOCK) {
                uint64_t other = trawl_index_get(sparse, width, above + block + half);
                if (trawl_index_get(rows->positions, width, other) <
                    trawl_index_get(rows->positions, width, row)) {
                    row = other;
                }
            }
            trawl_index_set(sparse, width, level * blocks + block, row);
        }
    }
}
