/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Pieces of a pipe: all its bytes come in order, a fast writer gives large pieces, and the bytes of
 * a slow writer are not held back. */
#include "io/read_ahead.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { FAST_BYTES = 100 << 20, LARGE_PIECE = 4 << 20, WRITE_BYTES = 1 << 20 };

static trawl_error error;

static uint8_t byte_at(uint64_t offset) {
    return (uint8_t)((offset * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

static read_ahead *open_pipe(int *input) {
    int ends[2];
    text_file *file;
    read_ahead *reader;
    assert_int_equal(pipe(ends), 0);
    *input = ends[1];
    assert_int_equal(write(*input, "a", 1), 1); /* opening looks at the first bytes */
    assert_int_equal(text_file_open_descriptor(ends[0], "pipe", TEXT_DECOMPRESS, &file, &error),
                     TRAWL_OK);
    assert_int_equal(read_ahead_open(file, &reader, &error), TRAWL_OK);
    return reader;
}

static void *write_fast(void *context) {
    int output = *(const int *)context;
    uint8_t *bytes = malloc(WRITE_BYTES);
    for (uint64_t offset = 1; offset < FAST_BYTES && bytes != NULL;) {
        size_t length = FAST_BYTES - offset < WRITE_BYTES ? FAST_BYTES - offset : WRITE_BYTES;
        for (size_t i = 0; i < length; i++)
            bytes[i] = byte_at(offset + i);
        for (size_t written = 0; written < length;) {
            ssize_t now = write(output, bytes + written, length - written);
            if (now <= 0)
                break;
            written += (size_t)now;
        }
        offset += length;
    }
    free(bytes);
    (void)close(output);
    return NULL;
}

static void all_bytes_come_in_order(void **state) {
    (void)state;
    int input;
    pthread_t writer;
    read_ahead *reader = open_pipe(&input);
    assert_int_equal(pthread_create(&writer, NULL, write_fast, &input), 0);
    uint64_t offset = 0;
    const uint8_t *bytes;
    size_t length = 1;
    bool wrong = false;
    while (length != 0) {
        assert_int_equal(read_ahead_next(reader, &bytes, &length, &error), TRAWL_OK);
        for (size_t i = 0; i < length; i++, offset++)
            wrong = wrong || bytes[i] != (offset == 0 ? 'a' : byte_at(offset));
    }
    assert_false(wrong);
    assert_int_equal(offset, FAST_BYTES);
    assert_int_equal(pthread_join(writer, NULL), 0);
    read_ahead_close(reader);
}

/* Bytes that have arrived are one piece, up to the end of the ring buffer. */
static void pieces_are_large(void **state) {
    (void)state;
    int input;
    pthread_t writer;
    read_ahead *reader = open_pipe(&input);
    const uint8_t *bytes;
    size_t length;
    assert_int_equal(pthread_create(&writer, NULL, write_fast, &input), 0);
    assert_int_equal(read_ahead_next(reader, &bytes, &length, &error), TRAWL_OK);
    (void)usleep(500000);
    assert_int_equal(read_ahead_next(reader, &bytes, &length, &error), TRAWL_OK);
    assert_true(length >= LARGE_PIECE);
    while (length != 0)
        assert_int_equal(read_ahead_next(reader, &bytes, &length, &error), TRAWL_OK);
    assert_int_equal(pthread_join(writer, NULL), 0);
    read_ahead_close(reader);
}

/* Each word is a piece: the next one is written only after it has been read. */
static void a_slow_text_is_not_kept_back(void **state) {
    (void)state;
    int input;
    read_ahead *reader = open_pipe(&input);
    const uint8_t *bytes;
    size_t length;
    assert_int_equal(read_ahead_next(reader, &bytes, &length, &error), TRAWL_OK);
    assert_int_equal(length, 1);
    for (int i = 0; i < 20; i++) {
        assert_true(read_ahead_is_empty(reader));
        assert_int_equal(write(input, "word", 4), 4);
        assert_int_equal(read_ahead_next(reader, &bytes, &length, &error), TRAWL_OK);
        assert_int_equal(length, 4);
        assert_memory_equal(bytes, "word", 4);
    }
    (void)close(input);
    assert_int_equal(read_ahead_next(reader, &bytes, &length, &error), TRAWL_OK);
    assert_int_equal(length, 0);
    read_ahead_close(reader);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_bytes_come_in_order),
        cmocka_unit_test(pieces_are_large),
        cmocka_unit_test(a_slow_text_is_not_kept_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
