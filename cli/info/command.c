/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl info: which engine a set of patterns gets, how fast, how large, and why. */
#include "cli/info/command.h"

#include <stdio.h>
#include <string.h>

#include "cli/base/database.h"
#include "cli/base/report.h"
#include "cli/flags/arguments.h"
#include "cli/flags/compile.h"
#include "cli/flags/device.h"
#include "cli/flags/groups.h"
#include "cli/flags/overwrite.h"
#include "cli/flags/patterns.h"
#include "cli/flags/scan.h"
#include "cli/info/measure.h"
#include "cli/info/patterns.h"
#include "cli/info/print.h"
#include "cli/info/report.h"
#include "cli/target/planning.h"
#include "trawl/trawl.h"
#include "trawl/trawl_conditions.h"

enum {
    FLAG_FORMAT = 1,
    FLAG_NO_BUILD,
    FLAG_BUILD_LIMIT,
    FLAG_SAMPLE,
    FLAG_TEXT_SIZE,
    FLAG_DATABASE,
    FLAG_PATTERNS,
    FLAG_PAPERS,
};

static const flag database_flags[] = {
    {FLAG_DATABASE, 0, "db", "DB", "Describe a database made by 'trawl compile'.", NULL},
    {0},
};

static const flag own_flags[] = {
    {FLAG_SAMPLE, 0, "sample", "FILE",
     "Choose the engine for texts like FILE. Without it: for a text made up of the patterns.",
     "Plan"},
    {FLAG_TEXT_SIZE, 0, "text-size", "SIZE",
     "Choose the engine for SIZE bytes of text in all, as 'trawl scan' does for texts whose size "
     "is "
     "known: time to plan and to build tables counts too. Without it: for very long texts.",
     NULL},
    {FLAG_DEVICE, 0, "device", "NAME",
     "Choose the engine for scans on cpu (the default), cuda, cuda:N, or auto; of several "
     "GPUs for the first. If this machine has "
     "no such GPU, it is chosen for an NVIDIA H200.",
     NULL},
    {FLAG_MATCHES, 0, "matches", "KIND",
     "Kind of matches: all (the default), leftmost-first or leftmost-longest.", NULL},
    {FLAG_PAPERS, 0, "papers", NULL,
     "Print everything: size and build time of every engine and variant, details of filters, and "
     "the formulas of papers.",
     "Output"},
    {FLAG_NO_BUILD, 0, "no-build", NULL,
     "Build nothing: print the size of every engine, without a plan and without times.", NULL},
    {FLAG_BUILD_LIMIT, 0, "build-limit", "SIZE",
     "With --papers or JSON: build only databases of up to SIZE bytes (default 512M), and print "
     "only the "
     "size of larger ones.",
     NULL},
    {FLAG_PATTERNS, 0, "patterns", NULL,
     "Print the patterns of a database and nothing else, in the format that --pattern-format "
     "names (default: tsv, with names and flags), so that -f reads them again.",
     NULL},
    {FLAG_FORMAT, 0, "format", "FORMAT",
     "text (the default), or json: one object with everything that --papers prints.", NULL},
    {0},
};

static const flag *const info_flags[] = {pattern_flags,
                                         pattern_format_flags,
                                         pattern_crlf_flags,
                                         pattern_match_flags,
                                         database_flags,
                                         own_flags,
                                         NULL};

static const command info_command = {
    .name = "info",
    .summary = "which engine a pattern set gets, how fast and how large it is, and why",
    .usage = "  trawl info [FLAGS] -f FILE|-e PATTERN\n  trawl info [FLAGS] [--db] DB",
    .examples = "  trawl info -f words.txt --sample book.txt   the plan for such texts\n"
                "  trawl info -f words.txt                     the plan without a text\n"
                "  trawl info -f words.txt --device cuda       the plan for a GPU\n"
                "  trawl info -f words.txt --papers            every engine, and papers' formulas\n"
                "  trawl info --no-build -f huge.txt           sizes only\n"
                "  trawl info words.db                         what a database contains\n"
                "  trawl info --db words.db --patterns         its patterns\n"
                "  trawl info --format json words.db\n",
    .flags = info_flags,
    .notes =
        "Speeds are in GB/s: 10^9 bytes of text in a second. Candidates are positions of the text\n"
        "that a filter does not exclude: they are compared with patterns. The reasons name the\n"
        "engines that were considered, with the speeds expected of them; 'trawl engines' explains\n"
        "the engines and their variants, and 'trawl bench' measures them.\n"
        "\n"
        "Of a database this is the plan by which it was compiled; with --sample or --papers also\n"
        "the plan that its patterns would get now.\n"
        "\n"
        "With --papers, sizes of tables are printed beside the formulas of Charan 2015 (4.3, "
        "4.4),\n"
        "and sizes and build times beside those of Tran et al. (Tables 3 and 4).\n"
        "\n"
        "Exit status: 0, or 2 after an error.\n",
};

typedef struct info_request {
    pattern_options patterns;
    trawl_compile_options compile;
    study_options study; /* of compile */
    const char *database;
    const char *sample;
    uint64_t text_bytes; /* 0: not given */
    uint64_t build_limit;
    bool matches_given;
    bool build_limit_given;
    bool no_build;
    bool papers;
    bool list;
    bool json;
} info_request;

static bool take_database(info_request *request, const char *path) {
    if (request->database == NULL) {
        request->database = path;
        return true;
    }
    (void)arguments_misuse(&info_command, "expected one database, found '%s' too", path);
    return false;
}

static bool take_format(info_request *request, const char *name) {
    request->json = strcmp(name, "json") == 0;
    if (request->json || strcmp(name, "text") == 0)
        return true;
    (void)arguments_misuse(&info_command, "--format: expected text or json, not '%s'", name);
    return false;
}

static bool take_own(info_request *request, const arguments *args, int id) {
    switch (id) {
    case FLAG_NO_BUILD:
        request->no_build = true;
        return true;
    case FLAG_PAPERS:
        request->papers = true;
        return true;
    case FLAG_PATTERNS:
        request->list = true;
        return true;
    case FLAG_MATCHES:
        request->matches_given = true;
        return compile_options_take(&request->compile, &request->study.compile, args, id) ==
               FLAG_TAKEN;
    case FLAG_BUILD_LIMIT:
        request->build_limit_given = true;
        return arguments_size(args, 0, UINT64_MAX, &request->build_limit);
    case FLAG_SAMPLE:
        request->sample = args->value;
        return true;
    case FLAG_TEXT_SIZE:
        return arguments_size(args, 1, UINT64_MAX, &request->text_bytes);
    case FLAG_DEVICE:
        request->compile.device = args->value;
        return device_can_be_planned(args->value);
    case FLAG_FORMAT:
        return take_format(request, args->value);
    case FLAG_DATABASE:
    case ARGUMENTS_OPERAND:
        return take_database(request, args->value);
    default:
        return false;
    }
}

/* Whether every engine is sized, and built. */
static bool has_rows(const info_request *request) {
    return request->papers || request->no_build || request->json;
}

/* Whether no flag is given that a database leaves no use for. False after reporting. */
static bool fits_database(const info_request *request) {
    const pattern_reading *reading = &request->patterns.reading;
    const char *own = reading->case_insensitive ? "-i"
                      : reading->whole_words    ? "-w"
                      : reading->strip_cr       ? "--crlf"
                      : request->matches_given  ? "--matches"
                                                : NULL;
    if (own != NULL)
        return arguments_conflict(&info_command, "DB", own,
                                  "a database has its own patterns and kind of matches");
    const char *for_plan = request->text_bytes != 0          ? "--text-size"
                           : request->compile.device != NULL ? "--device"
                                                             : NULL;
    if (for_plan == NULL || request->sample != NULL || has_rows(request))
        return true;
    (void)arguments_misuse(&info_command,
                           "%s: a database has the plan by which it was compiled; give --sample "
                           "FILE or --papers too for the plan that its patterns would get now",
                           for_plan);
    return false;
}

/* Whether the flags fit together. False after reporting. */
static bool consistent(const info_request *request) {
    bool is_database = request->database != NULL;
    const char *problem = NULL;
    if (is_database && request->patterns.count != 0)
        problem = "expected either a database or patterns (-f, -e), not both";
    else if (!is_database && request->patterns.count == 0)
        problem = "expected patterns (-f FILE, -e PATTERN) or a database";
    else if (request->list && !is_database)
        problem = "--patterns prints those of a database: give --db DB";
    else if (is_database && !request->list && request->patterns.format_given)
        problem = "--pattern-format is for -f, -e and --patterns";
    if (problem == NULL && request->list &&
        (request->json || request->papers || request->no_build || request->sample != NULL ||
         request->text_bytes != 0 || request->compile.device != NULL || request->build_limit_given))
        problem = "--patterns prints nothing but patterns: leave out the other flags";
    else if (request->build_limit_given && (request->no_build || !has_rows(request)))
        problem =
            "--build-limit: expected --papers or --format json with it, which build databases";
    if (problem != NULL)
        (void)arguments_misuse(&info_command, "%s", problem);
    const command_inputs inputs = {
        .patterns = &request->patterns, .database = request->database, .sample = request->sample};
    return problem == NULL && (!is_database || fits_database(request)) &&
           !sample_is_used_up(&inputs);
}

static bool parse(info_request *request, int argc, char **argv, int *status) {
    arguments args;
    arguments_begin(&args, &info_command, argc, argv);
    study_options_begin(&request->study, &request->compile);
    const flag_groups groups = {.patterns = &request->patterns};
    int id = ARGUMENTS_END;
    while ((id = flag_groups_next(&groups, &args, status)) != ARGUMENTS_END) {
        if (id == ARGUMENTS_ERROR || !take_own(request, &args, id))
            return false;
    }
    return consistent(request);
}

/* The patterns of a database, as a new set. */
static trawl_status patterns_of(const trawl_db *db, trawl_patterns **patterns, trawl_error *error) {
    trawl_status status = trawl_patterns_new(patterns, error);
    return status == TRAWL_OK ? trawl_patterns_add_database(*patterns, db, error) : status;
}

static info_extent extent_of(const info_request *request) {
    bool rows = has_rows(request);
    return (info_extent){.plan = request->database == NULL || request->sample != NULL || rows,
                         .rows = rows,
                         .builds = !request->no_build,
                         .build_limit = request->build_limit};
}

static void print_report(const info_request *request, const info_report *info) {
    if (request->json)
        info_print_json(info);
    else
        info_print_text(info);
    if (!request->json && request->papers)
        info_print_papers(info);
    else if (!request->json && info->row_count != 0)
        info_print_rows(info);
}

static int print(const info_request *request, info_report *info, const trawl_patterns *patterns) {
    trawl_error error;
    trawl_compile_options given = TRAWL_COMPILE_OPTIONS;
    given.matches = info->is_database ? info->database.matches : request->compile.matches;
    given.device = request->compile.device;
    given.text_bytes = request->text_bytes;
    info->matches = given.matches;
    info->sample = request->sample;
    planning plan;
    if (!planning_begin(&plan, request->sample, true, &given)) {
        planning_end(&plan);
        return EXIT_ERROR;
    }
    info->costs_are_measured =
        device_is_cuda(given.device) ? plan.study.device_costs != NULL : plan.study.costs != NULL;
    info->profile_error = plan.profile_error;
    const info_extent extent = extent_of(request);
    trawl_status status = info_measure(info, patterns, &given, &extent, &error);
    planning_end(&plan);
    if (status == TRAWL_OK)
        print_report(request, info);
    info_release(info);
    if (status != TRAWL_OK)
        return report_error(&error);
    return finish_output(EXIT_MATCHED);
}

static int describe_database(const info_request *request, const trawl_db *db) {
    trawl_error error;
    trawl_patterns *patterns = NULL;
    info_report info = {
        .source = request->database, .is_database = true, .database = TRAWL_DB_INFORMATION};
    (void)trawl_db_info(db, &info.database, NULL);
    info_take_expected(&info, db);
    trawl_status status = patterns_of(db, &patterns, &error);
    int exit = status == TRAWL_OK ? print(request, &info, patterns) : report_error(&error);
    trawl_patterns_free(patterns);
    return exit;
}

static int run_database(const info_request *request) {
    trawl_db *db = NULL;
    trawl_error error;
    if (database_load(request->database, false, &db, &error) != TRAWL_OK)
        return report_error(&error);
    pattern_format format =
        request->patterns.format_given ? request->patterns.reading.format : PATTERN_FORMAT_TSV;
    int status = request->list ? info_write_patterns(db, format) : describe_database(request, db);
    trawl_db_free(db);
    return status;
}

static int run_patterns(const info_request *request) {
    info_report info = {.source = "the patterns given"};
    trawl_patterns *patterns = NULL;
    int status = EXIT_ERROR;
    if (request->patterns.count == 1 && request->patterns.inputs[0].is_file)
        info.source = request->patterns.inputs[0].text;
    if (pattern_options_load(&request->patterns, &patterns, NULL))
        status = print(request, &info, patterns);
    trawl_patterns_free(patterns);
    return status;
}

int trawl_command_info(int argc, char **argv) {
    info_request request = {.compile = TRAWL_COMPILE_OPTIONS, .build_limit = (uint64_t)512 << 20};
    int status = EXIT_ERROR;
    if (parse(&request, argc, argv, &status))
        status = request.database != NULL ? run_database(&request) : run_patterns(&request);
    pattern_options_release(&request.patterns);
    return status;
}
