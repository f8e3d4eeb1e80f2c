/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Flags that say which files are texts. */
#ifndef CLI_FLAGS_FILES_H
#define CLI_FLAGS_FILES_H

#include "cli/base/memory.h"
#include "cli/flags/arguments.h"
#include "io/directory.h"

enum { FLAG_RECURSIVE = 1500, FLAG_FOLLOW, FLAG_INCLUDE, FLAG_EXCLUDE, FLAG_EXCLUDE_DIRECTORY };

extern const flag file_flags[];

typedef struct file_options {
    string_list texts; /* the operands */
    bool recursive;
    file_rules rules;
    file_glob *globs;           /* owned; rules.globs */
    file_exception *exceptions; /* owned; rules.exceptions */
} file_options;

/* Takes one of these flags, or an operand. */
int file_options_take(file_options *options, const arguments *arguments, int id);

/* Lets -r pass over a file or folder. */
void file_options_except(file_options *options, file_exception exception);

/* Whether standard input is a text: it is named, or nothing is. */
bool file_options_use_stdin(const file_options *options);

/* Shows on_file the file that `operand` names, or with -r the files below it ("-": standard input),
 * until it returns nonzero. False if something could not be read, or is a directory without -r;
 * this has been reported. */
bool file_options_visit(const file_options *options, const char *operand, directory_on_file on_file,
                        void *context);

/* The same for all operands; without one it is standard input, with -r the working directory. */
bool file_options_visit_all(const file_options *options, directory_on_file on_file, void *context);

void file_options_release(file_options *options);

#endif
