/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Files that are read by offset: where their text begins and ends, and files that change. */
#include "io/text_pieces.h"
#include "temporary.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static trawl_error error;

/* An open file with this content, and no name. */
static int make_file(const char *content) {
    char path[4096];
    temporary_template(path, sizeof(path));
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(write(descriptor, content, strlen(content)), strlen(content));
    assert_int_equal(lseek(descriptor, 0, SEEK_SET), 0);
    return descriptor;
}

static text_file *open_file(int descriptor) {
    text_file *file = NULL;
    assert_int_equal(
        text_file_open_descriptor(descriptor, "the file", TEXT_DECOMPRESS, &file, &error),
        TRAWL_OK);
    return file;
}

static void expect(const text_file *file, uint64_t offset, size_t capacity, const char *wanted) {
    char buffer[100];
    size_t length = 77;
    assert_int_equal(text_file_read_at(file, offset, buffer, capacity, &length, &error), TRAWL_OK);
    assert_int_equal(length, strlen(wanted));
    assert_memory_equal(buffer, wanted, length);
}

static void any_part_in_any_order(void **state) {
    (void)state;
    int descriptor = make_file("0123456789");
    text_file *file = open_file(descriptor);
    assert_int_equal(text_file_length(file), 10);
    expect(file, 7, 100, "789");
    expect(file, 0, 3, "012");
    expect(file, 9, 1, "9");
    text_file_pass_over(file);
    assert_int_equal(lseek(descriptor, 0, SEEK_CUR), 10);
    text_file_close(file);
}

/* A descriptor whose file position is not 0. */
static void a_text_begins_where_its_descriptor_stands(void **state) {
    (void)state;
    int descriptor = make_file("header 0123456789");
    assert_int_equal(lseek(descriptor, 7, SEEK_SET), 7);
    text_file *file = open_file(descriptor);
    assert_int_equal(text_file_length(file), 10);
    expect(file, 0, 4, "0123");
    expect(file, 8, 100, "89");
    text_file_close(file);
    descriptor = make_file("short");
    assert_int_equal(lseek(descriptor, 9, SEEK_SET), 9);
    file = open_file(descriptor);
    assert_int_equal(text_file_length(file), 0);
    text_file_close(file);
}

static void files_that_change(void **state) {
    (void)state;
    char buffer[10];
    size_t length = 77;
    int descriptor = make_file("0123456789");
    text_file *file = open_file(descriptor);
    assert_int_equal(pwrite(descriptor, "abc", 3, 10), 3);
    assert_int_equal(text_file_length(file), 10); /* what is added later is no part of it */
    assert_int_equal(ftruncate(descriptor, 4), 0);
    expect(file, 2, 8, "23");
    assert_int_equal(text_file_read_at(file, 4, buffer, 6, &length, &error), TRAWL_ERROR_IO);
    assert_int_equal(length, 0);
    assert_string_equal(error.message, "the file: became shorter while it was read: expected 10 "
                                       "bytes, but there are none from byte 4 on");
    text_file_close(file);
}

static void what_has_no_offsets(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "plain", 5), 5);
    text_file *file = open_file(ends[0]);
    assert_int_equal(text_file_length(file), 0);
    text_file_close(file);
    (void)close(ends[1]);
    /* Write-only: reading fails as the system says. */
    char path[4096], buffer[10];
    size_t length = 77;
    temporary_template(path, sizeof(path));
    int descriptor = mkstemp(path);
    assert_int_equal(write(descriptor, "text", 4), 4);
    (void)close(descriptor);
    descriptor = open(path, O_WRONLY);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(
        text_file_open_descriptor(descriptor, "the file", TEXT_AS_IT_IS, &file, &error), TRAWL_OK);
    assert_int_equal(text_file_read_at(file, 0, buffer, 4, &length, &error), TRAWL_ERROR_IO);
    assert_string_equal(error.message, "the file: Bad file descriptor");
    text_file_close(file);
}

/* Each 4-byte word of the text is its own index, so that a piece shows where it comes from. */
static void pieces_from_all_over(void **state) {
    (void)state;
    enum { PIECES = 32, BYTES = 4096, WORDS = PIECES * BYTES + 100, LENGTH = 4 * WORDS };
    const text_pieces pieces = {PIECES, BYTES};
    uint32_t *text = malloc(LENGTH), word, last = 0;
    uint8_t *copied = malloc(PIECES * BYTES), *read = malloc(PIECES * BYTES);
    for (uint32_t i = 0; i < WORDS; i++)
        text[i] = i;
    text_pieces_copy(pieces, (const uint8_t *)text, LENGTH, copied);
    for (uint32_t i = 0; i < PIECES; i++) {
        uint8_t bytes[8] = {0}; /* a word begins at one of the first four bytes */
        memcpy(bytes, copied + (size_t)i * BYTES, sizeof bytes);
        bool found = false;
        for (uint32_t shift = 0; shift < 4 && !found; shift++) {
            memcpy(&word, bytes + shift, sizeof word);
            found = word < WORDS - BYTES / 4 && 4 * word >= shift &&
                    memcmp((const uint8_t *)text + 4 * word - shift, copied + (size_t)i * BYTES,
                           BYTES) == 0;
        }
        assert_true(found);
        assert_in_range(word, i * (WORDS / PIECES - 40), (i + 1) * (WORDS / PIECES));
        assert_true(i == 0 || word > last);
        last = word;
    }

    char path[4096];
    temporary_template(path, sizeof(path));
    int descriptor = mkstemp(path);
    assert_int_equal(unlink(path), 0);
    /* The text begins where the descriptor stands, behind bytes that somebody else has read. */
    assert_int_equal(write(descriptor, copied, BYTES), BYTES);
    assert_int_equal(write(descriptor, text, LENGTH), LENGTH);
    assert_int_equal(lseek(descriptor, BYTES, SEEK_SET), BYTES);
    text_file *file = open_file(descriptor);
    assert_true(text_pieces_read(pieces, file, read));
    assert_memory_equal(read, copied, PIECES * BYTES);
    assert_int_equal(ftruncate(descriptor, LENGTH / 2), 0);
    assert_false(text_pieces_read(pieces, file, read));
    text_file_close(file);
    free(text);
    free(copied);
    free(read);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_part_in_any_order),
        cmocka_unit_test(a_text_begins_where_its_descriptor_stands),
        cmocka_unit_test(files_that_change),
        cmocka_unit_test(what_has_no_offsets),
        cmocka_unit_test(pieces_from_all_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
