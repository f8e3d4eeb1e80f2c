/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/flags/compile.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const flag engine_flags[] = {
    {FLAG_ENGINE, 0, "engine", "NAME",
     "The algorithm, NAME or NAME:VARIANT. auto (the default): the planner chooses. A named engine "
     "scans or fails with a reason. 'trawl engines' lists the engines.",
     "Compiling"},
    {0},
};

const flag variant_flags[] = {
    {FLAG_VARIANT, 0, "variant", "NAME", "The variant of the engine.", NULL},
    {0},
};

const flag variant_or_kernel_flags[] = {
    {FLAG_VARIANT, 0, "variant", "NAME",
     "The variant of the engine; with --device cuda also a kernel, or both as VARIANT+KERNEL.",
     NULL},
    {0},
};

const flag match_kind_flags[] = {
    {FLAG_MATCHES, 0, "matches", "KIND",
     "Which matches are reported: all (the default; matches may overlap), leftmost-first or "
     "leftmost-longest (matches that do not overlap).",
     "Compiling"},
    {0},
};

const flag compile_detail_flags[] = {
    {FLAG_MAX_TABLES, 0, "max-tables", "SIZE",
     "Refuse an engine whose tables would be larger than SIZE: bytes, or with K, M, G or T "
     "(default "
     "8G).",
     "Compiling"},
    {FLAG_SPLIT_PARTS, 0, "split-parts", "M", "ac-split: number of parts, 1 to 256.", NULL},
    {FLAG_SPLIT_THRESHOLD, 0, "split-threshold", "X",
     "ac-split: how uneven the parts may be, as largest / smallest - 1.", NULL},
    {FLAG_WU_MANBER_BLOCK, 0, "wm-block", "B", "wu-manber: block length, 1 to 4 bytes.", NULL},
    {FLAG_RABIN_KARP_BASE, 0, "rk-base", "D", "rabin-karp: base d of the hash.", NULL},
    {FLAG_RABIN_KARP_MODULUS, 0, "rk-modulus", "Q", "rabin-karp: modulus q of the hash, a prime.",
     NULL},
    {0},
};

static const char *const match_kind_names[] = {"all", "leftmost-first", "leftmost-longest"};

const char *match_kind_name(trawl_match_kind kind) {
    return (size_t)kind < 3 ? match_kind_names[kind] : "?";
}

static int take_matches(const arguments *args, trawl_match_kind *kind) {
    int choice = arguments_choose(args, match_kind_names, sizeof match_kind_names / sizeof(char *));
    if (choice < 0)
        return FLAG_REFUSED;
    *kind = (trawl_match_kind)choice;
    return FLAG_TAKEN;
}

/* Takes NAME or NAME:VARIANT, as `trawl bench` does. */
static int take_engine(const arguments *args, trawl_compile_options *options) {
    enum { MOST = 32 };
    const char *names[MOST] = {"auto"};
    size_t count = 1;
    trawl_engine_description description = TRAWL_ENGINE_DESCRIPTION;
    while (count < MOST && trawl_engine_describe(count - 1, &description))
        names[count++] = description.name;
    const char *colon = strchr(args->value, ':');
    size_t length = colon == NULL ? 0 : (size_t)(colon - args->value);
    for (size_t i = 0; colon != NULL && i < count; i++) {
        if (strlen(names[i]) == length && strncmp(names[i], args->value, length) == 0) {
            options->engine = names[i];
            options->variant = colon + 1;
            return FLAG_TAKEN;
        }
    }
    int choice = arguments_choose(args, names, count);
    if (choice < 0)
        return FLAG_REFUSED;
    options->engine = names[choice];
    return FLAG_TAKEN;
}

static int take_threshold(const arguments *args, double *threshold) {
    char *end = NULL;
    double value = strtod(args->value, &end);
    /* strtod also reads 0x10, a sign, and blanks before a number; no other flag takes these. */
    bool decimal = strspn(args->value, "0123456789.eE-") == strlen(args->value) &&
                   (isdigit((unsigned char)args->value[0]) || args->value[0] == '.');
    if (decimal && end != args->value && *end == '\0' && value > 0 && value < 1e6) {
        *threshold = value;
        return FLAG_TAKEN;
    }
    (void)arguments_misuse(
        args->command,
        "--split-threshold: expected a number above 0 and below 1000000, such as "
        "0.15, not '%s'",
        args->value);
    return FLAG_REFUSED;
}

int compile_options_take(trawl_compile_options *options, trawl_study_compile_options *study,
                         const arguments *args, int id) {
    switch (id) {
    case FLAG_ENGINE:
        return take_engine(args, options);
    case FLAG_VARIANT:
        options->variant = args->value;
        return FLAG_TAKEN;
    case FLAG_MATCHES:
        return take_matches(args, &options->matches);
    case FLAG_MAX_TABLES:
        return arguments_size(args, 1, UINT64_MAX, &options->max_table_bytes) ? FLAG_TAKEN
                                                                              : FLAG_REFUSED;
    case FLAG_SPLIT_PARTS:
        return flag_take_uint32(args, 1, 256, &study->split_parts);
    case FLAG_SPLIT_THRESHOLD:
        return take_threshold(args, &study->split_threshold);
    case FLAG_WU_MANBER_BLOCK:
        return flag_take_uint32(args, 1, 4, &study->wu_manber_block);
    case FLAG_RABIN_KARP_BASE:
        return flag_take_uint32(args, 2, UINT32_MAX, &study->rabin_karp_base);
    case FLAG_RABIN_KARP_MODULUS:
        return flag_take_uint32(args, 2, UINT32_MAX, &study->rabin_karp_modulus);
    default:
        return FLAG_NOT_MINE;
    }
}

bool study_flags_fit(const trawl_study_compile_options *study,
                     bool (*named)(const char *engine, const void *context), const void *context,
                     const command *command_) {
    const struct {
        bool given;
        const char *flag, *engine;
    } rows[] = {{study->split_parts != 0, "--split-parts", "ac-split"},
                {study->split_threshold != 0, "--split-threshold", "ac-split"},
                {study->wu_manber_block != 0, "--wm-block", "wu-manber"},
                {study->rabin_karp_base != 0, "--rk-base", "rabin-karp"},
                {study->rabin_karp_modulus != 0, "--rk-modulus", "rabin-karp"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].given && !named(rows[i].engine, context)) {
            (void)arguments_misuse(command_, "%s is for engine %s: expected --engine %s",
                                   rows[i].flag, rows[i].engine, rows[i].engine);
            return false;
        }
    }
    return true;
}

static bool is_named(const char *engine, const void *context) {
    const char *given = context;
    return given != NULL && strcmp(given, engine) == 0;
}

bool compile_options_fit(const trawl_compile_options *options,
                         const trawl_study_compile_options *study, const command *command_) {
    return study_flags_fit(study, is_named, options->engine, command_);
}
