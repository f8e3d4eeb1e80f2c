/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The fallback automaton: scans where the text has so many candidates that the filters do not pay.
 *
 * A text may be full of candidates, by chance or by malice. A byte then takes the filters many
 * times as long as it takes an automaton, whose time hardly depends on the text. So stretches of
 * text with many look-ups are timed:
 * 1. After a stretch of more than TRAWL_FALLBACK_STEP_SECONDS a byte, the next one is timed in
 *    processor time: this clock takes longer to read, but does not count time that a thread waits.
 * 2. What a stretch takes of that beyond TRAWL_FALLBACK_STEP_SECONDS a byte is time lost.
 * 3. Once more time is lost than building an automaton is expected to take, it is built.
 * 4. From then on, after each stretch that was slower than the automaton, the automaton scans the
 *    text that follows: TRAWL_FALLBACK_STRETCH bytes, twice as many each time, and at least as many
 *    as take as long as the stretch lost. A faster stretch resets this number.
 * Whatever the text is, the whole takes at most a small multiple of the automaton's time.
 */
#ifndef TRAWL_ENGINES_QGRAM_FALLBACK_H
#define TRAWL_ENGINES_QGRAM_FALLBACK_H

#include "base/clock.h"
#include "scan/candidates.h"

typedef struct trawl_qgram_fallback {
    trawl_walker *walker;    /* the automaton's; NULL until it is needed */
    bool unavailable;        /* there is no memory for an automaton */
    bool processor_time;     /* stretches are timed in it, since the last one was slow */
    double seconds_lost;     /* by slow stretches so far, less what fast ones gained; at least 0 */
    double build_seconds;    /* that building the automaton is expected to take */
    double seconds_per_byte; /* that the automaton took for its last text */
    size_t next_bytes;       /* text that the automaton gets the next time */
    uint64_t bytes;          /* that the automaton has scanned */
} trawl_qgram_fallback;

void trawl_qgram_fallback_begin(trawl_qgram_fallback *fallback, const trawl_db *db);
void trawl_qgram_fallback_close(trawl_qgram_fallback *fallback);

/* For scanners: opens the automaton now if the patterns have at most TRAWL_FALLBACK_RESERVED_BYTES
 * together. If they have more, or there is no memory, it is never opened. */
trawl_status trawl_qgram_fallback_reserve(trawl_qgram_fallback *fallback, trawl_walker *walker,
                                          trawl_error *error);

/* The clock of the next stretch, in seconds. */
static inline double trawl_qgram_fallback_clock(const trawl_qgram_fallback *fallback) {
    return fallback->processor_time ? trawl_thread_seconds() : trawl_seconds();
}

/* Takes account of a stretch of `bytes` with many look-ups, which took `seconds` by
 * trawl_qgram_fallback_clock. Builds the automaton when it is time. `walker` is qgram's.
 * *takes_over: whether the automaton shall scan the next fallback->next_bytes of the text. Errors:
 * those of walker->open_fallback. */
trawl_status trawl_qgram_fallback_account(trawl_qgram_fallback *fallback, trawl_walker *walker,
                                          size_t bytes, double seconds, bool *takes_over,
                                          trawl_error *error);

/* Scans (begin, end] of a window of database `db` with the automaton. */
trawl_status trawl_qgram_fallback_scan(trawl_qgram_fallback *fallback, const trawl_db *db,
                                       const trawl_window *window, size_t begin, size_t end,
                                       const trawl_consumer *consumer, trawl_error *error);

#endif
