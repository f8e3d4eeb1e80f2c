/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/replace.h"

#include <string.h>

#include "base/allocate.h"
#include "base/sized.h"
#include "base/status.h"
#include "database/groups.h"
#include "run/flow.h"
#include "run/options.h"

/* Parts of at least this many bytes are handed out where they are, without being copied first. */
#define LARGE_PART ((size_t)4096)

static int replace_matches(const trawl_match *matches, size_t count, void *context);

/* ------------------------------------------------------------------ opening */

static trawl_status check_options(const trawl_db *db, const trawl_replace_options *options,
                                  trawl_error *error) {
    if (db->header->match_kind == TRAWL_MATCH_ALL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "matches of a database of kind 'all' may overlap: replacing needs "
                          "leftmost-longest or leftmost-first");
    }
    if ((unsigned)options->kind > TRAWL_REPLACE_MASK) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "unknown kind of replacement %u",
                          (unsigned)options->kind);
    }
    bool some = db->patterns.count != 0; /* else nothing is replaced, with whatever */
    if (some && options->kind == TRAWL_REPLACE_VALUES && !trawl_db_has_values(db)) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "no pattern of the database has a value to be replaced with");
    }
    if (some && options->kind == TRAWL_REPLACE_EACH && options->each == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "trawl_replacer_open: replacements of each pattern are NULL");
    }
    if (options->kind == TRAWL_REPLACE_ONE && options->one.bytes == NULL &&
        options->one.length != 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_replacer_open: one.bytes is NULL");
    }
    return TRAWL_OK;
}

/* Opens the run of a replacer with several threads. */
static trawl_status open_run(trawl_replacer *self, trawl_error *error) {
    const trawl_receiver receiver = {.on_matches = replace_matches};
    self->run = trawl_allocate_zeroed(1, sizeof *self->run);
    if (self->run == NULL) {
        return trawl_fail_memory(error, "a replacer", sizeof *self->run);
    }
    return trawl_run_open(self->run, self->db, &self->scan, &receiver, NULL, error);
}

/* Copies the options of the scan, without reports. */
static trawl_status read_scan(trawl_replacer *self, trawl_error *error) {
    if (self->options.scan == NULL) {
        return TRAWL_OK;
    }
    trawl_status status =
        trawl_sized_check(self->options.scan, "scan options", "TRAWL_SCAN_OPTIONS", error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_sized_read(&self->scan, self->options.scan, sizeof self->scan);
    self->scan.size = sizeof self->scan;
    self->scan.report = NULL;
    status = trawl_study_options_read(self->scan.study, &self->study, error);
    self->study.size = sizeof self->study;
    self->study.report = NULL;
    self->scan.study = self->scan.study == NULL ? NULL : &self->study;
    return status;
}

static trawl_status prepare(trawl_replacer *self, trawl_error *error) {
    trawl_status status = read_scan(self, error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_scan_options alone = self->scan;
    alone.threads = 1;
    size_t flow = trawl_flow_bytes(self->db), kept = (size_t)self->db->header->max_length + 1;
    self->gathered = trawl_allocate(TRAWL_GATHERED, 1);
    self->flow = trawl_allocate(flow, 1);
    self->kept = trawl_allocate(kept, 1);
    if (self->gathered == NULL || self->flow == NULL || self->kept == NULL) {
        return trawl_fail_memory(error, "a replacer", TRAWL_GATHERED + flow + kept);
    }
    trawl_flow_start(self->flow);
    status = trawl_scanner_open(self->db, &alone, &self->scanner, error);
    /* The scanner has accepted the device, so it is the CPU, which needs none of these. */
    self->scan.device = self->scan.kernel = self->scan.transfer = NULL;
    return status == TRAWL_OK && self->scan.threads > 1 ? open_run(self, error) : status;
}

trawl_status trawl_replacer_open(const trawl_db *db, const trawl_replace_options *options,
                                 trawl_replacer **replacer, trawl_error *error) {
    trawl_clear(error);
    if (db == NULL || replacer == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_replacer_open: %s is NULL",
                          db == NULL ? "db" : "replacer");
    }
    *replacer = NULL;
    trawl_replace_options read = TRAWL_REPLACE_OPTIONS;
    trawl_status status =
        options == NULL ? TRAWL_OK
                        : trawl_sized_check(options, "options", "TRAWL_REPLACE_OPTIONS", error);
    if (status == TRAWL_OK && options != NULL) {
        trawl_sized_read(&read, options, sizeof read);
    }
    status = status == TRAWL_OK ? check_options(db, &read, error) : status;
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_replacer *made = trawl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        return trawl_fail_memory(error, "a replacer", sizeof *made);
    }
    made->db = db;
    made->options = read;
    made->scan = (trawl_scan_options)TRAWL_SCAN_OPTIONS;
    status = prepare(made, error);
    if (status != TRAWL_OK) {
        trawl_replacer_close(made);
        return status;
    }
    *replacer = made;
    return TRAWL_OK;
}

void trawl_replacer_close(trawl_replacer *replacer) {
    if (replacer != NULL) {
        trawl_scanner_close(replacer->scanner);
        if (replacer->run != NULL) {
            trawl_run_close(replacer->run);
            trawl_release(replacer->run);
        }
        trawl_record_scanner_close(replacer->records);
        trawl_release(replacer->gathered);
        trawl_release(replacer->flow);
        trawl_release(replacer->kept);
        trawl_release(replacer);
    }
}

const uint8_t *trawl_replacer_with(const trawl_replacer *self, const trawl_match *match,
                                   size_t *length) {
    static const uint8_t empty[1];
    const trawl_span *span = &self->options.one;
    switch (self->options.kind) {
    case TRAWL_REPLACE_MASK:
        *length = (size_t)(match->end - match->start);
        return empty;
    case TRAWL_REPLACE_EACH:
        span = &self->options.each[match->pattern];
        *length = span->length;
        return span->bytes;
    case TRAWL_REPLACE_ONE:
        *length = span->length;
        return span->bytes == NULL ? empty : span->bytes;
    default:
        return trawl_db_value(self->db, match->pattern, length);
    }
}

/* ------------------------------------------------------------------ the result */

static void hand_out(trawl_replace_output *out, const uint8_t *bytes, size_t length) {
    if (length != 0 && !out->stopped) {
        out->stopped = out->on_bytes(bytes, length, out->context) != 0;
    }
}

static void empty_output(trawl_replace_output *out) {
    if (out->on_bytes != NULL) {
        hand_out(out, out->bytes, out->used);
        out->used = 0;
    }
}

static void put(trawl_replace_output *out, const uint8_t *bytes, size_t length) {
    out->total += length;
    if (length > out->capacity - out->used) {
        empty_output(out);
    }
    if (out->on_bytes != NULL && length >= LARGE_PART) {
        empty_output(out);
        hand_out(out, bytes, length);
        return;
    }
    size_t room = out->capacity - out->used;
    size_t fits = length < room ? length : room;
    if (fits != 0) {
        memcpy(out->bytes + out->used, bytes, fits);
        out->used += fits;
    }
}

static void put_mask(trawl_replace_output *out, uint8_t mask, size_t length) {
    out->total += length;
    while (length != 0) {
        if (out->used == out->capacity) {
            empty_output(out);
        }
        size_t room = out->capacity - out->used;
        size_t fits = length < room ? length : room;
        if (fits == 0) {
            return; /* memory of the caller that is full */
        }
        memset(out->bytes + out->used, mask, fits);
        out->used += fits;
        length -= fits;
    }
}

static trawl_replace_output output_to(const trawl_replacer *self, trawl_on_bytes on_bytes,
                                      void *context) {
    return (trawl_replace_output){.bytes = self->gathered,
                                  .capacity = TRAWL_GATHERED,
                                  .on_bytes = on_bytes,
                                  .context = context};
}

/* ------------------------------------------------------------------ replacing */

/* A text that is being replaced. The result has its bytes [0, copied). `text` has the bytes from
 * text_at on; the replacer keeps the bytes before, as far as they are still needed. */
typedef struct replacing {
    trawl_replacer *self;
    trawl_replace_output out;
    const uint8_t *text;
    uint64_t text_at, copied;
    uint64_t replaced;
} replacing;

/* Copies the text up to `end`. */
static void copy_until(replacing *of, uint64_t end) {
    const trawl_replacer *self = of->self;
    if (of->copied < of->text_at && of->copied < end) {
        uint64_t until = end < of->text_at ? end : of->text_at;
        put(&of->out, self->kept + (size_t)(of->copied - self->kept_at),
            (size_t)(until - of->copied));
        of->copied = until;
    }
    if (of->copied < end) {
        put(&of->out, of->text + (size_t)(of->copied - of->text_at), (size_t)(end - of->copied));
        of->copied = end;
    }
}

static int replace_matches(const trawl_match *matches, size_t count, void *context) {
    replacing *of = context;
    const trawl_replace_options *options = &of->self->options;
    for (size_t i = 0; i < count && !of->out.stopped; i++) {
        const trawl_match *match = &matches[i];
        size_t length = 0;
        const uint8_t *with = trawl_replacer_with(of->self, match, &length);
        if (with == NULL) {
            continue;
        }
        copy_until(of, match->start);
        if (options->kind == TRAWL_REPLACE_MASK) {
            put_mask(&of->out, options->mask, length);
        } else {
            put(&of->out, with, length);
        }
        of->copied = match->end;
        of->replaced++;
        if (options->per_pattern != NULL) {
            options->per_pattern[match->pattern]++;
        }
    }
    return of->out.stopped;
}

/* The run that is used for a text or piece of `length` bytes; NULL: the scanner is faster. */
static trawl_run *run_for(const trawl_replacer *self, size_t length) {
    trawl_run *run = self->run;
    return run != NULL && (length >= 2 * TRAWL_RUN_SMALLEST_SHARE || run->options.chunk_bytes != 0)
               ? run
               : NULL;
}

static trawl_status search_with_threads(replacing *of, trawl_run *run, size_t length) {
    const trawl_window window = {.text = of->text, .length = length};
    run->delivery.receiver.context = of;
    trawl_delivery_restart(&run->delivery, 0);
    trawl_status status = trawl_run_window(run, &window, NULL);
    return status == TRAWL_OK ? trawl_delivery_finish(&run->delivery) : status;
}

static trawl_status replace_text(replacing *of, size_t length) {
    trawl_run *run = run_for(of->self, length);
    trawl_status status = run != NULL ? search_with_threads(of, run, length)
                                      : trawl_scanner_scan_batches(of->self->scanner, of->text,
                                                                   length, replace_matches, of);
    if (status == TRAWL_OK) {
        copy_until(of, length);
        empty_output(&of->out);
    }
    return of->out.stopped ? TRAWL_STOPPED : status;
}

trawl_status trawl_replace(trawl_replacer *replacer, const void *text, size_t length,
                           trawl_on_bytes on_bytes, void *context, uint64_t *replaced) {
    if (replacer == NULL || on_bytes == NULL || (text == NULL && length != 0)) {
        return TRAWL_ERROR_ARGUMENT;
    }
    replacing of = {.self = replacer, .out = output_to(replacer, on_bytes, context), .text = text};
    trawl_status status = replace_text(&of, length);
    if (replaced != NULL) {
        *replaced = of.replaced;
    }
    return status;
}

trawl_status trawl_replace_into(trawl_replacer *replacer, const void *text, size_t length,
                                void *out, size_t capacity, uint64_t *needed, uint64_t *replaced) {
    if (replacer == NULL || (text == NULL && length != 0) || (out == NULL && capacity != 0)) {
        return TRAWL_ERROR_ARGUMENT;
    }
    replacing of = {.self = replacer, .out = {.bytes = out, .capacity = capacity}, .text = text};
    trawl_status status = replace_text(&of, length);
    if (needed != NULL) {
        *needed = of.out.total;
    }
    if (replaced != NULL) {
        *replaced = of.replaced;
    }
    return status == TRAWL_OK && of.out.total > capacity ? TRAWL_ERROR_LIMIT : status;
}

/* ------------------------------------------------------------------ pieces */

void trawl_replacer_start(trawl_replacer *replacer) {
    if (replacer != NULL) {
        trawl_flow_start(replacer->flow);
        replacer->kept_length = 0;
        replacer->kept_at = 0;
        replacer->flow_replaced = 0;
        replacer->flow_status = TRAWL_OK;
    }
}

/* Keeps the bytes of the text from of->copied on; the text ends with the piece, of `length`
 * bytes. */
static void keep_rest(const replacing *of, size_t length) {
    trawl_replacer *self = of->self;
    size_t rest = (size_t)(of->text_at + length - of->copied);
    size_t of_piece = rest < length ? rest : length, of_kept = rest - of_piece;
    if (of_kept != 0) {
        memmove(self->kept, self->kept + self->kept_length - of_kept, of_kept);
    }
    if (of_piece != 0) {
        memcpy(self->kept + of_kept, of->text + length - of_piece, of_piece);
    }
    self->kept_length = rest;
    self->kept_at = of->copied;
}

/* Goes on with a text in pieces, when the next piece has come. */
static replacing next_piece(trawl_replacer *self, const void *piece, trawl_on_bytes on_bytes,
                            void *context) {
    return (replacing){.self = self,
                       .out = output_to(self, on_bytes, context),
                       .text = piece,
                       .text_at = self->kept_at + self->kept_length,
                       .copied = self->kept_at};
}

trawl_status trawl_replacer_write(trawl_replacer *replacer, const void *piece, size_t length,
                                  trawl_on_bytes on_bytes, void *context) {
    if (replacer == NULL || on_bytes == NULL || (piece == NULL && length != 0)) {
        return TRAWL_ERROR_ARGUMENT;
    }
    if (replacer->flow_status != TRAWL_OK || length == 0) {
        return replacer->flow_status;
    }
    replacing of = next_piece(replacer, piece, on_bytes, context);
    const trawl_flow_piece next = {.bytes = piece, .length = length};
    const trawl_receiver receiver = {.on_matches = replace_matches, .context = &of};
    trawl_status status = trawl_flow_search(replacer->scanner, run_for(replacer, length),
                                            replacer->flow, &next, &receiver, NULL);
    /* Matches that start before this offset have been handed out (run/delivery.h). With conditions
     * the last byte is not searched yet. A match that stays as it is may reach behind the offset.
     */
    uint64_t searched = of.text_at + length - (replacer->db->conditions.records != NULL);
    uint64_t max_length = replacer->db->header->max_length;
    if (status == TRAWL_OK) {
        copy_until(&of, searched < max_length ? 0 : searched - max_length + 1);
        empty_output(&of.out);
    }
    replacer->flow_replaced += of.replaced;
    replacer->flow_status = of.out.stopped ? TRAWL_STOPPED : status;
    if (replacer->flow_status == TRAWL_OK) {
        keep_rest(&of, length);
    }
    return replacer->flow_status;
}

trawl_status trawl_replacer_finish(trawl_replacer *replacer, trawl_on_bytes on_bytes, void *context,
                                   uint64_t *replaced) {
    if (replacer == NULL || on_bytes == NULL) {
        return TRAWL_ERROR_ARGUMENT;
    }
    trawl_status status = replacer->flow_status;
    if (status == TRAWL_OK) {
        replacing of = next_piece(replacer, NULL, on_bytes, context);
        status = trawl_flow_finish(replacer->scanner, replacer->flow, replace_matches, &of);
        if (status == TRAWL_OK) {
            copy_until(&of, of.text_at);
            empty_output(&of.out);
        }
        replacer->flow_replaced += of.replaced;
        status = of.out.stopped ? TRAWL_STOPPED : status;
    }
    if (replaced != NULL) {
        *replaced = replacer->flow_replaced;
    }
    trawl_replacer_start(replacer);
    return status;
}
