/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl bench: search-only throughput of engines side by side. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "bench_cuda.h"
#include "bench_peers_print.h"
#include "bench_programs.h"
#include "bench_worker.h"
#include "commands.h"
#include "report.h"
#include "source/text_file.h"

/* ------------------------------------------------------------------ the text */

/* Appends a file to the text, up to `limit` bytes in all; `capacity` is what text->bytes has room
 * for. */
static trawl_status append_file(text_file *file, uint64_t limit, bench_text *text, size_t *capacity,
                                trawl_error *error) {
    enum { LEAST_ROOM = 1 << 20 };
    /* One byte more than is expected, so that the end is seen without another allocation. */
    uint64_t room = text_file_is_plain(file) ? text_file_stored_bytes(file) + 1 : LEAST_ROOM;
    bool ended = false;
    while (!ended && text->length < limit) {
        size_t got = 0;
        room = room > limit - text->length ? limit - text->length : room;
        if (*capacity - text->length < room) {
            *capacity = text->length + (size_t)room;
            text->bytes = reallocate(text->bytes, *capacity);
        }
        trawl_status status =
            text_file_fill(file, text->bytes + text->length, (size_t)room, &got, error);
        if (status != TRAWL_OK)
            return status;
        ended = got < room;
        text->length += got;
        room = text->length < LEAST_ROOM ? LEAST_ROOM : text->length;
    }
    return TRAWL_OK;
}

/* False after one line. */
static bool read_text(const bench_options *options, bench_text *text) {
    static const char *const standard_input[] = {"-"};
    const char *const *paths = options->texts.count == 0 ? standard_input : options->texts.items;
    size_t count = options->texts.count == 0 ? 1 : options->texts.count;
    size_t capacity = 0;
    for (size_t i = 0; i < count && text->length < options->limit; i++) {
        trawl_error error;
        text_file *file = NULL;
        trawl_status status = text_file_open(paths[i], TEXT_DECOMPRESS, &file, &error);
        if (status == TRAWL_OK)
            status = append_file(file, options->limit, text, &capacity, &error);
        text_file_close(file);
        if (status != TRAWL_OK) {
            (void)report_error(&error);
            return false;
        }
    }
    if (text->length == 0)
        report("the text is empty; expected a byte or more");
    return text->length != 0;
}

/* ------------------------------------------------------------------ the command */

static bool read_patterns(const bench_options *options, trawl_patterns **patterns) {
    if (!pattern_options_load(&options->patterns, patterns, NULL))
        return false;
    bool some = trawl_patterns_count(*patterns) != 0;
    if (!some)
        report("the pattern set is empty; expected a pattern or more");
    return some;
}

/* The exit status when the output may still fail. */
static int finish(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    report("(standard output): could not be written");
    return EXIT_ERROR;
}

/* What the rows and whole programs, where there are some, come to. */
static int judge(const bench_rows *rows, const bench_rows *programs) {
    /* Both are asked, so that all that is wrong is reported. */
    bool agree = bench_rows_agree(rows);
    agree = bench_rows_agree(programs) && agree;
    if (finish(EXIT_MATCHED) != EXIT_MATCHED || !agree)
        return EXIT_ERROR;
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->items[i].measured)
            return EXIT_MATCHED;
    }
    report("nothing could be measured");
    return EXIT_ERROR;
}

static int run_rows(const bench_options *options, const trawl_patterns *patterns,
                    const bench_text *text, bench_rows *rows) {
    bench_measure(options, patterns, text, NULL, rows);
    if (options->json)
        bench_print_json(options, text, rows);
    else
        bench_print_table(options, patterns, text, rows);
    return judge(rows, &(bench_rows){0});
}

static int run_peers(const bench_options *options, const trawl_patterns *patterns, bench_text *text,
                     bench_rows *rows) {
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
        status = judge(rows, &programs);
    }
    bench_rows_release(&programs);
    bench_inputs_release(&inputs);
    return status;
}

static int run(const bench_options *options, bench_rows *rows) {
    bench_text text = {0};
    trawl_patterns *patterns = NULL;
    int status = EXIT_ERROR;
    if (read_patterns(options, &patterns) && read_text(options, &text)) {
        if (device_is_cuda(options->scan.device))
            status = finish(bench_cuda_run(options, patterns, &text));
        else if (options->peers)
            status = run_peers(options, patterns, &text, rows);
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
