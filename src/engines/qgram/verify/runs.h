/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Runs of one byte: zeros in binaries, spaces, lines of dashes. A key that ends with such a run
 * passes every filter all along a longer run in the text, but can only end where the run has just
 * the key's length, or, when the key is nothing but the run, at least that. RUNS has three words
 * for every byte, 256 words apart. Bit r of the first says that some key may end where the run
 * before the end has r bytes, up to 62. Of longer runs the second one's bit r modulo 64 says that
 * some key with more than the run may. The third is the length of the shortest key that is nothing
 * but this byte, 0 when there is none.
 *
 * In folded tiers runs of letters say nothing, as they may be of both cases in the text.
 */
#ifndef TRAWL_ENGINES_QGRAM_VERIFY_RUNS_H
#define TRAWL_ENGINES_QGRAM_VERIFY_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fold.h"

#define TRAWL_QGRAM_LONGEST_RUN 63u
#define TRAWL_QGRAM_RUN_WORDS 768u

/* The length of the run at the end of a key whose bytes are stored the last one first. */
static inline uint32_t trawl_qgram_run_of(const uint8_t *reversed, uint32_t length) {
    uint32_t run = 1;
    while (run < length && reversed[run] == reversed[0]) {
        run++;
    }
    return run;
}

/* Adds it. */
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
    if (run == length) {
        runs[byte] |= run < 64 ? ~UINT64_C(0) << run : 0;
        uint64_t *least = &runs[512 + byte];
        *least = *least == 0 || run < *least ? run : *least;
    } else if (run < TRAWL_QGRAM_LONGEST_RUN) {
        runs[byte] |= UINT64_C(1) << run;
    } else {
        runs[256 + byte] |= UINT64_C(1) << run % 64;
    }
}

/* Whether a key of nothing but the byte may end behind a run of so many bytes. */
static inline bool trawl_qgram_run_is_key(const uint64_t *runs, uint8_t byte, uint64_t run) {
    return runs[512 + byte] - 1 < run;
}

/* Whether a key may end behind a run of `run` bytes, one of run + 1 bytes and so on, as bits. */
static inline uint64_t trawl_qgram_runs_fit(const uint64_t *runs, uint8_t byte, uint64_t run) {
    uint64_t longer = runs[256 + byte];
    uint32_t turn = run % 64;
    longer = turn == 0 ? longer : longer >> turn | longer << (64 - turn);
    uint64_t further = runs[512 + byte] - run; /* bytes until it is a key */
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
