/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Excludes ends at which no match can fulfil its condition, without testing each match. (Of the
 * patterns a, aa, ... up to 2,000 bytes, each with boundaries, 2,000 end at each position of a long
 * run of a's, and nearly none of them counts.)
 *
 * Right boundaries: the gate of a key's chain is closed (database/outputs.h).
 *
 * Left boundaries: a start is open if the byte before it is no member of some left boundary, so
 * that a match may begin there. All matches that end at a position start at or behind the start of
 * the longest key. If no start from there on is open, none of them counts:
 *
 *     text      . a a a a a a a a a a
 *     starts      ^ open: the byte before it, '.', is not in the boundary class
 *     keys                [=========)    the longest key that ends here begins behind the last
 *                           [=======)    open start; so do all shorter ones
 */
#include "pattern/conditions.h"
#include "scan/emission.h"

static bool is_open(const trawl_outputs *outputs, const trawl_window *window, size_t start) {
    return start == 0 || (outputs->outside[window->text[start - 1]] & outputs->left) != 0;
}

/* Looks for an open start from `until` - 1 down to `from`. */
static size_t find_open(const trawl_outputs *outputs, const trawl_window *window, size_t from,
                        size_t until) {
    while (until > from) {
        if (is_open(outputs, window, --until)) {
            return until;
        }
    }
    return TRAWL_NO_START;
}

/* Whether no start in [start, end) is open. Ends ascend, so that no byte is looked at twice. */
static bool starts_closed(const trawl_outputs *outputs, const trawl_window *window,
                          trawl_last_start *last, size_t start, size_t end) {
    size_t from = start > last->end ? start : last->end;
    size_t open = find_open(outputs, window, from, end);
    if (open != TRAWL_NO_START) {
        *last = (trawl_last_start){.from = open, .end = end, .open = open};
    } else if (start > last->end) {
        *last = (trawl_last_start){.from = start, .end = end, .open = TRAWL_NO_START};
    } else {
        last->end = end;
    }
    if (last->open == TRAWL_NO_START && start < last->from) {
        last->open = find_open(outputs, window, start, last->from);
        last->from = start;
    }
    return last->open == TRAWL_NO_START || last->open < start;
}

bool trawl_gates_pass_over(const trawl_outputs *outputs, const trawl_window *window,
                           trawl_last_start *last, size_t end, uint32_t key) {
    if (trawl_gate_closed(outputs, window, end, key)) {
        return true;
    }
    /* A key without shorter ones is one match or a few, which are tested later anyway. */
    const trawl_key_record *record = &outputs->records[key];
    return window->one_text && (outputs->left & 1u << TRAWL_CLASS_NONE) == 0 &&
           record->link != TRAWL_NO_KEY &&
           starts_closed(outputs, window, last, end - record->length, end);
}

size_t trawl_gates_keep(const trawl_outputs *outputs, const trawl_window *window, size_t begin,
                        trawl_ending_event *events, size_t count) {
    trawl_last_start last = TRAWL_LAST_START;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const trawl_ending_event event = events[i];
        events[kept] = event;
        kept += !trawl_gates_pass_over(outputs, window, &last, begin + event.position, event.key);
    }
    return kept;
}
