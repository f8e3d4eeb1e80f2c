/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/flags/patterns.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/base/names.h"
#include "cli/base/report.h"

const flag pattern_flags[] = {
    {FLAG_PATTERN_FILE, 'f', "file", "FILE",
     "Read patterns from FILE (- is standard input). gzip, zstd and xz files are decompressed. May "
     "be given several times.",
     "Patterns"},
    {FLAG_PATTERN, 'e', "pattern", "PATTERN", "Search for PATTERN. May be given several times.",
     NULL},
    {0},
};

const flag pattern_format_flags[] = {
    {FLAG_PATTERN_FORMAT, 0, "pattern-format", "FORMAT",
     "How patterns are written, one on each line: lines (the default) are raw bytes; escaped has "
     "\\n \\r \\t \\\\ \\0 \\xNN for bytes; hex has hexadecimal digits, with blanks between bytes "
     "or without; tsv has three columns: name, flags (i: any case, -: none), escaped pattern; and "
     "perhaps more: conditions, such as word or left=label,end=64 (or -), the number of a group "
     "(or -), and an escaped value; map has two: pattern and value, both escaped.",
     NULL},
    {0},
};

const flag pattern_crlf_flags[] = {
    {FLAG_CRLF, 0, "crlf", NULL, "Lines of pattern files end in CR LF: remove the CR too.", NULL},
    {0},
};

const flag pattern_match_flags[] = {
    {FLAG_IGNORE_CASE, 'i', "ignore-case", NULL,
     "ASCII letters of all patterns match upper and lower case.", NULL},
    {FLAG_WORD, 'w', "word", NULL,
     "A match counts only if no letter, digit or underscore stands before or behind it.", NULL},
    {0},
};

static void add_input(pattern_options *options, const char *text, bool is_file) {
    if (options->count == options->capacity) {
        options->capacity = options->capacity == 0 ? 8 : options->capacity * 2;
        options->inputs = reallocate(options->inputs, options->capacity * sizeof *options->inputs);
    }
    options->inputs[options->count++] = (pattern_input){text, is_file};
}

int pattern_format_take(pattern_format *format, const arguments *args) {
    static const char *const names[] = {"lines", "escaped", "hex", "tsv", "map"};
    int choice = arguments_choose(args, names, sizeof names / sizeof names[0]);
    return choice >= 0 && pattern_format_find(names[choice], format) ? FLAG_TAKEN : FLAG_REFUSED;
}

int pattern_options_take(pattern_options *options, const arguments *args, int id) {
    switch (id) {
    case FLAG_PATTERN_FILE:
    case FLAG_PATTERN:
        add_input(options, args->value, id == FLAG_PATTERN_FILE);
        return FLAG_TAKEN;
    case FLAG_PATTERN_FORMAT:
        options->format_given = true;
        return pattern_format_take(&options->reading.format, args);
    case FLAG_CRLF:
        options->reading.strip_cr = true;
        return FLAG_TAKEN;
    case FLAG_IGNORE_CASE:
        options->reading.case_insensitive = true;
        return FLAG_TAKEN;
    case FLAG_WORD:
        options->reading.whole_words = true;
        return FLAG_TAKEN;
    default:
        return FLAG_NOT_MINE;
    }
}

/* Whether the file's name ends with `end`, such as ".tsv". */
static bool is_named(const char *path, const char *end) {
    size_t length = strlen(path), ending = strlen(end);
    return length > ending && strcmp(path + length - ending, end) == 0;
}

/* What the last column of a line holds. */
static const char *last_column(pattern_format format) {
    return format == PATTERN_FORMAT_TSV   ? "line's last column"
           : format == PATTERN_FORMAT_MAP ? "replacement"
                                          : "pattern";
}

void pattern_note(const char *path, const pattern_reading *reading, bool format_given,
                  const pattern_counts *counts) {
    const char *name = name_in_message(path);
    bool as_lines = reading->format == PATTERN_FORMAT_LINES;
    uint64_t patterns = counts->lines - counts->empty_lines;
    if (patterns == 0 || (as_lines && format_given))
        return;
    if (as_lines && is_named(path, ".tsv") && counts->tab_lines != 0)
        report("note: pattern file %s: each line is one pattern, tabs included; "
               "--pattern-format %s",
               name,
               counts->two_columns == counts->tab_lines ? "map reads pattern and value"
                                                        : "tsv reads name, flags and pattern");
    if (as_lines && is_named(path, ".hex"))
        report("note: pattern file %s: each line is one pattern as it is written; "
               "--pattern-format hex reads hexadecimal digits",
               name);
    if (as_lines && counts->greater_lines != 0 && counts->greater_lines >= patterns / 100 &&
        counts->greater_lines <= patterns / 2)
        report("note: pattern file %s: this looks like FASTA, but each line is one pattern, lines "
               "with > included",
               name);
    if (counts->marks != 0)
        report(
            "note: pattern file %s: begins with a byte order mark, which is part of the first %s",
            name, reading->format == PATTERN_FORMAT_TSV ? "name" : "pattern");
    if (counts->wide != 0)
        report("note: pattern file %s: this looks like UTF-16, of which every other byte is zero; "
               "patterns are bytes, and texts in UTF-8 have other ones",
               name);
    if (patterns == 1 && counts->inner_crs == 1)
        report("note: pattern file %s: lines end in CR alone, so that all of them are one pattern; "
               "lines are expected to end in LF",
               name);
    else if (counts->cr_lines == patterns)
        report("note: pattern file %s: every line ends in CR LF, and the CR is part of each %s; "
               "--crlf removes it",
               name, last_column(reading->format));
}

static trawl_status add_file(const pattern_options *options, const char *path,
                             trawl_patterns *patterns, pattern_counts *tally, trawl_error *error) {
    pattern_counts counts = {0};
    trawl_status status = pattern_file_add(path, &options->reading, patterns, &counts, error);
    if (status == TRAWL_OK)
        pattern_note(path, &options->reading, options->format_given, &counts);
    if (tally != NULL) {
        tally->lines += counts.lines;
        tally->empty_lines += counts.empty_lines;
        tally->cr_lines += counts.cr_lines;
        tally->inner_crs += counts.inner_crs;
        tally->tab_lines += counts.tab_lines;
        tally->two_columns += counts.two_columns;
        tally->greater_lines += counts.greater_lines;
        tally->grouped += counts.grouped;
        tally->marks += counts.marks;
        tally->wide += counts.wide;
    }
    return status;
}

bool pattern_options_load(const pattern_options *options, trawl_patterns **patterns,
                          pattern_counts *tally) {
    trawl_error error;
    trawl_status status = trawl_patterns_new(patterns, &error);
    if (status != TRAWL_OK) {
        (void)report_error(&error);
        return false;
    }
    for (size_t i = 0; i < options->count && status == TRAWL_OK; i++) {
        const pattern_input *input = &options->inputs[i];
        if (input->is_file)
            status = add_file(options, input->text, *patterns, tally, &error);
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
