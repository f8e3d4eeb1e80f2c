/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CLI_INDEX_COMMAND_H
#define CLI_INDEX_COMMAND_H

#include "cli/flags/arguments.h"

/* Runs `trawl index` with argv[0] = "index". Returns the exit status; an error has been reported.
 */
int trawl_command_index(int argc, char **argv);

/* Shows `take` each flag and operand of the command line, with its id (cli/flags/arguments.h),
 * until it returns false. Returns false if the command is over: after --help, with *status
 * EXIT_MATCHED, or after an error that was reported. */
bool index_take_arguments(const command *described, int argc, char **argv,
                          bool (*take)(void *context, const arguments *args, int id), void *context,
                          int *status);

/* Its two parts; argv[0] is "build" or "query". */
int trawl_command_index_build(int argc, char **argv);
int trawl_command_index_query(int argc, char **argv);

#endif
