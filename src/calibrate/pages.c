/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What it costs that the lines which a walk touches lie apart in a large table: the same number of
 * lines is walked side by side and spread over the table, in random order. */
#include "calibrate/pages.h"

#include "base/allocate.h"
#include "base/clock.h"
#include "base/random.h"
#include "scan/contract.h"

/* More lines than any TLB has pages, and few enough for the second-level
 * cache. The table is like one of an automaton of some 100,000 patterns. */
#define LINES 8192u
#define TABLE_BYTES ((size_t)256 << 20)
#define LINE_BYTES 64u
#define STEPS 262144u /* of each lane: about 10 ms */
#define ROUNDS 5u     /* the fastest one counts */
#define LEAST 0.01    /* nanoseconds */

typedef struct page_bench {
    uint8_t *table;
    uint32_t *order; /* of the lines, in which they are walked: numbers in units of `apart` */
    size_t apart;    /* bytes from one line to the next */
} page_bench;

/* The compiler may not leave out loads of lines whose numbers nobody uses. */
static volatile uint32_t *line_at(const page_bench *self, uint32_t number) {
    /* Not the same place in each page: such lines would share a few sets of the caches. */
    const size_t place = self->apart == LINE_BYTES
                             ? 0
                             : (number * UINT64_C(2654435761) >> 8) % (self->apart / LINE_BYTES);
    return (volatile uint32_t *)(void *)(self->table + number * self->apart + place * LINE_BYTES);
}

static void shuffle(uint32_t *order, uint64_t *random) {
    for (uint32_t i = 0; i < LINES; i++) {
        order[i] = i;
    }
    for (uint32_t i = LINES - 1; i > 0; i--) {
        const uint32_t other = (uint32_t)((trawl_random_next(random) >> 16) % (i + 1));
        const uint32_t kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

/* Each line has the number of the next one. */
static void link_lines(const page_bench *self) {
    for (uint32_t i = 0; i < LINES; i++) {
        *line_at(self, self->order[i]) = self->order[(i + 1) % LINES];
    }
}

/* Nanoseconds for a step of TRAWL_LANES walks that step in turn. */
static double time_steps(const page_bench *self) {
    uint32_t lanes[TRAWL_LANES];
    for (uint32_t i = 0; i < TRAWL_LANES; i++) {
        lanes[i] = self->order[i * (LINES / TRAWL_LANES)];
    }
    const double begin = trawl_thread_seconds();
    for (uint32_t step = 0; step < STEPS; step++) {
        for (uint32_t i = 0; i < TRAWL_LANES; i++) {
            lanes[i] = *line_at(self, lanes[i]);
        }
    }
    return (trawl_thread_seconds() - begin) * 1e9 / STEPS / TRAWL_LANES;
}

static double fastest_steps(page_bench *self, size_t apart) {
    double fastest = 1e9;
    self->apart = apart;
    link_lines(self);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const double nanoseconds = time_steps(self);
        fastest = nanoseconds < fastest ? nanoseconds : fastest;
    }
    return fastest;
}

trawl_status trawl_measure_page_walk(double *nanoseconds, trawl_error *error) {
    uint64_t random = UINT64_C(0x853c49e6748fea9b);
    page_bench self = {.table = trawl_allocate_table(TABLE_BYTES),
                       .order = trawl_allocate(LINES, sizeof(uint32_t))};
    trawl_status status = TRAWL_OK;
    if (self.table == NULL || self.order == NULL) {
        status = trawl_fail_memory(error, "measuring costs", TABLE_BYTES);
    } else {
        shuffle(self.order, &random);
        const double together = fastest_steps(&self, LINE_BYTES);
        const double spread = fastest_steps(&self, TABLE_BYTES / LINES);
        /* More than 0, which would stand for the built-in cost. */
        *nanoseconds = spread > together + LEAST ? spread - together : LEAST;
    }
    trawl_release(self.table);
    trawl_release(self.order);
    return status;
}
