/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl index: for texts that stay the same while patterns change: an index is searched instead of
 * the texts. */
#include "cli/index/command.h"

#include <string.h>

#include "cli/base/report.h"
#include "cli/flags/arguments.h"

static const flag no_flags[] = {{0}};

static const flag *const index_flags[] = {no_flags, NULL};

static const command index_command = {
    .name = "index",
    .summary = "sort texts once, then find each pattern at once",
    .usage = "  trawl index build [-r] -o X.tix TEXT...\n"
             "  trawl index query X.tix [FLAGS] -f FILE|-e PATTERN",
    .examples = "  trawl index build -r -o docs.tix docs/\n"
                "  trawl index query docs.tix -e fox            the files that contain fox\n"
                "  trawl index query docs.tix --count -f words.txt\n",
    .flags = index_flags,
    .notes = "'trawl index build --help' and 'trawl index query --help' have the flags.\n",
};

bool index_take_arguments(const command *described, int argc, char **argv,
                          bool (*take)(void *context, const arguments *args, int id), void *context,
                          int *status) {
    arguments args;
    arguments_begin(&args, described, argc, argv);
    int id = ARGUMENTS_END;
    while ((id = arguments_next(&args)) != ARGUMENTS_END) {
        if (id == ARGUMENTS_HELP)
            *status = EXIT_MATCHED;
        if (id == ARGUMENTS_HELP || id == ARGUMENTS_ERROR || !take(context, &args, id))
            return false;
    }
    return true;
}

int trawl_command_index(int argc, char **argv) {
    if (argc >= 2 && strcmp(argv[1], "build") == 0)
        return trawl_command_index_build(argc - 1, argv + 1);
    if (argc >= 2 && strcmp(argv[1], "query") == 0)
        return trawl_command_index_query(argc - 1, argv + 1);
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return command_print_help(&index_command);
    if (argc < 2)
        return arguments_misuse(&index_command, "expected build or query");
    return arguments_misuse(&index_command, "expected build or query, found '%s'", argv[1]);
}
