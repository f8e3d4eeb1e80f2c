/*
 * Runs of one byte: zeros in binaries, spaces, lines of dashes. A key that ends with such a run
 * passes every filter all along a longer run in the text, but can only end where the run has just
 * the key's length, or, when the key is nothing but the run, at least that. RUNS has two words for
 * every byte. Bit r of the first says that some key may end where the run before the end has r
 * bytes, its highest bit that of all longer runs. In these, bit r modulo 64 of the second, which
 * stands 256 words later, must be set too.
 *
 * In folded tiers a byte is the same as the one with its case bit, here as elsewhere.
 */
#ifndef TRAWL_ENGINE_QGRAM_RUNS_H
#define TRAWL_ENGINE_QGRAM_RUNS_H

#include <stdint.h>

#define TRAWL_QGRAM_LONGEST_RUN 63u
#define TRAWL_QGRAM_RUN_WORDS 512u

/* Adds the run of a key whose bytes are stored the last one first. */
static inline void trawl_qgram_add_run(uint64_t *runs, const uint8_t *reversed, uint32_t length,
                                       uint8_t case_bit) {
    uint8_t byte = reversed[0] | case_bit;
    uint32_t run = 1;
    while (run < length && (reversed[run] | case_bit) == byte) {
        run++;
    }
    uint32_t bit = run < TRAWL_QGRAM_LONGEST_RUN ? run : TRAWL_QGRAM_LONGEST_RUN;
    if (run == length) {
        runs[byte] |= ~UINT64_C(0) << bit;
        runs[256 + byte] = ~UINT64_C(0);
    } else {
        runs[byte] |= UINT64_C(1) << bit;
        runs[256 + byte] |= run < TRAWL_QGRAM_LONGEST_RUN ? 0 : UINT64_C(1) << run % 64;
    }
}

/* Whether a key may end behind a run of `run` bytes, one of run + 1 bytes and so on, as bits. */
static inline uint64_t trawl_qgram_runs_fit(const uint64_t *runs, uint8_t byte, uint64_t run) {
    uint64_t longer = runs[256 + byte];
    uint32_t turn = run % 64;
    longer = turn == 0 ? longer : longer >> turn | longer << (64 - turn);
    if (run >= TRAWL_QGRAM_LONGEST_RUN) {
        return longer;
    }
    uint64_t exact = (UINT64_C(1) << (TRAWL_QGRAM_LONGEST_RUN - run)) - 1;
    return (runs[byte] >> run & exact) | (longer & ~exact);
}

#endif
