/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl compile: compiles patterns into a database file. */
#include "cli/compile/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/json_text.h"
#include "cli/base/report.h"
#include "cli/base/stats.h"
#include "cli/base/words.h"
#include "cli/flags/arguments.h"
#include "cli/flags/compile.h"
#include "cli/flags/device.h"
#include "cli/flags/groups.h"
#include "cli/flags/overwrite.h"
#include "cli/flags/patterns.h"
#include "cli/flags/scan.h"
#include "cli/target/planning.h"
#include "io/output_file.h"
#include "trawl/trawl.h"

enum { FLAG_OUTPUT = 1, FLAG_STATS, FLAG_SAMPLE };

static const flag output_flags[] = {
    {FLAG_OUTPUT, 'o', "output", "DB",
     "Write the database to DB (- is standard output). DB appears or changes only after everything "
     "has been written.",
     "Output"},
    {FLAG_STATS, 0, "stats", NULL,
     "Write sizes and times to standard error: on a terminal a line for each, elsewhere one JSON "
     "object.",
     NULL},
    {0},
};

static const flag plan_flags[] = {
    {FLAG_SAMPLE, 0, "sample", "FILE",
     "Choose the engine for texts like FILE. Results do not depend on it.", NULL},
    {FLAG_DEVICE, 0, "device", "NAME",
     "Choose the engine for scans on cpu (the default), cuda, cuda:N, or auto; of several "
     "GPUs for the first. If this machine has "
     "no such GPU, it is chosen for an NVIDIA H200. Every device can scan with DB.",
     NULL},
    {0},
};

static const flag *const compile_flags[] = {
    pattern_flags, pattern_format_flags, pattern_crlf_flags, pattern_match_flags,  output_flags,
    engine_flags,  variant_flags,        match_kind_flags,   compile_detail_flags, plan_flags,
    NULL,
};

static const command compile_command = {
    .name = "compile",
    .summary = "turn patterns into a database that loads at once",
    .usage = "  trawl compile [FLAGS] -f FILE|-e PATTERN -o DB",
    .examples = "  trawl compile -f words.txt -o words.db\n"
                "  trawl compile -f words.txt --sample book.txt -o words.db    for such texts\n"
                "  trawl compile -f rules.tsv --pattern-format tsv --engine ac-nfa -o rules.db\n"
                "  trawl scan --db words.db book.txt\n",
    .flags = compile_flags,
    .notes =
        "A database is validated when it is loaded. It needs a machine with the same byte\n"
        "order and a trawl with the same version of the format. 'trawl info DB' describes it.\n"
        "\n"
        "Exit status: 0, or 2 after an error.\n",
};

typedef struct compile_request {
    pattern_options patterns;
    trawl_compile_options compile;
    study_options study; /* of compile */
    const char *output;
    const char *sample;
    bool stats;
} compile_request;

static bool take_own(compile_request *request, const arguments *args, int id) {
    switch (id) {
    case FLAG_OUTPUT:
        request->output = args->value;
        return true;
    case FLAG_STATS:
        request->stats = true;
        return true;
    case FLAG_SAMPLE:
        request->sample = args->value;
        return true;
    case FLAG_DEVICE:
        request->compile.device = args->value;
        return device_can_be_planned(args->value);
    case ARGUMENTS_OPERAND:
        (void)arguments_misuse(&compile_command,
                               "expected no operand, found '%s'; give patterns with -f or -e",
                               args->value);
        return false;
    default:
        return false;
    }
}

static bool parse(compile_request *request, int argc, char **argv, int *status) {
    arguments args;
    arguments_begin(&args, &compile_command, argc, argv);
    study_options_begin(&request->study, &request->compile);
    const flag_groups groups = {
        .patterns = &request->patterns, .compile = &request->compile, .study = &request->study};
    int id = ARGUMENTS_END;
    while ((id = flag_groups_next(&groups, &args, status)) != ARGUMENTS_END) {
        if (id == ARGUMENTS_ERROR || !take_own(request, &args, id))
            return false;
    }
    const char *problem = NULL;
    if (request->patterns.count == 0)
        problem = "expected patterns: -f FILE or -e PATTERN";
    else if (request->output == NULL)
        problem = "expected -o DB: where the database goes";
    else if (strcmp(request->output, "-") == 0 && isatty(STDOUT_FILENO))
        problem = "a database is not written to a terminal; expected -o FILE";
    if (problem != NULL)
        (void)arguments_misuse(&compile_command, "%s", problem);
    const command_inputs inputs = {.patterns = &request->patterns, .sample = request->sample};
    return problem == NULL &&
           compile_options_fit(&request->compile, &request->study.compile, &compile_command) &&
           !sample_is_used_up(&inputs) && !output_overwrites(request->output, &inputs);
}

static trawl_status write_database(const trawl_db *db, const char *path, trawl_error *error) {
    output_file *output = NULL;
    trawl_status status = output_file_open_table(path, &output, error);
    if (status != TRAWL_OK)
        return status;
    size_t size = 0;
    const void *bytes = trawl_db_bytes(db, &size);
    output_file_write(output, bytes, size);
    return output_file_close(output, error);
}

static void summarise(const compile_request *request, const trawl_db *db, double read_seconds,
                      double build_seconds, const trawl_error *ignored) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    if (request->stats) {
        stats stats_;
        stats_begin(&stats_);
        (void)fprintf(stats_.file,
                      "{\"patterns\":%zu,\"engine\":\"%s\",\"variant\":\"%s\",\"matches\":\"%s\","
                      "\"states\":%" PRIu64 ",\"table_bytes\":%" PRIu64 ",\"total_bytes\":%" PRIu64
                      ",\"read_seconds\":%.6f,\"build_seconds\":%.6f",
                      information.patterns, information.engine, information.variant,
                      match_kind_name(information.matches), information.states,
                      information.table_bytes, information.total_bytes, read_seconds,
                      build_seconds);
        if (ignored->status != TRAWL_OK) {
            (void)fputc(',', stats_.file);
            json_print_member(stats_.file, "profile_ignored", ignored->message);
        }
        (void)fputc('}', stats_.file);
        stats_end(&stats_);
    } else if (isatty(STDERR_FILENO)) {
        char line[2048];
        char patterns[WORDS_NUMBER_BYTES];
        char bytes[WORDS_NUMBER_BYTES];
        (void)snprintf(line, sizeof line, "%s pattern%s, engine %s (%s), %s, built in %.3f s: %s",
                       words_grouped(information.patterns, patterns),
                       information.patterns == 1 ? "" : "s", information.engine,
                       information.variant, words_bytes(information.total_bytes, bytes),
                       build_seconds, information.reason);
        words_write(stderr, line, strlen(line), 0, 0);
    }
}

static int run(compile_request *request) {
    double begin = seconds_now();
    trawl_patterns *patterns = NULL;
    if (!pattern_options_load(&request->patterns, &patterns, NULL))
        return EXIT_ERROR;
    double read = seconds_now();
    trawl_error error = {0};
    trawl_db *db = NULL;
    planning plan;
    if (!planning_begin(&plan, request->sample, true, &request->compile)) {
        trawl_patterns_free(patterns);
        planning_end(&plan);
        return EXIT_ERROR;
    }
    trawl_status status = trawl_compile(patterns, &request->compile, &db, &error);
    trawl_patterns_free(patterns);
    planning_end(&plan);
    double built = seconds_now();
    if (status == TRAWL_OK)
        status = write_database(db, request->output, &error);
    if (status == TRAWL_OK)
        summarise(request, db, read - begin, built - read, &plan.profile_error);
    trawl_db_free(db);
    return status == TRAWL_OK ? EXIT_MATCHED : report_error(&error);
}

int trawl_command_compile(int argc, char **argv) {
    compile_request request = {.compile = TRAWL_COMPILE_OPTIONS};
    int status = EXIT_ERROR;
    if (parse(&request, argc, argv, &status))
        status = run(&request);
    pattern_options_release(&request.patterns);
    return status;
}
