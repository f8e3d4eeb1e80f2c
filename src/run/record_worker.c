/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "run/case_pair.h"
#include "run/record_layout.h"

/* These sizes and numbers are chosen, not measured. */

/* Bytes of a stretch, at most. Decisions such as searching records one by one are made anew for
 * each stretch. */
#define STRETCH_BYTES ((uint64_t)1 << 18)
/* From this average length on, records are searched one by one: beginning a search then costs less
 * than a hundredth of it. */
#define LONG_RECORD ((uint64_t)16384)
/* An absent record of up to this many bytes is searched together with its neighbours. */
#define ABSENT_BYTES ((uint64_t)1024)
/* Spans are copied together, up to this many bytes and records. A span of LONG_SPAN bytes or more
 * is searched where it is. */
#define COPY_BYTES ((size_t)65536)
#define COPY_RECORDS ((size_t)8192)
#define LONG_SPAN ((size_t)4096)
/* trawl_records_any stops in a record at its first match. Records are searched one by one where
 * that saves at least SAVED_BYTES in each; after ONE_BY_ONE stretches one stretch is searched as a
 * whole, to measure again what is saved. */
#define SAVED_BYTES ((uint64_t)1024)
#define ONE_BY_ONE 16u
/* Matches that a batch holds when one thread works. */
#define BATCH ((size_t)1024)

uint64_t trawl_records_reach(const trawl_records *records, uint64_t begin, uint64_t bytes) {
    if (records->offsets == NULL) {
        uint64_t sum = 0, at = begin;
        while (at < records->count && sum < bytes && at - begin < COPY_RECORDS) {
            sum += records->spans[at++].length;
        }
        return at;
    }
    const uint8_t *offsets = records->offsets;
    uint64_t from = trawl_record_offset_at(offsets, records->offset_bytes, begin);
    uint64_t until = trawl_record_last_below(offsets, records->offset_bytes, begin, records->count,
                                             bytes < UINT64_MAX - from ? from + bytes : UINT64_MAX);
    return until > begin ? until : begin + 1;
}

/* Clears the counts of records [begin, end), if there are any: a stretch at a time, just before it
 * is searched, so that clearing is divided among threads and leaves the counts in a cache. */
static void clear_counts(const trawl_record_task *task, uint64_t begin, uint64_t end) {
    if (task->per_record != NULL) {
        memset(task->per_record + begin, 0, (size_t)(end - begin) * sizeof *task->per_record);
    }
}

/* Searches worker->stretch, and measures for trawl_records_any what stopping early would save. */
static trawl_status search_stretch(trawl_record_worker *worker) {
    const trawl_record_stretch *stretch = &worker->stretch;
    clear_counts(worker->task, stretch->first + stretch->begin, stretch->first + stretch->end);
    trawl_status status = trawl_record_search_stretch(worker);
    if (worker->task->question == TRAWL_RECORDS_ANY &&
        worker->behind >= (worker->stretch.end - worker->stretch.begin) * SAVED_BYTES) {
        worker->one_by_one = ONE_BY_ONE;
    }
    return status;
}

/* Whether search_one counts without putting each match. */
static bool counts_plainly(const trawl_record_worker *worker) {
    return worker->task->question == TRAWL_RECORDS_COUNT && !worker->task->any_counted &&
           trawl_record_worker_is_plain(worker);
}

/* Whether search_one answers the question without putting each match. */
static bool puts_no_match(const trawl_record_worker *worker) {
    return worker->task->question == TRAWL_RECORDS_ANY || counts_plainly(worker);
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
            trawl_record_mark(task, record);
        }
        return TRAWL_OK;
    }
    if (counts_plainly(worker)) {
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

/* The first absent record of [begin, end) with more than ABSENT_BYTES; `end`: there is none. */
static uint64_t next_absent(const trawl_record_stretch *all, uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; i++) {
        uint64_t bit = all->first_bit + i;
        if (bit % 8 == 0 && end - i >= 8 && all->valid[bit / 8] == 0xff) {
            i += 7;
        } else if (!trawl_record_is_there(all->valid, bit) &&
                   trawl_record_offset(all, i + 1) - trawl_record_offset(all, i) > ABSENT_BYTES) {
            return i;
        }
    }
    return end;
}

/* Whether `count` + 1 offsets never decrease. Without an early exit, so that compilers vectorise
 * it. */
static bool is_ascending(const uint8_t *offsets, uint32_t bytes, uint64_t count) {
    unsigned wrong = 0;
    if (bytes == sizeof(uint32_t)) {
        for (uint64_t i = 0; i < count; i++) {
            wrong |= trawl_record_offset_at(offsets, sizeof(uint32_t), i + 1) <
                     trawl_record_offset_at(offsets, sizeof(uint32_t), i);
        }
    } else {
        for (uint64_t i = 0; i < count; i++) {
            wrong |= trawl_record_offset_at(offsets, sizeof(uint64_t), i + 1) <
                     trawl_record_offset_at(offsets, sizeof(uint64_t), i);
        }
    }
    return wrong == 0;
}

static trawl_status check_order(const trawl_record_stretch *all, uint64_t begin, uint64_t end,
                                trawl_error *error) {
    bool good =
        is_ascending(all->offsets + begin * all->offset_bytes, all->offset_bytes, end - begin);
    for (uint64_t i = begin; !good && i < end; i++) {
        if (trawl_record_offset(all, i + 1) < trawl_record_offset(all, i)) {
            return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                              "record %" PRIu64 " ends at offset %" PRIu64
                              ", before its beginning at %" PRIu64,
                              i, trawl_record_offset(all, i + 1), trawl_record_offset(all, i));
        }
    }
    return TRAWL_OK;
}

/* Whether `number` records with `bytes` bytes together are better searched one by one. */
static bool is_for_one_by_one(const trawl_record_worker *worker, uint64_t number, uint64_t bytes) {
    return worker->each_alone || bytes >= LONG_RECORD * number ||
           (worker->counted_alone && puts_no_match(worker)) ||
           (worker->one_by_one != 0 && bytes >= SAVED_BYTES * number);
}

static trawl_status search_one_by_one(trawl_record_worker *worker, const trawl_record_stretch *all,
                                      uint64_t begin, uint64_t end) {
    trawl_status status = TRAWL_OK;
    worker->one_by_one -= worker->one_by_one != 0;
    clear_counts(worker->task, begin, end);
    for (uint64_t i = begin; status == TRAWL_OK && i < end; i++) {
        if (trawl_record_is_there(all->valid, all->first_bit + i)) {
            uint64_t offset = trawl_record_offset(all, i);
            status = search_one(worker, all->bytes + offset, trawl_record_end(all, i) - offset, i);
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
        uint64_t bytes = trawl_record_offset(&all, until) - trawl_record_offset(&all, begin);
        uint64_t number = until - begin;
        if (number == 1 || is_for_one_by_one(worker, number, bytes)) {
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

/* Whether a span of [begin, end) has a length but no address, be it an absent one. Without an early
 * exit, so that compilers vectorise it. */
static bool lacks_address(const trawl_records *records, uint64_t begin, uint64_t end) {
    unsigned wrong = 0;
    for (uint64_t i = begin; i < end; i++) {
        wrong |= (unsigned)(records->spans[i].bytes == NULL) & (records->spans[i].length != 0);
    }
    return wrong != 0;
}

/* The bytes of a span that are searched: none of an absent one. */
static size_t span_length(const trawl_records *records, uint64_t index) {
    return trawl_record_is_there(records->valid, records->valid_offset + index)
               ? records->spans[index].length
               : 0;
}

static trawl_status check_addresses(const trawl_records *records, uint64_t begin, uint64_t end,
                                    trawl_error *error) {
    bool good = !lacks_address(records, begin, end);
    for (uint64_t i = begin; !good && i < end; i++) {
        if (records->spans[i].bytes == NULL && span_length(records, i) != 0) {
            return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                              "record %" PRIu64 " has %zu bytes, but its address is NULL", i,
                              records->spans[i].length);
        }
    }
    return TRAWL_OK;
}

static void begin_spans(trawl_record_worker *worker, const uint8_t *bytes, uint64_t begin,
                        uint64_t end) {
    worker->stretch = (trawl_record_stretch){.bytes = bytes,
                                             .offsets = (const uint8_t *)worker->offsets,
                                             .offset_bytes = sizeof *worker->offsets,
                                             .first = begin,
                                             .end = end - begin};
}

/* Makes a stretch of the spans from `begin` on that are adjacent in memory. Returns the first span
 * that is not in it: `begin` if that one is long. */
static uint64_t take_adjacent(trawl_record_worker *worker, uint64_t begin, uint64_t end) {
    const trawl_records *records = &worker->task->records;
    const uint8_t *first = NULL;
    uint64_t at = begin, used = 0;
    worker->offsets[0] = 0;
    for (; at < end && at - begin < COPY_RECORDS; at++) {
        size_t length = span_length(records, at);
        if (length != 0) {
            const uint8_t *bytes = records->spans[at].bytes;
            if (length > STRETCH_BYTES - used || (first != NULL && bytes != first + used)) {
                break;
            }
            first = first == NULL ? bytes : first;
            used += length;
        }
        worker->offsets[at - begin + 1] = (uint32_t)used;
    }
    begin_spans(worker, first, begin, at);
    return at;
}

/* Copies spans from `begin` on into one stretch. Stops at a long span, where spans are adjacent
 * in memory for long enough, or when the copies are full. Returns the first span that is not
 * copied. */
static uint64_t copy_spans(trawl_record_worker *worker, uint64_t begin, uint64_t end) {
    const trawl_records *records = &worker->task->records;
    size_t most = worker->one_by_one != 0 ? SAVED_BYTES : LONG_SPAN;
    const uint8_t *next = NULL; /* the byte behind the last span */
    size_t adjacent = 0;        /* bytes before `next` that are adjacent in memory */
    uint64_t at = begin;
    uint32_t used = 0;
    worker->offsets[0] = 0;
    for (; at < end && at - begin < COPY_RECORDS && adjacent < LONG_SPAN; at++) {
        size_t length = span_length(records, at);
        if (length >= most || length > COPY_BYTES - used) {
            break;
        }
        if (length != 0) {
            const uint8_t *bytes = records->spans[at].bytes;
            memcpy(worker->text + used, bytes, length);
            used += (uint32_t)length;
            adjacent = bytes == next ? adjacent + length : length;
            next = bytes + length;
        }
        worker->offsets[at - begin + 1] = used;
    }
    begin_spans(worker, worker->text, begin, at);
    return at;
}

/* Searches spans [begin, end) one by one. */
static trawl_status search_each_span(trawl_record_worker *worker, uint64_t begin, uint64_t end) {
    const trawl_records *records = &worker->task->records;
    trawl_status status = TRAWL_OK;
    worker->one_by_one -= worker->one_by_one != 0;
    clear_counts(worker->task, begin, end);
    for (uint64_t i = begin; status == TRAWL_OK && i < end; i++) {
        status = search_one(worker, records->spans[i].bytes, span_length(records, i), i);
    }
    return status;
}

static trawl_status search_spans(trawl_record_worker *worker, uint64_t begin, uint64_t end) {
    trawl_status status = check_addresses(&worker->task->records, begin, end, worker->error);
    while (status == TRAWL_OK && begin < end) {
        uint64_t until = take_adjacent(worker, begin, end);
        uint64_t number = until - begin, bytes = worker->offsets[number];
        if (is_for_one_by_one(worker, number, bytes) || (number == 1 && bytes >= LONG_SPAN)) {
            until = number == 0 ? begin + 1 : until;
            status = search_each_span(worker, begin, until);
        } else if (bytes >= LONG_SPAN) {
            status = search_stretch(worker);
        } else {
            until = copy_spans(worker, begin, end);
            if (until <= begin + 1) {
                until = begin + 1;
                status = search_each_span(worker, begin, until);
            } else {
                status = search_stretch(worker);
            }
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
    trawl_scanner_allow_fallback(worker->scanner);
    const trawl_case_pair *pair = trawl_case_pair_of(db);
    worker->each_alone = pair != NULL && pair->conditions != 0;
    worker->counted_alone = trawl_case_pair_most(db) > TRAWL_CASE_PAIR_CHAIN;
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
