/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl engines: the algorithms, their variants and kernels, and the papers that they are from. */
#include "cli/engines/command.h"

#include <stdio.h>
#include <string.h>

#include "cli/base/report.h"
#include "cli/base/words.h"
#include "cli/flags/arguments.h"
#include "cli/flags/device.h"
#include "trawl/trawl.h"

static const flag *const no_flags[] = {NULL};

static const command engines_command = {
    .name = "engines",
    .summary = "list the algorithms, their variants and kernels, and their papers",
    .usage = "  trawl engines [ENGINE...]",
    .examples = "  trawl engines             all engines, and the papers that they are from\n"
                "  trawl engines qgram       one of them\n",
    .flags = no_flags,
    .notes =
        "An engine is an algorithm with its tables. A variant is one of its forms: the first one\n"
        "is used unless --variant names another. A kernel is one of its programs for a GPU: again\n"
        "the first one is used, except that qgram uses packed if patterns and text allow it.\n"
        "\n"
        "--engine and --variant of scan, grep, compile, info and bench take these names, --kernel\n"
        "of scan, bench and tune the names of kernels. Without --engine the planner chooses the\n"
        "engine that is expected to be the fastest; 'trawl info' tells its choice and why.\n"
        "\n"
        "Exit status: 0, or 2 after an error.\n",
};

/* Wrapped lines are indented further than any name, so that programs can find the names. */
enum { SOURCE_COLUMN = 10, NAME_COLUMN = 21, PAPER_COLUMN = 29 };

/* In the order of the years, under the names that sources have. */
static const struct {
    const char *name;
    const char *title;
} papers[] = {
    {"Bloom 1970", "B. H. Bloom: Space/Time Trade-offs in Hash Coding with Allowable Errors"},
    {"Aho & Corasick 1975",
     "A. V. Aho, M. J. Corasick: Efficient String Matching: An Aid to Bibliographic Search"},
    {"Karp & Rabin 1987",
     "R. M. Karp, M. O. Rabin: Efficient Randomized Pattern-Matching Algorithms"},
    {"Wu & Manber 1994", "S. Wu, U. Manber: A Fast Algorithm for Multi-Pattern Searching"},
    {"Zha & Sahni 2011", "X. Zha, S. Sahni: Multipattern String Matching On A GPU"},
    {"Charan 2015", "Y. Charan: Thread divergence free and space efficient GPU implementation of "
                    "NFA AC"},
    {"Kouzinopoulos et al. 2015",
     "C. S. Kouzinopoulos, J.-A. M. Assael, T. K. Pyrgiotis, K. G. Margaritis: A Hybrid Parallel "
     "Implementation of the Aho-Corasick and Wu-Manber Algorithms Using NVIDIA CUDA and MPI "
     "Evaluated on a Biological Sequence Database"},
    {"Tran et al. 2015", "N.-P. Tran, M. Lee, D. H. Choi: Cache Locality-Centric Parallel String "
                         "Matching on Many-Core Accelerator Chips"},
    {"Nunes et al. 2018", "L. S. N. Nunes, J. L. Bordim, Y. Ito, K. Nakano: Parallel Rabin-Karp "
                          "Algorithm Implementation on GPU"},
};

/* Prints text that begins at the column where the cursor is; further lines are indented. */
static void print_rest(const char *text, int column, size_t indent) {
    if ((size_t)column >= indent) {
        (void)putchar('\n');
        column = 0;
    }
    words_print(text, strlen(text), (size_t)column, indent);
}

static void print_kernels(const char *engine) {
    char text[512];
    trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION;
    for (size_t i = 0; trawl_kernel_describe(engine, i, &kernel); i++) {
        if (i == 0)
            (void)printf("  kernels on CUDA devices\n");
        (void)snprintf(text, sizeof text, "%s (%s)", kernel.summary, kernel.source);
        print_rest(text, printf("    %s", kernel.name), NAME_COLUMN);
    }
}

static void print_engine(const trawl_engine_description *engine) {
    char text[512];
    (void)printf("%s: %s\n", engine->name, engine->summary);
    print_rest(engine->source, printf("  source:"), SOURCE_COLUMN);
    for (size_t i = 0; engine->variants != NULL && engine->variants[i] != NULL; i++) {
        (void)snprintf(text, sizeof text, "%s%s", engine->variant_summaries[i],
                       i == 0 ? " (the default)" : "");
        print_rest(text, printf("  %s", engine->variants[i]), NAME_COLUMN);
    }
    print_kernels(engine->name);
}

/* Prints the engines that the operands name; none: all, and the papers. */
static void print_engines(char *const *names, size_t count) {
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    bool follows = false;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++) {
        bool is_wanted = count == 0;
        for (size_t j = 0; j < count; j++)
            is_wanted = is_wanted || strcmp(names[j], engine.name) == 0;
        if (!is_wanted)
            continue;
        (void)printf("%s", follows ? "\n" : "");
        print_engine(&engine);
        follows = true;
    }
    if (count != 0)
        return;
    (void)printf("\nPapers\n");
    for (size_t i = 0; i < sizeof papers / sizeof papers[0]; i++)
        print_rest(papers[i].title, printf("  %s", papers[i].name), PAPER_COLUMN);
}

static int refuse_name(const char *name) {
    char names[256];
    size_t used = 0;
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    for (size_t i = 0; used < sizeof names && trawl_engine_describe(i, &engine); i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ",
                                 engine.name);
    return arguments_misuse(&engines_command, "unknown engine '%s'; expected one of %s", name,
                            names);
}

int trawl_command_engines(int argc, char **argv) {
    arguments args;
    char *names[16];
    size_t count = 0;
    arguments_begin(&args, &engines_command, argc, argv);
    int id = ARGUMENTS_END;
    while ((id = arguments_next(&args)) == ARGUMENTS_OPERAND) {
        trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
        if (!engine_find(args.value, &engine))
            return refuse_name(args.value);
        if (count < sizeof names / sizeof names[0])
            names[count++] = (char *)args.value;
    }
    if (id != ARGUMENTS_END)
        return id == ARGUMENTS_HELP ? EXIT_MATCHED : EXIT_ERROR;
    print_engines(names, count);
    return finish_output(EXIT_MATCHED);
}
