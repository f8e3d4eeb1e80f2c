/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The q-gram engine's filter by shuffles (engines/qgram/teddy/format.h), for each instruction set.
 */
#ifndef TRAWL_ENGINES_QGRAM_TEDDY_SCAN_H
#define TRAWL_ENGINES_QGRAM_TEDDY_SCAN_H

#include "base/cpu.h"
#include "engines/qgram/teddy/format.h"
#include "engines/qgram/teddy/position_marks.h"

#define TRAWL_TEDDY_SPARE TRAWL_SPARE_POSITIONS

/* Notes which of the positions first .. first + count - 1 may hold the last byte of a pattern,
 * ascending; `noted` has room for `count` and TRAWL_TEDDY_SPARE more. Reads text[first - window +
 * 1] to text[first + count - 1] at most, where `window` is the tier's. `dense` is for texts in
 * which many pass: the same result in another way. All sets note the same. */
typedef size_t (*trawl_teddy_search)(const trawl_teddy *filter, const uint8_t *text, size_t first,
                                     size_t count, bool dense, uint32_t *noted);

trawl_teddy_search trawl_teddy_for(trawl_cpu_set set);

#endif
