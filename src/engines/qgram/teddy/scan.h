/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Scanning with Teddy (engines/qgram/teddy/format.h), for each instruction set. */
#ifndef TRAWL_ENGINES_QGRAM_TEDDY_SCAN_H
#define TRAWL_ENGINES_QGRAM_TEDDY_SCAN_H

#include "base/cpu.h"
#include "engines/qgram/teddy/format.h"
#include "engines/qgram/teddy/position_masks.h"

#define TRAWL_TEDDY_SPARE TRAWL_SPARE_POSITIONS

/* Lists the candidates among the positions first .. first + count - 1 in ascending order: positions
 * that may hold the last byte of a pattern. Returns their number. `list` has room for `count` and
 * TRAWL_TEDDY_SPARE more. Reads text[first - window + 1] to text[first + count - 1] at most, where
 * `window` is the tier's. `dense` selects a loop without branches on candidates, which is faster if
 * there are many. The result is the same for both loops and all instruction sets. */
typedef size_t (*trawl_teddy_search)(const trawl_teddy *filter, const uint8_t *text, size_t first,
                                     size_t count, bool dense, uint32_t *list);

/* The function for an instruction set. */
trawl_teddy_search trawl_teddy_for(trawl_cpu_set set);

#endif
