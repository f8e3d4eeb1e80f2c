/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/gpu/group_cpu.h"

#include "base/allocate.h"
#include "base/read_source.h"
#include "run/case_pair.h"
#include "run/fallback.h"
#include "run/pieces.h"

/* Matches that a segment gathers before it waits for its turn. */
#define GATHERED ((size_t)1 << 14)

typedef struct turn_sink {
    trawl_sink sink;
    const trawl_group_scan *scan;
    uint64_t segment;
    bool here;  /* it is the segment's turn */
    bool never; /* the segment's turn never comes */
} turn_sink;

static trawl_status await_turn(turn_sink *self) {
    if (!self->here && trawl_share_await(self->scan->share, self->segment, 0) != TRAWL_TURN_HERE) {
        self->never = true;
        return TRAWL_STOPPED;
    }
    self->here = true;
    return TRAWL_OK;
}

static trawl_status flush(trawl_sink *sink) {
    turn_sink *self = (turn_sink *)sink;
    trawl_status status = await_turn(self);
    for (size_t i = 0; status == TRAWL_OK && i < sink->count; i++) {
        const trawl_match *match = &sink->matches[i];
        status = trawl_sink_put(self->scan->sink, match->start, match->end, match->pattern);
    }
    sink->count = 0;
    return status;
}

static trawl_status open_walker(trawl_group_cpu *self, const trawl_group_scan *scan,
                                trawl_error *error) {
    trawl_status status = TRAWL_OK;
    if (self->walker == NULL) {
        status = trawl_case_pair_walker_of(scan->db)->open(scan->db, scan->options, &self->walker,
                                                           error);
        if (status != TRAWL_OK) {
            self->walker = NULL;
            return status;
        }
        self->walker->threads = 1;
        trawl_fallback_offer(self->walker);
    }
    if (scan->sink != NULL && self->matches == NULL) {
        self->matches = trawl_allocate(GATHERED, sizeof *self->matches);
        if (self->matches == NULL) {
            return trawl_fail_memory(error, "matches", GATHERED * sizeof *self->matches);
        }
    }
    if (scan->per_pattern && self->counts.per_pattern == NULL) {
        size_t count = scan->db->patterns.count;
        self->counts.per_pattern = trawl_allocate_zeroed(count, sizeof(uint64_t));
        if (self->counts.per_pattern == NULL) {
            return trawl_fail_memory(error, "counting patterns", count * sizeof(uint64_t));
        }
    }
    return TRAWL_OK;
}

/* Brings bytes [from, to) of the window into *part; the first part->owned bytes are the overlap. If
 * reading fails, *part has the bytes before the failure, and *reached is where they end. */
static trawl_status bring(trawl_group_cpu *self, const trawl_group_scan *scan, uint64_t from,
                          uint64_t to, uint64_t segment, trawl_window *part, uint64_t *reached,
                          trawl_error *error) {
    const trawl_window *window = scan->window;
    part->base = window->base + from;
    part->length = (size_t)(to - from);
    *reached = to;
    if (window->reading == NULL) {
        part->text = window->text + from;
        return TRAWL_OK;
    }
    if (self->buffer_bytes < part->length) {
        trawl_release(self->buffer);
        self->buffer = trawl_allocate(part->length, 1);
        self->buffer_bytes = self->buffer == NULL ? 0 : part->length;
        if (self->buffer == NULL) {
            return trawl_fail_memory(error, "reading a text", part->length);
        }
    }
    trawl_error reading;
    size_t filled = 0;
    trawl_status status = trawl_read_source(window->reading->source, part->base, self->buffer,
                                            part->length, &filled, &reading);
    part->text = self->buffer;
    if (status != TRAWL_OK) {
        *reached = from + filled;
        part->length = filled;
        trawl_share_end(scan->share, segment, *reached, status, &reading);
    }
    return TRAWL_OK;
}

/* Scans bytes [begin, end) of the window. */
static trawl_status scan_piece(trawl_group_cpu *self, const trawl_group_scan *scan,
                               uint64_t segment, uint64_t begin, uint64_t end, turn_sink *sink,
                               uint64_t *reached, trawl_error *error) {
    uint64_t overlap = trawl_db_overlap(scan->db);
    uint64_t from = begin < overlap ? 0 : begin - overlap;
    trawl_window part = {.owned = (size_t)(begin - from)};
    trawl_status status = bring(self, scan, from, end, segment, &part, reached, error);
    if (status != TRAWL_OK || part.length <= part.owned) {
        return status;
    }
    self->bytes += part.length - part.owned;
    return scan->sink == NULL ? self->walker->type->count(self->walker, &part, &self->counts, error)
                              : self->walker->type->scan(self->walker, &part, &sink->sink, error);
}

static trawl_status scan_segment(trawl_group_cpu *self, const trawl_group_scan *scan,
                                 uint64_t index, uint64_t from, turn_sink *sink,
                                 trawl_error *error) {
    trawl_segment segment = trawl_segments_at(&scan->share->segments, index);
    size_t overlap = trawl_db_overlap(scan->db);
    size_t least = overlap * TRAWL_RUN_PIECE_FACTOR;
    size_t piece = least > TRAWL_RUN_PIECE ? least : TRAWL_RUN_PIECE;
    uint64_t begin = from < segment.owned ? segment.owned : from;
    trawl_status status = open_walker(self, scan, error);
    sink->sink.matches = self->matches;
    while (status == TRAWL_OK && begin < segment.end) {
        uint64_t end = segment.end - begin < piece ? segment.end : begin + piece;
        uint64_t reached;
        status = scan_piece(self, scan, index, begin, end, sink, &reached, error);
        begin = reached < end ? segment.end : end; /* the text ends where reading failed */
    }
    if (status == TRAWL_OK && scan->sink != NULL) {
        status = flush(&sink->sink);
        if (status == TRAWL_OK) {
            trawl_share_delivered(scan->share);
        }
    }
    return status;
}

void trawl_group_cpu_scan(trawl_group_cpu *self, const trawl_group_scan *scan, uint64_t segment,
                          uint64_t from) {
    trawl_error error = {.status = TRAWL_OK};
    turn_sink sink = {
        .sink = {.capacity = GATHERED, .flush = flush}, .scan = scan, .segment = segment};
    trawl_status status = scan_segment(self, scan, segment, from, &sink, &error);
    if (status != TRAWL_OK && !sink.never) {
        trawl_share_fail(scan->share, status, &error);
    }
}

void trawl_group_cpu_run(trawl_group_cpu *self, const trawl_group_scan *scan) {
    uint64_t segment;
    while (trawl_share_take(scan->share, &segment)) {
        trawl_group_cpu_scan(self, scan, segment, 0);
    }
}

void trawl_group_cpu_settle(trawl_group_cpu *self) {
    if (self->walker != NULL && self->counts.per_pattern != NULL &&
        self->walker->type->settle != NULL) {
        self->walker->type->settle(self->walker, &self->counts);
    }
}

void trawl_group_cpu_close(trawl_group_cpu *self) {
    if (self->walker != NULL) {
        self->walker->type->close(self->walker);
    }
    trawl_release(self->buffer);
    trawl_release(self->matches);
    trawl_release(self->counts.per_pattern);
    *self = (trawl_group_cpu){0};
}
