/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gpu/device_scan.h"

#include "gpu/device_memory.h"
#include "guard.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

const char *const form_names[FORMS] = {"count", "patterns", "matches", "ends", "states"};
const char *const table_path_names[TABLE_PATHS] = {"chosen", "texture", "read-only"};

/* ------------------------------------------------------------------ databases */

combination_outcome device_database_open(device_database *database, combination which,
                                         const test_case *test, combination_failure *failure) {
    *database = (device_database){.which = which};
    combination_outcome outcome =
        combination_compile(which, test, TRAWL_MATCH_ALL, &database->db, failure);
    if (outcome != COMBINATION_COMPILED)
        return outcome;
    trawl_error error = {.message = ""};
    trawl_cuda_upload_options options = TRAWL_CUDA_UPLOAD_OPTIONS;
    options.sample = test->length ? test->text : NULL;
    options.sample_length = test->length;
    trawl_status status = trawl_cuda_upload(database->db, &options, &database->uploaded, &error);
    if (status != TRAWL_OK || !database->uploaded) {
        snprintf(failure->what, sizeof(failure->what), "trawl_cuda_upload: %s: %s",
                 trawl_status_text(status), error.message);
        device_database_close(database);
        return COMBINATION_FAILED;
    }
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(database->db, &information, NULL);
    database->patterns = information.patterns;
    database->state_bytes = trawl_study_cuda_state_bytes(database->uploaded);
    if (database->state_bytes)
        state_names_make(&database->names, test, information.states);
    return COMBINATION_COMPILED;
}

void device_database_close(device_database *database) {
    trawl_cuda_db_free(database->uploaded);
    trawl_db_free(database->db);
    state_names_free(&database->names);
    *database = (device_database){.db = NULL};
}

const char *device_kernel_at(const char *engine, size_t index) {
    const char *wanted = getenv("TRAWL_TEST_KERNEL");
    trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION;
    for (size_t i = 0; trawl_kernel_describe(engine, i, &kernel); i++)
        if ((!wanted || !*wanted || strcmp(wanted, kernel.name) == 0) && index-- == 0)
            return kernel.name;
    return NULL;
}

/* ------------------------------------------------------------------ memory */

/* One block of device memory for everything but the workspace, with guard bytes between its zones,
 * and an image of it in host memory: a scan costs one copy to the device and one back. */
enum { GUARD = 256, POISON = 0xa5 };

typedef struct zone {
    size_t offset, bytes;
} zone;

enum { ZONE_TEXT, ZONE_TOTAL, ZONE_PATTERNS, ZONE_MATCHES, ZONE_ENDS, ZONE_STATES, ZONES };

static struct {
    uint8_t *device, *image; /* the block and its image */
    size_t bytes;
    uint8_t *workspace; /* GUARD bytes, the workspace, GUARD bytes */
    size_t workspace_bytes;
    void *stream;
    guarded text; /* emulated PLACE_EXACT */
} held;

static size_t aligned(size_t bytes) {
    return (bytes + GUARD - 1) / GUARD * GUARD;
}

static bool grow(size_t bytes, size_t workspace_bytes) {
    if (held.bytes < bytes) {
        device_release(held.device);
        pinned_release(held.image);
        held.bytes = bytes + bytes / 2;
        held.device = device_allocate(held.bytes);
        held.image = pinned_allocate(held.bytes);
    }
    if (held.workspace_bytes < workspace_bytes) {
        device_release(held.workspace);
        held.workspace_bytes = workspace_bytes + workspace_bytes / 2;
        held.workspace = device_allocate(held.workspace_bytes);
    }
    return held.device && held.image && held.workspace;
}

void device_scan_end(void) {
    device_release(held.device);
    pinned_release(held.image);
    device_release(held.workspace);
    if (held.stream)
        device_stream_release(held.stream);
    guarded_free(&held.text);
    memset(&held, 0, sizeof(held));
}

static bool is_poison(const uint8_t *bytes, size_t count) {
    return !count || (bytes[0] == POISON && memcmp(bytes, bytes + 1, count - 1) == 0);
}

/* ------------------------------------------------------------------ one check */

typedef struct check {
    device_database *database;
    const device_scan *scan;
    const test_case *test;
    uint64_t length;
    const expectation *expected;
    size_t first, last; /* of the expected matches */
    trawl_cuda_scan_options options;
    trawl_study_scan_options study; /* of options */
    trawl_cuda_results results;
    zone zones[ZONES];
    size_t bytes; /* of all zones and guards */
    size_t workspace_bytes;
    void *exact; /* text in an allocation of its own */
    void *stream;
    const message *complaint;
} check;

static uint64_t room_for(const check *work) {
    uint64_t total = work->last - work->first;
    switch (work->scan->room) {
    case ROOM_AMPLE:
        return total + 7;
    case ROOM_SHORT:
        return total > 1 ? total - 1 : total;
    case ROOM_ONE:
        return 1;
    case ROOM_NONE:
        return 0;
    default:
        return total;
    }
}

static void lay_out(check *work) {
    uint64_t owned = work->length - work->scan->owned;
    size_t bytes[ZONES] = {0};
    if (!work->exact)
        bytes[ZONE_TEXT] = (size_t)work->length;
    switch (work->scan->form) {
    case TRAWL_CUDA_PATTERNS:
        bytes[ZONE_PATTERNS] = work->database->patterns * sizeof(uint64_t);
        bytes[ZONE_TOTAL] = sizeof(uint64_t);
        break;
    case TRAWL_CUDA_MATCHES:
        work->results.capacity = room_for(work);
        bytes[ZONE_MATCHES] = (size_t)work->results.capacity * sizeof(trawl_cuda_match);
        bytes[ZONE_TOTAL] = sizeof(uint64_t);
        break;
    case TRAWL_CUDA_ENDS:
        bytes[ZONE_ENDS] = (size_t)((owned + 31) / 32 * sizeof(uint32_t));
        break;
    case TRAWL_CUDA_STATES:
        bytes[ZONE_STATES] = (size_t)owned * work->database->state_bytes;
        break;
    default:
        bytes[ZONE_TOTAL] = sizeof(uint64_t);
        break;
    }
    size_t at = GUARD;
    for (size_t i = 0; i < ZONES; i++) {
        work->zones[i] = (zone){.offset = at, .bytes = bytes[i]};
        if (i == ZONE_TEXT)
            work->zones[i].offset += work->scan->alignment;
        if (bytes[i])
            at = aligned(work->zones[i].offset + bytes[i]) + GUARD;
    }
    work->bytes = at;
}

static void *zone_address(const check *work, size_t index) {
    return work->zones[index].bytes ? held.device + work->zones[index].offset : NULL;
}

/* Places the text in memory that ends with its last byte. */
static bool place_exactly(check *work, const void **text) {
    if (device_is_emulated()) {
        guarded_copy(&held.text, work->test->text, (size_t)work->length,
                     work->scan->alignment % 2 != 0);
        work->exact = held.text.region;
        *text = held.text.bytes;
        return true;
    }
    uint8_t *memory = device_allocate((size_t)work->length + work->scan->alignment);
    work->exact = memory;
    if (!memory)
        return complain(work->complaint, "no device memory for the text: %s", device_complaint());
    *text = memory + work->scan->alignment;
    return device_write(memory + work->scan->alignment, work->test->text, (size_t)work->length,
                        work->stream) ||
           complain(work->complaint, "copying the text: %s", device_complaint());
}

static void leave_place(check *work) {
    if (!work->exact)
        return;
    if (device_is_emulated())
        guarded_pause(&held.text);
    else
        device_release(work->exact);
}

static bool start(check *work, const void *text) {
    static unsigned scans;
    trawl_error error = {.message = ""};
    memset(held.image, POISON, work->bytes);
    if (work->zones[ZONE_TEXT].bytes)
        memcpy(held.image + work->zones[ZONE_TEXT].offset, work->test->text,
               work->zones[ZONE_TEXT].bytes);
    if (!device_write(held.device, held.image, work->bytes, work->stream) ||
        !device_fill(held.workspace, POISON, 2 * GUARD + work->workspace_bytes, work->stream) ||
        /* The content of the workspace before a scan must not matter: every other scan finds zeros
         * there. */
        (++scans % 2 != 0 &&
         !device_fill(held.workspace + GUARD, 0, work->workspace_bytes, work->stream)))
        return complain(work->complaint, "preparing the memory: %s", device_complaint());
    work->results.total = zone_address(work, ZONE_TOTAL);
    work->results.per_pattern = zone_address(work, ZONE_PATTERNS);
    work->results.matches = zone_address(work, ZONE_MATCHES);
    work->results.ends = zone_address(work, ZONE_ENDS);
    work->results.states = zone_address(work, ZONE_STATES);
    if (!work->exact)
        text = zone_address(work, ZONE_TEXT);
    trawl_status status = trawl_cuda_scan(work->database->uploaded, &work->options, text,
                                          work->length, &work->results, held.workspace + GUARD,
                                          work->workspace_bytes, work->stream, &error);
    if (status != TRAWL_OK) {
        (void)device_wait(work->stream);
        return complain(work->complaint,
                        "trawl_cuda_scan, after trawl_cuda_workspace said yes: %s: %s",
                        trawl_status_text(status), error.message);
    }
    return device_read(held.image, held.device, work->bytes, work->stream) ||
           complain(work->complaint, "the scan: %s", device_complaint());
}

/* ------------------------------------------------------------------ comparing */

/* Checks that all bytes that are no result are unchanged. */
static bool untouched(check *work) {
    uint8_t edge[GUARD];
    const uint8_t *image = held.image;
    size_t at = 0;
    for (size_t i = 0; i < ZONES; i++) {
        static const char *const names[ZONES] = {"text",    "total", "per_pattern",
                                                 "matches", "ends",  "states"};
        const zone *here = &work->zones[i];
        if (!here->bytes)
            continue;
        if (!is_poison(image + at, here->offset - at))
            return complain(work->complaint, "wrote before %s", names[i]);
        if (!is_poison(image + here->offset + here->bytes, GUARD))
            return complain(work->complaint, "wrote behind %s", names[i]);
        at = here->offset + here->bytes;
    }
    if (!is_poison(image + at, work->bytes - at))
        return complain(work->complaint, "wrote behind the last result");
    if (work->zones[ZONE_TEXT].bytes && memcmp(image + work->zones[ZONE_TEXT].offset,
                                               work->test->text, work->zones[ZONE_TEXT].bytes) != 0)
        return complain(work->complaint, "wrote into the text");
    if (!device_read(edge, held.workspace, GUARD, work->stream))
        return complain(work->complaint, "reading back: %s", device_complaint());
    if (!is_poison(edge, GUARD))
        return complain(work->complaint, "wrote before the workspace");
    if (!device_read(edge, held.workspace + GUARD + work->workspace_bytes, GUARD, work->stream))
        return complain(work->complaint, "reading back: %s", device_complaint());
    return is_poison(edge, GUARD) ||
           complain(work->complaint, "wrote behind the workspace of %zu bytes",
                    work->workspace_bytes);
}

static uint64_t number_at(const check *work, size_t index, size_t i) {
    uint64_t number;
    memcpy(&number, held.image + work->zones[index].offset + i * sizeof(number), sizeof(number));
    return number;
}

static bool same_total(check *work) {
    uint64_t total = number_at(work, ZONE_TOTAL, 0), wanted = work->last - work->first;
    return total == wanted || complain(work->complaint, "total is %llu, expected %llu",
                                       (unsigned long long)total, (unsigned long long)wanted);
}

static bool same_patterns(check *work) {
    uint64_t *wanted = calloc(work->database->patterns, sizeof(*wanted));
    for (size_t i = work->first; i < work->last; i++)
        wanted[work->expected->matches.items[i].pattern]++;
    bool good = true;
    for (size_t id = 0; id < work->database->patterns && good; id++) {
        uint64_t found = number_at(work, ZONE_PATTERNS, id);
        if (found != wanted[id])
            good = complain(work->complaint, "pattern %zu has %llu matches, expected %llu", id,
                            (unsigned long long)found, (unsigned long long)wanted[id]);
    }
    free(wanted);
    return good;
}

static bool same_matches(check *work) {
    const uint8_t *records = held.image + work->zones[ZONE_MATCHES].offset;
    size_t total = work->last - work->first;
    if (total > work->results.capacity)
        return is_poison(records, work->zones[ZONE_MATCHES].bytes) ||
               complain(work->complaint, "wrote records although not all %zu of them fit into %llu",
                        total, (unsigned long long)work->results.capacity);
    for (size_t i = 0; i < total; i++) {
        const trawl_match *want = &work->expected->matches.items[work->first + i];
        trawl_cuda_match got;
        memcpy(&got, records + i * sizeof(got), sizeof(got));
        if (got.end != want->end + work->scan->base || got.pattern != want->pattern ||
            got.length != want->end - want->start)
            return complain(
                work->complaint,
                "match %zu of %zu is pattern %u, end %llu, length %u, expected %u, %llu, %llu", i,
                total, got.pattern, (unsigned long long)got.end, got.length, want->pattern,
                (unsigned long long)want->end + work->scan->base,
                (unsigned long long)(want->end - want->start));
    }
    size_t used = total * sizeof(trawl_cuda_match);
    return is_poison(records + used, work->zones[ZONE_MATCHES].bytes - used) ||
           complain(work->complaint, "wrote behind the last one of %zu records", total);
}

static bool same_ends(check *work) {
    const uint8_t *bits = held.image + work->zones[ZONE_ENDS].offset;
    size_t count = work->zones[ZONE_ENDS].bytes * 8, match = work->first;
    for (size_t i = 0; i < count; i++) {
        /* Words are little-endian, so bit i % 32 of word i / 32 is bit i % 8 of byte i / 8. */
        bool got = (bits[i / 8] >> (i % 8) & 1) != 0;
        bool want = false;
        uint64_t end = work->scan->owned + i + 1;
        for (; match < work->last && work->expected->matches.items[match].end == end; match++)
            want = true;
        if (got != want)
            return complain(work->complaint, "bit %zu of %llu (a match ends with byte %llu) is %d",
                            i, (unsigned long long)(work->length - work->scan->owned),
                            (unsigned long long)(end - 1), got);
    }
    return true;
}

static bool same_states(check *work) {
    const uint8_t *states = held.image + work->zones[ZONE_STATES].offset;
    size_t width = work->database->state_bytes;
    for (size_t i = 0; i < work->length - work->scan->owned; i++) {
        uint32_t state = 0;
        memcpy(&state, states + i * width, width); /* little-endian */
        uint32_t string = work->expected->strings[work->scan->owned + i];
        state_names *names = &work->database->names;
        if (!state_names_agree(names, state, string))
            return complain(
                work->complaint,
                "after byte %llu: state %u (stood for string %d), expected string %u (was "
                "state %d)",
                (unsigned long long)work->scan->owned + i, state,
                state < names->states ? (int)names->string_of[state] : -2, string,
                (int)names->state_of[string]);
    }
    return true;
}

static bool same(check *work) {
    switch (work->scan->form) {
    case TRAWL_CUDA_PATTERNS:
        return same_total(work) && same_patterns(work);
    case TRAWL_CUDA_MATCHES:
        return same_total(work) && same_matches(work);
    case TRAWL_CUDA_ENDS:
        return same_ends(work);
    case TRAWL_CUDA_STATES:
        return same_states(work);
    default:
        return same_total(work);
    }
}

/* ------------------------------------------------------------------ the check as a whole */

/* Whether the library accepts the scan. Tested first, so that refusals can be told from
 * failures. */
static device_outcome ask(check *work) {
    trawl_error error = {.message = ""};
    trawl_status status = trawl_cuda_workspace(work->database->uploaded, &work->options,
                                               work->length, &work->workspace_bytes, &error);
    if (status == TRAWL_OK)
        return DEVICE_SCANNED;
    return device_may_refuse(work->database, work->scan, status, &error, work->complaint->text,
                             work->complaint->size)
               ? DEVICE_REFUSED
               : DEVICE_FAILED;
}

device_outcome device_scan_check(device_database *database, const device_scan *scan,
                                 const test_case *test, uint64_t length,
                                 const expectation *expected, char *complaint, size_t size) {
    const message said = {.text = complaint, .size = size};
    check work = {.database = database,
                  .scan = scan,
                  .test = test,
                  .length = length,
                  .expected = expected,
                  .options = TRAWL_CUDA_SCAN_OPTIONS,
                  .study = TRAWL_STUDY_SCAN_OPTIONS,
                  .complaint = &said};
    expectation_range(expected, scan->owned, length, &work.first, &work.last);
    work.options.study = &work.study;
    work.options.form = scan->form;
    work.options.kernel = scan->kernel;
    work.options.owned = scan->owned;
    work.options.base = scan->base;
    work.study.block_threads = scan->block_threads;
    work.study.block_bytes = scan->block_bytes;
    work.study.table_path = scan->table_path;
    device_outcome outcome = ask(&work);
    if (outcome != DEVICE_SCANNED)
        return outcome;
    if (scan->own_stream && !held.stream)
        held.stream = device_stream_new();
    work.stream = scan->own_stream ? held.stream : NULL;
    const void *text = NULL;
    bool exact = scan->place == PLACE_EXACT || getenv("TRAWL_TEST_EXACT");
    bool good = !exact || place_exactly(&work, &text);
    lay_out(&work);
    if (good && !grow(work.bytes, aligned(2 * GUARD + work.workspace_bytes)))
        good = complain(work.complaint, "no device memory for the test: %s", device_complaint());
    good = good && start(&work, text) && same(&work) && untouched(&work);
    leave_place(&work);
    return good ? DEVICE_SCANNED : DEVICE_FAILED;
}

void device_scan_describe(const device_scan *scan, char *text, size_t size) {
    static const char *const rooms[ROOMS] = {"", ", ample room", ", room for all but one",
                                             ", room for one", ", no room"};
    const message words = {.text = text, .size = size};
    text[0] = '\0';
    message_append(&words, "kernel %s, %s%s", scan->kernel ? scan->kernel : "(default)",
                   form_names[scan->form],
                   scan->form == TRAWL_CUDA_MATCHES ? rooms[scan->room] : "");
    if (scan->table_path)
        message_append(&words, ", table path %s", table_path_names[scan->table_path]);
    if (scan->block_threads || scan->block_bytes)
        message_append(&words, ", T = %u, S_block = %u", scan->block_threads, scan->block_bytes);
    message_append(&words, ", alignment %u%s, owned from %llu, base %llu%s", scan->alignment,
                   scan->place == PLACE_EXACT ? ", exact" : "", (unsigned long long)scan->owned,
                   (unsigned long long)scan->base, scan->own_stream ? ", in a stream" : "");
}
