/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "runner_job.h"

#include <stdlib.h>
#include <string.h>

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

bool runner_is_wanted(runner_call call) {
    const char *part = getenv("TRAWL_TEST_RUNNER");
    return !part || strstr(call_names[call], part);
}

bool runner_is_any_wanted(void) {
    bool any = false;
    for (int call = 0; call < RUNNER_CALLS; call++)
        any |= runner_is_wanted((runner_call)call);
    return any;
}

bool runner_is_stream(const runner *how) {
    return how->call >= RUNNER_STREAM;
}

void runner_describe(const runner *how, char *text, size_t size) {
    static const char *const origins[] = {"", ", database loaded from memory",
                                          ", database loaded from a file"};
    const message words = {.text = text, .size = size};
    complain(&words, "%s%s", call_names[how->call], origins[how->origin]);
    if (runner_is_stream(how)) {
        if (how->piece_bytes == RUNNER_PIECE_RANDOM)
            message_append(&words, ", random pieces");
        else if (how->piece_bytes)
            message_append(&words, ", pieces of %zu", how->piece_bytes);
        message_append(&words, "%s", how->flush ? ", flushed" : "");
    }
    if (how->source)
        message_append(&words, ", as a source, %zu at a time", how->piece_bytes);
    if (how->threads)
        message_append(&words, ", threads %u", how->threads);
    if (how->chunk_bytes)
        message_append(&words, ", chunks of %zu", how->chunk_bytes);
    if (how->placement)
        message_append(&words, ", placement %d", (int)how->placement);
    message_append(&words, "%s", how->copy_tables ? ", tables copied" : "");
    message_append(&words, "%s", how->plain_walk ? ", plain walk" : "");
    if (!how->device)
        return;
    message_append(&words, ", device %s, kernel %u", how->device, how->kernel);
    if (how->transfer)
        message_append(&words, ", transfer %s", how->transfer);
    if (how->segment_bytes)
        message_append(&words, ", segments of %llu", (unsigned long long)how->segment_bytes);
    if (how->segments_in_flight)
        message_append(&words, ", %u in flight", how->segments_in_flight);
    if (how->table_path)
        message_append(&words, ", table path %d", (int)how->table_path);
}

void runner_options(const runner *how, char *text, size_t size) {
    const message words = {.text = text, .size = size};
    text[0] = '\0';
    if (how->call == RUNNER_COUNT || how->call == RUNNER_STREAM_COUNT_TOTAL)
        message_append(&words, " -c");
    if (how->threads && how->threads != TRAWL_THREADS_ALL)
        message_append(&words, " --threads %u", how->threads);
    if (how->device)
        message_append(&words, " --device %s", how->device);
    if (how->transfer)
        message_append(&words, " --transfer %s", how->transfer);
}
