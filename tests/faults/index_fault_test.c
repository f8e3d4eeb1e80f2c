/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Indexes without memory, damaged, and forged: any allocation may fail once; any byte may be
 * changed, with and without the right checksums.
 */
#include "failing_memory.h"
#include "index_memory.h"
#include "index_seal.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static trawl_error error;
static char text[6000];

static index_text texts[] = {{"one", "abracadabra pp", 14},
                             {"empty", "", 0},
                             {"two", text, sizeof text},
                             {"three", "\0\xff\0", 3},
                             {"four", "pup", 3}};
enum { TEXTS = 5 };

static void fill_text(void) {
    random_source random = random_for_case(1, 1);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "abp"[random_below(&random, 3)];
}

static trawl_status search_all(const trawl_index *index) {
    trawl_index_search *search = NULL;
    const trawl_index_count *counts;
    const uint32_t *documents;
    uint64_t occurrences, calls = 0;
    size_t count;
    trawl_status status = trawl_index_search_open(index, &search, &error);
    if (status == TRAWL_OK)
        status = trawl_index_find(search, "a", 1, &occurrences, &error);
    if (status == TRAWL_OK)
        status = trawl_index_documents(search, &documents, &count, &error);
    if (status == TRAWL_OK)
        status = trawl_index_document_counts(search, 2, &counts, &count, &error);
    if (status == TRAWL_OK)
        status = trawl_index_positions(search, index_seal_position, &calls, &error);
    if (status == TRAWL_OK)
        status = trawl_index_find(search, "abpb", 4, &occurrences, &error);
    if (status == TRAWL_OK)
        status = trawl_index_positions(search, index_seal_position, &calls, &error);
    trawl_index_search_close(search);
    return status;
}

static trawl_status do_everything(index_memory *memory) {
    trawl_index_options options = TRAWL_INDEX_OPTIONS;
    options.threads = 2;
    trawl_index *index = NULL;
    trawl_status status = index_memory_build(texts, TEXTS, &options, memory, &error);
    if (status == TRAWL_OK)
        status = trawl_index_load_memory(memory->bytes, memory->size, &index, &error);
    if (status == TRAWL_OK)
        status = search_all(index);
    trawl_index_free(index);
    return status;
}

/* `room` bytes hold the index. */
static void fail_each_allocation(trawl_status (*work)(index_memory *memory), size_t room) {
    size_t failures = 0;
    index_memory memory = {.bytes = __real_malloc(room), .capacity = room};
    assert_non_null(memory.bytes);
    for (long number = 0;; number++) {
        long before = atomic_load(&live);
        atomic_store(&failed, false);
        atomic_store(&countdown, number);
        memset(&error, 0, sizeof error);
        trawl_status status = work(&memory);
        atomic_store(&countdown, -1);
        if (atomic_load(&live) != before)
            fail_msg("%ld allocations leaked when allocation %ld failed",
                     atomic_load(&live) - before, number);
        if (!atomic_load(&failed)) {
            assert_int_equal(status, TRAWL_OK);
            break;
        }
        failures++;
        if (status != TRAWL_OK && status != TRAWL_ERROR_MEMORY)
            fail_msg("%s when allocation %ld failed", trawl_status_text(status), number);
        if (status != TRAWL_OK && !strlen(error.message))
            fail_msg("no sentence when allocation %ld failed", number);
    }
    assert_true(failures > 20);
    __real_free(memory.bytes);
}

static void every_allocation_fails_once(void **state) {
    (void)state;
    fail_each_allocation(do_everything, 1 << 20);
}

/* Documents enough for two threads to sort a part each. */
static trawl_status build_in_parts(index_memory *memory) {
    enum { DOCUMENTS = 100, LENGTH = 1500 };
    index_text many[DOCUMENTS];
    trawl_index_options options = TRAWL_INDEX_OPTIONS;
    options.threads = 2;
    for (size_t i = 0; i < DOCUMENTS; i++)
        many[i] = (index_text){"many", text + i, LENGTH};
    return index_memory_build(many, DOCUMENTS, &options, memory, &error);
}

static void every_allocation_of_two_threads_fails_once(void **state) {
    (void)state;
    fail_each_allocation(build_in_parts, 4 << 20);
}

/* Each change is made in a new copy, so that sanitizers see reads beyond it. */
static uint8_t *copy_of(const index_memory *memory) {
    uint8_t *copy = malloc(memory->size);
    assert_non_null(copy);
    memcpy(copy, memory->bytes, memory->size);
    return copy;
}

static void damaged_bytes_are_noticed(void **state) {
    (void)state;
    index_memory memory = {.bytes = NULL};
    assert_int_equal(index_memory_build(texts, TEXTS, NULL, &memory, &error), TRAWL_OK);
    random_source random = random_for_case(random_seed(), 2);
    for (int i = 0; i < 3000; i++) {
        uint8_t *copy = copy_of(&memory);
        size_t at = i < 200 ? (size_t)i : random_below(&random, memory.size);
        copy[at] ^= (uint8_t)(1u << random_below(&random, 8));
        trawl_index *index = NULL;
        if (trawl_index_load_memory(copy, memory.size, &index, &error) == TRAWL_OK) {
            trawl_status status = trawl_index_verify(index, &error);
            (void)index_use_all(index);
            /* Not all zeros between two parts are under a checksum: those behind the last part are
             * not. */
            if (status == TRAWL_OK && at < index->layout.offsets[TRAWL_INDEX_CHECKSUMS])
                fail_msg("a change of byte %zu was not noticed", at);
        }
        trawl_index_free(index);
        free(copy);
    }
    for (size_t size = 0; size < memory.size; size += 1 + size / 16) {
        uint8_t *copy = malloc(size + 1);
        assert_non_null(copy);
        memcpy(copy, memory.bytes, size);
        trawl_index *index = NULL;
        assert_int_equal(trawl_index_load_memory(copy, size, &index, &error), TRAWL_ERROR_FORMAT);
        free(copy);
    }
    free(memory.bytes);
}

static void forge(const index_memory *memory, const trawl_index_layout *layout,
                  random_source *random) {
    uint8_t *copy = copy_of(memory);
    size_t changes = random_between(random, 1, 40);
    for (size_t i = 0; i < changes; i++) {
        uint32_t part = (uint32_t)random_below(random, TRAWL_INDEX_CHECKSUMS + 1);
        uint64_t begin = part == TRAWL_INDEX_CHECKSUMS ? 0 : layout->offsets[part];
        uint64_t size =
            part == TRAWL_INDEX_CHECKSUMS ? sizeof(trawl_index_header) : layout->sizes[part];
        size_t width = (size_t)1 << random_below(random, 4);
        if (size < width)
            continue;
        uint64_t value = random_chance(random, 1, 3)   ? random_bits(random)
                         : random_chance(random, 1, 2) ? random_below(random, 20000)
                                                       : ~(uint64_t)random_below(random, 4);
        memcpy(copy + begin + random_below(random, size / width) * width, &value, width);
    }
    index_seal(copy, layout);
    trawl_index *index = NULL;
    if (trawl_index_load_memory(copy, memory->size, &index, &error) == TRAWL_OK)
        (void)index_use_all(index);
    trawl_index_free(index);
    free(copy);
}

static void forged_files_do_no_harm(void **state) {
    (void)state;
    random_source random = random_for_case(random_seed(), 3);
    for (int wide = 0; wide < 2; wide++) {
        index_memory memory = {.wide = wide};
        trawl_index *index = NULL;
        assert_int_equal(index_memory_build(texts, TEXTS, NULL, &memory, &error), TRAWL_OK);
        assert_int_equal(trawl_index_load_memory(memory.bytes, memory.size, &index, &error),
                         TRAWL_OK);
        assert_true(index_use_all(index));
        trawl_index_layout layout = index->layout;
        trawl_index_free(index);
        for (int i = 0; i < 1500; i++)
            forge(&memory, &layout, &random);
        free(memory.bytes);
    }
}

/* A file that another user may write to may change after its checksums have been compared. So it is
 * copied into memory. */
static void expect_copy(mode_t mode, bool of_other) {
    char path[] = "/tmp/trawl-index.XXXXXX";
    index_memory memory = {.bytes = NULL};
    trawl_index *index = NULL;
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(index_memory_build(texts, TEXTS, NULL, &memory, &error), TRAWL_OK);
    assert_int_equal(write(file, memory.bytes, memory.size), memory.size);
    assert_int_equal(fchmod(file, mode), 0);
    assert_true(!of_other || fchown(file, 65534, 65534) == 0);
    assert_int_equal(trawl_index_load(path, &index, &error), TRAWL_OK);
    assert_int_equal(ftruncate(file, 0), 0); /* a mapped file would end the process */
    assert_int_equal(search_all(index), TRAWL_OK);
    trawl_index_free(index);
    assert_int_equal(ftruncate(file, (off_t)1 << 40), 0); /* a declared size allocates nothing */
    assert_int_equal(trawl_index_load(path, &index, &error), TRAWL_ERROR_FORMAT);
    __real_free(memory.bytes);
    (void)close(file);
    (void)unlink(path);
}

static void a_file_of_another_user_is_copied(void **state) {
    (void)state;
    if (geteuid() != 0)
        skip();
    expect_copy(0600, true);
}

static void a_file_that_others_may_write_to_is_copied(void **state) {
    (void)state;
    expect_copy(0620, false);
    expect_copy(0602, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails_once),
        cmocka_unit_test(every_allocation_of_two_threads_fails_once),
        cmocka_unit_test(damaged_bytes_are_noticed),
        cmocka_unit_test(forged_files_do_no_harm),
        cmocka_unit_test(a_file_of_another_user_is_copied),
        cmocka_unit_test(a_file_that_others_may_write_to_is_copied),
    };
    fill_text();
    return cmocka_run_group_tests_name("index_fault", tests, NULL, NULL);
}
