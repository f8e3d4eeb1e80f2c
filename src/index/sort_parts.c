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
    WALKS = 16,      /* documents that a thread walks in turn, as each step waits for memory */
    /* A document that is walked has at most 1/SHARES of the symbols of its part. A document that is
     * walked alone takes about 150 ns a symbol; two threads with 16 documents each take about 20 ns
     * a symbol. So a document of an eighth of the part takes as long as all the others together,
     * which is still less than what sorting in parts saves. */
    SHARES = 8,
    ROWS_AHEAD = 32,
    ROWS_TAKEN = 1 << 16 /* rows that a thread merges at a time */
};

typedef struct part {
    size_t begin, length;             /* symbols */
    size_t first_document, documents; /* documents [first_document, documents) */
    int32_t *suffixes;                /* positions in the part */
    bool sorted;
} part;

typedef struct parts_sort {
    const trawl_index_builder *text;
    part parts[PARTS];
    const part *walked, *other;
    uint32_t borders_smaller; /* borders of `other` before those of `walked` */
    trawl_part_rank ranks;    /* of `other` */
    uint32_t *smaller;        /* for each symbol of `walked`: suffixes of `other` that are smaller
                                 than the suffix that begins there */
    int32_t *merged;
    atomic_size_t next; /* the first part, document or row that no thread has taken */
} parts_sort;

/* ------------------------------------------------------------------ cutting */

static size_t longest_document(const trawl_index_builder *text, size_t first, size_t end) {
    uint64_t longest = 0;
    for (size_t i = first; i < end; i++) {
        uint64_t length = text->starts[i + 1] - text->starts[i];
        longest = length > longest ? length : longest;
    }
    return (size_t)longest;
}

bool trawl_cut_text(const trawl_index_builder *text, trawl_text_cut *cut) {
    const size_t length = text->length, middle = length / 2;
    if (length < SHORT || length > TRAWL_SUFFIX_NARROW) {
        return false;
    }
    size_t low = 0, high = text->documents; /* the last document that begins up to the middle */
    while (high - low > 1) {
        size_t between = low + (high - low) / 2;
        *(text->starts[between] <= middle ? &low : &high) = between;
    }
    bool next_is_nearer = text->starts[low + 1] - middle < middle - text->starts[low];
    cut->document = next_is_nearer ? low + 1 : low;
    size_t first = (size_t)text->starts[cut->document], second = length - first;
    cut->walks_second = true;
    if (first < length / 4 || second < length / 4) {
        return false;
    }
    if (longest_document(text, cut->document, text->documents) <= second / SHARES) {
        return true;
    }
    cut->walks_second = false;
    return longest_document(text, 0, cut->document) <= first / SHARES;
}

static void set_parts(parts_sort *sort, const trawl_text_cut *cut, int32_t *suffixes) {
    const trawl_index_builder *text = sort->text;
    size_t begin = (size_t)text->starts[cut->document];
    sort->parts[0] = (part){.length = begin, .documents = cut->document, .suffixes = suffixes};
    sort->parts[1] = (part){.begin = begin,
                            .length = text->length - begin,
                            .first_document = cut->document,
                            .documents = text->documents,
                            .suffixes = suffixes + begin + TRAWL_SUFFIX_SLACK};
    sort->walked = &sort->parts[cut->walks_second ? 1 : 0];
    sort->other = &sort->parts[cut->walks_second ? 0 : 1];
}

/* ------------------------------------------------------------------ sorting the parts */

static void sort_parts(void *context, uint32_t member) {
    parts_sort *sort = context;
    (void)member;
    for (size_t i; (i = atomic_fetch_add(&sort->next, 1)) < PARTS;) {
        part *one = &sort->parts[i];
        one->sorted =
            trawl_suffix_sort_narrow(sort->text->text + one->begin, one->length, one->suffixes);
    }
}

/* Columns are those of the whole text: a byte of the walked part may be missing in the other
 * one. */
static void describe_other(parts_sort *sort) {
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
    ranks->text = sort->text->text + sort->other->begin;
    ranks->suffixes = sort->other->suffixes;
    ranks->rows = (uint32_t)sort->other->length;
}

/* ------------------------------------------------------------------ walking documents */

/* A document that is walked from its border to its first symbol. */
typedef struct walk {
    size_t at, begin; /* positions in the text */
    uint32_t row;     /* how many suffixes of the other part are smaller than the one at `at` */
} walk;

static void note(const parts_sort *sort, const walk *one) {
    sort->smaller[one->at - sort->walked->begin] = one->row;
    if (one->at > one->begin) {
        trawl_part_rank_prefetch(&sort->ranks, (uint8_t)(sort->text->text[one->at - 1] - 1),
                                 one->row);
    }
}

/* Begins with the next document that is not empty. */
static bool begin_walk(parts_sort *sort, walk *one) {
    const uint64_t *starts = sort->text->starts;
    for (;;) {
        size_t document = atomic_fetch_add(&sort->next, 1);
        if (document >= sort->walked->documents) {
            return false;
        }
        if (starts[document] < starts[document + 1]) {
            *one = (walk){.at = (size_t)starts[document + 1] - 1,
                          .begin = (size_t)starts[document],
                          .row = sort->borders_smaller};
            note(sort, one);
            return true;
        }
    }
}

static void walk_documents(void *context, uint32_t member) {
    parts_sort *sort = context;
    const uint16_t *text = sort->text->text;
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
                one->at--;
                one->row =
                    trawl_part_rank_step(&sort->ranks, (uint8_t)(text[one->at] - 1), one->row);
                note(sort, one);
            } else if (!begin_walk(sort, one)) {
                *one = walks[--count];
            }
        }
    }
}

/* ------------------------------------------------------------------ merging */

/* Merges rows [row, end) of the walked part with the rows of the other part that come before each
 * of them. */
static void merge_rows(const parts_sort *sort, size_t row, size_t end) {
    const int32_t *walked = sort->walked->suffixes, *other = sort->other->suffixes;
    const int32_t walked_begin = (int32_t)sort->walked->begin;
    const int32_t other_begin = (int32_t)sort->other->begin;
    size_t taken = row == 0 ? 0 : sort->smaller[walked[row - 1]];
    int32_t *merged = sort->merged;
    for (; row < end; row++) {
        if (end - row > ROWS_AHEAD) {
            __builtin_prefetch(&sort->smaller[walked[row + ROWS_AHEAD]]);
        }
        for (const size_t smaller = sort->smaller[walked[row]]; taken < smaller; taken++) {
            merged[taken + row] = other[taken] + other_begin;
        }
        merged[taken + row] = walked[row] + walked_begin;
    }
    if (row == sort->walked->length) {
        for (; taken < sort->other->length; taken++) {
            merged[taken + row] = other[taken] + other_begin;
        }
    }
}

static void merge(void *context, uint32_t member) {
    parts_sort *sort = context;
    const size_t length = sort->walked->length;
    (void)member;
    for (size_t row; (row = atomic_fetch_add(&sort->next, ROWS_TAKEN)) < length;) {
        merge_rows(sort, row, length - row < ROWS_TAKEN ? length : row + ROWS_TAKEN);
    }
}

/* Runs one step on all threads. They take work in turn, from number `first` on. */
static void share(parts_sort *sort, trawl_team *team, uint32_t members, size_t first,
                  trawl_team_work work) {
    atomic_store(&sort->next, first);
    trawl_team_run(team, members, work, sort);
}

int32_t *trawl_sort_parts(const trawl_index_builder *text, const trawl_text_cut *cut,
                          trawl_team *team, uint32_t members) {
    parts_sort sort = {.text = text};
    uint64_t slots = (uint64_t)text->length + PARTS * TRAWL_SUFFIX_SLACK;
    int32_t *suffixes = trawl_allocate_table(slots * sizeof *suffixes);
    if (suffixes == NULL) {
        return NULL;
    }
    set_parts(&sort, cut, suffixes);
    share(&sort, team, members, 0, sort_parts);
    bool done = sort.parts[0].sorted && sort.parts[1].sorted;
    if (done) {
        describe_other(&sort);
        sort.smaller = trawl_allocate_table(sort.walked->length * sizeof *sort.smaller);
        done = trawl_part_rank_make(&sort.ranks, team, members) && sort.smaller != NULL;
    }
    if (done) {
        /* The borders of the first part are smaller than those of the second. */
        sort.borders_smaller = cut->walks_second ? sort.ranks.first[0] : 0;
        share(&sort, team, members, sort.walked->first_document, walk_documents);
    }
    trawl_part_rank_release(&sort.ranks);
    if (done) {
        sort.merged = trawl_allocate_table((uint64_t)text->length * sizeof *sort.merged);
        done = sort.merged != NULL;
    }
    if (done) {
        share(&sort, team, members, 0, merge);
    }
    trawl_release(sort.smaller);
    trawl_release(suffixes);
    return sort.merged;
}
