/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/replace/options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/flags/compile.h"
#include "cli/flags/groups.h"
#include "cli/flags/overwrite.h"
#include "cli/flags/scan.h"

enum {
    FLAG_DATABASE = 1,
    FLAG_WITH,
    FLAG_MASK,
    FLAG_IN_PLACE,
    FLAG_OUTPUT,
    FLAG_DRY_RUN,
    FLAG_COUNT
};

static const flag format_flags[] = {
    {FLAG_PATTERN_FORMAT, 0, "pattern-format", "FORMAT",
     "How patterns are written, one on each line: map (the default, unless --with or --mask is "
     "given) has two columns, pattern and replacement, both with \\n \\r \\t \\\\ \\0 \\xNN for "
     "bytes; tsv has three to six: name, flags (i: any case, -: none), pattern, conditions, group, "
     "replacement; lines (the default with --with or --mask) are raw bytes; escaped is as map with "
     "a pattern alone; hex has hexadecimal digits.",
     NULL},
    {0},
};

static const flag replacement_flags[] = {
    {FLAG_DATABASE, 0, "db", "DB",
     "Use a database made by 'trawl compile --matches leftmost-longest' (or leftmost-first). The "
     "values of its patterns are what they are replaced with, unless --with or --mask is given.",
     NULL},
    {FLAG_WITH, 0, "with", "TEXT",
     "Replace every match with TEXT, which may be empty. Patterns are then lines by default.",
     "Replacements"},
    {FLAG_MASK, 0, "mask", "CHAR",
     "Replace every byte of a match with CHAR, so that all offsets stay as they are.", NULL},
    {0},
};

static const flag output_flags[] = {
    {FLAG_IN_PLACE, 0, "in-place", NULL,
     "Write each result to its file, which changes at once or, after an error, not at all. A file "
     "without matches is not touched. Compressed files are refused.",
     "Output"},
    {FLAG_OUTPUT, 'o', "output", "FILE",
     "Write the results to FILE. FILE appears or changes only after everything has been written.",
     NULL},
    {FLAG_COUNT, 'c', "count", NULL,
     "Print how many matches each text has that are replaced; the texts themselves only with "
     "--in-place.",
     NULL},
    {FLAG_DRY_RUN, 0, "dry-run", NULL,
     "Change nothing; print what would be replaced: count, id, name or pattern, replacement.",
     NULL},
    {0},
};

static const flag kind_flags[] = {
    {FLAG_MATCHES, 0, "matches", "KIND",
     "Which matches are replaced: leftmost-longest (the default) or leftmost-first. all is "
     "refused, as matches may overlap then.",
     "Compiling"},
    {0},
};

static const flag *const replace_flags[] = {
    pattern_flags,
    format_flags,
    pattern_crlf_flags,
    pattern_match_flags,
    replacement_flags,
    file_flags,
    output_flags,
    engine_flags,
    variant_flags,
    kind_flags,
    compile_detail_flags,
    thread_flags,
    NULL,
};

static const foreign_flag sed_flags[] = {
    {'n', "quiet", "--count or --dry-run print no text"},
    {'E', "regexp-extended", "patterns are strings, never regular expressions"},
    {'s', "separate", "--in-place treats each file by itself"},
    {0},
};

const command replace_command = {
    .name = "replace",
    .summary = "replace every match in texts",
    .usage = "  trawl replace [FLAGS] -f MAP [TEXT...]\n"
             "  trawl replace [FLAGS] -f FILE|-e PATTERN --with TEXT|--mask CHAR [TEXT...]\n"
             "Each line of MAP has a pattern, a tab, and what it is replaced with, both escaped\n"
             "(\\n \\r \\t \\\\ \\0 \\xNN). Without TEXT, or if TEXT is -, standard input is\n"
             "read. Compressed texts are decompressed.",
    .examples = "  trawl replace -w -f map.tsv story.txt > new.txt    whole words\n"
                "  trawl replace -f map.tsv --dry-run -r docs/        what would be replaced\n"
                "  trawl replace -f map.tsv --in-place -r docs/\n"
                "  trawl replace -i -f names.txt --mask '*' log.gz    names become asterisks\n"
                "  trawl replace -e colour --with color --in-place *.txt\n",
    .flags = replace_flags,
    .notes =
        "Matches do not overlap: of those that start first, the longest is replaced\n"
        "(--matches leftmost-first: the first of the list). What a match is replaced with is not\n"
        "searched. A pattern without a replacement, as patterns of a database may be, stays.\n"
        "\n"
        "Exit status: 0 if something was replaced, or would be, 1 if nothing, 2 after an error.\n",
    .foreign = sed_flags,
};

static bool take_mask(replace_options *options, const arguments *args) {
    if (strlen(args->value) != 1) {
        (void)arguments_misuse(&replace_command,
                               "--mask: expected one character of one byte, not "
                               "'%s'",
                               args->value);
        return false;
    }
    options->replace.kind = TRAWL_REPLACE_MASK;
    options->replace.mask = (uint8_t)args->value[0];
    return true;
}

/* Takes a flag of this command. False after reporting. */
static bool take_own(replace_options *options, const arguments *args, int id) {
    switch (id) {
    case FLAG_DATABASE:
        options->database = args->value;
        return true;
    case FLAG_WITH:
        options->replace.one = (trawl_span){args->value, strlen(args->value)};
        if (options->replace.kind == TRAWL_REPLACE_MASK)
            return arguments_conflict(&replace_command, "--with", "--mask", "");
        options->replace.kind = TRAWL_REPLACE_ONE;
        return true;
    case FLAG_MASK:
        if (options->replace.kind == TRAWL_REPLACE_ONE)
            return arguments_conflict(&replace_command, "--with", "--mask", "");
        return take_mask(options, args);
    case FLAG_IN_PLACE:
        options->in_place = true;
        return true;
    case FLAG_OUTPUT:
        options->output = args->value;
        return true;
    case FLAG_DRY_RUN:
        options->dry_run = true;
        return true;
    case FLAG_COUNT:
        options->count = true;
        return true;
    default:
        return false;
    }
}

/* Whether the flags for output fit together. False after reporting. */
static bool output_fits(const replace_options *options) {
    const struct {
        bool given;
        const char *flag;
    } flags[] = {{options->in_place, "--in-place"},
                 {options->output != NULL, "-o"},
                 {options->dry_run, "--dry-run"}};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = i + 1; j < 3; j++)
            if (flags[i].given && flags[j].given)
                return arguments_conflict(&replace_command, flags[i].flag, flags[j].flag, "");
    if (options->count && (options->dry_run || options->output != NULL))
        return arguments_conflict(&replace_command, "-c", options->dry_run ? "--dry-run" : "-o",
                                  "");
    return true;
}

/* Whether the flags for patterns fit together. False after reporting. */
static bool patterns_fit(replace_options *options, const arguments *args) {
    char written[64];
    bool values = options->replace.kind == TRAWL_REPLACE_VALUES;
    pattern_options *patterns = &options->patterns;
    if (options->database != NULL && args->compiling != NULL)
        return arguments_conflict(&replace_command, "--db", flag_written(args->compiling, written),
                                  "a database has its own patterns, engine and kind of matches");
    if (options->database == NULL && patterns->count == 0) {
        (void)arguments_misuse(&replace_command, "expected patterns: -f MAP, or -f FILE or -e "
                                                 "PATTERN and --with TEXT, or --db DATABASE");
        return false;
    }
    for (size_t i = 0; values && i < patterns->count; i++) {
        if (!patterns->inputs[i].is_file) {
            (void)arguments_misuse(&replace_command,
                                   "-e %s: expected --with TEXT or --mask CHAR too",
                                   patterns->inputs[i].text);
            return false;
        }
    }
    if (values && !patterns->format_given)
        patterns->reading.format = PATTERN_FORMAT_MAP;
    return true;
}

/* Whether the flags for texts fit the others. False after reporting. */
static bool texts_fit(const replace_options *options) {
    bool reads_stdin = file_options_use_stdin(&options->files);
    if (reads_stdin && options->in_place) {
        (void)arguments_misuse(&replace_command,
                               "--in-place: expected files; standard input is none");
        return false;
    }
    if (reads_stdin && pattern_options_use_stdin(&options->patterns)) {
        (void)arguments_misuse(&replace_command,
                               "standard input cannot be both the patterns and the text");
        return false;
    }
    return true;
}

bool replace_options_parse(replace_options *options, int argc, char **argv, int *status) {
    *options = (replace_options){.compile = TRAWL_COMPILE_OPTIONS,
                                 .replace = TRAWL_REPLACE_OPTIONS,
                                 .scan = TRAWL_SCAN_OPTIONS};
    options->compile.matches = TRAWL_MATCH_LEFTMOST_LONGEST;
    study_options_begin(&options->study, &options->compile);
    options->scan.threads = TRAWL_THREADS_ALL;
    arguments args;
    arguments_begin(&args, &replace_command, argc, argv);
    const flag_groups groups = {.patterns = &options->patterns,
                                .compile = &options->compile,
                                .scan = &options->scan,
                                .study = &options->study,
                                .files = &options->files};
    int id = ARGUMENTS_END;
    while ((id = flag_groups_next(&groups, &args, status)) != ARGUMENTS_END) {
        if (id == ARGUMENTS_ERROR || !take_own(options, &args, id))
            return false;
    }
    if (options->compile.matches == TRAWL_MATCH_ALL) {
        (void)arguments_misuse(&replace_command, "--matches all: matches may overlap; expected "
                                                 "leftmost-longest or leftmost-first");
        return false;
    }
    /* A text may be its own output, as with --in-place. */
    const command_inputs inputs = {.patterns = &options->patterns, .database = options->database};
    const command_inputs with_texts = {
        .files = &options->files, .patterns = &options->patterns, .database = options->database};
    except_output(&options->files, options->output, "not replaced, since it is the output too");
    except_inputs(&options->files, &inputs);
    return output_fits(options) && patterns_fit(options, &args) && texts_fit(options) &&
           compile_options_fit(&options->compile, &options->study.compile, &replace_command) &&
           !output_overwrites(options->output, &inputs) &&
           !(options->in_place && texts_overwrite(&with_texts));
}

void replace_options_release(replace_options *options) {
    pattern_options_release(&options->patterns);
    file_options_release(&options->files);
}
