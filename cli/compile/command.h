/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CLI_COMPILE_COMMAND_H
#define CLI_COMPILE_COMMAND_H

/* Runs `trawl compile` with argv[0] = "compile". Returns the exit status; an error has been
 * reported. */
int trawl_command_compile(int argc, char **argv);

#endif
