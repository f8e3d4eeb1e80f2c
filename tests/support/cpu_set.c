/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cpu_set.h"

#include "base/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEST_SKIPPED = 77 };

void cpu_set_apply(void) {
    const char *wanted = getenv("TRAWL_TEST_CPU");
    if (!wanted || !*wanted)
        return;
    trawl_cpu_set chosen;
    trawl_error error = {.message = ""};
    if (trawl_cpu_choose(&chosen, &error) != TRAWL_OK) {
        printf("%s\n", error.message);
        exit(EXIT_FAILURE);
    }
    /* On machines with VBMI, forcing the set that would be chosen anyway may select other loops
     * (gathers). */
    bool same_loops = chosen != TRAWL_CPU_AVX512_VBMI || trawl_cpu_gathers();
    if (strcmp(wanted, trawl_cpu_set_name(chosen)) == 0 && same_loops) {
        printf("skipped: the test without TRAWL_TEST_CPU uses %s already\n", wanted);
        exit(TEST_SKIPPED);
    }
    setenv("TRAWL_CPU", wanted, 1);
    if (trawl_cpu_choose(&chosen, &error) == TRAWL_OK)
        return;
    for (int set = 0; set < TRAWL_CPU_SETS; set++)
        if (strcmp(wanted, trawl_cpu_set_name((trawl_cpu_set)set)) == 0) {
            printf("skipped: %s\n", error.message);
            exit(TEST_SKIPPED);
        }
    printf("%s\n", error.message);
    exit(EXIT_FAILURE);
}
