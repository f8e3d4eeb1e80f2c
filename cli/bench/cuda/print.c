/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/cuda/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/json_text.h"
#include "cli/base/report.h"
#include "cli/bench/cuda/transfer.h"
#include "cli/bench/cuda/transfer_model.h"
#include "cli/bench/row.h"
#include "cli/target/choice.h"
#include "trawl/trawl_study.h"

static const char *const form_words[] = {"counting matches", "counting matches of each pattern",
                                         "writing matches", "marking ends", "writing states"};

/* ------------------------------------------------------------------ the table */

static void print_heading(const bench_cuda *bench) {
    const trawl_cuda_ceilings *most = &bench->ceilings;
    size_t count = trawl_patterns_count(bench->patterns);
    (void)printf("%zu pattern%s, %.3f MB of text, %s; %s, %s\n", count, count == 1 ? "" : "s",
                 (double)bench->text->length / 1e6, form_words[bench->options->form], bench->device,
                 bench->device_name);
    if (most->memory_read > 0)
        (void)printf("device memory: %.0f GB/s read, %.0f copied; link: %.1f GB/s to the device, "
                     "%.1f from it, %.1f read by a kernel\n",
                     most->memory_read / 1e9, most->memory_copy / 1e9, most->host_to_device / 1e9,
                     most->device_to_host / 1e9, most->zero_copy / 1e9);
}

static void print_ladder_name(const bench_cuda *bench, size_t index) {
    const bench_cuda_row *row = &bench->details[index];
    if (row->ladder == NULL)
        (void)printf("\non the CPU, %u thread%s", bench->rows.items[index].threads,
                     bench->rows.items[index].threads == 1 ? "" : "s");
    else
        (void)printf("\n%s, %s", bench->rows.items[index].engine, row->ladder);
    if (row->source != NULL)
        (void)printf("; the paper's speed-up: %s", row->source);
    (void)printf("\n%-30s %-18s %12s %9s %9s %9s %7s %9s %11s\n", "variant",
                 row->transfer == NULL ? "kernel" : "transfer", "matches", "GB/s", "min", "max",
                 row->transfer == NULL ? "of read" : "of link", "speed-up", "paper");
}

/* The second column: the kernel, or the way of transfer. */
static void describe(const bench_cuda_row *row, char *text, size_t size) {
    if (row->transfer != NULL && row->segments != 0)
        (void)snprintf(text, size, "%s, %" PRIu32 " segment%s", row->transfer, row->segments,
                       row->segments == 1 ? "" : "s");
    else if (row->transfer != NULL)
        (void)snprintf(text, size, "%s", row->transfer);
    else if (row->parts != 0)
        (void)snprintf(text, size, "%s, m = %" PRIu32, row->kernel, row->parts);
    else
        (void)snprintf(text, size, "%s", row->kernel);
}

static void print_ratio(double value, int width) {
    if (value > 0)
        (void)printf(" %*.2f", width, value);
    else
        (void)printf(" %*s", width, "-");
}

static void print_paper(const bench_cuda_row *row) {
    char text[32] = "-";
    if (row->paper_most > 0 && row->paper_most - row->paper_least < 0.005)
        (void)snprintf(text, sizeof text, "%.2f", row->paper_most);
    else if (row->paper_most > 0)
        (void)snprintf(text, sizeof text, "%.2f-%.2f", row->paper_least, row->paper_most);
    (void)printf(" %11s\n", text);
}

static void print_strategy(const bench_cuda *bench, size_t index) {
    bench_strategy_ratio ratio;
    if (bench_cuda_strategy_ratio(bench, index, &ratio))
        (void)printf(
            "%30s B over A in time: %.3f measured; by the model %.3f with one channel (paper: "
            "at most %.4f), %.3f with two (paper: at most %.3f)\n",
            "", ratio.measured, ratio.one_channel, transfer_model_bound(TRANSFER_ONE_CHANNEL),
            ratio.two_channels, transfer_model_bound(TRANSFER_TWO_CHANNELS));
}

static void print_row(const bench_cuda *bench, size_t index) {
    const bench_row *row = &bench->rows.items[index];
    const bench_cuda_row *detail = &bench->details[index];
    char how[48];
    char matches[24] = "-";
    describe(detail, how, sizeof how);
    (void)printf("%-30s %-18s ", detail->variant[0] == '\0' ? row->engine : detail->variant, how);
    if (!row->measured) {
        (void)printf("%s: %s\n", row->seconds == NULL ? "refuses" : "fails", row->refusal.message);
        return;
    }
    bench_speed speed = bench_row_speed(row, bench->text->length);
    double ceiling = bench_cuda_ceiling(bench, index);
    if (bench_form_counts(bench->options->form) || detail->ladder == NULL)
        (void)snprintf(matches, sizeof matches, "%" PRIu64, row->matches);
    (void)printf("%12s %#9.4g %#9.4g %#9.4g", matches, speed.median, speed.min, speed.max);
    if (ceiling > 0)
        (void)printf(" %6.1f%%", speed.median * 1e9 / ceiling * 100);
    else
        (void)printf(" %7s", "-");
    print_ratio(bench_cuda_speedup(bench, index), 9);
    print_paper(detail);
    print_strategy(bench, index);
    if (detail->reason[0] != '\0' && detail->transfer == NULL)
        (void)printf("  auto took %s: %s\n", row->engine, detail->reason);
}

void bench_cuda_print_table(const bench_cuda *bench) {
    print_heading(bench);
    for (size_t i = 0; i < bench->rows.count; i++) {
        if (i == 0 || bench->details[i].ladder != bench->details[i - 1].ladder ||
            strcmp(bench->rows.items[i].engine, bench->rows.items[i - 1].engine) != 0)
            print_ladder_name(bench, i);
        print_row(bench, i);
    }
}

/* ------------------------------------------------------------------ JSON */

static void print_device_json(const bench_cuda *bench, size_t index) {
    const bench_cuda_row *row = &bench->details[index];
    double ceiling = bench_cuda_ceiling(bench, index);
    double speedup = bench_cuda_speedup(bench, index);
    bench_speed speed = bench_row_speed(&bench->rows.items[index], bench->text->length);
    const trawl_study_scan_report *done = &row->done.study;
    (void)printf(",\"ladder\":\"%s\",\"kernel\":\"%s\"", row->ladder,
                 row->transfer == NULL ? row->kernel : row->done.scan.kernel);
    if (row->parts != 0)
        (void)printf(",\"parts\":%" PRIu32, row->parts);
    (void)printf(",\"block_threads\":%" PRIu32 ",\"thread_bytes\":%" PRIu32
                 ",\"overlap_overhead\":%.6f",
                 row->transfer == NULL ? row->layout.block_threads : done->block_threads,
                 row->transfer == NULL ? row->layout.thread_bytes : done->thread_bytes,
                 row->transfer == NULL ? row->layout.overlap_overhead : done->overlap_overhead);
    (void)printf(
        ",\"table_path\":\"%s\"",
        table_path_name(row->transfer == NULL ? row->layout.table_path : done->table_path));
    if (row->transfer != NULL)
        (void)printf(",\"transfer\":\"%s\",\"segments\":%" PRIu64 ",\"segment_bytes\":%" PRIu64
                     ",\"in_flight\":%" PRIu32 ",\"copy_in_seconds\":%.9f"
                     ",\"scan_device_seconds\":%.9f,\"copy_out_seconds\":%.9f",
                     row->transfer, done->segments, done->segment_bytes, done->in_flight,
                     done->copy_in_seconds, done->scan_seconds, done->copy_out_seconds);
    if (ceiling > 0)
        (void)printf(",\"bandwidth_gb_per_second\":%.6f,\"share_of_bandwidth\":%.6f", ceiling / 1e9,
                     speed.median * 1e9 / ceiling);
    if (speedup > 0)
        (void)printf(",\"speedup\":%.6f", speedup);
    if (row->paper_most > 0)
        (void)printf(",\"paper_speedup\":{\"min\":%.6f,\"max\":%.6f,\"source\":\"%s\"}",
                     row->paper_least, row->paper_most, row->source);
    if (row->reason[0] != '\0') {
        (void)printf(",\"expected_gb_per_second\":%.6f,", row->expected);
        json_print_member(stdout, "reason", row->reason);
    }
    bench_strategy_ratio ratio;
    if (bench_cuda_strategy_ratio(bench, index, &ratio))
        (void)printf(",\"b_over_a\":{\"measured\":%.6f,\"one_channel\":%.6f"
                     ",\"two_channels\":%.6f}",
                     ratio.measured, ratio.one_channel, ratio.two_channels);
}

static void print_json_row(const bench_cuda *bench, size_t index) {
    const bench_row *row = &bench->rows.items[index];
    const bench_cuda_row *detail = &bench->details[index];
    bench_speed speed = bench_row_speed(row, bench->text->length);
    (void)printf("{\"engine\":\"%s\",\"variant\":\"%s\",\"device\":\"%s\",\"threads\":%u",
                 row->engine, detail->variant, detail->ladder == NULL ? "cpu" : bench->device,
                 row->threads);
    if (bench_form_counts(bench->options->form) || detail->ladder == NULL)
        (void)printf(",\"matches\":%" PRIu64, row->matches);
    (void)printf(",\"build_seconds\":%.6f,\"table_bytes\":%" PRIu64
                 ",\"gb_per_second\":{\"median\":%.6f,\"min\":%.6f,\"max\":%.6f},\"repeats\":%zu",
                 row->build_seconds, row->table_bytes, speed.median, speed.min, speed.max,
                 row->repeats);
    if (detail->ladder != NULL)
        print_device_json(bench, index);
    (void)puts("}");
}

void bench_cuda_print_json(const bench_cuda *bench) {
    for (size_t i = 0; i < bench->rows.count; i++) {
        const bench_row *row = &bench->rows.items[i];
        const bench_cuda_row *detail = &bench->details[i];
        char how[48];
        describe(detail, how, sizeof how);
        if (row->measured)
            print_json_row(bench, i);
        else if (row->seconds == NULL)
            report("%s %s %s refuses: %s", row->engine, detail->variant, how, row->refusal.message);
    }
}
