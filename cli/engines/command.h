/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CLI_ENGINES_COMMAND_H
#define CLI_ENGINES_COMMAND_H

/* Runs `trawl engines` with argv[0] = "engines". Returns the exit status; an error has been
 * reported. */
int trawl_command_engines(int argc, char **argv);

#endif
