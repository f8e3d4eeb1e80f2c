/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "io/directory.h"

#include <errno.h>
#include <fnmatch.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"

/* ------------------------------------------------------------------ rules */

/* Whether `glob` matches a path. A path that the user has named (`named`) matches as a whole, or by
 * one of its ends behind a slash; any other path by its base name. */
static bool glob_matches(const char *glob, const char *path, bool named) {
    if (fnmatch(glob, path, 0) == 0)
        return true;
    if (!named)
        return false;
    for (const char *tail = path; *tail != '\0'; tail++) {
        if (*tail == '/' && tail[1] != '/' && tail[1] != '\0' && fnmatch(glob, tail + 1, 0) == 0)
            return true;
    }
    return false;
}

/* As glob_matches, without slashes at the end of `glob`: --exclude-dir ignores them. */
static bool directory_glob_matches(const char *glob, const char *path, bool named) {
    size_t length = strlen(glob);
    if (length < 2 || glob[length - 1] != '/')
        return glob_matches(glob, path, named);
    while (length > 1 && glob[length - 1] == '/')
        length--;
    char *trimmed = strndup(glob, length);
    if (trimmed == NULL)
        return false;
    bool matches = glob_matches(trimmed, path, named);
    free(trimmed);
    return matches;
}

bool file_rules_accept(const file_rules *rules, const char *path, bool is_directory, bool named) {
    if (rules == NULL || rules->count == 0)
        return true;
    const char *name = path;
    if (!named) {
        const char *slash = strrchr(path, '/');
        name = slash == NULL || slash[1] == '\0' ? path : slash + 1;
    }
    bool first_file_rule = true;
    bool accepted = true;
    bool decided = false;
    for (size_t i = 0; i < rules->count; i++) {
        const file_glob *rule = &rules->globs[i];
        if (is_directory != (rule->kind == FILE_GLOB_EXCLUDE_DIRECTORY))
            continue;
        if (is_directory) {
            if (directory_glob_matches(rule->glob, name, named))
                return false;
            continue;
        }
        if (first_file_rule && !decided)
            accepted = rule->kind != FILE_GLOB_INCLUDE;
        first_file_rule = false;
        if (glob_matches(rule->glob, name, named)) {
            accepted = rule->kind == FILE_GLOB_INCLUDE;
            decided = true;
        }
    }
    return accepted;
}

/* ------------------------------------------------------------------ the walk */

typedef struct directory_visit {
    const file_rules *rules;
    directory_on_file on_file;
    directory_on_problem on_problem;
    void *context;
    bool strip_dot; /* the root is the working directory: paths are shown without "./" */
} directory_visit;

static int compare_names(const FTSENT **left, const FTSENT **right) {
    return strcmp((*left)->fts_name, (*right)->fts_name);
}

static const char *shown_path(const directory_visit *walk, const FTSENT *entry) {
    const char *path = entry->fts_path;
    if (walk->strip_dot && path[0] == '.' && path[1] == '/')
        path += 2;
    return path;
}

static void tell(const directory_visit *walk, const FTSENT *entry, const char *reason,
                 bool warning) {
    char message[4096 + 128];
    (void)snprintf(message, sizeof message, "%s: %s", shown_path(walk, entry), reason);
    walk->on_problem(message, warning, walk->context);
}

static void problem(const directory_visit *walk, const FTSENT *entry, const char *reason) {
    tell(walk, entry, reason, false);
}

/* Whether the entry is an exception, which is then told. */
static bool is_exception(const directory_visit *walk, const FTSENT *entry) {
    size_t count = walk->rules == NULL ? 0 : walk->rules->exception_count;
    for (size_t i = 0; i < count; i++) {
        const file_exception *one = &walk->rules->exceptions[i];
        if (entry->fts_statp->st_dev == one->device && entry->fts_statp->st_ino == one->inode) {
            tell(walk, entry, one->why, entry->fts_level != FTS_ROOTLEVEL);
            return true;
        }
    }
    return false;
}

/* Handles one entry; returns nonzero when on_file asked to stop. */
static int visit(const directory_visit *walk, FTS *tree, FTSENT *entry) {
    bool named = entry->fts_level == FTS_ROOTLEVEL;
    switch (entry->fts_info) {
    case FTS_D:
        /* The rules apply to a root that the user has named, not to the working directory. */
        if ((!(named && walk->strip_dot) &&
             !file_rules_accept(walk->rules, entry->fts_path, true, named)) ||
            is_exception(walk, entry))
            (void)fts_set(tree, entry, FTS_SKIP);
        return 0;
    case FTS_DC:
        tell(walk, entry, "warning: recursive directory loop", true);
        return 0;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        problem(walk, entry, strerror(entry->fts_errno));
        return 0;
    case FTS_F:
        if (!file_rules_accept(walk->rules, entry->fts_path, false, named) ||
            is_exception(walk, entry))
            return 0;
        return walk->on_file(shown_path(walk, entry), walk->context);
    case FTS_DEFAULT: /* devices, pipes and sockets: only where the user named them */
        if (named && file_rules_accept(walk->rules, entry->fts_path, false, true))
            return walk->on_file(shown_path(walk, entry), walk->context);
        return 0;
    case FTS_SLNONE: /* follow_links: a link to nowhere */
        problem(walk, entry, strerror(ENOENT));
        return 0;
    default: /* a directory after its contents; a symbolic link that is not followed */
        return 0;
    }
}

trawl_status directory_walk(const char *root, const file_rules *rules, directory_on_file on_file,
                            directory_on_problem on_problem, void *context, trawl_error *error) {
    directory_visit walk = {.rules = rules,
                            .on_file = on_file,
                            .on_problem = on_problem,
                            .context = context,
                            .strip_dot = root == NULL};
    char *path = strdup(root == NULL ? "." : root);
    if (path == NULL)
        return trawl_fail(error, TRAWL_ERROR_MEMORY, "out of memory");
    /* Without this "dir/" would give "dir//file". */
    for (size_t length = strlen(path); length > 1 && path[length - 1] == '/'; length--)
        path[length - 1] = '\0';
    char *roots[] = {path, NULL};
    int mode = rules != NULL && rules->follow_links ? FTS_LOGICAL : FTS_PHYSICAL | FTS_COMFOLLOW;
    FTS *tree = fts_open(roots, mode | FTS_NOCHDIR, compare_names);
    trawl_status status = TRAWL_OK;
    if (tree == NULL) {
        status = trawl_fail(error, TRAWL_ERROR_IO, "%s: %s", path, strerror(errno));
    } else {
        FTSENT *entry = NULL;
        errno = 0;
        while (status == TRAWL_OK && (entry = fts_read(tree)) != NULL) {
            if (visit(&walk, tree, entry) != 0)
                status = TRAWL_STOPPED;
            errno = 0;
        }
        if (status == TRAWL_OK && errno != 0)
            status = trawl_fail(error, TRAWL_ERROR_IO, "%s: %s", path, strerror(errno));
        (void)fts_close(tree);
    }
    free(path);
    return status;
}
