/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/delivery.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"

trawl_status trawl_delivery_open(trawl_delivery *delivery, const trawl_db *db,
                                 const trawl_receiver *receiver, uint64_t *per_pattern,
                                 trawl_error *error) {
    memset(delivery, 0, sizeof *delivery);
    delivery->kind = (trawl_match_kind)db->header->match_kind;
    delivery->receiver = *receiver;
    delivery->per_pattern = per_pattern;
    if (delivery->kind == TRAWL_MATCH_ALL) {
        return TRAWL_OK;
    }
    delivery->selected = trawl_allocate(TRAWL_SELECTED_MOST, sizeof *delivery->selected);
    if (delivery->selected == NULL) {
        return trawl_fail_memory(error, "selecting matches",
                                 TRAWL_SELECTED_MOST * sizeof *delivery->selected);
    }
    return trawl_leftmost_open(&delivery->leftmost, db, error);
}

void trawl_delivery_close(trawl_delivery *delivery) {
    trawl_leftmost_close(&delivery->leftmost);
    trawl_release(delivery->selected);
    delivery->selected = NULL;
}

trawl_status trawl_delivery_reserve(trawl_delivery *delivery, trawl_error *error) {
    return delivery->kind == TRAWL_MATCH_ALL ? TRAWL_OK
                                             : trawl_leftmost_reserve(&delivery->leftmost, error);
}

void trawl_delivery_restart(trawl_delivery *delivery, uint64_t start) {
    if (delivery->kind != TRAWL_MATCH_ALL) {
        trawl_leftmost_restart(&delivery->leftmost, start);
        delivery->selected_count = 0;
    }
}

/* Calls the receiver with final matches, which are in canonical order. */
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

/* Delivers the matches that are final when every occurrence that ends at or before `end` has been
 * put. */
static trawl_status deliver_final(trawl_delivery *delivery, uint64_t end) {
    while (trawl_leftmost_take(&delivery->leftmost, end,
                               &delivery->selected[delivery->selected_count])) {
        delivery->selected_count++;
        if (delivery->selected_count == TRAWL_SELECTED_MOST) {
            trawl_status status = hand_out_selected(delivery);
            if (status != TRAWL_OK) {
                return status;
            }
        }
    }
    return TRAWL_OK;
}

static trawl_status select_leftmost(trawl_delivery *delivery, const trawl_match *match) {
    trawl_status status = deliver_final(delivery, match->end - 1);
    return status == TRAWL_OK ? trawl_leftmost_put(&delivery->leftmost, match) : status;
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

trawl_status trawl_delivery_settle(trawl_delivery *delivery, uint64_t end) {
    if (delivery->kind == TRAWL_MATCH_ALL) {
        return TRAWL_OK;
    }
    trawl_status status = deliver_final(delivery, end);
    return status == TRAWL_OK ? hand_out_selected(delivery) : status;
}

trawl_status trawl_delivery_finish(trawl_delivery *delivery) {
    return trawl_delivery_settle(delivery, UINT64_MAX);
}
