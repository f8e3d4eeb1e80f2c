/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "runner.h"

#include "case.h"
#include "guard.h"
#include "runner_flow.h"
#include "runner_records.h"
#include "runner_replace.h"
#include "runner_scanner.h"
#include "temporary.h"
#include "text_source.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the list of runners */

static const runner serial[] = {
    {.call = RUNNER_COLLECT},
    {.call = RUNNER_SCAN},
    {.call = RUNNER_STOP},
    {.call = RUNNER_COLLECT_AGAIN},
    {.call = RUNNER_BATCHES},
    {.call = RUNNER_BATCHES_STOP},
    {.call = RUNNER_COUNT},
    {.call = RUNNER_COUNT, .plain_walk = true},
    {.call = RUNNER_COLLECT, .plain_walk = true},
    {.call = RUNNER_COUNT_PATTERNS},
    {.call = RUNNER_SCANNER},
    {.call = RUNNER_SCANNER, .plain_walk = true},
    {.call = RUNNER_RECORDS},
    {.call = RUNNER_FLOW},
    {.call = RUNNER_FLOW, .plain_walk = true},
    {.call = RUNNER_REPLACE},
    {.call = RUNNER_REPLACE, .plain_walk = true},
    {.call = RUNNER_REPLACE, .threads = 2, .chunk_bytes = 9},
    {.call = RUNNER_RECORDS, .threads = 2, .chunk_bytes = 9},
    {.call = RUNNER_COLLECT, .chunk_bytes = 1},
    {.call = RUNNER_COLLECT, .chunk_bytes = 5},
    {.call = RUNNER_COLLECT, .origin = RUNNER_MEMORY},
    {.call = RUNNER_COUNT_PATTERNS, .origin = RUNNER_MEMORY},
    {.call = RUNNER_SCAN, .origin = RUNNER_FILE},
    {.call = RUNNER_COLLECT, .threads = 2, .chunk_bytes = 9, .copy_tables = true},
    {.call = RUNNER_COUNT, .threads = 2, .chunk_bytes = 9, .copy_tables = true},
    {.call = RUNNER_COLLECT, .threads = 2, .placement = TRAWL_PLACEMENT_SPREAD},
    {.call = RUNNER_COLLECT, .threads = 2, .placement = TRAWL_PLACEMENT_CLOSE},
    {.call = RUNNER_SCAN,
     .threads = 4,
     .chunk_bytes = 3,
     .placement = TRAWL_PLACEMENT_SPREAD,
     .copy_tables = true},
    {.call = RUNNER_COLLECT, .threads = TRAWL_THREADS_ALL, .chunk_bytes = 4},
    {.call = RUNNER_STOP, .threads = 2, .chunk_bytes = 3},
    {.call = RUNNER_SCAN, .threads = 3},
    {.call = RUNNER_BATCHES, .threads = 3, .chunk_bytes = 2},
    {.call = RUNNER_BATCHES_STOP, .threads = 2, .chunk_bytes = 3},
    {.call = RUNNER_COLLECT_AGAIN, .threads = 4, .chunk_bytes = 1},
    {.call = RUNNER_BATCHES, .source = true},
    {.call = RUNNER_BATCHES_STOP, .source = true, .threads = 2, .piece_bytes = 3},
    {.call = RUNNER_COUNT, .source = true, .threads = 2, .chunk_bytes = 3, .piece_bytes = 1},
    {.call = RUNNER_COUNT_PATTERNS, .source = true, .piece_bytes = 5},
    {.call = RUNNER_STREAM_BATCHES, .threads = 2, .chunk_bytes = 3, .piece_bytes = 11},
    {.call = RUNNER_STREAM, .threads = 2, .chunk_bytes = 3, .piece_bytes = 0},
    {.call = RUNNER_STREAM, .threads = 2, .chunk_bytes = 2, .piece_bytes = 7, .flush = true},
    {.call = RUNNER_STREAM, .threads = 4, .chunk_bytes = 1, .piece_bytes = 5},
    {.call = RUNNER_STREAM_COUNT, .threads = 2, .chunk_bytes = 2, .piece_bytes = 7, .flush = true},
    {.call = RUNNER_STREAM, .origin = RUNNER_MEMORY, .piece_bytes = 2},
};

/* Crossed with one another. */
static const runner_call threaded_calls[] = {RUNNER_COLLECT, RUNNER_COUNT_PATTERNS};
static const uint32_t thread_counts[] = {2, 3, 4};
static const size_t chunk_sizes[] = {1, 2, 3, 7, 64};
static const runner_call stream_calls[] = {RUNNER_STREAM, RUNNER_STREAM_COUNT,
                                           RUNNER_STREAM_COUNT_TOTAL, RUNNER_STREAM_BATCHES};
static const size_t piece_sizes[] = {1, 2, 3, 17, 0, RUNNER_PIECE_RANDOM};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define THREADED (COUNT_OF(threaded_calls) * COUNT_OF(thread_counts) * COUNT_OF(chunk_sizes))
#define STREAMED (COUNT_OF(stream_calls) * COUNT_OF(piece_sizes) * 2)

size_t runner_count(void) {
    return COUNT_OF(serial) + THREADED + STREAMED +
           (runner_device_wanted() ? runner_device_count() : 0);
}

runner runner_at(size_t index) {
    if (index < COUNT_OF(serial))
        return serial[index];
    index -= COUNT_OF(serial);
    if (index < THREADED) {
        runner how = {.call = threaded_calls[index % COUNT_OF(threaded_calls)]};
        index /= COUNT_OF(threaded_calls);
        how.threads = thread_counts[index % COUNT_OF(thread_counts)];
        how.chunk_bytes = chunk_sizes[index / COUNT_OF(thread_counts)];
        return how;
    }
    index -= THREADED;
    if (index >= STREAMED)
        return runner_device_at(index - STREAMED, runner_device_wanted());
    runner how = {.call = stream_calls[index % COUNT_OF(stream_calls)]};
    index /= COUNT_OF(stream_calls);
    how.piece_bytes = piece_sizes[index % COUNT_OF(piece_sizes)];
    how.flush = index / COUNT_OF(piece_sizes) != 0;
    return how;
}

/* Large texts get large pieces: with tiny ones they would only take long. */
static size_t scale_for(size_t length) {
    return length > 20000 ? 1000 : 1;
}

runner runner_random(random_source *random, size_t length) {
    if (runner_device_wanted() && random_chance(random, 1, 50))
        return runner_device_random(random, length, runner_device_wanted());
    runner how = {.call = (runner_call)random_below(random, RUNNER_CALLS)};
    if (random_chance(random, 1, 4))
        how.origin = RUNNER_MEMORY;
    else if (random_chance(random, 1, 2000))
        how.origin = RUNNER_FILE;
    how.source = random_chance(random, 1, 3);
    how.plain_walk = random_chance(random, 1, 5);
    if (random_chance(random, 1, 2))
        how.chunk_bytes =
            random_between(random, 1, random_chance(random, 1, 2) ? 8 : 100) * scale_for(length);
    if (random_chance(random, 1, 8)) {
        how.threads = (uint32_t)random_between(random, 2, 4);
        how.copy_tables = random_chance(random, 1, 4);
        if (random_chance(random, 1, 8))
            how.placement = (trawl_placement)random_between(random, 1, 2);
    }
    how.flush = random_chance(random, 1, 3);
    how.piece_bytes = random_chance(random, 1, 2) ? RUNNER_PIECE_RANDOM
                                                  : random_below(random, 20) * scale_for(length);
    return how;
}

/* ------------------------------------------------------------------ words */

static const char *const call_names[RUNNER_CALLS] = {"collect",
                                                     "scan",
                                                     "scan that is stopped",
                                                     "collect again",
                                                     "scan by batches",
                                                     "scan by batches that is stopped",
                                                     "count",
                                                     "count per pattern",
                                                     "scanner",
                                                     "records",
                                                     "flow",
                                                     "replace",
                                                     "stream",
                                                     "counting stream",
                                                     "stream that only counts",
                                                     "stream by batches"};

static bool is_stream(const runner *how) {
    return how->call >= RUNNER_STREAM;
}

static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    if (used < size)
        vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void runner_describe(const runner *how, char *text, size_t size) {
    static const char *const origins[] = {"", ", database loaded from memory",
                                          ", database loaded from a file"};
    snprintf(text, size, "%s%s", call_names[how->call], origins[how->origin]);
    if (is_stream(how)) {
        if (how->piece_bytes == RUNNER_PIECE_RANDOM)
            append(text, size, ", random pieces");
        else if (how->piece_bytes)
            append(text, size, ", pieces of %zu", how->piece_bytes);
        append(text, size, "%s", how->flush ? ", flushed" : "");
    }
    if (how->source)
        append(text, size, ", as a source, %zu at a time", how->piece_bytes);
    if (how->threads)
        append(text, size, ", threads %u", how->threads);
    if (how->chunk_bytes)
        append(text, size, ", chunks of %zu", how->chunk_bytes);
    if (how->placement)
        append(text, size, ", placement %d", (int)how->placement);
    append(text, size, "%s", how->copy_tables ? ", tables copied" : "");
    append(text, size, "%s", how->plain_walk ? ", plain walk" : "");
    if (!how->device)
        return;
    append(text, size, ", device %s, kernel %u", how->device, how->kernel);
    if (how->transfer)
        append(text, size, ", transfer %s", how->transfer);
    if (how->segment_bytes)
        append(text, size, ", segments of %llu", (unsigned long long)how->segment_bytes);
    if (how->segments_in_flight)
        append(text, size, ", %u in flight", how->segments_in_flight);
    if (how->table_path)
        append(text, size, ", table path %d", (int)how->table_path);
}

void runner_options(const runner *how, char *text, size_t size) {
    text[0] = '\0';
    if (how->call == RUNNER_COUNT || how->call == RUNNER_STREAM_COUNT_TOTAL)
        append(text, size, " -c");
    if (how->threads && how->threads != TRAWL_THREADS_ALL)
        append(text, size, " --threads %u", how->threads);
    if (how->device)
        append(text, size, " --device %s", how->device);
    if (how->transfer)
        append(text, size, " --transfer %s", how->transfer);
}

/* ------------------------------------------------------------------ receiving and comparing */

typedef struct receiver {
    match_list found;
    size_t stop_after; /* 0: never */
    const char *complaint;
} receiver;

static int receive(const trawl_match *match, void *context) {
    receiver *to = context;
    if (match->reserved != 0)
        to->complaint = "a match whose reserved field is not 0";
    if (to->stop_after && to->found.count >= to->stop_after)
        to->complaint = "the callback was called again after it asked to stop";
    match_list_add(&to->found, match->pattern, match->start, match->end);
    return to->stop_after && to->found.count >= to->stop_after;
}

static int receive_batch(const trawl_match *matches, size_t count, void *context) {
    receiver *to = context;
    if (count == 0)
        to->complaint = "an empty batch";
    if (to->stop_after && to->found.count >= to->stop_after)
        to->complaint = "the callback was called again after it asked to stop";
    for (size_t i = 0; i < count; i++) {
        if (matches[i].reserved != 0)
            to->complaint = "a match whose reserved field is not 0";
        match_list_add(&to->found, matches[i].pattern, matches[i].start, matches[i].end);
    }
    return to->stop_after && to->found.count >= to->stop_after;
}

/* Compares with the first `count` expected matches. */
static bool same(const trawl_match *found, size_t found_count, const match_list *expected,
                 size_t count, char *complaint, size_t size) {
    for (size_t i = 0; i < found_count || i < count; i++) {
        const trawl_match *got = i < found_count ? &found[i] : NULL;
        const trawl_match *want = i < count ? &expected->items[i] : NULL;
        if (got && want && got->pattern == want->pattern && got->start == want->start &&
            got->end == want->end)
            continue;
        snprintf(complaint, size, "%zu matches, expected %zu; match %zu is ", found_count, count,
                 i);
        if (got)
            append(complaint, size, "%u:%llu-%llu, expected ", got->pattern,
                   (unsigned long long)got->start, (unsigned long long)got->end);
        else
            append(complaint, size, "missing, expected ");
        if (want)
            append(complaint, size, "%u:%llu-%llu", want->pattern, (unsigned long long)want->start,
                   (unsigned long long)want->end);
        else
            append(complaint, size, "no more");
        return false;
    }
    return true;
}

static bool same_counts(uint64_t total, const uint64_t *counts, size_t patterns,
                        const match_list *expected, char *complaint, size_t size) {
    if (total != expected->count) {
        snprintf(complaint, size, "counted %llu matches, expected %zu", (unsigned long long)total,
                 expected->count);
        return false;
    }
    if (!counts)
        return true;
    uint64_t *wanted = calloc(patterns ? patterns : 1, sizeof(*wanted));
    for (size_t i = 0; i < expected->count; i++)
        wanted[expected->items[i].pattern]++;
    bool good = true;
    for (size_t id = 0; id < patterns && good; id++)
        if (counts[id] != wanted[id]) {
            snprintf(complaint, size, "counted pattern %zu %llu times, expected %llu", id,
                     (unsigned long long)counts[id], (unsigned long long)wanted[id]);
            good = false;
        }
    free(wanted);
    return good;
}

static bool succeeded(trawl_status status, trawl_status wanted, const trawl_error *error,
                      char *complaint, size_t size) {
    if (status == wanted)
        return true;
    snprintf(complaint, size, "returned %s, expected %s: %s", trawl_status_text(status),
             trawl_status_text(wanted), error->message);
    return false;
}

/* ------------------------------------------------------------------ the calls */

typedef struct job {
    const runner *how;
    const trawl_db *db;
    const uint8_t *text;
    size_t length;
    size_t patterns;
    trawl_match_kind kind;
    bool conditions; /* patterns have some */
    const match_list *expected;
    trawl_scan_options options;
    trawl_study_scan_options study; /* of options */
    random_source *random;
    char *complaint;
    size_t complaint_size;
} job;

static bool check_scanner(job *work) {
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.study = &work->study;
    return runner_scanner_check(work->db, &options, work->text, work->length, work->expected,
                                work->random, work->complaint, work->complaint_size);
}

static bool check_flow(job *work) {
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.study = &work->study;
    return runner_flow_check(work->db, &options, work->text, work->length, work->expected,
                             work->random, work->complaint, work->complaint_size);
}

static bool check_replace(job *work) {
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.study = &work->study;
    return runner_replace_check(work->db, &options, work->text, work->length, work->expected,
                                work->random, work->complaint, work->complaint_size);
}

static bool check_records(job *work) {
    return runner_records_check(work->db, &work->options, work->text, work->length, work->random,
                                work->complaint, work->complaint_size);
}

static bool check_collect(job *work) {
    trawl_matches matches = {.items = NULL, .count = 99};
    trawl_error error = {.message = ""};
    trawl_status status =
        trawl_collect(work->db, work->text, work->length, &work->options, &matches, &error);
    if (!succeeded(status, TRAWL_OK, &error, work->complaint, work->complaint_size))
        return false;
    bool good = same(matches.items, matches.count, work->expected, work->expected->count,
                     work->complaint, work->complaint_size);
    trawl_matches_free(&matches);
    return good;
}

/* The array of one result, with wrong matches in it, takes the next one. */
static bool check_collect_again(job *work) {
    trawl_matches matches = {.items = NULL};
    trawl_error error = {.message = ""};
    bool good = true;
    for (int round = 0; round < 3 && good; round++) {
        trawl_status status = trawl_collect_into(work->db, work->text, work->length, &work->options,
                                                 &matches, &error);
        good = succeeded(status, TRAWL_OK, &error, work->complaint, work->complaint_size) &&
               same(matches.items, matches.count, work->expected, work->expected->count,
                    work->complaint, work->complaint_size);
        for (size_t i = 0; i < matches.count; i++)
            matches.items[i] = (trawl_match){.start = 1, .pattern = 77, .reserved = 5};
    }
    trawl_matches_free(&matches);
    return good;
}

/* Whether a scan ended as it must and handed out the first `expected` matches; frees them. */
static bool check_received(job *work, receiver *to, size_t expected, trawl_status status,
                           const trawl_error *error) {
    bool good = succeeded(status, to->stop_after ? TRAWL_STOPPED : TRAWL_OK, error, work->complaint,
                          work->complaint_size) &&
                same(to->found.items, to->found.count, work->expected, expected, work->complaint,
                     work->complaint_size);
    if (good && to->complaint) {
        snprintf(work->complaint, work->complaint_size, "%s", to->complaint);
        good = false;
    }
    match_list_free(&to->found);
    return good;
}

/* The text as a source, where the runner wants that. */
static const trawl_source *source_of(job *work, text_source *source) {
    text_source_open(source, work->text, work->length);
    if (work->how->piece_bytes != 0)
        source->most = work->how->piece_bytes;
    return work->how->source ? &source->source : NULL;
}

/* A batch may hold more matches than the one after which the callback stops. */
static bool check_batches(job *work, bool stop) {
    size_t expected = work->expected->count;
    receiver to = {.complaint = NULL};
    trawl_error error = {.message = ""};
    if (stop && expected)
        to.stop_after = random_between(work->random, 1, expected);
    text_source text;
    const trawl_source *source = source_of(work, &text);
    trawl_status status =
        source ? trawl_scan_source(work->db, source, &work->options, receive_batch, &to, &error)
               : trawl_scan_batches(work->db, work->text, work->length, &work->options,
                                    receive_batch, &to, &error);
    if (to.stop_after && to.found.count >= to.stop_after && to.found.count < expected)
        expected = to.found.count;
    return check_received(work, &to, expected, status, &error);
}

static bool check_scan(job *work, bool stop) {
    size_t expected = work->expected->count;
    receiver to = {.complaint = NULL};
    trawl_error error = {.message = ""};
    if (stop && expected)
        to.stop_after = expected = random_between(work->random, 1, expected);
    trawl_status status =
        trawl_scan(work->db, work->text, work->length, &work->options, receive, &to, &error);
    return check_received(work, &to, expected, status, &error);
}

static bool check_count(job *work, bool per_pattern) {
    uint64_t total = 77;
    uint64_t *counts = NULL;
    trawl_error error = {.message = ""};
    if (per_pattern) {
        counts = malloc((work->patterns + 1) * sizeof(*counts));
        memset(counts, 0x5a, (work->patterns + 1) * sizeof(*counts)); /* must be overwritten */
    }
    text_source text;
    const trawl_source *source = source_of(work, &text);
    trawl_status status =
        source ? trawl_count_source(work->db, source, &work->options, &total, counts, &error)
               : trawl_count(work->db, work->text, work->length, &work->options, &total, counts,
                             &error);
    bool good = succeeded(status, TRAWL_OK, &error, work->complaint, work->complaint_size) &&
                same_counts(total, counts, work->patterns, work->expected, work->complaint,
                            work->complaint_size);
    if (good && counts && counts[work->patterns] != UINT64_C(0x5a5a5a5a5a5a5a5a)) {
        snprintf(work->complaint, work->complaint_size, "wrote past the array of counters");
        good = false;
    }
    free(counts);
    return good;
}

/* Expected matches that end in the first `offset` bytes. */
static size_t expected_until(const match_list *expected, uint64_t offset) {
    size_t low = 0, high = expected->count; /* sorted by their ends */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (expected->items[middle].end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Writes the text piece by piece, each from a buffer that is overwritten afterwards. */
static bool write_pieces(job *work, trawl_stream *stream, trawl_error *error) {
    guarded piece = {0};
    bool good = true;
    size_t written = 0;
    do {
        size_t left = work->length - written;
        size_t size = work->how->piece_bytes;
        if (size == RUNNER_PIECE_RANDOM)
            size = random_below(work->random, random_chance(work->random, 1, 8) ? 200 : 10) *
                   scale_for(work->length);
        else if (!size)
            size = left;
        if (size > left)
            size = left;
        guarded_copy(&piece, size ? work->text + written : NULL, size,
                     random_chance(work->random, 1, 2));
        good = succeeded(trawl_stream_write(stream, piece.bytes, size, error), TRAWL_OK, error,
                         work->complaint, work->complaint_size);
        if (size)
            memset(piece.bytes, 0xa5, size);
        written += size;
        if (good && work->how->flush) {
            good = succeeded(trawl_stream_flush(stream, error), TRAWL_OK, error, work->complaint,
                             work->complaint_size);
            bool all = work->kind == TRAWL_MATCH_ALL;
            /* With conditions the last byte waits for the next one. */
            size_t waiting = work->conditions && written != 0;
            size_t wanted = all ? expected_until(work->expected, written - waiting) : 0;
            if (good && all && trawl_stream_matches(stream) != wanted) {
                snprintf(work->complaint, work->complaint_size,
                         "%llu matches after a flush at offset %zu, expected %zu",
                         (unsigned long long)trawl_stream_matches(stream), written, wanted);
                good = false;
            }
        }
        if (good && trawl_stream_offset(stream) != written) {
            snprintf(work->complaint, work->complaint_size, "trawl_stream_offset is %llu after %zu",
                     (unsigned long long)trawl_stream_offset(stream), written);
            good = false;
        }
    } while (good && written < work->length);
    guarded_free(&piece);
    return good;
}

static bool check_stream(job *work) {
    receiver to = {.complaint = NULL};
    trawl_error error = {.message = ""};
    trawl_stream *stream = NULL;
    bool batches = work->how->call == RUNNER_STREAM_BATCHES;
    bool calls_back = work->how->call == RUNNER_STREAM || batches;
    bool per_pattern = work->how->call == RUNNER_STREAM_COUNT;
    trawl_status status =
        batches ? trawl_stream_open_batches(work->db, &work->options, receive_batch, &to, &stream,
                                            &error)
                : trawl_stream_open(work->db, &work->options, calls_back ? receive : NULL, &to,
                                    &stream, &error);
    if (!succeeded(status, TRAWL_OK, &error, work->complaint, work->complaint_size))
        return false;
    uint64_t *counts = calloc(work->patterns ? work->patterns : 1, sizeof(*counts));
    bool good = !per_pattern || succeeded(trawl_stream_count_patterns(stream, counts, &error),
                                          TRAWL_OK, &error, work->complaint, work->complaint_size);
    good = good && write_pieces(work, stream, &error);
    if (!good) {
        trawl_stream_abandon(stream);
    } else {
        /* A stream that only counts tells its total until it is closed: all of it after a flush, or
         * with conditions when the text has ended. */
        bool total_known = work->kind == TRAWL_MATCH_ALL && !calls_back;
        if (total_known)
            good = succeeded(work->conditions ? trawl_stream_finish(stream, &error)
                                              : trawl_stream_flush(stream, &error),
                             TRAWL_OK, &error, work->complaint, work->complaint_size);
        uint64_t total = trawl_stream_matches(stream);
        good = succeeded(trawl_stream_close(stream, &error), TRAWL_OK, &error, work->complaint,
                         work->complaint_size) &&
               good;
        if (good && calls_back)
            good = same(to.found.items, to.found.count, work->expected, work->expected->count,
                        work->complaint, work->complaint_size);
        else if (good && (per_pattern || total_known))
            good = same_counts(total_known ? total : work->expected->count,
                               per_pattern ? counts : NULL, work->patterns, work->expected,
                               work->complaint, work->complaint_size);
        if (good && to.complaint) {
            snprintf(work->complaint, work->complaint_size, "%s", to.complaint);
            good = false;
        }
    }
    free(counts);
    match_list_free(&to.found);
    return good;
}

/* ------------------------------------------------------------------ where the database is from */

static trawl_db *load_from_memory(const trawl_db *db, trawl_error *error) {
    size_t size = 0;
    const void *bytes = trawl_db_bytes(db, &size);
    uint8_t *unaligned = malloc(size + 1);
    memcpy(unaligned + 1, bytes, size);
    trawl_db *loaded = NULL;
    trawl_db_load_memory(unaligned + 1, size, &loaded, error);
    memset(unaligned, 0xa5, size + 1);
    free(unaligned);
    return loaded;
}

static trawl_db *load_from_file(const trawl_db *db, trawl_error *error) {
    char path[4096];
    temporary_template(path, sizeof(path));
    int file = mkstemp(path);
    if (file < 0)
        return NULL;
    close(file);
    trawl_db *loaded = NULL;
    if (trawl_db_save(db, path, error) == TRAWL_OK)
        trawl_db_load(path, &loaded, error);
    unlink(path); /* a mapped file lives on without its name */
    return loaded;
}

/* The name of the runner's kernel for this engine. */
static const char *kernel_name(const runner *how, const char *engine) {
    trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION;
    uint32_t count = 0;
    while (trawl_kernel_describe(engine, count, &kernel))
        count++;
    return how->kernel && count && trawl_kernel_describe(engine, how->kernel % count, &kernel)
               ? kernel.name
               : NULL;
}

/* Devices scan for engines with kernels only. For others the call is refused, and names those. */
static bool is_without_kernels(const runner *how, const char *engine) {
    trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION;
    return how->device && strncmp(how->device, "cuda", 4) == 0 &&
           !trawl_kernel_describe(engine, 0, &kernel);
}

static bool refuses_without_kernels(const job *work, char *complaint, size_t complaint_size) {
    trawl_error error = {.message = ""};
    uint64_t total;
    trawl_status status =
        trawl_count(work->db, work->text, work->length, &work->options, &total, NULL, &error);
    if (status == TRAWL_ERROR_UNAVAILABLE && strstr(error.message, "CUDA") &&
        strstr(error.message, "ac-dfa"))
        return true;
    snprintf(complaint, complaint_size, "an engine without kernels on a device: %s%s",
             trawl_status_text(status), error.message);
    return false;
}

/* Whether a kernel or a way to its tables that was asked for refuses what the defaults do. */
static bool is_refused(const job *work) {
    uint64_t total;
    if (!work->options.kernel && !work->study.table_path)
        return false;
    trawl_status status =
        trawl_count(work->db, work->text, work->length, &work->options, &total, NULL, NULL);
    return status == TRAWL_ERROR_LIMIT || status == TRAWL_ERROR_ARGUMENT;
}

bool runner_check(const runner *how, const trawl_db *db, const uint8_t *text, size_t length,
                  const match_list *expected, random_source *random, char *complaint,
                  size_t complaint_size) {
    static _Thread_local guarded guard;
    trawl_error error = {.message = ""};
    trawl_db *loaded = NULL;
    if (how->origin != RUNNER_COMPILED) {
        loaded = how->origin == RUNNER_MEMORY ? load_from_memory(db, &error)
                                              : load_from_file(db, &error);
        if (!loaded) {
            snprintf(complaint, complaint_size, "its own bytes were refused: %s", error.message);
            return false;
        }
    }
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(loaded ? loaded : db, &information, NULL);
    guarded_copy(&guard, text, length, random_chance(random, 1, 2));
    job work = {.how = how,
                .db = loaded ? loaded : db,
                .text = length || random_chance(random, 1, 2) ? guard.bytes : NULL,
                .length = length,
                .patterns = information.patterns,
                .kind = information.matches,
                .conditions = trawl_db_has_conditions(loaded ? loaded : db),
                .expected = expected,
                .options = TRAWL_SCAN_OPTIONS,
                .study = TRAWL_STUDY_SCAN_OPTIONS,
                .random = random,
                .complaint = complaint,
                .complaint_size = complaint_size};
    /* Calls without study options may use scanners that the database keeps. */
    if (how->device || how->chunk_bytes || how->copy_tables || how->plain_walk)
        work.options.study = &work.study;
    work.options.threads = how->threads;
    work.study.chunk_bytes = how->chunk_bytes;
    work.options.placement = how->placement;
    work.study.copy_tables = how->copy_tables;
    work.study.plain_walk = how->plain_walk;
    if (how->device) {
        work.options.device = how->device;
        work.options.kernel = kernel_name(how, information.engine);
        work.options.transfer = how->transfer;
        work.study.segment_bytes = how->segment_bytes;
        work.study.segments_in_flight = how->segments_in_flight;
        work.study.table_path = how->table_path;
    }
    bool good = is_without_kernels(how, information.engine)
                    ? refuses_without_kernels(&work, complaint, complaint_size)
                : is_refused(&work)                  ? true
                : how->call == RUNNER_SCANNER        ? check_scanner(&work)
                : how->call == RUNNER_RECORDS        ? check_records(&work)
                : how->call == RUNNER_FLOW           ? check_flow(&work)
                : how->call == RUNNER_REPLACE        ? check_replace(&work)
                : is_stream(how)                     ? check_stream(&work)
                : how->call == RUNNER_COLLECT        ? check_collect(&work)
                : how->call == RUNNER_SCAN           ? check_scan(&work, false)
                : how->call == RUNNER_STOP           ? check_scan(&work, true)
                : how->call == RUNNER_COLLECT_AGAIN  ? check_collect_again(&work)
                : how->call == RUNNER_BATCHES        ? check_batches(&work, false)
                : how->call == RUNNER_BATCHES_STOP   ? check_batches(&work, true)
                : how->call == RUNNER_COUNT_PATTERNS ? check_count(&work, true)
                                                     : check_count(&work, false);
    trawl_db_free(loaded);
    guarded_pause(&guard);
    return good;
}
