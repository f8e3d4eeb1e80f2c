/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CLI_INFO_COMMAND_H
#define CLI_INFO_COMMAND_H

/* Runs `trawl info` with argv[0] = "info". Returns the exit status; an error has been reported. */
int trawl_command_info(int argc, char **argv);

#endif
