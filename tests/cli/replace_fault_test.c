/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A search that fails in the middle of a text, as for want of memory: a file that would have been
 * changed in place keeps all of its bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/replace/text.h"
#include "temporary.h"

/* Takes the place of trawl_replace: half of the result, then no memory. */
trawl_status __wrap_trawl_replace(trawl_replacer *replacer, const void *text, size_t length,
                                  trawl_on_bytes on_bytes, void *context, uint64_t *replaced);

trawl_status __wrap_trawl_replace(trawl_replacer *replacer, const void *text, size_t length,
                                  trawl_on_bytes on_bytes, void *context, uint64_t *replaced) {
    (void)replacer;
    (void)on_bytes(text, length / 2, context);
    *replaced = 1;
    return TRAWL_ERROR_MEMORY;
}

static void a_file_keeps_its_bytes(void **state) {
    (void)state;
    static const char content[] = "a fox and a dog";
    char path[256], read[sizeof content + 1];
    temporary_template(path, sizeof path);
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, content, sizeof content), sizeof content);
    text_replacer replacer = {.in_place = true};
    uint64_t replaced = 7;
    bool good = text_replacer_run(&replacer, path, &replaced);
    text_replacer_release(&replacer);
    (void)close(descriptor);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(read, 1, sizeof read, file);
    (void)fclose(file);
    (void)unlink(path);
    assert_int_equal(length, sizeof content);
    assert_memory_equal(read, content, sizeof content);
    assert_int_equal(replaced, 0);
    assert_false(good);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_file_keeps_its_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
