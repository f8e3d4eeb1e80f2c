/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/grep/options.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/report.h"
#include "cli/flags/arguments.h"
#include "cli/flags/compile.h"
#include "cli/flags/cuda.h"
#include "cli/flags/patterns.h"
#include "cli/flags/scan.h"
#include "cli/grep/flags.h"

/* The arguments while they are read: a later flag may override an earlier one. */
typedef struct parsing {
    grep_options *options;
    arguments arguments;
    bool around_given, before_given, after_given;
    uint64_t around; /* -C; -A and -B override it, before and after it */
} parsing;

/* Reads a number as GNU grep does: a number that is too large means "all", and
 * blanks and a plus sign may stand before the digits. False if it is none. */
static bool read_number(const char *text, uint64_t *number) {
    uint64_t value = 0;
    text += strspn(text, " \t\n\v\f\r");
    text += *text == '+';
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        unsigned digit = (unsigned)(*text - '0');
        value = value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : value * 10 + digit;
    }
    *number = value;
    return true;
}

/* Reports that the value of the current flag is not what was `expected`. Returns false. */
static bool misuse(const arguments *args, const char *expected) {
    char name[FLAG_SHOWN_BYTES];
    arguments_misuse(&grep_command, "%s: expected %s, not '%s'", arguments_flag_shown(args, name),
                     expected, args->value);
    return false;
}

static void add_source(grep_options *options, const char *text, bool is_file) {
    if (options->source_count == options->source_capacity) {
        options->source_capacity = options->source_capacity * 2 + 8;
        options->sources =
            reallocate(options->sources, options->source_capacity * sizeof options->sources[0]);
    }
    options->sources[options->source_count++] =
        (grep_pattern_source){.text = text, .is_file = is_file};
}

static void add_glob(grep_options *options, file_glob_kind kind, const char *glob) {
    if (options->glob_count == options->glob_capacity) {
        options->glob_capacity = options->glob_capacity * 2 + 8;
        options->globs =
            reallocate(options->globs, options->glob_capacity * sizeof options->globs[0]);
    }
    options->globs[options->glob_count++] = (file_glob){kind, glob};
}

/* A copy of the first `length` bytes of `text`, which the options own. */
static const char *own(grep_options *options, const char *text, size_t length) {
    char *copy = allocate(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    string_list_add(&options->owned_globs, copy);
    return copy;
}

/* Removes slashes at the end: --exclude-dir=name/ means the directory `name`. */
static void exclude_directory(grep_options *options, const char *glob) {
    size_t length = strlen(glob);
    while (length > 1 && glob[length - 1] == '/') {
        length--;
    }
    add_glob(options, FILE_GLOB_EXCLUDE_DIRECTORY, own(options, glob, length));
}

/* Reads one glob from each line, without white space at its end. */
static bool exclude_from(grep_options *options, const char *path) {
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (file == NULL) {
        report("%s: %s", path, strerror(errno));
        return false;
    }
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    errno = 0;
    while ((length = getline(&line, &capacity, file)) >= 0) {
        while (length > 0 && strchr(" \t\n\v\f\r", line[length - 1]) != NULL) {
            length--;
        }
        if (length > 0) {
            add_glob(options, FILE_GLOB_EXCLUDE, own(options, line, (size_t)length));
        }
    }
    bool failed = ferror(file) != 0;
    if (failed) {
        report("%s: %s", path, strerror(errno));
    }
    free(line);
    if (file != stdin) {
        fclose(file);
    }
    return !failed;
}

static bool take_color(grep_options *options, const arguments *args) {
    static const char *const names[] = {"always", "never", "auto"};
    const char *terminal = getenv("TERM");
    int choice = args->value == NULL ? 2 : arguments_choose(args, names, 3);
    options->color_always = choice == 0;
    options->color = choice == 0 || (choice == 2 && isatty(STDOUT_FILENO) == 1 &&
                                     terminal != NULL && strcmp(terminal, "dumb") != 0);
    return choice >= 0;
}

static bool take_context(const arguments *args, uint64_t *lines, bool *given) {
    *given = true;
    return read_number(args->value, lines) || misuse(args, "a number from 0 on");
}

/* Takes a flag that says which files are searched, and how. False after reporting. */
static bool take_file_value(grep_options *options, const arguments *args, int id) {
    static const char *const binary_names[] = {"binary", "text", "without-match"};
    static const char *const action_names[] = {"read", "skip", "recurse"};
    const char *value = args->value;
    int choice;
    switch (id) {
    case GREP_FLAG_BINARY_FILES:
        choice = arguments_choose(args, binary_names, 3);
        options->binary = choice < 0 ? GREP_BINARY_MESSAGE : (grep_binary)choice;
        return choice >= 0;
    case GREP_FLAG_DIRECTORIES:
        choice = arguments_choose(args, action_names, 3);
        options->directories = choice < 0 ? GREP_DIRECTORIES_READ : (grep_directories)choice;
        return choice >= 0;
    case GREP_FLAG_DEVICES:
        choice = arguments_choose(args, action_names, 2);
        options->skip_devices = choice > 0;
        return choice >= 0;
    case GREP_FLAG_INCLUDE:
    case GREP_FLAG_EXCLUDE:
        add_glob(options, id == GREP_FLAG_INCLUDE ? FILE_GLOB_INCLUDE : FILE_GLOB_EXCLUDE, value);
        return true;
    case GREP_FLAG_EXCLUDE_FROM:
        return exclude_from(options, value);
    default: /* --exclude-dir */
        exclude_directory(options, value);
        return true;
    }
}

static bool take_max_count(grep_options *options, const arguments *args) {
    const char *value = args->value;
    if (value[0] == '-' && isdigit((unsigned char)value[1]) &&
        read_number(value + 1, &options->max_count)) {
        options->max_count = UINT64_MAX; /* as in GNU grep: a negative number is no limit */
        return true;
    }
    return read_number(value, &options->max_count) || misuse(args, "a number");
}

/* Takes a flag with a value. False after reporting. */
static bool take_value(parsing *parser, int id) {
    grep_options *options = parser->options;
    const char *value = parser->arguments.value;
    switch (id) {
    case GREP_FLAG_PATTERNS:
    case GREP_FLAG_FILE:
        add_source(options, value, id == GREP_FLAG_FILE);
        return true;
    case GREP_FLAG_DATABASE:
        options->database = value;
        return true;
    case GREP_FLAG_PATTERN_FORMAT:
        options->format_given = true;
        return pattern_format_take(&options->reading.format, &parser->arguments) == FLAG_TAKEN;
    case GREP_FLAG_MAX_COUNT:
        return take_max_count(options, &parser->arguments);
    case GREP_FLAG_LABEL:
        options->label = value;
        return true;
    case GREP_FLAG_BINARY_FILES:
    case GREP_FLAG_DIRECTORIES:
    case GREP_FLAG_DEVICES:
    case GREP_FLAG_INCLUDE:
    case GREP_FLAG_EXCLUDE:
    case GREP_FLAG_EXCLUDE_FROM:
    case GREP_FLAG_EXCLUDE_DIR:
        return take_file_value(options, &parser->arguments, id);
    case GREP_FLAG_BEFORE:
        return take_context(&parser->arguments, &options->before, &parser->before_given);
    case GREP_FLAG_AFTER:
        return take_context(&parser->arguments, &options->after, &parser->after_given);
    case GREP_FLAG_CONTEXT:
    case GREP_FLAG_CONTEXT_NUMBER:
        return take_context(&parser->arguments, &parser->around, &parser->around_given);
    case GREP_FLAG_GROUP_SEPARATOR:
        options->group_separator = value;
        return true;
    case GREP_FLAG_COLOR:
        return take_color(options, &parser->arguments);
    case FLAG_THREADS:
        options->threads_given = true;
        return scan_options_take(&options->scan, &options->study.scan, &parser->arguments, id) ==
               FLAG_TAKEN;
    case FLAG_DEVICE:
        return scan_options_take(&options->scan, &options->study.scan, &parser->arguments, id) ==
               FLAG_TAKEN;
    default:
        return compile_options_take(&options->compile, &options->study.compile, &parser->arguments,
                                    id) == FLAG_TAKEN;
    }
}

/* Flags that set a bool of the options. */
static const struct {
    int id;
    size_t offset;
    bool value;
} switches[] = {
    {GREP_FLAG_DATABASE_COPY, offsetof(grep_options, database_copy), true},
    {GREP_FLAG_CRLF, offsetof(grep_options, reading.strip_cr), true},
    {GREP_FLAG_SEARCH_ZIP, offsetof(grep_options, as_stored), false},
    {GREP_FLAG_NO_SEARCH_ZIP, offsetof(grep_options, as_stored), true},
    {GREP_FLAG_IGNORE_CASE, offsetof(grep_options, ignore_case), true},
    {GREP_FLAG_NO_IGNORE_CASE, offsetof(grep_options, ignore_case), false},
    {GREP_FLAG_WORDS, offsetof(grep_options, whole_words), true},
    {GREP_FLAG_LINES, offsetof(grep_options, whole_lines), true},
    {GREP_FLAG_NO_MESSAGES, offsetof(grep_options, no_messages), true},
    {GREP_FLAG_INVERT, offsetof(grep_options, invert), true},
    {GREP_FLAG_BYTE_OFFSET, offsetof(grep_options, byte_offset), true},
    {GREP_FLAG_LINE_NUMBER, offsetof(grep_options, line_number), true},
    {GREP_FLAG_LINE_BUFFERED, offsetof(grep_options, line_buffered), true},
    {GREP_FLAG_ONLY_MATCHING, offsetof(grep_options, only_matching), true},
    {GREP_FLAG_QUIET, offsetof(grep_options, quiet), true},
    {GREP_FLAG_COUNT, offsetof(grep_options, count), true},
    {GREP_FLAG_INITIAL_TAB, offsetof(grep_options, initial_tab), true},
    {GREP_FLAG_NULL_NAME, offsetof(grep_options, null_after_name), true},
};

/* Takes a flag without a value. False if `id` is not one of these. */
static bool take_switch(grep_options *options, int id) {
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        if (switches[i].id == id) {
            *(bool *)((char *)options + switches[i].offset) = switches[i].value;
            return true;
        }
    }
    switch (id) {
    case GREP_FLAG_FIXED_STRINGS:
    case GREP_FLAG_IGNORED:
        return true;
    case GREP_FLAG_NULL_DATA:
        options->line_end = '\0';
        return true;
    case GREP_FLAG_WITH_NAME:
    case GREP_FLAG_WITHOUT_NAME:
        options->file_names = id == GREP_FLAG_WITH_NAME ? GREP_NAMES_ALWAYS : GREP_NAMES_NEVER;
        return true;
    case GREP_FLAG_TEXT:
    case GREP_FLAG_SKIP_BINARY:
        options->binary = id == GREP_FLAG_TEXT ? GREP_BINARY_TEXT : GREP_BINARY_SKIP;
        return true;
    case GREP_FLAG_RECURSIVE:
    case GREP_FLAG_RECURSIVE_LINKS:
        options->directories = GREP_DIRECTORIES_RECURSE;
        options->follow_links = id == GREP_FLAG_RECURSIVE_LINKS;
        return true;
    case GREP_FLAG_LIST_MATCHING:
    case GREP_FLAG_LIST_NOT_MATCHING:
        options->listing =
            id == GREP_FLAG_LIST_MATCHING ? GREP_LIST_MATCHING : GREP_LIST_NOT_MATCHING;
        return true;
    case GREP_FLAG_NO_GROUP_SEPARATOR:
        options->group_separator = NULL;
        return true;
    default:
        return false;
    }
}

/* Whether no flag is about patterns that --db replaces. False after reporting. */
static bool check_database(const grep_options *options) {
    if (options->source_count > 0) {
        arguments_misuse(&grep_command, "give --db or -e and -f, not both");
        return false;
    }
    if (options->ignore_case) {
        arguments_misuse(&grep_command,
                         "-i has no effect on a database: give it to 'trawl compile'");
        return false;
    }
    const char *other = options->format_given              ? "--pattern-format"
                        : options->reading.strip_cr        ? "--crlf"
                        : options->compile.engine != NULL  ? "--engine"
                        : options->compile.variant != NULL ? "--variant"
                                                           : NULL;
    return other == NULL ||
           arguments_conflict(&grep_command, "--db", other,
                              "a database has its own patterns, engine and kind of matches");
}

/* Adds the texts of one list to the files. False after reporting. */
static bool take_list(grep_options *options, const char *path, char separator) {
    text_list *list = &options->lists[options->list_count];
    if (!text_list_read(list, path, separator)) {
        return false;
    }
    options->list_count++;
    for (size_t i = 0; i < list->count; i++) {
        string_list_add(&options->files, list->names[i]);
    }
    return true;
}

static bool take_lists(grep_options *options) {
    const division_options *division = &options->division;
    size_t count = division->lists.count + division->lists0.count;
    bool read = true;
    options->lists = allocate(count * sizeof *options->lists + 1);
    for (size_t i = 0; read && i < division->lists.count; i++) {
        read = take_list(options, division->lists.items[i], '\n');
    }
    for (size_t i = 0; read && i < division->lists0.count; i++) {
        read = take_list(options, division->lists0.items[i], '\0');
    }
    return read;
}

/* Whether the flags for large texts fit to the others. False after reporting. */
static bool check_division(const grep_options *options) {
    const division_options *division = &options->division;
    if (!division_options_check(division, &grep_command, NULL)) {
        return false;
    }
    if (division->shard != 0 && division->journal == NULL) {
        arguments_misuse(&grep_command,
                         "--shard needs --journal DIR: line numbers and counts depend on the other "
                         "shards, so 'trawl cat' makes them");
        return false;
    }
    return division->journal == NULL || !options->quiet ||
           arguments_conflict(&grep_command, "--journal", "-q", "-q has no results to write");
}

/* Whether standard input is not both patterns and names of texts, nor, beside lists, a text too.
 * (Without lists a text "-" is empty then, as in GNU grep.) False after reporting. */
static bool check_stdin(const grep_options *options) {
    bool patterns = false, text = false;
    for (size_t i = 0; i < options->source_count; i++) {
        patterns =
            patterns || (options->sources[i].is_file && strcmp(options->sources[i].text, "-") == 0);
    }
    for (size_t i = 0; options->list_count != 0 && i < options->files.count; i++) {
        text = text || strcmp(options->files.items[i], "-") == 0;
    }
    return division_options_share_stdin(&options->division, &grep_command, patterns, text);
}

/* The operands. The first one is PATTERNS, unless -e, -f or --db is given. */
static bool take_operands(grep_options *options) {
    if (options->database != NULL) {
        return check_database(options);
    }
    if (options->source_count == 0) {
        if (options->files.count == 0) {
            arguments_misuse(&grep_command,
                             "expected patterns: -e PATTERNS, -f FILE, or the first operand");
            return false;
        }
        add_source(options, options->files.items[0], false);
        options->sources[0].is_operand = true;
        options->files.count--;
        memmove(options->files.items, options->files.items + 1,
                options->files.count * sizeof options->files.items[0]);
    }
    return true;
}

/* Settles flags that exclude each other: -q overrides -l and -L, these override -c. */
static void settle(parsing *parser) {
    grep_options *options = parser->options;
    options->context = parser->around_given || parser->before_given || parser->after_given;
    if (parser->around_given && !parser->before_given) {
        options->before = parser->around;
    }
    if (parser->around_given && !parser->after_given) {
        options->after = parser->around;
    }
    if (options->quiet) {
        options->listing = GREP_LIST_NONE;
    }
    if (options->quiet || options->listing != GREP_LIST_NONE) {
        options->count = false;
    }
    options->reading.case_insensitive = options->ignore_case;
    if (options->division.journal != NULL) {
        options->color = options->color_always; /* the parts are no terminal */
    }
    if (!options->threads_given) {
        options->scan.threads = TRAWL_THREADS_ALL;
    }
}

bool grep_options_parse(grep_options *options, int argc, char **argv, int *status) {
    *options = (grep_options){.line_end = '\n',
                              .max_count = UINT64_MAX,
                              .group_separator = "--",
                              .compile = TRAWL_COMPILE_OPTIONS,
                              .scan = TRAWL_SCAN_OPTIONS};
    study_options_begin(&options->study, &options->compile);
    parsing parser = {.options = options};
    char flag_name[FLAG_SHOWN_BYTES];
    arguments_begin(&parser.arguments, &grep_command, argc, argv);
    *status = EXIT_ERROR;
    for (;;) {
        int id = arguments_next(&parser.arguments);
        int taken = FLAG_NOT_MINE;
        switch (id) {
        case ARGUMENTS_END:
            settle(&parser);
            return take_operands(options) && check_division(options) && check_stdin(options) &&
                   take_lists(options) && check_stdin(options) &&
                   cuda_options_check(&grep_command, &options->scan, NULL);
        case ARGUMENTS_HELP:
            *status = EXIT_MATCHED;
            return false;
        case ARGUMENTS_ERROR:
            return false;
        case ARGUMENTS_OPERAND:
            string_list_add(&options->files, parser.arguments.value);
            break;
        case GREP_FLAG_VERSION:
            printf("trawl %s\n", trawl_version());
            *status = finish_output(EXIT_MATCHED);
            return false;
        case GREP_FLAG_OTHER_SYNTAX:
            arguments_misuse(&grep_command,
                             "%s: patterns are strings here, not regular expressions",
                             arguments_flag_shown(&parser.arguments, flag_name));
            return false;
        default:
            taken = division_options_take(&options->division, &parser.arguments, id);
            if (taken == FLAG_REFUSED ||
                (taken == FLAG_NOT_MINE && !take_switch(options, id) && !take_value(&parser, id))) {
                return false;
            }
        }
    }
}

void grep_options_release(grep_options *options) {
    free(options->sources);
    free(options->globs);
    for (size_t i = 0; i < options->owned_globs.count; i++) {
        free((void *)(uintptr_t)options->owned_globs.items[i]);
    }
    free(options->owned_globs.items);
    free(options->files.items);
    for (size_t i = 0; i < options->list_count; i++) {
        text_list_release(&options->lists[i]);
    }
    free(options->lists);
    division_options_release(&options->division);
}
