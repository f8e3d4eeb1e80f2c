/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The files below a directory, as `grep -r` finds them: hidden files too; symbolic links are
 * followed only where the caller names them (or everywhere with follow_links, loops are reported
 * once); devices, sockets and pipes found on the way are skipped. Entries come sorted by name in
 * byte order, so that two runs agree.
 */
#ifndef SOURCE_DIRECTORY_H
#define SOURCE_DIRECTORY_H

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

/* The rules in the order in which they were given: of those that match a file the last one wins;
 * where none matches, the file is taken unless the first --include/--exclude is an --include. */
typedef struct file_rules {
    const file_glob *globs;
    size_t count;
    bool follow_links; /* grep -R */
} file_rules;

/* Whether the rules let a file or directory pass. `named` says that the user named it (grep
 * compares such a name and each of its tails after a slash, else only the base name). */
bool file_rules_accept(const file_rules *rules, const char *path, bool is_directory, bool named);

/* Receives each regular file, `path` being `root` + "/" + what is below. Nonzero stops the walk. */
typedef int (*directory_on_file)(const char *path, void *context);

/* Receives "PATH: reason" for everything that could not be read; the walk goes on. */
typedef void (*directory_on_problem)(const char *message, void *context);

/* Walks one directory. `root` NULL means the working directory, with paths that do not begin with
 * "./". A root that is a file is reported like any file. Returns TRAWL_STOPPED when on_file asked
 * to stop; problems do not make it fail, only lack of memory does. */
trawl_status directory_walk(const char *root, const file_rules *rules, directory_on_file on_file,
                            directory_on_problem on_problem, void *context, trawl_error *error);

#endif
