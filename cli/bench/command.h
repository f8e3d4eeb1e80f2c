/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CLI_BENCH_COMMAND_H
#define CLI_BENCH_COMMAND_H

/* Runs `trawl bench` with argv[0] = "bench". Returns the exit status; an error has been reported.
 */
int trawl_command_bench(int argc, char **argv);

#endif
