/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/flags/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/report.h"

const flag file_flags[] = {
    {FLAG_RECURSIVE, 'r', "recursive", NULL,
     "Take all files below the directories given, hidden files too. Symbolic links are followed "
     "only if they are named.",
     "Texts"},
    {FLAG_FOLLOW, 'R', "dereference-recursive", NULL, "As -r, but follow all symbolic links.",
     NULL},
    {FLAG_INCLUDE, 0, "include", "GLOB", "Take only files whose name matches GLOB.", NULL},
    {FLAG_EXCLUDE, 0, "exclude", "GLOB", "Skip files whose name matches GLOB.", NULL},
    {FLAG_EXCLUDE_DIRECTORY, 0, "exclude-dir", "GLOB", "Skip directories whose name matches GLOB.",
     NULL},
    {0},
};

static int add_glob(file_options *options, file_glob_kind kind, const char *glob) {
    size_t count = options->rules.count;
    options->globs = reallocate(options->globs, (count + 1) * sizeof *options->globs);
    options->globs[count] = (file_glob){kind, glob};
    options->rules.globs = options->globs;
    options->rules.count = count + 1;
    return FLAG_TAKEN;
}

void file_options_except(file_options *options, file_exception exception) {
    size_t count = options->rules.exception_count;
    options->exceptions =
        reallocate(options->exceptions, (count + 1) * sizeof *options->exceptions);
    options->exceptions[count] = exception;
    options->rules.exceptions = options->exceptions;
    options->rules.exception_count = count + 1;
}

int file_options_take(file_options *options, const arguments *args, int id) {
    switch (id) {
    case ARGUMENTS_OPERAND:
        string_list_add(&options->texts, args->value);
        return FLAG_TAKEN;
    case FLAG_FOLLOW:
        options->rules.follow_links = true;
        options->recursive = true;
        return FLAG_TAKEN;
    case FLAG_RECURSIVE:
        options->recursive = true;
        return FLAG_TAKEN;
    case FLAG_INCLUDE:
        return add_glob(options, FILE_GLOB_INCLUDE, args->value);
    case FLAG_EXCLUDE:
        return add_glob(options, FILE_GLOB_EXCLUDE, args->value);
    case FLAG_EXCLUDE_DIRECTORY:
        return add_glob(options, FILE_GLOB_EXCLUDE_DIRECTORY, args->value);
    default:
        return FLAG_NOT_MINE;
    }
}

bool file_options_use_stdin(const file_options *options) {
    bool uses = options->texts.count == 0 && !options->recursive;
    for (size_t i = 0; i < options->texts.count; i++)
        uses = uses || strcmp(options->texts.items[i], "-") == 0;
    return uses;
}

/* The walk through a directory. */
typedef struct visit {
    directory_on_file on_file;
    void *context;
    bool good;
} visit;

static int show(const char *path, void *context) {
    const visit *self = context;
    /* The texts' names go through functions for which "-" is standard input. */
    return self->on_file(strcmp(path, "-") == 0 ? "./-" : path, self->context);
}

static void on_problem(const char *message, bool warning, void *context) {
    visit *self = context;
    report("%s", message);
    self->good = self->good && warning;
}

static bool walk(const file_options *options, const char *root, directory_on_file on_file,
                 void *context) {
    visit self = {on_file, context, true};
    trawl_error error;
    trawl_status status = directory_walk(root, &options->rules, show, on_problem, &self, &error);
    if (status != TRAWL_OK && status != TRAWL_STOPPED)
        on_problem(error.message, false, &self);
    return self.good;
}

bool file_options_visit(const file_options *options, const char *operand, directory_on_file on_file,
                        void *context) {
    struct stat about;
    bool is_stdin = strcmp(operand, "-") == 0;
    if (!is_stdin && stat(operand, &about) == 0 && S_ISDIR(about.st_mode)) {
        if (options->recursive)
            return walk(options, operand, on_file, context);
        report("%s: is a directory; -r takes the files below it", operand);
        return false;
    }
    if (is_stdin || file_rules_accept(&options->rules, operand, false, true))
        (void)on_file(operand, context);
    return true;
}

bool file_options_visit_all(const file_options *options, directory_on_file on_file, void *context) {
    bool good = true;
    if (options->texts.count == 0)
        return options->recursive ? walk(options, NULL, on_file, context)
                                  : file_options_visit(options, "-", on_file, context);
    for (size_t i = 0; i < options->texts.count; i++)
        good = file_options_visit(options, options->texts.items[i], on_file, context) && good;
    return good;
}

void file_options_release(file_options *options) {
    free(options->globs);
    free(options->exceptions);
    free(options->texts.items);
}
