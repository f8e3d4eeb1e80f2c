/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Charan 2015, 2.2: whether a pattern occurs, where it does, and which documents contain it: by
 * Knuth, Morris and Pratt (KMP), which read the whole text, and by an index of the documents. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/clock.h"
#include "cli/base/memory.h"
#include "cli/reproduce/charan.h"
#include "cli/reproduce/random.h"
#include "cli/reproduce/run.h"
#include "trawl/trawl_index.h"

enum {
    TEXT_BYTES_HERE = 16 << 20,
    DOCUMENT = 64 << 10, /* bytes */
    PATTERNS = 8,        /* of each length; times are means */
    LENGTHS = 3,
    LONGEST = 1024,
    SEED = 2019,
    QUERIES = 3,
    ROWS = QUERIES * LENGTHS + 1,
    KMP = 0,
    INDEX = 1,
    COLUMNS = 2
};

static const size_t lengths[LENGTHS] = {8, 64, LONGEST};

typedef enum query { PRESENT = 0, POSITIONS, DOCUMENTS } query;

/* What a query finds. Both ways must find the same. */
typedef struct answer {
    uint64_t count; /* of occurrences, or of documents; PRESENT: 1 or 0 */
    uint64_t sum;   /* of their positions in the text, or of numbers of documents */
} answer;

typedef struct collection {
    const uint8_t *text;
    size_t length;
    uint8_t *file; /* of the index; owned */
    size_t file_bytes, file_room;
    trawl_index *index;
    trawl_index_search *search;
    double build_seconds;
} collection;

/* ------------------------------------------------------------------ KMP */

/* borders[i]: the longest proper prefix of the pattern that ends with its byte i. */
static void find_borders(const uint8_t *pattern, size_t length, size_t *borders) {
    size_t matched = borders[0] = 0;
    for (size_t i = 1; i < length; i++) {
        while (matched > 0 && pattern[i] != pattern[matched])
            matched = borders[matched - 1];
        matched += pattern[i] == pattern[matched];
        borders[i] = matched;
    }
}

/* Adds the occurrences in text[begin, end): all, or the first one. */
static void search_document(const collection *texts, size_t begin, size_t end,
                            const uint8_t *pattern, size_t length, const size_t *borders,
                            bool first_only, answer *found) {
    size_t matched = 0;
    for (size_t i = begin; i < end; i++) {
        while (matched > 0 && texts->text[i] != pattern[matched])
            matched = borders[matched - 1];
        matched += texts->text[i] == pattern[matched];
        if (matched == length) {
            found->count++;
            found->sum += i + 1 - length;
            if (first_only)
                return;
            matched = borders[length - 1];
        }
    }
}

static answer answer_by_kmp(const collection *texts, query asked, const uint8_t *pattern,
                            size_t length) {
    answer found = {0, 0};
    size_t borders[LONGEST];
    find_borders(pattern, length, borders);
    for (size_t begin = 0; begin < texts->length; begin += DOCUMENT) {
        size_t left = texts->length - begin;
        answer here = {0, 0};
        search_document(texts, begin, begin + (left < DOCUMENT ? left : DOCUMENT), pattern, length,
                        borders, asked != POSITIONS, &here);
        found.count += here.count;
        found.sum += asked == POSITIONS ? here.sum : here.count * (begin / DOCUMENT);
        if (asked == PRESENT && found.count != 0)
            return (answer){1, 0};
    }
    return found;
}

/* ------------------------------------------------------------------ the index */

static int add_position(uint32_t document, uint64_t start, void *context) {
    answer *found = context;
    found->count++;
    found->sum += (uint64_t)document * DOCUMENT + start;
    return 0;
}

static trawl_status answer_by_index(const collection *texts, query asked, const uint8_t *pattern,
                                    size_t length, answer *found, trawl_error *error) {
    uint64_t occurrences = 0;
    *found = (answer){0, 0};
    trawl_status status = trawl_index_find(texts->search, pattern, length, &occurrences, error);
    if (status != TRAWL_OK)
        return status;
    if (asked == PRESENT) {
        found->count = occurrences != 0;
        return TRAWL_OK;
    }
    if (asked == POSITIONS)
        return trawl_index_positions(texts->search, add_position, found, error);
    const uint32_t *documents = NULL;
    size_t count = 0;
    status = trawl_index_documents(texts->search, &documents, &count, error);
    found->count = count;
    for (size_t i = 0; i < count; i++)
        found->sum += documents[i];
    return status;
}

static trawl_status take_bytes(void *context, const void *bytes, size_t length,
                               trawl_error *error) {
    collection *texts = context;
    (void)error;
    if (texts->file_room - texts->file_bytes < length) {
        texts->file_room = 2 * (texts->file_bytes + length);
        texts->file = reallocate(texts->file, texts->file_room);
    }
    memcpy(texts->file + texts->file_bytes, bytes, length);
    texts->file_bytes += length;
    return TRAWL_OK;
}

static trawl_status write_index(collection *texts, trawl_error *error) {
    trawl_index_builder *builder = NULL;
    trawl_index_options options = TRAWL_INDEX_OPTIONS;
    trawl_status status = trawl_index_builder_new(&builder, error);
    for (size_t begin = 0; begin < texts->length && status == TRAWL_OK; begin += DOCUMENT) {
        size_t left = texts->length - begin;
        status = trawl_index_builder_document(builder, "", 0, error);
        if (status == TRAWL_OK)
            status = trawl_index_builder_append(builder, texts->text + begin,
                                                left < DOCUMENT ? left : DOCUMENT, error);
    }
    if (status == TRAWL_OK)
        status = trawl_index_write(builder, &options, take_bytes, texts, error);
    trawl_index_builder_free(builder);
    return status;
}

static trawl_status open_collection(collection *texts, trawl_error *error) {
    double begin = seconds_now();
    trawl_status status = write_index(texts, error);
    texts->build_seconds = seconds_now() - begin;
    if (status == TRAWL_OK)
        status = trawl_index_load_memory(texts->file, texts->file_bytes, &texts->index, error);
    return status == TRAWL_OK ? trawl_index_search_open(texts->index, &texts->search, error)
                              : status;
}

static void close_collection(collection *texts) {
    trawl_index_search_close(texts->search);
    trawl_index_free(texts->index);
    free(texts->file);
}

/* ------------------------------------------------------------------ times */

/* Microseconds of one query by each way, the mean of all patterns of a length, which are pieces of
 * documents. False after writing why not. */
static bool time_query(reproduction *run, const collection *texts, query asked, size_t length,
                       double *times, char *why) {
    const double least_seconds = 0.02;
    uint64_t state = SEED;
    double spent[COLUMNS] = {0};
    trawl_error error;
    for (size_t i = 0; i < PATTERNS; i++) {
        size_t place = random_below(&state, texts->length - length + 1);
        size_t inside = place % DOCUMENT;
        place -= inside + length > DOCUMENT ? inside + length - DOCUMENT : 0;
        const uint8_t *pattern = texts->text + place;
        double begin = seconds_now();
        answer expected = answer_by_kmp(texts, asked, pattern, length);
        spent[KMP] += seconds_now() - begin;
        answer found;
        size_t rounds = 0;
        begin = seconds_now();
        do {
            if (answer_by_index(texts, asked, pattern, length, &found, &error) != TRAWL_OK) {
                (void)run_failed(&error, why);
                return false;
            }
            rounds++;
        } while (seconds_now() - begin < least_seconds);
        spent[INDEX] += (seconds_now() - begin) / (double)rounds;
        if (found.count != expected.count || found.sum != expected.sum) {
            (void)run_mismatch(run, found.count, expected.count, why);
            return false;
        }
    }
    for (size_t i = 0; i < COLUMNS; i++)
        times[i] = spent[i] / PATTERNS * 1e6;
    return true;
}

/* All cells, row by row. NULL after writing why not. */
static const double *measure_all(reproduction *run, char *why) {
    static const char name[] = "queries";
    const double *known = run_recall(run, name);
    if (known != NULL)
        return known;
    workload data = {SET_WORDS, 1, TEXT_WORDS, TEXT_BYTES_HERE};
    collection texts = {.text = run_text(run, &data, why), .length = run_bytes(run, data.bytes)};
    double times[ROWS * COLUMNS];
    trawl_error error;
    if (texts.text == NULL)
        return NULL;
    bool works = open_collection(&texts, &error) == TRAWL_OK;
    if (!works)
        (void)run_failed(&error, why);
    for (size_t i = 0; i < QUERIES * LENGTHS && works; i++)
        works = time_query(run, &texts, (query)(i / LENGTHS), lengths[i % LENGTHS],
                           &times[i * COLUMNS], why);
    times[(ROWS - 1) * COLUMNS + KMP] = PAPER_NONE;
    times[(ROWS - 1) * COLUMNS + INDEX] = texts.build_seconds * 1e6;
    close_collection(&texts);
    return works ? run_remember(run, name, times, ROWS * COLUMNS) : NULL;
}

static double measure_query(reproduction *run, const paper_table *table, size_t row, size_t column,
                            char *why) {
    (void)table;
    const double *times = measure_all(run, why);
    if (times != NULL && row == ROWS - 1 && column == KMP)
        (void)snprintf(why, PAPER_WHY_BYTES, "KMP needs no index");
    return times == NULL ? PAPER_NONE : times[row * COLUMNS + column];
}

static const char *const query_rows[] = {"present? 8 bytes",       "64 bytes", "1,024 bytes",
                                         "all positions: 8 bytes", "64 bytes", "1,024 bytes",
                                         "all documents: 8 bytes", "64 bytes", "1,024 bytes",
                                         "building the index",     NULL};
static const char *const query_columns[] = {"KMP", "trawl index", NULL};

const paper_shape charan_by_query = {.unit = "us",
                                     .row_axis = "query, pattern",
                                     .column_axis = "algorithm",
                                     .rows = query_rows,
                                     .columns = query_columns,
                                     .ratio = PAPER_OVER_FIRST_COLUMN,
                                     .is_time = true,
                                     .measure = measure_query};
