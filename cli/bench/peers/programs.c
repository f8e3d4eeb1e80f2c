/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/peers/programs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/bench/peers/find.h"
#include "cli/bench/peers/process.h"
#include "cli/bench/subject.h"
#include "cli/flags/scan.h"

enum { PROGRAM_COUNT = 3, FIXED_ARGUMENTS = 8, DEFAULT_REPEATS = 3 };

static const struct {
    const char *name;
    const char *executable;
    const char *argv[FIXED_ARGUMENTS]; /* arguments of this program alone */
} descriptions[PROGRAM_COUNT] = {
    {"trawl grep -c", "/proc/self/exe", {"grep", "-a", "-F", "-c"}},
    {"grep -F -c", "grep", {"-a", "-F", "-c"}},
    {"rg -F -c", "rg", {"-a", "-F", "-c", "--no-config", "--no-unicode", "--no-messages"}},
};

typedef struct whole_programs {
    const bench_options *options;
    bench_rows *rows;
    char text[32];     /* path */
    char patterns[32]; /* path of a file with a pattern on each line */
    char threads[16];
    char *ripgrep; /* path of the fetched ripgrep; NULL: the one in PATH */
    bool ignore_case;
    double time_left[PROGRAM_COUNT];
} whole_programs;

/* ------------------------------------------------------------------ patterns as lines */

/* Why these programs cannot search for the patterns, or NULL. */
static const char *find_objection(const trawl_patterns *patterns, bool *ignore_case) {
    size_t count = trawl_patterns_count(patterns);
    size_t ignoring = 0;
    for (size_t id = 0; id < count; id++) {
        trawl_pattern pattern = TRAWL_PATTERN;
        (void)trawl_patterns_get(patterns, (uint32_t)id, &pattern);
        if (memchr(pattern.bytes, '\n', pattern.length) != NULL ||
            memchr(pattern.bytes, '\r', pattern.length) != NULL ||
            memchr(pattern.bytes, '\0', pattern.length) != NULL)
            return "a pattern holds a CR, LF or NUL, which a file of lines cannot";
        ignoring += (pattern.flags & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
    }
    *ignore_case = ignoring != 0;
    return ignoring == 0 || ignoring == count ? NULL
                                              : "some patterns match any case and others do not";
}

/* Writes the patterns to a file in memory, one on each line. Returns it, or -1 after reporting. */
static int write_lines(const trawl_patterns *patterns) {
    size_t count = trawl_patterns_count(patterns);
    size_t used = 0;
    trawl_pattern pattern = TRAWL_PATTERN;
    for (size_t id = 0; id < count; id++) {
        (void)trawl_patterns_get(patterns, (uint32_t)id, &pattern);
        used += pattern.length + 1;
    }
    char *lines = allocate(used);
    used = 0;
    for (size_t id = 0; id < count; id++) {
        (void)trawl_patterns_get(patterns, (uint32_t)id, &pattern);
        memcpy(lines + used, pattern.bytes, pattern.length);
        used += pattern.length;
        lines[used++] = '\n';
    }
    int file = bench_memory_file("lines");
    if (file >= 0 && !bench_memory_file_write(file, lines, used)) {
        (void)close(file);
        file = -1;
    }
    free(lines);
    return file;
}

/* ------------------------------------------------------------------ one run */

static const char *executable(const whole_programs *all, size_t index) {
    const char *name = descriptions[index].executable;
    return all->ripgrep != NULL && strcmp(name, "rg") == 0 ? all->ripgrep : name;
}

/* The version: the first word of `PROGRAM --version` that begins with a digit. False if there is no
 * such program. */
static bool find_version(const whole_programs *all, size_t index, bench_row *row) {
    const char *argv[] = {executable(all, index), "--version", NULL};
    char line[BENCH_LINE_BYTES] = "";
    bench_process *process = bench_process_start(argv, (double)all->options->time_limit);
    bool answers = process != NULL && bench_process_answer(process, line) == BENCH_ANSWER_LINE;
    bench_process_close(process);
    const char *version = line;
    while (*version != '\0' &&
           (isdigit((unsigned char)*version) == 0 || (version != line && version[-1] != ' ')))
        version++;
    (void)snprintf(row->variant, sizeof row->variant, "%.*s", (int)strcspn(version, " \"\\"),
                   version);
    return answers || bench_row_mark_absent(row, BENCH_NOT_ASKED, "it is not installed");
}

/* One run of the whole program; false with the reason in the row. */
static bool run_whole(whole_programs *all, size_t index, bench_run *run) {
    bench_row *row = &all->rows->items[index];
    const char *argv[FIXED_ARGUMENTS + 8] = {executable(all, index)};
    size_t count = 1;
    for (const char *const *fixed = descriptions[index].argv; *fixed != NULL; fixed++)
        argv[count++] = *fixed;
    if (all->ignore_case)
        argv[count++] = "-i";
    if (index == 0) {
        argv[count++] = "--threads";
        argv[count++] = all->threads;
    }
    argv[count++] = "-f";
    argv[count++] = all->patterns;
    argv[count++] = all->text;

    *run = (bench_run){0};
    char line[BENCH_LINE_BYTES] = "";
    double begin = seconds_now();
    bench_process *process = bench_process_start(argv, all->time_left[index]);
    bench_answer answer = BENCH_ANSWER_LINE;
    while (process != NULL && answer == BENCH_ANSWER_LINE) {
        answer = bench_process_answer(process, line);
        if (answer == BENCH_ANSWER_LINE) /* ripgrep writes no line if no line matches */
            run->matches = strtoull(line, NULL, 10);
    }
    bool done = false;
    if (process == NULL) {
        done = bench_row_mark_absent(row, BENCH_ENDED, "it could not be started");
    } else if (answer == BENCH_ANSWER_LATE) {
        done = bench_row_mark_late(row, all->options->time_limit);
    } else if (answer == BENCH_ANSWER_LONG) {
        done = bench_row_mark_absent(row, BENCH_ENDED, "it does not print a number of lines");
    } else {
        int status = bench_process_end_status(process, line, sizeof line);
        done = status == EXIT_MATCHED || status == EXIT_NOTHING ||
               bench_row_mark_absent(row, BENCH_ENDED, line);
    }
    run->seconds = seconds_now() - begin;
    all->time_left[index] -= run->seconds;
    bench_process_close(process);
    return done;
}

/* ------------------------------------------------------------------ all of them */

static void keep(bench_row *row, size_t turn, double seconds) {
    row->seconds[row->done++] = row->turn_seconds[turn] = seconds;
    row->repeats = row->done;
}

/* An untimed run of each program, which counts if there is no time for another; then timed runs in
 * turns. */
static void measure(whole_programs *all, size_t repeats) {
    bench_run run;
    for (size_t i = 0; i < PROGRAM_COUNT; i++) {
        bench_row *row = &all->rows->items[i];
        row->measured = find_version(all, i, row) && run_whole(all, i, &run);
        if (!row->measured)
            continue;
        row->matches = run.matches;
        row->seconds = allocate((repeats + 1) * sizeof *row->seconds);
        if (run.seconds > all->time_left[i])
            keep(row, 0, run.seconds);
    }
    for (size_t turn = 0; turn < repeats; turn++) {
        for (size_t i = 0; i < PROGRAM_COUNT; i++) {
            bench_row *row = &all->rows->items[i];
            if (!row->measured || (row->done != 0 && row->seconds[0] > all->time_left[i]))
                continue;
            if (run_whole(all, i, &run))
                keep(row, turn, run.seconds);
            else
                row->measured = row->absence == BENCH_OVER_TIME && row->done != 0;
        }
    }
    for (size_t i = 0; i < PROGRAM_COUNT; i++) {
        bench_row *row = &all->rows->items[i];
        if (row->measured)
            qsort(row->seconds, row->done, sizeof *row->seconds, bench_compare_seconds);
    }
}

void bench_programs_measure(const bench_options *options, const trawl_patterns *patterns,
                            const bench_inputs *inputs, bench_rows *programs) {
    whole_programs all = {.options = options, .rows = programs};
    programs->items = allocate(PROGRAM_COUNT * sizeof *programs->items);
    programs->count = PROGRAM_COUNT;
    const char *objection = find_objection(patterns, &all.ignore_case);
    int lines = objection == NULL ? write_lines(patterns) : -1;
    unsigned threads = scan_options_threads(&options->scan);
    for (size_t i = 0; i < PROGRAM_COUNT; i++) {
        bench_row *row = &programs->items[i];
        *row = (bench_row){.threads = i == 0 ? threads : 1};
        all.time_left[i] = (double)options->time_limit;
        row->asked_engine = i == 0 ? descriptions[i].name : NULL;
        (void)snprintf(row->engine, sizeof row->engine, "%s", descriptions[i].name);
        if (lines < 0)
            (void)bench_row_mark_absent(row, BENCH_NOT_ASKED,
                                        objection == NULL ? "out of memory" : objection);
    }
    if (lines < 0)
        return;
    all.ripgrep = bench_peers_file(options, "ripgrep/rg");
    (void)snprintf(all.text, sizeof all.text, "/dev/fd/%d", inputs->text);
    (void)snprintf(all.patterns, sizeof all.patterns, "/dev/fd/%d", lines);
    (void)snprintf(all.threads, sizeof all.threads, "%u", threads);
    size_t repeats = options->repeats == 0            ? DEFAULT_REPEATS
                     : options->repeats > BENCH_TURNS ? BENCH_TURNS
                                                      : (size_t)options->repeats;
    measure(&all, repeats);
    free(all.ripgrep);
    (void)close(lines);
}
