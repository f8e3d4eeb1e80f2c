/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The files below a directory, as `grep -r` finds them. Hidden files are included. Symbolic links
 * are followed only if the caller names them, or all of them with follow_links; each loop is then a
 * warning. Devices, sockets and pipes are skipped unless the caller names them. Entries are
 * sorted by the bytes of their names, so that every run gives the same order.
 */
#ifndef TRAWL_IO_DIRECTORY_H
#define TRAWL_IO_DIRECTORY_H

#include <sys/types.h>

#include "trawl/trawl.h"

typedef enum file_glob_kind {
    FILE_GLOB_INCLUDE = 0,
    FILE_GLOB_EXCLUDE = 1,
    FILE_GLOB_EXCLUDE_DIRECTORY = 2
} file_glob_kind;

typedef struct file_glob {
    file_glob_kind kind;
    const char *glob;
} file_glob;

/* A file or directory that walks pass over, by whatever name they come to it. */
typedef struct file_exception {
    dev_t device;
    ino_t inode;
    const char *why; /* the end of the warning: "PATH: why" */
} file_exception;

/* Rules in the order of the command line. Of the rules that match a file the last one decides. A
 * file that no rule matches is taken, unless the first rule for files is an --include. */
typedef struct file_rules {
    const file_glob *globs;
    size_t count;
    bool follow_links; /* grep -R */
    const file_exception *exceptions;
    size_t exception_count;
} file_rules;

/* Whether the rules accept a file or directory. `named`: the user has named it; as with grep, such
 * a name and each of its ends after a slash are compared with the rules, otherwise the base name
 * is. */
bool file_rules_accept(const file_rules *rules, const char *path, bool is_directory, bool named);

/* Receives each file; `path` is `root`, a slash, and the path below. Nonzero stops the walk. */
typedef int (*directory_on_file)(const char *path, void *context);

/* Receives "PATH: reason" for each entry that could not be read, and for each that the walk passes
 * over: a loop, or one of the exceptions (`warning`). The walk goes on. */
typedef void (*directory_on_problem)(const char *message, bool warning, void *context);

/* Walks one directory. `root` NULL: the working directory; paths then do not begin with "./". A
 * root that is a file is passed to on_file. TRAWL_STOPPED: on_file asked to stop. Entries that
 * cannot be read are no failure of the walk. A root that is an exception could not be read. */
trawl_status directory_walk(const char *root, const file_rules *rules, directory_on_file on_file,
                            directory_on_problem on_problem, void *context, trawl_error *error);

#endif
