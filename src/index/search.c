/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "index/format.h"
#include "index/numbers.h"

/* Ranges of up to this many rows are read as a whole: a range minimum reads up to 31 rows and 31
 * groups at each end, so it would read no less. */
enum { SHORT_RANGE = 64 };

/* Rows [first, last] in which documents are still to be found. */
typedef struct row_range {
    uint64_t first;
    uint64_t last;
} row_range;

struct trawl_index_search {
    const trawl_index *index;
    uint64_t begin, end; /* rows of the pattern */
    row_range *ranges;   /* arrays of base/allocate.h */
    uint64_t *numbers;   /* documents or positions, to be sorted */
    uint64_t *scratch;   /* as long as numbers */
    uint32_t *documents;
    trawl_index_count *counts;
    uint64_t *occurrences; /* of each document of the index; all 0 between calls */
    bool reporting; /* on_position is being called, for positions in `numbers`: other calls fail */
};

/* For a call by on_position, which may not use the search that called it. */
static trawl_status fail_reporting(const char *function, trawl_error *error) {
    return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                      "%s: the search is reporting positions; on_position needs another search",
                      function);
}

trawl_status trawl_index_search_open(const trawl_index *index, trawl_index_search **search,
                                     trawl_error *error) {
    trawl_clear(error);
    if (index == NULL || search == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_index_search_open: %s is NULL",
                          index == NULL ? "index" : "search");
    }
    *search = trawl_allocate_zeroed(1, sizeof **search);
    if (*search == NULL) {
        return trawl_fail_memory(error, "a search", sizeof **search);
    }
    (*search)->index = index;
    return TRAWL_OK;
}

void trawl_index_search_close(trawl_index_search *search) {
    if (search == NULL) {
        return;
    }
    trawl_array_release(search->ranges);
    trawl_array_release(search->numbers);
    trawl_array_release(search->scratch);
    trawl_array_release(search->documents);
    trawl_array_release(search->counts);
    trawl_release(search->occurrences);
    trawl_release(search);
}

trawl_status trawl_index_find(trawl_index_search *search, const void *pattern, size_t length,
                              uint64_t *occurrences, trawl_error *error) {
    trawl_clear(error);
    if (search == NULL || pattern == NULL || occurrences == NULL || length == 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_index_find: %s",
                          search == NULL        ? "search is NULL"
                          : pattern == NULL     ? "pattern is NULL"
                          : occurrences == NULL ? "occurrences is NULL"
                                                : "the pattern is empty");
    }
    if (search->reporting) {
        return fail_reporting("trawl_index_find", error);
    }
    search->begin = search->end = 0;
    if (!trawl_index_locate(search->index, pattern, length, &search->begin, &search->end)) {
        search->begin = search->end = 0;
        return trawl_index_damaged(search->index, error);
    }
    *occurrences = search->end - search->begin;
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ documents */

/* Makes room for `count` objects of `size` bytes in an array, twice as many at least as there were,
 * so that growing costs O(1) for each object. `pointer` is the address of the pointer to it. */
static trawl_status reserve(void *pointer, size_t count, size_t size, trawl_error *error) {
    void *array;
    memcpy(&array, pointer, sizeof array);
    size_t capacity = trawl_array_capacity(array, size);
    if (count <= capacity) {
        return TRAWL_OK;
    }
    count = count < 2 * capacity ? 2 * capacity : count < 64 ? 64 : count;
    array = trawl_array_grow(array, count, size, &capacity);
    if (array == NULL) {
        return trawl_fail_memory(error, "a search's result", (uint64_t)count * size);
    }
    memcpy(pointer, &array, sizeof array);
    return TRAWL_OK;
}

/* Muthukrishnan 2002. `previous` of a row is the row before it with the same document. A document
 * is reported at its first row among the rows of the pattern: the row whose `previous` lies before
 * all rows of the pattern. The least `previous` of a range finds such a row; where the least is
 * itself a row of the pattern, the range has no new document. */
/* Lists documents as list_documents does, by reading each `previous` of a short range. */
static trawl_status list_in_rows(trawl_index_search *search, row_range range, size_t *count,
                                 trawl_error *error) {
    const trawl_index *index = search->index;
    const uint32_t width = index->header.position_bytes;
    const uint64_t rows = range.last - range.first + 1;
    const uint8_t *previous =
        trawl_index_bytes(index, TRAWL_INDEX_PREVIOUS, range.first * width, rows * width);
    if (previous == NULL) {
        return trawl_index_damaged(index, error);
    }
    trawl_status status =
        reserve(&search->numbers, *count + (size_t)rows, sizeof *search->numbers, error);
    for (uint64_t i = 0; i < rows && status == TRAWL_OK; i++) {
        uint32_t document;
        if (trawl_index_number_of(previous, width, i) > search->begin) {
            continue;
        }
        if (*count == index->header.documents ||
            !trawl_index_document_of(index, range.first + i, &document)) {
            return trawl_index_damaged(index, error);
        }
        search->numbers[(*count)++] = document;
    }
    return status;
}

static trawl_status list_documents(trawl_index_search *search, size_t *count, trawl_error *error) {
    const trawl_index *index = search->index;
    trawl_status status = reserve(&search->ranges, 1, sizeof *search->ranges, error);
    size_t open = 0;
    *count = 0;
    if (status == TRAWL_OK && search->begin < search->end) {
        search->ranges[open++] = (row_range){search->begin, search->end - 1};
    }
    while (status == TRAWL_OK && open != 0) {
        row_range range = search->ranges[--open];
        if (range.last - range.first < SHORT_RANGE) {
            status = list_in_rows(search, range, count, error);
            continue;
        }
        uint64_t row, previous;
        uint32_t document;
        if (!trawl_index_least(index, range.first, range.last, &row, &previous) ||
            !trawl_index_document_of(index, row, &document)) {
            return trawl_index_damaged(index, error);
        }
        if (previous > search->begin) { /* `previous` is C + 1: row C is one of the pattern's */
            continue;
        }
        if (*count == index->header.documents) {
            return trawl_index_damaged(index, error);
        }
        status = reserve(&search->numbers, *count + 1, sizeof *search->numbers, error);
        if (status == TRAWL_OK) {
            status = reserve(&search->ranges, open + 2, sizeof *search->ranges, error);
        }
        if (status == TRAWL_OK) {
            search->numbers[(*count)++] = document;
            if (row < range.last) {
                search->ranges[open++] = (row_range){row + 1, range.last};
            }
            if (row > range.first) {
                search->ranges[open++] = (row_range){range.first, row - 1};
            }
        }
    }
    return status;
}

trawl_status trawl_index_documents(trawl_index_search *search, const uint32_t **documents,
                                   size_t *count, trawl_error *error) {
    trawl_clear(error);
    if (search == NULL || documents == NULL || count == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_index_documents: %s is NULL",
                          search == NULL      ? "search"
                          : documents == NULL ? "documents"
                                              : "count");
    }
    if (search->reporting) {
        return fail_reporting("trawl_index_documents", error);
    }
    *documents = NULL;
    *count = 0;
    size_t found = 0;
    trawl_status status = list_documents(search, &found, error);
    if (status == TRAWL_OK) {
        status = reserve(&search->scratch, found, sizeof *search->scratch, error);
    }
    if (status == TRAWL_OK) {
        status = reserve(&search->documents, found, sizeof *search->documents, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_sort_numbers(search->numbers, search->scratch, found);
    for (size_t i = 0; i < found; i++) {
        search->documents[i] = (uint32_t)search->numbers[i];
    }
    *documents = search->documents;
    *count = found;
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ counts */

static int compare_counts(const void *left, const void *right) {
    const trawl_index_count *a = left, *b = right;
    if (a->occurrences != b->occurrences) {
        return a->occurrences > b->occurrences ? -1 : 1;
    }
    return a->document < b->document ? -1 : a->document > b->document;
}

/* Counts the rows of each listed document. Afterwards all counters are 0 again, also those of
 * documents that are not listed, which only a forged file has. */
static trawl_status count_rows(trawl_index_search *search, const uint32_t *documents, size_t count,
                               trawl_error *error) {
    const trawl_index *index = search->index;
    uint64_t *occurrences = search->occurrences, row = search->begin, sum = 0;
    uint32_t document;
    while (row < search->end && trawl_index_document_of(index, row, &document)) {
        occurrences[document]++;
        row++;
    }
    for (size_t i = 0; i < count; i++) {
        search->counts[i] =
            (trawl_index_count){.document = documents[i], .occurrences = occurrences[documents[i]]};
        sum += occurrences[documents[i]];
        occurrences[documents[i]] = 0;
    }
    if (row == search->end && sum == search->end - search->begin) {
        return TRAWL_OK;
    }
    memset(occurrences, 0, (size_t)index->header.documents * sizeof *occurrences);
    return trawl_index_damaged(index, error);
}

trawl_status trawl_index_document_counts(trawl_index_search *search, size_t most,
                                         const trawl_index_count **counts, size_t *count,
                                         trawl_error *error) {
    trawl_clear(error);
    if (search == NULL || counts == NULL || count == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_index_document_counts: %s is NULL",
                          search == NULL   ? "search"
                          : counts == NULL ? "counts"
                                           : "count");
    }
    if (search->reporting) {
        return fail_reporting("trawl_index_document_counts", error);
    }
    const uint32_t *documents = NULL;
    size_t found = 0;
    *counts = NULL;
    *count = 0;
    trawl_status status = trawl_index_documents(search, &documents, &found, error);
    if (status == TRAWL_OK) {
        status = reserve(&search->counts, found, sizeof *search->counts, error);
    }
    if (status == TRAWL_OK && search->occurrences == NULL) {
        uint64_t all = search->index->header.documents;
        search->occurrences = trawl_allocate_zeroed((size_t)all, sizeof *search->occurrences);
        if (search->occurrences == NULL) {
            status = trawl_fail_memory(error, "counters of documents", 8 * all);
        }
    }
    if (status == TRAWL_OK) {
        status = count_rows(search, documents, found, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    if (most != 0 && found != 0) {
        qsort(search->counts, found, sizeof *search->counts, compare_counts);
        found = found < most ? found : most;
    }
    *counts = search->counts;
    *count = found;
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ positions */

/* The document of a position, for positions in ascending order. */
typedef struct place {
    const trawl_index *index;
    uint32_t document;
    uint64_t begin, end; /* positions of that document */
} place;

/* Finds the document with a position, from the last one on: in steps of 1, 2, 4 ... documents, then
 * by binary search. */
static bool find_place(place *at, uint64_t position) {
    const trawl_index *index = at->index;
    uint64_t low = at->document, high = low + 1, step = 1, ends[2];
    const uint64_t documents = index->header.documents;
    const uint8_t *bytes = trawl_index_bytes(index, TRAWL_INDEX_STARTS, 0, 0);
    for (; high < documents; high += step, step *= 2) {
        bytes = trawl_index_bytes(index, TRAWL_INDEX_STARTS, 8 * high, 8);
        if (bytes == NULL) {
            return false;
        }
        memcpy(ends, bytes, 8);
        if (ends[0] > position) {
            break;
        }
        low = high;
    }
    high = high < documents ? high : documents;
    while (high - low > 1) { /* document `low` begins at the position or before */
        uint64_t middle = low + (high - low) / 2;
        bytes = trawl_index_bytes(index, TRAWL_INDEX_STARTS, 8 * middle, 8);
        if (bytes == NULL) {
            return false;
        }
        memcpy(ends, bytes, 8);
        *(ends[0] > position ? &high : &low) = middle;
    }
    bytes = trawl_index_bytes(index, TRAWL_INDEX_STARTS, 8 * low, 16);
    if (bytes == NULL) {
        return false;
    }
    memcpy(ends, bytes, sizeof ends);
    at->document = (uint32_t)low;
    at->begin = ends[0];
    at->end = ends[1];
    return ends[0] <= position && position < ends[1];
}

typedef struct reporting {
    place at;
    trawl_index_on_position on_position;
    void *context;
} reporting;

static trawl_status report(reporting *to, uint64_t position, trawl_error *error) {
    if ((position < to->at.begin || position >= to->at.end) && !find_place(&to->at, position)) {
        return trawl_index_damaged(to->at.index, error);
    }
    return to->on_position(to->at.document, position - to->at.begin, to->context) == 0
               ? TRAWL_OK
               : TRAWL_STOPPED;
}

/* Few positions are sorted. Many positions are marked in an array of bits, one for each position of
 * the text, which is then read in order. The limit is where both take the same memory. */
static bool few(const trawl_index_search *search) {
    return search->end - search->begin <= search->index->header.rows / 128;
}

/* Takes the positions of rows [done, done + some) of the pattern. */
static bool take_positions(trawl_index_search *search, uint64_t done, uint64_t some) {
    const trawl_index *index = search->index;
    const uint32_t width = index->header.position_bytes;
    const bool sorted = few(search);
    const uint8_t *bytes = trawl_index_bytes(index, TRAWL_INDEX_SUFFIXES,
                                             (search->begin + done) * width, some * width);
    if (bytes == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < some; i++) {
        uint64_t position = trawl_index_number_of(bytes, width, i);
        if (position >= index->header.rows) {
            return false;
        }
        if (sorted) {
            search->numbers[done + i] = position;
        } else {
            search->numbers[position / 64] |= UINT64_C(1) << position % 64;
        }
    }
    return true;
}

static trawl_status read_positions(trawl_index_search *search, trawl_error *error) {
    const trawl_index *index = search->index;
    const uint64_t rows = index->header.rows, count = search->end - search->begin;
    const size_t words = (size_t)(few(search) ? count : rows / 64 + 1);
    trawl_status status = reserve(&search->numbers, words, sizeof *search->numbers, error);
    if (status == TRAWL_OK && few(search)) {
        status = reserve(&search->scratch, words, sizeof *search->scratch, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    if (!few(search)) {
        memset(search->numbers, 0, words * sizeof *search->numbers);
    }
    for (uint64_t done = 0, some = 0; done < count; done += some) {
        some = count - done < TRAWL_INDEX_BLOCK ? count - done : TRAWL_INDEX_BLOCK;
        if (!take_positions(search, done, some)) {
            return trawl_index_damaged(index, error);
        }
    }
    if (few(search)) {
        trawl_sort_numbers(search->numbers, search->scratch, (size_t)count);
    }
    return TRAWL_OK;
}

/* Reports the positions that have been read. */
static trawl_status report_all(const trawl_index_search *search, reporting *to,
                               trawl_error *error) {
    const uint64_t count = search->end - search->begin;
    trawl_status status = TRAWL_OK;
    if (few(search)) {
        for (uint64_t i = 0; i < count && status == TRAWL_OK; i++) {
            status = report(to, search->numbers[i], error);
        }
        return status;
    }
    for (uint64_t at = 0; at <= search->index->header.rows / 64 && status == TRAWL_OK; at++) {
        for (uint64_t word = search->numbers[at]; word != 0 && status == TRAWL_OK;
             word &= word - 1) {
            status = report(to, 64 * at + (uint64_t)__builtin_ctzll(word), error);
        }
    }
    return status;
}

trawl_status trawl_index_positions(trawl_index_search *search, trawl_index_on_position on_position,
                                   void *context, trawl_error *error) {
    trawl_clear(error);
    if (search == NULL || on_position == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_index_positions: %s is NULL",
                          search == NULL ? "search" : "on_position");
    }
    if (search->reporting) {
        return fail_reporting("trawl_index_positions", error);
    }
    if (search->begin == search->end) {
        return TRAWL_OK;
    }
    reporting to = {.at = {.index = search->index}, .on_position = on_position, .context = context};
    trawl_status status = read_positions(search, error);
    if (status == TRAWL_OK) {
        search->reporting = true;
        status = report_all(search, &to, error);
        search->reporting = false;
    }
    return status;
}
