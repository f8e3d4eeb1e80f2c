/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CLI_TUNE_COMMAND_H
#define CLI_TUNE_COMMAND_H

/* Runs `trawl tune` with argv[0] = "tune". Returns the exit status; an error has been reported. */
int trawl_command_tune(int argc, char **argv);

#endif
