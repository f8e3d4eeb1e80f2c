/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl tune: finds the fastest kernel and block shape of an engine on a GPU, or measures the costs
 * that the planner uses. */
#include "cli/tune/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/base/memory.h"
#include "cli/base/memory_text.h"
#include "cli/base/report.h"
#include "cli/flags/arguments.h"
#include "cli/flags/compile.h"
#include "cli/flags/cuda.h"
#include "cli/flags/device.h"
#include "cli/flags/groups.h"
#include "cli/flags/patterns.h"
#include "cli/flags/scan.h"
#include "cli/target/planning.h"
#include "cli/target/profile.h"
#include "cli/target/profile_load.h"
#include "cli/tune/measure.h"
#include "cli/tune/words.h"
#include "trawl/trawl_study.h"

enum { FLAG_REPEAT = 1, FLAG_LIMIT, FLAG_VERBOSE, MOST_MADE_UP = 512 << 20 };

static const flag own_flags[] = {
    {FLAG_DEVICE, 0, "device", "NAME",
     "cuda (the first GPU), cuda:N, or cpu. Without patterns and text: measure the costs that the "
     "planner uses. Default: cuda, or cpu if there is no GPU and no patterns are given.",
     "Tuning"},
    {FLAG_KERNEL, 0, "kernel", "NAME", "Only this kernel (default: all kernels of the engine).",
     NULL},
    {FLAG_PROFILE, 0, "profile", "FILE", "Write to FILE instead of the profile of the device.",
     NULL},
    {FLAG_REPEAT, 0, "repeat", "N", "Timed runs of each block shape (default 5).", NULL},
    {FLAG_LIMIT, 0, "limit", "BYTES",
     "Use only the first BYTES of the text, or of a\nGPU's generated text (default 1G).", NULL},
    {FLAG_VERBOSE, 'v', "verbose", NULL, "Print each measurement on standard error.", NULL},
    {0},
};

static const flag *const tune_flags[] = {
    pattern_flags,      pattern_format_flags,
    pattern_crlf_flags, pattern_match_flags,
    engine_flags,       variant_or_kernel_flags,
    match_kind_flags,   compile_detail_flags,
    own_flags,          NULL,
};

static const command tune_command = {
    .name = "tune",
    .summary = "measure this machine: a GPU's fastest kernels, or the costs for the planner",
    .usage = "  trawl tune [FLAGS] -f FILE|-e PATTERN TEXT\n"
             "  trawl tune [--device cpu|cuda]",
    .examples =
        "  trawl tune                  costs of this GPU, or of this CPU if there is none\n"
        "  trawl tune --device cpu     costs of this CPU: about twenty seconds, once a machine\n"
        "  trawl tune --device cuda    costs of this GPU\n"
        "  trawl tune -f words.txt --engine ac-dfa book.txt       fastest kernel and block shape\n"
        "  trawl tune -f words.txt --engine ac-dfa --kernel ac4 book.txt\n"
        "  trawl scan --device cuda -f words.txt --engine ac-dfa book.txt   uses the result\n",
    .flags = tune_flags,
    .notes =
        "With patterns and a text: the fastest kernel of an engine on a GPU. Starting with the\n"
        "kernel's own block shape, threads per block and bytes per thread are varied in turn\n"
        "until no value is 2 % faster. Only counting is timed, with the text in device memory.\n"
        "Columns, one line for each kernel: kernel, threads of a block, bytes of a block (0: the\n"
        "kernel's own), GB/s, ratio to the kernel's own shape, number of shapes measured. The\n"
        "fastest kernel is written to the profile of the device, under the engine and its\n"
        "variant. Later scans on that device use it unless flags say otherwise.\n"
        "\n"
        "With --device cpu: steps of the engines are timed on generated patterns and texts, and\n"
        "written to the profile of the CPU, in nanoseconds. A step with several numbers depends\n"
        "on the size of a table: 4 KiB, 16 KiB, 64 KiB and so on. Commands that compile patterns\n"
        "on this machine use these costs to choose engines. Run nothing else meanwhile.\n"
        "\n"
        "With --device cuda and no patterns: the same for a GPU, in picoseconds of the whole\n"
        "GPU. One cost, filter, is a ratio: the time of qgram's filter divided by the time on an\n"
        "NVIDIA H200.\n"
        "\n"
        "Lines that begin with # say before it starts how long it takes and which file will be\n"
        "written, and afterwards what was found: how this machine differs from the built-in "
        "costs,\n"
        "and what that changes in plans.\n"
        "\n"
        "A profile is $XDG_CONFIG_HOME/trawl/DEVICE.profile, or ~/.config/trawl/DEVICE.profile.\n"
        "\n"
        "Exit status: 0, or 2 after an error.\n",
};

typedef struct tune_options {
    pattern_options patterns;
    trawl_compile_options compile;
    trawl_scan_options scan;
    study_options study; /* of compile and scan */
    profile_options profile;
    const char *text;
    uint64_t repeats;
    uint64_t limit;
    bool has_repeats, has_limit; /* the flags were given */
    bool verbose;
    const flag *compiling; /* the first flag for patterns or engines; NULL: none was given */
    char device[128];      /* the name of the product */
    char path[4096];       /* of the profile that is written */
} tune_options;

/* ------------------------------------------------------------------ flags */

/* False after one line. */
static bool take_own(tune_options *options, const arguments *args, int id) {
    switch (id) {
    case ARGUMENTS_OPERAND:
        if (options->text != NULL)
            (void)arguments_misuse(&tune_command, "expected one text, found '%s' too", args->value);
        else
            options->text = args->value;
        return options->text == args->value;
    case FLAG_REPEAT:
        options->has_repeats = true;
        return arguments_number(args, 1, 1000, &options->repeats);
    case FLAG_LIMIT:
        options->has_limit = true;
        return arguments_size(args, 1, UINT64_C(1) << 36, &options->limit);
    case FLAG_VERBOSE:
        options->verbose = true;
        return true;
    default:
        return false;
    }
}

/* Without --device: kernels are those of a GPU; costs are those of the first GPU, or else of the
 * CPU. */
static void choose_device(tune_options *options) {
    trawl_device found = TRAWL_DEVICE;
    bool for_kernels =
        options->patterns.count != 0 || options->text != NULL || options->scan.kernel != NULL;
    if (options->scan.device == NULL)
        options->scan.device = for_kernels || device_find("cuda:0", &found) ? "cuda" : "cpu";
}

static bool is_cpu(const tune_options *options) {
    return strcmp(options->scan.device, "cpu") == 0;
}

/* Whether the costs of a GPU are measured for the planner. */
static bool measures_device(const tune_options *options) {
    return device_is_cuda(options->scan.device) && options->patterns.count == 0 &&
           options->text == NULL;
}

/* Whether no flag is given that has no effect without patterns and a text. False after reporting.
 */
static bool flags_have_use(const tune_options *options) {
    char written[FLAG_SHOWN_BYTES];
    const char *useless = options->has_repeats           ? "--repeat"
                          : options->verbose             ? "-v"
                          : options->scan.kernel != NULL ? "--kernel"
                          : options->compiling != NULL   ? flag_written(options->compiling, written)
                                                         : NULL;
    if (useless != NULL)
        (void)arguments_misuse(&tune_command, "%s needs patterns and a text", useless);
    else if (is_cpu(options) && options->has_limit)
        (void)arguments_misuse(&tune_command, "--limit needs a GPU");
    else
        return true;
    return false;
}

static bool consistent(const tune_options *options) {
    const char *problem = NULL;
    if (!is_cpu(options) && !device_is_cuda(options->scan.device) &&
        !device_is_group(options->scan.device)) {
        (void)arguments_misuse(&tune_command, "--device: expected cuda, cuda:N or cpu, not '%s'",
                               options->scan.device);
        return false;
    }
    if (is_cpu(options) && (options->patterns.count != 0 || options->text != NULL))
        problem = "--device cpu is measured without patterns and text";
    else if (device_is_group(options->scan.device))
        problem = "--device: tune measures one GPU: cuda or cuda:N";
    else if (is_cpu(options) || measures_device(options))
        return flags_have_use(options);
    else if (options->patterns.count == 0)
        problem = "expected patterns: -f FILE or -e PATTERN";
    else if (options->text == NULL)
        problem = "expected a text";
    else if (strcmp(options->text, "-") == 0 && pattern_options_use_stdin(&options->patterns))
        problem = "standard input cannot be both the patterns and the text";
    if (problem != NULL)
        (void)arguments_misuse(&tune_command, "%s", problem);
    return problem == NULL;
}

static bool parse(tune_options *options, int argc, char **argv, int *status) {
    *options = (tune_options){.compile = TRAWL_COMPILE_OPTIONS,
                              .scan = TRAWL_SCAN_OPTIONS,
                              .repeats = 5,
                              .limit = UINT64_C(1) << 30};
    study_options_begin(&options->study, &options->compile);
    options->scan.device = NULL;
    arguments args;
    arguments_begin(&args, &tune_command, argc, argv);
    const flag_groups groups = {.patterns = &options->patterns,
                                .compile = &options->compile,
                                .scan = &options->scan,
                                .study = &options->study,
                                .profile = &options->profile};
    int id = ARGUMENTS_END;
    while ((id = flag_groups_next(&groups, &args, status)) != ARGUMENTS_END) {
        if (id == ARGUMENTS_ERROR || !take_own(options, &args, id))
            return false;
    }
    options->compiling = args.compiling;
    choose_device(options);
    if (!consistent(options))
        return false;
    if (options->scan.kernel == NULL && /* a kernel names an engine too */
        !compile_options_fit(&options->compile, &options->study.compile, &tune_command))
        return false;
    return is_cpu(options) ||
           (cuda_options_from_variant(&tune_command, &options->compile, &options->scan) &&
            cuda_options_check(&tune_command, &options->scan, NULL));
}

/* ------------------------------------------------------------------ inputs */

static bool compile(const tune_options *options, trawl_db **db) {
    trawl_patterns *patterns = NULL;
    trawl_error error;
    if (!pattern_options_load(&options->patterns, &patterns, NULL))
        return false;
    if (trawl_patterns_count(patterns) == 0) { /* no kernel would be launched */
        report("the pattern set is empty; expected a pattern or more");
        trawl_patterns_free(patterns);
        return false;
    }
    trawl_compile_options compile = options->compile;
    device_choose_engine(&compile, &options->scan);
    planning plan;
    (void)planning_begin(&plan, options->text, false, &compile);
    trawl_status status = trawl_compile(patterns, &compile, db, &error);
    planning_end(&plan);
    if (status != TRAWL_OK)
        (void)report_error(&error);
    trawl_patterns_free(patterns);
    return status == TRAWL_OK;
}

/* ------------------------------------------------------------------ tuning */

/* Tunes one kernel and prints a line. `best` becomes this kernel if it is the fastest so far. */
static bool try_kernel(const char *kernel, tune_subject *subject, profile_entry *best) {
    tune_shape shape;
    subject->kernel = kernel;
    if (!tune_kernel(subject, &shape)) {
        (void)printf("%s\trefuses: %s\n", kernel, subject->refusal.message);
        return false;
    }
    double rate = shape.seconds > 0 ? (double)subject->length / shape.seconds / 1e9 : 0;
    (void)printf("%s\t%" PRIu32 "\t%" PRIu32 "\t%.3f\t%.3f\t%zu\n", kernel, shape.block_threads,
                 shape.block_bytes, rate, shape.seconds > 0 ? shape.own_seconds / shape.seconds : 1,
                 shape.measured - shape.refused);
    (void)flush_output();
    if (best->kernel[0] == '\0' || rate > best->gb_per_second) {
        (void)snprintf(best->kernel, sizeof best->kernel, "%s", kernel);
        best->block_threads = shape.block_threads;
        best->block_bytes = shape.block_bytes;
        best->gb_per_second = rate;
        subject->best_gain = shape.seconds > 0 ? shape.own_seconds / shape.seconds : 1;
    }
    return true;
}

/* Says how long all kernels will take. */
static void announce(const tune_options *options, const char *engine, tune_subject *subject) {
    trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION;
    double seconds = 0;
    size_t kernels = 0;
    for (size_t i = 0; trawl_kernel_describe(engine, i, &kernel); i++) {
        if (options->scan.kernel != NULL && strcmp(options->scan.kernel, kernel.name) != 0)
            continue;
        subject->kernel = kernel.name;
        seconds += tune_estimate(subject);
        kernels++;
    }
    tune_say("%zu kernel%s of %s with about %d block shapes each, a shape timed %" PRIu32
             " times: about %.2g seconds. Then %s is written.",
             kernels, kernels == 1 ? "" : "s", engine, TUNE_USUAL_SHAPES, subject->repeats,
             seconds < 1 ? 1 : seconds, options->path);
}

static void explain_best(const profile_entry *best, double gain) {
    tune_say("Kernel %s is the fastest one, with %.3g GB/s: %.2f times the speed of its own block "
             "shape. Scans on this GPU with engine %s, variant %s, use kernel and shape from now "
             "on.",
             best->kernel, best->gb_per_second, gain, best->engine, best->variant);
}

static bool try_kernels(const tune_options *options, const char *engine, tune_subject *subject,
                        profile_entry *best) {
    trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION;
    if (options->scan.kernel != NULL)
        return try_kernel(options->scan.kernel, subject, best);
    bool some = false;
    for (size_t i = 0; trawl_kernel_describe(engine, i, &kernel); i++)
        some = try_kernel(kernel.name, subject, best) || some;
    return some;
}

/* Reads the profile that will be written, whose other parts are to stay. TRAWL_OK, and it is empty,
 * if there is none, or a device such as /dev/null. */
static trawl_status read_profile(const char *path, device_profile *profile, trawl_error *error) {
    struct stat about;
    trawl_status status = device_profile_read(path, profile, error);
    bool nothing = stat(path, &about) != 0 || !S_ISREG(about.st_mode);
    return status == TRAWL_ERROR_IO && nothing ? TRAWL_OK : status;
}

/* Whether the profile can be read, if there is one, and written. A damaged one is written anew if
 * it is the device's own; a file that --profile names may be anything, and is kept. False after
 * reporting. */
static bool check_profile(const char *path, bool is_named) {
    trawl_error error;
    device_profile *profile = allocate(sizeof *profile);
    trawl_status status = read_profile(path, profile, &error);
    free(profile);
    if (status == TRAWL_OK || (status == TRAWL_ERROR_FORMAT && !is_named))
        status = device_profile_check(path, &error);
    if (status != TRAWL_OK)
        (void)report_error(&error);
    return status == TRAWL_OK;
}

/* The name of the device and the path of its profile, in which results will be written. False after
 * reporting that it cannot be read or written, before anything is measured. */
static bool find_profile(tune_options *options) {
    device_maker_name(options->scan.device, options->device, sizeof options->device);
    struct stat about;
    if (options->profile.path != NULL) {
        if (stat(options->profile.path, &about) == 0 && S_ISFIFO(about.st_mode)) {
            report("--profile: %s: is a FIFO; expected a file", options->profile.path);
            return false; /* to open it would wait for a reader */
        }
        (void)snprintf(options->path, sizeof options->path, "%s", options->profile.path);
    } else if (!device_profile_path(options->device, options->path, sizeof options->path)) {
        report("neither XDG_CONFIG_HOME nor HOME is set, which name the directory of profiles; "
               "give --profile FILE");
        return false;
    } else {
        device_profile_make_folder(options->path);
    }
    return check_profile(options->path, options->profile.path != NULL);
}

/* Writes those arguments that are not NULL to the profile, whose other parts stay. False after
 * reporting. */
static bool remember(const tune_options *options, const profile_entry *best,
                     const trawl_costs *costs, const trawl_device_costs *device_costs) {
    trawl_error error;
    device_profile *profile = allocate(sizeof *profile);
    trawl_status status = read_profile(options->path, profile, &error);
    if (status == TRAWL_ERROR_FORMAT) {
        report("%s; the file is written anew", error.message);
    } else if (status != TRAWL_OK) {
        free(profile);
        (void)report_error(&error);
        return false;
    }
    (void)snprintf(profile->device, sizeof profile->device, "%s", options->device);
    if (costs != NULL) {
        profile->has_costs = true;
        profile->costs = *costs;
    } else if (device_costs != NULL) {
        profile->has_device_costs = true;
        profile->device_costs = *device_costs;
    } else if (!device_profile_set(profile, best)) {
        profile->count = 0;
        (void)device_profile_set(profile, best);
    }
    status = device_profile_write(options->path, profile, &error);
    free(profile);
    if (status != TRAWL_OK)
        (void)report_error(&error);
    else if (best == NULL)
        (void)printf("# %s; written to %s\n", options->device, options->path);
    else
        (void)printf("# %s, %s %s: kernel %s; written to %s\n", options->device, best->engine,
                     best->variant, best->kernel, options->path);
    return status == TRAWL_OK;
}

/* Measures the costs of the CPU. Prints a line for each step: its name, and nanoseconds. */
static bool tune_cpu(const tune_options *options) {
    trawl_costs costs = TRAWL_COSTS;
    trawl_error error;
    tune_say("Measuring steps of engines on %s: about 20 seconds. Run nothing else meanwhile. Then "
             "%s is written.",
             options->device, options->path);
    if (trawl_study_measure_costs(&costs, &error) != TRAWL_OK) {
        (void)report_error(&error);
        return false;
    }
    const char *name = NULL;
    size_t count = 0;
    const double *values = NULL;
    for (size_t i = 0; (values = profile_cost(&costs, i, &name, &count)) != NULL; i++) {
        (void)printf("%s", name);
        for (size_t k = 0; k < count; k++)
            (void)printf("\t%.4f", values[k]);
        (void)printf("\n");
    }
    tune_explain_costs(&costs);
    return remember(options, NULL, &costs, NULL);
}

/* Measures the costs of a GPU, in picoseconds. */
static bool tune_device(const tune_options *options) {
    trawl_device_costs costs = TRAWL_DEVICE_COSTS;
    trawl_error error;
    uint64_t bytes = options->limit < MOST_MADE_UP ? options->limit : MOST_MADE_UP;
    uint32_t number = 0;
    (void)device_number(options->scan.device, &number);
    tune_say("Measuring steps of engines on %s with %.3g MB of generated text: a few seconds. Then "
             "%s is written.",
             options->device, (double)bytes / 1e6, options->path);
    if (trawl_study_measure_device_costs(number, bytes, &costs, &error) != TRAWL_OK) {
        (void)report_error(&error);
        return false;
    }
    const char *name = NULL;
    const double *value = NULL;
    for (size_t i = 0; (value = profile_device_cost(&costs, i, &name)) != NULL; i++)
        (void)printf("%s\t%.4f\n", name, *value);
    tune_explain_device_costs(&costs);
    return remember(options, NULL, NULL, &costs);
}

static bool tune(const tune_options *options, const trawl_db *db, const memory_text *text) {
    trawl_error error;
    trawl_db_information information = TRAWL_DB_INFORMATION;
    trawl_cuda_upload_options upload = TRAWL_CUDA_UPLOAD_OPTIONS;
    trawl_cuda_db *uploaded = NULL;
    (void)device_number(options->scan.device, &upload.device);
    uint8_t *sample = planning_table_sample(text->bytes, text->length, &upload.sample_length);
    upload.sample = sample;
    trawl_status status = trawl_cuda_upload(db, &upload, &uploaded, &error);
    free(sample);
    if (status != TRAWL_OK) {
        (void)report_error(&error);
        return false;
    }
    (void)trawl_db_info(db, &information, NULL);
    profile_entry best = {.block_bytes = 0};
    (void)snprintf(best.engine, sizeof best.engine, "%s", information.engine);
    (void)snprintf(best.variant, sizeof best.variant, "%s", information.variant);
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) == NULL || strftime(best.date, sizeof best.date, "%F", &utc) == 0)
        (void)snprintf(best.date, sizeof best.date, "unknown");
    bool pinned = trawl_cuda_pin(text->bytes, text->length, NULL) == TRAWL_OK;
    tune_subject subject = {.uploaded = uploaded,
                            .text = text->bytes,
                            .length = text->length,
                            .repeats = (uint32_t)options->repeats,
                            .seconds = allocate((size_t)options->repeats * sizeof(double)),
                            .verbose = options->verbose};
    announce(options, information.engine, &subject);
    bool some = try_kernels(options, information.engine, &subject, &best);
    if (pinned)
        trawl_cuda_unpin(text->bytes);
    free(subject.seconds);
    trawl_cuda_db_free(uploaded);
    if (some)
        explain_best(&best, subject.best_gain);
    else
        report("nothing could be measured: %s", subject.refusal.message);
    return some && remember(options, &best, NULL, NULL);
}

static int run(tune_options *options) {
    trawl_db *db = NULL;
    memory_text text = {0};
    string_list paths = {0};
    bool done = false;
    if (!find_profile(options))
        return EXIT_ERROR;
    if (is_cpu(options)) {
        done = tune_cpu(options);
    } else if (measures_device(options)) {
        done = tune_device(options);
    } else {
        string_list_add(&paths, options->text);
        done = compile(options, &db) && memory_text_read(&paths, options->limit, &text) &&
               tune(options, db, &text);
    }
    free(paths.items);
    free(text.bytes);
    trawl_db_free(db);
    return done ? finish_output(EXIT_MATCHED) : EXIT_ERROR;
}

int trawl_command_tune(int argc, char **argv) {
    tune_options options;
    int status = EXIT_ERROR;
    if (parse(&options, argc, argv, &status))
        status = run(&options);
    pattern_options_release(&options.patterns);
    return status;
}
