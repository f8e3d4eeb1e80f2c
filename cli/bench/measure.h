/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Builds the rows and times them in turns. */
#ifndef CLI_BENCH_MEASURE_H
#define CLI_BENCH_MEASURE_H

#include "cli/base/memory_text.h"
#include "cli/bench/options.h"
#include "cli/bench/peers/inputs.h"
#include "cli/bench/row.h"
#include "trawl/trawl.h"

/* Builds and times every row. Rows take turns, so that changes of the machine's speed affect all of
 * them alike. With `inputs` each row runs in a process of its own; NULL: in this process. */
void bench_measure(const bench_options *options, const trawl_patterns *patterns,
                   const memory_text *text, const bench_inputs *inputs, bench_rows *rows);

#endif
