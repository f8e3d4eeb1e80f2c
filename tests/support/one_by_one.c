/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "one_by_one.h"

#include "base/clock.h"

#include <stdalign.h>
#include <stdint.h>

/* STEP and CHAIN have no common divisor, so that the chain visits every condition; the distance is
 * large, so that no prefetcher follows it. ROUNDS take about a millisecond. */
enum { CHAIN = 1000, STEP = 377, ROUNDS = 200, LINE = 64 };

/* One cache line, as the next pattern is in an engine's tables. */
typedef struct link {
    alignas(LINE) const struct link *next;
    uint64_t min_start, max_end;
} link;

static const link *make_chain(void) {
    static link links[CHAIN];
    for (unsigned i = 0; i < CHAIN; i++) {
        unsigned next = (i + STEP) % CHAIN;
        links[i] = (link){.next = next == 0 ? 0 : &links[next], .min_start = i, .max_end = CHAIN};
    }
    return links;
}

double one_by_one_seconds(void) {
    const link *first = make_chain();
    volatile uint64_t counted = 0;
    double begin = trawl_process_seconds();
    for (uint64_t position = 0; position < ROUNDS; position++) {
        uint64_t count = 0;
        for (const link *one = first; one; one = one->next)
            count += position >= one->min_start && position < one->max_end;
        counted = counted + count;
    }
    return (trawl_process_seconds() - begin) / ROUNDS;
}
