/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl engines: the algorithms, their variants and kernels. */
#include "cli/engines/command.h"

#include <stdio.h>

#include "cli/base/report.h"
#include "cli/flags/arguments.h"
#include "trawl/trawl.h"

static const flag *const no_flags[] = {NULL};

static const command engines_command = {
    .name = "engines",
    .summary = "list the algorithms, their variants and kernels",
    .usage = "  trawl engines",
    .examples = "  trawl engines\n",
    .flags = no_flags,
    .notes =
        "The first variant of each engine is its default, and so is the first kernel, except\n"
        "that qgram uses the kernel packed if patterns and text allow it. --engine and\n"
        "--variant of scan, grep, compile, info and bench take these names, --kernel of scan,\n"
        "bench and tune the names of kernels.\n"
        "\n"
        "Exit status: 0, or 2 after an error.\n",
};

/* Reads the arguments of a command without flags: true to go on, else *status is the exit status.
 */
static bool take_nothing(const command *self, int argc, char **argv, int *status) {
    arguments args;
    arguments_begin(&args, self, argc, argv);
    int id = arguments_next(&args);
    *status = id == ARGUMENTS_HELP ? EXIT_MATCHED : EXIT_ERROR;
    if (id == ARGUMENTS_OPERAND)
        (void)arguments_misuse(self, "expected no operand, found '%s'", args.value);
    return id == ARGUMENTS_END;
}

int trawl_command_engines(int argc, char **argv) {
    int status = EXIT_ERROR;
    if (!take_nothing(&engines_command, argc, argv, &status))
        return status;
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++) {
        (void)printf("%s%s: %s\n  source: %s\n", i == 0 ? "" : "\n", engine.name, engine.summary,
                     engine.source);
        for (size_t j = 0; engine.variants != NULL && engine.variants[j] != NULL; j++)
            (void)printf("  %-18s %s\n", engine.variants[j], engine.variant_summaries[j]);
        trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION;
        for (size_t j = 0; trawl_kernel_describe(engine.name, j, &kernel); j++)
            (void)printf("%s    %-16s %s (%s)\n", j == 0 ? "  kernels on CUDA devices\n" : "",
                         kernel.name, kernel.summary, kernel.source);
    }
    return finish_output(EXIT_MATCHED);
}
