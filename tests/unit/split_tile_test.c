/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The tile of kernel p2: every word has a place of its own, and only without the diagonal do the
 * threads of a warp meet in banks. */
#include "engines/ac_split/tile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_WORDS = 300, ROWS = 70 };

static void places_are_different(void **state) {
    static bool taken[MOST_WORDS * ROWS];
    (void)state;
    for (uint32_t words = 1; words <= MOST_WORDS; words++) {
        trawl_split_rows rows = trawl_split_rows_of(words, true);
        memset(taken, 0, sizeof(taken));
        for (uint32_t index = 0; index < words * ROWS; index++) {
            uint32_t place = trawl_split_place(&rows, index, index / words);
            assert_true(place < words * ROWS && !taken[place]);
            assert_int_equal(place / words, index / words);
            taken[place] = true;
        }
    }
}

/* The picture in the header. */
static void eight_words(void **state) {
    (void)state;
    trawl_split_rows rows = trawl_split_rows_of(8, true);
    for (uint32_t row = 0; row < 64; row++)
        for (uint32_t word = 0; word < 8; word++)
            assert_int_equal(trawl_split_place(&rows, 8 * row + word, row),
                             8 * row + (word + row / 4) % 8);
}

static void banks(void **state) {
    (void)state;
    for (uint32_t words = 1; words <= MOST_WORDS; words++) {
        trawl_split_rows diagonal = trawl_split_rows_of(words, true);
        trawl_split_rows in_order = trawl_split_rows_of(words, false);
        uint32_t group = words & (0u - words);
        for (uint32_t first = 0; first < 33; first++)
            for (uint32_t column = 0; column < words; column++) {
                assert_int_equal(trawl_split_bank_accesses(&diagonal, first, column), 1);
                assert_int_equal(trawl_split_bank_accesses(&in_order, first, column),
                                 group < 32 ? group : 32);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_different),
        cmocka_unit_test(eight_words),
        cmocka_unit_test(banks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
