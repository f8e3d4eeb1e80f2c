/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/peers/find.h"

#include <dirent.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/bench/libhs.h"

static char *join(const char *directory, const char *name) {
    size_t size = strlen(directory) + strlen(name) + 2;
    char *path = allocate(size);
    (void)snprintf(path, size, "%s/%s", directory, name);
    return path;
}

/* The directory of peers: --peers-dir; or peers/ beside the directory of this executable, which is
 * build/peers for build/release/trawl; or else build/peers. The caller frees it. */
static char *find_directory(const bench_options *options) {
    char self[PATH_MAX];
    if (options->peers_dir != NULL)
        return join(options->peers_dir, "");
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL) {
        *slash = '\0';
        char *directory = join(self, "../peers");
        if (access(directory, F_OK) == 0)
            return directory;
        free(directory);
    }
    return join("build", "peers");
}

char *bench_peers_file(const bench_options *options, const char *name) {
    char *directory = find_directory(options);
    char *path = join(directory, name);
    free(directory);
    if (access(path, F_OK) == 0)
        return path;
    free(path);
    return NULL;
}

static bench_row *add_peer(bench_rows *rows, const char *name) {
    bench_row *row = bench_rows_add(rows);
    bench_row_take_name(row->engine, name);
    return row;
}

static void add_libraries(const bench_options *options, bench_rows *rows) {
    static const char *const names[] = {"hyperscan", "vectorscan"};
    size_t before = rows->count;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s/" BENCH_LIBHS_SYSTEM, names[i]);
        char *library = bench_peers_file(options, name);
        if (library != NULL)
            add_peer(rows, names[i])->library = library;
    }
    if (rows->count != before)
        return;
    void *system = dlopen(BENCH_LIBHS_SYSTEM, RTLD_LAZY | RTLD_LOCAL);
    if (system == NULL)
        return;
    (void)dlclose(system);
    add_peer(rows, "libhs")->library = string_copy(BENCH_LIBHS_SYSTEM);
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static void add_programs(const bench_options *options, bench_rows *rows) {
    struct dirent **entries = NULL;
    char *folder = bench_peers_file(options, "programs");
    int count = folder == NULL ? 0 : scandir(folder, &entries, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        char *program = join(folder, entries[i]->d_name);
        if (access(program, X_OK) == 0)
            add_peer(rows, entries[i]->d_name)->program = program;
        else
            free(program);
        free(entries[i]);
    }
    free(entries);
    free(folder);
}

/* Whether the name of a row, from `begin` on, begins with `name`. */
static bool is_found(const bench_rows *rows, size_t begin, const char *name) {
    for (size_t i = begin; i < rows->count; i++) {
        if (strncmp(rows->items[i].engine, name, strlen(name)) == 0)
            return true;
    }
    return false;
}

/* Whether PATH has a program of that name. */
static bool is_in_path(const char *name) {
    char *list = string_copy(getenv("PATH") == NULL ? "" : getenv("PATH"));
    char *rest = list;
    bool found = false;
    while (!found && rest != NULL) {
        char *path = join(strsep(&rest, ":"), name);
        found = access(path, X_OK) == 0;
        free(path);
    }
    free(list);
    return found;
}

/* Reports each peer that was not found, and the command that fetches it. Rows from `begin` on are
 * the peers. */
static void report_missing(const bench_options *options, const bench_rows *rows, size_t begin) {
    static const struct {
        const char *name;
        const char *how;
    } libraries[] = {
        {"hyperscan", "'make peers' fetches it (Debian: apt-get install libhyperscan5)"},
        {"vectorscan", "'make peers' fetches it (Debian: apt-get install libvectorscan5)"},
        {"aho-corasick", "'make peers' builds it, with rustc (Debian: apt-get install rustc)"},
        {"daachorse", "'make peers' fetches it, with python3 (Debian: apt-get install "
                      "python3-venv)"},
    };
    /* The library of the system may be either of the first two. */
    bool has_system = is_found(rows, begin, "libhs");
    for (size_t i = has_system ? 2 : 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        const char *name = libraries[i].name;
        bool found =
            is_found(rows, begin, name) || (i == 2 && is_found(rows, begin, "ahocorasick-rs"));
        if (!found)
            report("--peers: %s was not found; %s", name, libraries[i].how);
    }
    char *ripgrep = bench_peers_file(options, "ripgrep/rg");
    if (ripgrep == NULL && !is_in_path("rg"))
        report("--peers: ripgrep was not found; 'make peers' fetches it (Debian: apt-get install "
               "ripgrep)");
    free(ripgrep);
    if (!is_in_path("grep"))
        report("--peers: grep was not found (Debian: apt-get install grep)");
}

void bench_peers_add(const bench_options *options, bench_rows *rows) {
    size_t before = rows->count;
    add_libraries(options, rows);
    add_programs(options, rows);
    if (options->worker != NULL)
        return;
    if (rows->count != before) {
        report_missing(options, rows, before);
        return;
    }
    char *directory = find_directory(options);
    report("--peers: no peer was found in %s nor on this system; 'make peers' (tools/peers.sh) "
           "fetches some",
           directory);
    free(directory);
    report_missing(options, rows, before);
}
