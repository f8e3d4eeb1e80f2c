/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/flags/compile.h"
#include "cli/flags/groups.h"
#include "cli/flags/scan.h"

enum {
    FLAG_DATABASE = 1,
    FLAG_DATABASE_COPY,
    FLAG_FORMAT,
    FLAG_COUNT,
    FLAG_NO_PATTERN,
    FLAG_TOP,
    FLAG_OUTPUT,
    FLAG_STATS,
    FLAG_NO_PROGRESS,
    FLAG_RECURSIVE,
    FLAG_FOLLOW,
    FLAG_INCLUDE,
    FLAG_EXCLUDE,
    FLAG_EXCLUDE_DIRECTORY,
    FLAG_SAMPLE
};

static const flag input_flags[] = {
    {FLAG_DATABASE, 0, "db", "DB",
     "Use a database made by 'trawl compile'; it replaces -f, -e, --engine, --variant and "
     "--matches.",
     NULL},
    {FLAG_DATABASE_COPY, 0, "db-copy", NULL,
     "Read the database into memory of its own, as is done where another user owns it, instead of "
     "mapping the file.",
     NULL},
    {FLAG_RECURSIVE, 'r', "recursive", NULL,
     "Scan all files below the directories given (no TEXT: the working directory), hidden files "
     "too. Symbolic links are followed only if they are named.",
     "Texts"},
    {FLAG_FOLLOW, 'R', "dereference-recursive", NULL, "As -r, but follow all symbolic links.",
     NULL},
    {FLAG_INCLUDE, 0, "include", "GLOB", "Scan only files whose name matches GLOB.", NULL},
    {FLAG_EXCLUDE, 0, "exclude", "GLOB", "Skip files whose name matches GLOB.", NULL},
    {FLAG_EXCLUDE_DIRECTORY, 0, "exclude-dir", "GLOB", "Skip directories whose name matches GLOB.",
     NULL},
    {FLAG_FORMAT, 0, "format", "FORMAT",
     "tsv (the default): one line for each match: file, start, end, id, and the pattern's name or "
     "the pattern; jsonl: the same as a JSON object; count: one line for each text with its number "
     "of matches; top: one line for each of the most frequent patterns: count, id, name or "
     "pattern.",
     "Output"},
    {FLAG_COUNT, 'c', "count", NULL, "The same as --format count.", NULL},
    {FLAG_TOP, 0, "top", "N",
     "The same as --format top, for N patterns (default 20; 0: all that occur).", NULL},
    {FLAG_NO_PATTERN, 0, "no-pattern", NULL, "Leave out the last column, name or pattern.", NULL},
    {FLAG_OUTPUT, 'o', "output", "FILE",
     "Write to FILE. FILE appears or changes only after everything has been written.", NULL},
    {FLAG_STATS, 0, "stats", NULL, "Write one JSON object with sizes and times to standard error.",
     NULL},
    {FLAG_NO_PROGRESS, 0, "no-progress", NULL, "Show no progress line on a terminal.", NULL},
    {0},
};

static const flag sample_flags[] = {
    {FLAG_SAMPLE, 0, "sample", "FILE",
     "Choose the engine for texts like FILE (default: the first TEXT that is a regular file). "
     "Results do not depend on it.",
     NULL},
    {0},
};

static const flag *const scan_flags[] = {
    pattern_flags,        input_flags,    engine_flags,  variant_or_kernel_flags,
    compile_detail_flags, sample_flags,   device_flags,  scan_detail_flags,
    kernel_flags,         transfer_flags, profile_flags, NULL,
};

const command scan_command = {
    .name = "scan",
    .summary = "find every occurrence of every pattern",
    .usage = "  trawl scan [FLAGS] -f FILE|-e PATTERN|--db DB [TEXT...]\n"
             "Each match is printed with its place. Without TEXT, or if TEXT is -, standard input\n"
             "is scanned. Compressed texts (gzip, zstd, xz) are recognised by their content and\n"
             "decompressed.",
    .examples = "  trawl scan -e fox -e dog story.txt         every match of two words\n"
                "  trawl scan -f words.txt book.txt.gz        patterns of a file, compressed text\n"
                "  trawl scan -c -i -f names.txt -r logs/     counts for each file, in any case\n"
                "  trawl scan --top 10 -f words.txt -r docs/  the ten most frequent patterns\n"
                "  trawl scan --pattern-format hex -f sigs.hex --format jsonl disk.img\n"
                "  zcat big.gz | trawl scan --db rules.db -o matches.tsv\n"
                "  trawl scan -c --device auto -f words.txt big.txt    on a GPU, if there is one\n",
    .flags = scan_flags,
    .notes =
        "Offsets count bytes from 0; end is one past the last byte. Matches are ordered by end,\n"
        "then start, then id. Ids number the patterns from 0 in the order given; empty lines\n"
        "have no number. A pattern is printed escaped (\\n \\r \\t \\\\ \\xNN). In JSON, bytes "
        "that\n"
        "are not UTF-8 are {\"bytes\":\"BASE64\"}.\n"
        "\n"
        "Exit status: 0 if there is a match, 1 if there is none, 2 after an error (even if only\n"
        "one of the texts could not be read).\n",
};

static bool format_find(const char *name, record_format *format) {
    static const char *const names[] = {[RECORD_TSV] = "tsv",
                                        [RECORD_JSONL] = "jsonl",
                                        [RECORD_COUNT] = "count",
                                        [RECORD_TOP] = "top"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            *format = (record_format)i;
            return true;
        }
    }
    (void)arguments_misuse(&scan_command, "--format: expected tsv, jsonl, count or top, not '%s'",
                           name);
    return false;
}

static void add_glob(scan_options *options, file_glob_kind kind, const char *glob) {
    size_t count = options->rules.count;
    options->globs = reallocate(options->globs, (count + 1) * sizeof *options->globs);
    options->globs[count] = (file_glob){kind, glob};
    options->rules.globs = options->globs;
    options->rules.count = count + 1;
}

/* Takes a flag of this command. False after reporting. */
static bool take_own(scan_options *options, const arguments *args, int id) {
    switch (id) {
    case ARGUMENTS_OPERAND:
        string_list_add(&options->texts, args->value);
        return true;
    case FLAG_DATABASE:
        options->database = args->value;
        return true;
    case FLAG_DATABASE_COPY:
        options->database_copy = true;
        return true;
    case FLAG_FORMAT:
        return format_find(args->value, &options->format);
    case FLAG_SAMPLE:
        options->sample = args->value;
        return true;
    case FLAG_COUNT:
        options->format = RECORD_COUNT;
        return true;
    case FLAG_TOP:
        options->format = RECORD_TOP;
        return arguments_number(args, 0, UINT64_MAX, &options->top);
    case FLAG_NO_PATTERN:
        options->with_pattern = false;
        return true;
    case FLAG_OUTPUT:
        options->output = args->value;
        return true;
    case FLAG_STATS:
        options->stats = true;
        return true;
    case FLAG_NO_PROGRESS:
        options->progress = false;
        return true;
    case FLAG_FOLLOW:
        options->rules.follow_links = true;
        options->recursive = true;
        return true;
    case FLAG_RECURSIVE:
        options->recursive = true;
        return true;
    case FLAG_INCLUDE:
        add_glob(options, FILE_GLOB_INCLUDE, args->value);
        return true;
    case FLAG_EXCLUDE:
        add_glob(options, FILE_GLOB_EXCLUDE, args->value);
        return true;
    case FLAG_EXCLUDE_DIRECTORY:
        add_glob(options, FILE_GLOB_EXCLUDE_DIRECTORY, args->value);
        return true;
    default:
        return false;
    }
}

/* Whether the flags fit together. False after reporting. */
static bool consistent(const scan_options *options) {
    const trawl_compile_options *compile = &options->compile;
    bool compiles = compile->engine != NULL || compile->variant != NULL ||
                    compile->matches != TRAWL_MATCH_ALL || options->patterns.count != 0;
    if (options->database == NULL && options->patterns.count == 0) {
        (void)arguments_misuse(&scan_command,
                               "expected patterns: -f FILE, -e PATTERN or --db DATABASE");
        return false;
    }
    if (options->database != NULL && compiles) {
        (void)arguments_misuse(&scan_command, "--db has its patterns, engine and kind of "
                                              "matches: give no -f, -e, --engine, --variant or "
                                              "--matches with it");
        return false;
    }
    bool text_is_stdin = options->texts.count == 0 && !options->recursive;
    for (size_t i = 0; i < options->texts.count; i++)
        text_is_stdin = text_is_stdin || strcmp(options->texts.items[i], "-") == 0;
    if (text_is_stdin && pattern_options_use_stdin(&options->patterns)) {
        (void)arguments_misuse(&scan_command,
                               "standard input cannot be both the patterns and the text");
        return false;
    }
    return true;
}

bool scan_options_parse(scan_options *options, int argc, char **argv, int *status) {
    *options = (scan_options){.compile = TRAWL_COMPILE_OPTIONS,
                              .scan = TRAWL_SCAN_OPTIONS,
                              .with_pattern = true,
                              .top = 20,
                              .progress = true};
    study_options_begin(&options->study, &options->compile, &options->scan);
    options->scan.threads = TRAWL_THREADS_ALL;
    arguments args;
    arguments_begin(&args, &scan_command, argc, argv);
    const flag_groups groups = {&options->patterns, &options->compile, &options->scan,
                                &options->study, &options->profile};
    int id = ARGUMENTS_END;
    while ((id = flag_groups_next(&groups, &args, status)) != ARGUMENTS_END) {
        if (id == ARGUMENTS_ERROR || !take_own(options, &args, id))
            return false;
    }
    return consistent(options) &&
           cuda_options_from_variant(&scan_command, &options->compile, &options->scan);
}

void scan_options_release(scan_options *options) {
    pattern_options_release(&options->patterns);
    free(options->globs);
    free(options->texts.items);
}
