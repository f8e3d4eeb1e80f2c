/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "index/sort_parts.h"

#include <stdatomic.h>
#include <string.h>

#include "base/allocate.h"
#include "index/part_rank.h"
#include "index/suffix_sort.h"

enum {
    PARTS = 2,
    SHORT = 1 << 17, /* symbols that one thread sorts in about 10 ms */
    ADDED = 512,     /* passages of a text that occur elsewhere too are seldom as long */
    CUTS = 8,        /* places within a document that are tried */
    WALKS = 16,      /* walks that a thread makes in turn, as each step waits for memory */
    /* The walks of a text. The threads finish at nearly the same time, and the 30 steps of search
     * for the beginning of each are few beside its thousands of steps. */
    WALKS_IN_ALL = 1024,
    LEAST_WALK = 256,        /* symbols */
    MOST_COMPARED = 1 << 15, /* symbols in a search for the beginning of a walk */
    ROWS_AHEAD = 32,
    ROWS_TAKEN = 1 << 16 /* rows that a thread merges at a time */
};

#define ROW_UNKNOWN UINT32_MAX

typedef struct part {
    size_t begin, length; /* symbols */
    int32_t *suffixes;    /* positions in the part */
    bool sorted;
} part;

typedef struct parts_sort {
    const trawl_index_builder *text;
    const trawl_text_cut *cut;
    part parts[PARTS];
    trawl_part_rank ranks; /* of the second part */
    size_t walk_length;    /* symbols */
    /* For the last suffix of each walk: how many suffixes of the second part are smaller. Or
     * ROW_UNKNOWN: then the walk behind it goes on into this one. */
    uint32_t walk_rows[WALKS_IN_ALL];
    uint32_t *smaller; /* the same for each suffix of the first part, in the order of the text */
    int32_t *merged;
    atomic_size_t next; /* the first part, walk or row that no thread has taken */
} parts_sort;

/* ------------------------------------------------------------------ cutting */

/* The beginning or end of a document that is the nearest to the middle of the text. */
static size_t border_near_middle(const trawl_index_builder *text) {
    const size_t middle = text->length / 2;
    size_t low = 0, high = text->documents; /* the last document that begins up to the middle */
    while (high - low > 1) {
        size_t between = low + (high - low) / 2;
        *(text->starts[between] <= middle ? &low : &high) = between;
    }
    bool next_is_nearer = text->starts[low + 1] - middle < middle - text->starts[low];
    return (size_t)text->starts[next_is_nearer ? low + 1 : low];
}

/* Whether the ADDED symbols from `at` on occur nowhere before. */
static bool is_new(const trawl_index_builder *text, size_t at) {
    const uint16_t *added = text->text + at;
    const size_t size = ADDED * sizeof *added;
    return memmem(text->text, at * sizeof *added + size - 1, added, size) == NULL;
}

bool trawl_cut_text(const trawl_index_builder *text, trawl_text_cut *cut) {
    const size_t length = text->length;
    if (length < SHORT || length > TRAWL_SUFFIX_NARROW) {
        return false;
    }
    *cut = (trawl_text_cut){.at = border_near_middle(text)};
    if (cut->at >= length / 4 && length - cut->at >= length / 4) {
        return true;
    }
    cut->added = ADDED; /* no border is among them, as none is between these quarters */
    for (size_t i = 0; i < CUTS; i++) {
        cut->at = length / 2 - i * (length / 4 / CUTS);
        if (is_new(text, cut->at)) {
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------ sorting the parts */

/* Sorts the first part with the symbols added, and leaves out the suffixes of these. */
static bool sort_with_added(const parts_sort *sort, const part *first) {
    const size_t length = first->length + sort->cut->added;
    uint16_t *copy = trawl_allocate_table((length + 1) * sizeof *copy);
    bool done = copy != NULL;
    if (done) {
        memcpy(copy, sort->text->text, length * sizeof *copy);
        copy[length] = 0;
        done = trawl_suffix_sort_narrow(copy, length + 1, first->suffixes);
    }
    size_t kept = 0;
    for (size_t i = 0; done && i < length + 1; i++) {
        first->suffixes[kept] = first->suffixes[i];
        kept += (size_t)first->suffixes[i] < first->length;
    }
    trawl_release(copy);
    return done;
}

static void sort_parts(void *context, uint32_t member) {
    parts_sort *sort = context;
    (void)member;
    for (size_t i; (i = atomic_fetch_add(&sort->next, 1)) < PARTS;) {
        part *one = &sort->parts[i];
        one->sorted = i == 0 && sort->cut->added != 0
                          ? sort_with_added(sort, one)
                          : trawl_suffix_sort_narrow(sort->text->text + one->begin, one->length,
                                                     one->suffixes);
    }
}

static void set_parts(parts_sort *sort, int32_t *suffixes) {
    const size_t at = sort->cut->at;
    sort->parts[0] = (part){.length = at, .suffixes = suffixes};
    sort->parts[1] = (part){.begin = at,
                            .length = sort->text->length - at,
                            .suffixes = suffixes + at + sort->cut->added + 1 + TRAWL_SUFFIX_SLACK};
    sort->walk_length = at / WALKS_IN_ALL + 1;
    if (sort->walk_length < LEAST_WALK) {
        sort->walk_length = LEAST_WALK;
    }
}

/* Columns are those of the whole text: a byte of the first part may be missing in the second. */
static void describe_second(parts_sort *sort) {
    size_t counts[TRAWL_SUFFIX_SYMBOLS] = {0};
    trawl_part_rank *ranks = &sort->ranks;
    for (size_t i = 0; i < sort->text->length; i++) {
        counts[sort->text->text[i]]++;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        ranks->columns[byte] = (uint16_t)ranks->letters;
        ranks->letters += counts[byte + 1] != 0;
        if (counts[byte + 1] < counts[ranks->filler + 1]) {
            ranks->filler = (uint8_t)byte;
        }
    }
    ranks->text = sort->text->text + sort->parts[1].begin;
    ranks->suffixes = sort->parts[1].suffixes;
    ranks->rows = (uint32_t)sort->parts[1].length;
}

/* ------------------------------------------------------------------ walking the first part */

/* How many suffixes of the second part are smaller than the suffix at a position of the first one;
 * ROW_UNKNOWN if more than `budget` symbols would have to be compared. */
static uint32_t search(const parts_sort *sort, size_t position, size_t budget) {
    const part *second = &sort->parts[1];
    const uint16_t *suffix = sort->text->text + position;
    size_t low = 0, high = second->length, low_equal = 0, high_equal = 0;
    while (low < high) {
        size_t row = low + (high - low) / 2;
        const uint16_t *other = sort->text->text + second->begin + second->suffixes[row];
        size_t equal = low_equal < high_equal ? low_equal : high_equal;
        for (; suffix[equal] == other[equal] && suffix[equal] != 0; equal++) {
            if (budget-- == 0) {
                return ROW_UNKNOWN;
            }
        }
        if (suffix[equal] <= other[equal]) { /* of two borders the first is the smaller */
            high = row;
            high_equal = equal;
        } else {
            low = row + 1;
            low_equal = equal;
        }
    }
    return (uint32_t)low;
}

static size_t walk_end(const parts_sort *sort, size_t number) {
    size_t end = (number + 1) * sort->walk_length;
    return end < sort->parts[0].length ? end : sort->parts[0].length;
}

static size_t walk_count(const parts_sort *sort) {
    return (sort->parts[0].length - 1) / sort->walk_length + 1;
}

/* The row of the last walk has to be known, as no walk is behind it. */
static void search_rows(void *context, uint32_t member) {
    parts_sort *sort = context;
    (void)member;
    for (size_t i; (i = atomic_fetch_add(&sort->next, 1)) < walk_count(sort);) {
        size_t budget = i + 1 < walk_count(sort) ? MOST_COMPARED : SIZE_MAX;
        sort->walk_rows[i] = search(sort, walk_end(sort, i) - 1, budget);
    }
}

/* A walk from its last symbol to its first one. */
typedef struct walk {
    size_t at, begin; /* positions */
    uint32_t row;     /* how many suffixes of the second part are smaller than the one at `at` */
} walk;

static void note(const parts_sort *sort, const walk *one) {
    sort->smaller[one->at] = one->row;
    if (one->at > one->begin) {
        /* before a border nothing needs to be read, and what is prefetched does no harm */
        trawl_part_rank_prefetch(&sort->ranks, (uint8_t)(sort->text->text[one->at - 1] - 1),
                                 one->row);
    }
}

/* Begins the next walk whose row is known. It takes the walks before it along whose are not. */
static bool begin_walk(parts_sort *sort, walk *one) {
    for (size_t i; (i = atomic_fetch_add(&sort->next, 1)) < walk_count(sort);) {
        if (sort->walk_rows[i] != ROW_UNKNOWN) {
            size_t first = i;
            while (first > 0 && sort->walk_rows[first - 1] == ROW_UNKNOWN) {
                first--;
            }
            *one = (walk){.at = walk_end(sort, i) - 1,
                          .begin = first * sort->walk_length,
                          .row = sort->walk_rows[i]};
            note(sort, one);
            return true;
        }
    }
    return false;
}

/* One symbol back. No border of the second part is smaller than one of the first. */
static void step(const parts_sort *sort, walk *one) {
    uint16_t symbol = sort->text->text[--one->at];
    one->row =
        symbol == 0 ? 0 : trawl_part_rank_step(&sort->ranks, (uint8_t)(symbol - 1), one->row);
    note(sort, one);
}

static void make_walks(void *context, uint32_t member) {
    parts_sort *sort = context;
    walk walks[WALKS];
    size_t count = 0;
    (void)member;
    while (count < WALKS && begin_walk(sort, &walks[count])) {
        count++;
    }
    while (count != 0) {
        for (size_t i = 0; i < count; i++) {
            walk *one = &walks[i];
            if (one->at > one->begin) {
                step(sort, one);
            } else if (!begin_walk(sort, one)) {
                *one = walks[--count];
            }
        }
    }
}

/* ------------------------------------------------------------------ merging */

/* Merges rows [row, end) of the first part with the rows of the second part that come before each
 * of them. */
static void merge_rows(const parts_sort *sort, size_t row, size_t end) {
    const int32_t *first = sort->parts[0].suffixes, *second = sort->parts[1].suffixes;
    const int32_t second_begin = (int32_t)sort->parts[1].begin;
    size_t taken = row == 0 ? 0 : sort->smaller[first[row - 1]];
    int32_t *merged = sort->merged;
    for (; row < end; row++) {
        if (end - row > ROWS_AHEAD) {
            __builtin_prefetch(&sort->smaller[first[row + ROWS_AHEAD]]);
        }
        for (const size_t smaller = sort->smaller[first[row]]; taken < smaller; taken++) {
            merged[taken + row] = second[taken] + second_begin;
        }
        merged[taken + row] = first[row];
    }
    if (row == sort->parts[0].length) {
        for (; taken < sort->parts[1].length; taken++) {
            merged[taken + row] = second[taken] + second_begin;
        }
    }
}

static void merge(void *context, uint32_t member) {
    parts_sort *sort = context;
    const size_t length = sort->parts[0].length;
    (void)member;
    for (size_t row; (row = atomic_fetch_add(&sort->next, ROWS_TAKEN)) < length;) {
        merge_rows(sort, row, length - row < ROWS_TAKEN ? length : row + ROWS_TAKEN);
    }
}

/* Runs one step on all threads, which take work in turn. */
static void share(parts_sort *sort, trawl_team *team, uint32_t members, trawl_team_work work) {
    atomic_store(&sort->next, 0);
    trawl_team_run(team, members, work, sort);
}

/* Everything behind the sort of the parts. */
static void merge_parts(parts_sort *sort, trawl_team *team, uint32_t members) {
    describe_second(sort);
    sort->smaller = trawl_allocate_table(sort->parts[0].length * sizeof *sort->smaller);
    bool done = trawl_part_rank_make(&sort->ranks, team, members) && sort->smaller != NULL;
    if (done) {
        share(sort, team, members, search_rows);
        share(sort, team, members, make_walks);
    }
    trawl_part_rank_release(&sort->ranks);
    if (done) {
        sort->merged = trawl_allocate_table((uint64_t)sort->text->length * sizeof *sort->merged);
        done = sort->merged != NULL;
    }
    if (done) {
        share(sort, team, members, merge);
    }
    trawl_release(sort->smaller);
}

int32_t *trawl_sort_parts(const trawl_index_builder *text, const trawl_text_cut *cut,
                          trawl_team *team, uint32_t members) {
    parts_sort sort = {.text = text, .cut = cut};
    uint64_t slots = (uint64_t)text->length + cut->added + 1 + PARTS * TRAWL_SUFFIX_SLACK;
    int32_t *suffixes = trawl_allocate_table(slots * sizeof *suffixes);
    if (suffixes == NULL) {
        return NULL;
    }
    set_parts(&sort, suffixes);
    share(&sort, team, members, sort_parts);
    if (sort.parts[0].sorted && sort.parts[1].sorted) {
        merge_parts(&sort, team, members);
    }
    trawl_release(suffixes);
    return sort.merged;
}
