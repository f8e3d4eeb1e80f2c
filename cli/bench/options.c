/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl bench: its flags, and the rows that they ask for. */
#include "cli/bench/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/report.h"
#include "cli/flags/compile.h"
#include "cli/flags/device.h"
#include "cli/flags/scan.h"
#include "cli/target/profile_load.h"

enum {
    FLAG_ALL_VARIANTS = 1,
    FLAG_PEERS,
    FLAG_PEERS_DIR,
    FLAG_TIME_LIMIT,
    FLAG_WORKER,
    FLAG_REPEAT,
    FLAG_RUN_TIME,
    FLAG_LIMIT,
    FLAG_PER_PATTERN,
    FLAG_COLLECT,
    FLAG_FORM,
    FLAG_ON_DEVICE,
    FLAG_FORMAT,
    FLAG_NO_PROGRESS
};

static const flag contestant_flags[] = {
    {FLAG_ENGINE, 0, "engine", "ENGINES",
     "Engines to measure, separated by commas, each as NAME or NAME:VARIANT. all (the default): "
     "every engine; auto: the one that the planner chooses. 'trawl engines' lists the engines.",
     "Contestants"},
    {FLAG_ALL_VARIANTS, 0, "variants", NULL,
     "Measure all variants of each engine that ENGINES names without a variant.", NULL},
    {FLAG_VARIANT, 0, "variant", "NAME",
     "Measure this variant of each engine that ENGINES names without a variant.", NULL},
    {FLAG_PEERS, 0, "peers", NULL,
     "Also measure other programs and libraries, if they are found: Hyperscan, Vectorscan, Rust's "
     "aho-corasick, daachorse, and grep and ripgrep as whole programs. 'make peers' fetches them. "
     "Each row then runs in a process of its own.",
     NULL},
    {FLAG_PEERS_DIR, 0, "peers-dir", "DIR",
     "Directory of the peers (default: build/peers); implies --peers.", NULL},
    {FLAG_WORKER, 0, "worker", "ROW", NULL, NULL},
    {0},
};

static const flag measurement_flags[] = {
    {FLAG_REPEAT, 0, "repeat", "N",
     "Timed runs of each row, after one run that is not counted (default: as many as take about a "
     "second, at least 5).",
     "Measurement"},
    {FLAG_RUN_TIME, 0, "run-time", "MS",
     "With --repeat, on CPUs: more runs than N, if N take less than MS milliseconds together.",
     NULL},
    {FLAG_LIMIT, 0, "limit", "BYTES", "Use only the first BYTES of the text.", NULL},
    {FLAG_TIME_LIMIT, 0, "time-limit", "SECONDS",
     "With --peers: time for building and all runs of a row. A row without a complete run by then "
     "is ended (default: 60).",
     NULL},
    {FLAG_PER_PATTERN, 0, "per-pattern", NULL,
     "Time counting the matches of each pattern instead of all matches together.", NULL},
    {FLAG_COLLECT, 0, "collect", NULL,
     "Time collecting the matches as records instead of counting. The memory for the records has "
     "been used by an untimed run before.",
     NULL},
    {FLAG_DEVICE, 0, "device", "NAME",
     "cpu (the default), cuda (the first GPU), cuda:N, or auto: a GPU if one can be used, else the "
     "CPU. On a GPU there is one row for each kernel of the papers; the default engine is ac-dfa.",
     NULL},
    {FLAG_THREADS, 0, "threads", "N", "Threads of each scan (default: 1; 0: all CPUs allowed).",
     NULL},
    {0},
};

static const flag form_flags[] = {
    {FLAG_FORM, 0, "form", "FORM",
     "What a scan produces: count (the default), patterns (as --per-pattern), matches (as "
     "--collect), ends (a bit for each byte) or states (the automaton's state after each byte).",
     NULL},
    {FLAG_ON_DEVICE, 0, "on-device", NULL,
     "Only rows with the text in device memory, none with the text in host memory.", NULL},
    {0},
};

static const flag output_flags[] = {
    {FLAG_FORMAT, 0, "format", "FORMAT",
     "table (the default), or json: one object on a line for each row.", "Output"},
    {FLAG_NO_PROGRESS, 0, "no-progress", NULL, "Show no progress line on a terminal.", NULL},
    {0},
};

static const flag *const bench_flags[] = {
    contestant_flags,    match_kind_flags,     compile_detail_flags,
    pattern_flags,       pattern_format_flags, pattern_crlf_flags,
    pattern_match_flags, measurement_flags,    scan_detail_flags,
    kernel_flags,        form_flags,           transfer_flags,
    profile_flags,       output_flags,         NULL,
};

const command bench_command = {
    .name = "bench",
    .summary = "measure the engines side by side",
    .usage = "  trawl bench [FLAGS] -f FILE|-e PATTERN [TEXT...]\n"
             "The texts (without TEXT, or for -, standard input) are read into memory and joined.\n"
             "Compressed texts are decompressed. Only the scan is timed.",
    .examples = "  trawl bench -f words.txt book.txt                     every engine\n"
                "  trawl bench -f words.txt --peers book.txt             and Hyperscan, ...\n"
                "  trawl bench -f words.txt --engine ac-dfa,ac-nfa:bitmap --limit 64M book.txt\n"
                "  trawl bench -f words.txt --engine ac-dfa --variants --threads 4 book.txt\n"
                "  trawl bench -f words.txt --collect --format json book.txt\n"
                "  trawl bench -f words.txt --device cuda --engine all book.txt  all GPU kernels\n",
    .flags = bench_flags,
    .notes =
        "Columns: engine, variant, matches, seconds to build the tables, size of the tables (MB\n"
        "of 10^6 bytes), median, slowest and fastest run in GB/s (10^9 bytes of text in a\n"
        "second), and the median divided by the median of the first row. Rows take turns,\n"
        "so on a busy machine the ratios are more reliable than the speeds. An engine that\n"
        "refuses the patterns is listed with its reason.\n"
        "\n"
        "With --peers, GB/s is the median, and the ratio the speed divided by that of the\n"
        "fastest peer: median, lowest and highest over the turns. A row whose matches differ from "
        "those of most rows is\n"
        "marked MISMATCH.\n"
        "\n"
        "On a CUDA device each engine has a row for each of its kernels in the order of the\n"
        "paper, with the text in device memory, timed with CUDA events; then rows with the text\n"
        "in host memory, timed by the clock. Columns: matches; median, slowest and fastest run;\n"
        "the median as a share of the measured speed of reading device memory (text in host\n"
        "memory: of copying to the device); speed-up over the first row of the group; speed-up in\n"
        "the paper. --kernel leaves only the rows of one kernel, --transfer those of one way of\n"
        "transfer, --on-device those with the text in device memory.\n"
        "\n"
        "Exit status: 0, or 2 after an error, if rows differ in their matches, or if no row\n"
        "could be measured.\n",
};

/* ------------------------------------------------------------------ flags */

static bool take_form(bench_options *options, const char *name) {
    static const char *const names[] = {"count", "patterns", "matches", "ends", "states"};
    static const bench_work works[] = {BENCH_COUNT, BENCH_COUNT_EACH_ID, BENCH_COLLECT};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            options->form = (trawl_cuda_form)i;
            options->work = i < sizeof works / sizeof works[0] ? works[i] : BENCH_COUNT;
            return true;
        }
    }
    (void)arguments_misuse(&bench_command,
                           "--form: expected count, patterns, matches, ends or states, not '%s'",
                           name);
    return false;
}

/* Takes a flag of this command. False after reporting. */
static bool take_own(bench_options *options, const arguments *args, int id) {
    switch (id) {
    case ARGUMENTS_OPERAND:
        string_list_add(&options->texts, args->value);
        return true;
    case FLAG_ENGINE:
        string_list_add(&options->engines, args->value);
        return true;
    case FLAG_VARIANT:
        options->variant = args->value;
        return true;
    case FLAG_ALL_VARIANTS:
        options->all_variants = true;
        return true;
    case FLAG_PEERS:
        options->peers = true;
        return true;
    case FLAG_PEERS_DIR:
        options->peers = true;
        options->peers_dir = args->value;
        return true;
    case FLAG_TIME_LIMIT:
        options->time_limit_given = true;
        return arguments_number(args, 1, 1000000, &options->time_limit);
    case FLAG_WORKER:
        options->worker = args->value;
        return true;
    case FLAG_REPEAT:
        return arguments_number(args, 1, 1000000, &options->repeats);
    case FLAG_RUN_TIME:
        return arguments_number(args, 1, 1000000, &options->run_time);
    case FLAG_LIMIT:
        return arguments_size(args, 1, UINT64_MAX, &options->limit);
    case FLAG_PER_PATTERN:
        return take_form(options, "patterns");
    case FLAG_COLLECT:
        return take_form(options, "matches");
    case FLAG_FORM:
        return take_form(options, args->value);
    case FLAG_ON_DEVICE:
        options->on_device = true;
        return true;
    case FLAG_FORMAT:
        options->json = strcmp(args->value, "json") == 0;
        if (options->json || strcmp(args->value, "table") == 0)
            return true;
        (void)arguments_misuse(&bench_command, "--format: expected table or json, not '%s'",
                               args->value);
        return false;
    case FLAG_NO_PROGRESS:
        options->progress = false;
        return true;
    default:
        return false;
    }
}

/* Whether some engine is named without a variant, so that --variant and --variants have an effect.
 */
static bool has_plain_engine(const bench_options *options) {
    bool found = options->engines.count == 0;
    for (size_t i = 0; i < options->engines.count; i++) {
        const char *name = options->engines.items[i];
        for (; name != NULL && !found; name = strchr(name, ',')) {
            name += *name == ',';
            size_t length = strcspn(name, ",");
            bool is_auto = length == 4 && strncmp(name, "auto", length) == 0;
            found = !is_auto && memchr(name, ':', length) == NULL;
        }
    }
    return found;
}

/* What is wrong with flags that have no effect without others, or NULL. */
static const char *useless_flag(const bench_options *options) {
    bool is_cuda = device_is_cuda(options->scan.device);
    if (options->time_limit_given && !options->peers)
        return "--time-limit: expected --peers with it";
    if (options->run_time != 0 && options->repeats == 0)
        return "--run-time: expected --repeat N with it";
    if (options->run_time != 0 && is_cuda)
        return "--run-time is for the CPU; leave out --device";
    if ((options->variant != NULL || options->all_variants) && !has_plain_engine(options))
        return options->all_variants ? "--variants: --engine names no engine without a variant"
                                     : "--variant: --engine names no engine without a variant";
    return NULL;
}

/* Whether the flags fit together and nothing is missing. False after reporting. */
static bool consistent(const bench_options *options) {
    const char *problem = NULL;
    bool text_is_stdin = options->texts.count == 0;
    for (size_t i = 0; i < options->texts.count; i++)
        text_is_stdin = text_is_stdin || strcmp(options->texts.items[i], "-") == 0;
    if (options->patterns.count == 0)
        problem = "expected patterns: -f FILE or -e PATTERN";
    else if (text_is_stdin && pattern_options_use_stdin(&options->patterns))
        problem = "standard input cannot be both the patterns and the text";
    else if (options->variant != NULL && options->all_variants)
        problem = "give --variant or --variants, not both";
    else if (options->form > TRAWL_CUDA_MATCHES && !device_is_cuda(options->scan.device))
        problem = "--form ends and states are for CUDA devices: give --device cuda with them";
    else if (device_is_group(options->scan.device))
        problem = "--device: bench measures one GPU: cuda or cuda:N";
    else if (options->on_device && !device_is_cuda(options->scan.device))
        problem = "--on-device is for CUDA devices: give --device cuda with it";
    else if (options->on_device && options->scan.transfer != NULL)
        problem = "give --on-device or --transfer, not both";
    else if (options->peers && device_is_cuda(options->scan.device))
        problem = "--peers: peers run on the CPU; leave out --device";
    else if (options->worker != NULL && (device_is_cuda(options->scan.device) || !options->peers))
        problem = "--worker is for trawl bench itself";
    else if (options->all_variants && device_is_cuda(options->scan.device))
        problem = "--variants: on a CUDA device all variants are measured anyway";
    else
        problem = useless_flag(options);
    if (problem != NULL)
        (void)arguments_misuse(&bench_command, "%s", problem);
    return problem == NULL;
}

bool bench_options_parse(bench_options *options, int argc, char **argv, int *status) {
    *options = (bench_options){.compile = TRAWL_COMPILE_OPTIONS,
                               .scan = TRAWL_SCAN_OPTIONS,
                               .limit = UINT64_MAX,
                               .time_limit = 60,
                               .argc = argc,
                               .argv = argv,
                               .progress = true};
    study_options_begin(&options->study, &options->compile);
    options->scan.threads = 1;
    arguments args;
    arguments_begin(&args, &bench_command, argc, argv);
    *status = EXIT_ERROR;
    int id = ARGUMENTS_END;
    while ((id = arguments_next(&args)) != ARGUMENTS_END) {
        if (id == ARGUMENTS_HELP)
            *status = EXIT_MATCHED;
        if (id == ARGUMENTS_HELP || id == ARGUMENTS_ERROR)
            return false;
        int taken = FLAG_NOT_MINE;
        if (id != FLAG_ENGINE && id != FLAG_VARIANT)
            taken = compile_options_take(&options->compile, &options->study.compile, &args, id);
        if (taken == FLAG_NOT_MINE)
            taken = pattern_options_take(&options->patterns, &args, id);
        if (taken == FLAG_NOT_MINE)
            taken = scan_options_take(&options->scan, &options->study.scan, &args, id);
        if (taken == FLAG_NOT_MINE)
            taken = cuda_options_take(&options->scan, &options->study.scan, &options->profile,
                                      &args, id);
        if (taken == FLAG_NOT_MINE)
            taken = take_own(options, &args, id) ? FLAG_TAKEN : FLAG_REFUSED;
        if (taken == FLAG_REFUSED)
            return false;
    }
    if (!cuda_options_check(&bench_command, &options->scan, &options->profile))
        return false;
    device_resolve_auto(&options->scan);
    return device_profile_is_good(&options->profile) && consistent(options);
}

void bench_options_release(bench_options *options) {
    pattern_options_release(&options->patterns);
    free(options->engines.items);
    free(options->texts.items);
}
