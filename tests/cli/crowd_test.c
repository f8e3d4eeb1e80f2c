/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Threads that work on many items: results in the order of the items, whether they are written at
 * once or when the item ends, and no further items once the output has failed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/base/crowd.h"

enum { ITEMS = 400, THREADS = 4, RESULT = 3000 };

/* What the output takes: results of RESULT bytes, each the low byte of its item's number. */
typedef struct taken {
    size_t bytes, most; /* of bytes; the output fails behind them */
    bool in_order;
} taken;

static bool take_bytes(void *context, const char *bytes, size_t length) {
    taken *all = context;
    for (size_t i = 0; i < length; i++)
        all->in_order = all->in_order && (uint8_t)bytes[i] == (uint8_t)((all->bytes + i) / RESULT);
    all->bytes += length;
    return all->bytes <= all->most;
}

static atomic_size_t begun;

static void work(crowd *self, void *member, size_t index) {
    char *bytes = malloc(RESULT);
    assert_non_null(bytes);
    (void)member;
    atomic_fetch_add(&begun, 1);
    memset(bytes, (int)index, RESULT);
    if (index % 3 != 0) {
        crowd_finish(self, index, bytes, RESULT);
        return;
    }
    output_file *output = crowd_await_turn(self, index);
    output_file_write(output, bytes, RESULT);
    output_file_drain(output);
    free(bytes);
    crowd_finish(self, index, NULL, 0);
}

static taken run(size_t most) {
    taken all = {.most = most, .in_order = true};
    trawl_error error;
    output_file *output = NULL;
    char members[THREADS];
    atomic_store(&begun, 0);
    assert_int_equal(output_file_open_for(take_bytes, &all, &output, &error), TRAWL_OK);
    crowd_run(output, ITEMS, work, members, 1, THREADS);
    (void)output_file_close(output, &error);
    assert_true(all.in_order);
    return all;
}

static void results_are_in_order(void **state) {
    (void)state;
    assert_int_equal(run(SIZE_MAX).bytes, ITEMS * RESULT);
    assert_int_equal(atomic_load(&begun), ITEMS);
}

static void an_output_that_fails_ends_the_work(void **state) {
    (void)state;
    taken all = run(10 * RESULT);
    assert_true(all.bytes < ITEMS * RESULT);
    assert_true(atomic_load(&begun) < ITEMS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_in_order),
        cmocka_unit_test(an_output_that_fails_ends_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
