/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "bench_peers.h"

#include <dirent.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_libhs.h"
#include "bench_worker.h"
#include "report.h"

/* ------------------------------------------------------------------ which there are */

static char *join(const char *directory, const char *name) {
    size_t size = strlen(directory) + strlen(name) + 2;
    char *path = allocate(size);
    (void)snprintf(path, size, "%s/%s", directory, name);
    return path;
}

/* build/peers: below the folder of this command's own (build/release/trawl), or else here. The
 * caller frees it. */
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

/* Names of files and what programs say end up in tables and JSON. */
static void take_name(char name[static BENCH_NAME_BYTES], const char *from) {
    size_t length = 0;
    for (; from[length] != '\0' && length < BENCH_NAME_BYTES - 1; length++) {
        unsigned char byte = (unsigned char)from[length];
        name[length] =
            byte <= ' ' || byte > '~' || byte == '"' || byte == '\\' ? '?' : from[length];
    }
    name[length] = '\0';
}

static bench_row *add_row(bench_rows *rows, const char *name) {
    rows->items = reallocate(rows->items, (rows->count + 1) * sizeof *rows->items);
    bench_row *row = &rows->items[rows->count++];
    *row = (bench_row){0};
    take_name(row->engine, name);
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
            add_row(rows, names[i])->library = library;
    }
    if (rows->count != before)
        return;
    void *system = dlopen(BENCH_LIBHS_SYSTEM, RTLD_LAZY | RTLD_LOCAL);
    if (system == NULL)
        return;
    (void)dlclose(system);
    char *library = allocate(sizeof BENCH_LIBHS_SYSTEM);
    memcpy(library, BENCH_LIBHS_SYSTEM, sizeof BENCH_LIBHS_SYSTEM);
    add_row(rows, "libhs")->library = library;
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
            add_row(rows, entries[i]->d_name)->program = program;
        else
            free(program);
        free(entries[i]);
    }
    free(entries);
    free(folder);
}

void bench_peers_add(const bench_options *options, bench_rows *rows) {
    size_t before = rows->count;
    add_libraries(options, rows);
    add_programs(options, rows);
    if (rows->count != before || options->worker != NULL)
        return;
    char *directory = find_directory(options);
    report("--peers: no peer was found in %s nor on this system; 'make peers' (tools/peers.sh) "
           "fetches some",
           directory);
    free(directory);
}

/* ------------------------------------------------------------------ a row's process */

bool bench_row_is_late(const bench_options *options, bench_row *row) {
    row->absence = BENCH_OVER_TIME;
    row->refusal.status = TRAWL_ERROR_UNAVAILABLE;
    (void)snprintf(row->refusal.message, sizeof row->refusal.message, "over %" PRIu64 " s",
                   options->time_limit);
    return false;
}

static bool absent(bench_row *row, bench_absence absence, const char *why) {
    row->absence = absence;
    row->refusal.status = TRAWL_ERROR_UNAVAILABLE;
    (void)snprintf(row->refusal.message, sizeof row->refusal.message, "%.*s",
                   (int)sizeof row->refusal.message - 1, why);
    return false;
}

/* Waits for a line that begins with `word`; notes on the way are kept. False with the reason. */
static bool await(const bench_options *options, bench_row *row, const char *word,
                  char line[static BENCH_LINE_BYTES]) {
    for (;;) {
        bench_answer answer = bench_process_answer(row->process, line);
        if (answer == BENCH_ANSWER_LATE)
            return bench_row_is_late(options, row);
        if (answer == BENCH_ANSWER_ENDED) {
            (void)bench_process_end_status(row->process, line, BENCH_LINE_BYTES);
            return absent(row, BENCH_ENDED, line);
        }
        if (strncmp(line, word, strlen(word)) == 0)
            return true;
        if (strncmp(line, "note ", 5) == 0)
            (void)snprintf(row->note, sizeof row->note, "%.*s", (int)sizeof row->note - 1,
                           line + 5);
        else if (strncmp(line, "refused ", 8) == 0)
            return absent(row, BENCH_REFUSES, line + 8);
        else if (strncmp(line, "unable ", 7) == 0)
            return absent(row, BENCH_NOT_ASKED, line + 7);
        else
            return absent(row, BENCH_ENDED, "it does not answer as a peer's program should");
    }
}

static bench_process *start_program(const bench_options *options, const bench_inputs *inputs,
                                    const bench_row *row) {
    char patterns[32];
    char text[32];
    char length[32];
    (void)snprintf(patterns, sizeof patterns, "/dev/fd/%d", inputs->patterns);
    (void)snprintf(text, sizeof text, "/dev/fd/%d", inputs->text);
    (void)snprintf(length, sizeof length, "%zu", inputs->length);
    const char *argv[] = {
        row->program, patterns, text, length, match_kind_name(options->compile.matches), NULL};
    return bench_process_start(argv, (double)options->time_limit);
}

/* This command again, with the same arguments. */
static bench_process *start_worker(const bench_options *options, const bench_inputs *inputs,
                                   size_t index) {
    char instruction[128];
    bench_worker_instruction(index, inputs, instruction, sizeof instruction);
    const char **argv = allocate(((size_t)options->argc + 4) * sizeof *argv);
    size_t count = 0;
    argv[count++] = "/proc/self/exe";
    argv[count++] = "bench";
    argv[count++] = instruction;
    for (int i = 1; i < options->argc; i++)
        argv[count++] = options->argv[i];
    argv[count] = NULL;
    bench_process *process = bench_process_start(argv, (double)options->time_limit);
    free(argv);
    return process;
}

bool bench_peers_open(const bench_options *options, const bench_inputs *inputs, size_t index,
                      bench_row *row) {
    if (row->program != NULL && options->work != BENCH_COUNT)
        return absent(row, BENCH_NOT_ASKED, "it counts all matches together and nothing else");
    row->process = row->program != NULL ? start_program(options, inputs, row)
                                        : start_worker(options, inputs, index);
    if (row->process == NULL)
        return absent(row, BENCH_ENDED, "it could not be started");
    char line[BENCH_LINE_BYTES];
    if (!await(options, row, "built ", line))
        return false;
    char engine[BENCH_NAME_BYTES] = "";
    char variant[BENCH_NAME_BYTES] = "";
    unsigned long long bytes = 0;
    int fields =
        sscanf(line, "built %lf %llu %47s %47s", &row->build_seconds, &bytes, engine, variant);
    if (fields < 3)
        return absent(row, BENCH_ENDED, "it does not answer as a peer's program should");
    take_name(row->engine, engine);
    take_name(row->variant, variant);
    row->table_bytes = row->held_bytes = bytes;
    return true;
}

bool bench_peers_run(const bench_options *options, bench_row *row, bench_run *run) {
    char line[BENCH_LINE_BYTES];
    unsigned long long matches = 0;
    unsigned long long fingerprint = 0;
    bench_process_ask(row->process, "run");
    if (!await(options, row, "run ", line))
        return false;
    if (sscanf(line, "run %lf %llu %llu", &run->seconds, &matches, &fingerprint) < 2)
        return absent(row, BENCH_ENDED, "it does not answer as a peer's program should");
    run->matches = matches;
    run->fingerprint = fingerprint;
    return true;
}
