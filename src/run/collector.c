/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/collector.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"

/* Matches that the first array has room for: 24 KB. It trades memory for small results against
 * enlarging the array for large ones; no measurement chose it. */
#define FIRST_MATCHES ((size_t)1024)

static trawl_status grow(trawl_sink *sink) {
    return trawl_collector_reserve((trawl_collector *)sink, 1) ? TRAWL_OK : TRAWL_ERROR_MEMORY;
}

void trawl_collector_open(trawl_collector *collector, trawl_match *memory) {
    *collector =
        (trawl_collector){.sink = {.matches = memory,
                                   .capacity = trawl_array_capacity(memory, sizeof *memory),
                                   .grows = true,
                                   .flush = grow}};
}

bool trawl_collector_reserve(trawl_collector *collector, size_t count) {
    trawl_sink *sink = &collector->sink;
    if (count <= sink->capacity - sink->count) {
        return true;
    }
    /* Doubling the array costs no memory before it is used: pages that have not been written to are
     * not backed by memory. */
    size_t capacity = sink->capacity < FIRST_MATCHES ? FIRST_MATCHES : 2 * sink->capacity;
    if (capacity - sink->count < count) {
        capacity = sink->count + count;
    }
    size_t room;
    trawl_match *moved = trawl_array_grow(sink->matches, capacity, sizeof *moved, &room);
    if (moved == NULL) {
        collector->failed = true;
        collector->wanted = capacity;
        return false;
    }
    sink->matches = moved;
    sink->capacity = room;
    return true;
}

int trawl_collector_append(const trawl_match *matches, size_t count, void *context) {
    trawl_collector *collector = context;
    if (!trawl_collector_reserve(collector, count)) {
        return 1;
    }
    memcpy(collector->sink.matches + collector->sink.count, matches, count * sizeof *matches);
    collector->sink.count += count;
    return 0;
}

trawl_status trawl_collector_explain(const trawl_collector *collector, trawl_status status,
                                     trawl_error *error) {
    return collector->failed ? trawl_fail_memory(error, "collected matches",
                                                 (uint64_t)collector->wanted * sizeof(trawl_match))
                             : status;
}
