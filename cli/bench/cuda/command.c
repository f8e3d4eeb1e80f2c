/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl bench on a CUDA device. */
#include "cli/bench/cuda/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/bench/agree.h"
#include "cli/bench/cuda/build.h"
#include "cli/bench/cuda/choose.h"
#include "cli/bench/cuda/print.h"
#include "cli/bench/cuda/rows.h"
#include "cli/bench/cuda/transfer.h"
#include "cli/bench/row.h"
#include "cli/bench/show.h"
#include "cli/flags/device.h"
#include "cli/flags/scan.h"
#include "cli/target/profile_load.h"
#include "trawl/trawl_study.h"

enum { DEFAULT_REPEATS = 7 };

/* ------------------------------------------------------------------ rows */

static void measure_kernel(bench_cuda *bench, size_t index) {
    bench_row *row = &bench->rows.items[index];
    bench_cuda_row *detail = &bench->details[index];
    if (!bench_cuda_build(bench, index) || !bench_cuda_upload(bench, &row->refusal))
        return;
    trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
    scan.form = bench->options->form;
    scan.kernel = detail->kernel[0] == '\0' ? NULL : detail->kernel;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    study.block_threads = detail->block_threads;
    study.block_bytes = detail->block_bytes;
    study.table_path = bench->options->study.scan.table_path;
    scan.study = &study;
    detail->layout = (trawl_cuda_layout)TRAWL_CUDA_LAYOUT;
    if (trawl_study_cuda_layout(bench->uploaded, &scan, bench->text->length, &detail->layout,
                                &row->refusal) != TRAWL_OK)
        return;
    bench_cuda_show(bench, "measuring", index);
    (void)snprintf(detail->kernel, sizeof detail->kernel, "%s", detail->layout.kernel);
    row->seconds = allocate(row->repeats * sizeof *row->seconds);
    bench_cuda_finish_row(row,
                          trawl_study_cuda_measure(bench->uploaded, &scan, bench->text->bytes,
                                                   bench->text->length, (uint32_t)row->repeats,
                                                   row->seconds, &row->matches, &row->refusal));
}

/* Counts the matches on the CPU: all other rows must find the same number. */
static void measure_cpu(bench_cuda *bench, size_t index) {
    bench_row *row = &bench->rows.items[index];
    if (!bench_cuda_build(bench, index)) {
        /* The set is too large for a DFA. */
        row->asked_engine = "auto";
        if (!bench_cuda_build(bench, index))
            return;
    }
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.threads = TRAWL_THREADS_ALL;
    row->threads = scan_options_threads(&options);
    row->repeats = 1;
    row->seconds = allocate(sizeof *row->seconds);
    bench_cuda_show(bench, "measuring", index);
    double begin = seconds_now();
    row->measured = trawl_count(bench->db, bench->text->bytes, bench->text->length, &options,
                                &row->matches, NULL, &row->refusal) == TRAWL_OK;
    row->seconds[0] = seconds_now() - begin;
}

/* Sets the name of a row that messages about disagreement use. */
static void name_row(bench_cuda *bench, size_t index) {
    bench_row *row = &bench->rows.items[index];
    const bench_cuda_row *detail = &bench->details[index];
    if (detail->ladder == NULL)
        (void)snprintf(row->variant, sizeof row->variant, "on the CPU");
    else if (detail->transfer != NULL)
        (void)snprintf(row->variant, sizeof row->variant, "%s", detail->transfer);
    else
        (void)snprintf(row->variant, sizeof row->variant, "%.20s+%.20s", detail->variant,
                       detail->kernel);
}

static void measure(bench_cuda *bench) {
    for (size_t i = 0; i < bench->rows.count; i++) {
        bench_row *row = &bench->rows.items[i];
        const bench_cuda_row *detail = &bench->details[i];
        row->repeats =
            bench->options->repeats == 0 ? DEFAULT_REPEATS : (size_t)bench->options->repeats;
        if (detail->ladder == NULL)
            measure_cpu(bench, i);
        else if (detail->transfer != NULL)
            bench_cuda_measure_transfer(bench, i);
        else
            measure_kernel(bench, i);
        name_row(bench, i);
        bench_show_nothing(bench->options);
    }
    bench_cuda_drop(bench);
}

/* ------------------------------------------------------------------ the command */

/* Resolves --device, which has been checked. */
static void find_device(bench_cuda *bench) {
    (void)device_number(bench->options->scan.device, &bench->device_number);
    (void)snprintf(bench->device, sizeof bench->device, "cuda:%" PRIu32, bench->device_number);
    device_maker_name(bench->device, bench->device_name, sizeof bench->device_name);
}

static int exit_status(const bench_cuda *bench) {
    if (bench_form_counts(bench->options->form) && !bench_rows_agree(&bench->rows))
        return EXIT_ERROR;
    for (size_t i = 1; i < bench->rows.count; i++) {
        if (bench->rows.items[i].measured)
            return EXIT_MATCHED;
    }
    report("nothing could be measured");
    return EXIT_ERROR;
}

int bench_cuda_run(const bench_options *options, const trawl_patterns *patterns,
                   const memory_text *text) {
    bench_cuda *bench = allocate(sizeof *bench);
    *bench = (bench_cuda){.options = options, .patterns = patterns, .text = text};
    trawl_error error;
    int status = EXIT_ERROR;
    find_device(bench);
    if (bench_cuda_choose(bench)) {
        bench->ceilings = (trawl_cuda_ceilings)TRAWL_CUDA_CEILINGS;
        if (trawl_study_cuda_ceilings(bench->device_number, &bench->ceilings, &error) != TRAWL_OK) {
            report("the device's ceilings could not be measured: %s", error.message);
            bench->ceilings = (trawl_cuda_ceilings){.memory_read = 0};
        }
        bool pinned = trawl_cuda_pin(text->bytes, text->length, &error) == TRAWL_OK;
        if (!pinned)
            report("the text is not pinned, so rows with the text in host memory are slower: %s",
                   error.message);
        measure(bench);
        if (pinned)
            trawl_cuda_unpin(text->bytes);
        if (options->json)
            bench_cuda_print_json(bench);
        else
            bench_cuda_print_table(bench);
        status = exit_status(bench);
    }
    bench_rows_release(&bench->rows);
    for (size_t i = 0; i < bench->list_count; i++)
        free(bench->lists[i]);
    free(bench->lists);
    free(bench->details);
    free(bench);
    return status;
}
