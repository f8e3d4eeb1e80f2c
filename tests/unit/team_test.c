/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Threads that sleep between calls: which threads take part, and that none is still working when a
 * call returns. */
#include "base/team.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MEMBERS = 5, CALLS = 2000 };

typedef struct call {
    _Atomic uint32_t began[MEMBERS];
    _Atomic uint32_t working;
    _Atomic uint32_t left; /* pieces of work */
} call;

static void take_work(void *context, uint32_t member) {
    call *at = context;
    at->began[member]++;
    at->working++;
    uint32_t left = at->left;
    while (left != 0) {
        if (atomic_compare_exchange_weak(&at->left, &left, left - 1))
            left = at->left;
    }
    at->working--;
}

static void nobody_is_left_when_a_call_returns(void **state) {
    (void)state;
    trawl_error error;
    for (uint32_t members = 1; members <= MEMBERS; members++) {
        trawl_team *team;
        assert_int_equal(trawl_team_open(&team, members, &error), TRAWL_OK);
        for (uint32_t i = 0; i < CALLS; i++) {
            call at = {.left = i % 100};
            uint32_t asked = 1 + i % MEMBERS;
            trawl_team_run(team, asked, take_work, &at);
            assert_int_equal(at.working, 0);
            assert_int_equal(at.left, 0);
            assert_int_equal(at.began[0], 1);
            uint32_t most = asked < members ? asked : members;
            for (uint32_t member = 1; member < MEMBERS; member++)
                assert_in_range(at.began[member], 0, member < most ? 1 : 0);
        }
        trawl_team_close(team);
    }
    trawl_team_close(NULL);
}

static void await_all(void *context, uint32_t member) {
    call *at = context;
    at->began[member]++;
    at->working++;
    while (member == 0 && at->working < MEMBERS) {
    }
}

/* With long work, all threads take part. */
static void everybody_comes(void **state) {
    (void)state;
    trawl_error error;
    trawl_team *team;
    assert_int_equal(trawl_team_open(&team, MEMBERS, &error), TRAWL_OK);
    for (uint32_t i = 0; i < 10; i++) {
        call at = {.left = 0};
        trawl_team_run(team, MEMBERS, await_all, &at);
        for (uint32_t member = 0; member < MEMBERS; member++)
            assert_int_equal(at.began[member], 1);
    }
    trawl_team_close(team);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_left_when_a_call_returns),
        cmocka_unit_test(everybody_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
