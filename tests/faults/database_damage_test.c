/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Damaged databases: truncated at every length, every byte changed, and the same again with a
 * corrected checksum, which leaves detection to the validation of the structure. The result is a
 * status with a sentence, or a database that can be used without undefined behaviour (which matches
 * it then finds does not matter).
 */
#include "effort.h"
#include "random.h"
#include "read_database.h"
#include "sample.h"
#include "sanitizers.h"
#include "seal.h"
#include "temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { MATCHES_ENOUGH = 100000 };

static trawl_error error;
static random_source source;

static int enough(const trawl_match *match, void *context) {
    size_t *count = context;
    (void)match;
    return ++*count >= MATCHES_ENOUGH;
}

/* Each of the first bytes is changed. In the rest of a larger block, as many randomly chosen bytes
 * are. */
static size_t every_byte_until(void) {
    return effort_is_short() ? 800 : TESTS_ARE_SANITIZED ? 2000 : 4000;
}

/* The text that the database under test is used with. */
static const uint8_t *text;
static size_t text_length;

/* Uses everything that a loaded database offers. */
static void use(const trawl_db *db) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    size_t calls = 0;
    uint64_t total, sum = read_database(db);
    (void)trawl_db_info(db, &information, NULL);
    trawl_scan(db, text, text_length, NULL, enough, &calls, &error);
    uint64_t *each = calloc(information.patterns + 1, sizeof(*each));
    trawl_count(db, text, text_length, NULL, &total, each, &error);
    trawl_count(db, text, text_length, NULL, &total, NULL, &error);
    free(each);
    if (sum % 8 == 0) {
        trawl_stream *stream;
        calls = 0;
        if (trawl_stream_open(db, NULL, enough, &calls, &stream, &error) == TRAWL_OK) {
            trawl_stream_write(stream, text, text_length / 2, &error);
            trawl_stream_flush(stream, &error);
            trawl_stream_write(stream, text, text_length, &error);
            trawl_stream_close(stream, &error);
        }
    }
}

/* Loads a block of exactly `size` bytes. Returns whether it was accepted. */
static bool load_and_use(const uint8_t *block, size_t size, bool may_be_accepted) {
    trawl_db *db = NULL;
    trawl_status status = trawl_db_load_memory(block, size, &db, &error);
    if (status == TRAWL_OK) {
        assert_non_null(db);
        assert_true(may_be_accepted);
        use(db);
        trawl_db_free(db);
        return true;
    }
    assert_null(db);
    assert_int_equal(status, TRAWL_ERROR_FORMAT);
    assert_true(strlen(error.message) > 0);
    return false;
}

typedef void (*with_block)(const uint8_t *block, size_t size);

/* Sets of few letters, for the packed filter, and a text of these letters. (The set of sample.h has
 * too many letters for it.) */
static void for_packed_blocks(combination which, with_block function) {
    static const size_t lengths[][2] = {{3, 3}, {4, 9}, {18, 40}};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        test_case test = {.name = strdup("packed")};
        for (size_t id = 0; id < 25; id++) {
            uint8_t bytes[40];
            size_t length = random_between(&source, lengths[i][0], lengths[i][1]);
            for (size_t k = 0; k < length; k++)
                bytes[k] = (uint8_t) "acgt"[random_below(&source, 4)];
            test_case_add_pattern(&test, bytes, length, id % 5 == 4);
            test_case_append_text(&test, bytes, length);
        }
        combination_failure failure;
        trawl_db *db;
        assert_int_equal(combination_compile(which, &test, TRAWL_MATCH_ALL, &db, &failure),
                         COMBINATION_COMPILED);
        size_t size;
        const void *bytes = trawl_db_bytes(db, &size);
        text = test.text;
        text_length = test.length;
        function(bytes, size);
        trawl_db_free(db);
        test_case_free(&test);
    }
}

/* A block with a plan for a GPU. */
static void for_device_block(with_block function) {
    trawl_patterns *patterns;
    trawl_db *db;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.device = "cuda";
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    static const char *const words[] = {"the", "there", "another", "zebra crossing"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        assert_int_equal(trawl_patterns_add(patterns, words[i], strlen(words[i]), 0, &error),
                         TRAWL_OK);
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    size_t size;
    const void *bytes = trawl_db_bytes(db, &size);
    text = sample_text;
    text_length = sample_text_length;
    function(bytes, size);
    trawl_db_free(db);
    trawl_patterns_free(patterns);
}

static void for_block_of(test_case *test, const char *engine, const char *variant,
                         trawl_match_kind kind, with_block function) {
    combination_failure failure;
    trawl_db *db;
    assert_int_equal(combination_compile((combination){engine, variant}, test, kind, &db, &failure),
                     COMBINATION_COMPILED);
    size_t size;
    const void *bytes = trawl_db_bytes(db, &size);
    text = test->text;
    text_length = test->length;
    function(bytes, size);
    trawl_db_free(db);
    test_case_free(test);
}

/* Patterns inside each other: the sections of the leftmost kinds. */
static void for_leftmost_blocks(with_block function) {
    static const char *const words[] = {"abcab", "bc", "b", "ab", "cab", "abcabab", "caba"};
    for (int kind = TRAWL_MATCH_LEFTMOST_FIRST; kind < MATCH_KINDS; kind++) {
        test_case test = {.name = strdup("leftmost")};
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            test_case_add_pattern(&test, words[i], strlen(words[i]), 0);
        for (size_t i = 0; i < 20; i++)
            test_case_append_text(&test, words[i % 7], strlen(words[i % 7]));
        for_block_of(&test, kind == TRAWL_MATCH_LEFTMOST_FIRST ? "ac-nfa" : "wu-manber",
                     kind == TRAWL_MATCH_LEFTMOST_FIRST ? "compact" : "tuned",
                     (trawl_match_kind)kind, function);
    }
}

/* Conditions: their records, and the gates of keys. */
static void for_condition_blocks(with_block function) {
    static const char *const engines[][2] = {{"ac-dfa", "classes"}, {"qgram", "mixed"}};
    static const char *const words[] = {"word", "or", "a word", "rd", "d a"};
    for (size_t e = 0; e < sizeof(engines) / sizeof(engines[0]); e++) {
        test_case test = {.name = strdup("conditions")};
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
            trawl_condition condition = TRAWL_CONDITION;
            test_case_add_pattern(&test, words[i], strlen(words[i]), 0);
            condition.left = i % 2 == 0 ? TRAWL_CLASS_WORD : TRAWL_CLASS_NONE;
            condition.right = i % 3 == 0 ? TRAWL_CLASS_WORD : TRAWL_CLASS_NONE;
            condition.at_end = i == 4;
            test_case_set_condition(&test, i, &condition);
        }
        for (size_t i = 0; i < 12; i++)
            test_case_append_text(&test, i % 2 != 0 ? " a word or" : "word a", i % 2 != 0 ? 10 : 6);
        for_block_of(&test, engines[e][0], engines[e][1], TRAWL_MATCH_ALL, function);
    }
}

/* Offsets of 64 bits. */
static void for_wide_blocks(with_block function) {
    static const char *const words[] = {"abcab", "bcbcbcbcbc", "another word", "cabcabcabcab"};
    static const char *const engines[][2] = {{"qgram", "mixed"}, {"wu-manber", "paper"}};
    for (size_t e = 0; e < sizeof(engines) / sizeof(engines[0]); e++) {
        test_case test = {.name = strdup("wide")};
        for (size_t i = 0; i < 24; i++) {
            test_case_add_pattern(&test, words[i % 4], strlen(words[i % 4]), 0);
            test_case_append_text(&test, words[i % 4], strlen(words[i % 4]));
        }
        assert_int_equal(setenv("TRAWL_TEST_WIDE", "1", 1), 0);
        for_block_of(&test, engines[e][0], engines[e][1], TRAWL_MATCH_ALL, function);
        assert_int_equal(unsetenv("TRAWL_TEST_WIDE"), 0);
    }
}

static void for_every_block(with_block function) {
    source = random_for_case(random_seed(), 0);
    for_device_block(function);
    for_leftmost_blocks(function);
    for_condition_blocks(function);
    for_wide_blocks(function);
    for (size_t c = 0; c < combination_count(); c++) {
        trawl_match_kind kind = (trawl_match_kind)(c % MATCH_KINDS);
        combination which = combination_at(c);
        if (which.variant && strcmp(which.variant, "packed") == 0)
            for_packed_blocks(which, function);
        text = sample_text;
        text_length = sample_text_length;
        trawl_db *db = sample_db(which, kind);
        if (!db)
            continue;
        size_t size;
        const void *bytes = trawl_db_bytes(db, &size);
        function(bytes, size);
        trawl_db_free(db);
    }
}

/* The next position to change: all of the first ones, then random steps through the rest. */
static size_t next_position(size_t at, size_t size) {
    size_t first = every_byte_until();
    if (at + 1 < first || size <= 2 * first)
        return at + 1;
    return at + random_between(&source, 1, 2 * (size - first) / first);
}

static void truncate_in_memory(const uint8_t *block, size_t size) {
    for (size_t length = 0; length < size; length = next_position(length, size)) {
        uint8_t *copy = malloc(length ? length : 1); /* nothing readable behind it */
        memcpy(copy, block, length);
        load_and_use(copy, length, false);
        seal_block(copy, length);
        load_and_use(copy, length, true);
        free(copy);
    }
    uint8_t *longer = calloc(size + 64, 1);
    memcpy(longer, block, size);
    load_and_use(longer, size + 1, false);
    load_and_use(longer, size + 64, false);
    free(longer);
}

static void truncated_blocks(void **state) {
    (void)state;
    for_every_block(truncate_in_memory);
}

static void truncate_file(const uint8_t *block, size_t size) {
    char path[4096];
    temporary_template(path, sizeof(path));
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, block, size), (ssize_t)size);
    for (size_t length = size; length-- > 0;) {
        if (length > 600 && length + 600 < size && length % 97 != 0)
            continue;
        assert_int_equal(ftruncate(file, (off_t)length), 0);
        trawl_db *db = NULL;
        assert_int_equal(trawl_db_load(path, &db, &error), TRAWL_ERROR_FORMAT);
        assert_null(db);
    }
    close(file);
    unlink(path);
}

static void truncated_files(void **state) {
    (void)state;
    for_every_block(truncate_file);
}

static const uint8_t flips[] = {0x01, 0x80, 0xff};

static void change_bytes(const uint8_t *block, size_t size) {
    uint8_t *copy = malloc(size);
    memcpy(copy, block, size);
    for (size_t at = 0; at < size; at = next_position(at, size))
        for (size_t i = 0; i < sizeof(flips); i++) {
            copy[at] = block[at] ^ flips[i];
            load_and_use(copy, size, false);
            copy[at] = block[at];
        }
    load_and_use(copy, size, true);
    free(copy);
}

static void changed_bytes_are_noticed(void **state) {
    (void)state;
    for_every_block(change_bytes);
}

static size_t accepted, tried;

static void try_sealed(uint8_t *copy, size_t size) {
    seal_block(copy, size);
    accepted += load_and_use(copy, size, true);
    tried++;
}

static void change_bytes_and_seal(const uint8_t *block, size_t size) {
    uint8_t *copy = malloc(size);
    memcpy(copy, block, size);
    for (size_t at = TRAWL_IMAGE_UNCHECKED; at < size; at = next_position(at, size))
        for (size_t i = 0; i < sizeof(flips); i++) {
            copy[at] = block[at] ^ flips[i];
            try_sealed(copy, size);
            copy[at] = block[at];
        }
    free(copy);
}

static void changed_bytes_with_a_right_checksum(void **state) {
    (void)state;
    accepted = tried = 0;
    for_every_block(change_bytes_and_seal);
    printf("%zu of %zu damaged databases were accepted and used\n", accepted, tried);
}

/* Writes values that no offset, id, count or size should have. */
static void change_words_and_seal(const uint8_t *block, size_t size) {
    static const uint64_t values[] = {0,          1,          0x7fffffff,         0x80000000,
                                      0xffffffff, 0xfffffffe, 0x7fffffffffffffff, UINT64_MAX};
    uint8_t *copy = malloc(size);
    memcpy(copy, block, size);
    for (size_t at = TRAWL_IMAGE_UNCHECKED / 4; at < size / 4; at = next_position(at, size / 4)) {
        size_t place = at * 4;
        for (size_t i = 0; i < 10; i++) {
            uint32_t word;
            memcpy(&word, block + place, sizeof(word));
            if (i < 6) {
                word = (uint32_t)values[i];
                memcpy(copy + place, &word, sizeof(word));
            } else if (i < 8) {
                word += i == 6 ? 1u : UINT32_MAX;
                memcpy(copy + place, &word, sizeof(word));
            } else if (place % 8 == 0 && place + 8 <= size) {
                memcpy(copy + place, &values[i - 2], sizeof(values[0]));
            } else {
                continue;
            }
            try_sealed(copy, size);
            memcpy(copy + place, block + place, place + 8 <= size ? 8 : 4);
        }
    }
    free(copy);
}

static void hostile_words_with_a_right_checksum(void **state) {
    (void)state;
    accepted = tried = 0;
    for_every_block(change_words_and_seal);
    printf("%zu of %zu damaged databases were accepted and used\n", accepted, tried);
}

/* Changes several places at once, by copying pieces from elsewhere in the block. */
static void change_pieces_and_seal(const uint8_t *block, size_t size) {
    uint8_t *copy = malloc(size);
    for (int round = 0; round < (TESTS_ARE_SANITIZED ? 1000 : 4000); round++) {
        memcpy(copy, block, size);
        for (size_t change = random_between(&source, 1, 4); change; change--) {
            size_t length = random_between(&source, 1, 16);
            size_t to = random_between(&source, TRAWL_IMAGE_UNCHECKED, size - length);
            size_t from = random_below(&source, size - length);
            if (random_chance(&source, 1, 2)) /* the front of a block has most of the offsets */
                to = TRAWL_IMAGE_UNCHECKED + to % (size < 1200 ? size - 64 : 1000);
            if (to + length > size)
                continue;
            memmove(copy + to, copy + from, length);
        }
        try_sealed(copy, size);
    }
    free(copy);
}

static void copied_pieces_with_a_right_checksum(void **state) {
    (void)state;
    accepted = tried = 0;
    for_every_block(change_pieces_and_seal);
    printf("%zu of %zu damaged databases were accepted and used\n", accepted, tried);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncated_blocks),
        cmocka_unit_test(truncated_files),
        cmocka_unit_test(changed_bytes_are_noticed),
        cmocka_unit_test(changed_bytes_with_a_right_checksum),
        cmocka_unit_test(hostile_words_with_a_right_checksum),
        cmocka_unit_test(copied_pieces_with_a_right_checksum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
