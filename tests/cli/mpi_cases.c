/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Random cases of `trawl-mpi scan` beside `trawl scan`, many for one start of MPI.
 * usage: mpirun -n RANKS mpi_cases COUNT SEED, in an empty folder that all ranks share
 *
 * Patterns of up to 12 letters over two letters, so that nearly every cut goes through matches.
 * Sizes of texts are multiples of the number of ranks, give or take the length of the longest
 * pattern, so that cuts lie at, before and behind every offset of a match.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/memory.h"
#include "cli/scan/command.h"
#include "mpi/scan.h"
#include "random.h"

enum { MOST_ARGUMENTS = 24, LONGEST_PATTERN = 12, TEXTS = 3 };

typedef struct case_arguments {
    char *items[MOST_ARGUMENTS];
    int count;
} case_arguments;

static void add(case_arguments *arguments, const char *value) {
    arguments->items[arguments->count++] = string_copy(value);
}

static void release(case_arguments *arguments) {
    for (int i = 0; i < arguments->count; i++)
        free(arguments->items[i]);
}

/* ------------------------------------------------------------------ making a case */

static void write_letters(FILE *file, random_source *random, size_t count) {
    for (size_t i = 0; i < count; i++)
        (void)fputc("ab"[random_below(random, 2)], file);
}

static FILE *create(const char *name) {
    FILE *file = fopen(name, "w");
    if (file == NULL) {
        perror(name);
        MPI_Abort(MPI_COMM_WORLD, 2);
        exit(2);
    }
    return file;
}

static void write_files(random_source *random, size_t size) {
    size_t longest = random_between(random, 1, LONGEST_PATTERN);
    FILE *patterns = create("patterns");
    for (int i = 0; i < 5; i++) {
        write_letters(patterns, random, i == 0 ? longest : random_between(random, 1, longest));
        (void)fputc('\n', patterns);
    }
    (void)fclose(patterns);
    for (int i = 0; i < TEXTS; i++) {
        char name[] = "text0";
        name[4] = (char)('0' + i);
        size_t length = size * random_below(random, 30) + random_below(random, 2 * longest + 1);
        length = i == 1 ? random_below(random, 3) : length < longest ? 0 : length - longest;
        FILE *text = create(name);
        write_letters(text, random, length);
        (void)fclose(text);
    }
}

/* What the command does; true if its results go to parts. */
static bool choose(random_source *random, size_t size, case_arguments *shared,
                   case_arguments *ranks_only) {
    static const char *const engines[] = {"auto",     "ac-dfa",    "ac-nfa",
                                          "ac-split", "wu-manber", "rabin-karp"};
    static const char *const kinds[] = {"all", "all", "all", "leftmost-first", "leftmost-longest"};
    static const char *const results[] = {NULL, NULL, "-c", "--top=3"};
    char number[64];
    const char *result = results[random_below(random, 4)];
    const char *kind = kinds[random_below(random, 5)];
    bool parts = result == NULL || random_chance(random, 1, 2);
    add(shared, "scan");
    add(shared, "--threads=1");
    (void)snprintf(number, sizeof number, "--engine=%s", engines[random_below(random, 6)]);
    add(shared, number);
    (void)snprintf(number, sizeof number, "--matches=%s", kind);
    add(shared, number);
    if (result != NULL)
        add(shared, result);
    if (random_chance(random, 1, 4))
        add(shared, "--format=jsonl");
    add(ranks_only, random_chance(random, 1, 2) ? "--split=static" : "--split=dynamic");
    if (parts) {
        add(ranks_only, "-oparts");
        (void)snprintf(number, sizeof number, "--journal-segment=%zu",
                       random_between(random, 1, 3 * size));
        add(ranks_only, number);
    }
    return parts;
}

/* ------------------------------------------------------------------ running it */

/* Calls a command with arguments of both lists, which it may change, then the files. */
static int call(const ranks *self, const case_arguments *first, const case_arguments *second) {
    static char *const files[] = {"-f", "patterns", "text0", "text1", "text2"};
    char *arguments[2 * MOST_ARGUMENTS];
    int count = 0;
    for (int i = 0; i < first->count; i++)
        arguments[count++] = first->items[i];
    for (int i = 0; i < second->count; i++)
        arguments[count++] = second->items[i];
    for (int i = 0; i < 5; i++)
        arguments[count++] = files[i];
    arguments[count] = NULL;
    return self == NULL ? trawl_command_scan(count, arguments) : ranks_scan(self, count, arguments);
}

/* Standard output goes to a file. */
static void redirect(const char *name) {
    (void)fflush(stdout);
    if (freopen(name, "w", stdout) == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

static bool same_bytes(const char *left, const char *right) {
    FILE *a = fopen(left, "r");
    FILE *b = fopen(right, "r");
    bool same = a != NULL && b != NULL;
    int byte = 0;
    while (same && byte != EOF) {
        byte = fgetc(a);
        same = byte == fgetc(b);
    }
    if (a != NULL)
        (void)fclose(a);
    if (b != NULL)
        (void)fclose(b);
    return same;
}

static void remove_parts(int writers) {
    static const char *const names[] = {"part-%d", "journal-%d"};
    char path[64] = "parts/";
    for (int i = 0; i < 2 * writers; i++) {
        /* NOLINTNEXTLINE(clang-diagnostic-format-nonliteral) */
        (void)snprintf(path + 6, sizeof path - 6, names[i % 2], i / 2);
        (void)unlink(path);
    }
    (void)unlink("parts/run");
    (void)unlink("parts/lock");
    (void)rmdir("parts");
}

/* Rank 0: whether what the ranks have written is what one process writes. */
static bool compare(const case_arguments *shared, bool parts, int status) {
    case_arguments output = {0};
    add(&output, "-owant");
    int expected = call(NULL, shared, &output);
    release(&output);
    if (parts && status != 2) {
        char *cat[] = {"cat", "-ogot", "parts", NULL};
        status = trawl_command_cat(3, cat);
    }
    return status == expected && same_bytes("got", "want");
}

static bool run_case(const ranks *self, uint64_t seed, uint64_t number) {
    random_source random = random_for_case(seed, number);
    random_source contents = random_for_case(seed ^ 1, number);
    case_arguments shared = {0};
    case_arguments ranks_only = {0};
    bool root = self->rank == 0;
    bool parts = choose(&random, (size_t)self->size, &shared, &ranks_only);
    if (root)
        write_files(&contents, (size_t)self->size);
    if (root)
        redirect("got");
    (void)MPI_Barrier(MPI_COMM_WORLD);
    int status = call(self, &shared, &ranks_only);
    bool same = true;
    if (root) {
        same = compare(&shared, parts, status);
        remove_parts(self->size);
    }
    if (root && !same) {
        (void)fprintf(stderr, "case %llu of seed %llu, %d ranks:", (unsigned long long)number,
                      (unsigned long long)seed, self->size);
        for (int i = 0; i < shared.count; i++)
            (void)fprintf(stderr, " %s", shared.items[i]);
        for (int i = 0; i < ranks_only.count; i++)
            (void)fprintf(stderr, " %s", ranks_only.items[i]);
        (void)fprintf(stderr, ": differs from one process\n");
    }
    release(&shared);
    release(&ranks_only);
    return same;
}

int main(int argc, char **argv) {
    int provided = 0;
    (void)MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    ranks self = share_ranks();
    uint64_t count = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
    uint64_t seed = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    uint64_t failed = 0;
    for (uint64_t i = 0; i < count; i++)
        failed += run_case(&self, seed, i) ? 0 : 1;
    if (self.rank == 0)
        (void)fprintf(stderr, "%llu cases with %d ranks, %llu failed\n", (unsigned long long)count,
                      self.size, (unsigned long long)failed);
    (void)MPI_Finalize();
    return failed == 0 && count != 0 ? 0 : 1;
}
