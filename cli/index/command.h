/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CLI_INDEX_COMMAND_H
#define CLI_INDEX_COMMAND_H

/* Runs `trawl index` with argv[0] = "index". Returns the exit status; an error has been reported.
 */
int trawl_command_index(int argc, char **argv);

/* Its two parts; argv[0] is "build" or "query". */
int trawl_command_index_build(int argc, char **argv);
int trawl_command_index_query(int argc, char **argv);

#endif
