/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/reproduce/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/memory.h"
#include "cli/reproduce/measure.h"
#include "cli/reproduce/paper.h"

extern char **environ;

enum { MOST_ARGUMENTS = 40, NAME_BYTES = 160, PATH_BYTES = 4096, OUTPUT_BYTES = 8192 };

/* Seconds of all runs of a cell together, by the clock and with the start of the programs: a run
 * that begins earlier is measured. The second number is for shorter texts (--quick). With 5 seconds
 * the sixty cells made all papers take 896 seconds on an H200, of 900 that are wanted at most. */
static const double LONG_CELL_SECONDS = 3.0;
static const double SHORT_CELL_SECONDS = 1.0;

/* ------------------------------------------------------------------ programs */

/* Runs a program of PATH, or of a path, and waits. Writes what it has written to standard output
 * and standard error, one behind the other, to `output`. Returns its exit status, -1 if it could
 * not be run. */
static int call(char *const *arguments, char output[static OUTPUT_BYTES]) {
    posix_spawn_file_actions_t actions;
    pid_t process = -1;
    int status = 0;
    int file = memfd_create("output", MFD_CLOEXEC);
    output[0] = '\0';
    if (file < 0 || posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    (void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    (void)posix_spawn_file_actions_adddup2(&actions, file, STDOUT_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, file, STDERR_FILENO);
    int error = posix_spawnp(&process, arguments[0], &actions, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    while (error == 0 && waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    ssize_t got = pread(file, output, OUTPUT_BYTES - 1, 0);
    output[got < 0 ? 0 : got] = '\0';
    (void)close(file);
    return error == 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* trawl-mpi beside this program; else that of PATH. */
static void find_program(char path[static PATH_BYTES]) {
    static const char name[] = "trawl-mpi";
    ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES - sizeof name);
    path[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash != NULL) {
        memcpy(slash + 1, name, sizeof name);
        if (access(path, X_OK) == 0)
            return;
    }
    memcpy(path, name, sizeof name);
}

/* How ranks are started. */
typedef struct ranks_start {
    char program[PATH_BYTES];
    const char *mpirun;
    const char *oversubscribe; /* more ranks than CPUs; NULL: no flag is needed */
} ranks_start;

/* Finds both programs, and of several mpirun that of the program's MPI. */
static bool find_start(ranks_start *start, char *why) {
    char output[OUTPUT_BYTES];
    find_program(start->program);
    char *const version[] = {start->program, "--version", NULL};
    if (call(version, output) != 0) {
        (void)snprintf(why, PAPER_WHY_BYTES, "needs trawl-mpi (make mpi) beside trawl or in PATH");
        return false;
    }
    bool mpich = strstr(output, "MPICH") != NULL;
    static const char *const names[] = {"mpirun.openmpi", "mpirun.mpich", "mpirun"};
    for (size_t i = mpich ? 1 : 0; i < 3; i += mpich ? 1 : 2) {
        union {
            const char *given;
            char *taken; /* arguments are not changed */
        } name = {.given = names[i]};
        char *const ask[] = {name.taken, "--version", NULL};
        if (call(ask, output) != 0)
            continue;
        bool open_mpi = strstr(output, "Open MPI") != NULL || strstr(output, "OpenRTE") != NULL;
        start->mpirun = names[i];
        start->oversubscribe = open_mpi ? "--oversubscribe" : NULL;
        return true;
    }
    (void)snprintf(why, PAPER_WHY_BYTES, "needs mpirun in PATH");
    return false;
}

/* ------------------------------------------------------------------ files in memory */

/* A file in memory, which other processes can open by `path` while this one has it open. */
typedef struct memory_file {
    int descriptor; /* -1: it could not be made */
    char path[64];
} memory_file;

static bool make_file(memory_file *file, const char *name) {
    file->descriptor = memfd_create(name, MFD_CLOEXEC);
    (void)snprintf(file->path, sizeof file->path, "/proc/%ld/fd/%d", (long)getpid(),
                   file->descriptor);
    return file->descriptor >= 0;
}

static bool append(const memory_file *file, const void *bytes, size_t length) {
    const char *from = bytes;
    while (length != 0) {
        ssize_t put = write(file->descriptor, from, length);
        if (put < 0 && errno != EINTR)
            return false;
        from += put < 0 ? 0 : put;
        length -= put < 0 ? 0 : (size_t)put;
    }
    return true;
}

/* Writes the patterns of the workload, one a line: they are letters. */
static bool append_patterns(reproduction *run, const workload *data, const memory_file *file) {
    const trawl_patterns *patterns = run_patterns(run, data->set, data->patterns);
    trawl_pattern pattern = TRAWL_PATTERN;
    bool written = true;
    for (uint32_t id = 0; written && trawl_patterns_get(patterns, id, &pattern); id++)
        written = append(file, pattern.bytes, pattern.length) && append(file, "\n", 1);
    return written;
}

static void close_file(const memory_file *file) {
    if (file->descriptor >= 0)
        (void)close(file->descriptor);
}

/* ------------------------------------------------------------------ a run */

/* The number behind "NAME": in the JSON object of --stats; NAN if there is none. */
static double number_of(const char *stats, const char *name, const char *member) {
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "\"%s\":", name);
    const char *at = strstr(stats, wanted);
    if (at != NULL && member != NULL) {
        (void)snprintf(wanted, sizeof wanted, "\"%s\":", member);
        at = strstr(at, wanted);
    }
    return at == NULL ? PAPER_NONE : strtod(at + strlen(wanted), NULL);
}

/* The first message of trawl, or else the first line. */
static void explain(const char *output, char *why) {
    const char *message = strstr(output, "trawl: ");
    message = message == NULL ? output : message;
    message += strspn(message, "-\n ");
    size_t length = strcspn(message, "\n");
    (void)snprintf(why, PAPER_WHY_BYTES, "trawl-mpi: %.*s", length < 200 ? (int)length : 200,
                   length == 0 ? "ended without a message" : message);
}

static bool read_times(reproduction *run, const ranks_job *job, const char *output, double *times,
                       char *why) {
    static const char *const names[RANKS_TIMES] = {"distribute_seconds", "load_seconds",
                                                   "search_seconds",     "device_seconds",
                                                   "wait_seconds",       "reduce_seconds"};
    uint64_t expected = 0;
    double found = number_of(output, "matches", NULL);
    if (isnan(found)) {
        explain(output, why);
        return false;
    }
    if (!run_expected(run, &job->data, job->engine, &expected, why))
        return false;
    if ((uint64_t)found != expected) {
        (void)run_mismatch(run, (uint64_t)found, expected, why);
        return false;
    }
    for (size_t i = 0; i < RANKS_TIMES; i++)
        times[i] = number_of(output, names[i], "max");
    return true;
}

static bool start_ranks(const ranks_start *start, const ranks_job *job, const memory_file *text,
                        const memory_file *patterns, char output[static OUTPUT_BYTES]) {
    const char *arguments[MOST_ARGUMENTS];
    size_t count = 0;
    char number[16];
    (void)snprintf(number, sizeof number, "%d", job->ranks);
    arguments[count++] = start->mpirun;
    if (start->oversubscribe != NULL)
        arguments[count++] = start->oversubscribe;
    const char *const always[] = {"-n",        number,       start->program, "scan",
                                  "-c",        "--stats",    "--split",      "static",
                                  "--threads", "1",          "--engine",     job->engine,
                                  "--variant", job->variant, "-f",           patterns->path};
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        arguments[count++] = always[i];
    const char *const gpu[] = {"--device",  "cuda",       "--kernel",
                               job->kernel, "--transfer", "zero-copy"};
    for (size_t i = 0; job->kernel != NULL && i < sizeof gpu / sizeof gpu[0]; i++)
        arguments[count++] = gpu[i];
    arguments[count++] = text->path;
    arguments[count] = NULL;
    union {
        const char **given;
        char **taken; /* arguments are not changed */
    } list = {.given = arguments};
    int status = call(list.taken, output);
    return status == 0 || status == 1; /* 1: there is no match, or mpirun has failed */
}

/* One run after the other, and the medians of their times. */
static bool repeat(reproduction *run, const ranks_job *job, const memory_file *text,
                   const memory_file *patterns, const ranks_start *start, double *times,
                   char *why) {
    const run_settings *settings = run_settings_of(run);
    double most = settings->shrink == 1 ? LONG_CELL_SECONDS : SHORT_CELL_SECONDS;
    double samples[RANKS_TIMES][MEASURED_MOST_RUNS];
    char output[OUTPUT_BYTES];
    double begin = seconds_now();
    size_t done = 0;
    do {
        if (!start_ranks(start, job, text, patterns, output)) {
            explain(output, why);
            return false;
        }
        if (!read_times(run, job, output, times, why))
            return false;
        for (size_t i = 0; i < RANKS_TIMES; i++)
            samples[i][done] = times[i];
        done++;
    } while (done < settings->most_runs && done < MEASURED_MOST_RUNS &&
             seconds_now() - begin < most);
    for (size_t i = 0; i < RANKS_TIMES; i++)
        times[i] = measure_median(samples[i], done);
    return true;
}

const double *measure_ranks(reproduction *run, const ranks_job *job, char *why) {
    char name[NAME_BYTES];
    double times[RANKS_TIMES];
    (void)snprintf(name, sizeof name, "ranks %d %zu %" PRIu64 " %s %s %s", job->ranks,
                   job->data.patterns, job->data.bytes, job->engine, job->variant,
                   job->kernel == NULL ? "" : job->kernel);
    const double *known = run_recall(run, name);
    if (known != NULL)
        return known;
    if ((uint32_t)job->ranks > run_settings_of(run)->most_ranks) {
        (void)snprintf(why, PAPER_WHY_BYTES, "left out by --ranks");
        return NULL;
    }
    ranks_start start = {.mpirun = NULL};
    const uint8_t *bytes = run_text(run, &job->data, why);
    if (bytes == NULL || !find_start(&start, why))
        return NULL;
    memory_file text = {.descriptor = -1};
    memory_file patterns = {.descriptor = -1};
    bool made = make_file(&text, "text") && make_file(&patterns, "patterns") &&
                append(&text, bytes, run_bytes(run, job->data.bytes)) &&
                append_patterns(run, &job->data, &patterns);
    if (!made)
        (void)snprintf(why, PAPER_WHY_BYTES, "a file in memory: %s", strerror(errno));
    bool measured = made && repeat(run, job, &text, &patterns, &start, times, why);
    close_file(&text);
    close_file(&patterns);
    return measured ? run_remember(run, name, times, RANKS_TIMES) : NULL;
}
