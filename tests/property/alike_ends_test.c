/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Engine qgram on patterns that end alike (alike_ends.h), by each kind of filter that looks up keys
 * by their last bytes, compared with the oracle. */
#include "alike_ends.h"
#include "combinations.h"
#include "cpu_set.h"
#include "database/database.h"
#include "engines/qgram/format.h"
#include "sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RUNNERS = 4 };

/* The numbers of bytes by which ends were looked up, by kind of filter. */
static bool seen[TRAWL_TIER_KINDS][TRAWL_QGRAM_LOOK_UP_BYTES + 1];

static void note_tiers(combination which, const test_case *test, trawl_match_kind kind) {
    combination_failure failure;
    trawl_db *db = NULL;
    if (combination_compile(which, test, kind, &db, &failure) != COMBINATION_COMPILED)
        fail_msg("%s: %s", which.variant, failure.what);
    const trawl_qgram_header *header = trawl_db_section(db, TRAWL_SECTION_QGRAM_HEADER, 0, NULL);
    for (uint32_t i = 0; i < header->tiers; i++)
        if (header->tier[i].hash_bits != 0)
            seen[header->tier[i].kind][header->tier[i].look_up_bytes] = true;
    trawl_db_free(db);
}

static void check(const test_case *test, const char *variant, trawl_match_kind kind,
                  random_source *random, size_t number) {
    match_list expected = {0};
    combination_failure failure;
    const combination which = {.engine = "qgram", .variant = variant};
    test_case_search(test, kind, &expected);
    note_tiers(which, test, kind);
    if (combination_check(which, test, kind, &expected, RUNNERS, random, &failure) !=
        COMBINATION_COMPILED)
        fail_msg("seed %llu, case %zu, %s: %s", (unsigned long long)random_seed(), number, variant,
                 failure.what);
    match_list_free(&expected);
}

static void finds_alike_ends(void **state) {
    (void)state;
    static const alike_ends sets[] = {
        {60, 8, 26, true, false},   {700, 10, 2, false, false},  {700, 16, 26, false, true},
        {700, 31, 26, false, true}, {100, 32, 26, false, true},  {700, 32, 2, false, true},
        {700, 8, 2, true, false},   {700, 100, 26, false, true}, {300, 40, 2, true, false}};
    static const char *const variants[] = {"mixed", "anchors", "sparse"};
    const size_t rounds = TESTS_ARE_SLOW ? 1 : 2;
    for (size_t i = 0; i < rounds * (sizeof sets / sizeof *sets); i++) {
        random_source random = random_for_case(random_seed(), i);
        test_case test = {.name = strdup("alike ends")};
        alike_ends_case(&random, &sets[i % (sizeof sets / sizeof *sets)], &test);
        trawl_match_kind kind = random_chance(&random, 2, 3)
                                    ? TRAWL_MATCH_ALL
                                    : (trawl_match_kind)random_below(&random, MATCH_KINDS);
        for (size_t v = 0; v < sizeof variants / sizeof *variants; v++)
            check(&test, variants[v], kind, &random, i);
        test_case_free(&test);
    }
    /* Where there are register Bloom filters they take the sets of short patterns. */
    assert_true(seen[TRAWL_TIER_BLOOM][8] || seen[TRAWL_TIER_REGISTERS][8]);
    for (uint32_t bytes = 16; bytes <= TRAWL_QGRAM_LOOK_UP_BYTES; bytes += 8)
        assert_true(seen[TRAWL_TIER_BLOOM][bytes]);
    assert_true(seen[TRAWL_TIER_ANCHORS][8] && seen[TRAWL_TIER_ANCHORS][32]);
    assert_true(seen[TRAWL_TIER_SPARSE][32]);
}

int main(void) {
    cpu_set_apply();
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_alike_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
