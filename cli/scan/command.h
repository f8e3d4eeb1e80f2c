/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CLI_SCAN_COMMAND_H
#define CLI_SCAN_COMMAND_H

/* Runs `trawl scan` with argv[0] = "scan". Returns the exit status; an error has been reported. */
int trawl_command_scan(int argc, char **argv);

/* trawl cat: the results of scans with --journal. */
int trawl_command_cat(int argc, char **argv);

#endif
