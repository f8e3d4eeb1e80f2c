/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/allocate.h"
#include "base/sized.h"
#include "base/status.h"
#include "run/record_layout.h"
#include "run/replace.h"

/* Records that are being replaced. The result has all records before `record`, and the bytes before
 * `copied` of that record. */
typedef struct replacing {
    trawl_replacer *self;
    trawl_records records;
    trawl_replaced_records *result;
    size_t used, capacity; /* bytes of the result */
    uint64_t record, copied, replaced;
    bool no_memory;
} replacing;

static trawl_span record_at(const trawl_records *records, uint64_t index) {
    if (!trawl_record_is_there(records->valid, records->valid_offset + index)) {
        return (trawl_span){.bytes = NULL};
    }
    if (records->offsets == NULL) {
        return records->spans[index];
    }
    const trawl_record_stretch stretch = {
        .offsets = records->offsets, .offset_bytes = records->offset_bytes, .tail = records->tail};
    const uint64_t begin = trawl_record_offset(&stretch, index);
    const uint64_t length = trawl_record_end(&stretch, index) - begin;
    return (trawl_span){.bytes = length == 0 ? NULL : (const uint8_t *)records->bytes + begin,
                        .length = (size_t)length};
}

/* Makes room for `length` more bytes of the result; NULL: no memory. */
static uint8_t *make_room(replacing *of, size_t length) {
    if (length > of->capacity - of->used || of->result->bytes == NULL) {
        size_t wanted = of->used + length;
        wanted = wanted < 2 * of->capacity ? 2 * of->capacity : wanted;
        uint8_t *grown = trawl_array_grow(of->result->bytes, wanted, 1, &of->capacity);
        of->no_memory = grown == NULL;
        if (grown == NULL) {
            return NULL;
        }
        of->result->bytes = grown;
    }
    return of->result->bytes + of->used;
}

static bool put(replacing *of, const void *bytes, size_t length) {
    uint8_t *to = make_room(of, length);
    if (to == NULL) {
        return false;
    }
    if (length != 0) {
        memcpy(to, bytes, length);
        of->used += length;
    }
    return true;
}

/* Copies the bytes of the current record up to `end`. */
static bool copy_until(replacing *of, const trawl_span *record, uint64_t end) {
    const uint8_t *bytes = record->bytes;
    bool none = bytes == NULL || end == of->copied;
    bool good = none || put(of, bytes + of->copied, (size_t)(end - of->copied));
    of->copied = end;
    return good;
}

/* Completes all records before `until`. */
static bool finish_records(replacing *of, uint64_t until) {
    bool good = true;
    for (; good && of->record < until; of->record++) {
        trawl_span record = record_at(&of->records, of->record);
        good = copy_until(of, &record, record.length);
        of->copied = 0;
        of->result->offsets[of->record + 1] = of->used;
    }
    return good;
}

static bool replace_match(replacing *of, const trawl_record_match *match) {
    const trawl_replace_options *options = &of->self->options;
    const trawl_match found = {.start = match->start, .end = match->end, .pattern = match->pattern};
    size_t length = 0;
    const uint8_t *with = trawl_replacer_with(of->self, &found, &length);
    if (with == NULL) {
        return true;
    }
    if (!finish_records(of, match->record)) {
        return false;
    }
    trawl_span record = record_at(&of->records, match->record);
    uint8_t *to = copy_until(of, &record, match->start) ? make_room(of, length) : NULL;
    if (to == NULL) {
        return false;
    }
    if (options->kind == TRAWL_REPLACE_MASK) {
        memset(to, options->mask, length);
    } else if (length != 0) {
        memcpy(to, with, length);
    }
    of->used += length;
    of->copied = match->end;
    of->replaced++;
    if (options->per_pattern != NULL) {
        options->per_pattern[match->pattern]++;
    }
    return true;
}

static int replace_matches(const trawl_record_match *matches, size_t count, void *context) {
    replacing *of = context;
    for (size_t i = 0; i < count; i++) {
        if (!replace_match(of, &matches[i])) {
            return 1;
        }
    }
    return 0;
}

/* Makes room for the offsets, and takes the memory of an earlier result. */
static trawl_status begin_result(replacing *of, trawl_error *error) {
    trawl_replaced_records *result = of->result;
    uint64_t count = of->records.count;
    size_t capacity = trawl_array_capacity(result->offsets, sizeof *result->offsets);
    if (count >= capacity) {
        uint64_t *offsets =
            count >= SIZE_MAX / sizeof *offsets
                ? NULL
                : trawl_array_grow(result->offsets, (size_t)count + 1, sizeof *offsets, &capacity);
        if (offsets == NULL) {
            return trawl_fail_memory(error, "results of records", (count + 1) * sizeof *offsets);
        }
        result->offsets = offsets;
    }
    result->offsets[0] = 0;
    of->capacity = trawl_array_capacity(result->bytes, 1);
    return TRAWL_OK;
}

trawl_status trawl_records_replace(trawl_replacer *replacer, const trawl_records *records,
                                   trawl_replaced_records *result, uint64_t *replaced,
                                   trawl_error *error) {
    trawl_clear(error);
    if (replacer == NULL || records == NULL || result == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_records_replace: %s is NULL",
                          replacer == NULL  ? "replacer"
                          : records == NULL ? "records"
                                            : "result");
    }
    trawl_status status = trawl_sized_check(records, "records", "TRAWL_RECORDS", error);
    if (status == TRAWL_OK && replacer->records == NULL) {
        status =
            trawl_record_scanner_open(replacer->db, &replacer->scan, &replacer->records, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    replacing of = {.self = replacer, .result = result};
    trawl_sized_read(&of.records, records, sizeof of.records);
    status = begin_result(&of, error);
    if (status == TRAWL_OK) {
        status = trawl_records_scan(replacer->records, records, replace_matches, &of, error);
    }
    if (status == TRAWL_OK) {
        (void)finish_records(&of, of.records.count);
    }
    if (of.no_memory) {
        status = trawl_fail_memory(error, "results of records", 2 * (uint64_t)of.capacity);
    }
    if (replaced != NULL) {
        *replaced = of.replaced;
    }
    return status;
}

void trawl_replaced_records_free(trawl_replaced_records *result) {
    if (result != NULL) {
        trawl_array_release(result->bytes);
        trawl_array_release(result->offsets);
        *result = (trawl_replaced_records){.bytes = NULL};
    }
}
