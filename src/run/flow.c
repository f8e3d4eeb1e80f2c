/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Flows: texts that come in pieces, with little state for each text. A flow keeps the last bytes of
 * its text; all other memory is the scanner's, which many flows share. A piece is searched in two
 * windows, as in a stream. The first one, the joint, is copied together in the scanner's memory;
 * the second one is the rest of the piece, where the caller has it.
 *
 *     joint      | kept | first bytes of the piece |
 *     piece             | overlap                  | owned by the second window        |
 *
 * For the leftmost kinds the kept bytes are searched again with each piece: matches that start
 * before them are decided, and those that start in them are found anew. So the state of the
 * selection is one offset, where the next match may start.
 *
 *     state      | offset, 8 bytes | next start, 8 bytes | kept bytes, max_length - 1 at most |
 *
 * With conditions, the byte before a match and the byte behind it count. Then one byte more is kept
 * before the overlap (trawl_db_overlap), and the last byte waits: matches that end with it are
 * searched when the next byte or the end of the text has come.
 */
#include "run/flow.h"

#include <string.h>

enum { OFFSET_AT = 0, NEXT_AT = 8, KEPT_AT = 16 };

typedef struct flow_state {
    uint64_t offset; /* bytes so far */
    uint64_t next;   /* leftmost kinds: where the next match may start */
    uint8_t *bytes;  /* kept: the last ones before `offset` */
    size_t kept;
} flow_state;

/* Bytes at the end that wait until the byte behind them is known. */
static size_t waiting_of(const trawl_db *db) {
    return db->conditions.records != NULL ? 1 : 0;
}

/* Bytes of a flow that are kept, at most. */
static size_t most_kept(const trawl_db *db) {
    return trawl_db_overlap(db) + waiting_of(db);
}

static flow_state read_state(const trawl_db *db, void *flow) {
    flow_state state = {.bytes = (uint8_t *)flow + KEPT_AT};
    memcpy(&state.offset, (const uint8_t *)flow + OFFSET_AT, sizeof state.offset);
    memcpy(&state.next, (const uint8_t *)flow + NEXT_AT, sizeof state.next);
    state.kept = state.offset < most_kept(db) ? (size_t)state.offset : most_kept(db);
    return state;
}

/* Writes the state: the last bytes of the text, which are in the kept ones and in the piece, and
 * the offsets. */
static void write_state(const trawl_db *db, void *flow, const flow_state *state,
                        const uint8_t *piece, size_t length) {
    uint64_t offset = state->offset + length;
    size_t keep = offset < most_kept(db) ? (size_t)offset : most_kept(db);
    size_t of_piece = length < keep ? length : keep;
    memmove(state->bytes, state->bytes + state->kept - (keep - of_piece), keep - of_piece);
    if (of_piece != 0) {
        memcpy(state->bytes + keep - of_piece, piece + length - of_piece, of_piece);
    }
    memcpy((uint8_t *)flow + OFFSET_AT, &offset, sizeof offset);
    memcpy((uint8_t *)flow + NEXT_AT, &state->next, sizeof state->next);
}

size_t trawl_flow_bytes(const trawl_db *db) {
    return KEPT_AT + (db == NULL ? 0 : most_kept(db));
}

void trawl_flow_start(void *flow) {
    if (flow != NULL) {
        memset(flow, 0, KEPT_AT);
    }
}

uint64_t trawl_flow_offset(const void *flow) {
    uint64_t offset = 0;
    if (flow != NULL) {
        memcpy(&offset, (const uint8_t *)flow + OFFSET_AT, sizeof offset);
    }
    return offset;
}

/* The two windows of a piece. A window without owned bytes is not walked. */
typedef struct flow_windows {
    trawl_window joint, rest;
    uint64_t searched; /* bytes of the text that were searched before these windows */
    uint64_t end;      /* bytes of the text that have been searched after them */
} flow_windows;

/* A window over `length` bytes of text without the last `waiting` ones. */
static trawl_window without_waiting(const uint8_t *text, size_t length, size_t waiting) {
    return (trawl_window){.text = text,
                          .length = length - waiting,
                          .one_text = true,
                          .goes_on = waiting != 0,
                          .next = waiting != 0 ? text[length - waiting] : 0};
}

/* Cuts a piece into its two windows. `again`: the kept bytes are owned too, for leftmost kinds. */
static flow_windows cut(const trawl_scanner *scanner, const flow_state *state,
                        const trawl_flow_piece *of, bool again) {
    const uint8_t *piece = of->bytes;
    size_t length = of->length;
    size_t most = most_kept(scanner->db), waiting = waiting_of(scanner->db);
    size_t waited = state->kept == 0 ? 0 : waiting;
    size_t waits = of->ends || state->offset + length == 0 ? 0 : waiting;
    flow_windows windows = {.searched = state->offset - waited,
                            .end = state->offset + length - waits};
    size_t joint = state->kept == 0 ? 0 : length < most ? length : most;
    if (state->kept != 0) {
        memcpy(scanner->joint, state->bytes, state->kept);
        if (joint != 0) {
            memcpy(scanner->joint + state->kept, piece, joint);
        }
        windows.joint =
            without_waiting(scanner->joint, state->kept + joint, joint < length ? waiting : waits);
        windows.joint.owned = again ? 0 : state->kept - waited;
        windows.joint.base = state->offset - state->kept;
    }
    if (joint < length) {
        windows.rest = without_waiting(piece, length, waits);
        windows.rest.owned = joint == 0 ? 0 : joint - waiting;
        windows.rest.base = state->offset;
    }
    return windows;
}

/* Walks both windows with the scanner, and delivers the last matches of its sink. */
static trawl_status walk_here(trawl_scanner *scanner, const flow_windows *windows) {
    trawl_scanner_sink into = {.sink = {.matches = scanner->matches,
                                        .capacity = TRAWL_SCANNER_BATCH,
                                        .flush = trawl_scanner_deliver},
                               .scanner = scanner};
    trawl_status status = trawl_scanner_walk(scanner, &windows->joint, &into, NULL);
    if (status == TRAWL_OK) {
        status = trawl_scanner_walk(scanner, &windows->rest, &into, NULL);
    }
    return status == TRAWL_OK && into.sink.count != 0 ? trawl_scanner_deliver(&into.sink) : status;
}

/* The same with the threads of a run. */
static trawl_status walk_with_threads(trawl_run *run, const flow_windows *windows) {
    trawl_status status = trawl_run_window(run, &windows->joint, NULL);
    return status == TRAWL_OK ? trawl_run_window(run, &windows->rest, NULL) : status;
}

/* Selects the leftmost matches of a piece, from `start` on, up to where later pieces decide. */
static trawl_status select_in(trawl_scanner *scanner, trawl_run *run, const flow_windows *windows,
                              uint64_t start, bool ends) {
    trawl_delivery *delivery = run == NULL ? &scanner->delivery : &run->delivery;
    trawl_delivery_restart(delivery, start);
    trawl_status status =
        run == NULL ? walk_here(scanner, windows) : walk_with_threads(run, windows);
    if (status == TRAWL_OK) {
        status =
            ends ? trawl_delivery_finish(delivery) : trawl_delivery_settle(delivery, windows->end);
    }
    return status;
}

trawl_status trawl_flow_search(trawl_scanner *scanner, trawl_run *run, void *flow,
                               const trawl_flow_piece *piece, const trawl_receiver *receiver,
                               uint64_t *per_pattern) {
    trawl_delivery *delivery = run == NULL ? &scanner->delivery : &run->delivery;
    flow_state state = read_state(scanner->db, flow);
    bool selects = delivery->kind != TRAWL_MATCH_ALL;
    flow_windows windows = cut(scanner, &state, piece, selects);
    uint64_t start = scanner->db->header->max_length - 1; /* the first start that is undecided */
    start = windows.searched < start ? 0 : windows.searched - start;
    delivery->receiver = *receiver;
    delivery->per_pattern = per_pattern;
    delivery->delivered = 0;
    start = state.next > start ? state.next : start;
    trawl_status status = select_in(scanner, run, &windows, start, piece->ends);
    if (status == TRAWL_STOPPED && selects && run == NULL) {
        /* Matches that are not delivered cover text all the same: later ones do not overlap them.
         * (A stream, which has a run, does not go on after a stop.) */
        delivery->receiver = (trawl_receiver){.context = NULL};
        delivery->per_pattern = NULL;
        (void)select_in(scanner, run, &windows, start, piece->ends);
    }
    state.next = selects ? delivery->leftmost.next : 0;
    write_state(scanner->db, flow, &state, piece->bytes, piece->length);
    return status;
}

/* Whether a call has what it needs. */
static bool is_complete(const trawl_scanner *scanner, const void *flow, const void *piece,
                        size_t length) {
    return scanner != NULL && flow != NULL && (piece != NULL || length == 0);
}

/* The piece of a flow that goes on. */
static trawl_flow_piece piece_of(const void *bytes, size_t length) {
    return (trawl_flow_piece){.bytes = bytes, .length = length};
}

trawl_status trawl_flow_scan(trawl_scanner *scanner, void *flow, const void *piece, size_t length,
                             trawl_on_matches on_matches, void *context) {
    const trawl_receiver receiver = {.on_matches = on_matches, .context = context};
    const trawl_flow_piece next = piece_of(piece, length);
    if (!is_complete(scanner, flow, piece, length)) {
        return TRAWL_ERROR_ARGUMENT;
    }
    return trawl_flow_search(scanner, NULL, flow, &next, &receiver, NULL);
}

uint64_t trawl_flow_count(trawl_scanner *scanner, void *flow, const void *piece, size_t length,
                          uint64_t *per_pattern) {
    const trawl_flow_piece next = piece_of(piece, length);
    if (!is_complete(scanner, flow, piece, length)) {
        return 0;
    }
    if (scanner->delivery.kind != TRAWL_MATCH_ALL || per_pattern != NULL ||
        waiting_of(scanner->db) != 0) {
        const trawl_receiver nobody = {.context = NULL};
        (void)trawl_flow_search(scanner, NULL, flow, &next, &nobody, per_pattern);
        return scanner->delivery.delivered;
    }
    flow_state state = read_state(scanner->db, flow);
    flow_windows windows = cut(scanner, &state, &next, false);
    uint64_t total = 0;
    (void)trawl_scanner_count_window(scanner, &windows.joint, &total, NULL);
    (void)trawl_scanner_count_window(scanner, &windows.rest, &total, NULL);
    write_state(scanner->db, flow, &state, piece, length);
    return total;
}

size_t trawl_flow_which(trawl_scanner *scanner, void *flow, const void *piece, size_t length,
                        uint32_t *ids, size_t capacity) {
    if (!is_complete(scanner, flow, piece, length)) {
        return 0;
    }
    const trawl_receiver receiver = trawl_scanner_note_ids(scanner, ids, capacity);
    const trawl_flow_piece next = piece_of(piece, length);
    (void)trawl_flow_search(scanner, NULL, flow, &next, &receiver, NULL);
    return scanner->found;
}

trawl_status trawl_flow_finish(trawl_scanner *scanner, void *flow, trawl_on_matches on_matches,
                               void *context) {
    const trawl_receiver receiver = {.on_matches = on_matches, .context = context};
    trawl_status status = TRAWL_OK;
    if (!is_complete(scanner, flow, NULL, 0)) {
        return TRAWL_ERROR_ARGUMENT;
    }
    if (scanner->delivery.kind != TRAWL_MATCH_ALL || waiting_of(scanner->db) != 0) {
        const trawl_flow_piece end = {.ends = true};
        status = trawl_flow_search(scanner, NULL, flow, &end, &receiver, NULL);
    }
    trawl_flow_start(flow);
    return status;
}
