/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The process of a row of trawl bench that runs an engine or libhs. This process speaks the
 * protocol of a peer's program (process.h).
 */
#ifndef CLI_BENCH_PEERS_WORKER_H
#define CLI_BENCH_PEERS_WORKER_H

#include "cli/bench/options.h"
#include "cli/bench/peers/inputs.h"
#include "cli/bench/row.h"

/* Writes the flag --worker=ROW:PATTERNS:TEXT:LENGTH for a worker: the index of its row among those
 * that the arguments ask for, the descriptors of the inputs, and the length of the text. */
void bench_worker_instruction(size_t row, const bench_inputs *inputs, char *text, size_t size);

/* The whole process; returns its exit status. */
int bench_worker_run(const bench_options *options, const bench_rows *rows);

#endif
