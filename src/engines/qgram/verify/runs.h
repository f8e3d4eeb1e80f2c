/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Lengths of the runs of one byte at keys' ends: zeros in binaries, spaces, lines of dashes.
 *
 * A key that ends with such a run makes candidates all along a longer run in the text. But it can
 * only end where the text has as many bytes of the run as the key, or, if the key is nothing but
 * the run, at least as many:
 *
 *   key   a - - -        a run of exactly 3
 *   key   - - - -        a run of at least 4
 *   text  x - - - - - -
 *               ^             the end that the first key's run allows
 *                 ^ ^ ^       the ends that the second key's run allows
 *
 * The section QGRAM_RUNS has three words for each byte value:
 *   runs[byte]        bit r: some key may end where the run before the end has r bytes, r <= 62
 *   runs[256 + byte]  bit r % 64: the same for a key with more than its run, r >= 63
 *   runs[512 + byte]  length of the shortest key that is nothing but this byte; 0: there is none
 *
 * In folded tiers runs of letters exclude nothing, as the text may have letters of both cases.
 */
#ifndef TRAWL_ENGINES_QGRAM_VERIFY_RUNS_H
#define TRAWL_ENGINES_QGRAM_VERIFY_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fold.h"

#define TRAWL_QGRAM_LONGEST_RUN 63u /* from this length on, bits of runs[256 + byte] */
#define TRAWL_QGRAM_RUN_WORDS 768u  /* 3 * 256 */

/* The length of the run at the end of a key whose bytes are stored the last one first. */
static inline uint32_t trawl_qgram_run_of(const uint8_t *reversed, uint32_t length) {
    uint32_t run = 1;
    while (run < length && reversed[run] == reversed[0]) {
        run++;
    }
    return run;
}

/* Whether a string is a run of one byte. */
static inline bool trawl_qgram_is_run(const uint8_t *bytes, uint32_t length) {
    return trawl_qgram_run_of(bytes, length) == length;
}

/* Adds a key's run to the table. */
static inline void trawl_qgram_add_run(uint64_t *runs, const uint8_t *reversed, uint32_t length,
                                       bool folded) {
    uint8_t byte = reversed[0];
    if (folded && trawl_is_letter(byte)) {
        for (unsigned cased = 0; cased < 2; cased++, byte ^= 0x20) {
            runs[byte] = ~UINT64_C(0);
            runs[512 + byte] = 1;
        }
        return;
    }
    uint32_t run = trawl_qgram_run_of(reversed, length);
    if (run == length) { /* the key is nothing but the run */
        runs[byte] |= run < 64 ? ~UINT64_C(0) << run : 0;
        uint64_t *least = &runs[512 + byte];
        *least = *least == 0 || run < *least ? run : *least;
    } else if (run < TRAWL_QGRAM_LONGEST_RUN) {
        runs[byte] |= UINT64_C(1) << run;
    } else {
        runs[256 + byte] |= UINT64_C(1) << run % 64;
    }
}

/* Whether a key that is nothing but this byte may end after a run of `run` bytes. */
static inline bool trawl_qgram_run_is_key(const uint64_t *runs, uint8_t byte, uint64_t run) {
    return runs[512 + byte] - 1 < run; /* 0 - 1 is larger than any run */
}

/* Bit i: whether a key may end after a run of run + i bytes. */
static inline uint64_t trawl_qgram_runs_fit(const uint64_t *runs, uint8_t byte, uint64_t run) {
    uint64_t longer = runs[256 + byte];
    uint32_t rotation = run % 64;
    longer = rotation == 0 ? longer : longer >> rotation | longer << (64 - rotation);
    uint64_t further = runs[512 + byte] - run; /* bytes until the run is as long as such a key */
    longer |= trawl_qgram_run_is_key(runs, byte, run) ? ~UINT64_C(0)
              : further < 64                          ? ~UINT64_C(0) << further
                                                      : 0;
    if (run >= TRAWL_QGRAM_LONGEST_RUN) {
        return longer;
    }
    uint64_t exact = (UINT64_C(1) << (TRAWL_QGRAM_LONGEST_RUN - run)) - 1;
    return (runs[byte] >> run & exact) | (longer & ~exact);
}

#endif
