/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Numbers of patterns and keys of more than 2^31, where these need no memory: sizes, limits, and a
 * set whose arrays are reserved but hardly touched.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/allocate.h"
#include "database/conditions.h"
#include "database/endings.h"
#include "database/outputs.h"
#include "engines/qgram/anchors/build.h"
#include "engines/qgram/sparse/build.h"
#include "engines/rabin_karp/format.h"
#include "engines/wu_manber/format.h"
#include "gpu/module.h"
#include "pattern/patterns.h"

#define MANY UINT32_C(3000000000)

static trawl_error error;

/* ------------------------------------------------------------------ sizes */

static void sizes_for_many_keys(void **state) {
    (void)state;
    assert_int_equal(trawl_offsets_bases(MANY), MANY / 65536 + 1);
    assert_int_equal(trawl_offsets_bases(TRAWL_PATTERNS_MAX_COUNT), 65536);
    assert_int_equal(trawl_ending_bits(MANY), 31);
    assert_int_equal(trawl_ending_bits(TRAWL_PATTERNS_MAX_COUNT), 31);
    assert_int_equal(trawl_rabin_karp_filter_bits(MANY), 32);
    assert_int_equal(trawl_rabin_karp_filter_bits(TRAWL_PATTERNS_MAX_COUNT), 32);
    for (uint32_t block = 3; block <= 16; block++) {
        assert_int_equal(trawl_wu_manber_shift_bits(MANY, 16, block, UINT64_MAX), 27);
        assert_int_equal(
            trawl_wu_manber_shift_bits(TRAWL_PATTERNS_MAX_COUNT, 16, block, UINT64_MAX), 27);
    }
    uint32_t block = trawl_wu_manber_choose_block(MANY, 16, 200, UINT64_MAX);
    assert_true(block >= 4 && block <= 16);
}

/* These refuse before they read a key. */
static void too_many_samples(void **state) {
    (void)state;
    const trawl_keys keys = {.count = MANY, .pattern_count = MANY};
    trawl_qgram_tier tier = {.gram = 4, .stride = 1};
    trawl_anchors_made anchors = {.counts = NULL};
    assert_int_equal(trawl_anchors_make(&tier, NULL, &keys, NULL, 0, &anchors, &error),
                     TRAWL_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "3000000000"));
    trawl_sparse_made sparse = {.counts = NULL};
    assert_int_equal(trawl_sparse_make(&tier, &keys, NULL, 0, &sparse, &error), TRAWL_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "3000000000"));
}

/* Kernels are not made for so many patterns, whether these have 2 GiB or, in a forged database,
 * less.
 */
static void too_many_for_gpus(void **state) {
    (void)state;
    trawl_db db = {.patterns = {.count = INT32_MAX}};
    assert_int_equal(trawl_cuda_check_patterns(&db, &error), TRAWL_OK);
    db.patterns.count = MANY;
    assert_int_equal(trawl_cuda_check_patterns(&db, &error), TRAWL_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "scan it on the CPU"));
}

/* Numbers of conditions have 32 bits. */
static void too_many_conditions(void **state) {
    (void)state;
    const trawl_condition_record record = {.left = 1, .right = 1};
    const uint32_t of = 0;
    const uint8_t classes[sizeof(trawl_class_members)] = {0};
    trawl_condition_sections sections = {.records = &record,
                                         .of = &of,
                                         .classes = classes,
                                         .records_size = sizeof record,
                                         .of_size = sizeof of,
                                         .classes_size = sizeof classes};
    assert_true(trawl_conditions_sound(&sections, 1));
    sections.records_size *= UINT64_C(1) << 32;
    assert_false(trawl_conditions_sound(&sections, 1));
}

/* ------------------------------------------------------------------ equal patterns */

/* Reserves the outputs of two keys with these numbers of patterns. Returns the bytes of the ids in
 * *ids. */
static trawl_status reserve(uint32_t first, uint32_t second, uint64_t *ids) {
    trawl_image *image = calloc(1, sizeof *image);
    assert_non_null(image);
    const trawl_patterns set = {.count = (size_t)first + second};
    trawl_build build = {
        .patterns = &set, .image = image, .error = &error, .max_table_bytes = INT64_MAX};
    /* check_equal names the first pattern of a key: ids[0] or ids[first]. */
    uint32_t firsts[3] = {0, first, first + second}, id = 7;
    const trawl_keys keys = {
        .count = 2, .pattern_count = first + second, .first = firsts, .ids = &id};
    trawl_status status = trawl_outputs_reserve(&build, 0, &keys, "no engine does");
    *ids = 0;
    for (uint32_t i = 0; i < image->section_count; i++)
        if (image->sections[i].kind == TRAWL_SECTION_KEY_IDS)
            *ids = image->sections[i].size;
    free(image);
    return status;
}

static void equal_patterns(void **state) {
    (void)state;
    const uint32_t most = TRAWL_PATTERNS_MAX_EQUAL;
    uint64_t ids;
    assert_int_equal(reserve(most, most, &ids), TRAWL_OK);
    assert_int_equal(ids, UINT64_C(4) * (UINT32_MAX - 1));
    assert_int_equal(reserve(1, most, &ids), TRAWL_OK);
    assert_int_equal(reserve(most + 1, 1, &ids), TRAWL_ERROR_LIMIT);
    assert_string_equal(error.message,
                        "2147483648 patterns are equal, with pattern 7 the first of them: "
                        "at most 2147483647 may be");
    assert_int_equal(reserve(MANY, 1, &ids), TRAWL_ERROR_LIMIT);
}

/* ------------------------------------------------------------------ the largest set */

/* Memory that is reserved and reads as zeros; NULL if the system refuses so much. */
static void *reserved(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void release(void *memory, size_t bytes) {
    if (memory != NULL)
        assert_int_equal(munmap(memory, bytes), 0);
}

/* A set as if it had all patterns but two. Those have no bytes, which costs nothing here. */
static void the_last_patterns(void **state) {
    (void)state;
    const size_t room = (size_t)UINT32_MAX + 2,
                 bases = trawl_offsets_bases(room) * sizeof(uint64_t);
    trawl_patterns set = {.count = UINT32_MAX - 2, .capacity = room, .min_length = 1};
    set.offsets = reserved((room + 1) * sizeof *set.offsets);
    set.flags = reserved(room);
    set.bases = calloc(1, bases);
    assert_non_null(set.bases);
    trawl_status last[3] = {TRAWL_OK};
    if (set.offsets != NULL && set.flags != NULL) {
        for (unsigned i = 0; i < 3; i++)
            last[i] = trawl_patterns_add(&set, &"abc"[i], 3 - i, i & 1, &error);
        trawl_pattern pattern = TRAWL_PATTERN;
        assert_int_equal(last[0], TRAWL_OK);
        assert_int_equal(last[1], TRAWL_OK);
        assert_int_equal(last[2], TRAWL_ERROR_LIMIT);
        assert_non_null(strstr(error.message, "pattern 4294967295 does not fit"));
        assert_non_null(strstr(error.message, "4294967295 patterns"));
        assert_int_equal(trawl_patterns_count(&set), TRAWL_PATTERNS_MAX_COUNT);
        assert_true(trawl_patterns_get(&set, UINT32_MAX - 2, &pattern));
        assert_int_equal(pattern.length, 3);
        assert_memory_equal(pattern.bytes, "abc", 3);
        assert_true(trawl_patterns_get(&set, UINT32_MAX - 1, &pattern));
        assert_int_equal(pattern.length, 2);
        assert_memory_equal(pattern.bytes, "bc", 2);
        assert_int_equal(pattern.flags, 1);
        assert_int_equal(pattern.group, UINT32_MAX - 1);
        assert_false(trawl_patterns_get(&set, UINT32_MAX, &pattern));
        assert_int_equal(trawl_patterns_bytes(&set), 5);
    }
    release(set.offsets, (room + 1) * sizeof *set.offsets);
    release(set.flags, room);
    free(set.bases);
    trawl_release(set.bytes);
    if (last[2] == TRAWL_OK)
        skip(); /* so much address space is not to be had */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_for_many_keys), cmocka_unit_test(too_many_samples),
        cmocka_unit_test(too_many_for_gpus),   cmocka_unit_test(too_many_conditions),
        cmocka_unit_test(equal_patterns),      cmocka_unit_test(the_last_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
