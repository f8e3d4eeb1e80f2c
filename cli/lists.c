/* trawl devices, trawl engines: what there is. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "commands.h"
#include "report.h"
#include "trawl/trawl.h"

static int finish_output(void) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_MATCHED;
    report("(standard output): could not be written");
    return EXIT_ERROR;
}

/* For commands without flags: true to go on, else *status is the exit status. */
static bool take_nothing(const command *self, int argc, char **argv, int *status) {
    arguments args;
    arguments_begin(&args, self, argc, argv);
    int id = arguments_next(&args);
    *status = id == ARGUMENTS_HELP ? EXIT_MATCHED : EXIT_ERROR;
    if (id == ARGUMENTS_OPERAND)
        (void)arguments_misuse(self, "expected no operand, found '%s'", args.value);
    return id == ARGUMENTS_END;
}

static const flag no_flags[] = {{0}};

static const command devices_command = {
    .name = "devices",
    .summary = "list the processors that can scan",
    .usage = "  trawl devices",
    .examples = "  trawl devices\n",
    .flags = no_flags,
    .notes = "Columns: the name as --device takes it, CPUs or multiprocessors, memory in bytes,\n"
             "a description. They are separated by tabs.\n",
};

int trawl_command_devices(int argc, char **argv) {
    int status = EXIT_ERROR;
    if (!take_nothing(&devices_command, argc, argv, &status))
        return status;
    size_t count = 0;
    trawl_error error;
    if (trawl_devices(NULL, 0, &count, &error) != TRAWL_OK)
        return report_error(&error);
    trawl_device *devices = allocate(count * sizeof *devices);
    size_t capacity = count;
    if (trawl_devices(devices, capacity, &count, &error) != TRAWL_OK) {
        free(devices);
        return report_error(&error);
    }
    for (size_t i = 0; i < count && i < capacity; i++)
        (void)printf("%s\t%" PRIu32 "\t%" PRIu64 "\t%s\n", devices[i].name, devices[i].units,
                     devices[i].memory_bytes, devices[i].description);
    free(devices);
    return finish_output();
}

static const command engines_command = {
    .name = "engines",
    .summary = "list the algorithms and their variants",
    .usage = "  trawl engines",
    .examples = "  trawl engines\n",
    .flags = no_flags,
    .notes = "The first variant of each engine is its default. --engine and --variant of scan,\n"
             "compile, info and bench take these names.\n",
};

int trawl_command_engines(int argc, char **argv) {
    int status = EXIT_ERROR;
    if (!take_nothing(&engines_command, argc, argv, &status))
        return status;
    trawl_engine_description engine;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++) {
        (void)printf("%s%s: %s\n  source: %s\n", i == 0 ? "" : "\n", engine.name, engine.summary,
                     engine.source);
        for (size_t j = 0; engine.variants != NULL && engine.variants[j] != NULL; j++)
            (void)printf("  %-18s %s\n", engine.variants[j], engine.variant_summaries[j]);
    }
    return finish_output();
}
