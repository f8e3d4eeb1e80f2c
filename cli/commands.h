/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The commands of trawl. Each takes its own arguments with argv[0] = its name, and returns the exit
 * status: 0 matched or done, 1 nothing found, 2 error (one line has been printed).
 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "arguments.h"

int trawl_command_scan(int argc, char **argv);
int trawl_command_grep(int argc, char **argv);
int trawl_command_compile(int argc, char **argv);
int trawl_command_info(int argc, char **argv);
int trawl_command_bench(int argc, char **argv);
int trawl_command_tune(int argc, char **argv);
int trawl_command_devices(int argc, char **argv);
int trawl_command_engines(int argc, char **argv);

#endif
