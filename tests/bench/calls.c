/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * How long one call takes for a short text, on one thread:
 *
 *     bench_calls DATABASE TEXT [LIBHS [PROGRAM]]
 *
 * Pieces of TEXT, which begin at random places, are scanned one call after the other. LIBHS,
 * Hyperscan or Vectorscan in block mode, is the peer; without it the system's is tried. PROGRAM is
 * a second peer, a program as `make peers` makes them for aho-corasick: it gets all pieces as one
 * text and, as its last argument, the length of a piece. A line for each size and kind of call:
 * nanoseconds, the median of ROUNDS rounds and, in brackets, their quartiles. The kinds take turns,
 * so that a busy machine slows all of them. CALLS_SIZES=64,256 chooses other sizes, CALLS_ROUNDS
 * the number of rounds; CALLS_KIND=scan measures one kind alone, for a profiler.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/bench/libhs.h"
#include "cli/bench/peers/inputs.h"
#include "cli/bench/peers/process.h"
#include "read_file.h"
#include "trawl/trawl_scanner.h"

enum { PIECES = 512 };

static const double ROUND_SECONDS = 0.0005; /* shorter than a slice of the scheduler */

typedef struct subject {
    trawl_db *db;
    trawl_scanner *scanner;
    bench_libhs *libhs;
    const char *program;    /* NULL: none */
    bench_process *process; /* of the program, with pieces of the size at hand */
    const uint8_t *text;
    size_t text_length;
    size_t offsets[PIECES];
    uint32_t ids[1024];
} subject;

typedef uint64_t kind_call(subject *all, const uint8_t *text, size_t length);

static int count_one(const trawl_match *match, void *context) {
    (void)match;
    ++*(uint64_t *)context;
    return 0;
}

static int stop_at_first(const trawl_match *match, void *context) {
    (void)match;
    *(uint64_t *)context = 1;
    return 1;
}

static uint64_t one_call_scan(subject *all, const uint8_t *text, size_t length) {
    uint64_t found = 0;
    (void)trawl_scan(all->db, text, length, NULL, count_one, &found, NULL);
    return found;
}

static uint64_t one_call_any(subject *all, const uint8_t *text, size_t length) {
    uint64_t found = 0;
    (void)trawl_scan(all->db, text, length, NULL, stop_at_first, &found, NULL);
    return found;
}

static uint64_t one_call_count(subject *all, const uint8_t *text, size_t length) {
    uint64_t found = 0;
    (void)trawl_count(all->db, text, length, NULL, &found, NULL, NULL);
    return found;
}

static uint64_t scanner_any(subject *all, const uint8_t *text, size_t length) {
    return trawl_scanner_any(all->scanner, text, length, NULL);
}

static uint64_t scanner_which(subject *all, const uint8_t *text, size_t length) {
    return trawl_scanner_which(all->scanner, text, length, all->ids, 1024);
}

static uint64_t scanner_count(subject *all, const uint8_t *text, size_t length) {
    return trawl_scanner_count(all->scanner, text, length, NULL);
}

static uint64_t scanner_scan(subject *all, const uint8_t *text, size_t length) {
    uint64_t found = 0;
    (void)trawl_scanner_scan(all->scanner, text, length, count_one, &found);
    return found;
}

static uint64_t libhs_count(subject *all, const uint8_t *text, size_t length) {
    uint64_t found = 0;
    trawl_error error;
    (void)bench_libhs_count(all->libhs, text, length, &found, NULL, &error);
    return found;
}

/* ------------------------------------------------------------------ the program */

static trawl_patterns *patterns_of(const trawl_db *db) {
    trawl_patterns *patterns = NULL;
    trawl_pattern pattern = TRAWL_PATTERN;
    if (trawl_patterns_new(&patterns, NULL) != TRAWL_OK)
        exit(2);
    for (uint32_t id = 0; trawl_db_pattern(db, id, &pattern); id++)
        (void)trawl_patterns_add(patterns, pattern.bytes, pattern.length, pattern.flags, NULL);
    return patterns;
}

/* Seconds of a run over all pieces, and the matches in them. Ends if the program cannot do it. */
static double ask(subject *all, const char *for_what, uint64_t *found) {
    char line[BENCH_LINE_BYTES] = "it ended";
    double seconds = 0;
    if (for_what != NULL)
        bench_process_ask(all->process, for_what);
    while (bench_process_answer(all->process, line) == BENCH_ANSWER_LINE) {
        unsigned long long count = 0;
        if (for_what == NULL && strncmp(line, "built ", 6) == 0)
            return 0;
        if (sscanf(line, "run %lf %llu", &seconds, &count) == 2) {
            *found += count;
            return seconds;
        }
        if (strncmp(line, "note ", 5) != 0)
            break;
    }
    (void)fprintf(stderr, "%s: %s\n", all->program, line);
    exit(2);
}

/* Starts the program with the pieces of a size. The files in memory stay open for it. */
static void start_program(subject *all, size_t size, bench_inputs *inputs) {
    char files[2][32], numbers[2][32];
    uint8_t *pieces = malloc(PIECES * size);
    trawl_patterns *patterns = patterns_of(all->db);
    if (pieces == NULL)
        exit(2);
    for (size_t i = 0; i < PIECES; i++)
        memcpy(pieces + i * size, all->text + all->offsets[i], size);
    if (!bench_inputs_make(patterns, pieces, PIECES * size, inputs))
        exit(2);
    (void)snprintf(files[0], sizeof files[0], "/dev/fd/%d", inputs->patterns);
    (void)snprintf(files[1], sizeof files[1], "/dev/fd/%d", inputs->text);
    (void)snprintf(numbers[0], sizeof numbers[0], "%zu", PIECES * size);
    (void)snprintf(numbers[1], sizeof numbers[1], "%zu", size);
    const char *argv[] = {all->program, files[0], files[1], numbers[0], "all", numbers[1], NULL};
    all->process = bench_process_start(argv, 3600);
    if (all->process == NULL)
        exit(2);
    (void)ask(all, NULL, NULL);
    trawl_patterns_free(patterns);
    free(pieces);
}

/* ------------------------------------------------------------------ measuring */

static const struct {
    const char *name;
    kind_call *call;
} kinds[] = {
    {"trawl_scan", one_call_scan},
    {"trawl_scan, first", one_call_any},
    {"trawl_count", one_call_count},
    {"scanner any", scanner_any},
    {"scanner which", scanner_which},
    {"scanner count", scanner_count},
    {"scanner scan", scanner_scan},
    {"libhs", libhs_count},
    {"program", NULL},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Nanoseconds of a call, from `calls` calls; of a program from PIECES calls. */
static double measure(subject *all, size_t kind, size_t size, size_t calls, uint64_t *found) {
    if (kinds[kind].call == NULL)
        return ask(all, "run", found) * 1e9 / PIECES;
    double start = trawl_seconds();
    for (size_t i = 0; i < calls; i++)
        *found += kinds[kind].call(all, all->text + all->offsets[i % PIECES], size);
    return (trawl_seconds() - start) * 1e9 / (double)calls;
}

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void measure_size(subject *all, size_t size, size_t rounds, const char *only) {
    uint64_t random = 88172645463325252u;
    for (size_t i = 0; i < PIECES; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        all->offsets[i] = random % (all->text_length - size);
    }
    bench_inputs inputs = {.patterns = -1, .text = -1};
    if (all->program != NULL)
        start_program(all, size, &inputs);
    double *times[KINDS];
    size_t calls[KINDS];
    uint64_t found[KINDS] = {0}, matches[KINDS] = {0};
    for (size_t kind = 0; kind < KINDS; kind++) {
        times[kind] = malloc(rounds * sizeof(double));
        if (times[kind] == NULL)
            exit(2);
        bool wanted = only == NULL || strcmp(only, kinds[kind].name) == 0;
        calls[kind] = 0;
        if (!wanted || (kinds[kind].call == libhs_count && all->libhs == NULL) ||
            (kinds[kind].call == NULL && all->program == NULL))
            continue;
        double one = measure(all, kind, size, PIECES, &found[kind]); /* and warms up */
        matches[kind] = found[kind];
        calls[kind] = (size_t)(ROUND_SECONDS * 1e9 / one) + 1;
    }
    for (size_t round = 0; round < rounds; round++)
        for (size_t kind = 0; kind < KINDS; kind++)
            if (calls[kind] != 0)
                times[kind][round] = measure(all, kind, size, calls[kind], &found[kind]);
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (calls[kind] != 0) {
            qsort(times[kind], rounds, sizeof(double), compare);
            printf("%6zu  %-18s %9.0f  [%.0f %.0f]  %.2f found\n", size, kinds[kind].name,
                   times[kind][rounds / 2], times[kind][rounds / 4], times[kind][rounds * 3 / 4],
                   (double)matches[kind] / PIECES);
        }
        free(times[kind]);
    }
    bench_process_close(all->process);
    bench_inputs_release(&inputs);
    all->process = NULL;
}

static void open_libhs(subject *all, const char *path, trawl_error *error) {
    if (!bench_libhs_load(path, &all->libhs, error))
        return;
    trawl_patterns *patterns = patterns_of(all->db);
    if (!bench_libhs_compile(all->libhs, patterns, TRAWL_MATCH_ALL, error)) {
        bench_libhs_close(all->libhs);
        all->libhs = NULL;
    }
    trawl_patterns_free(patterns);
}

int main(int argc, char **argv) {
    static subject all;
    trawl_error error = {.message = ""};
    if (argc < 3 || trawl_db_load(argv[1], &all.db, &error) != TRAWL_OK ||
        trawl_scanner_open(all.db, NULL, &all.scanner, &error) != TRAWL_OK ||
        (all.text = read_file(argv[2], &all.text_length)) == NULL) {
        (void)fprintf(stderr, "usage: bench_calls DATABASE TEXT [LIBHS [PROGRAM]]\n%s\n",
                      error.message);
        return 2;
    }
    open_libhs(&all, argc > 3 ? argv[3] : BENCH_LIBHS_SYSTEM, &error);
    if (all.libhs == NULL)
        (void)fprintf(stderr, "no libhs: %s\n", error.message);
    all.program = argc > 4 ? argv[4] : NULL;
    const char *sizes = getenv("CALLS_SIZES"), *rounds = getenv("CALLS_ROUNDS");
    sizes = sizes != NULL ? sizes : "64,256,1024,1500,4096";
    size_t count = rounds != NULL ? strtoul(rounds, NULL, 10) : 101;
    for (char *at = (char *)sizes; *at != '\0'; at += *at == ',') {
        size_t size = strtoul(at, &at, 10);
        if (size == 0 || size >= all.text_length)
            break;
        measure_size(&all, size, count, getenv("CALLS_KIND"));
    }
    bench_libhs_close(all.libhs);
    trawl_scanner_close(all.scanner);
    trawl_db_free(all.db);
    return 0;
}
