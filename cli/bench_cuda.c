/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl bench on a CUDA device: building and timing the rows. */
#include "bench_cuda.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "planning.h"
#include "report.h"

enum { DEFAULT_REPEATS = 7 };

static void show(const bench_cuda *bench, const char *what, size_t index) {
    if (!bench->options->progress || !isatty(STDERR_FILENO))
        return;
    const bench_cuda_row *row = &bench->details[index];
    (void)fprintf(stderr, "\r\033[K%s %s %s %s %s", what, bench->rows.items[index].engine,
                  row->variant, row->kernel, row->transfer == NULL ? "" : row->transfer);
    (void)fflush(stderr);
}

static void show_nothing(const bench_cuda *bench) {
    if (bench->options->progress && isatty(STDERR_FILENO)) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
    }
}

/* ------------------------------------------------------------------ databases */

static void drop_database(bench_cuda *bench) {
    trawl_cuda_free(bench->uploaded);
    trawl_db_free(bench->db);
    bench->uploaded = NULL;
    bench->db = NULL;
}

static bool is_built(const bench_cuda *bench, size_t index) {
    if (bench->db == NULL)
        return false;
    const bench_row *row = &bench->rows.items[index];
    const bench_row *last = &bench->rows.items[bench->built_for];
    bool same_variant = row->asked_variant == NULL || last->asked_variant == NULL
                            ? row->asked_variant == last->asked_variant
                            : strcmp(row->asked_variant, last->asked_variant) == 0;
    /* On the CPU, auto is another engine. */
    bool same_device =
        (bench->details[index].ladder == NULL) == (bench->details[bench->built_for].ladder == NULL);
    same_variant = same_variant && (same_device || strcmp(row->asked_engine, "auto") != 0);
    return same_variant && strcmp(row->asked_engine, last->asked_engine) == 0 &&
           bench->details[index].parts == bench->details[bench->built_for].parts;
}

bool bench_cuda_build(bench_cuda *bench, size_t index) {
    bench_row *row = &bench->rows.items[index];
    bench_cuda_row *detail = &bench->details[index];
    if (!is_built(bench, index)) {
        trawl_compile_options options = bench->options->compile;
        options.engine = row->asked_engine;
        options.variant = row->asked_variant;
        if (detail->parts != 0)
            options.split_parts = detail->parts;
        options.device = detail->ladder == NULL ? NULL : bench->device;
        drop_database(bench);
        show(bench, "building", index);
        planning plan;
        planning_begin_with_text(&plan, bench->text->bytes, bench->text->length, &options);
        double begin = seconds_now();
        trawl_status status = trawl_compile(bench->patterns, &options, &bench->db, &row->refusal);
        planning_end(&plan);
        if (status != TRAWL_OK) {
            bench->db = NULL;
            return false;
        }
        bench->build_seconds = seconds_now() - begin;
        bench->built_for = index;
    }
    trawl_db_information information;
    trawl_db_info(bench->db, &information);
    (void)snprintf(row->engine, sizeof row->engine, "%s", information.engine);
    (void)snprintf(detail->variant, sizeof detail->variant, "%s", information.variant);
    trawl_plan_information plan;
    if (strcmp(row->asked_engine, "auto") == 0 && trawl_db_plan(bench->db, &plan)) {
        (void)snprintf(detail->reason, sizeof detail->reason, "%s", information.reason);
        detail->expected = plan.gb_per_second;
    }
    row->table_bytes = information.table_bytes;
    row->build_seconds = bench->build_seconds;
    return true;
}

static bool upload(bench_cuda *bench, trawl_error *error) {
    if (bench->uploaded != NULL)
        return true;
    trawl_cuda_upload_options options = TRAWL_CUDA_UPLOAD_OPTIONS;
    options.device = bench->device_number;
    uint8_t *sample =
        planning_table_sample(bench->text->bytes, bench->text->length, &options.sample_length);
    options.sample = sample;
    trawl_status status = trawl_cuda_upload(bench->db, &options, &bench->uploaded, error);
    free(sample);
    return status == TRAWL_OK;
}

/* ------------------------------------------------------------------ rows */

void bench_cuda_finish_row(bench_row *row, trawl_status status) {
    row->measured = status == TRAWL_OK;
    if (status == TRAWL_ERROR_ARGUMENT || status == TRAWL_ERROR_LIMIT ||
        status == TRAWL_ERROR_MEMORY) {
        free(row->seconds);
        row->seconds = NULL;
    }
}

static void measure_kernel(bench_cuda *bench, size_t index) {
    bench_row *row = &bench->rows.items[index];
    bench_cuda_row *detail = &bench->details[index];
    if (!bench_cuda_build(bench, index) || !upload(bench, &row->refusal))
        return;
    trawl_cuda_scan scan = TRAWL_CUDA_SCAN;
    scan.form = bench->options->form;
    scan.kernel = detail->kernel[0] == '\0' ? NULL : detail->kernel;
    scan.block_threads = detail->block_threads;
    scan.block_bytes = detail->block_bytes;
    scan.table_path = bench->options->scan.table_path;
    if (trawl_cuda_describe(bench->uploaded, &scan, &detail->layout, &row->refusal) != TRAWL_OK)
        return;
    show(bench, "measuring", index);
    (void)snprintf(detail->kernel, sizeof detail->kernel, "%s", detail->layout.kernel);
    row->seconds = allocate(row->repeats * sizeof *row->seconds);
    bench_cuda_finish_row(row, trawl_cuda_measure(bench->uploaded, &scan, bench->text->bytes,
                                                  bench->text->length, (uint32_t)row->repeats,
                                                  row->seconds, &row->matches, &row->refusal));
}

/* The number of matches that all rows must find, from the CPU. */
static void measure_cpu(bench_cuda *bench, size_t index) {
    bench_row *row = &bench->rows.items[index];
    if (!bench_cuda_build(bench, index)) {
        /* A set that is too large for one DFA. */
        row->asked_engine = "auto";
        if (!bench_cuda_build(bench, index))
            return;
    }
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.threads = TRAWL_THREADS_ALL;
    row->threads = scan_options_threads(&options);
    row->repeats = 1;
    row->seconds = allocate(sizeof *row->seconds);
    show(bench, "measuring", index);
    double begin = seconds_now();
    row->measured = trawl_count(bench->db, bench->text->bytes, bench->text->length, &options,
                                &row->matches, NULL, &row->refusal) == TRAWL_OK;
    row->seconds[0] = seconds_now() - begin;
}

/* How a row is called when rows disagree. */
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
        show_nothing(bench);
    }
    drop_database(bench);
}

/* ------------------------------------------------------------------ comparisons */

double bench_cuda_speedup(const bench_cuda *bench, size_t index) {
    const bench_cuda_row *row = &bench->details[index];
    if (!bench->rows.items[index].measured || row->ladder == NULL)
        return 0;
    size_t first = index;
    while (first > 0 && !bench->details[first].is_first &&
           bench->details[first - 1].ladder == row->ladder)
        first--;
    if (!bench->details[first].is_first || !bench->rows.items[first].measured)
        return 0;
    size_t length = bench->text->length;
    return bench_row_speed(&bench->rows.items[index], length).median /
           bench_row_speed(&bench->rows.items[first], length).median;
}

double bench_cuda_ceiling(const bench_cuda *bench, size_t index) {
    const bench_cuda_row *row = &bench->details[index];
    if (row->ladder == NULL)
        return 0;
    return row->transfer == NULL ? bench->ceilings.memory_read : bench->ceilings.host_to_device;
}

/* ------------------------------------------------------------------ the command */

/* Where --device leads; it has been checked. */
static void find_device(bench_cuda *bench) {
    (void)device_number(bench->options->scan.device, &bench->device_number);
    (void)snprintf(bench->device, sizeof bench->device, "cuda:%" PRIu32, bench->device_number);
    device_maker_name(bench->device, bench->device_name, sizeof bench->device_name);
}

static int judge(const bench_cuda *bench) {
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
                   const bench_text *text) {
    bench_cuda *bench = allocate(sizeof *bench);
    *bench = (bench_cuda){.options = options, .patterns = patterns, .text = text};
    trawl_error error;
    int status = EXIT_ERROR;
    find_device(bench);
    if (bench_cuda_choose(bench)) {
        if (trawl_cuda_measure_ceilings(bench->device_number, &bench->ceilings, &error) !=
            TRAWL_OK) {
            report("the device's ceilings could not be measured: %s", error.message);
            bench->ceilings = (trawl_cuda_ceilings){.memory_read = 0};
        }
        bool pinned = trawl_cuda_pin(text->bytes, text->length, &error) == TRAWL_OK;
        if (!pinned)
            report("the text is not pinned, so host to host is slower: %s", error.message);
        measure(bench);
        if (pinned)
            trawl_cuda_unpin(text->bytes);
        if (options->json)
            bench_cuda_print_json(bench);
        else
            bench_cuda_print_table(bench);
        status = judge(bench);
    }
    bench_rows_release(&bench->rows);
    for (size_t i = 0; i < bench->list_count; i++)
        free(bench->lists[i]);
    free(bench->lists);
    free(bench->details);
    free(bench);
    return status;
}
