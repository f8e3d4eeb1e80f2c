/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl info: describes a pattern set or a database, and what each engine makes of it. */
#include "cli/info/command.h"

#include <stdio.h>
#include <string.h>

#include "cli/base/report.h"
#include "cli/flags/arguments.h"
#include "cli/flags/compile.h"
#include "cli/flags/device.h"
#include "cli/flags/groups.h"
#include "cli/flags/patterns.h"
#include "cli/flags/scan.h"
#include "cli/info/measure.h"
#include "cli/info/print.h"
#include "cli/info/report.h"
#include "cli/target/planning.h"
#include "trawl/trawl.h"

enum { FLAG_FORMAT = 1, FLAG_NO_BUILD, FLAG_BUILD_LIMIT, FLAG_SAMPLE };

static const flag own_flags[] = {
    {FLAG_MATCHES, 0, "matches", "KIND",
     "Kind of matches: all (the default), leftmost-first or leftmost-longest.", "What is measured"},
    {FLAG_SAMPLE, 0, "sample", "FILE", "Choose the engine for texts like FILE.", NULL},
    {FLAG_DEVICE, 0, "device", "NAME",
     "Choose the engine for scans on cpu (the default), cuda, cuda:N, or auto. If this machine has "
     "no such GPU, it is chosen for an NVIDIA H200.",
     NULL},
    {FLAG_NO_BUILD, 0, "no-build", NULL,
     "Print sizes only: build nothing, so without a plan and without times.", NULL},
    {FLAG_BUILD_LIMIT, 0, "build-limit", "SIZE",
     "Build only databases of up to SIZE bytes (default 512M); print only the size of larger ones.",
     NULL},
    {FLAG_FORMAT, 0, "format", "FORMAT", "text (the default) or json.", "Output"},
    {0},
};

static const flag *const info_flags[] = {pattern_flags, own_flags, NULL};

static const command info_command = {
    .name = "info",
    .summary = "describe a pattern set or database, and what each engine makes of it",
    .usage = "  trawl info [FLAGS] DB\n  trawl info [FLAGS] -f FILE|-e PATTERN",
    .examples = "  trawl info -f words.txt                     sizes and times of every engine\n"
                "  trawl info -f words.txt --sample book.txt   the speed expected in such texts\n"
                "  trawl info -f words.txt --device cuda       the speed expected of a GPU\n"
                "  trawl info --no-build -f huge.txt           sizes only\n"
                "  trawl info words.db                         what a database contains\n"
                "  trawl info --format json words.db\n",
    .flags = info_flags,
    .notes =
        "Sizes of tables are printed beside the formulas of Charan 2015 (4.3, 4.4), and sizes\n"
        "and build times beside those of Tran et al. (Tables 3 and 4).\n"
        "\n"
        "Exit status: 0, or 2 after an error.\n",
};

typedef struct info_request {
    pattern_options patterns;
    trawl_compile_options compile;
    study_options study; /* of compile */
    const char *database;
    const char *sample;
    uint64_t build_limit;
    bool json;
} info_request;

static bool take_own(info_request *request, const arguments *args, int id) {
    switch (id) {
    case FLAG_NO_BUILD:
        request->build_limit = 0;
        return true;
    case FLAG_BUILD_LIMIT:
        return arguments_size(args, 0, UINT64_MAX, &request->build_limit);
    case FLAG_SAMPLE:
        request->sample = args->value;
        return true;
    case FLAG_DEVICE:
        request->compile.device = args->value;
        return device_can_be_planned(args->value);
    case FLAG_FORMAT:
        request->json = strcmp(args->value, "json") == 0;
        if (request->json || strcmp(args->value, "text") == 0)
            return true;
        (void)arguments_misuse(&info_command, "--format: expected text or json, not '%s'",
                               args->value);
        return false;
    case ARGUMENTS_OPERAND:
        if (request->database == NULL) {
            request->database = args->value;
            return true;
        }
        (void)arguments_misuse(&info_command, "expected one database, found '%s' too", args->value);
        return false;
    default:
        return false;
    }
}

static bool parse(info_request *request, int argc, char **argv, int *status) {
    arguments args;
    arguments_begin(&args, &info_command, argc, argv);
    study_options_begin(&request->study, &request->compile, NULL);
    const flag_groups groups = {
        .patterns = &request->patterns, .compile = &request->compile, .study = &request->study};
    int id = ARGUMENTS_END;
    while ((id = flag_groups_next(&groups, &args, status)) != ARGUMENTS_END) {
        if (id == ARGUMENTS_ERROR || !take_own(request, &args, id))
            return false;
    }
    if ((request->database != NULL) == (request->patterns.count != 0)) {
        (void)arguments_misuse(&info_command, "expected either a database or patterns (-f, -e)");
        return false;
    }
    return true;
}

/* The patterns of a database, as a new set. */
static trawl_status patterns_of(const trawl_db *db, trawl_patterns **patterns, trawl_error *error) {
    trawl_status status = trawl_patterns_new(patterns, error);
    trawl_pattern pattern = TRAWL_PATTERN;
    for (uint32_t id = 0; status == TRAWL_OK && trawl_db_pattern(db, id, &pattern); id++)
        status = trawl_patterns_add(*patterns, pattern.bytes, pattern.length, pattern.flags, error);
    return status;
}

static int print(const info_request *request, info_report *info, const trawl_patterns *patterns) {
    trawl_error error;
    if (trawl_patterns_count(patterns) == 0) {
        report("%s: the pattern set is empty; expected a pattern or more", info->source);
        return EXIT_ERROR;
    }
    trawl_compile_options given = TRAWL_COMPILE_OPTIONS;
    given.matches = info->is_database ? info->database.matches : request->compile.matches;
    given.device = request->compile.device;
    planning plan;
    if (!planning_begin(&plan, request->sample, true, &given)) {
        planning_end(&plan);
        return EXIT_ERROR;
    }
    trawl_status status = info_measure(info, patterns, &given, request->build_limit, &error);
    planning_end(&plan);
    if (status == TRAWL_OK && request->json)
        info_print_json(info);
    else if (status == TRAWL_OK)
        info_print_text(info);
    info_release(info);
    if (status != TRAWL_OK)
        return report_error(&error);
    return finish_output(EXIT_MATCHED);
}

static int run(const info_request *request) {
    info_report info = {.source = "the patterns given"};
    trawl_patterns *patterns = NULL;
    trawl_db *db = NULL;
    int status = EXIT_ERROR;
    if (request->database != NULL) {
        trawl_error error;
        info.source = request->database;
        info.is_database = true;
        trawl_status loaded = trawl_db_load(request->database, &db, &error);
        if (loaded == TRAWL_OK) {
            info.database = (trawl_db_information)TRAWL_DB_INFORMATION;
            (void)trawl_db_info(db, &info.database, NULL);
            info_take_expected(&info, db);
            loaded = patterns_of(db, &patterns, &error);
        }
        status = loaded == TRAWL_OK ? print(request, &info, patterns) : report_error(&error);
    } else {
        if (request->patterns.count == 1 && request->patterns.inputs[0].is_file)
            info.source = request->patterns.inputs[0].text;
        if (pattern_options_load(&request->patterns, &patterns, NULL))
            status = print(request, &info, patterns);
    }
    trawl_patterns_free(patterns);
    trawl_db_free(db);
    return status;
}

int trawl_command_info(int argc, char **argv) {
    info_request request = {.compile = TRAWL_COMPILE_OPTIONS, .build_limit = (uint64_t)512 << 20};
    int status = EXIT_ERROR;
    if (parse(&request, argc, argv, &status))
        status = run(&request);
    pattern_options_release(&request.patterns);
    return status;
}
