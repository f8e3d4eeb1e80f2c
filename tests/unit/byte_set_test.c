/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Sets of bytes: members, and the search for the first and last one with each instruction set that
 * this machine has. */
#include "random.h"

#include "base/byte_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES = 3000, MOST_TEXT = 300 };

static trawl_byte_set draw_set(random_source *random, bool members[256]) {
    trawl_byte_set set = {.rows = {{0}}};
    size_t count = random_chance(random, 1, 3) ? 1 : random_between(random, 1, 40);
    memset(members, 0, 256 * sizeof *members);
    for (size_t i = 0; i < count; i++) {
        uint8_t byte = (uint8_t)random_below(random, 256);
        trawl_byte_set_add(&set, byte);
        members[byte] = true;
    }
    return set;
}

static void members_are_those_that_were_added(void **state) {
    (void)state;
    random_source random = random_for_case(random_seed(), 0);
    for (size_t i = 0; i < 200; i++) {
        bool members[256];
        const trawl_byte_set set = draw_set(&random, members);
        unsigned count = 0;
        for (unsigned byte = 0; byte < 256; byte++) {
            assert_int_equal(trawl_byte_set_has(&set, (uint8_t)byte), members[byte]);
            count += members[byte];
        }
        assert_int_equal(trawl_byte_set_count(&set), count);
    }
}

/* The text has exactly its own bytes of memory, so that a sanitizer sees reads beside it. */
static void check_search(random_source *random, trawl_cpu_set cpu) {
    bool members[256];
    const trawl_byte_set set = draw_set(random, members);
    const trawl_byte_finder finder = trawl_byte_finder_for(&set, cpu);
    const size_t length = random_below(random, MOST_TEXT + 1), rare = random_between(random, 1, 60);
    uint8_t *text = malloc(length + (length == 0));
    assert_non_null(text);
    const uint8_t *first = NULL, *last = NULL;
    for (size_t i = 0; i < length; i++) {
        do {
            text[i] = (uint8_t)random_below(random, 256);
        } while (members[text[i]] && !random_chance(random, 1, rare));
        first = members[text[i]] && first == NULL ? text + i : first;
        last = members[text[i]] ? text + i : last;
    }
    assert_ptr_equal(finder.first(&finder, text, length), first);
    assert_ptr_equal(finder.last(&finder, text, length), last);
    free(text);
}

static void searches_find_the_first_and_last(void **state) {
    (void)state;
    random_source random = random_for_case(random_seed(), 1);
    for (unsigned cpu = 0; cpu < TRAWL_CPU_SETS; cpu++)
        for (size_t i = 0; trawl_cpu_has((trawl_cpu_set)cpu) && i < CASES; i++)
            check_search(&random, (trawl_cpu_set)cpu);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(members_are_those_that_were_added),
                                       cmocka_unit_test(searches_find_the_first_and_last)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
