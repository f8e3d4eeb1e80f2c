/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/flags/common.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"

/* ------------------------------------------------------------------ patterns */

static void add_input(pattern_options *options, const char *text, bool is_file) {
    if (options->count == options->capacity) {
        options->capacity = options->capacity == 0 ? 8 : options->capacity * 2;
        options->inputs = reallocate(options->inputs, options->capacity * sizeof *options->inputs);
    }
    options->inputs[options->count++] = (pattern_input){text, is_file};
}

int pattern_options_take(pattern_options *options, const arguments *args, int id) {
    switch (id) {
    case FLAG_PATTERN_FILE:
    case FLAG_PATTERN:
        add_input(options, args->value, id == FLAG_PATTERN_FILE);
        return FLAG_TAKEN;
    case FLAG_PATTERN_FORMAT:
        if (pattern_format_find(args->value, &options->reading.format))
            return FLAG_TAKEN;
        (void)arguments_misuse(args->command,
                               "--pattern-format: expected lines, escaped, hex or tsv, not '%s'",
                               args->value);
        return FLAG_REFUSED;
    case FLAG_CRLF:
        options->reading.strip_cr = true;
        return FLAG_TAKEN;
    case FLAG_IGNORE_CASE:
        options->reading.case_insensitive = true;
        return FLAG_TAKEN;
    default:
        return FLAG_NOT_MINE;
    }
}

bool pattern_options_load(const pattern_options *options, trawl_patterns **patterns,
                          pattern_tally *tally) {
    trawl_error error;
    trawl_status status = trawl_patterns_new(patterns, &error);
    if (status != TRAWL_OK) {
        (void)report_error(&error);
        return false;
    }
    for (size_t i = 0; i < options->count && status == TRAWL_OK; i++) {
        const pattern_input *input = &options->inputs[i];
        if (input->is_file)
            status = pattern_file_add(input->text, &options->reading, *patterns, tally, &error);
        else
            status = pattern_text_add(input->text, "-e", &options->reading, *patterns, &error);
    }
    if (status != TRAWL_OK) {
        (void)report_error(&error);
        trawl_patterns_free(*patterns);
        *patterns = NULL;
    }
    return status == TRAWL_OK;
}

bool pattern_options_use_stdin(const pattern_options *options) {
    for (size_t i = 0; i < options->count; i++) {
        if (options->inputs[i].is_file && strcmp(options->inputs[i].text, "-") == 0)
            return true;
    }
    return false;
}

void pattern_options_release(pattern_options *options) {
    free(options->inputs);
    options->inputs = NULL;
    options->count = options->capacity = 0;
}

/* ------------------------------------------------------------------ compiling */

static const char *const match_kind_names[] = {"all", "leftmost-first", "leftmost-longest"};

const char *match_kind_name(trawl_match_kind kind) {
    return (size_t)kind < 3 ? match_kind_names[kind] : "?";
}

bool match_kind_find(const char *name, trawl_match_kind *kind) {
    for (size_t i = 0; i < sizeof match_kind_names / sizeof match_kind_names[0]; i++) {
        if (strcmp(name, match_kind_names[i]) == 0) {
            *kind = (trawl_match_kind)i;
            return true;
        }
    }
    return false;
}

static int take_uint32(const arguments *args, uint32_t least, uint32_t most, uint32_t *number) {
    uint64_t value = 0;
    if (!arguments_number(args, least, most, &value))
        return FLAG_REFUSED;
    *number = (uint32_t)value;
    return FLAG_TAKEN;
}

static int take_threshold(const arguments *args, double *threshold) {
    char *end = NULL;
    double value = strtod(args->value, &end);
    if (end != args->value && *end == '\0' && value > 0 && value < 1e6) {
        *threshold = value;
        return FLAG_TAKEN;
    }
    (void)arguments_misuse(args->command,
                           "--split-threshold: expected a number above 0, such as 0.15, not '%s'",
                           args->value);
    return FLAG_REFUSED;
}

int compile_options_take(trawl_compile_options *options, const arguments *args, int id) {
    switch (id) {
    case FLAG_ENGINE:
        options->engine = args->value;
        return FLAG_TAKEN;
    case FLAG_VARIANT:
        options->variant = args->value;
        return FLAG_TAKEN;
    case FLAG_MATCHES:
        if (match_kind_find(args->value, &options->matches))
            return FLAG_TAKEN;
        (void)arguments_misuse(
            args->command, "--matches: expected all, leftmost-first or leftmost-longest, not '%s'",
            args->value);
        return FLAG_REFUSED;
    case FLAG_MAX_TABLES:
        return arguments_size(args, 1, UINT64_MAX, &options->max_table_bytes) ? FLAG_TAKEN
                                                                              : FLAG_REFUSED;
    case FLAG_SPLIT_PARTS:
        return take_uint32(args, 1, 1 << 20, &options->split_parts);
    case FLAG_SPLIT_THRESHOLD:
        return take_threshold(args, &options->split_threshold);
    case FLAG_WU_MANBER_BLOCK:
        return take_uint32(args, 1, 4, &options->wu_manber_block);
    case FLAG_RABIN_KARP_BASE:
        return take_uint32(args, 2, UINT32_MAX, &options->rabin_karp_base);
    case FLAG_RABIN_KARP_MODULUS:
        return take_uint32(args, 2, UINT32_MAX, &options->rabin_karp_modulus);
    default:
        return FLAG_NOT_MINE;
    }
}

/* ------------------------------------------------------------------ scanning */

int scan_options_take(trawl_scan_options *options, const arguments *args, int id) {
    uint64_t bytes = 0;
    switch (id) {
    case FLAG_DEVICE:
        options->device = args->value;
        return FLAG_TAKEN;
    case FLAG_THREADS:
        if (take_uint32(args, 0, 4096, &options->threads) == FLAG_REFUSED)
            return FLAG_REFUSED;
        if (options->threads == 0)
            options->threads = TRAWL_THREADS_ALL;
        return FLAG_TAKEN;
    case FLAG_PLACEMENT:
        if (strcmp(args->value, "none") == 0) {
            options->placement = TRAWL_PLACEMENT_NONE;
        } else if (strcmp(args->value, "spread") == 0) {
            options->placement = TRAWL_PLACEMENT_SPREAD;
        } else if (strcmp(args->value, "close") == 0) {
            options->placement = TRAWL_PLACEMENT_CLOSE;
        } else {
            (void)arguments_misuse(args->command,
                                   "--placement: expected none, spread or close, not '%s'",
                                   args->value);
            return FLAG_REFUSED;
        }
        return FLAG_TAKEN;
    case FLAG_COPY_TABLES:
        options->copy_tables = true;
        return FLAG_TAKEN;
    case FLAG_CHUNK_BYTES:
        if (!arguments_size(args, 1, UINT64_C(1) << 40, &bytes))
            return FLAG_REFUSED;
        options->chunk_bytes = (size_t)bytes;
        return FLAG_TAKEN;
    default:
        return FLAG_NOT_MINE;
    }
}

unsigned scan_options_threads(const trawl_scan_options *options) {
    if (options->threads != TRAWL_THREADS_ALL)
        return options->threads == 0 ? 1 : options->threads;
    /* More CPUs than a cpu_set_t holds make the first call fail. */
    cpu_set_t allowed;
    long count = sched_getaffinity(0, sizeof allowed, &allowed) == 0
                     ? CPU_COUNT(&allowed)
                     : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (unsigned)count;
}

/* ------------------------------------------------------------------ all of them */

static int take_any(const flag_groups *groups, const arguments *args, int id) {
    int taken = FLAG_NOT_MINE;
    if (groups->patterns != NULL)
        taken = pattern_options_take(groups->patterns, args, id);
    if (taken == FLAG_NOT_MINE && groups->compile != NULL)
        taken = compile_options_take(groups->compile, args, id);
    if (taken == FLAG_NOT_MINE && groups->scan != NULL)
        taken = scan_options_take(groups->scan, args, id);
    if (taken == FLAG_NOT_MINE && groups->scan != NULL)
        taken = cuda_options_take(groups->scan, groups->profile, args, id);
    return taken;
}

int flag_groups_next(const flag_groups *groups, arguments *args, int *status) {
    *status = EXIT_ERROR;
    for (;;) {
        int id = arguments_next(args);
        if (id == ARGUMENTS_HELP)
            *status = EXIT_MATCHED;
        if (id == ARGUMENTS_HELP || id == ARGUMENTS_ERROR)
            return ARGUMENTS_ERROR;
        int taken = id == ARGUMENTS_END ? FLAG_NOT_MINE : take_any(groups, args, id);
        if (taken == FLAG_REFUSED)
            return ARGUMENTS_ERROR;
        if (taken == FLAG_NOT_MINE)
            return id;
    }
}
