/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CLI_GREP_COMMAND_H
#define CLI_GREP_COMMAND_H

/* Runs `trawl grep` with argv[0] = "grep". Returns the exit status; an error has been reported. */
int trawl_command_grep(int argc, char **argv);

#endif
