/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The runners of whole texts, in memory or as a source. */
#include "runner_job.h"
#include "text_source.h"

#include <stdlib.h>
#include <string.h>

static bool check_collect(job *work) {
    trawl_matches matches = {.items = NULL, .count = 99};
    trawl_error error = {.message = ""};
    trawl_status status =
        trawl_collect(work->db, work->text, work->length, &work->options, &matches, &error);
    if (!job_succeeded(work, status, TRAWL_OK, &error))
        return false;
    bool good = job_same(work, matches.items, matches.count, work->expected->count);
    trawl_matches_free(&matches);
    return good;
}

/* Collects into the array of another result, which has wrong matches in it. */
static bool check_collect_again(job *work) {
    trawl_matches matches = {.items = NULL};
    trawl_error error = {.message = ""};
    bool good = true;
    for (int round = 0; round < 3 && good; round++) {
        trawl_status status = trawl_collect_into(work->db, work->text, work->length, &work->options,
                                                 &matches, &error);
        good = job_succeeded(work, status, TRAWL_OK, &error) &&
               job_same(work, matches.items, matches.count, work->expected->count);
        for (size_t i = 0; i < matches.count; i++)
            matches.items[i] = (trawl_match){.start = 1, .pattern = 77, .reserved = 5};
    }
    trawl_matches_free(&matches);
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
        source ? trawl_scan_source(work->db, source, &work->options, job_receive_batch, &to, &error)
               : trawl_scan_batches(work->db, work->text, work->length, &work->options,
                                    job_receive_batch, &to, &error);
    if (to.stop_after && to.found.count >= to.stop_after && to.found.count < expected)
        expected = to.found.count;
    return job_received(work, &to, expected, status, &error);
}

static bool check_scan(job *work, bool stop) {
    size_t expected = work->expected->count;
    receiver to = {.complaint = NULL};
    trawl_error error = {.message = ""};
    if (stop && expected)
        to.stop_after = expected = random_between(work->random, 1, expected);
    trawl_status status =
        trawl_scan(work->db, work->text, work->length, &work->options, job_receive, &to, &error);
    return job_received(work, &to, expected, status, &error);
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
    bool good =
        job_succeeded(work, status, TRAWL_OK, &error) && job_same_counts(work, total, counts);
    if (good && counts && counts[work->patterns] != UINT64_C(0x5a5a5a5a5a5a5a5a))
        good = complain(work->complaint, "wrote past the array of counters");
    free(counts);
    return good;
}

bool runner_text_check(job *work) {
    switch (work->how->call) {
    case RUNNER_COLLECT:
        return check_collect(work);
    case RUNNER_COLLECT_AGAIN:
        return check_collect_again(work);
    case RUNNER_SCAN:
        return check_scan(work, false);
    case RUNNER_STOP:
        return check_scan(work, true);
    case RUNNER_BATCHES:
        return check_batches(work, false);
    case RUNNER_BATCHES_STOP:
        return check_batches(work, true);
    default:
        return check_count(work, work->how->call == RUNNER_COUNT_PATTERNS);
    }
}
