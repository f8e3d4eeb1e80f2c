/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The order of work between host and device. Every strategy is driven through a model of a device
 * with a copy engine for each direction (or one for both) and one engine that scans. The model
 * checks that no buffer is written or read while other work uses it, and that everything is
 * delivered once and in order. Its clock gives the time that a strategy takes.
 */
#include "cli/bench/cuda/transfer_model.h"
#include "random.h"
#include "run/gpu/transfer/ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_SEGMENTS = 40 };

typedef struct buffers {
    uint64_t filled, loaded; /* segment + 1 */
    bool filling;            /* and not known to be complete */
    uint64_t output;         /* segment + 1 whose matches are in the output buffers; 0: free */
    double in_end, scan_end, out_end;
    bool in_known, scan_known, out_known; /* the host knows that it is complete */
} buffers;

typedef struct model {
    trawl_ring ring;
    buffers slot[MOST_SEGMENTS];
    random_source random;
    bool fill, ranges; /* segments have several ranges */
    bool grows;        /* the ring is told of segments one by one */
    bool copy_out;     /* there are matches */
    double in, scan, out;
    bool two_channels;
    double now, in_free, scan_free, out_free;
    uint64_t left[MOST_SEGMENTS]; /* ranges of a segment that are not delivered */
    uint64_t delivered;           /* segments */
    uint64_t scans;
} model;

static double later(double left, double right) {
    return left > right ? left : right;
}

static void copy_in(model *with, buffers *slot, uint64_t segment) {
    assert_true(!with->fill || (slot->filled == segment + 1 && !slot->filling));
    assert_true(slot->scan_known); /* nothing reads the device's text any more */
    slot->loaded = segment + 1;
    double *channel = with->two_channels ? &with->in_free : &with->out_free;
    *channel = slot->in_end = later(with->now, *channel) + with->in;
    slot->in_known = false;
}

static void scan(model *with, buffers *slot, uint64_t segment) {
    assert_true(with->ring.strategy == TRAWL_STRATEGY_ZERO_COPY || slot->loaded == segment + 1);
    assert_true(slot->scan_known && slot->out_known && slot->output == 0);
    slot->output = segment + 1;
    with->scan_free = slot->scan_end =
        later(later(with->now, slot->in_end), with->scan_free) + with->scan;
    slot->scan_known = false;
    with->scans++;
}

static void await_scan(model *with, buffers *slot, uint64_t segment) {
    assert_false(slot->scan_known);
    with->now = later(with->now, slot->scan_end);
    slot->scan_known = slot->in_known = true;
    trawl_ring_scanned_as as = with->left[segment] > 1 ? TRAWL_RING_RANGE : TRAWL_RING_LAST_RANGE;
    bool matches = with->copy_out;
    if (with->ranges && random_chance(&with->random, 1, 3)) {
        as = TRAWL_RING_AGAIN;
        slot->output = 0;
    } else if (with->ranges) {
        matches = random_chance(&with->random, 1, 2);
    }
    trawl_ring_scanned(&with->ring, segment % with->ring.slots, as, matches);
}

static void copy_out(model *with, buffers *slot, uint64_t segment) {
    assert_true(slot->output == segment + 1 && slot->scan_known);
    with->out_free = slot->out_end = later(with->now, with->out_free) + with->out;
    slot->out_known = false;
}

static void perform(model *with, trawl_ring_action action);

static void deliver(model *with, buffers *slot, uint64_t segment) {
    assert_true(slot->output == segment + 1 && slot->out_known);
    assert_int_equal(segment, with->delivered);
    assert_true(with->left[segment] != 0);
    /* Work that is started meanwhile does not touch what is being delivered. */
    trawl_ring_action ahead;
    while (random_chance(&with->random, 1, 2) && trawl_ring_ahead(&with->ring, &ahead))
        perform(with, ahead);
    assert_true(slot->output == segment + 1 && slot->out_known);
    with->left[segment]--;
    with->delivered += with->left[segment] == 0;
    slot->output = 0;
    trawl_ring_delivered(&with->ring, segment % with->ring.slots);
}

static void await_fill(model *with, buffers *slot, uint64_t place) {
    assert_true(slot->filling);
    slot->filling = false;
    trawl_ring_filled(&with->ring, place);
}

static void perform(model *with, trawl_ring_action action) {
    buffers *slot = &with->slot[action.slot];
    assert_int_equal(action.slot, action.segment % with->ring.slots);
    switch (action.step) {
    case TRAWL_RING_FILL:
        assert_true(with->fill && slot->in_known); /* nothing is copied from it any more */
        assert_false(slot->filling);
        assert_true(slot->scan_known);
        slot->filled = action.segment + 1;
        slot->filling = true;
        break;
    case TRAWL_RING_AWAIT_FILL:
        await_fill(with, slot, action.slot);
        break;
    case TRAWL_RING_COPY_IN:
        copy_in(with, slot, action.segment);
        break;
    case TRAWL_RING_SCAN:
        scan(with, slot, action.segment);
        break;
    case TRAWL_RING_COPY_OUT:
        copy_out(with, slot, action.segment);
        break;
    case TRAWL_RING_DELIVER:
        deliver(with, slot, action.segment);
        break;
    case TRAWL_RING_AWAIT_COPY_IN:
        with->now = later(with->now, slot->in_end);
        slot->in_known = true;
        trawl_ring_copied_in(&with->ring, action.slot);
        break;
    case TRAWL_RING_AWAIT_SCAN:
        await_scan(with, slot, action.segment);
        break;
    case TRAWL_RING_AWAIT_COPY_OUT:
        with->now = later(with->now, slot->out_end);
        slot->out_known = true;
        trawl_ring_copied_out(&with->ring, action.slot);
        break;
    default:
        fail();
    }
}

/* Drives a ring to its end; returns the model's time. */
static double drive(model *with, trawl_strategy strategy, uint64_t segments, uint32_t wished) {
    trawl_error error;
    uint64_t slots = trawl_ring_slots(strategy, segments, wished, with->fill);
    assert_true(slots <= segments && slots <= MOST_SEGMENTS);
    assert_int_equal(trawl_ring_open(&with->ring, strategy, with->grows ? 0 : segments, slots,
                                     with->fill, &error),
                     TRAWL_OK);
    for (uint64_t i = 0; i < segments; i++) {
        with->left[i] = with->ranges ? random_between(&with->random, 1, 4) : 1;
        with->slot[i] = (buffers){.in_known = true, .scan_known = true, .out_known = true};
    }
    uint64_t actions = 0, early;
    for (;;) {
        /* Walkers check whether a scan is complete before they take the next step. */
        if (with->ranges && trawl_ring_scanning(&with->ring, &early) &&
            random_chance(&with->random, 1, 4))
            await_scan(with, &with->slot[early], with->ring.slot[early].input_segment);
        if (with->ranges && trawl_ring_filling(&with->ring, &early) &&
            random_chance(&with->random, 1, 4))
            await_fill(with, &with->slot[early], early);
        while (with->grows && with->ring.segments < segments && trawl_ring_hungry(&with->ring))
            trawl_ring_grow(&with->ring);
        trawl_ring_action action = trawl_ring_next(&with->ring);
        if (action.step == TRAWL_RING_FINISHED)
            break;
        perform(with, action);
        assert_true(++actions < 1000 * (segments + 1)); /* it comes to an end */
    }
    assert_int_equal(with->delivered, segments);
    trawl_ring_close(&with->ring);
    return with->now;
}

static const trawl_strategy strategies[] = {TRAWL_STRATEGY_RING, TRAWL_STRATEGY_A, TRAWL_STRATEGY_B,
                                            TRAWL_STRATEGY_ZERO_COPY};

static void every_strategy_delivers_everything_in_order(void **state) {
    (void)state;
    for (uint64_t number = 0; number < 4000; number++) {
        model with = {.random = random_for_case(random_seed(), number), .ranges = number % 5 != 0};
        with.fill = random_chance(&with.random, 1, 2);
        with.copy_out = random_chance(&with.random, 1, 2);
        with.two_channels = random_chance(&with.random, 1, 2);
        with.in = (double)random_below(&with.random, 10);
        with.scan = (double)random_below(&with.random, 10);
        with.out = (double)random_below(&with.random, 10);
        trawl_strategy strategy = strategies[random_below(&with.random, 4)];
        if (strategy == TRAWL_STRATEGY_ZERO_COPY)
            with.fill = false;
        with.grows = (strategy == TRAWL_STRATEGY_RING || strategy == TRAWL_STRATEGY_ZERO_COPY) &&
                     random_chance(&with.random, 1, 2);
        uint32_t wished = (uint32_t)random_below(&with.random, 6);
        drive(&with, strategy, random_below(&with.random, MOST_SEGMENTS + 1), wished);
        if (!with.ranges)
            assert_int_equal(with.scans, with.delivered);
    }
}

static double seconds(trawl_strategy strategy, uint64_t segments, uint32_t wished, double in,
                      double scanning, double out, bool two_channels) {
    model with = {
        .copy_out = true, .in = in, .scan = scanning, .out = out, .two_channels = two_channels};
    return drive(&with, strategy, segments, wished);
}

/* The model's times are what `trawl bench` predicts, and the ring is not worse than B. */
static void strategies_take_as_long_as_predicted(void **state) {
    (void)state;
    for (uint64_t segments = 1; segments < 20; segments += 1 + segments / 6)
        for (int in = 0; in <= 6; in++)
            for (int scanning = 0; scanning <= 6; scanning++)
                for (int out = 0; out <= 6; out++)
                    for (uint32_t channels = 1; channels <= 2; channels++) {
                        bool two = channels == 2;
                        double a = seconds(TRAWL_STRATEGY_A, segments, 0, in, scanning, out, two);
                        double b = seconds(TRAWL_STRATEGY_B, segments, 0, in, scanning, out, two);
                        double ring =
                            seconds(TRAWL_STRATEGY_RING, segments, 4, in, scanning, out, two);
                        transfer_times times = {in, scanning, out};
                        transfer_channels kind = (transfer_channels)channels;
                        assert_float_equal(a, transfer_model_a(&times, segments, kind), 1e-9);
                        assert_float_equal(b, transfer_model_b(&times, segments, kind), 1e-9);
                        assert_true(ring >= a - 1e-9 && ring <= b + 1e-9);
                    }
}

static void memory_is_bounded_by_slots(void **state) {
    (void)state;
    for (int fill = 0; fill <= 1; fill++) {
        assert_int_equal(trawl_ring_slots(TRAWL_STRATEGY_A, 1000, 3, fill), 1000);
        assert_int_equal(trawl_ring_slots(TRAWL_STRATEGY_B, 1000, 3, fill), 2);
        assert_int_equal(trawl_ring_slots(TRAWL_STRATEGY_B, 1, 3, fill), 1);
        assert_int_equal(trawl_ring_slots(TRAWL_STRATEGY_RING, 1000, 3, fill), 3);
        assert_int_equal(trawl_ring_slots(TRAWL_STRATEGY_RING, 2, 3, fill), 2);
        assert_int_equal(trawl_ring_slots(TRAWL_STRATEGY_RING, 1000, 0, fill),
                         fill ? TRAWL_RING_FILLED_SLOTS : TRAWL_RING_DEFAULT_SLOTS);
    }
}

static void strategies_have_names(void **state) {
    (void)state;
    trawl_error error;
    trawl_strategy strategy;
    for (size_t i = 0; i < 4; i++) {
        const char *name = trawl_strategy_name(strategies[i]);
        assert_int_equal(trawl_strategy_find(name, &strategy, &error), TRAWL_OK);
        assert_int_equal(strategy, strategies[i]);
    }
    assert_int_equal(trawl_strategy_find(NULL, &strategy, &error), TRAWL_OK);
    assert_int_equal(strategy, TRAWL_STRATEGY_RING);
    assert_int_equal(trawl_strategy_find("c", &strategy, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "zero-copy"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_strategy_delivers_everything_in_order),
        cmocka_unit_test(strategies_take_as_long_as_predicted),
        cmocka_unit_test(memory_is_bounded_by_slots),
        cmocka_unit_test(strategies_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
