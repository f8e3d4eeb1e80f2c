/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CLI_REPRODUCE_COMMAND_H
#define CLI_REPRODUCE_COMMAND_H

/* Runs `trawl reproduce` with argv[0] = "reproduce". Returns the exit status; an error has been
 * reported. */
int trawl_command_reproduce(int argc, char **argv);

#endif
