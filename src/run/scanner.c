/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/scanner.h"

#include "base/allocate.h"
#include "base/cpu.h"
#include "base/status.h"
#include "database/groups.h"
#include "engines/engines.h"
#include "run/case_pair.h"
#include "run/fallback.h"
#include "run/options.h"
#include "run/stretches.h"
#include "scan/conditions.h"

/* Owned bytes of a part where the first match ends the search. */
#define ANY_BYTES ((size_t)65536)

/* ------------------------------------------------------------------ opening */

/* The open_fallback of a scanner that is open: it allocates nothing, so there is no fallback
 * automaton. */
static trawl_status open_no_fallback(const trawl_db *db, trawl_walker **walker,
                                     trawl_error *error) {
    (void)db;
    (void)error;
    *walker = NULL;
    return TRAWL_OK;
}

static trawl_status read_options(const trawl_db *db, const trawl_scan_options *options,
                                 trawl_scan_settings *settings, trawl_error *error) {
    trawl_wanted_report unused;
    trawl_status status = trawl_options_read(db, options, settings, &unused, error);
    settings->report = NULL;
    if (status == TRAWL_OK && settings->device != NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "a scanner works on the CPU: device '%.40s' is for trawl_scan",
                          settings->device);
    }
    if (status == TRAWL_OK && settings->threads > 1) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "a scanner is for one thread, not %u: open one for each",
                          settings->threads);
    }
    return status;
}

/* Opens the parts that every scanner has. */
static trawl_status prepare(trawl_scanner *scanner, const trawl_scan_settings *settings,
                            trawl_error *error) {
    const trawl_receiver none = {.context = NULL};
    trawl_cpu_set cpu; /* a wrong TRAWL_CPU is an error with every engine */
    trawl_status status = trawl_cpu_choose(&cpu, error);
    if (status == TRAWL_OK && scanner->db->rare_bytes != NULL) {
        scanner->rare_bytes = trawl_byte_finder_for(scanner->db->rare_bytes, cpu);
    }
    status = status != TRAWL_OK
                 ? status
                 : trawl_delivery_open(&scanner->delivery, scanner->db, &none, NULL, error);
    if (status != TRAWL_OK) {
        return status;
    }
    scanner->matches = trawl_allocate(TRAWL_SCANNER_BATCH, sizeof *scanner->matches);
    if (scanner->matches == NULL) {
        return trawl_fail_memory(error, "a scanner",
                                 TRAWL_SCANNER_BATCH * sizeof *scanner->matches);
    }
    const trawl_walker_type *type = trawl_case_pair_walker_of(scanner->db);
    status = type->open(scanner->db, settings, &scanner->walker, error);
    if (status == TRAWL_OK) {
        scanner->walker->threads = 1;
        trawl_fallback_offer(scanner->walker);
    }
    return status;
}

/* Allocates all that later calls may need. */
static trawl_status reserve(trawl_scanner *scanner, trawl_error *error) {
    trawl_status status = trawl_delivery_reserve(&scanner->delivery, error);
    if (status != TRAWL_OK) {
        return status;
    }
    size_t joint = 2 * (trawl_db_overlap(scanner->db) + 1);
    scanner->seen = trawl_allocate_zeroed(scanner->db->patterns.count, sizeof *scanner->seen);
    scanner->joint = trawl_allocate(joint, 1);
    if (scanner->seen == NULL || scanner->joint == NULL) {
        return trawl_fail_memory(error, "a scanner",
                                 joint + scanner->db->patterns.count * sizeof *scanner->seen);
    }
    trawl_walker *walker = scanner->walker;
    status = walker->type->reserve == NULL ? TRAWL_OK : walker->type->reserve(walker, error);
    walker->open_fallback = open_no_fallback;
    return status;
}

static void close_idle(trawl_idle_scanner *scanner) {
    trawl_scanner_close((trawl_scanner *)scanner);
}

static trawl_status open_scanner(const trawl_db *db, const trawl_scan_settings *settings,
                                 bool reserves, trawl_scanner **scanner, trawl_error *error) {
    trawl_scanner *made = trawl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        return trawl_fail_memory(error, "a scanner", sizeof *made);
    }
    made->idle.close = close_idle;
    made->db = db;
    trawl_status status = prepare(made, settings, error);
    if (status == TRAWL_OK && reserves) {
        status = reserve(made, error);
    }
    if (status != TRAWL_OK) {
        trawl_scanner_close(made);
        return status;
    }
    *scanner = made;
    return TRAWL_OK;
}

trawl_status trawl_scanner_open_unreserved(const trawl_db *db, trawl_scanner **scanner,
                                           trawl_error *error) {
    static const trawl_scan_settings settings = {.threads = 1};
    return open_scanner(db, &settings, false, scanner, error);
}

trawl_status trawl_scanner_open(const trawl_db *db, const trawl_scan_options *options,
                                trawl_scanner **scanner, trawl_error *error) {
    trawl_clear(error);
    if (db == NULL || scanner == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_scanner_open: %s is NULL",
                          db == NULL ? "db" : "scanner");
    }
    *scanner = NULL;
    trawl_scan_settings settings;
    trawl_status status = read_options(db, options, &settings, error);
    return status == TRAWL_OK ? open_scanner(db, &settings, true, scanner, error) : status;
}

void trawl_scanner_allow_fallback(trawl_scanner *scanner) {
    scanner->walker->open_fallback = trawl_fallback_open;
}

void trawl_scanner_close(trawl_scanner *scanner) {
    if (scanner != NULL) {
        if (scanner->walker != NULL) {
            scanner->walker->type->close(scanner->walker);
        }
        trawl_delivery_close(&scanner->delivery);
        trawl_release(scanner->matches);
        trawl_release(scanner->seen);
        trawl_release(scanner->joint);
        trawl_release(scanner);
    }
}

/* ------------------------------------------------------------------ walking */

/* The parts of a text that the walker is shown, one after the other: all of it, or the stretches
 * around rare bytes, one of which every pattern contains (run/stretches.h). */
typedef struct text_parts {
    const trawl_scanner *scanner;
    const trawl_window *text;
    size_t most;       /* owned bytes of a part, at most */
    size_t begin, end; /* positions of the present stretch that have not been shown */
    trawl_stretches stretches;
} text_parts;

static void begin_parts(text_parts *parts, const trawl_scanner *scanner, const trawl_window *text,
                        size_t most) {
    parts->scanner = scanner;
    parts->text = text;
    parts->most = most;
    parts->begin = parts->end = text->owned;
    if (scanner->db->rare_bytes == NULL) {
        parts->end = text->length;
    } else {
        parts->stretches = trawl_stretches_of(scanner->db, &scanner->rare_bytes, text);
    }
}

/* Moves to the next stretch, if there is one. */
static bool next_stretch(text_parts *parts) {
    return parts->scanner->db->rare_bytes != NULL &&
           trawl_stretches_next(&parts->stretches, &parts->begin, &parts->end);
}

static bool next_part(text_parts *parts, trawl_window *part) {
    if (parts->begin >= parts->end && !next_stretch(parts)) {
        return false;
    }
    size_t begin = parts->begin;
    size_t end = parts->end - begin < parts->most ? parts->end : begin + parts->most;
    *part = trawl_window_cut(parts->text, trawl_db_overlap(parts->scanner->db), begin, end);
    parts->begin = end;
    return true;
}

/* Owned bytes of a part at most. */
static size_t longest_part(const trawl_scanner *scanner) {
    return scanner->walker->type->long_windows ? SIZE_MAX
                                               : TRAWL_WINDOW_MAX - scanner->db->header->max_length;
}

/* Whether a text is one part of at most so many bytes. The walker is shown the text itself then: of
 * a call for 64 bytes dividing takes a tenth of the time. */
static bool is_undivided(const trawl_scanner *scanner, const trawl_window *text, size_t most) {
    return scanner->db->rare_bytes == NULL && text->owned < text->length && text->length <= most;
}

/* Shows a part to the walker, and drops what the conditions of patterns exclude. */
static trawl_status walk_part(const trawl_scanner *scanner, const trawl_window *part,
                              trawl_scanner_sink *into, trawl_error *error) {
    trawl_walker *walker = scanner->walker;
    into->window = part;
    trawl_status status = walker->type->scan(walker, part, &into->sink, error);
    if (status == TRAWL_OK && !into->untested) {
        trawl_conditions_drop(scanner->db, part, &into->sink, into->tested);
        into->tested = into->sink.count;
    }
    return status;
}

trawl_status trawl_scanner_walk(const trawl_scanner *scanner, const trawl_window *text,
                                trawl_scanner_sink *into, trawl_error *error) {
    if (is_undivided(scanner, text, longest_part(scanner))) {
        return walk_part(scanner, text, into, error);
    }
    trawl_status status = TRAWL_OK;
    text_parts parts;
    trawl_window part;
    begin_parts(&parts, scanner, text, longest_part(scanner));
    while (status == TRAWL_OK && next_part(&parts, &part)) {
        status = walk_part(scanner, &part, into, error);
    }
    into->window = NULL; /* `part` ends here; what it has found has been tested */
    return status;
}

trawl_status trawl_scanner_deliver(trawl_sink *sink) {
    trawl_scanner_sink *into = (trawl_scanner_sink *)sink;
    trawl_scanner *scanner = into->scanner;
    if (into->window != NULL) {
        trawl_conditions_drop(scanner->db, into->window, sink, into->tested);
    }
    into->tested = 0;
    size_t count = sink->count;
    sink->count = 0;
    return trawl_delivery_put(&scanner->delivery, sink->matches, count);
}

trawl_status trawl_scanner_text(trawl_scanner *scanner, const trawl_window *text,
                                uint64_t *per_pattern, trawl_error *error) {
    trawl_scanner_sink into = {.sink = {.matches = scanner->matches,
                                        .capacity = TRAWL_SCANNER_BATCH,
                                        .flush = trawl_scanner_deliver},
                               .scanner = scanner};
    trawl_delivery *delivery = &scanner->delivery;
    delivery->per_pattern = per_pattern;
    delivery->delivered = 0;
    const bool selects = delivery->kind != TRAWL_MATCH_ALL;
    if (selects) {
        trawl_delivery_restart(delivery, 0);
    }
    trawl_status status = trawl_scanner_walk(scanner, text, &into, error);
    if (status == TRAWL_OK && into.sink.count != 0) {
        status = trawl_scanner_deliver(&into.sink);
    }
    if (!selects) {
        return status;
    }
    status = status == TRAWL_OK ? trawl_delivery_finish(delivery) : status;
    return delivery->leftmost.no_memory ? trawl_fail_memory(error, "selecting matches", 0) : status;
}

/* The same for a scanner that has reserved its memory. */
static trawl_status scan(trawl_scanner *scanner, const void *text, size_t length,
                         uint64_t *per_pattern) {
    const trawl_window whole = {.text = text, .length = length, .one_text = true};
    return trawl_scanner_text(scanner, &whole, per_pattern, NULL);
}

/* ------------------------------------------------------------------ the forms */

/* Without a scanner or a text nothing is found. */
static bool can_scan(const trawl_scanner *scanner, const void *text, size_t length) {
    return scanner != NULL && (text != NULL || length == 0);
}

/* `flush` of a sink with room for one match, which is full. */
static trawl_status stop(trawl_sink *sink) {
    const trawl_scanner_sink *into = (trawl_scanner_sink *)sink;
    trawl_conditions_drop(into->scanner->db, into->window, sink, 0);
    return sink->count == 0 ? TRAWL_OK : TRAWL_STOPPED;
}

static int keep_first(const trawl_match *matches, size_t count, void *context) {
    (void)count;
    *(trawl_match *)context = matches[0];
    return 1;
}

bool trawl_scanner_any(trawl_scanner *scanner, const void *text, size_t length,
                       trawl_match *first) {
    if (!can_scan(scanner, text, length)) {
        return false;
    }
    if (first != NULL && scanner->delivery.kind != TRAWL_MATCH_ALL) {
        scanner->delivery.receiver = (trawl_receiver){.on_matches = keep_first, .context = first};
        return scan(scanner, text, length, NULL) == TRAWL_STOPPED;
    }
    /* Any occurrence answers the question: for the leftmost kinds one is selected where there is
     * any. The walker is shown little text at a time, because it stops only when it asks for room
     * for a second match. */
    trawl_walker *walker = scanner->walker;
    const trawl_window whole = {.text = text, .length = length, .one_text = true};
    trawl_scanner_sink into = {
        .sink = {.matches = first != NULL ? first : scanner->matches, .capacity = 1, .flush = stop},
        .scanner = scanner};
    text_parts parts;
    trawl_window part;
    begin_parts(&parts, scanner, &whole, ANY_BYTES);
    while (into.sink.count == 0 && next_part(&parts, &part)) {
        into.window = &part;
        (void)walker->type->scan(walker, &part, &into.sink, NULL);
        trawl_conditions_drop(scanner->db, &part, &into.sink, 0);
    }
    return into.sink.count != 0;
}

static int note_ids(const trawl_match *matches, size_t count, void *context) {
    trawl_scanner *scanner = context;
    const trawl_group_view *groups = &scanner->db->groups;
    for (size_t i = 0; i < count; i++) {
        uint32_t index = trawl_group_index(groups, matches[i].pattern);
        if (scanner->seen[index] != scanner->turn) {
            scanner->seen[index] = scanner->turn;
            if (scanner->found < scanner->capacity) {
                scanner->ids[scanner->found] = trawl_group_of_index(groups, index);
            }
            scanner->found++;
        }
    }
    return scanner->found == groups->count;
}

trawl_receiver trawl_scanner_note_ids(trawl_scanner *scanner, uint32_t *ids, size_t capacity) {
    trawl_scanner_new_turn(scanner);
    scanner->ids = ids;
    scanner->capacity = ids == NULL ? 0 : capacity;
    scanner->found = 0;
    return (trawl_receiver){.on_matches = note_ids, .context = scanner};
}

size_t trawl_scanner_which(trawl_scanner *scanner, const void *text, size_t length, uint32_t *ids,
                           size_t capacity) {
    if (!can_scan(scanner, text, length)) {
        return 0;
    }
    scanner->delivery.receiver = trawl_scanner_note_ids(scanner, ids, capacity);
    (void)scan(scanner, text, length, NULL);
    return scanner->found;
}

trawl_status trawl_scanner_count_window(const trawl_scanner *scanner, const trawl_window *text,
                                        uint64_t *total, trawl_error *error) {
    trawl_walker *walker = scanner->walker;
    trawl_counts counts = {.total = *total};
    trawl_status status = TRAWL_OK;
    if (is_undivided(scanner, text, longest_part(scanner))) {
        status = walker->type->count(walker, text, &counts, error);
        *total = counts.total;
        return status;
    }
    text_parts parts;
    trawl_window part;
    begin_parts(&parts, scanner, text, longest_part(scanner));
    while (status == TRAWL_OK && next_part(&parts, &part)) {
        status = walker->type->count(walker, &part, &counts, error);
    }
    *total = counts.total;
    return status;
}

uint64_t trawl_scanner_count(trawl_scanner *scanner, const void *text, size_t length,
                             uint64_t *per_pattern) {
    if (!can_scan(scanner, text, length)) {
        return 0;
    }
    if (scanner->delivery.kind != TRAWL_MATCH_ALL || per_pattern != NULL ||
        trawl_db_has_conditions(scanner->db)) {
        scanner->delivery.receiver = (trawl_receiver){.context = NULL};
        (void)scan(scanner, text, length, per_pattern);
        return scanner->delivery.delivered;
    }
    const trawl_window whole = {.text = text, .length = length, .one_text = true};
    uint64_t total = 0;
    (void)trawl_scanner_count_window(scanner, &whole, &total, NULL);
    return total;
}

trawl_status trawl_scanner_scan(trawl_scanner *scanner, const void *text, size_t length,
                                trawl_on_match on_match, void *context) {
    if (on_match == NULL || !can_scan(scanner, text, length)) {
        return TRAWL_ERROR_ARGUMENT;
    }
    scanner->delivery.receiver = (trawl_receiver){.on_match = on_match, .context = context};
    return scan(scanner, text, length, NULL);
}

trawl_status trawl_scanner_scan_batches(trawl_scanner *scanner, const void *text, size_t length,
                                        trawl_on_matches on_matches, void *context) {
    if (on_matches == NULL || !can_scan(scanner, text, length)) {
        return TRAWL_ERROR_ARGUMENT;
    }
    scanner->delivery.receiver = (trawl_receiver){.on_matches = on_matches, .context = context};
    return scan(scanner, text, length, NULL);
}
