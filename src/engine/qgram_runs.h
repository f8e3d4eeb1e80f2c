/*
 * Runs of one byte: zeros in binaries, spaces, lines of dashes. A key that ends with such a run
 * passes every filter all along a longer run in the text, but can only end where the run has just
 * the key's length, or, when the key is nothing but the run, at least that. RUNS has a word for
 * every byte; its bit r says that some key may end where the run before the end has r bytes, its
 * highest bit that of all longer runs.
 */
#ifndef TRAWL_ENGINE_QGRAM_RUNS_H
#define TRAWL_ENGINE_QGRAM_RUNS_H

#include <stdint.h>

#define TRAWL_QGRAM_LONGEST_RUN 63u

/* The bits of a key whose bytes are stored the last one first. */
static inline uint64_t trawl_qgram_run_bits(const uint8_t *reversed, uint32_t length) {
    uint32_t run = 1;
    while (run < length && run < TRAWL_QGRAM_LONGEST_RUN && reversed[run] == reversed[0]) {
        run++;
    }
    return run == length ? ~UINT64_C(0) << run : UINT64_C(1) << run;
}

/* The length of the run of `byte` before an end, which has `known` bytes at least; not counted
 * beyond TRAWL_QGRAM_LONGEST_RUN. */
static inline uint32_t trawl_qgram_run_before(const uint8_t *text, uint64_t end, uint8_t byte,
                                              uint32_t known) {
    while (known < TRAWL_QGRAM_LONGEST_RUN && known < end && text[end - known - 1] == byte) {
        known++;
    }
    return known < TRAWL_QGRAM_LONGEST_RUN ? known : TRAWL_QGRAM_LONGEST_RUN;
}

#endif
