/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "runner_job.h"

#include <stdlib.h>

int job_receive(const trawl_match *match, void *context) {
    receiver *to = context;
    if (match->reserved != 0)
        to->complaint = "a match whose reserved field is not 0";
    if (to->stop_after && to->found.count >= to->stop_after)
        to->complaint = "the callback was called again after it asked to stop";
    match_list_add(&to->found, match->pattern, match->start, match->end);
    return to->stop_after && to->found.count >= to->stop_after;
}

int job_receive_batch(const trawl_match *matches, size_t count, void *context) {
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

/* Match `i` is `got`, and should be `wanted`; NULL: there is none. */
static bool complain_of_match(const job *work, size_t i, const trawl_match *got,
                              const trawl_match *wanted) {
    if (got)
        message_append(work->complaint, "; match %zu is %u:%llu-%llu, expected ", i, got->pattern,
                       (unsigned long long)got->start, (unsigned long long)got->end);
    else
        message_append(work->complaint, "; match %zu is missing, expected ", i);
    if (wanted)
        message_append(work->complaint, "%u:%llu-%llu", wanted->pattern,
                       (unsigned long long)wanted->start, (unsigned long long)wanted->end);
    else
        message_append(work->complaint, "no more");
    return false;
}

bool job_same(const job *work, const trawl_match *found, size_t found_count, size_t count) {
    for (size_t i = 0; i < found_count || i < count; i++) {
        const trawl_match *got = i < found_count ? &found[i] : NULL;
        const trawl_match *wanted = i < count ? &work->expected->items[i] : NULL;
        if (got && wanted && got->pattern == wanted->pattern && got->start == wanted->start &&
            got->end == wanted->end)
            continue;
        complain(work->complaint, "%zu matches, expected %zu", found_count, count);
        return complain_of_match(work, i, got, wanted);
    }
    return true;
}

bool job_same_counts(const job *work, uint64_t total, const uint64_t *counts) {
    if (total != work->expected->count)
        return complain(work->complaint, "counted %llu matches, expected %zu",
                        (unsigned long long)total, work->expected->count);
    if (!counts)
        return true;
    uint64_t *wanted = calloc(work->patterns ? work->patterns : 1, sizeof(*wanted));
    for (size_t i = 0; i < work->expected->count; i++)
        wanted[work->expected->items[i].pattern]++;
    bool good = true;
    for (size_t id = 0; id < work->patterns && good; id++)
        if (counts[id] != wanted[id])
            good = complain(work->complaint, "counted pattern %zu %llu times, expected %llu", id,
                            (unsigned long long)counts[id], (unsigned long long)wanted[id]);
    free(wanted);
    return good;
}

bool job_succeeded(const job *work, trawl_status status, trawl_status wanted,
                   const trawl_error *error) {
    if (status == wanted)
        return true;
    return complain(work->complaint, "returned %s, expected %s: %s", trawl_status_text(status),
                    trawl_status_text(wanted), error->message);
}

bool job_received(const job *work, receiver *to, size_t expected, trawl_status status,
                  const trawl_error *error) {
    bool good = job_succeeded(work, status, to->stop_after ? TRAWL_STOPPED : TRAWL_OK, error);
    if (good && error->status != TRAWL_OK)
        good = complain(work->complaint, "returned %s, and an error: %s", trawl_status_text(status),
                        error->message);
    good = good && job_same(work, to->found.items, to->found.count, expected);
    if (good && to->complaint)
        good = complain(work->complaint, "%s", to->complaint);
    match_list_free(&to->found);
    return good;
}
