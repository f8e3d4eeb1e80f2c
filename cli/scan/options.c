/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/options.h"

#include <stdlib.h>
#include <string.h>

enum {
    FLAG_DATABASE = 1,
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

static const flag scan_flags[] = {
    PATTERN_FLAGS,
    {FLAG_DATABASE, 0, "db", "DB", "Use a database made by 'trawl compile' instead of -f and -e.",
     NULL},
    {FLAG_RECURSIVE, 'r', "recursive", NULL,
     "Scan all files below directories (the working directory when no TEXT is given), hidden ones "
     "too; symbolic links only where they are named.",
     "Texts"},
    {FLAG_FOLLOW, 'R', "dereference-recursive", NULL, "Like -r, and follow all symbolic links.",
     NULL},
    {FLAG_INCLUDE, 0, "include", "GLOB", "Only files whose name matches GLOB.", NULL},
    {FLAG_EXCLUDE, 0, "exclude", "GLOB", "No files whose name matches GLOB.", NULL},
    {FLAG_EXCLUDE_DIRECTORY, 0, "exclude-dir", "GLOB", "No directories whose name matches GLOB.",
     NULL},
    {FLAG_FORMAT, 0, "format", "FORMAT",
     "tsv (the default): file, start, end, id, name or else pattern; jsonl: the same as JSON "
     "objects; count: one number a file; top: the most frequent patterns of all texts, as count, "
     "id, name or else pattern.",
     "Output"},
    {FLAG_COUNT, 'c', "count", NULL, "The same as --format count.", NULL},
    {FLAG_TOP, 0, "top", "N",
     "The same as --format top, with N patterns (default 20; 0: all that occur).", NULL},
    {FLAG_NO_PATTERN, 0, "no-pattern", NULL, "Leave out the last column.", NULL},
    {FLAG_OUTPUT, 'o', "output", "FILE",
     "Write to FILE, which appears or changes only when all is written.", NULL},
    {FLAG_STATS, 0, "stats", NULL, "Write one JSON object with sizes and times to standard error.",
     NULL},
    {FLAG_NO_PROGRESS, 0, "no-progress", NULL, "No progress line on a terminal.", NULL},
    COMPILE_AND_SCAN_FLAGS,
    {FLAG_SAMPLE, 0, "sample", "FILE",
     "Plan for texts like this one (default: the first TEXT that is a regular file). What is found "
     "never depends on it.",
     NULL},
    SCAN_FLAGS,
    KERNEL_FLAGS,
    TRANSFER_FLAGS,
    PROFILE_FLAGS,
    {0},
};

const command scan_command = {
    .name = "scan",
    .summary = "find every occurrence of every pattern",
    .usage =
        "  trawl scan [FLAGS] -f FILE|-e PATTERN|--db DB [TEXT...]\n"
        "Without TEXT, or with -, standard input is scanned. Compressed texts (gzip, zstd, xz)\n"
        "are recognised by their content and read through.",
    .examples =
        "  trawl scan -e fox -e dog story.txt          every match of two words\n"
        "  trawl scan -f words.txt book.txt.gz         patterns from a file, a compressed text\n"
        "  trawl scan -c -i -f names.txt -r logs/      counts for each file, any case\n"
        "  trawl scan --top 10 -f words.txt -r docs/   the ten most frequent patterns\n"
        "  trawl scan --pattern-format hex -f sigs.hex --format jsonl disk.img\n"
        "  zcat big.gz | trawl scan --db rules.db -o matches.tsv\n"
        "  trawl scan -c --stats --device auto -f words.txt big.txt    on a GPU, if there is one\n",
    .flags = scan_flags,
    .notes = "Offsets count bytes from 0, and end is one past the last byte. Matches come ordered\n"
             "by end, then start, then id; ids count patterns from 0 in the order given, empty\n"
             "lines not counted. A pattern is shown escaped (\\n \\r \\t \\\\ \\xNN); JSON shows "
             "bytes\n"
             "that are not UTF-8 as {\"bytes\":\"BASE64\"}.\n"
             "\n"
             "Exit status: 0 something matched, 1 nothing did, 2 an error (also when only one of\n"
             "the texts could not be read).\n",
};

static bool format_find(const char *name, record_format *format) {
    static const char *const names[] = {"tsv", "jsonl", "count", "top"};
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

/* Takes one flag of this command's own; false after one line was printed. */
static bool take_own(scan_options *options, const arguments *args, int id) {
    switch (id) {
    case ARGUMENTS_OPERAND:
        string_list_add(&options->texts, args->value);
        return true;
    case FLAG_DATABASE:
        options->database = args->value;
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

/* What the flags must not be together. */
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
        (void)arguments_misuse(&scan_command, "--db brings its patterns, engine and kind of "
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
    options->scan.threads = TRAWL_THREADS_ALL;
    arguments args;
    arguments_begin(&args, &scan_command, argc, argv);
    const flag_groups groups = {&options->patterns, &options->compile, &options->scan,
                                &options->profile};
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
