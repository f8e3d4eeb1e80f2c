/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Headers that declare huge sizes, with right checksums. Databases and indexes must allocate no
 * more for such a header than for the file as it was made; compressed texts may reserve address
 * space, but no memory. The linker replaces the allocation functions (--wrap).
 */
#include "database/database.h"
#include "failing_memory.h"
#include "index_memory.h"
#include "index_seal.h"
#include "io/text_file.h"
#include "sample.h"
#include "sanitizers.h"
#include "seal.h"
#include "temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

/* Bytes that loading may allocate at once beyond a few times the file's size. */
enum { MOST_BYTES = 1 << 20 };

static trawl_error error;

/* Sizes that a forged header may declare: large ones of 4 and of 8 bytes, and some that overflow
 * when they are multiplied. */
static const uint64_t declared[] = {0x7fffffff, 0xfffffff0, UINT64_C(1) << 40, UINT64_C(1) << 61,
                                    UINT64_MAX - 7};

static void expect_little(size_t size, size_t at, uint64_t value) {
    if (atomic_load(&largest) > 4 * size + MOST_BYTES)
        fail_msg("%#llx at byte %zu of %zu: an allocation of %zu bytes", (unsigned long long)value,
                 at, size, atomic_load(&largest));
}

/* ------------------------------------------------------------------ databases */

/* Every field of the header and of the section table, and the first words of each section. */
static void databases(void **state) {
    (void)state;
    enum { WORDS = 8 };
    for (size_t c = 0; c < combination_count(); c++) {
        trawl_db *db = sample_db(combination_at(c), TRAWL_MATCH_ALL);
        if (db == NULL)
            continue;
        size_t size = (size_t)db->size;
        const trawl_section *sections =
            (const trawl_section *)(db->block + sizeof(trawl_image_header));
        size_t table =
            sizeof(trawl_image_header) + (size_t)db->header->section_count * sizeof(trawl_section);
        uint8_t *copy = __real_malloc(size);
        for (size_t section = 0; section <= db->header->section_count; section++) {
            size_t begin = section == 0 ? TRAWL_IMAGE_UNCHECKED : sections[section - 1].offset;
            size_t end = section == 0 ? table : begin + sections[section - 1].size;
            end = section != 0 && end > begin + 4 * WORDS ? begin + 4 * WORDS : end;
            for (size_t at = begin; at + 8 <= end; at += 4)
                for (size_t i = 0; i < sizeof declared / sizeof declared[0]; i++) {
                    trawl_db *loaded = NULL;
                    memcpy(copy, db->block, size);
                    memcpy(copy + at, &declared[i], i < 2 ? 4 : 8);
                    seal_block(copy, size);
                    atomic_store(&largest, 0);
                    if (trawl_db_load_memory(copy, size, &loaded, &error) == TRAWL_OK)
                        trawl_db_free(loaded);
                    expect_little(size, at, declared[i]);
                }
        }
        __real_free(copy);
        trawl_db_free(db);
    }
}

/* ------------------------------------------------------------------ indexes */

static void indexes(void **state) {
    (void)state;
    const index_text texts[] = {{"one", "abracadabra pp", 14}, {"two", "pup", 3}};
    index_memory memory = {.bytes = NULL};
    trawl_index *index = NULL;
    assert_int_equal(index_memory_build(texts, 2, NULL, &memory, &error), TRAWL_OK);
    assert_int_equal(trawl_index_load_memory(memory.bytes, memory.size, &index, &error), TRAWL_OK);
    const trawl_index_layout layout = index->layout;
    trawl_index_free(index);
    uint8_t *copy = __real_malloc(memory.size);
    for (size_t at = 0; at + 8 <= sizeof(trawl_index_header); at += 4)
        for (size_t i = 0; i < sizeof declared / sizeof declared[0]; i++) {
            memcpy(copy, memory.bytes, memory.size);
            memcpy(copy + at, &declared[i], i < 2 ? 4 : 8);
            index_seal(copy, &layout);
            atomic_store(&largest, 0);
            if (trawl_index_load_memory(copy, memory.size, &index, &error) == TRAWL_OK) {
                (void)index_use_all(index);
                trawl_index_free(index);
            }
            expect_little(memory.size, at, declared[i]);
        }
    __real_free(copy);
    free(memory.bytes);
}

/* ------------------------------------------------------------------ compressed texts */

/* An xz block with a dictionary of 4 GiB, a zstd frame of 2^60 bytes, and one with a window of
 * 2 GiB; each with a few bytes of data. */
static const struct {
    const char *bytes;
    size_t length;
} compressed[] = {
    {"\xfd\x37\x7a\x58\x5a\x00\x00\x01\x69\x22\xde\x36"
     "\x02\x00\x21\x01\x28\x00\x00\x00\xe6\xa0\x11\xb3\x01\x00\x04"
     "a fox",
     32},
    {"\x28\xb5\x2f\xfd\xe0\x00\x00\x00\x00\x00\x00\x00\x10\x29\x00\x00"
     "a fox",
     21},
    {"\x28\xb5\x2f\xfd\x00\xa8\x29\x00\x00"
     "a fox",
     14},
};

static long peak_kilobytes(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

static void compressed_texts(void **state) {
    (void)state;
    if (TESTS_ARE_SANITIZED)
        skip(); /* sanitizers need memory for reserved address space */
    for (size_t i = 0; i < sizeof compressed / sizeof compressed[0]; i++) {
        char path[4096];
        temporary_template(path, sizeof path);
        int descriptor = mkstemp(path);
        assert_true(descriptor >= 0);
        unlink(path);
        assert_int_equal(write(descriptor, compressed[i].bytes, compressed[i].length),
                         compressed[i].length);
        assert_int_equal(lseek(descriptor, 0, SEEK_SET), 0);
        long before = peak_kilobytes();
        text_file *file = NULL;
        static uint8_t buffer[1 << 16];
        size_t length = 0;
        if (text_file_open_descriptor(descriptor, "text", TEXT_DECOMPRESS, &file, &error) ==
            TRAWL_OK)
            (void)text_file_fill(file, buffer, sizeof buffer, &length, &error);
        text_file_close(file);
        if (peak_kilobytes() - before > 32 << 10)
            fail_msg("text %zu takes %ld KiB", i, peak_kilobytes() - before);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(databases), cmocka_unit_test(indexes),
                                       cmocka_unit_test(compressed_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
