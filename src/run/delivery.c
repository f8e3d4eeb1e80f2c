/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/delivery.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"

trawl_status trawl_delivery_open(trawl_delivery *delivery, trawl_match_kind kind, size_t max_length,
                                 const trawl_receiver *receiver, uint64_t *per_pattern,
                                 trawl_error *error) {
    memset(delivery, 0, sizeof *delivery);
    delivery->kind = kind;
    delivery->receiver = *receiver;
    delivery->per_pattern = per_pattern;
    delivery->max_length = max_length;
    if (kind != TRAWL_MATCH_ALL) {
        size_t ring = 1;
        while (ring < max_length) {
            ring *= 2;
        }
        delivery->mask = ring - 1;
        delivery->candidates = trawl_allocate_zeroed(ring, sizeof *delivery->candidates);
        delivery->selected = trawl_allocate(TRAWL_SELECTED_MOST, sizeof *delivery->selected);
        if (delivery->candidates == NULL || delivery->selected == NULL) {
            return trawl_fail_memory(error, "selecting matches",
                                     ring * sizeof *delivery->candidates +
                                         TRAWL_SELECTED_MOST * sizeof *delivery->selected);
        }
    }
    return TRAWL_OK;
}

void trawl_delivery_close(trawl_delivery *delivery) {
    trawl_release(delivery->candidates);
    trawl_release(delivery->selected);
    delivery->candidates = NULL;
    delivery->selected = NULL;
}

/* Matches that are certain, in order, go to whoever receives them. */
static trawl_status hand_out(trawl_delivery *delivery, const trawl_match *matches, size_t count) {
    const trawl_receiver *receiver = &delivery->receiver;
    trawl_status status = TRAWL_OK;
    if (receiver->on_match != NULL) {
        for (size_t i = 0; i < count && status == TRAWL_OK; i++) {
            delivery->delivered++;
            if (receiver->on_match(&matches[i], receiver->context) != 0) {
                status = TRAWL_STOPPED;
                count = i + 1;
            }
        }
    } else {
        delivery->delivered += count;
        if (count != 0 && receiver->on_matches != NULL &&
            receiver->on_matches(matches, count, receiver->context) != 0) {
            status = TRAWL_STOPPED;
        }
    }
    if (delivery->per_pattern != NULL) {
        for (size_t i = 0; i < count; i++) {
            delivery->per_pattern[matches[i].pattern]++;
        }
    }
    return status;
}

static trawl_status hand_out_selected(trawl_delivery *delivery) {
    size_t count = delivery->selected_count;
    delivery->selected_count = 0;
    return hand_out(delivery, delivery->selected, count);
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
        delivery->selected[delivery->selected_count++] = match;
        if (delivery->selected_count == TRAWL_SELECTED_MOST) {
            trawl_status status = hand_out_selected(delivery);
            if (status != TRAWL_OK) {
                return status;
            }
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
    if (delivery->kind == TRAWL_MATCH_ALL) {
        return hand_out(delivery, matches, count);
    }
    trawl_status status = TRAWL_OK;
    for (size_t i = 0; i < count && status == TRAWL_OK; i++) {
        status = select_leftmost(delivery, &matches[i]);
    }
    return status == TRAWL_OK ? hand_out_selected(delivery) : status;
}

trawl_status trawl_delivery_finish(trawl_delivery *delivery) {
    if (delivery->kind == TRAWL_MATCH_ALL) {
        return TRAWL_OK;
    }
    trawl_status status = settle(delivery, UINT64_MAX);
    return status == TRAWL_OK ? hand_out_selected(delivery) : status;
}
