/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The runners of streams: a text in pieces. */
#include "guard.h"
#include "runner_job.h"

#include <stdlib.h>
#include <string.h>

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

/* The size of the next piece, of `left` bytes of text. */
static size_t piece_size(const job *work, size_t left) {
    size_t size = work->how->piece_bytes;
    if (size == RUNNER_PIECE_RANDOM)
        size = random_below(work->random, random_chance(work->random, 1, 8) ? 200 : 10) *
               runner_scale(work->length);
    else if (!size)
        size = left;
    return size < left ? size : left;
}

/* Flushes the stream when `written` bytes have been written to it. */
static bool check_flush(const job *work, trawl_stream *stream, size_t written, trawl_error *error) {
    if (!job_succeeded(work, trawl_stream_flush(stream, error), TRAWL_OK, error))
        return false;
    if (work->kind != TRAWL_MATCH_ALL)
        return true;
    /* With conditions the last byte waits for the next one. */
    size_t waiting = work->conditions && written != 0;
    size_t wanted = expected_until(work->expected, written - waiting);
    return trawl_stream_matches(stream) == wanted ||
           complain(work->complaint, "%llu matches after a flush at offset %zu, expected %zu",
                    (unsigned long long)trawl_stream_matches(stream), written, wanted);
}

/* Writes the text piece by piece, each from a buffer that is overwritten afterwards. */
static bool write_pieces(const job *work, trawl_stream *stream, trawl_error *error) {
    guarded piece = {0};
    bool good = true;
    size_t written = 0;
    do {
        size_t size = piece_size(work, work->length - written);
        guarded_copy(&piece, size ? work->text + written : NULL, size,
                     random_chance(work->random, 1, 2));
        good = job_succeeded(work, trawl_stream_write(stream, piece.bytes, size, error), TRAWL_OK,
                             error);
        if (size)
            memset(piece.bytes, 0xa5, size);
        written += size;
        if (good && work->how->flush)
            good = check_flush(work, stream, written, error);
        if (good && trawl_stream_offset(stream) != written)
            good = complain(work->complaint, "trawl_stream_offset is %llu after %zu",
                            (unsigned long long)trawl_stream_offset(stream), written);
    } while (good && written < work->length);
    guarded_free(&piece);
    return good;
}

/* Closes the stream and checks all that it found. `counts`: NULL, or for each pattern. */
static bool check_end(const job *work, trawl_stream *stream, receiver *to, const uint64_t *counts,
                      trawl_error *error) {
    bool calls_back = work->how->call == RUNNER_STREAM || work->how->call == RUNNER_STREAM_BATCHES;
    /* A stream that only counts can return its total until it is closed: the whole total after a
     * flush, or, with conditions, at the end of the text. */
    bool total_known = work->kind == TRAWL_MATCH_ALL && !calls_back;
    bool good = true;
    if (total_known)
        good = job_succeeded(work,
                             work->conditions ? trawl_stream_finish(stream, error)
                                              : trawl_stream_flush(stream, error),
                             TRAWL_OK, error);
    uint64_t total = total_known ? trawl_stream_matches(stream) : work->expected->count;
    good = job_succeeded(work, trawl_stream_close(stream, error), TRAWL_OK, error) && good;
    if (good && calls_back)
        good = job_same(work, to->found.items, to->found.count, work->expected->count);
    else if (good)
        good = job_same_counts(work, total, counts);
    if (good && to->complaint)
        good = complain(work->complaint, "%s", to->complaint);
    return good;
}

bool runner_stream_check(job *work) {
    receiver to = {.complaint = NULL};
    trawl_error error = {.message = ""};
    trawl_stream *stream = NULL;
    bool per_pattern = work->how->call == RUNNER_STREAM_COUNT;
    trawl_status status =
        work->how->call == RUNNER_STREAM_BATCHES
            ? trawl_stream_open_batches(work->db, &work->options, job_receive_batch, &to, &stream,
                                        &error)
            : trawl_stream_open(work->db, &work->options,
                                work->how->call == RUNNER_STREAM ? job_receive : NULL, &to, &stream,
                                &error);
    if (!job_succeeded(work, status, TRAWL_OK, &error))
        return false;
    uint64_t *counts = calloc(work->patterns ? work->patterns : 1, sizeof(*counts));
    bool good =
        !per_pattern ||
        job_succeeded(work, trawl_stream_count_patterns(stream, counts, &error), TRAWL_OK, &error);
    good = good && write_pieces(work, stream, &error);
    if (good)
        good = check_end(work, stream, &to, per_pattern ? counts : NULL, &error);
    else
        trawl_stream_abandon(stream);
    free(counts);
    match_list_free(&to.found);
    return good;
}
