/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Forged databases that are accepted: kernels read nothing outside the text and the tables, and
 * come to an end. */
#include "faults/forgery.h"
#include "forged_fields.h"
#include "gpu/device_report.h"
#include "trawl/trawl_cuda.h"

enum { FORGED_TEXT = 3000 };

/* All kernels with a text that is alone in its memory. */
static void use_kernels(const trawl_db *db, const char *engine) {
    static const char words[] = "a Needle in a haystack ";
    char *text = malloc(FORGED_TEXT);
    assert_non_null(text);
    for (size_t i = 0; i < FORGED_TEXT; i++)
        text[i] = words[i % (sizeof words - 1)];
    const char *kernel;
    for (size_t k = 0; (kernel = device_kernel_at(engine, k)); k++) {
        trawl_scan_options options = TRAWL_SCAN_OPTIONS;
        options.device = "cuda";
        options.kernel = kernel;
        uint64_t total;
        assert_int_equal(trawl_count(db, text, FORGED_TEXT, &options, &total, NULL, &error),
                         TRAWL_OK);
    }
    free(text);
}

/* Shifts that are longer than the window's longest one: positions of 32 bits would wrap. */
static void shifts_of_any_length(void **state) {
    (void)state;
    static const uint32_t shifts[] = {0, 1, 4, 5, 0x7fffffff, 0xfffffff0, 0xffffffff};
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        trawl_patterns *patterns;
        trawl_db *db;
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
        options.engine = "wu-manber";
        options.variant = "paper";
        assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
        assert_int_equal(trawl_patterns_add(patterns, "Needle", 6, 0, &error), TRAWL_OK);
        assert_int_equal(trawl_patterns_add(patterns, "a Needle", 8, 0, &error), TRAWL_OK);
        assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
        trawl_patterns_free(patterns);
        size_t size;
        uint8_t *block = bytes_of(db, &size);
        assert_true(forge_shifts(block, size, shifts[i]));
        ((trawl_image_header *)block)->checksum = trawl_block_checksum(block, size);
        trawl_status status = trawl_db_load_memory(block, size, &db, &error);
        assert_int_equal(status, shifts[i] <= 4 ? TRAWL_OK : TRAWL_ERROR_FORMAT); /* 6 - 3 + 1 */
        if (status == TRAWL_OK)
            use_kernels(db, options.engine);
        trawl_db_free(db);
        free(block);
    }
}

int main(void) {
    if (!device_tests_begin("forged_test"))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifts_of_any_length),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_tests_end();
    return failed;
}
