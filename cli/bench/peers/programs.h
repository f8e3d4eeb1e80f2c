/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * trawl bench --peers: programs that are timed as a whole, from start to end. All of them count the
 * lines that contain a match, so that their output takes no time.
 */
#ifndef CLI_BENCH_PEERS_PROGRAMS_H
#define CLI_BENCH_PEERS_PROGRAMS_H

#include "cli/bench/options.h"
#include "cli/bench/peers/inputs.h"
#include "cli/bench/row.h"
#include "trawl/trawl.h"

/* Measures trawl grep, GNU grep and ripgrep. In their rows, the engine is the name of the program,
 * the variant is its version, and the matches are lines. */
void bench_programs_measure(const bench_options *options, const trawl_patterns *patterns,
                            const bench_inputs *inputs, bench_rows *programs);

#endif
