/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl reproduce: the tables and figures of the papers, measured on this machine. */
#include "cli/reproduce/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/memory.h"
#include "cli/base/nearest.h"
#include "cli/base/report.h"
#include "cli/flags/arguments.h"
#include "cli/flags/cuda.h"
#include "cli/flags/device.h"
#include "cli/reproduce/headers.h"
#include "cli/reproduce/paper.h"
#include "cli/reproduce/render.h"
#include "cli/reproduce/run.h"

enum {
    FLAG_OUTPUT = 1,
    FLAG_QUICK,
    FLAG_SHRINK,
    FLAG_RUNS,
    FLAG_RANKS,
    FLAG_DEVICE,
    FLAG_LIST,
    FLAG_NO_PROGRESS,
    QUICK_SHRINK = 32,
    QUICK_RUNS = 3,
    USUAL_RUNS = 5,
    MOST_RANKS = 10,
    MOST_PATH = 4096
};

static const flag reproduce_flags[] = {
    {FLAG_OUTPUT, 'o', "output", "DIR",
     "Also write reproduce.tsv, reproduce.json, reproduce.html (a page with plots) and "
     "zha-patterns.hex (that paper's patterns, for scan --pattern-format hex) to the directory "
     "DIR, "
     "which is made if it is not there.",
     "Output"},
    {FLAG_LIST, 0, "list", NULL,
     "List the papers and their tables, or those that are named; measure nothing.", NULL},
    {FLAG_NO_PROGRESS, 0, "no-progress", NULL,
     "Do not show on standard error what is being measured.", NULL},
    {FLAG_QUICK, 0, "quick", NULL, "Shorter texts and fewer runs: as --shrink 32 --runs 3.",
     "Measuring"},
    {FLAG_SHRINK, 0, "shrink", "N",
     "Make all texts N times shorter than the papers' (1, the default: as long), but at least "
     "4 KiB. Pattern sets stay as they are.",
     NULL},
    {FLAG_RUNS, 0, "runs", "N",
     "The median of up to N runs (5); of fewer where one takes long. Up to 64.", NULL},
    {FLAG_RANKS, 0, "ranks", "N",
     "Measure cells for several nodes with up to N ranks (10) on this machine, which trawl-mpi and "
     "mpirun need. 0: leave these cells empty.",
     NULL},
    {FLAG_DEVICE, 0, "device", "DEVICE",
     "cuda or cuda:N: the GPU for the rows that need one (cuda:0, if there is one). cpu: leave "
     "these rows empty.",
     NULL},
    {0},
};

static const flag *const all_flags[] = {reproduce_flags, NULL};

static const command reproduce_command = {
    .name = "reproduce",
    .summary = "measure the papers' tables and figures on this machine",
    .usage = "  trawl reproduce [FLAGS] [PAPER[:TABLE]]...\n"
             "\n"
             "PAPER is zha, tran, charan, nunes or kouzinopoulos; without one, all are measured.\n"
             "TABLE is a table or figure of it, such as 3 or fig-11a; --list has them.",
    .examples = "  trawl reproduce --quick                   all papers, short texts\n"
                "  trawl reproduce nunes:3 zha:3             two tables\n"
                "  trawl reproduce -o papers                 and a page: papers/reproduce.html\n",
    .flags = all_flags,
    .notes =
        "Texts and patterns are made by the command, from seeds, or are files below /usr; each\n"
        "difference from a paper's data is named. Before a time is taken, the number of matches\n"
        "is compared with that of another engine on the CPU. Cells that need a GPU are left\n"
        "empty where there is none.\n"
        "\n"
        "Absolute times are those of other machines, so what is compared is each paper's own\n"
        "comparison: a speed-up here, in the paper, and the quotient of both.\n"
        "\n"
        "Exit status: 0, or 2 after an error or if numbers of matches differ.\n",
};

static const paper_description *const papers[] = {&paper_zha, &paper_tran, &paper_charan,
                                                  &paper_nunes, &paper_kouzinopoulos};
enum { PAPERS = sizeof papers / sizeof papers[0] };

typedef struct reproduce_options {
    run_settings settings;
    const char *output; /* NULL: no files */
    const char *device; /* --device; NULL: the first GPU, if there is one */
    bool list;
    string_list wanted; /* PAPER or PAPER:TABLE; empty: all */
} reproduce_options;

/* ------------------------------------------------------------------ options */

/* Whether a word is one of those that blanks separate. */
static bool is_among(const char *word, const char *list) {
    size_t length = strlen(word);
    for (; list != NULL && *list != '\0'; list += strspn(list, " ")) {
        size_t next = strcspn(list, " ");
        if (next == length && strncmp(list, word, length) == 0)
            return true;
        list += next;
    }
    return false;
}

/* Whether a word is the table's name, or another one; "III" is "3". */
static bool names_table(const char *word, const paper_table *table) {
    static const char *const numerals[] = {"I", "II", "III", "IV", "V", "VI"};
    char digit[] = "1";
    for (size_t i = 0; i < sizeof numerals / sizeof numerals[0]; i++, digit[0]++) {
        if (strcasecmp(word, numerals[i]) == 0)
            return names_table(digit, table);
    }
    return strcmp(word, table->id) == 0 || is_among(word, table->aliases);
}

/* Whether an operand names this paper, and this table unless it is NULL. */
static bool names(const char *operand, const paper_description *paper, const paper_table *table) {
    size_t length = strlen(paper->name);
    if (strncmp(operand, paper->name, length) != 0)
        return false;
    if (operand[length] == '\0')
        return true;
    return operand[length] == ':' && (table == NULL || names_table(operand + length + 1, table));
}

static bool wants(const reproduce_options *options, const paper_description *paper,
                  const paper_table *table) {
    for (size_t i = 0; i < options->wanted.count; i++) {
        if (names(options->wanted.items[i], paper, table))
            return true;
    }
    return options->wanted.count == 0;
}

/* Says which tables a paper has. Always false. */
static bool refuse_table(const char *operand, const paper_description *paper) {
    char tables[MOST_PATH] = "";
    for (size_t i = 0; i < paper->count; i++) {
        size_t used = strlen(tables);
        (void)snprintf(tables + used, sizeof tables - used, "%s%s", i == 0 ? "" : ", ",
                       paper->tables[i].id);
    }
    report("paper %s has no table '%s'; it has %s", paper->name, operand + strlen(paper->name) + 1,
           tables);
    return false;
}

/* Whether an operand names a table that exists. False after reporting. */
static bool check_operand(const char *operand) {
    nearest search = {.unknown = operand};
    for (size_t i = 0; i < PAPERS; i++) {
        nearest_offer(&search, papers[i]->name);
        if (!names(operand, papers[i], NULL))
            continue;
        for (size_t k = 0; k < papers[i]->count; k++) {
            if (names(operand, papers[i], &papers[i]->tables[k]))
                return true;
        }
        return refuse_table(operand, papers[i]);
    }
    static const char expected[] = "expected zha, tran, charan, nunes or kouzinopoulos";
    if (search.name != NULL)
        report("%s, not '%s'; did you mean %s?", expected, operand, search.name);
    else
        (void)arguments_misuse(&reproduce_command, "%s, not '%s'", expected, operand);
    return false;
}

static bool take(reproduce_options *options, const arguments *args, int id) {
    switch (id) {
    case ARGUMENTS_OPERAND:
        string_list_add(&options->wanted, args->value);
        return check_operand(args->value);
    case FLAG_OUTPUT:
        options->output = args->value;
        return true;
    case FLAG_LIST:
        options->list = true;
        return true;
    case FLAG_NO_PROGRESS:
        options->settings.progress = false;
        return true;
    case FLAG_QUICK:
        options->settings.shrink = QUICK_SHRINK;
        options->settings.most_runs = QUICK_RUNS;
        return true;
    case FLAG_SHRINK:
        return arguments_number(args, 1, UINT32_MAX, &options->settings.shrink);
    case FLAG_RANKS:
        return flag_take_uint32(args, 0, MOST_RANKS, &options->settings.most_ranks) == FLAG_TAKEN;
    case FLAG_RUNS:
        return flag_take_uint32(args, 1, 64, &options->settings.most_runs) == FLAG_TAKEN;
    default: {
        uint32_t number = 0;
        options->device = args->value;
        options->settings.cpu_only = strcmp(args->value, "cpu") == 0;
        if (device_number(args->value, &number))
            options->settings.cuda = args->value;
        if (options->settings.cpu_only || device_number(args->value, &number))
            return true;
        report("--device: expected cpu, cuda or cuda:N, not '%s'", args->value);
        return false;
    }
    }
}

/* Whether this machine has the device that was named. False after reporting. */
static bool has_device(const reproduce_options *options) {
    trawl_scan_options scan = TRAWL_SCAN_OPTIONS;
    scan.device = options->device;
    return options->device == NULL || cuda_options_check(&reproduce_command, &scan, NULL);
}

/* ------------------------------------------------------------------ output */

static void find_facts(reproduction *run, render_facts *facts) {
    trawl_device device = TRAWL_DEVICE;
    time_t now = time(NULL);
    struct tm broken;
    *facts = (render_facts){.shrink = run_settings_of(run)->shrink,
                            .most_runs = run_settings_of(run)->most_runs};
    if (device_find("cpu", &device))
        (void)snprintf(facts->cpu, sizeof facts->cpu, "%s", device.description);
    facts->cpus = device.units;
    const char *absence = run_cuda_absence(run);
    if (absence != NULL)
        (void)snprintf(facts->cuda, sizeof facts->cuda, "none: %.300s", absence);
    else if (device_find(run_settings_of(run)->cuda, &device))
        (void)snprintf(facts->cuda, sizeof facts->cuda, "%s", device.description);
    if (gmtime_r(&now, &broken) != NULL)
        (void)strftime(facts->date, sizeof facts->date, "%Y-%m-%d", &broken);
}

/* Adds the facts that are known only after texts have been made. */
static void note_files(reproduction *run, render_facts *facts) {
    bool repeated = false;
    size_t files = run_files(run, &repeated);
    if (files != 0)
        (void)snprintf(facts->note, sizeof facts->note,
                       "The text of zha is of %zu files below /usr/bin and /usr/lib%s.", files,
                       repeated ? ", repeated" : "");
}

static bool write_file(const char *directory, const char *name,
                       void (*render)(FILE *file, const render_run *run), const render_run *run) {
    char path[MOST_PATH];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    bool written = file != NULL;
    if (written) {
        render(file, run);
        written = ferror(file) == 0;
        written = fclose(file) == 0 && written;
    }
    if (!written)
        report("%s: %s", path, strerror(errno));
    return written;
}

/* The headers as a pattern file in hexadecimal digits. */
static void render_headers(FILE *file, const render_run *run) {
    (void)run;
    for (size_t i = 0; i < FILE_HEADERS; i++) {
        for (size_t k = 0; k < file_headers[i].length; k++)
            (void)fprintf(file, "%02x", (unsigned char)file_headers[i].bytes[k]);
        (void)fputc('\n', file);
    }
}

/* Makes the folder for the files. False, after reporting it, if they could not be written there:
 * that is known before measurements of minutes. */
static bool make_folder(const char *directory) {
    int reason = mkdir(directory, 0777) != 0 && errno != EEXIST ? errno : 0;
    struct stat about;
    if (reason == 0 && stat(directory, &about) != 0)
        reason = errno;
    else if (reason == 0 && !S_ISDIR(about.st_mode))
        reason = ENOTDIR;
    else if (reason == 0 && access(directory, W_OK | X_OK) != 0)
        reason = errno;
    if (reason != 0)
        report("%s: %s; expected a folder that can be written to", directory, strerror(reason));
    return reason == 0;
}

static bool write_files(const char *directory, const render_run *run) {
    return write_file(directory, "reproduce.tsv", render_tsv, run) &&
           write_file(directory, "reproduce.json", render_json, run) &&
           write_file(directory, "reproduce.html", render_html, run) &&
           write_file(directory, "zha-patterns.hex", render_headers, run);
}

/* ------------------------------------------------------------------ the command */

static void measure_paper(reproduction *run, const reproduce_options *options,
                          const paper_description *paper, paper_report *report) {
    *report =
        (paper_report){.paper = paper, .results = allocate(paper->count * sizeof *report->results)};
    for (size_t i = 0; i < paper->count; i++) {
        if (wants(options, paper, &paper->tables[i]))
            paper_measure_table(run, &paper->tables[i], &report->results[report->count++]);
    }
    paper->conclude(report, report->sentences);
    run_show_nothing(run);
    run_forget(run);
}

static int measure_all(const reproduce_options *options) {
    paper_report reports[PAPERS];
    render_run rendered = {.reports = reports};
    reproduction *run = run_begin(&options->settings);
    find_facts(run, &rendered.facts);
    render_text_facts(&rendered.facts);
    /* Where nothing can be printed, only files are worth the minutes of a measurement. */
    bool useful = flush_output() || options->output != NULL;
    for (size_t i = 0; useful && i < PAPERS; i++) {
        if (!wants(options, papers[i], NULL))
            continue;
        measure_paper(run, options, papers[i], &reports[rendered.count]);
        render_text_paper(&reports[rendered.count++]);
        useful = flush_output() || options->output != NULL;
    }
    note_files(run, &rendered.facts);
    if (rendered.facts.note[0] != '\0')
        (void)printf("\n%s\n", rendered.facts.note);
    int status = EXIT_MATCHED;
    if (run_mismatches(run) != 0) {
        report("%zu cells: engines differ in matches or states", run_mismatches(run));
        status = EXIT_ERROR;
    }
    if (options->output != NULL && !write_files(options->output, &rendered))
        status = EXIT_ERROR;
    for (size_t i = 0; i < rendered.count; i++)
        paper_report_release(&reports[i]);
    run_end(run);
    return finish_output(status);
}

static int list_tables(const reproduce_options *options) {
    for (size_t i = 0; i < PAPERS; i++) {
        for (size_t k = 0; k < papers[i]->count; k++) {
            const paper_table *table = &papers[i]->tables[k];
            if (wants(options, papers[i], table))
                (void)printf("%s:%s\t%s\n", papers[i]->name, table->id, table->caption);
        }
    }
    return finish_output(EXIT_MATCHED);
}

int trawl_command_reproduce(int argc, char **argv) {
    reproduce_options options = {.settings = {.shrink = 1,
                                              .most_runs = USUAL_RUNS,
                                              .most_ranks = MOST_RANKS,
                                              .progress = true,
                                              .cuda = "cuda:0"}};
    arguments args;
    int status = EXIT_ERROR;
    arguments_begin(&args, &reproduce_command, argc, argv);
    int id = ARGUMENTS_END;
    while ((id = arguments_next(&args)) != ARGUMENTS_END) {
        if (id == ARGUMENTS_HELP || id == ARGUMENTS_ERROR || !take(&options, &args, id))
            break;
    }
    if (id == ARGUMENTS_HELP)
        status = EXIT_MATCHED;
    else if (id == ARGUMENTS_END && options.list)
        status = list_tables(&options);
    else if (id == ARGUMENTS_END && has_device(&options) &&
             (options.output == NULL || make_folder(options.output)))
        status = measure_all(&options);
    free(options.wanted.items);
    return status;
}
