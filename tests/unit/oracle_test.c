/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The oracle against the matches that the case table states. If the two differ, one of them is
 * wrong, and no other test can be trusted. */
#include "case.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void agrees_with_the_table(void **state) {
    (void)state;
    test_case_list cases = {0};
    match_list found = {0};
    size_t checked = 0;
    char message[512];
    if (!test_cases_read_all(&cases, message, sizeof(message)))
        fail_msg("%s", message);
    for (size_t i = 0; i < cases.count; i++) {
        const test_case *test = &cases.items[i];
        for (size_t kind = 0; kind < MATCH_KINDS; kind++) {
            if (!test->expects[kind])
                continue;
            test_case_search(test, (trawl_match_kind)kind, &found);
            checked++;
            if (match_list_equal(&found, &test->expected[kind]))
                continue;
            printf("case %s, %s\n  expected", test->name, match_kind_names[kind]);
            match_list_print(stdout, &test->expected[kind], 50);
            printf("\n  oracle  ");
            match_list_print(stdout, &found, 50);
            printf("\n");
            fail();
        }
    }
    printf("%zu cases, %zu expectations\n", cases.count, checked);
    match_list_free(&found);
    test_cases_free(&cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_the_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
