/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/records.h"

#include <string.h>

#include "base/allocate.h"
#include "base/sized.h"
#include "base/status.h"
#include "run/options.h"
#include "run/pieces.h"
#include "run/record_layout.h"

/* Bytes of a share: as of a chunk of one text (run/threads.c). */
#define SHARE_BYTES ((uint64_t)1 << 17)

/* ------------------------------------------------------------------ opening */

static trawl_status open_workers(trawl_record_scanner *scanner, const trawl_scan_options *options,
                                 trawl_error *error) {
    trawl_scan_options alone = TRAWL_SCAN_OPTIONS, given = {.size = 0};
    if (options != NULL) { /* which may end before `study` */
        trawl_sized_read(&given, options, sizeof given);
    }
    alone.study = given.study;
    scanner->workers = trawl_allocate_zeroed(scanner->threads, sizeof *scanner->workers);
    if (scanner->workers == NULL) {
        return trawl_fail_memory(error, "a scanner of records",
                                 scanner->threads * sizeof *scanner->workers);
    }
    trawl_status status = TRAWL_OK;
    for (uint32_t i = 0; status == TRAWL_OK && i < scanner->threads; i++) {
        status = trawl_record_worker_open(&scanner->workers[i], scanner->db, &alone, error);
    }
    if (status != TRAWL_OK || scanner->threads == 1) {
        return status;
    }
    scanner->slot_count = (size_t)scanner->threads * TRAWL_RUN_IN_FLIGHT;
    scanner->slots = trawl_allocate_zeroed(scanner->slot_count, sizeof *scanner->slots);
    if (scanner->slots == NULL) {
        return trawl_fail_memory(error, "a scanner of records",
                                 scanner->slot_count * sizeof *scanner->slots);
    }
    return trawl_team_open(&scanner->team, scanner->threads, error);
}

trawl_status trawl_record_scanner_open(const trawl_db *db, const trawl_scan_options *options,
                                       trawl_record_scanner **scanner, trawl_error *error) {
    trawl_clear(error);
    if (db == NULL || scanner == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_record_scanner_open: %s is NULL",
                          db == NULL ? "db" : "scanner");
    }
    *scanner = NULL;
    trawl_scan_settings settings;
    trawl_wanted_report unused;
    trawl_status status = trawl_options_read(db, options, &settings, &unused, error);
    if (status != TRAWL_OK) {
        return status;
    }
    if (settings.device != NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "a scanner of records works on the CPU, not on device '%.40s'",
                          settings.device);
    }
    trawl_record_scanner *made = trawl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        return trawl_fail_memory(error, "a scanner of records", sizeof *made);
    }
    made->db = db;
    made->threads = settings.threads;
    made->share_bytes = settings.chunk_bytes != 0 ? settings.chunk_bytes : SHARE_BYTES;
    status = open_workers(made, options, error);
    if (status == TRAWL_OK && made->threads > 1) {
        status = trawl_placing_open(&made->placing, settings.placement, made->threads, error);
    }
    if (status != TRAWL_OK) {
        trawl_record_scanner_close(made);
        return status;
    }
    *scanner = made;
    return TRAWL_OK;
}

void trawl_record_scanner_close(trawl_record_scanner *scanner) {
    if (scanner == NULL) {
        return;
    }
    trawl_team_close(scanner->team);
    trawl_placing_close(&scanner->placing);
    for (uint32_t i = 0; scanner->workers != NULL && i < scanner->threads; i++) {
        trawl_record_worker_close(&scanner->workers[i]);
    }
    for (size_t i = 0; scanner->slots != NULL && i < scanner->slot_count; i++) {
        trawl_release(scanner->slots[i].batch.items);
    }
    trawl_release(scanner->workers);
    trawl_release(scanner->slots);
    trawl_release(scanner);
}

/* ------------------------------------------------------------------ all questions */

/* Whether offsets point to bytes although their address is NULL. */
static bool lacks_bytes(const trawl_records *records) {
    bool lacks = false;
    bool has_offsets = records->bytes == NULL && records->offsets != NULL && records->count != 0;
    for (uint64_t i = 0; has_offsets && !lacks && i <= records->count; i++) {
        lacks = trawl_record_offset_at(records->offsets, records->offset_bytes, i) != 0;
    }
    return lacks;
}

/* Checks the arguments of a call, and begins its task. */
static trawl_status begin_task(const trawl_record_scanner *scanner, const trawl_records *records,
                               const char *call, trawl_record_task *task, trawl_error *error) {
    trawl_clear(error);
    if (scanner == NULL || records == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "%s: %s is NULL", call,
                          scanner == NULL ? "scanner" : "records");
    }
    trawl_status status = trawl_sized_check(records, "records", "TRAWL_RECORDS", error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_records *read = &task->records;
    trawl_sized_read(read, records, sizeof *read);
    if (read->count != 0 && (read->offsets == NULL) == (read->spans == NULL)) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "%s: either offsets or spans are expected, not %s", call,
                          read->spans == NULL ? "neither" : "both");
    }
    if (read->offsets != NULL && read->offset_bytes != 4 && read->offset_bytes != 8) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "%s: offsets of 4 or 8 bytes are expected, not of %u", call,
                          read->offset_bytes);
    }
    if (lacks_bytes(read)) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "%s: bytes is NULL, which is expected only where all offsets are 0",
                          call);
    }
    return TRAWL_OK;
}

/* `flush` of a worker without other threads: hands the batch to the receiver. */
static trawl_status flush_alone(trawl_record_worker *worker) {
    size_t count = worker->batch.count;
    worker->batch.count = 0;
    return worker->task->on_matches(worker->batch.items, count, worker->task->context) != 0
               ? TRAWL_STOPPED
               : TRAWL_OK;
}

static trawl_status search_alone(trawl_record_scanner *scanner, const trawl_record_task *task,
                                 trawl_error *error) {
    trawl_record_worker *worker = &scanner->workers[0];
    worker->task = task;
    worker->error = error;
    worker->flush = flush_alone;
    worker->batch.count = 0;
    trawl_status status = trawl_record_worker_search(worker, 0, task->records.count);
    return status == TRAWL_OK && worker->batch.count != 0 ? flush_alone(worker) : status;
}

/* Searches all records. Sets *total to the number of matches, or of records with a match. */
static trawl_status search(trawl_record_scanner *scanner, trawl_record_task *task, uint64_t *total,
                           trawl_error *error) {
    for (uint32_t i = 0; i < scanner->threads; i++) {
        scanner->workers[i].total = 0;
        scanner->workers[i].one_by_one = 0;
    }
    const trawl_records *records = &task->records;
    task->shared = scanner->threads > 1 && records->count > 1 &&
                   trawl_records_reach(records, 0, scanner->share_bytes) < records->count;
    trawl_status status = records->count == 0 ? TRAWL_OK
                          : task->shared      ? trawl_record_crew_search(scanner, task, error)
                                              : search_alone(scanner, task, error);
    *total = 0;
    for (uint32_t i = 0; i < scanner->threads; i++) {
        *total += scanner->workers[i].total;
    }
    return status;
}

/* ------------------------------------------------------------------ any and counts */

trawl_status trawl_records_any(trawl_record_scanner *scanner, const trawl_records *records,
                               uint8_t *bits, uint8_t *bytes, uint64_t *found, trawl_error *error) {
    trawl_record_task task = {.question = TRAWL_RECORDS_ANY, .bits = bits, .bytes = bytes};
    trawl_status status = begin_task(scanner, records, "trawl_records_any", &task, error);
    if (status != TRAWL_OK) {
        return status;
    }
    if (bits != NULL) {
        memset(bits, 0, (size_t)(task.records.count / 8 + (task.records.count % 8 != 0)));
    }
    if (bytes != NULL) {
        memset(bytes, 0, (size_t)task.records.count);
    }
    uint64_t total;
    status = search(scanner, &task, &total, error);
    if (found != NULL) {
        *found = total;
    }
    return status;
}

/* Elements of an array of counters. */
static size_t counter_size(const trawl_record_scanner *scanner, trawl_record_counter which) {
    return which == TRAWL_COUNT_PATTERNS || which == TRAWL_COUNT_PATTERN_IN_RECORDS
               ? scanner->db->patterns.count
               : scanner->db->groups.count;
}

/* Makes the counters of a worker, where they are wanted, and sets them to 0. */
static trawl_status begin_counters(const trawl_record_scanner *scanner,
                                   const trawl_record_task *task, trawl_record_worker *worker,
                                   trawl_error *error) {
    for (int i = 0; i < TRAWL_RECORD_COUNTERS; i++) {
        size_t size = counter_size(scanner, (trawl_record_counter)i);
        uint64_t **counters = &worker->counters[i];
        if (!task->counted[i]) {
            continue;
        }
        if (*counters == NULL) {
            *counters = trawl_allocate(size, sizeof **counters);
        }
        if (*counters == NULL) {
            return trawl_fail_memory(error, "counting patterns", size * sizeof **counters);
        }
        memset(*counters, 0, size * sizeof **counters);
    }
    return TRAWL_OK;
}

/* Adds the counters of the other workers to the first one's. */
static void add_counters(const trawl_record_scanner *scanner, const trawl_record_task *task) {
    for (int i = 0; i < TRAWL_RECORD_COUNTERS; i++) {
        size_t size = counter_size(scanner, (trawl_record_counter)i);
        uint64_t *to = scanner->workers[0].counters[i];
        for (uint32_t w = 1; task->counted[i] && w < scanner->threads; w++) {
            for (size_t at = 0; at < size; at++) {
                to[at] += scanner->workers[w].counters[i][at];
            }
        }
    }
}

/* Exchanges the first worker's counters with the caller's, so that the first worker adds to these;
 * called again, exchanges them back. The other workers have counters of their own. */
static void exchange_counters(trawl_record_worker *first, uint64_t *lent[TRAWL_RECORD_COUNTERS]) {
    for (int i = 0; i < TRAWL_RECORD_COUNTERS; i++) {
        uint64_t *own = first->counters[i];
        first->counters[i] = lent[i];
        lent[i] = own;
    }
}

trawl_status trawl_records_count(trawl_record_scanner *scanner, const trawl_records *records,
                                 trawl_record_counts *counts, trawl_error *error) {
    trawl_record_task task = {.question = TRAWL_RECORDS_COUNT};
    trawl_status status = begin_task(scanner, records, "trawl_records_count", &task, error);
    if (status == TRAWL_OK && counts == NULL) {
        status = trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_records_count: counts is NULL");
    }
    if (status == TRAWL_OK) {
        status = trawl_sized_check(counts, "counts of records", "TRAWL_RECORD_COUNTS", error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_record_counts read;
    trawl_sized_read(&read, counts, sizeof read);
    uint64_t *lent[TRAWL_RECORD_COUNTERS] = {
        [TRAWL_COUNT_PATTERNS] = read.per_pattern,
        [TRAWL_COUNT_PATTERN_IN_RECORDS] = read.in_records,
        [TRAWL_COUNT_GROUPS] = read.per_group,
        [TRAWL_COUNT_GROUP_IN_RECORDS] = read.group_in_records,
    };
    for (int i = 0; i < TRAWL_RECORD_COUNTERS; i++) {
        task.counted[i] = lent[i] != NULL;
        task.any_counted = task.any_counted || task.counted[i];
    }
    task.per_record = read.per_record; /* cleared by the workers */
    exchange_counters(&scanner->workers[0], lent);
    for (uint32_t i = 0; status == TRAWL_OK && i < scanner->threads; i++) {
        status = begin_counters(scanner, &task, &scanner->workers[i], error);
    }
    if (status == TRAWL_OK) {
        status = search(scanner, &task, &read.total, error);
    }
    if (status == TRAWL_OK) {
        add_counters(scanner, &task);
    }
    exchange_counters(&scanner->workers[0], lent);
    trawl_sized_write(counts, &read, sizeof read);
    return status;
}

/* ------------------------------------------------------------------ matches */

trawl_status trawl_records_scan(trawl_record_scanner *scanner, const trawl_records *records,
                                trawl_on_record_matches on_matches, void *context,
                                trawl_error *error) {
    trawl_record_task task = {
        .question = TRAWL_RECORDS_MATCHES, .on_matches = on_matches, .context = context};
    trawl_status status = begin_task(scanner, records, "trawl_records_scan", &task, error);
    if (status == TRAWL_OK && on_matches == NULL) {
        status = trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_records_scan: on_matches is NULL");
    }
    uint64_t unused;
    return status == TRAWL_OK ? search(scanner, &task, &unused, error) : status;
}

/* A result that grows: the array `begin` of the records, and an array of ids or matches. */
typedef struct gathering {
    uint64_t *begin;
    uint64_t begun; /* records whose begin is written */
    void *items;
    size_t item_size, count, capacity;
    bool no_memory;
} gathering;

static void begin_records(gathering *to, uint64_t until) {
    for (; to->begun <= until; to->begun++) {
        to->begin[to->begun] = to->count;
    }
}

static bool make_room(gathering *to, size_t count) {
    if (count > to->capacity - to->count) {
        size_t wanted = to->count + count;
        wanted = wanted < 2 * to->capacity ? 2 * to->capacity : wanted;
        void *items = trawl_array_grow(to->items, wanted, to->item_size, &to->capacity);
        to->no_memory = items == NULL;
        to->items = items == NULL ? to->items : items;
    }
    return !to->no_memory;
}

static int gather_matches(const trawl_record_match *matches, size_t count, void *context) {
    gathering *to = context;
    if (!make_room(to, count)) {
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        begin_records(to, matches[i].record);
        ((trawl_record_match *)to->items)[to->count++] = matches[i];
    }
    return 0;
}

static int gather_ids(const trawl_record_match *matches, size_t count, void *context) {
    gathering *to = context;
    if (!make_room(to, count)) {
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        begin_records(to, matches[i].record);
        ((uint32_t *)to->items)[to->count++] = matches[i].pattern;
    }
    return 0;
}

/* Gathers the results of a task into arrays that hold an earlier result, or none. */
static trawl_status gather(trawl_record_scanner *scanner, trawl_record_task *task, gathering *to,
                           trawl_error *error) {
    uint64_t records = task->records.count, unused;
    size_t capacity = trawl_array_capacity(to->begin, sizeof *to->begin);
    if (records >= capacity) {
        uint64_t *begin =
            records >= SIZE_MAX / sizeof *begin
                ? NULL
                : trawl_array_grow(to->begin, (size_t)records + 1, sizeof *begin, &capacity);
        if (begin == NULL) {
            return trawl_fail_memory(error, "results of records", (records + 1) * sizeof *begin);
        }
        to->begin = begin;
    }
    to->capacity = trawl_array_capacity(to->items, to->item_size);
    task->context = to;
    trawl_status status = search(scanner, task, &unused, error);
    if (to->no_memory) {
        return trawl_fail_memory(error, "results of records",
                                 2 * (uint64_t)to->capacity * to->item_size);
    }
    begin_records(to, records);
    return status;
}

trawl_status trawl_records_which(trawl_record_scanner *scanner, const trawl_records *records,
                                 trawl_record_ids *ids, trawl_error *error) {
    trawl_record_task task = {.question = TRAWL_RECORDS_WHICH, .on_matches = gather_ids};
    trawl_status status = begin_task(scanner, records, "trawl_records_which", &task, error);
    if (status == TRAWL_OK && ids == NULL) {
        status = trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_records_which: ids is NULL");
    }
    if (status != TRAWL_OK) {
        return status;
    }
    gathering to = {.begin = ids->begin, .items = ids->ids, .item_size = sizeof *ids->ids};
    status = gather(scanner, &task, &to, error);
    ids->begin = to.begin;
    ids->ids = to.items;
    return status;
}

trawl_status trawl_records_collect(trawl_record_scanner *scanner, const trawl_records *records,
                                   trawl_record_matches *matches, trawl_error *error) {
    trawl_record_task task = {.question = TRAWL_RECORDS_MATCHES, .on_matches = gather_matches};
    trawl_status status = begin_task(scanner, records, "trawl_records_collect", &task, error);
    if (status == TRAWL_OK && matches == NULL) {
        status = trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_records_collect: matches is NULL");
    }
    if (status != TRAWL_OK) {
        return status;
    }
    gathering to = {
        .begin = matches->begin, .items = matches->items, .item_size = sizeof *matches->items};
    status = gather(scanner, &task, &to, error);
    matches->begin = to.begin;
    matches->items = to.items;
    return status;
}

void trawl_record_ids_free(trawl_record_ids *ids) {
    if (ids != NULL) {
        trawl_array_release(ids->begin);
        trawl_array_release(ids->ids);
        *ids = (trawl_record_ids){.begin = NULL};
    }
}

void trawl_record_matches_free(trawl_record_matches *matches) {
    if (matches != NULL) {
        trawl_array_release(matches->begin);
        trawl_array_release(matches->items);
        *matches = (trawl_record_matches){.begin = NULL};
    }
}
