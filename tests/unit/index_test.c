/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Indexes: the worked examples of Charan 2015, section 2.2 (corrected), sorting, borders of
 * documents, arguments, files that are not indexes.
 */
#include "index_memory.h"
#include "suffix_queries.h"
#include "temporary.h"

#include "index/format.h"
#include "index/suffix_sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static trawl_error error;
static index_memory memory;

static trawl_index *build(const index_text *texts, size_t count,
                          const trawl_index_options *options) {
    trawl_index *index = NULL;
    if (index_memory_build(texts, count, options, &memory, &error) != TRAWL_OK ||
        trawl_index_load_memory(memory.bytes, memory.size, &index, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    assert_int_equal(trawl_index_verify(index, &error), TRAWL_OK);
    return index;
}

/* Writes the documents that have the pattern, each with its occurrences and their starts:
 * "0:1@3 2:2@0,5". */
static char found[4096];
static uint32_t last_document;

static int write_position(uint32_t document, uint64_t start, void *context) {
    char *end = found + strlen(found);
    (void)context;
    (void)snprintf(end, sizeof found - (size_t)(end - found), "%s%llu",
                   document == last_document ? ","
                   : document == UINT32_MAX  ? ""
                                             : "@",
                   (unsigned long long)start);
    last_document = document;
    return 0;
}

static int keep_positions(uint32_t document, uint64_t start, void *context) {
    if (document == *(const uint32_t *)context)
        (void)write_position(document, start, NULL);
    return 0;
}

static const char *search_bytes(const trawl_index *index, const void *pattern, size_t length) {
    trawl_index_search *search = NULL;
    const trawl_index_count *counts = NULL;
    const uint32_t *documents = NULL;
    uint64_t occurrences = 0, sum = 0;
    size_t count = 0, document_count = 0;
    assert_int_equal(trawl_index_search_open(index, &search, &error), TRAWL_OK);
    assert_int_equal(trawl_index_find(search, pattern, length, &occurrences, &error), TRAWL_OK);
    assert_int_equal(trawl_index_documents(search, &documents, &document_count, &error), TRAWL_OK);
    assert_int_equal(trawl_index_document_counts(search, 0, &counts, &count, &error), TRAWL_OK);
    assert_int_equal(count, document_count);
    found[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        char *end = found + strlen(found);
        (void)snprintf(end, sizeof found - (size_t)(end - found), "%s%u:%llu", i ? " " : "",
                       counts[i].document, (unsigned long long)counts[i].occurrences);
        sum += counts[i].occurrences;
        last_document = UINT32_MAX;
        uint32_t document = counts[i].document;
        assert_int_equal(trawl_index_positions(search, keep_positions, &document, &error),
                         TRAWL_OK);
    }
    assert_int_equal(sum, occurrences);
    trawl_index_search_close(search);
    return found;
}

static const char *search_text(const trawl_index *index, const char *pattern) {
    return search_bytes(index, pattern, strlen(pattern));
}

/* ------------------------------------------------------------------ worked examples */

/* Figure 2.2: the suffixes of happypuppy. The thesis's terminator $ is the border. */
static void suffix_array_of_the_thesis(void **state) {
    (void)state;
    static const char text[] = "happypuppy";
    static const int32_t expected[] = {10, 1, 0, 7, 2, 5, 8, 3, 6, 9, 4};
    uint16_t symbols[11];
    int32_t narrow[11 + TRAWL_SUFFIX_SLACK];
    int64_t wide[11 + TRAWL_SUFFIX_SLACK];
    for (size_t i = 0; i < 10; i++)
        symbols[i] = (uint16_t)((uint8_t)text[i] + 1);
    symbols[10] = 0;
    assert_true(trawl_suffix_sort_narrow(symbols, 11, narrow));
    assert_true(trawl_suffix_sort_wide(symbols, 11, wide));
    for (size_t i = 0; i < 11; i++) {
        assert_int_equal(narrow[i], expected[i]);
        assert_int_equal(wide[i], expected[i]);
    }
    /* Query 1 and query 2 by binary search, without the terminator's suffix. */
    size_t begin, end;
    const uint8_t *bytes = (const uint8_t *)text;
    suffix_array_search((const uint8_t *)"py", 2, bytes, 10, narrow + 1, &begin, &end);
    assert_int_equal(end - begin, 2);
    assert_int_equal(narrow[1 + begin], 8);
    assert_int_equal(narrow[2 + begin], 3);
    suffix_array_search((const uint8_t *)"pp", 2, bytes, 10, narrow + 1, &begin, &end);
    assert_int_equal(end - begin, 2);
    assert_int_equal(narrow[1 + begin], 7);
    assert_int_equal(narrow[2 + begin], 2);
    suffix_array_search((const uint8_t *)"pz", 2, bytes, 10, narrow + 1, &begin, &end);
    assert_int_equal(end, begin);

    /* The same by the index, and by KMP. */
    const index_text texts[] = {{"t", text, 10}};
    trawl_index *index = build(texts, 1, NULL);
    assert_string_equal(search_text(index, "py"), "0:2@3,8");
    assert_string_equal(search_text(index, "pp"), "0:2@2,7");
    trawl_index_free(index);
    size_t borders[2], positions[2];
    assert_int_equal(kmp_search((const uint8_t *)"pp", 2, bytes, 10, borders, positions, 2), 2);
    assert_int_equal(positions[0], 2);
    assert_int_equal(positions[1], 7);
}

static const index_text happy[] = {
    {"happy", "happy", 5}, {"puppy", "puppy", 5}, {"pup", "pup", 3}, {"hap", "hap", 3}};

/* Section 2.2: D, L and C of four documents, with the inequalities of Muthukrishnan 2002. */
static void document_listing_of_the_thesis(void **state) {
    (void)state;
    static const uint32_t documents[] = {0, 1, 2, 3, 3, 0, 3, 0, 2, 3,
                                         0, 1, 2, 1, 0, 1, 2, 1, 0, 1};
    static const uint32_t starts[] = {5, 5, 3, 3, 1, 1, 0, 0, 2, 2, 2, 2, 0, 0, 3, 3, 1, 1, 4, 4};
    static const int previous[] = {-1, -1, -1, -1, 3,  0,  4,  5,  2,  6,
                                   7,  1,  8,  11, 10, 13, 12, 15, 14, 17};
    static const uint32_t begins[] = {0, 6, 12, 16};
    trawl_index *index = build(happy, 4, NULL);
    assert_int_equal(index->header.rows, 20);
    for (uint64_t row = 0; row < 20; row++) {
        uint64_t number;
        uint32_t document;
        assert_true(trawl_index_document_of(index, row, &document));
        assert_int_equal(document, documents[row]);
        assert_true(trawl_index_number(index, TRAWL_INDEX_PREVIOUS, row, &number));
        assert_int_equal((int)number - 1, previous[row]);
        assert_true(trawl_index_number(index, TRAWL_INDEX_SUFFIXES, row, &number));
        assert_int_equal(number - begins[document], starts[row]);
    }
    static const struct {
        const char *pattern;
        uint64_t begin, end;
        const char *found;
    } queries[] = {
        {"p", 8, 16, "0:2@2,3 1:3@0,2,3 2:2@0,2 3:1@2"},
        {"pp", 10, 12, "0:1@2 1:1@2"},
        {"hap", 6, 8, "0:1@0 3:1@0"},
        {"uppy", 17, 18, "1:1@1"},
        {"z", 0, 0, ""},
        {"yp", 0, 0, ""},   /* the end of one document and the beginning of the next */
        {"puph", 0, 0, ""}, /* the same */
        {"happyhappy", 0, 0, ""},
    };
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        uint64_t begin, end;
        const char *pattern = queries[i].pattern;
        assert_true(
            trawl_index_locate(index, (const uint8_t *)pattern, strlen(pattern), &begin, &end));
        if (queries[i].end) {
            assert_int_equal(begin, queries[i].begin);
            assert_int_equal(end, queries[i].end);
        } else {
            assert_int_equal(begin, end);
        }
        assert_string_equal(search_text(index, pattern), queries[i].found);
    }
    trawl_index_free(index);
}

static void top_documents_come_first(void **state) {
    (void)state;
    trawl_index *index = build(happy, 4, NULL);
    trawl_index_search *search = NULL;
    const trawl_index_count *counts;
    uint64_t occurrences;
    size_t count;
    assert_int_equal(trawl_index_search_open(index, &search, &error), TRAWL_OK);
    assert_int_equal(trawl_index_find(search, "p", 1, &occurrences, &error), TRAWL_OK);
    assert_int_equal(occurrences, 8);
    assert_int_equal(trawl_index_document_counts(search, 3, &counts, &count, &error), TRAWL_OK);
    assert_int_equal(count, 3);
    assert_int_equal(counts[0].document, 1);
    assert_int_equal(counts[0].occurrences, 3);
    assert_int_equal(counts[1].document, 0); /* as often as in 2 */
    assert_int_equal(counts[2].document, 2);
    trawl_index_search_close(search);
    trawl_index_free(index);
}

/* ------------------------------------------------------------------ collections */

static void bytes_of_any_value(void **state) {
    (void)state;
    uint8_t all[512];
    for (size_t i = 0; i < sizeof all; i++)
        all[i] = (uint8_t)i;
    const index_text texts[] = {{"all", all, sizeof all},
                                {"", "", 0},
                                {"zero", "\0\0\0", 3},
                                {"high", "\xff\xff", 2},
                                {"last", "", 0}};
    trawl_index *index = build(texts, 5, NULL);
    assert_string_equal(search_bytes(index, "\0", 1), "0:2@0,256 2:3@0,1,2");
    assert_string_equal(search_bytes(index, "\0\0", 2), "2:2@0,1");
    assert_string_equal(search_bytes(index, "\xff", 1), "0:2@255,511 3:2@0,1");
    assert_string_equal(search_bytes(index, "\xff\0", 2), "0:1@255");
    assert_string_equal(search_bytes(index, "\0\xff", 2), "");
    trawl_index_information information = TRAWL_INDEX_INFORMATION;
    assert_int_equal(trawl_index_info(index, &information, &error), TRAWL_OK);
    assert_int_equal(information.documents, 5);
    assert_int_equal(information.text_bytes, 517);
    assert_int_equal(information.letters, 256);
    assert_int_equal(information.file_bytes, memory.size);
    trawl_index_document document = TRAWL_INDEX_DOCUMENT;
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(trawl_index_get_document(index, i, &document, &error), TRAWL_OK);
        assert_int_equal(document.length, texts[i].length);
        assert_int_equal(document.name_length, strlen(texts[i].name));
        assert_memory_equal(document.name, texts[i].name, document.name_length);
    }
    assert_int_equal(trawl_index_get_document(index, 5, &document, &error), TRAWL_ERROR_ARGUMENT);
    trawl_index_free(index);
}

static void empty_collections(void **state) {
    (void)state;
    trawl_index *index = build(NULL, 0, NULL);
    assert_string_equal(search_text(index, "a"), "");
    trawl_index_free(index);
    const index_text texts[] = {{"a", "", 0}, {"b", "", 0}};
    index = build(texts, 2, NULL);
    assert_string_equal(search_text(index, "a"), "");
    trawl_index_free(index);
}

/* More rows than one block of range minima; every document has the pattern. */
static void many_documents(void **state) {
    (void)state;
    enum { DOCUMENTS = 5000 };
    char(*bytes)[8] = calloc(DOCUMENTS, sizeof *bytes);
    index_text *texts = calloc(DOCUMENTS, sizeof *texts);
    assert_non_null(bytes);
    assert_non_null(texts);
    for (size_t i = 0; i < DOCUMENTS; i++) {
        (void)snprintf(bytes[i], sizeof bytes[i], "x%zu", i);
        texts[i] = (index_text){"n", bytes[i], strlen(bytes[i])};
    }
    trawl_index *index = build(texts, DOCUMENTS, NULL);
    trawl_index_search *search = NULL;
    const uint32_t *documents;
    uint64_t occurrences;
    size_t count;
    assert_int_equal(trawl_index_search_open(index, &search, &error), TRAWL_OK);
    assert_int_equal(trawl_index_find(search, "x", 1, &occurrences, &error), TRAWL_OK);
    assert_int_equal(occurrences, DOCUMENTS);
    assert_int_equal(trawl_index_documents(search, &documents, &count, &error), TRAWL_OK);
    assert_int_equal(count, DOCUMENTS);
    for (uint32_t i = 0; i < DOCUMENTS; i++)
        assert_int_equal(documents[i], i);
    assert_int_equal(trawl_index_find(search, "x4999", 5, &occurrences, &error), TRAWL_OK);
    assert_int_equal(trawl_index_documents(search, &documents, &count, &error), TRAWL_OK);
    assert_int_equal(count, 1);
    assert_int_equal(documents[0], 4999);
    trawl_index_search_close(search);
    trawl_index_free(index);
    free(texts);
    free(bytes);
}

/* The bytes of a file do not depend on threads; wide positions give the same results. */
static void threads_and_wide_positions(void **state) {
    (void)state;
    enum { LENGTH = 200000 };
    uint8_t *bytes = malloc(LENGTH);
    assert_non_null(bytes);
    for (size_t i = 0; i < LENGTH; i++)
        bytes[i] = (uint8_t)("abracadabra"[i % 11] + (i % 1009 == 0));
    const index_text texts[] = {{"a", bytes, LENGTH / 2}, {"b", bytes + LENGTH / 2, LENGTH / 2}};
    trawl_index_options options = TRAWL_INDEX_OPTIONS;
    trawl_index *index = build(texts, 2, &options);
    char expected[sizeof found];
    memcpy(expected, search_text(index, "acadabraabracae"), sizeof expected);
    assert_true(strlen(expected) > 10);
    index_memory first = memory;
    memset(&memory, 0, sizeof memory);
    trawl_index_free(index);
    options.threads = 3;
    index = build(texts, 2, &options);
    assert_int_equal(first.size, memory.size);
    assert_memory_equal(first.bytes, memory.bytes, first.size);
    trawl_index_free(index);
    memory.wide = true;
    index = build(texts, 2, &options);
    assert_true(memory.size > first.size);
    assert_string_equal(search_text(index, "acadabraabracae"), expected);
    trawl_index_free(index);
    memory.wide = false;
    free(first.bytes);
    free(bytes);
}

/* ------------------------------------------------------------------ files and arguments */

static void files(void **state) {
    (void)state;
    char path[4096];
    temporary_template(path, sizeof path);
    int file = mkstemp(path);
    assert_true(file >= 0);
    trawl_index *index = NULL;
    assert_int_equal(trawl_index_load(path, &index, &error), TRAWL_ERROR_FORMAT);
    assert_true(write(file, "not an index, but text\n", 23) == 23);
    assert_int_equal(trawl_index_load(path, &index, &error), TRAWL_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "not a trawl index"));
    assert_null(index);
    close(file);
    trawl_index_builder *builder = NULL;
    assert_int_equal(trawl_index_builder_new(&builder, &error), TRAWL_OK);
    assert_int_equal(trawl_index_builder_append(builder, "x", 1, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_index_builder_document(builder, "d", 1, &error), TRAWL_OK);
    assert_int_equal(trawl_index_builder_append(builder, "banana", 6, &error), TRAWL_OK);
    assert_int_equal(trawl_index_save(builder, NULL, path, &error), TRAWL_OK);
    /* The builder is empty, and can be used again. */
    assert_int_equal(trawl_index_builder_append(builder, "x", 1, &error), TRAWL_ERROR_ARGUMENT);
    trawl_index_builder_free(builder);
    assert_int_equal(trawl_index_load(path, &index, &error), TRAWL_OK);
    assert_string_equal(search_text(index, "ana"), "0:2@1,3");
    trawl_index_free(index);
    assert_int_equal(truncate(path, 4000), 0);
    assert_int_equal(trawl_index_load(path, &index, &error), TRAWL_ERROR_FORMAT);
    unlink(path);
    assert_int_equal(trawl_index_load(path, &index, &error), TRAWL_ERROR_IO);
    assert_int_equal(trawl_index_load("/", &index, &error), TRAWL_ERROR_IO);
}

static trawl_status refuse(void *context, const void *bytes, size_t length, trawl_error *why) {
    (void)context;
    (void)bytes;
    (void)length;
    why->status = TRAWL_ERROR_IO;
    (void)snprintf(why->message, sizeof why->message, "no room");
    return TRAWL_ERROR_IO;
}

static trawl_status refuse_silently(void *context, const void *bytes, size_t length,
                                    trawl_error *why) {
    (void)context;
    (void)bytes;
    (void)length;
    (void)why;
    return TRAWL_ERROR_IO;
}

static int stop(uint32_t document, uint64_t start, void *context) {
    (void)document;
    (void)start;
    return ++*(int *)context == 2;
}

/* The builder has no document after any failure, however early. */
static void a_builder_is_empty_after_a_failure(void **state) {
    (void)state;
    static const char *const paths[] = {NULL, ".", "/nonexistent/x.tix", "/dev/full"};
    trawl_index_builder *builder = NULL;
    assert_int_equal(trawl_index_builder_new(&builder, &error), TRAWL_OK);
    for (size_t i = 0; i <= sizeof paths / sizeof *paths; i++) {
        assert_int_equal(trawl_index_builder_document(builder, "d", 1, &error), TRAWL_OK);
        assert_int_equal(trawl_index_builder_append(builder, "banana", 6, &error), TRAWL_OK);
        trawl_status status = i < sizeof paths / sizeof *paths
                                  ? trawl_index_save(builder, NULL, paths[i], &error)
                                  : trawl_index_write(builder, NULL, NULL, NULL, &error);
        assert_int_not_equal(status, TRAWL_OK);
        assert_int_equal(trawl_index_builder_append(builder, "x", 1, &error), TRAWL_ERROR_ARGUMENT);
    }
    trawl_index_builder_free(builder);
}

static void arguments(void **state) {
    (void)state;
    trawl_index_builder *builder = NULL;
    assert_int_equal(trawl_index_builder_new(NULL, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_index_builder_new(&builder, NULL), TRAWL_OK);
    assert_int_equal(trawl_index_builder_document(builder, NULL, 1, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_index_builder_document(builder, NULL, 0, &error), TRAWL_OK);
    assert_int_equal(trawl_index_write(builder, NULL, refuse, NULL, &error), TRAWL_ERROR_IO);
    assert_string_equal(error.message, "no room");
    assert_int_equal(trawl_index_write(builder, NULL, refuse, NULL, NULL), TRAWL_ERROR_IO);
    assert_int_equal(trawl_index_write(builder, NULL, refuse_silently, NULL, &error),
                     TRAWL_ERROR_IO);
    assert_int_equal(error.status, TRAWL_ERROR_IO);
    assert_non_null(strstr(error.message, "failed, without a reason"));
    assert_int_equal(trawl_index_builder_document(builder, "n", SIZE_MAX, &error),
                     TRAWL_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "names"));
    trawl_index_options options = TRAWL_INDEX_OPTIONS;
    options.size = 0;
    assert_int_equal(trawl_index_write(builder, &options, refuse, NULL, &error),
                     TRAWL_ERROR_ARGUMENT);
    trawl_index_builder_free(builder);
    trawl_index_builder_free(NULL);

    trawl_index *index = build(happy, 4, NULL);
    trawl_index_search *search = NULL;
    uint64_t occurrences;
    int calls = 0;
    assert_int_equal(trawl_index_search_open(index, &search, &error), TRAWL_OK);
    /* Before the first pattern there is nothing to report. */
    assert_int_equal(trawl_index_positions(search, stop, &calls, &error), TRAWL_OK);
    assert_int_equal(calls, 0);
    assert_int_equal(trawl_index_find(search, "", 0, &occurrences, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_index_find(search, "p", 1, &occurrences, &error), TRAWL_OK);
    assert_int_equal(trawl_index_positions(search, stop, &calls, &error), TRAWL_STOPPED);
    assert_int_equal(calls, 2);
    trawl_index *none = NULL;
    assert_int_equal(trawl_index_load_memory(memory.bytes + 1, memory.size - 1, &none, &error),
                     TRAWL_ERROR_ARGUMENT);
    trawl_index_search_close(search);
    trawl_index_search_close(NULL);
    trawl_index_free(index);
}

/* Uses the search that calls it, by each function, and then another one. */
typedef struct nested_use {
    const trawl_index *index;
    trawl_index_search *search;
    uint64_t calls, next;
} nested_use;

static int use_search(uint32_t document, uint64_t start, void *context) {
    nested_use *use = context;
    trawl_index_search *other = NULL;
    const trawl_index_count *counts;
    const uint32_t *documents;
    uint64_t occurrences;
    size_t count;
    trawl_error inner;
    (void)document;
    assert_int_equal(start, use->next);
    use->next += 2;
    use->calls++;
    assert_int_equal(trawl_index_find(use->search, "b", 1, &occurrences, &inner),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_index_documents(use->search, &documents, &count, &inner),
                     TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(inner.message, "on_position needs another search"));
    assert_int_equal(trawl_index_document_counts(use->search, 0, &counts, &count, &inner),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_index_positions(use->search, use_search, use, &inner),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_index_search_open(use->index, &other, &inner), TRAWL_OK);
    assert_int_equal(trawl_index_find(other, "b", 1, &occurrences, &inner), TRAWL_OK);
    trawl_index_search_close(other);
    return 0;
}

static void a_search_that_reports_is_not_used(void **state) {
    (void)state;
    static char bytes[2000]; /* many positions are reported in another way than few */
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = "ab"[i % 2];
    for (size_t length = 1; length <= 1990; length += 1989) {
        index_text text = {"x", bytes, sizeof bytes};
        trawl_index *index = build(&text, 1, NULL);
        nested_use use = {.index = index};
        uint64_t occurrences = 0;
        assert_int_equal(trawl_index_search_open(index, &use.search, &error), TRAWL_OK);
        assert_int_equal(trawl_index_find(use.search, bytes, length, &occurrences, &error),
                         TRAWL_OK);
        assert_int_equal(trawl_index_positions(use.search, use_search, &use, &error), TRAWL_OK);
        assert_int_equal(use.calls, occurrences);
        /* afterwards it may be used again */
        assert_int_equal(trawl_index_find(use.search, "ab", 2, &occurrences, &error), TRAWL_OK);
        trawl_index_search_close(use.search);
        trawl_index_free(index);
    }
}

static int release(void **state) {
    (void)state;
    free(memory.bytes);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suffix_array_of_the_thesis),
        cmocka_unit_test(document_listing_of_the_thesis),
        cmocka_unit_test(top_documents_come_first),
        cmocka_unit_test(bytes_of_any_value),
        cmocka_unit_test(empty_collections),
        cmocka_unit_test(many_documents),
        cmocka_unit_test(threads_and_wide_positions),
        cmocka_unit_test(files),
        cmocka_unit_test(a_builder_is_empty_after_a_failure),
        cmocka_unit_test(arguments),
        cmocka_unit_test(a_search_that_reports_is_not_used),
    };
    return cmocka_run_group_tests_name("index", tests, NULL, release);
}
