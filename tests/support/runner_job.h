/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Shared by the runners of whole texts and of streams: one check of runner_check (runner.h). */
#ifndef TRAWL_TESTS_RUNNER_JOB_H
#define TRAWL_TESTS_RUNNER_JOB_H

#include "message.h"
#include "runner.h"

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
    const message *complaint;
} job;

/* The context of the callbacks below. */
typedef struct receiver {
    match_list found;
    size_t stop_after; /* matches after which the callback stops the scan; 0: never */
    const char *complaint;
} receiver;

/* A trawl_match_function and a trawl_batch_function. */
int job_receive(const trawl_match *match, void *context);
int job_receive_batch(const trawl_match *matches, size_t count, void *context);

/* True when `status` is `wanted`. */
bool job_succeeded(const job *work, trawl_status status, trawl_status wanted,
                   const trawl_error *error);

/* True when these are the first `count` expected matches. */
bool job_same(const job *work, const trawl_match *found, size_t found_count, size_t count);

/* True when the total is right, and the counts for each pattern; NULL: only the total. */
bool job_same_counts(const job *work, uint64_t total, const uint64_t *counts);

/* True when a scan ended as it must and handed out the first `expected` matches, which are freed.
 */
bool job_received(const job *work, receiver *to, size_t expected, trawl_status status,
                  const trawl_error *error);

/* The runners, by what they scan (runner_text.c, runner_stream.c). */
bool runner_text_check(job *work);
bool runner_stream_check(job *work);
bool runner_is_stream(const runner *how);

/* The factor by which pieces and chunks are larger for long texts, where tiny ones would take
 * long. */
size_t runner_scale(size_t length);

#endif
