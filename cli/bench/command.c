/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl bench: measures the speed of engines, and of other programs, on the same text. */
#include "cli/bench/command.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/base/memory_text.h"
#include "cli/base/report.h"
#include "cli/bench/agree.h"
#include "cli/bench/choose.h"
#include "cli/bench/cuda/command.h"
#include "cli/bench/measure.h"
#include "cli/bench/options.h"
#include "cli/bench/peers/inputs.h"
#include "cli/bench/peers/print.h"
#include "cli/bench/peers/programs.h"
#include "cli/bench/peers/worker.h"
#include "cli/bench/print.h"
#include "cli/bench/row.h"
#include "cli/flags/device.h"
#include "cli/flags/patterns.h"
#include "trawl/trawl.h"
#include "trawl/trawl_conditions.h"

/* Peers know no conditions. False after reporting that a pattern has one. */
static bool peers_can_search(const trawl_patterns *patterns) {
    trawl_condition condition = TRAWL_CONDITION;
    size_t count = trawl_patterns_count(patterns);
    for (uint32_t id = 0; id < count; id++) {
        if (trawl_patterns_condition(patterns, id, &condition)) {
            report(
                "--peers: pattern %u has a condition, which peers cannot test; expected patterns "
                "without conditions",
                id);
            return false;
        }
    }
    return true;
}

/* Reports rows that disagree. Returns the exit status. */
static int exit_status(const bench_rows *rows, const bench_rows *programs) {
    /* Both calls are made, so that every difference is reported. */
    bool agree = bench_rows_agree(rows);
    agree = bench_rows_agree(programs) && agree;
    if (finish_output(EXIT_MATCHED) != EXIT_MATCHED || !agree)
        return EXIT_ERROR;
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->items[i].measured)
            return EXIT_MATCHED;
    }
    report("nothing could be measured");
    return EXIT_ERROR;
}

static int run_rows(const bench_options *options, const trawl_patterns *patterns,
                    const memory_text *text, bench_rows *rows) {
    bench_measure(options, patterns, text, NULL, rows);
    if (options->json)
        bench_print_json(options, text, rows);
    else
        bench_print_table(options, patterns, text, rows);
    return exit_status(rows, &(bench_rows){0});
}

static int run_peers(const bench_options *options, const trawl_patterns *patterns,
                     memory_text *text, bench_rows *rows) {
    bench_inputs inputs;
    bench_rows programs = {0};
    int status = EXIT_ERROR;
    if (bench_inputs_make(patterns, text->bytes, text->length, &inputs)) {
        free(text->bytes);
        text->bytes = NULL;
        bench_measure(options, patterns, text, &inputs, rows);
        bench_programs_measure(options, patterns, &inputs, &programs);
        bench_contest contest = {options, patterns, text, rows, &programs};
        if (options->json)
            bench_peers_print_json(&contest);
        else
            bench_peers_print_table(&contest);
        status = exit_status(rows, &programs);
    }
    bench_rows_release(&programs);
    bench_inputs_release(&inputs);
    return status;
}

static int run(const bench_options *options, bench_rows *rows) {
    memory_text text = {0};
    trawl_patterns *patterns = NULL;
    int status = EXIT_ERROR;
    if (pattern_options_load(&options->patterns, &patterns, NULL) &&
        memory_text_read(&options->texts, options->limit, &text)) {
        if (!device_is_cuda(options->scan.device))
            bench_rows_mark_planned(options, patterns, &text, rows);
        if (device_is_cuda(options->scan.device))
            status = finish_output(bench_cuda_run(options, patterns, &text));
        else if (options->peers)
            status =
                peers_can_search(patterns) ? run_peers(options, patterns, &text, rows) : EXIT_ERROR;
        else
            status = run_rows(options, patterns, &text, rows);
    }
    trawl_patterns_free(patterns);
    free(text.bytes);
    return status;
}

int trawl_command_bench(int argc, char **argv) {
    bench_options options;
    bench_rows rows = {0};
    int status = EXIT_ERROR;
    if (bench_options_parse(&options, argc, argv, &status)) {
        status = EXIT_ERROR;
        if (device_is_cuda(options.scan.device) || bench_rows_choose(&options, &rows))
            status =
                options.worker != NULL ? bench_worker_run(&options, &rows) : run(&options, &rows);
    }
    bench_rows_release(&rows);
    bench_options_release(&options);
    return status;
}
