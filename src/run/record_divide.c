/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Assigns the matches of a stretch to its records, and makes results of them. */
#include "database/conditions.h"
#include "database/groups.h"
#include "run/record_layout.h"
#include "scan/prepared_matches.h"

/* ------------------------------------------------------------------ results */

void trawl_record_mark(const trawl_record_task *task, uint64_t record) {
    if (task->bytes != NULL) {
        task->bytes[record] = 1;
    }
    if (task->bits != NULL) {
        uint8_t bit = (uint8_t)(1u << (record % 8));
        if (task->shared) { /* another thread may write a bit of the same byte */
            (void)__atomic_fetch_or(&task->bits[record / 8], bit, __ATOMIC_RELAXED);
        } else {
            task->bits[record / 8] |= bit;
        }
    }
}

static trawl_status emit(trawl_record_worker *worker, const trawl_match *match, uint64_t record) {
    if (worker->batch.count == worker->batch.capacity) {
        trawl_status status = worker->flush(worker);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    worker->batch.items[worker->batch.count++] =
        (trawl_record_match){.record = record,
                             .start = match->start - worker->at.begin,
                             .end = match->end - worker->at.begin,
                             .pattern = match->pattern};
    return TRAWL_OK;
}

/* Whether a pattern or group is seen for the first time in this record. */
static bool is_new(const trawl_record_worker *worker, uint32_t *seen, uint32_t index) {
    bool new = seen[index] != worker->scanner->turn;
    seen[index] = worker->scanner->turn;
    return new;
}

static void count_patterns(const trawl_record_worker *worker, const trawl_match *matches,
                           size_t number) {
    uint64_t *matches_of = worker->counters[TRAWL_COUNT_PATTERNS];
    uint64_t *records_of = worker->counters[TRAWL_COUNT_PATTERN_IN_RECORDS];
    const bool *counted = worker->task->counted;
    for (size_t i = 0; counted[TRAWL_COUNT_PATTERNS] && i < number; i++) {
        matches_of[matches[i].pattern]++;
    }
    for (size_t i = 0; counted[TRAWL_COUNT_PATTERN_IN_RECORDS] && i < number; i++) {
        uint32_t id = matches[i].pattern;
        records_of[id] += is_new(worker, worker->scanner->seen, id);
    }
}

static void count_groups(const trawl_record_worker *worker, const trawl_match *matches,
                         size_t number) {
    const trawl_group_view *groups = &worker->scanner->db->groups;
    uint64_t *matches_of = worker->counters[TRAWL_COUNT_GROUPS];
    uint64_t *records_of = worker->counters[TRAWL_COUNT_GROUP_IN_RECORDS];
    const bool *counted = worker->task->counted;
    for (size_t i = 0; counted[TRAWL_COUNT_GROUPS] && i < number; i++) {
        matches_of[trawl_group_index(groups, matches[i].pattern)]++;
    }
    for (size_t i = 0; counted[TRAWL_COUNT_GROUP_IN_RECORDS] && i < number; i++) {
        uint32_t index = trawl_group_index(groups, matches[i].pattern);
        records_of[index] += is_new(worker, worker->group_seen, index);
    }
}

static void count(trawl_record_worker *worker, const trawl_match *matches, size_t number,
                  uint64_t record) {
    const trawl_record_task *task = worker->task;
    worker->total += number;
    if (task->per_record != NULL) {
        task->per_record[record] += number;
    }
    if (task->any_counted) {
        count_patterns(worker, matches, number);
        count_groups(worker, matches, number);
    }
}

/* Emits the groups of matches that are new in this record. */
static trawl_status emit_groups(trawl_record_worker *worker, const trawl_match *matches,
                                size_t number, uint64_t record) {
    const trawl_group_view *groups = &worker->scanner->db->groups;
    trawl_status status = TRAWL_OK;
    for (size_t i = 0; status == TRAWL_OK && i < number; i++) {
        trawl_match match = matches[i];
        uint32_t index = trawl_group_index(groups, match.pattern);
        if (is_new(worker, worker->group_seen, index)) {
            match.pattern = trawl_group_of_index(groups, index);
            status = emit(worker, &match, record);
        }
    }
    return status;
}

/* Makes results of matches of the current record: one or more, in order. */
static trawl_status take(trawl_record_worker *worker, const trawl_match *matches, size_t number) {
    const trawl_record_question question = worker->task->question;
    uint64_t record = worker->stretch.first + worker->at.index;
    trawl_status status = TRAWL_OK;
    if (question == TRAWL_RECORDS_ANY) {
        if (!worker->at.found) {
            worker->at.found = true;
            worker->total++;
            worker->behind += worker->at.end - matches[0].end;
            trawl_record_mark(worker->task, record);
        }
    } else if (question == TRAWL_RECORDS_COUNT) {
        count(worker, matches, number, record);
    } else if (question == TRAWL_RECORDS_WHICH) {
        status = emit_groups(worker, matches, number, record);
    } else {
        for (size_t i = 0; status == TRAWL_OK && i < number; i++) {
            status = emit(worker, &matches[i], record);
        }
    }
    worker->status = status;
    return status;
}

static int take_selected(const trawl_match *matches, size_t number, void *context) {
    return take(context, matches, number) != TRAWL_OK;
}

/* ------------------------------------------------------------------ from a stretch to records */

/* The sink of a stretch. */
typedef struct stretch_sink {
    trawl_scanner_sink into;
    trawl_record_worker *worker;
} stretch_sink;

bool trawl_record_worker_is_plain(const trawl_record_worker *worker) {
    return worker->scanner->delivery.kind == TRAWL_MATCH_ALL &&
           worker->scanner->db->conditions.records == NULL;
}

static bool selects(const trawl_record_worker *worker) {
    return worker->scanner->delivery.kind != TRAWL_MATCH_ALL;
}

/* Makes record `index` the current one. It owns matches that end in (begin, end]. */
static inline void move(const trawl_record_stretch *stretch, trawl_record_place *at,
                        uint64_t index) {
    at->index = index;
    at->begin = trawl_record_offset(stretch, index);
    at->limit = trawl_record_offset(stretch, index + 1);
    at->end = trawl_record_is_there(stretch->valid, stretch->first_bit + index)
                  ? trawl_record_without_tail(stretch, at->begin, at->limit)
                  : at->begin;
    at->found = false;
}

/* The index of the record that holds the byte before `end`. The record is behind the one at
 * `at`. */
static inline uint64_t find(const trawl_record_stretch *stretch, const trawl_record_place *at,
                            uint64_t end) {
    uint64_t next = at->index + 1;
    /* In records with many matches it is mostly the next record: that is tested first. Else it is
     * the last one that begins before that byte. */
    return trawl_record_offset(stretch, next + 1) >= end
               ? next
               : trawl_record_last_below(stretch->offsets, stretch->offset_bytes, next,
                                         stretch->end - 1, end - 1);
}

/* Begins a new record: no pattern and no group has been seen in it. */
static void begin_seeing(trawl_record_worker *worker) {
    trawl_scanner_new_turn(worker->scanner);
    if (worker->scanner->turn == 1) { /* the numbers of turns begin again: reset the groups too */
        memset(worker->group_seen, 0,
               worker->scanner->db->groups.count * sizeof *worker->group_seen);
    }
}

static void enter(trawl_record_worker *worker, uint64_t index) {
    move(&worker->stretch, &worker->at, index);
    if (worker->task->any_counted || worker->task->question == TRAWL_RECORDS_WHICH) {
        begin_seeing(worker);
    }
    if (selects(worker)) {
        trawl_delivery_restart(&worker->scanner->delivery, worker->at.begin);
    }
}

static trawl_status leave(trawl_record_worker *worker) {
    return selects(worker) ? trawl_delivery_finish(&worker->scanner->delivery) : TRAWL_OK;
}

/* Ends the current record, and makes the one that holds the byte before `end` the current one. */
static trawl_status advance(trawl_record_worker *worker, uint64_t end) {
    trawl_status status = leave(worker);
    enter(worker, find(&worker->stretch, &worker->at, end));
    return status;
}

static bool has_conditions(const trawl_record_worker *worker) {
    return worker->scanner->db->conditions.records != NULL;
}

/* Whether a match lies in the current record and fulfils the condition of its pattern there. */
static bool is_match(const trawl_record_worker *worker, const trawl_match *match) {
    if (match->start < worker->at.begin || match->end > worker->at.end) {
        return false;
    }
    if (!has_conditions(worker)) {
        return true;
    }
    const trawl_condition_view *view = &worker->scanner->db->conditions;
    const uint8_t *bytes = worker->stretch.bytes;
    bool first = match->start == worker->at.begin, last = match->end == worker->at.end;
    return trawl_condition_holds(view, match->pattern, match->start - worker->at.begin,
                                 match->end - worker->at.begin,
                                 first ? TRAWL_BORDER : view->outside[bytes[match->start - 1]],
                                 last ? TRAWL_BORDER : view->outside[bytes[match->end]], last);
}

/* Handles the matches that end in the current record: the first ones of `number`. Sets *taken to
 * how many they are. */
static trawl_status take_of_record(trawl_record_worker *worker, trawl_match *matches, size_t number,
                                   size_t *taken) {
    bool all = selects(worker) &&
               !has_conditions(worker); /* the selection needs all of them, and drops some */
    size_t at = 0, kept = 0;
    for (; at < number && matches[at].end <= worker->at.limit; at++) {
        if (all ? matches[at].end <= worker->at.end : is_match(worker, &matches[at])) {
            if (kept != at) {
                matches[kept] = matches[at];
            }
            kept++;
        }
    }
    *taken = at;
    return kept == 0         ? TRAWL_OK
           : selects(worker) ? trawl_delivery_put(&worker->scanner->delivery, matches, kept)
                             : take(worker, matches, kept);
}

/* ------------------------------------------------------------------ plain matches */

/* For databases of kind all without conditions, each match that lies in a record is a result. These
 * loops call no function for a match, since dense texts have nearly as many matches as bytes. The
 * current place is a local copy, so that it stays in registers. */

static inline bool is_inside(const trawl_record_place *at, const trawl_match *match) {
    return (match->start >= at->begin) & (match->end <= at->end);
}

static void count_plain(trawl_record_worker *worker, const trawl_match *matches, size_t number) {
    const trawl_record_stretch *stretch = &worker->stretch;
    uint64_t *per_record = worker->task->per_record;
    trawl_record_place at = worker->at;
    uint64_t total = 0;
    for (size_t i = 0; i < number; i++) {
        if (matches[i].end > at.limit) {
            move(stretch, &at, find(stretch, &at, matches[i].end));
        }
        uint64_t kept = is_inside(&at, &matches[i]);
        total += kept;
        if (per_record != NULL) {
            per_record[stretch->first + at.index] += kept;
        }
    }
    worker->total += total;
    worker->at = at;
}

static void mark_plain(trawl_record_worker *worker, const trawl_match *matches, size_t number) {
    const trawl_record_stretch *stretch = &worker->stretch;
    trawl_record_place at = worker->at;
    for (size_t i = 0; i < number; i++) {
        if (matches[i].end > at.limit) {
            move(stretch, &at, find(stretch, &at, matches[i].end));
        }
        if (!at.found && is_inside(&at, &matches[i])) {
            at.found = true;
            worker->total++;
            worker->behind += at.end - matches[i].end;
            trawl_record_mark(worker->task, stretch->first + at.index);
        }
    }
    worker->at = at;
}

/* Emits matches until the batch is full; returns how many of them it has handled. */
static size_t emit_plain(trawl_record_worker *worker, const trawl_match *matches, size_t number) {
    const trawl_record_stretch *stretch = &worker->stretch;
    trawl_record_batch *batch = &worker->batch;
    trawl_record_place at = worker->at;
    size_t room = batch->capacity - batch->count, most = number < room ? number : room;
    trawl_record_match *to = batch->items + batch->count;
    for (size_t i = 0; i < most; i++) {
        if (matches[i].end > at.limit) {
            move(stretch, &at, find(stretch, &at, matches[i].end));
        }
        *to = (trawl_record_match){.record = stretch->first + at.index,
                                   .start = matches[i].start - at.begin,
                                   .end = matches[i].end - at.begin,
                                   .pattern = matches[i].pattern};
        to += is_inside(&at,
                        &matches[i]); /* a match outside of the record is overwritten by the next */
    }
    batch->count = (size_t)(to - batch->items);
    worker->at = at;
    return most;
}

/* Emits the groups of matches that are new in their record, in the same way. */
static size_t emit_plain_groups(trawl_record_worker *worker, const trawl_match *matches,
                                size_t number) {
    const trawl_record_stretch *stretch = &worker->stretch;
    const trawl_group_view *groups = &worker->scanner->db->groups;
    trawl_record_batch *batch = &worker->batch;
    trawl_record_place at = worker->at;
    size_t room = batch->capacity - batch->count, most = number < room ? number : room;
    trawl_record_match *to = batch->items + batch->count;
    for (size_t i = 0; i < most; i++) {
        if (matches[i].end > at.limit) {
            move(stretch, &at, find(stretch, &at, matches[i].end));
            begin_seeing(worker);
        }
        if (!is_inside(&at, &matches[i])) {
            continue;
        }
        uint32_t index = trawl_group_index(groups, matches[i].pattern);
        if (is_new(worker, worker->group_seen, index)) {
            *to++ = (trawl_record_match){.record = stretch->first + at.index,
                                         .start = matches[i].start - at.begin,
                                         .end = matches[i].end - at.begin,
                                         .pattern = trawl_group_of_index(groups, index)};
        }
    }
    batch->count = (size_t)(to - batch->items);
    worker->at = at;
    return most;
}

static trawl_status divide_plain(trawl_record_worker *worker, const trawl_match *matches,
                                 size_t number) {
    const trawl_record_question question = worker->task->question;
    if (question == TRAWL_RECORDS_COUNT) {
        count_plain(worker, matches, number);
        return TRAWL_OK;
    }
    if (question == TRAWL_RECORDS_ANY) {
        mark_plain(worker, matches, number);
        return TRAWL_OK;
    }
    while (number != 0) {
        if (worker->batch.count == worker->batch.capacity) {
            worker->status = worker->flush(worker);
            if (worker->status != TRAWL_OK) {
                return worker->status;
            }
        }
        size_t taken = question == TRAWL_RECORDS_WHICH ? emit_plain_groups(worker, matches, number)
                                                       : emit_plain(worker, matches, number);
        matches += taken;
        number -= taken;
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ prepared matches
 *
 * Automata prepare the matches of a key, the longest first (scan/prepared_matches.h). To count
 * them, or to see whether there is one, it is enough to know which of them begin in the record.
 * Functions for `take` of the sink. */

/* Drops the first matches of a key that are longer than `room`, the text from the record's
 * beginning to their end; returns how many are left. */
static inline uint32_t drop_longer(const trawl_match **matches, uint32_t number, uint64_t room) {
    while (number != 0 && UINT64_C(0) - (*matches)->start > room) {
        ++*matches;
        number--;
    }
    return number;
}

/* Adds matches to the count of the record at hand. */
static inline void add_to_record(const trawl_record_worker *worker, const trawl_record_place *at,
                                 uint64_t number) {
    uint64_t *per_record = worker->task->per_record;
    if (per_record != NULL) {
        per_record[worker->stretch.first + at->index] += number;
    }
}

static size_t count_prepared(const trawl_match *matches, uint64_t base,
                             const trawl_ending_event *events, const trawl_prepared_key *found,
                             size_t count, trawl_sink *sink) {
    trawl_record_worker *worker = ((stretch_sink *)sink)->worker;
    const trawl_record_stretch *stretch = &worker->stretch;
    trawl_record_place at = worker->at;
    uint64_t total = 0, own = 0; /* of the record at hand */
    size_t i = 0;
    for (; i < count && (found[i] & TRAWL_PREPARED_CHECK) == 0; i++) {
        const trawl_match *these = matches + trawl_prepared_key_first(found[i]);
        uint64_t end = base + events[i].position;
        if (end > at.limit) {
            add_to_record(worker, &at, own);
            total += own;
            own = 0;
            move(stretch, &at, find(stretch, &at, end));
        }
        uint32_t number = end > at.end ? 0 : trawl_prepared_key_count(found[i]);
        own += drop_longer(&these, number, end - at.begin);
    }
    add_to_record(worker, &at, own);
    worker->total += total + own;
    worker->at = at;
    return i;
}

static size_t mark_prepared(const trawl_match *matches, uint64_t base,
                            const trawl_ending_event *events, const trawl_prepared_key *found,
                            size_t count, trawl_sink *sink) {
    trawl_record_worker *worker = ((stretch_sink *)sink)->worker;
    const trawl_record_stretch *stretch = &worker->stretch;
    trawl_record_place at = worker->at;
    size_t i = 0;
    for (; i < count && (found[i] & TRAWL_PREPARED_CHECK) == 0; i++) {
        const trawl_match *these = matches + trawl_prepared_key_first(found[i]);
        uint64_t end = base + events[i].position;
        if (end > at.limit) {
            move(stretch, &at, find(stretch, &at, end));
        }
        if (!at.found && end <= at.end &&
            drop_longer(&these, trawl_prepared_key_count(found[i]), end - at.begin) != 0) {
            at.found = true;
            worker->total++;
            worker->behind += at.end - end;
            trawl_record_mark(worker->task, stretch->first + at.index);
        }
    }
    worker->at = at;
    return i;
}

/* Emits the groups that are new in their record; the next one is written over one that is not.
 * Stops where the batch may lack room. A key that follows upon itself, as in runs, has nothing new
 * if all its matches have been taken. */
static size_t emit_prepared_groups(const trawl_match *matches, uint64_t base,
                                   const trawl_ending_event *events,
                                   const trawl_prepared_key *found, size_t count,
                                   trawl_sink *sink) {
    trawl_record_worker *worker = ((stretch_sink *)sink)->worker;
    const trawl_record_stretch *stretch = &worker->stretch;
    const trawl_group_view groups = worker->scanner->db->groups;
    trawl_record_batch *batch = &worker->batch;
    if (batch->capacity == 0) { /* `items` is NULL until `divide` makes room */
        return 0;
    }
    trawl_record_place at = worker->at;
    trawl_record_match *to = batch->items + batch->count, *past = batch->items + batch->capacity;
    uint32_t *seen = worker->group_seen, turn = worker->scanner->turn;
    trawl_prepared_key taken = TRAWL_PREPARED_CHECK; /* no key at first */
    size_t i = 0;
    for (; i < count && (found[i] & TRAWL_PREPARED_CHECK) == 0; i++) {
        uint32_t all = trawl_prepared_key_count(found[i]);
        const trawl_match *these = matches + trawl_prepared_key_first(found[i]);
        uint64_t end = base + events[i].position;
        if ((size_t)(past - to) < all) {
            break;
        }
        if (end > at.limit) {
            move(stretch, &at, find(stretch, &at, end));
            begin_seeing(worker);
            turn = worker->scanner->turn;
        } else if (found[i] == taken) {
            continue;
        }
        uint32_t number = drop_longer(&these, end > at.end ? 0 : all, end - at.begin);
        taken = number == all ? found[i] : TRAWL_PREPARED_CHECK;
        for (uint32_t k = 0; k < number; k++) {
            uint32_t index = trawl_group_index(&groups, these[k].pattern);
            *to = (trawl_record_match){.record = stretch->first + at.index,
                                       .start = end + these[k].start - at.begin,
                                       .end = end - at.begin,
                                       .pattern = trawl_group_of_index(&groups, index)};
            to += seen[index] != turn;
            seen[index] = turn;
        }
    }
    batch->count = (size_t)(to - batch->items);
    worker->at = at;
    return i;
}

/* The function for a task, or NULL. */
static trawl_prepared_writer *taker(const trawl_record_worker *worker) {
    const trawl_record_question question = worker->task->question;
    if (worker->task->any_counted || !trawl_record_worker_is_plain(worker)) {
        return NULL;
    }
    return question == TRAWL_RECORDS_COUNT   ? count_prepared
           : question == TRAWL_RECORDS_ANY   ? mark_prepared
           : question == TRAWL_RECORDS_WHICH ? emit_prepared_groups
                                             : NULL;
}

/* ------------------------------------------------------------------ a stretch */

/* `flush` of the sink of a stretch. */
static trawl_status divide(trawl_sink *sink) {
    trawl_record_worker *worker = ((stretch_sink *)sink)->worker;
    trawl_status status = TRAWL_OK;
    if (!worker->task->any_counted && trawl_record_worker_is_plain(worker)) {
        status = divide_plain(worker, sink->matches, sink->count);
        sink->count = 0;
        return status;
    }
    for (size_t i = 0; status == TRAWL_OK && i < sink->count;) {
        if (sink->matches[i].end > worker->at.limit) {
            status = advance(worker, sink->matches[i].end);
        }
        size_t taken = 0;
        if (status == TRAWL_OK) {
            status = take_of_record(worker, sink->matches + i, sink->count - i, &taken);
        }
        i += taken;
    }
    sink->count = 0;
    return status;
}

trawl_status trawl_record_search_stretch(trawl_record_worker *worker) {
    const trawl_record_stretch *stretch = &worker->stretch;
    trawl_scanner *scanner = worker->scanner;
    uint64_t begin = trawl_record_offset(stretch, stretch->begin);
    uint64_t end = trawl_record_end(stretch, stretch->end - 1);
    if (begin >= end) {
        return TRAWL_OK;
    }
    stretch_sink sink = {.into = {.sink = {.matches = scanner->matches,
                                           .capacity = TRAWL_SCANNER_BATCH,
                                           .flush = divide,
                                           .take = taker(worker)},
                                  .scanner = scanner,
                                  .untested = true},
                         .worker = worker};
    scanner->delivery.receiver = (trawl_receiver){.on_matches = take_selected, .context = worker};
    scanner->delivery.per_pattern = NULL;
    worker->behind = 0;
    enter(worker, stretch->begin);
    const trawl_window text = {.text = stretch->bytes + begin,
                               .length = (size_t)(end - begin),
                               .base = begin,
                               .one_text = stretch->end - stretch->begin == 1};
    trawl_status status = trawl_scanner_walk(scanner, &text, &sink.into, NULL);
    if (status == TRAWL_OK) {
        status = divide(&sink.into.sink);
    }
    if (status == TRAWL_OK) {
        status = leave(worker);
    }
    /* A delivery reports only that it was stopped; the reason is in the worker. */
    return status == TRAWL_STOPPED ? worker->status : status;
}
