/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Rows with the text in host memory, timed by the clock. */
#include "cli/bench/cuda/transfer.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/clock.h"
#include "cli/base/memory.h"
#include "cli/base/memory_text.h"
#include "cli/bench/cuda/build.h"
#include "cli/bench/cuda/transfer_model.h"
#include "cli/bench/row.h"
#include "trawl/trawl_cuda.h"

static trawl_status run_once(const bench_cuda *bench, const trawl_scan_options *options,
                             uint64_t *per_pattern, uint64_t *matches, double *seconds,
                             trawl_error *error) {
    const memory_text *text = bench->text;
    trawl_matches records = {.count = 0};
    double begin = seconds_now();
    trawl_status status =
        bench->options->form == TRAWL_CUDA_MATCHES
            ? trawl_collect(bench->db, text->bytes, text->length, options, &records, error)
            : trawl_count(bench->db, text->bytes, text->length, options, matches, per_pattern,
                          error);
    *seconds = seconds_now() - begin;
    if (bench->options->form == TRAWL_CUDA_MATCHES)
        *matches = records.count;
    trawl_matches_free(&records);
    return status;
}

static trawl_scan_options options_of(const bench_cuda *bench, bench_cuda_row *row) {
    trawl_scan_options options = bench->options->scan;
    uint64_t length = bench->text->length;
    options.device = bench->device;
    options.kernel = row->kernel[0] == '\0' ? NULL : row->kernel;
    options.transfer = row->transfer;
    device_want_report(&options, &row->study, &row->done);
    row->study.block_threads = row->block_threads;
    row->study.block_bytes = row->block_bytes;
    if (row->segments != 0)
        row->study.segment_bytes = (length + row->segments - 1) / row->segments;
    row->study.keep_segments = true; /* so that the run that is not timed allocates them */
    return options;
}

void bench_cuda_measure_transfer(bench_cuda *bench, size_t index) {
    bench_row *row = &bench->rows.items[index];
    bench_cuda_row *detail = &bench->details[index];
    if (!bench_cuda_build(bench, index))
        return;
    uint64_t *per_pattern = NULL;
    if (bench->options->form == TRAWL_CUDA_PATTERNS)
        per_pattern = allocate(trawl_patterns_count(bench->patterns) * sizeof *per_pattern);
    trawl_scan_options options = options_of(bench, detail);
    trawl_status status = TRAWL_OK;
    double unused = 0;
    row->seconds = allocate(row->repeats * sizeof *row->seconds);
    /* The first run is not timed: it uploads the database. */
    status = run_once(bench, &options, per_pattern, &row->matches, &unused, &row->refusal);
    for (size_t i = 0; status == TRAWL_OK && i < row->repeats; i++)
        status =
            run_once(bench, &options, per_pattern, &row->matches, &row->seconds[i], &row->refusal);
    bench_cuda_finish_row(row, status);
    if (row->measured)
        qsort(row->seconds, row->repeats, sizeof *row->seconds, bench_compare_seconds);
    free(per_pattern);
}

/* ------------------------------------------------------------------ strategies A and B */

bool bench_cuda_strategy_ratio(const bench_cuda *bench, size_t index, bench_strategy_ratio *ratio) {
    const bench_cuda_row *b = &bench->details[index];
    if (b->transfer == NULL || strcmp(b->transfer, "b") != 0 ||
        !bench->rows.items[index].measured || b->done.study.segments == 0)
        return false;
    for (size_t i = index; i-- > 0 && bench->details[i].ladder == b->ladder;) {
        const bench_cuda_row *a = &bench->details[i];
        if (strcmp(a->transfer, "a") != 0 || a->segments != b->segments ||
            strcmp(bench->rows.items[i].asked_engine, bench->rows.items[index].asked_engine) != 0 ||
            !bench->rows.items[i].measured)
            continue;
        size_t length = bench->text->length;
        size_t segments = (size_t)b->done.study.segments;
        transfer_times times = {b->done.study.copy_in_seconds / (double)segments,
                                b->done.study.scan_seconds / (double)segments,
                                b->done.study.copy_out_seconds / (double)segments};
        if (!(times.copy_in + times.scan + times.copy_out > 0))
            return false;
        ratio->measured = bench_row_speed(&bench->rows.items[i], length).median /
                          bench_row_speed(&bench->rows.items[index], length).median;
        ratio->one_channel = transfer_model_b(&times, segments, TRANSFER_ONE_CHANNEL) /
                             transfer_model_a(&times, segments, TRANSFER_ONE_CHANNEL);
        ratio->two_channels = transfer_model_b(&times, segments, TRANSFER_TWO_CHANNELS) /
                              transfer_model_a(&times, segments, TRANSFER_TWO_CHANNELS);
        return true;
    }
    return false;
}
