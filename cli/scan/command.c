/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl scan: finds every match in every text. */
#include "cli/scan/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/memory.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"
#include "cli/base/stats.h"
#include "cli/flags/cuda.h"
#include "cli/flags/device.h"
#include "cli/flags/scan.h"
#include "cli/scan/describe.h"
#include "cli/scan/journaled.h"
#include "cli/scan/many.h"
#include "cli/scan/options.h"
#include "cli/scan/plan.h"
#include "cli/scan/prepare.h"
#include "cli/scan/range.h"
#include "cli/scan/records.h"
#include "cli/scan/text.h"
#include "cli/scan/texts.h"
#include "cli/scan/totals.h"
#include "cli/target/choice.h"
#include "cli/target/start.h"
#include "io/output_file.h"
#include "trawl/trawl.h"

/* ------------------------------------------------------------------ the texts */

/* A record_drain that writes to the output. */
static bool drain_to_output(void *context, const char *bytes, size_t length) {
    output_file *output = context;
    output_file_write_large(output, bytes, length);
    return !output_file_failed(output);
}

/* Scans one text with all threads. */
static void scan_alone(scan_plan *plan, text_scanner *scanner, const scan_entry *entry) {
    text_result result;
    scan_done done;
    scan_want_report(plan, scanner, &done);
    scan_entry_run(scanner, entry, &result);
    scan_add_report(plan, scanner, &done, &plan->report);
    plan->bytes += result.bytes;
    plan->matches += result.matches;
    plan->failed = plan->failed || result.failed;
    if (plan->options->kind == RECORD_COUNTS && !result.failed) {
        size_t length = 0;
        char *line = count_line(plan, entry->path, result.matches, &length);
        output_file_write(plan->output, line, length);
        free(line);
    }
}

/* Whether texts may be scanned side by side. Each thread then needs counters of its own. A GPU
 * scans one text at a time. */
static bool may_go_side_by_side(const scan_plan *plan) {
    if (device_is_cuda(plan->scanner.options.device))
        return false;
    uint64_t counters = plan->per_pattern == NULL ? 0 : (uint64_t)plan->patterns * plan->threads;
    return plan->threads > 1 && counters * sizeof(uint64_t) <= (uint64_t)1 << 30;
}

/* Scans runs of small texts side by side, and the other texts one after the other. */
static void scan_all(scan_plan *plan, const scan_texts *texts) {
    text_scanner scanner = plan->scanner;
    record_writer writer = {0};
    bool side_by_side = may_go_side_by_side(plan);
    scanner.output = plan->output;
    scanner.per_pattern = plan->per_pattern;
    if (scan_plan_has_records(plan)) {
        record_writer_open(&writer, plan->labels, drain_to_output, plan->output);
        if (plan->threads > 1 && plan->scanner.cut == NULL)
            record_writer_share(&writer, plan->threads);
        scanner.writer = &writer;
    }
    size_t i = 0;
    while (i < texts->count && !output_file_failed(plan->output)) {
        size_t end = i;
        while (side_by_side && end < texts->count && !texts->items[end].alone)
            end++;
        if (end - i >= 2) {
            if (scanner.writer != NULL)
                record_writer_flush(&writer);
            scan_many(plan, texts->items + i, end - i);
            i = end;
        } else {
            scan_alone(plan, &scanner, &texts->items[i++]);
        }
    }
    if (scanner.writer != NULL)
        record_writer_flush(&writer);
    record_writer_close(&writer);
    text_scanner_release(&scanner);
}

static void remember_output(text_scanner *scanner) {
    struct stat information;
    if (fstat(STDOUT_FILENO, &information) == 0 && S_ISREG(information.st_mode)) {
        scanner->has_output_file = true;
        scanner->output_device = information.st_dev;
        scanner->output_inode = information.st_ino;
    }
}

/* ------------------------------------------------------------------ --stats */

/* Prints the reason of the database, which may say that an engine's time for a byte has no bound;
 * if it was planned, also what the planner expected, and the measured candidates of each filter. */
static void print_plan_stats(FILE *file, const scan_plan *plan, const char *reason) {
    trawl_study_plan expected = TRAWL_STUDY_PLAN;
    const trawl_study_scan_report *done = &plan->report.study;
    if (trawl_study_db_plan(plan->scanner.db, &expected, NULL) != TRAWL_OK)
        return;
    if (!expected.planned) {
        device_print_stat(file, "reason", reason);
        return;
    }
    (void)fprintf(file,
                  ",\"expected_gb_per_second\":%.6f,\"expected_match_ends\":%.6g"
                  ",\"sample_bytes\":%" PRIu64,
                  expected.gb_per_second, expected.match_ends, expected.sample_bytes);
    device_print_stat(file, expected.for_cuda ? "planned_for_cuda" : "reason", reason);
    if (done->filtered_bytes == 0 && done->fallback_bytes == 0)
        return;
    (void)fprintf(file, ",\"filtered_bytes\":%" PRIu64 ",\"automaton_bytes\":%" PRIu64,
                  done->filtered_bytes, done->fallback_bytes);
    if (done->filters == 0)
        return;
    (void)fputs(",\"filters\":[", file);
    double bytes = done->filtered_bytes == 0 ? 1 : (double)done->filtered_bytes;
    for (size_t i = 0; i < expected.filters; i++)
        (void)fprintf(file,
                      "%s{\"kind\":\"%s\",\"min_length\":%zu,\"max_length\":%zu"
                      ",\"expected_candidates\":%.6g,\"candidates\":%.6g}",
                      i == 0 ? "" : ",", expected.filter[i].kind, expected.filter[i].min_length,
                      expected.filter[i].max_length, expected.filter[i].candidates,
                      (double)done->candidates[i] / bytes);
    (void)fputs("]", file);
}

/* Times in seconds, and what else --stats says of the preparations. */
typedef struct scan_times {
    double begin; /* time when the command began, plus the time of building tables */
    double build; /* building the tables, in this process or when the database was compiled */
    double setup; /* the rest before the first text: listing files, starting the device */
    double scan;
    trawl_error ignored; /* why a profile of costs was ignored; status TRAWL_OK: none was */
} scan_times;

static void print_stats(const scan_plan *plan, const device_choice *device,
                        const scan_times *times) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(plan->scanner.db, &information, NULL);
    stats stats_;
    stats_begin(&stats_);
    FILE *file = stats_.file;
    double rate = times->scan > 0 ? (double)plan->bytes / times->scan / 1e9 : 0;
    (void)fprintf(file,
                  "{\"bytes\":%" PRIu64 ",\"patterns\":%zu,\"matches\":%" PRIu64
                  ",\"engine\":\"%s\",\"variant\":\"%s\",\"device\":\"%s\",\"threads\":%u,"
                  "\"build_seconds\":%.6f,\"scan_seconds\":%.6f,\"gb_per_second\":%.6f,"
                  "\"table_bytes\":%" PRIu64,
                  plan->bytes, information.patterns, plan->matches, information.engine,
                  information.variant, device->name, plan->threads, times->build, times->scan, rate,
                  information.table_bytes);
    print_plan_stats(file, plan, information.reason);
    if (device->is_cuda) /* creating a CUDA context takes long */
        (void)fprintf(file, ",\"setup_seconds\":%.6f", times->setup);
    device_print_stats(file, device, &plan->report);
    const trawl_error *ignored =
        device->profile_error.status != TRAWL_OK ? &device->profile_error : &times->ignored;
    if (ignored->status != TRAWL_OK)
        device_print_stat(file, "profile_ignored", ignored->message);
    (void)fputc('}', file);
    stats_end(&stats_);
}

/* ------------------------------------------------------------------ the command */

/* Ends the process without freeing anything; all output has been written. The system takes back
 * page-locked memory and device memory faster than the library frees them one by one. */
static _Noreturn void leave(int status) {
    (void)fflush(stderr);
    quick_exit(status);
}

/* The plan of a scan. Its counters of patterns are freed by the caller. */
static scan_plan plan_scan(const scan_options *options, const trawl_db *db, const scan_texts *texts,
                           record_labels *labels) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    scan_plan plan = {.options = options,
                      .labels = labels,
                      .scanner = {.db = db, .options = options->scan},
                      .threads = scan_options_threads(&options->scan),
                      .several = texts->several,
                      .patterns = information.patterns,
                      .failed = texts->failed};
    plan.scanner.options.threads = plan.threads;
    plan.scanner.cut = options->cut.wanted ? &options->cut : NULL;
    if (options->kind == RECORD_TOP) {
        plan.per_pattern = allocate(plan.patterns * sizeof *plan.per_pattern);
        memset(plan.per_pattern, 0, plan.patterns * sizeof *plan.per_pattern);
    }
    return plan;
}

/* Scans the texts and writes the results as parts with a journal. Returns the exit status. */
static int run_with_journal(scan_plan *plan, scan_texts *texts, const device_choice *device,
                            scan_times *times) {
    double begin = seconds_now();
    times->setup = begin - times->begin;
    int status = scan_journaled(plan, texts);
    times->scan = seconds_now() - begin;
    if (plan->options->stats)
        print_stats(plan, device, times);
    return status;
}

/* Ends the output. After an error a file stays as it was: results of some texts would look like
 * those of all. Returns the exit status. */
static int end_output(const scan_plan *plan) {
    trawl_error error;
    bool drops = plan->failed && !output_file_failed(plan->output);
    if (drops && output_file_replaces(plan->output))
        output_file_abandon(plan->output);
    else if (output_file_close(plan->output, &error) != TRAWL_OK)
        return report_error(&error);
    return plan->failed ? EXIT_ERROR : plan->matches != 0 ? EXIT_MATCHED : EXIT_NOTHING;
}

/* Scans the texts and writes the results into plan->output, which is open. Returns the exit
 * status. */
static int run_to_output(scan_plan *plan, scan_texts *texts, const device_choice *device,
                         scan_times *times) {
    const scan_options *options = plan->options;
    if (options->output == NULL)
        remember_output(&plan->scanner);
    double begin = seconds_now();
    times->setup = begin - times->begin;
    progress_begin(options->progress, texts->stored_bytes);
    scan_all(plan, texts);
    progress_end();
    times->scan = seconds_now() - begin;
    if (plan->per_pattern != NULL)
        top_write(plan);
    int status = end_output(plan);
    if (options->stats)
        print_stats(plan, device, times);
    return status;
}

/* Scans the texts with the database and writes the results. Returns the exit status; with a GPU it
 * ends the process with that status instead. */
static int run(const scan_options *options, const trawl_db *db, scan_texts *texts,
               scan_times *times) {
    trawl_error error;
    record_labels labels;
    record_labels_open(&labels, db, options->format, options->with_pattern);
    if (options->kind == RECORD_MATCHES)
        record_labels_prepare(&labels);
    scan_plan plan = plan_scan(options, db, texts, &labels);
    int status = EXIT_ERROR;
    device_choice device;
    if (!device_choose(&device, db, &options->profile, scan_sample_of(options, texts),
                       &plan.scanner.options)) {
        status = EXIT_ERROR;
    } else if (options->division.journal != NULL) {
        status = run_with_journal(&plan, texts, &device, times);
    } else if (options->division.shard != 0 && !scan_take_shard(texts, &plan)) {
        status = EXIT_ERROR;
    } else if (output_file_open(options->output, &plan.output, &error) != TRAWL_OK) {
        (void)report_error(&error);
    } else {
        status = run_to_output(&plan, texts, &device, times);
    }
    if (device.is_cuda)
        leave(status);
    free(plan.per_pattern);
    record_labels_release(&labels);
    return status;
}

static int scan(const scan_options *options) {
    scan_times times = {.begin = seconds_now()};
    int status = EXIT_ERROR;
    trawl_db *db = NULL;
    device_start starting;
    device_start_begin(&starting, options->scan.device);
    if (!cuda_options_check(&scan_command, &options->scan, &options->profile)) {
        device_start_end(&starting);
        return status;
    }
    /* The texts are listed before the output is opened, so that a new output is not among them. */
    scan_texts texts;
    scan_texts_collect(&texts, options);
    device_start_others(&starting, options->scan.device, texts.stored_bytes);
    bool ready =
        !texts.refused && scan_get_database(options, &texts, &db, &times.build, &times.ignored);
    device_start_end(&starting);
    if (ready) {
        times.begin += options->database == NULL ? times.build : 0;
        status = run(options, db, &texts, &times);
    }
    scan_texts_release(&texts);
    trawl_db_free(db);
    return status;
}

int trawl_command_scan(int argc, char **argv) {
    scan_options options;
    int status = EXIT_ERROR;
    if (scan_options_parse(&options, &scan_command, argc, argv, &status))
        status = scan(&options);
    scan_options_release(&options);
    return status;
}
