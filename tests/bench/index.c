/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What queries of an index cost, as tab-separated lines:
 *
 *     bench_index documents   listing by the documents found, once and 16 times in each
 *     bench_index size        the same 64 documents in texts of 1 to 64 MiB
 *     bench_index length      finding patterns of 8 to 4,096 bytes
 *     bench_index pays FILE   building and querying beside scanning, by the bytes taken of FILE
 *
 * Times are CPU time of the one thread; of each, the least of several rounds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "trawl/trawl.h"
#include "trawl/trawl_index.h"

enum { DOCUMENT = 4096, MEBIBYTE = 1 << 20, ROUNDS = 9, PATTERN = 16, SET = 1000 };

static trawl_error error;

static void require(trawl_status status) {
    if (status != TRAWL_OK) {
        (void)fprintf(stderr, "bench_index: %s\n", error.message);
        exit(2);
    }
}

static void *take(size_t bytes) {
    void *memory = malloc(bytes);
    if (memory == NULL) {
        (void)fprintf(stderr, "bench_index: no memory for %zu bytes\n", bytes);
        exit(2);
    }
    return memory;
}

static uint64_t seed = 20261123;

/* Knuth's numbers; the upper bits are good. */
static uint64_t draw(uint64_t below) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % below;
}

/* ------------------------------------------------------------------ indexes in memory */

typedef struct file {
    uint8_t *bytes;
    size_t size, capacity;
} file;

static trawl_status keep(void *context, const void *bytes, size_t length, trawl_error *why) {
    file *to = context;
    (void)why;
    if (to->size + length > to->capacity) {
        to->capacity = 2 * (to->size + length);
        to->bytes = realloc(to->bytes, to->capacity);
        if (to->bytes == NULL)
            exit(2);
    }
    memcpy(to->bytes + to->size, bytes, length);
    to->size += length;
    return TRAWL_OK;
}

static trawl_status drop(void *context, const void *bytes, size_t length, trawl_error *why) {
    (void)context;
    (void)bytes;
    (void)length;
    (void)why;
    return TRAWL_OK;
}

static trawl_index_builder *documents_of(const uint8_t *text, size_t length, size_t document) {
    trawl_index_builder *builder = NULL;
    require(trawl_index_builder_new(&builder, &error));
    for (size_t at = 0; at < length; at += document) {
        size_t left = length - at;
        require(trawl_index_builder_document(builder, "d", 1, &error));
        require(trawl_index_builder_append(builder, text + at, left < document ? left : document,
                                           &error));
    }
    return builder;
}

static trawl_index *build(const uint8_t *text, size_t length, size_t document, file *to) {
    trawl_index_options options = TRAWL_INDEX_OPTIONS;
    trawl_index *index = NULL;
    trawl_index_builder *builder = documents_of(text, length, document);
    require(trawl_index_write(builder, &options, keep, to, &error));
    trawl_index_builder_free(builder);
    require(trawl_index_load_memory(to->bytes, to->size, &index, &error));
    require(trawl_index_verify(index, &error)); /* so that queries compare no checksums */
    return index;
}

static uint8_t *random_text(size_t length) {
    uint8_t *text = take(length);
    for (size_t i = 0; i < length; i++)
        text[i] = (uint8_t)('a' + draw(26));
    return text;
}

/* Seconds of finding a pattern and of listing its documents. */
static double query(const trawl_index *index, const void *pattern, size_t length,
                    uint64_t *occurrences, size_t *documents) {
    trawl_index_search *search = NULL;
    const uint32_t *listed = NULL;
    double least = 1e9;
    require(trawl_index_search_open(index, &search, &error));
    for (int round = 0; round < ROUNDS; round++) {
        const int calls = 20;
        double begin = trawl_thread_seconds();
        for (int call = 0; call < calls; call++) {
            require(trawl_index_find(search, pattern, length, occurrences, &error));
            require(trawl_index_documents(search, &listed, documents, &error));
        }
        double seconds = (trawl_thread_seconds() - begin) / calls;
        least = seconds < least ? seconds : least;
    }
    trawl_index_search_close(search);
    return least;
}

static void print_query(const char *series, uint64_t x, const trawl_index *index,
                        const void *pattern, size_t length) {
    uint64_t occurrences = 0;
    size_t documents = 0;
    double seconds = query(index, pattern, length, &occurrences, &documents);
    printf("%s\t%" PRIu64 "\t%zu\t%" PRIu64 "\t%.3f\n", series, x, documents, occurrences,
           seconds * 1e6);
}

/* ------------------------------------------------------------------ listing */

/* Writes `pattern` into `count` documents spread over the text, `times` in each; `place` of 16
 * keeps patterns apart. */
static void plant(uint8_t *text, size_t documents, size_t count, const char *pattern, size_t times,
                  size_t place) {
    for (size_t i = 0; i < count; i++) {
        uint8_t *document = text + i * (documents / count) * DOCUMENT;
        for (size_t time = 0; time < times; time++)
            memcpy(document + time * 256 + place * 16, pattern, 8);
    }
}

static void by_documents(void) {
    const size_t length = 64 * (size_t)MEBIBYTE, documents = length / DOCUMENT;
    uint8_t *text = random_text(length);
    char patterns[2][8][16];
    for (size_t times = 0; times < 2; times++) {
        size_t k = 0;
        for (size_t count = 1; count <= documents; count *= 4, k++) {
            (void)snprintf(patterns[times][k], 16, "%c%07zu", times ? 'X' : 'Y', count);
            plant(text, documents, count, patterns[times][k], times ? 16 : 1, 8 * times + k);
        }
    }
    file to = {.bytes = NULL};
    trawl_index *index = build(text, length, DOCUMENT, &to);
    printf("series\tx\tdocuments\toccurrences\tmicroseconds\n");
    for (size_t times = 0; times < 2; times++) {
        size_t k = 0;
        for (size_t count = 1; count <= documents; count *= 4, k++)
            print_query(times ? "16 occurrences in each document" : "1 occurrence in each document",
                        count, index, patterns[times][k], 8);
    }
    trawl_index_free(index);
    free(to.bytes);
    free(text);
}

static void by_size(void) {
    printf("series\tx\tdocuments\toccurrences\tmicroseconds\n");
    for (size_t megabytes = 1; megabytes <= 64; megabytes *= 2) {
        const size_t length = megabytes * MEBIBYTE, documents = length / DOCUMENT;
        uint8_t *text = random_text(length);
        plant(text, documents, 64, "Y0000064", 1, 0);
        plant(text, documents, 1, "X0000001", 1, 1);
        file to = {.bytes = NULL};
        trawl_index *index = build(text, length, DOCUMENT, &to);
        print_query("in 64 documents", length, index, "Y0000064", 8);
        print_query("in 1 document", length, index, "X0000001", 8);
        trawl_index_free(index);
        free(to.bytes);
        free(text);
    }
}

static void by_length(void) {
    const size_t length = 16 * (size_t)MEBIBYTE;
    uint8_t *text = random_text(length);
    file to = {.bytes = NULL};
    trawl_index *index = build(text, length, DOCUMENT, &to);
    printf("series\tx\tdocuments\toccurrences\tmicroseconds\n");
    for (size_t bytes = 8; bytes <= DOCUMENT; bytes *= 2)
        print_query("one occurrence", bytes, index, text + 100 * DOCUMENT, bytes);
    trawl_index_free(index);
    free(to.bytes);
    free(text);
}

/* ------------------------------------------------------------------ beside a scan */

static int count_match(const trawl_match *match, void *context) {
    (void)match;
    ++*(uint64_t *)context;
    return 0;
}

static int count_position(uint32_t document, uint64_t start, void *context) {
    (void)document;
    (void)start;
    ++*(uint64_t *)context;
    return 0;
}

/* Compiling a set and scanning for all its matches. */
static double scan(const uint8_t *text, size_t length, const uint64_t *starts, size_t count,
                   uint64_t *matches) {
    double begin = trawl_thread_seconds();
    trawl_patterns *set = NULL;
    trawl_db *db = NULL;
    require(trawl_patterns_new(&set, &error));
    for (size_t i = 0; i < count; i++)
        require(trawl_patterns_add(set, text + starts[i], PATTERN, 0, &error));
    require(trawl_compile(set, NULL, &db, &error));
    require(trawl_scan(db, text, length, NULL, count_match, matches, &error));
    trawl_db_free(db);
    trawl_patterns_free(set);
    return trawl_thread_seconds() - begin;
}

static double find_all(const trawl_index *index, const uint8_t *text, const uint64_t *starts,
                       size_t count, uint64_t *matches) {
    trawl_index_search *search = NULL;
    uint64_t occurrences = 0;
    double begin = trawl_thread_seconds();
    require(trawl_index_search_open(index, &search, &error));
    for (size_t i = 0; i < count; i++) {
        require(trawl_index_find(search, text + starts[i], PATTERN, &occurrences, &error));
        require(trawl_index_positions(search, count_position, matches, &error));
    }
    trawl_index_search_close(search);
    return trawl_thread_seconds() - begin;
}

/* One line: sets of `count` patterns of 16 bytes that occur, all positions. */
static void print_pays(const uint8_t *text, size_t length, const trawl_index *index, double built,
                       size_t count) {
    double scanning = 1e9, querying = 1e9;
    for (int round = 0; round < 5; round++) {
        uint64_t starts[SET], by_scan = 0, by_index = 0;
        for (size_t i = 0; i < count; i++)
            starts[i] = draw(length - PATTERN);
        double one = scan(text, length, starts, count, &by_scan);
        double other = find_all(index, text, starts, count, &by_index);
        if (by_scan != by_index) {
            (void)fprintf(stderr,
                          "bench_index: %" PRIu64 " matches by scan, %" PRIu64 " by index\n",
                          by_scan, by_index);
            exit(1);
        }
        scanning = one < scanning ? one : scanning;
        querying = other < querying ? other : querying;
    }
    printf("%zu\t%zu\t%.3f\t%.6f\t%.6f\t", length, count, built, scanning, querying);
    if (scanning > querying)
        printf("%.0f\n", built / (scanning - querying) + 1);
    else
        printf("never\n");
}

static void pays(const char *path) {
    FILE *from = fopen(path, "rb");
    const size_t most = 64 * (size_t)MEBIBYTE;
    uint8_t *text = take(most);
    size_t available = from == NULL ? 0 : fread(text, 1, most, from);
    if (available < MEBIBYTE) {
        (void)fprintf(stderr, "bench_index: %s: expected a text of 1 MiB or more\n", path);
        exit(2);
    }
    (void)fclose(from);
    printf("bytes\tpatterns\tbuild_seconds\tscan_seconds\tindex_seconds\tpays_from_queries\n");
    for (size_t length = MEBIBYTE; length <= available; length *= 4) {
        trawl_index_options options = TRAWL_INDEX_OPTIONS;
        trawl_index_builder *builder = documents_of(text, length, length);
        double begin = trawl_thread_seconds();
        require(trawl_index_write(builder, &options, drop, NULL, &error));
        double built = trawl_thread_seconds() - begin;
        trawl_index_builder_free(builder);
        file to = {.bytes = NULL};
        trawl_index *index = build(text, length, length, &to);
        for (size_t count = 1; count <= SET; count *= 10)
            print_pays(text, length, index, built, count);
        trawl_index_free(index);
        free(to.bytes);
    }
    free(text);
}

int main(int argc, char **argv) {
    const char *what = argc < 2 ? "" : argv[1];
    if (strcmp(what, "documents") == 0 && argc == 2)
        by_documents();
    else if (strcmp(what, "size") == 0 && argc == 2)
        by_size();
    else if (strcmp(what, "length") == 0 && argc == 2)
        by_length();
    else if (strcmp(what, "pays") == 0 && argc == 3)
        pays(argv[2]);
    else {
        (void)fprintf(stderr, "bench_index: expected documents, size, length or pays FILE\n");
        return 2;
    }
    return 0;
}
