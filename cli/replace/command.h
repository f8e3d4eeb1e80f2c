/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CLI_REPLACE_COMMAND_H
#define CLI_REPLACE_COMMAND_H

/* Runs `trawl replace`; argv[0] is "replace". Returns the exit status. */
int trawl_command_replace(int argc, char **argv);

#endif
