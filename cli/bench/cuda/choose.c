/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/cuda/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/bench/cuda/ladders.h"
#include "cli/bench/engines.h"
#include "cli/bench/options.h"
#include "cli/bench/row.h"
#include "cli/flags/cuda.h"
#include "cli/target/profile.h"
#include "cli/target/profile_load.h"

/* The rows that one element of --engine asks for. */
typedef struct wish {
    const char *engine;
    const char *variant; /* NULL: all variants in the ladders */
    const char *kernel;  /* NULL: all kernels in the ladders */
} wish;

static bool equal_or_any(const char *wanted, const char *name) {
    return wanted == NULL || strcmp(wanted, name) == 0;
}

/* ------------------------------------------------------------------ adding rows */

static bench_cuda_row *add_row(bench_cuda *bench, const char *engine, const char *ladder) {
    bench_rows *rows = &bench->rows;
    bench->details = reallocate(bench->details, (rows->count + 1) * sizeof *bench->details);
    bench_cuda_row *detail = &bench->details[rows->count];
    const bench_cuda_row *before = rows->count == 0 ? NULL : detail - 1;
    bench_row *row = bench_rows_add(rows);
    row->asked_engine = engine;
    row->threads = 1;
    (void)snprintf(row->engine, sizeof row->engine, "%s", engine);
    *detail = (bench_cuda_row){.ladder = ladder};
    detail->is_first = ladder != NULL && (before == NULL || before->ladder != ladder);
    detail->block_threads = bench->options->study.scan.block_threads;
    detail->block_bytes = bench->options->study.scan.block_bytes;
    return detail;
}

/* The strings must live as long as the rows. */
static void name_tables(bench_cuda *bench, bench_cuda_row *row, const char *variant,
                        const char *kernel) {
    bench->rows.items[row - bench->details].asked_variant = variant;
    (void)snprintf(row->variant, sizeof row->variant, "%s", variant == NULL ? "" : variant);
    (void)snprintf(row->kernel, sizeof row->kernel, "%s", kernel == NULL ? "" : kernel);
}

static size_t add_ladders(bench_cuda *bench, const wish *asked) {
    size_t added = 0;
    for (const bench_ladder *ladder = bench_ladders; ladder->engine != NULL; ladder++) {
        for (size_t i = 0; i < ladder->count && strcmp(ladder->engine, asked->engine) == 0; i++) {
            const bench_rung *rung = &ladder->rungs[i];
            const char *variant = rung->variant != NULL ? rung->variant : ladder->variant;
            if (!equal_or_any(asked->variant, variant) ||
                !equal_or_any(asked->kernel, rung->kernel))
                continue;
            bench_cuda_row *row = add_row(bench, ladder->engine, ladder->name);
            name_tables(bench, row, variant, rung->kernel);
            row->source = ladder->source;
            row->parts = rung->parts;
            row->paper_least = rung->paper_least;
            row->paper_most = rung->paper_most;
            /* The paper compares with the first kernel of its ladder; without that row there is no
             * speed-up. */
            if (row->is_first && i != 0)
                row->is_first = false;
            added++;
        }
    }
    return added;
}

/* Adds the rows of parameters in the profile of this device. */
static void add_tuned(bench_cuda *bench, const wish *asked) {
    const device_profile *profile = &bench->profile;
    static const char ladder[] = "parameters of trawl tune";
    for (size_t i = 0; i < profile->count; i++) {
        const profile_entry *entry = &profile->entries[i];
        if (strcmp(entry->engine, asked->engine) != 0 ||
            !equal_or_any(asked->variant, entry->variant) ||
            !equal_or_any(asked->kernel, entry->kernel))
            continue;
        bench_cuda_row *row = add_row(bench, asked->engine, ladder);
        name_tables(bench, row, entry->variant, entry->kernel);
        row->is_first = false;
        row->block_threads = entry->block_threads;
        row->block_bytes = entry->block_bytes;
    }
}

static void add_transfer(bench_cuda *bench, const wish *asked, const char *transfer,
                         uint32_t segments) {
    static const char ladder[] = "host to host";
    if (!equal_or_any(bench->options->scan.transfer, transfer))
        return;
    bench_cuda_row *row = add_row(bench, asked->engine, ladder);
    name_tables(bench, row, asked->variant, asked->kernel);
    row->transfer = transfer;
    row->segments = segments;
    row->is_first = strcmp(transfer, "a") == 0 && segments == 1;
    if (strcmp(transfer, "a") == 0)
        row->paper_least = row->paper_most = bench_paper_strategy_a(segments);
    row->source = bench_paper_strategy_source;
}

static void add_transfers(bench_cuda *bench, const wish *asked) {
    enum { MOST_SEGMENTS = 64 };
    static const char *const strategies[] = {"a", "b"};
    for (size_t i = 0; i < 2; i++) {
        for (uint32_t segments = 1; segments <= MOST_SEGMENTS && segments <= bench->text->length;
             segments *= 2)
            add_transfer(bench, asked, strategies[i], segments);
    }
    add_transfer(bench, asked, "ring", 0);
    add_transfer(bench, asked, "zero-copy", 0);
}

/* ------------------------------------------------------------------ what is asked for */

static void add_wish(bench_cuda *bench, const wish *asked) {
    const bench_options *options = bench->options;
    /* With --transfer there are only rows with the text in host memory. */
    if (options->scan.transfer == NULL) {
        if (add_ladders(bench, asked) == 0)
            name_tables(bench, add_row(bench, asked->engine, "as asked"), asked->variant,
                        asked->kernel);
        add_tuned(bench, asked);
    }
    if (bench_form_counts(options->form) && !options->on_device)
        add_transfers(bench, asked);
}

/* Adds the rows of an engine. --engine all leaves out engines without kernels. */
static bool on_engine(void *context, const bench_named_engine *named) {
    bench_cuda *bench = context;
    trawl_compile_options compile = TRAWL_COMPILE_OPTIONS;
    trawl_scan_options scan = {.size = sizeof scan, .kernel = bench->options->scan.kernel};
    trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION;
    if (named->by_all && !trawl_kernel_describe(named->name, 0, &kernel))
        return true;
    compile.engine = named->name;
    compile.variant = named->variant;
    if (!cuda_options_from_variant(&bench_command, &compile, &scan))
        return false;
    wish asked = {.engine = named->name, .variant = compile.variant, .kernel = scan.kernel};
    add_wish(bench, &asked);
    return true;
}

static bool take_list(bench_cuda *bench, const char *given) {
    char *list = string_copy(given);
    bench->lists = reallocate(bench->lists, (bench->list_count + 1) * sizeof *bench->lists);
    bench->lists[bench->list_count++] = list;
    return bench_engines_each(bench->options, list, on_engine, bench);
}

/* Reads the profile of the device. False after reporting that --profile cannot be read. */
static bool read_profile(bench_cuda *bench) {
    const profile_options *asked = &bench->options->profile;
    char path[4096];
    trawl_error error;
    trawl_status status =
        device_profile_load(asked, bench->device, path, sizeof path, &bench->profile, &error);
    if (status == TRAWL_OK || status == TRAWL_ERROR_UNAVAILABLE)
        return true;
    report("%s%s", error.message, asked->path == NULL ? "; the profile is not used" : "");
    return asked->path == NULL;
}

bool bench_cuda_choose(bench_cuda *bench) {
    const bench_options *options = bench->options;
    bool good = read_profile(bench);
    /* The row of the CPU, whose number of matches the others must find. */
    (void)add_row(bench, "ac-dfa", NULL);
    for (size_t i = 0; good && i < options->engines.count; i++)
        good = take_list(bench, options->engines.items[i]);
    if (good && options->engines.count == 0)
        good = take_list(bench, "ac-dfa");
    return good;
}
