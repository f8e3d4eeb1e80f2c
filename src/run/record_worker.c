/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "database/conditions.h"
#include "database/groups.h"
#include "run/records.h"

/* Bytes of a stretch at most: what is decided for one lasts no longer. */
#define STRETCH_BYTES ((uint64_t)1 << 18)
/* Records of so many bytes on average are searched one by one, which costs them less than a
 * hundredth. */
#define LONG_RECORD ((uint64_t)16384)
/* Bytes of an absent record that are searched with its neighbours. */
#define ABSENT_BYTES ((uint64_t)1024)
/* Spans: so many bytes are copied together, of spans that are shorter than so many. */
#define COPY_BYTES ((size_t)65536)
#define COPY_RECORDS ((size_t)8192)
#define LONG_SPAN ((size_t)4096)
/* trawl_records_any: bytes of a record that a search of its own would save, so that it pays; and
 * how many stretches are searched so before they are searched together to see it again. */
#define SAVED_BYTES ((uint64_t)1024)
#define ONE_BY_ONE 16u
/* Matches of a batch with one thread. */
#define BATCH ((size_t)1024)

/* ------------------------------------------------------------------ layout */

static uint64_t offset_at(const uint8_t *offsets, uint32_t bytes, uint64_t index) {
    if (bytes == sizeof(uint32_t)) {
        uint32_t value;
        memcpy(&value, offsets + index * sizeof value, sizeof value);
        return value;
    }
    uint64_t value;
    memcpy(&value, offsets + index * sizeof value, sizeof value);
    return value;
}

static uint64_t stretch_offset(const trawl_record_stretch *stretch, uint64_t index) {
    return offset_at(stretch->offsets, stretch->offset_bytes, index);
}

static bool is_there(const uint8_t *valid, uint64_t bit) {
    return valid == NULL || (valid[bit / 8] >> (bit % 8) & 1) != 0;
}

/* The end, without its tail, of a record between two offsets. */
static uint64_t without_tail(const trawl_record_stretch *stretch, uint64_t begin, uint64_t end) {
    return end - begin < stretch->tail ? begin : end - stretch->tail;
}

static uint64_t record_end(const trawl_record_stretch *stretch, uint64_t index) {
    return without_tail(stretch, stretch_offset(stretch, index),
                        stretch_offset(stretch, index + 1));
}

/* The last of the offsets from `begin` to `end` that is `value` or less; the one at `begin` is. */
static uint64_t last_below(const uint8_t *offsets, uint32_t bytes, uint64_t begin, uint64_t end,
                           uint64_t value) {
    uint64_t step = 1;
    while (end - begin > step && offset_at(offsets, bytes, begin + step) <= value) {
        begin += step;
        step *= 2;
    }
    uint64_t above = end - begin > step ? begin + step : end + 1; /* the first one that is more */
    while (above - begin > 1) {
        uint64_t middle = begin + (above - begin) / 2;
        if (offset_at(offsets, bytes, middle) <= value) {
            begin = middle;
        } else {
            above = middle;
        }
    }
    return begin;
}

uint64_t trawl_records_reach(const trawl_records *records, uint64_t begin, uint64_t bytes) {
    if (records->offsets == NULL) {
        uint64_t sum = 0, at = begin;
        while (at < records->count && sum < bytes && at - begin < COPY_RECORDS) {
            sum += records->spans[at++].length;
        }
        return at;
    }
    const uint8_t *offsets = records->offsets;
    uint64_t from = offset_at(offsets, records->offset_bytes, begin);
    uint64_t until = last_below(offsets, records->offset_bytes, begin, records->count,
                                bytes < UINT64_MAX - from ? from + bytes : UINT64_MAX);
    return until > begin ? until : begin + 1;
}

/* ------------------------------------------------------------------ results */

static void mark(const trawl_record_task *task, uint64_t record) {
    if (task->bytes != NULL) {
        task->bytes[record] = 1;
    }
    if (task->bits != NULL) {
        uint8_t bit = (uint8_t)(1u << (record % 8));
        if (task->shared) { /* another thread may own a record of the same byte */
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
                             .start = match->start - worker->begin,
                             .end = match->end - worker->begin,
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

/* Takes matches of the record at hand: one or more, in order. */
static trawl_status take(trawl_record_worker *worker, const trawl_match *matches, size_t number) {
    const trawl_record_question question = worker->task->question;
    uint64_t record = worker->stretch.first + worker->index;
    trawl_status status = TRAWL_OK;
    if (question == TRAWL_RECORDS_ANY) {
        if (!worker->found) {
            worker->found = true;
            worker->total++;
            worker->behind += worker->end - matches[0].end;
            mark(worker->task, record);
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

static bool selects(const trawl_record_worker *worker) {
    return worker->scanner->delivery.kind != TRAWL_MATCH_ALL;
}

static void enter(trawl_record_worker *worker, uint64_t index) {
    const trawl_record_stretch *stretch = &worker->stretch;
    worker->index = index;
    worker->begin = stretch_offset(stretch, index);
    worker->limit = stretch_offset(stretch, index + 1);
    worker->end = is_there(stretch->valid, stretch->first_bit + index)
                      ? without_tail(stretch, worker->begin, worker->limit)
                      : worker->begin;
    worker->found = false;
    if (worker->task->any_counted || worker->task->question == TRAWL_RECORDS_WHICH) {
        trawl_scanner_new_turn(worker->scanner);
        if (worker->scanner->turn == 1) { /* the turns begin anew, for groups too */
            memset(worker->group_seen, 0,
                   worker->scanner->db->groups.count * sizeof *worker->group_seen);
        }
    }
    if (selects(worker)) {
        trawl_delivery_restart(&worker->scanner->delivery, worker->begin);
    }
}

static trawl_status leave(trawl_record_worker *worker) {
    return selects(worker) ? trawl_delivery_finish(&worker->scanner->delivery) : TRAWL_OK;
}

/* Goes to the record that holds the byte before `end`. */
static trawl_status advance(trawl_record_worker *worker, uint64_t end) {
    const trawl_record_stretch *stretch = &worker->stretch;
    trawl_status status = leave(worker);
    /* All of its offsets but the first are behind the byte: the last offset that is before it. */
    enter(worker, last_below(stretch->offsets, stretch->offset_bytes, worker->index + 1,
                             stretch->end - 1, end - 1));
    return status;
}

static bool has_conditions(const trawl_record_worker *worker) {
    return worker->scanner->db->conditions.records != NULL;
}

/* Whether a match lies in the record at hand and fulfils the condition of its pattern there. */
static bool is_match(const trawl_record_worker *worker, const trawl_match *match) {
    if (match->start < worker->begin || match->end > worker->end) {
        return false;
    }
    if (!has_conditions(worker)) {
        return true;
    }
    const trawl_condition_view *view = &worker->scanner->db->conditions;
    const uint8_t *bytes = worker->stretch.bytes;
    bool first = match->start == worker->begin, last = match->end == worker->end;
    return trawl_condition_holds(view, match->pattern, match->start - worker->begin,
                                 match->end - worker->begin,
                                 first ? TRAWL_BORDER : view->outside[bytes[match->start - 1]],
                                 last ? TRAWL_BORDER : view->outside[bytes[match->end]], last);
}

/* Takes the matches that end in the record at hand, which are the first of `number`, and sets
 * *taken to how many they are. */
static trawl_status take_of_record(trawl_record_worker *worker, trawl_match *matches, size_t number,
                                   size_t *taken) {
    bool all = selects(worker) && !has_conditions(worker); /* the selection drops those it must */
    size_t at = 0, kept = 0;
    for (; at < number && matches[at].end <= worker->limit; at++) {
        if (all ? matches[at].end <= worker->end : is_match(worker, &matches[at])) {
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

typedef struct stretch_sink {
    trawl_scanner_sink into;
    trawl_record_worker *worker;
} stretch_sink;

/* `flush` of the sink of a stretch. */
static trawl_status divide(trawl_sink *sink) {
    trawl_record_worker *worker = ((stretch_sink *)sink)->worker;
    trawl_status status = TRAWL_OK;
    for (size_t i = 0; status == TRAWL_OK && i < sink->count;) {
        if (sink->matches[i].end > worker->limit) {
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

static trawl_status search_stretch(trawl_record_worker *worker) {
    const trawl_record_stretch *stretch = &worker->stretch;
    trawl_scanner *scanner = worker->scanner;
    uint64_t begin = stretch_offset(stretch, stretch->begin);
    uint64_t end = record_end(stretch, stretch->end - 1);
    if (begin >= end) {
        return TRAWL_OK;
    }
    stretch_sink sink = {.into = {.sink = {.matches = scanner->matches,
                                           .capacity = TRAWL_SCANNER_BATCH,
                                           .flush = divide},
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
    /* A delivery knows only that it was stopped. */
    status = status == TRAWL_STOPPED ? worker->status : status;
    if (worker->task->question == TRAWL_RECORDS_ANY &&
        worker->behind >= (stretch->end - stretch->begin) * SAVED_BYTES) {
        worker->one_by_one = ONE_BY_ONE;
    }
    return status;
}

/* Searches a record by itself. */
static trawl_status search_one(trawl_record_worker *worker, const uint8_t *bytes, uint64_t length,
                               uint64_t record) {
    const trawl_record_task *task = worker->task;
    if (length == 0) {
        return TRAWL_OK;
    }
    if (task->question == TRAWL_RECORDS_ANY) {
        if (trawl_scanner_any(worker->scanner, bytes, (size_t)length, NULL)) {
            worker->total++;
            mark(task, record);
        }
        return TRAWL_OK;
    }
    if (task->question == TRAWL_RECORDS_COUNT && !task->any_counted && !selects(worker) &&
        !has_conditions(worker)) {
        uint64_t found = trawl_scanner_count(worker->scanner, bytes, (size_t)length, NULL);
        worker->total += found;
        if (task->per_record != NULL) {
            task->per_record[record] = found;
        }
        return TRAWL_OK;
    }
    const uint64_t offsets[2] = {0, length};
    worker->stretch = (trawl_record_stretch){.bytes = bytes,
                                             .offsets = (const uint8_t *)offsets,
                                             .offset_bytes = sizeof *offsets,
                                             .first = record,
                                             .end = 1};
    return search_stretch(worker);
}

/* ------------------------------------------------------------------ offsets */

/* The first absent record of [begin, end) with too many bytes to be searched; `end`: none. */
static uint64_t next_absent(const trawl_record_stretch *all, uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; i++) {
        uint64_t bit = all->first_bit + i;
        if (bit % 8 == 0 && end - i >= 8 && all->valid[bit / 8] == 0xff) {
            i += 7;
        } else if (!is_there(all->valid, bit) &&
                   stretch_offset(all, i + 1) - stretch_offset(all, i) > ABSENT_BYTES) {
            return i;
        }
    }
    return end;
}

/* Whether none of `count` + 1 offsets is less than the one before. Compilers make vectors of it. */
static bool is_ascending(const uint8_t *offsets, uint32_t bytes, uint64_t count) {
    unsigned wrong = 0;
    if (bytes == sizeof(uint32_t)) {
        for (uint64_t i = 0; i < count; i++) {
            wrong |= offset_at(offsets, sizeof(uint32_t), i + 1) <
                     offset_at(offsets, sizeof(uint32_t), i);
        }
    } else {
        for (uint64_t i = 0; i < count; i++) {
            wrong |= offset_at(offsets, sizeof(uint64_t), i + 1) <
                     offset_at(offsets, sizeof(uint64_t), i);
        }
    }
    return wrong == 0;
}

static trawl_status check_order(const trawl_record_stretch *all, uint64_t begin, uint64_t end,
                                trawl_error *error) {
    bool good =
        is_ascending(all->offsets + begin * all->offset_bytes, all->offset_bytes, end - begin);
    for (uint64_t i = begin; !good && i < end; i++) {
        if (stretch_offset(all, i + 1) < stretch_offset(all, i)) {
            return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                              "record %" PRIu64 " ends at offset %" PRIu64
                              ", before its beginning at %" PRIu64,
                              i, stretch_offset(all, i + 1), stretch_offset(all, i));
        }
    }
    return TRAWL_OK;
}

static trawl_status search_one_by_one(trawl_record_worker *worker, const trawl_record_stretch *all,
                                      uint64_t begin, uint64_t end) {
    trawl_status status = TRAWL_OK;
    worker->one_by_one -= worker->one_by_one != 0;
    for (uint64_t i = begin; status == TRAWL_OK && i < end; i++) {
        if (is_there(all->valid, all->first_bit + i)) {
            uint64_t offset = stretch_offset(all, i);
            status = search_one(worker, all->bytes + offset, record_end(all, i) - offset, i);
        }
    }
    return status;
}

static trawl_status search_offsets(trawl_record_worker *worker, uint64_t begin, uint64_t end) {
    const trawl_records *records = &worker->task->records;
    const trawl_record_stretch all = {.bytes = records->bytes,
                                      .offsets = records->offsets,
                                      .offset_bytes = records->offset_bytes,
                                      .tail = records->tail,
                                      .valid = records->valid,
                                      .first_bit = records->valid_offset};
    trawl_status status = check_order(&all, begin, end, worker->error);
    while (status == TRAWL_OK && begin < end) {
        uint64_t until = trawl_records_reach(records, begin, STRETCH_BYTES);
        until = until < end ? until : end;
        if (all.valid != NULL) {
            uint64_t absent = next_absent(&all, begin, until);
            until = absent == begin ? begin + 1 : absent;
        }
        uint64_t bytes = stretch_offset(&all, until) - stretch_offset(&all, begin);
        uint64_t number = until - begin;
        if (number == 1 || bytes >= LONG_RECORD * number ||
            (worker->one_by_one != 0 && bytes >= SAVED_BYTES * number)) {
            status = search_one_by_one(worker, &all, begin, until);
        } else {
            worker->stretch = all;
            worker->stretch.begin = begin;
            worker->stretch.end = until;
            status = search_stretch(worker);
        }
        begin = until;
    }
    return status;
}

/* ------------------------------------------------------------------ spans */

/* Copies spans of [begin, end) into one stretch until one is long or the copies are full; returns
 * where that is. */
static uint64_t copy_spans(trawl_record_worker *worker, uint64_t begin, uint64_t end) {
    const trawl_records *records = &worker->task->records;
    size_t most = worker->one_by_one != 0 ? SAVED_BYTES : LONG_SPAN;
    uint64_t at = begin;
    uint32_t used = 0;
    worker->offsets[0] = 0;
    for (; at < end && at - begin < COPY_RECORDS; at++) {
        const trawl_span *span = &records->spans[at];
        if (is_there(records->valid, records->valid_offset + at)) {
            if (span->length >= most || span->length > COPY_BYTES - used) {
                break;
            }
            if (span->length != 0) {
                memcpy(worker->text + used, span->bytes, span->length);
                used += (uint32_t)span->length;
            }
        }
        worker->offsets[at - begin + 1] = used;
    }
    worker->stretch = (trawl_record_stretch){.bytes = worker->text,
                                             .offsets = (const uint8_t *)worker->offsets,
                                             .offset_bytes = sizeof *worker->offsets,
                                             .first = begin,
                                             .end = at - begin};
    return at;
}

static trawl_status search_spans(trawl_record_worker *worker, uint64_t begin, uint64_t end) {
    const trawl_span *spans = worker->task->records.spans;
    trawl_status status = TRAWL_OK;
    while (status == TRAWL_OK && begin < end) {
        uint64_t until = copy_spans(worker, begin, end);
        if (until == begin + 1) {
            status = search_one(worker, worker->text, worker->offsets[1], begin);
        } else if (until > begin) {
            status = search_stretch(worker);
        } else {
            worker->one_by_one -= worker->one_by_one != 0;
            status = search_one(worker, spans[begin].bytes, spans[begin].length, begin);
            until++;
        }
        begin = until;
    }
    return status;
}

trawl_status trawl_record_worker_search(trawl_record_worker *worker, uint64_t begin, uint64_t end) {
    return worker->task->records.offsets != NULL ? search_offsets(worker, begin, end)
                                                 : search_spans(worker, begin, end);
}

/* ------------------------------------------------------------------ opening */

trawl_status trawl_record_worker_open(trawl_record_worker *worker, const trawl_db *db,
                                      const trawl_scan_options *options, trawl_error *error) {
    trawl_status status = trawl_scanner_open(db, options, &worker->scanner, error);
    if (status != TRAWL_OK) {
        return status;
    }
    worker->text = trawl_allocate(COPY_BYTES, 1);
    worker->offsets = trawl_allocate(COPY_RECORDS + 1, sizeof *worker->offsets);
    worker->batch.items = trawl_allocate(BATCH, sizeof *worker->batch.items);
    worker->batch.capacity = BATCH;
    worker->group_seen = trawl_allocate_zeroed(db->groups.count, sizeof *worker->group_seen);
    if (worker->text == NULL || worker->offsets == NULL || worker->batch.items == NULL ||
        worker->group_seen == NULL) {
        return trawl_fail_memory(error, "a scanner of records",
                                 COPY_BYTES + COPY_RECORDS * sizeof *worker->offsets +
                                     BATCH * sizeof *worker->batch.items +
                                     db->groups.count * sizeof *worker->group_seen);
    }
    return TRAWL_OK;
}

void trawl_record_worker_close(trawl_record_worker *worker) {
    trawl_scanner_close(worker->scanner);
    trawl_release(worker->text);
    trawl_release(worker->offsets);
    trawl_release(worker->batch.items);
    for (int i = 0; i < TRAWL_RECORD_COUNTERS; i++) {
        trawl_release(worker->counters[i]);
    }
    trawl_release(worker->group_seen);
}
