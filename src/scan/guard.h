/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The guard of an engine whose time for a byte depends on the text: hands the text over to the
 * fallback automaton where the engine does not pay.
 *
 * A text may be full of candidates, by chance or by malice. A byte then takes filters and hashes
 * many times as long as it takes an automaton, whose time hardly depends on the text; and where
 * long patterns nearly match, thousands of bytes are compared for it. So stretches of text with
 * many candidates, look-ups or compared bytes are timed:
 * 1. After a stretch that was slower than the automaton is expected to be, the next one is timed in
 *    processor time: this clock takes longer to read, but does not count time that a thread waits.
 *    Expected is TRAWL_FALLBACK_PRICE_ERROR times the planner's price, or without a plan
 *    TRAWL_FALLBACK_STEP_SECONDS a byte.
 * 2. What such a stretch takes beyond the expected time is time lost. What it takes less is gained
 *    back, and the next stretch is timed in elapsed time again.
 * 3. Once more time is lost than building an automaton is expected to take, it is built.
 * 4. From then on, after each stretch in processor time that took TRAWL_FALLBACK_MARGIN times as
 *    long as the automaton took for its last text, the automaton scans the text that follows:
 *    TRAWL_FALLBACK_STRETCH bytes, twice as many each time, and as many as it scans in the time
 *    that the stretch lost; TRAWL_FALLBACK_MAX_BYTES at most. A faster stretch resets this number.
 * Whatever the text is, the whole takes at most a small multiple of the automaton's time.
 *
 * Texts of at most a block, such as packets and fields that a caller scans one by one, are too
 * short for a clock each. Of those with many look-ups one in TRAWL_FALLBACK_SHORT_TEXTS is timed
 * and stands for that many; the texts with few between them are taken to need half of the
 * automaton's time. What is handed over are the texts that follow, as many bytes as above.
 */
#ifndef TRAWL_SCAN_GUARD_H
#define TRAWL_SCAN_GUARD_H

#include "constants/fallback.h"
#include "scan/candidates.h"

typedef struct trawl_guard {
    trawl_walker *walker;    /* the automaton's; NULL until it is needed */
    bool unavailable;        /* there is no memory for an automaton */
    bool reserves;           /* an automaton must not allocate while it scans */
    bool processor_time;     /* stretches are timed in it, since the last one was slow */
    double seconds_lost;     /* by slow stretches so far, less what fast ones gained; at least 0 */
    double seconds_per_byte; /* that the automaton took for its last text, or before its first one
                                is expected to take; 0: not known yet */
    size_t block;            /* result of trawl_guard_block, whose division takes 2 ns */
    size_t next_bytes;       /* text that the automaton gets the next time */
    size_t handed_over;      /* of short texts: bytes that the automaton still gets */
    uint32_t dense_texts;    /* short texts with many look-ups since the last one that was timed */
    uint64_t sparse_bytes;   /* of short texts with few, since then */
    uint64_t engine_bytes;   /* of text, that the engine itself has scanned */
    uint64_t automaton_bytes;
} trawl_guard;

/* The bytes of a stretch, of `most`, after which an engine must be able to end it: fewer where
 * patterns are so long that comparing them at each position takes much time. */
size_t trawl_guard_block(const trawl_db *db, size_t most);

/* Scans a stretch of the window from *begin on with the engine itself, and moves *begin behind it:
 * at most TRAWL_FALLBACK_STRETCH bytes, or fewer where look-ups are too many, or `careful` is true
 * because the stretch before was slow. *look_ups: those of the stretch, its candidates, and the
 * bytes of patterns that were compared as further look-ups, one for TRAWL_FALLBACK_LOOK_UP_BYTES.
 */
typedef trawl_status trawl_guard_stretch(trawl_walker *walker, const trawl_window *window,
                                         const trawl_consumer *consumer, bool careful,
                                         size_t *begin, uint64_t *look_ups, trawl_error *error);

void trawl_guard_begin(trawl_guard *guard, const trawl_db *db);
void trawl_guard_close(trawl_guard *guard);

/* For scanners: opens the automaton now if the patterns have at most TRAWL_FALLBACK_RESERVED_BYTES
 * together. If they have more, it is opened, with all its memory, when a text is slow; that is up
 * to walker->open_fallback, which opens none for scanners that must not allocate then. */
trawl_status trawl_guard_reserve(trawl_guard *guard, trawl_walker *walker, trawl_error *error);

/* Scans the owned bytes of a window, with `stretch` of the engine of `walker` and with the
 * automaton in turn. Errors: those of `stretch`, of walker->open_fallback and of the automaton. */
trawl_status trawl_guard_scan(trawl_guard *guard, trawl_walker *walker, const trawl_window *window,
                              const trawl_consumer *consumer, trawl_guard_stretch *stretch,
                              trawl_error *error);

/* Whether the engine may scan the next window of at most guard->block bytes as it would without a
 * guard: no text is handed over to the automaton, and the window need not be timed. Afterwards it
 * calls trawl_guard_note_short. */
static inline bool trawl_guard_is_idle(const trawl_guard *guard) {
    return guard->handed_over == 0 && guard->dense_texts < TRAWL_FALLBACK_SHORT_TEXTS;
}

/* Takes account of such a window, of `bytes` owned bytes with so many look-ups. */
static inline void trawl_guard_note_short(trawl_guard *guard, size_t bytes, uint64_t look_ups) {
    guard->engine_bytes += bytes;
    if (look_ups * TRAWL_FALLBACK_FEW_BYTES < bytes) {
        guard->sparse_bytes += bytes;
    } else {
        guard->dense_texts += !guard->unavailable;
    }
}

/* The parts of `settle` and `describe` (scan/contract.h) that the automaton and the guard do. */
void trawl_guard_settle(trawl_guard *guard, trawl_counts *counts);
void trawl_guard_describe(const trawl_guard *guard, trawl_study_scan_report *report);

#endif
