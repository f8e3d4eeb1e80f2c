#include "run/delivery.h"

#include <string.h>

#include "common/allocate.h"
#include "common/status.h"

trawl_status trawl_delivery_open(trawl_delivery *delivery, trawl_match_kind kind, size_t max_length,
                                 trawl_on_match on_match, void *context, uint64_t *per_pattern,
                                 trawl_error *error) {
    memset(delivery, 0, sizeof *delivery);
    delivery->kind = kind;
    delivery->on_match = on_match;
    delivery->context = context;
    delivery->per_pattern = per_pattern;
    delivery->max_length = max_length;
    if (kind != TRAWL_MATCH_ALL) {
        size_t ring = 1;
        while (ring < max_length) {
            ring *= 2;
        }
        delivery->mask = ring - 1;
        delivery->candidates = trawl_allocate_zeroed(ring, sizeof *delivery->candidates);
        if (delivery->candidates == NULL) {
            return trawl_fail_memory(error, "selecting matches",
                                     ring * sizeof *delivery->candidates);
        }
    }
    return TRAWL_OK;
}

void trawl_delivery_close(trawl_delivery *delivery) {
    trawl_release(delivery->candidates);
    delivery->candidates = NULL;
}

static inline trawl_status deliver(trawl_delivery *delivery, const trawl_match *match) {
    delivery->delivered++;
    if (delivery->per_pattern != NULL) {
        delivery->per_pattern[match->pattern]++;
    }
    if (delivery->on_match != NULL && delivery->on_match(match, delivery->context) != 0) {
        return TRAWL_STOPPED;
    }
    return TRAWL_OK;
}

/*
 * Every occurrence that ends at or before `end` has been put. So the candidate at offset s is final
 * once s + max_length <= end: nothing longer or of lower id can begin there any more.
 */
static trawl_status settle(trawl_delivery *delivery, uint64_t end) {
    while (delivery->pending != 0 && delivery->next + delivery->max_length <= end) {
        trawl_candidate *candidate = &delivery->candidates[delivery->next & delivery->mask];
        if (candidate->length == 0) {
            delivery->next++;
            continue;
        }
        trawl_match match = {.start = delivery->next,
                             .end = delivery->next + candidate->length,
                             .pattern = candidate->pattern};
        for (; delivery->next < match.end; delivery->next++) { /* what overlaps it is passed over */
            trawl_candidate *passed = &delivery->candidates[delivery->next & delivery->mask];
            delivery->pending -= passed->length != 0;
            passed->length = 0;
        }
        trawl_status status = deliver(delivery, &match);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    if (delivery->pending == 0 && delivery->next + delivery->max_length <= end) {
        delivery->next = end - delivery->max_length + 1;
    }
    return TRAWL_OK;
}

static trawl_status select_leftmost(trawl_delivery *delivery, const trawl_match *match) {
    trawl_status status = settle(delivery, match->end - 1);
    if (status != TRAWL_OK || match->start < delivery->next) {
        return status;
    }
    trawl_candidate *candidate = &delivery->candidates[match->start & delivery->mask];
    uint32_t length = (uint32_t)(match->end - match->start);
    if (candidate->length == 0) {
        delivery->pending++;
        *candidate = (trawl_candidate){length, match->pattern};
    } else if (delivery->kind == TRAWL_MATCH_LEFTMOST_FIRST ? match->pattern < candidate->pattern
                                                            : length > candidate->length) {
        *candidate = (trawl_candidate){length, match->pattern};
    }
    return TRAWL_OK;
}

trawl_status trawl_delivery_put(trawl_delivery *delivery, const trawl_match *matches,
                                size_t count) {
    trawl_status status = TRAWL_OK;
    if (delivery->kind == TRAWL_MATCH_ALL) {
        for (size_t i = 0; i < count && status == TRAWL_OK; i++) {
            status = deliver(delivery, &matches[i]);
        }
    } else {
        for (size_t i = 0; i < count && status == TRAWL_OK; i++) {
            status = select_leftmost(delivery, &matches[i]);
        }
    }
    return status;
}

trawl_status trawl_delivery_finish(trawl_delivery *delivery) {
    return delivery->kind == TRAWL_MATCH_ALL ? TRAWL_OK : settle(delivery, UINT64_MAX);
}
