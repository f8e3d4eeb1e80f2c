/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/peers/row.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/bench/peers/process.h"
#include "cli/bench/peers/worker.h"
#include "cli/flags/compile.h"

/* Waits for a line that begins with `word`, and stores notes that come before it. False with the
 * reason in the row. */
static bool await(const bench_options *options, bench_row *row, const char *word,
                  char line[static BENCH_LINE_BYTES]) {
    for (;;) {
        bench_answer answer = bench_process_answer(row->process, line);
        if (answer == BENCH_ANSWER_LATE)
            return bench_row_mark_late(row, options->time_limit);
        if (answer == BENCH_ANSWER_LONG)
            return bench_row_mark_absent(row, BENCH_ENDED,
                                         "it does not answer as a peer's program should");
        if (answer == BENCH_ANSWER_ENDED) {
            (void)bench_process_end_status(row->process, line, BENCH_LINE_BYTES);
            return bench_row_mark_absent(row, BENCH_ENDED, line);
        }
        if (strncmp(line, word, strlen(word)) == 0)
            return true;
        if (strncmp(line, "note ", 5) == 0)
            (void)snprintf(row->note, sizeof row->note, "%.*s", (int)sizeof row->note - 1,
                           line + 5);
        else if (strncmp(line, "refused ", 8) == 0)
            return bench_row_mark_absent(row, BENCH_REFUSES, line + 8);
        else if (strncmp(line, "unable ", 7) == 0)
            return bench_row_mark_absent(row, BENCH_NOT_ASKED, line + 7);
        else
            return bench_row_mark_absent(row, BENCH_ENDED,
                                         "it does not answer as a peer's program should");
    }
}

static bench_process *start_program(const bench_options *options, const bench_inputs *inputs,
                                    const bench_row *row) {
    char patterns[32];
    char text[32];
    char length[32];
    (void)snprintf(patterns, sizeof patterns, "/dev/fd/%d", inputs->patterns);
    (void)snprintf(text, sizeof text, "/dev/fd/%d", inputs->text);
    (void)snprintf(length, sizeof length, "%zu", inputs->length);
    const char *argv[] = {
        row->program, patterns, text, length, match_kind_name(options->compile.matches), NULL};
    return bench_process_start(argv, (double)options->time_limit);
}

/* Starts this command again as a worker, with the same arguments. */
static bench_process *start_worker(const bench_options *options, const bench_inputs *inputs,
                                   size_t index) {
    char instruction[128];
    bench_worker_instruction(index, inputs, instruction, sizeof instruction);
    const char **argv = allocate(((size_t)options->argc + 4) * sizeof *argv);
    size_t count = 0;
    argv[count++] = "/proc/self/exe";
    argv[count++] = "bench";
    argv[count++] = instruction;
    for (int i = 1; i < options->argc; i++)
        argv[count++] = options->argv[i];
    argv[count] = NULL;
    bench_process *process = bench_process_start(argv, (double)options->time_limit);
    free(argv);
    return process;
}

bool bench_peers_open(const bench_options *options, const bench_inputs *inputs, size_t index,
                      bench_row *row) {
    if (row->program != NULL && options->work != BENCH_COUNT)
        return bench_row_mark_absent(row, BENCH_NOT_ASKED,
                                     "it counts all matches together and nothing else");
    row->process = row->program != NULL ? start_program(options, inputs, row)
                                        : start_worker(options, inputs, index);
    if (row->process == NULL)
        return bench_row_mark_absent(row, BENCH_ENDED, "it could not be started");
    char line[BENCH_LINE_BYTES];
    if (!await(options, row, "built ", line))
        return false;
    char engine[BENCH_NAME_BYTES] = "";
    char variant[BENCH_NAME_BYTES] = "";
    unsigned long long bytes = 0;
    int fields =
        sscanf(line, "built %lf %llu %47s %47s", &row->build_seconds, &bytes, engine, variant);
    if (fields < 3)
        return bench_row_mark_absent(row, BENCH_ENDED,
                                     "it does not answer as a peer's program should");
    bench_row_take_name(row->engine, engine);
    bench_row_take_name(row->variant, variant);
    row->table_bytes = row->held_bytes = bytes;
    return true;
}

bool bench_peers_run(const bench_options *options, bench_row *row, bench_run *run) {
    char line[BENCH_LINE_BYTES];
    unsigned long long matches = 0;
    unsigned long long fingerprint = 0;
    bench_process_ask(row->process, "run");
    if (!await(options, row, "run ", line))
        return false;
    if (sscanf(line, "run %lf %llu %llu", &run->seconds, &matches, &fingerprint) < 2)
        return bench_row_mark_absent(row, BENCH_ENDED,
                                     "it does not answer as a peer's program should");
    run->matches = matches;
    run->fingerprint = fingerprint;
    return true;
}
