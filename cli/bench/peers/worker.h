/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The process of one row of trawl bench that runs an engine or libhs: what process.h says of
 * a peer's program, said by this one.
 */
#ifndef CLI_BENCH_PEERS_WORKER_H
#define CLI_BENCH_PEERS_WORKER_H

#include "cli/bench/options.h"
#include "cli/bench/peers/inputs.h"
#include "cli/bench/row.h"

/* What a worker is told, as "ROW:PATTERNS:TEXT:LENGTH" in the flag --worker: its row among those
 * that its arguments ask for, the descriptors of the inputs, the length of the text. */
void bench_worker_instruction(size_t row, const bench_inputs *inputs, char *text, size_t size);

/* The whole process; returns its exit status. */
int bench_worker_run(const bench_options *options, const bench_rows *rows);

#endif
