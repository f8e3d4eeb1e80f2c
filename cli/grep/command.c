/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * trawl grep: chooses the files to search, reports about each, and sets the exit status.
 *
 * options.c  the arguments            set.c     compiled patterns; which matches are accepted
 * source.c   bytes, decompressed      search.c  selected lines and their context
 * blocks.c   these as whole lines     print.c   output of one line
 * journaled.c  texts in segments, into a folder with a journal
 */
#include "cli/grep/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/flags/scan.h"
#include "cli/grep/blocks.h"
#include "cli/grep/journaled.h"
#include "cli/grep/options.h"
#include "cli/grep/print.h"
#include "cli/grep/search.h"
#include "cli/grep/set.h"
#include "io/directory.h"
#include "io/output_file.h"
#include "trawl/trawl.h"

typedef struct run_state {
    grep_options options;
    file_rules rules;
    grep_set set;
    grep_printer printer;
    grep_blocks blocks;
    grep_search search;
    struct stat output;    /* standard output */
    file_exception folder; /* of --journal */
    parts_run *texts;      /* files are added to these instead of being searched; or NULL */
    bool matched;          /* a line was selected */
    bool trouble;          /* something failed: the exit status is 2 */
    bool finished;         /* the other files need not be searched */
} run_state;

/* Reports after flushing the output, so that the message comes after the lines printed so far. */
static void complain(run_state *run, const char *name, const char *problem) {
    run->trouble = true;
    if (!run->options.no_messages || run->texts != NULL) {
        output_file_drain(run->printer.output);
        report("%s: %s", name, problem);
    }
}

static bool is_output(const run_state *run, const struct stat *information) {
    return S_ISREG(information->st_mode) && information->st_dev == run->output.st_dev &&
           information->st_ino == run->output.st_ino;
}

/* Moves standard input to where GNU grep leaves it for the next reader: after the last selected
 * line if --max-count ended the search, else at its end. */
static void leave_input(const grep_result *result, off_t start) {
    if (start < 0) {
        return; /* a pipe */
    }
    if (result->max_count_reached && !result->decompressed) {
        (void)lseek(STDIN_FILENO, start + (off_t)result->selected_end, SEEK_SET);
    } else {
        (void)lseek(STDIN_FILENO, 0, SEEK_END);
    }
}

static void take_result(run_state *run, const char *name, const grep_result *result) {
    const grep_options *options = &run->options;
    if (run->blocks.source.problem[0] != '\0') {
        complain(run, name, run->blocks.source.problem);
    }
    if (result->binary_hidden) {
        output_file_drain(run->printer.output);
        report("%s: binary file matches", name);
    }
    if (run->search.quiet && options->count) {
        grep_print_count(&run->printer, result->selected);
    }
    bool selected = result->selected > 0;
    if (options->listing != GREP_LIST_NONE &&
        selected == (options->listing == GREP_LIST_MATCHING)) {
        grep_print_file_name(&run->printer);
    }
    run->matched = run->matched || selected;
    run->trouble = run->trouble || result->failed;
    run->finished = result->failed || (selected && options->quiet);
}

/* Adds a text to those that segments are made of. */
static void add_text(run_state *run, const char *name, const struct stat *information) {
    if (S_ISDIR(information->st_mode)) {
        complain(run, name, strerror(EISDIR));
    } else if (!S_ISREG(information->st_mode)) {
        complain(run, name, "is not a regular file; journals need texts whose size is known");
    } else {
        char *copy = string_copy(name);
        parts_text text = {.name = copy,
                           .bytes = (uint64_t)information->st_size,
                           .seconds = (uint64_t)information->st_mtim.tv_sec,
                           .nanoseconds = (uint64_t)information->st_mtim.tv_nsec};
        parts_run_add(run->texts, &text);
        free(copy);
    }
}

static void search_descriptor(run_state *run, int descriptor, const char *name,
                              const struct stat *information) {
    if (run->texts != NULL) {
        add_text(run, name, information);
        return;
    }
    if (!run->search.quiet && run->options.listing == GREP_LIST_NONE &&
        run->options.max_count > 1 && is_output(run, information)) {
        complain(run, name, "input file is also the output");
        return;
    }
    bool size_known = S_ISREG(information->st_mode);
    grep_printer_set_file(&run->printer, name,
                          size_known ? (uint64_t)information->st_size : INT64_MAX);
    if (S_ISDIR(information->st_mode)) { /* as an empty file, but an error even with -m 0 */
        complain(run, name, strerror(EISDIR));
        run->blocks.source.problem[0] = '\0';
        take_result(run, name, &(grep_result){0});
        return;
    }
    off_t start = descriptor == STDIN_FILENO ? lseek(descriptor, 0, SEEK_CUR) : -1;
    grep_result result = grep_search_file(&run->search, descriptor, information, &grep_all);
    take_result(run, name, &result);
    leave_input(&result, start);
}

static int on_file(const char *path, void *context);

/* A directory_on_problem. As GNU grep, -s does not silence warnings. */
static void on_problem(const char *message, bool warning, void *context) {
    run_state *run = context;
    run->trouble = run->trouble || !warning;
    if (warning || !run->options.no_messages || run->texts != NULL) {
        output_file_drain(run->printer.output);
        report("%s", message);
    }
}

static void search_directory(run_state *run, const char *root) {
    if (run->options.file_names == GREP_NAMES_AUTO) {
        run->printer.with_file_name = true;
    }
    trawl_error error;
    trawl_status status = directory_walk(root, &run->rules, on_file, on_problem, run, &error);
    if (status != TRAWL_OK && status != TRAWL_STOPPED) {
        run->trouble = true;
        report_error(&error);
    }
}

/* `named`: the user named the file; it was not found in a directory. */
static void search_path(run_state *run, const char *path, bool named) {
    const grep_options *options = &run->options;
    int flags = O_RDONLY | O_NOCTTY | O_CLOEXEC | (options->skip_devices ? O_NONBLOCK : 0);
    int descriptor = open(path, flags);
    struct stat information;
    if (descriptor < 0 || fstat(descriptor, &information) != 0) {
        complain(run, path, strerror(errno));
        if (descriptor >= 0) {
            close(descriptor);
        }
        return;
    }
    bool directory = S_ISDIR(information.st_mode);
    bool device = !directory && !S_ISREG(information.st_mode);
    if (!(device && options->skip_devices) &&
        !(named && !file_rules_accept(&run->rules, path, directory, true))) {
        if (directory && options->directories == GREP_DIRECTORIES_RECURSE) {
            search_directory(run, path);
        } else if (!directory || options->directories == GREP_DIRECTORIES_READ) {
            search_descriptor(run, descriptor, path, &information); /* a directory: reports that */
        }
    }
    close(descriptor);
}

static int on_file(const char *path, void *context) {
    run_state *run = context;
    search_path(run, path, false);
    return run->finished;
}

static void search_standard_input(run_state *run) {
    const char *name = run->options.label != NULL ? run->options.label : "(standard input)";
    struct stat information;
    if (run->texts != NULL) {
        complain(run, name, "is not a named file, which journals need");
    } else if (fstat(STDIN_FILENO, &information) != 0) {
        complain(run, name, strerror(errno));
    } else {
        search_descriptor(run, STDIN_FILENO, name, &information);
    }
}

static void search_all(run_state *run) {
    const string_list *files = &run->options.files;
    if (run->options.list_count != 0 && run->options.file_names == GREP_NAMES_AUTO) {
        run->printer.with_file_name = true;
    }
    if (files->count == 0 && run->options.list_count != 0) {
        return;
    }
    if (files->count == 0 && run->options.directories == GREP_DIRECTORIES_RECURSE) {
        search_directory(run, NULL);
    } else if (files->count == 0) {
        search_standard_input(run);
    }
    for (size_t i = 0; i < files->count && !run->finished; i++) {
        if (strcmp(files->items[i], "-") == 0) {
            search_standard_input(run);
        } else {
            search_path(run, files->items[i], true);
        }
    }
}

/* Decides what has to be found and printed, and when the search of a file can stop. */
static void settle_search(run_state *run) {
    grep_options *options = &run->options;
    struct stat null;
    bool to_null = fstat(STDOUT_FILENO, &run->output) == 0 && S_ISCHR(run->output.st_mode) &&
                   stat("/dev/null", &null) == 0 && run->output.st_rdev == null.st_rdev;
    to_null = to_null && options->division.journal == NULL;
    if (to_null) { /* only the exit status matters */
        options->listing = GREP_LIST_NONE;
        options->count = false;
    }
    run->search = (grep_search){.options = options,
                                .set = &run->set,
                                .printer = &run->printer,
                                .blocks = &run->blocks,
                                .stop_at_first =
                                    options->quiet || to_null || options->listing != GREP_LIST_NONE,
                                .flush_blocks = isatty(STDOUT_FILENO) == 1};
    run->search.quiet = run->search.stop_at_first || options->count;
    run->search.parts =
        !run->search.quiet && !options->invert && (options->only_matching || options->color);
    run->printer.with_file_name =
        options->file_names == GREP_NAMES_ALWAYS ||
        (options->file_names == GREP_NAMES_AUTO && options->files.count > 1);
    run->rules = (file_rules){.globs = options->globs,
                              .count = options->glob_count,
                              .follow_links = options->follow_links,
                              .exceptions = &run->folder};
    run->rules.exception_count = division_exception(&options->division, &run->folder);
}

/* Whether no line can be selected: as GNU grep, no file is read then. */
static bool is_hopeless(const run_state *run) {
    const grep_options *options = &run->options;
    bool plain = !options->whole_words && !options->whole_lines;
    bool no_line = run->set.db == NULL && !run->set.empty_pattern && !options->invert;
    bool every_line = run->set.only_empty && plain && options->invert;
    return (options->max_count == 0 || no_line || every_line) &&
           options->listing != GREP_LIST_NOT_MATCHING;
}

static int finish(run_state *run) {
    trawl_error error;
    if (grep_printer_close(&run->printer, &error) != TRAWL_OK) {
        report_error(&error);
        return EXIT_ERROR;
    }
    if (run->matched && run->options.quiet) {
        return EXIT_MATCHED;
    }
    return run->trouble ? EXIT_ERROR : run->matched ? EXIT_MATCHED : EXIT_NOTHING;
}

/* Searches into the folder of --journal. `hopeless`: no line can be selected, so there are no
 * texts. */
static void search_in_parts(run_state *run, bool hopeless) {
    parts_run texts = {0};
    run->texts = &texts;
    if (!hopeless) {
        search_all(run);
    }
    run->texts = NULL;
    run->trouble = run->trouble || !grep_journaled(&run->search, run->printer.with_file_name,
                                                   &texts, &run->matched);
    parts_run_release(&texts);
}

static int search_with_patterns(run_state *run) {
    trawl_error error;
    if (grep_printer_open(&run->printer, &run->options, &error) != TRAWL_OK) {
        return report_error(&error);
    }
    settle_search(run);
    bool parts = !run->search.quiet && (run->options.only_matching || run->options.color);
    if (!grep_set_open(&run->set, &run->options, parts)) {
        run->trouble = true;
    } else if (run->options.division.journal != NULL) {
        search_in_parts(run, is_hopeless(run));
    } else if (!is_hopeless(run)) {
        grep_blocks_open(&run->blocks, run->options.line_end,
                         grep_options_find_binary(&run->options), !run->options.as_stored,
                         scan_options_threads(&run->options.scan));
        search_all(run);
        grep_blocks_close(&run->blocks);
    }
    int status = finish(run);
    /* A person may want to know why nothing was found; a program expects the messages of GNU
     * grep. */
    if (status == EXIT_NOTHING && !run->options.no_messages && isatty(STDERR_FILENO) == 1) {
        grep_set_note(&run->set, &run->options);
    }
    grep_set_close(&run->set);
    grep_search_release(&run->search);
    return status;
}

int trawl_command_grep(int argc, char **argv) {
    run_state run = {0};
    int status;
    if (grep_options_parse(&run.options, argc, argv, &status)) {
        status = search_with_patterns(&run);
    }
    grep_options_release(&run.options);
    return status;
}
