/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Copying text into pinned memory with several threads: from memory, and from sources that return
 * few bytes a read, fail, or end too early. There is no device here: the test compares the copied
 * bytes.
 */
#include "random.h"
#include "run/gpu/transfer/fill.h"
#include "text_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PLACES = 3, MOST_FILLS = 40 };

/* Fills of consecutive ranges, in the order in which a ring starts them. Each is compared when it
 * is complete. */
typedef struct scene {
    trawl_fillers *fillers;
    const uint8_t *bytes;
    uint8_t *to[PLACES];
    uint64_t bounds[MOST_FILLS + 1];
    uint64_t fills;
    uint64_t good; /* bytes that can be read */
    bool polls;    /* tests whether a fill is complete before it waits */
    bool leaves;   /* ends in the midst of fills */
    uint64_t reached;
    bool wrong;
    trawl_status status;
    trawl_error error;
} scene;

static void drive(void *context) {
    scene *at = context;
    uint64_t started = 0;
    for (uint64_t i = 0; i < at->fills && at->status == TRAWL_OK; i++) {
        for (; started < at->fills && started < i + PLACES; started++)
            trawl_fillers_start(at->fillers, started % PLACES, at->to[started % PLACES],
                                at->bounds[started], at->bounds[started + 1]);
        if (at->leaves && i == at->fills / 2)
            return;
        bool done = at->polls && trawl_fillers_done(at->fillers, i % PLACES);
        if (!done)
            trawl_fillers_await(at->fillers, i % PLACES);
        at->reached = trawl_fillers_reached(at->fillers, i % PLACES, &at->status, &at->error);
        uint64_t good = at->good < at->bounds[i + 1] ? at->good : at->bounds[i + 1];
        good = good < at->bounds[i] ? at->bounds[i] : good;
        /* Reported after the threads have ended. */
        at->wrong = at->wrong || at->reached != good ||
                    memcmp(at->to[i % PLACES], at->bytes + at->bounds[i],
                           (size_t)(good - at->bounds[i])) != 0;
    }
}

static void run(scene *at, const trawl_window *window, uint32_t threads) {
    trawl_error error;
    assert_int_equal(trawl_fillers_open(&at->fillers, window, PLACES, &error), TRAWL_OK);
    trawl_team *team = NULL;
    if (threads > 1)
        assert_int_equal(trawl_team_open(&team, threads, &error), TRAWL_OK);
    trawl_fillers_run(at->fillers, team, drive, at);
    trawl_team_close(team);
    trawl_fillers_close(at->fillers);
}

enum { MOST_BYTES = 6000000 };

static void every_byte_comes_or_the_first_failure(void **state) {
    (void)state;
    uint8_t *bytes = malloc(MOST_BYTES);
    scene at;
    for (size_t i = 0; i < PLACES; i++)
        at.to[i] = malloc(MOST_BYTES);
    for (size_t i = 0; i < MOST_BYTES; i++)
        bytes[i] = (uint8_t)(i * UINT64_C(0x9e3779b97f4a7c15) >> 56);
    for (uint64_t number = 0; number < 120; number++) {
        random_source random = random_for_case(random_seed(), number);
        uint64_t length = random_below(&random, MOST_BYTES + 1);
        at.bytes = bytes;
        at.fills = random_below(&random, random_chance(&random, 1, 2) ? 5 : MOST_FILLS + 1);
        at.bounds[0] = 0;
        for (uint64_t i = 1; i <= at.fills; i++)
            at.bounds[i] = length * i / at.fills;
        at.polls = random_chance(&random, 1, 2);
        at.leaves = random_chance(&random, 1, 8);
        at.status = TRAWL_OK;
        at.wrong = false;
        text_source text;
        text_source_open(&text, bytes, length);
        if (random_chance(&random, 1, 2))
            text.most = 70000;
        trawl_reading reading = {.source = &text.source};
        trawl_window window = {.length = length};
        at.good = length;
        if (random_chance(&random, 1, 3))
            window.text = bytes;
        else
            window.reading = &reading;
        if (window.reading != NULL && length != 0 && random_chance(&random, 1, 2)) {
            at.good = random_below(&random, length);
            *(random_chance(&random, 1, 2) ? &text.broken : &text.end) = at.good;
        }
        run(&at, &window, (uint32_t)random_between(&random, 1, 6));
        assert_false(at.wrong);
        if (at.leaves || at.fills == 0)
            continue;
        assert_int_equal(at.status, at.good == length ? TRAWL_OK : TRAWL_ERROR_IO);
        if (at.good != length && text.broken != UINT64_MAX)
            assert_string_equal(at.error.message, "broken");
        else if (at.good != length)
            assert_non_null(strstr(at.error.message, "became shorter"));
    }
    for (size_t i = 0; i < PLACES; i++)
        free(at.to[i]);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_comes_or_the_first_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
