/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The arguments of `trawl grep`, after the rules about which flag overrides which.
 */
#ifndef CLI_GREP_OPTIONS_H
#define CLI_GREP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/base/memory.h"
#include "cli/flags/study.h"
#include "cli/parts/division.h"
#include "cli/parts/list.h"
#include "io/directory.h"
#include "io/pattern_file.h"
#include "trawl/trawl.h"

/* One -e, -f or the PATTERNS operand; `text` is borrowed from argv. */
typedef struct grep_pattern_source {
    const char *text;
    bool is_file;
    bool is_operand;
} grep_pattern_source;

typedef enum grep_listing {
    GREP_LIST_NONE = 0,
    GREP_LIST_MATCHING,    /* -l */
    GREP_LIST_NOT_MATCHING /* -L */
} grep_listing;

typedef enum grep_binary {
    GREP_BINARY_MESSAGE = 0, /* report that the file matches, print no lines */
    GREP_BINARY_TEXT,        /* -a */
    GREP_BINARY_SKIP         /* -I */
} grep_binary;

typedef enum grep_directories {
    GREP_DIRECTORIES_READ = 0, /* reading fails, which is reported */
    GREP_DIRECTORIES_SKIP,
    GREP_DIRECTORIES_RECURSE
} grep_directories;

/* Whether lines begin with the name of their file. */
typedef enum grep_file_names {
    GREP_NAMES_AUTO = 0, /* when more than one file may be searched */
    GREP_NAMES_NEVER,    /* -h */
    GREP_NAMES_ALWAYS    /* -H */
} grep_file_names;

typedef struct grep_options {
    /* patterns */
    grep_pattern_source *sources;
    size_t source_count;
    size_t source_capacity;
    const char *database; /* --db, instead of `sources`; NULL: none */
    bool database_copy;   /* --db-copy */
    pattern_reading reading;
    bool format_given; /* --pattern-format */
    bool ignore_case;
    bool whole_words;
    bool whole_lines;
    uint8_t line_end; /* LF, or NUL with -z */

    /* selection */
    bool invert;
    uint64_t max_count; /* selected lines of one file; UINT64_MAX: no limit */
    grep_binary binary;

    /* output */
    bool quiet; /* -q */
    bool count; /* -c */
    grep_listing listing;
    bool only_matching;
    bool byte_offset;
    bool line_number;
    bool initial_tab;
    bool null_after_name;
    bool line_buffered;
    bool no_messages;
    grep_file_names file_names;
    const char *label; /* name of standard input; NULL: "(standard input)" */
    bool context;      /* -A, -B or -C was given, even with 0 */
    uint64_t before;   /* lines of context */
    uint64_t after;
    const char *group_separator; /* NULL: none */
    bool color;
    bool color_always; /* --color=always */

    /* files */
    bool as_stored; /* --no-search-zip */
    grep_directories directories;
    bool skip_devices;
    bool follow_links;
    file_glob *globs;
    size_t glob_count;
    size_t glob_capacity;
    string_list owned_globs; /* strings of --exclude-from and --exclude-dir, to be freed */
    string_list files;       /* operands after the patterns, and those of lists */
    text_list *lists;        /* owned: --files-from and --files0-from */
    size_t list_count;
    division_options division;

    trawl_compile_options compile;
    trawl_scan_options scan;
    study_options study; /* of compile and scan */
    bool threads_given;
} grep_options;

/* Whether files with NUL bytes are binary. */
static inline bool grep_options_find_binary(const grep_options *options) {
    return options->binary != GREP_BINARY_TEXT && options->line_end != '\0';
}

/* Reads the arguments. False after --help, --version or an error, which has been reported: *status
 * is then the exit status. The caller releases the options in any case. */
bool grep_options_parse(grep_options *options, int argc, char **argv, int *status);

void grep_options_release(grep_options *options);

#endif
