/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The contract between runners (src/run) and walkers (engines/X/scan.c, run/gpu/walker.cu).
 *
 * A runner cuts a text into windows and shows a walker one window at a time:
 *
 *     the whole text   |.....................................................................|
 *     a window                       |  overlap  |        owned bytes        |
 *                                    0           window.owned                window.length
 *                                    ^ offset window.base in the whole text
 *
 * The overlap has at least max_length - 1 bytes, or all that the text has before the owned bytes.
 * The owned bytes of all windows together are the text, without gaps.
 *
 * The walker reports exactly the matches whose last byte is owned, with offsets from the beginning
 * of the whole text (window.base + index), in canonical order: by end, then start, then id. It
 * finds matches that begin in the overlap; matches that end there belong to the window before.
 *
 * The shortest complete walker is engines/ac_dfa/scan.c, whose loop is shared with other automata
 * (scan/lanes.h). A walker that finds matches in another order sorts them (scan/reorder.h).
 */
#ifndef TRAWL_SCAN_CONTRACT_H
#define TRAWL_SCAN_CONTRACT_H

#include <stddef.h>
#include <string.h>

#include "database/database.h"

/* A text that is read by offset while it is walked. A walker that cannot read on walks what comes
 * before as if the text ended there, and leaves the first failure here. */
typedef struct trawl_reading {
    const trawl_source *source;
    trawl_status status;
    trawl_error error;
} trawl_reading;

typedef struct trawl_window {
    const uint8_t *text; /* first readable byte */
    size_t length;       /* readable bytes; at most TRAWL_WINDOW_MAX, see long_windows */
    size_t owned;        /* index of the first owned byte */
    uint64_t base;       /* offset of text[0] in the whole text */
    /* NULL; or, for walkers that have reads_sources, where to read the window's bytes from, byte i
     * at offset base + i: `text` is NULL then. */
    trawl_reading *reading;
} trawl_window;

/* Windows are at most this long, so that walkers may keep 32-bit positions. */
#define TRAWL_WINDOW_MAX ((size_t)1 << 30)

/* Places of a window that an automaton's walker on a CPU walks in turn (scan/lanes.h). */
enum { TRAWL_LANES = 8 };

/* Where matches go: an array that the runner empties whenever it is full. */
typedef struct trawl_sink trawl_sink;
struct trawl_sink {
    trawl_match *matches;
    size_t count;
    size_t capacity;
    /* flush makes the array larger instead of emptying it: matches are read when all are there. */
    bool grows;
    /* Takes all `count` matches and sets count to 0, or returns the status with which the walk
     * must end (TRAWL_STOPPED when the caller has seen enough). */
    trawl_status (*flush)(trawl_sink *sink);
};

/* Whether matches that are written now will have left the caches when they are read: the array is
 * already larger than a core's share of the last-level cache on most processors. Whole cache lines
 * may then be written past the caches. */
static inline bool trawl_sink_is_far(const trawl_sink *sink) {
    return sink->grows && sink->count >= ((size_t)8 << 20) / sizeof(trawl_match);
}

/* Writes a match whose fields are known, in three stores: compilers take four. */
static inline void trawl_write_match(trawl_match *to, uint64_t start, uint64_t end,
                                     uint32_t pattern) {
    uint64_t last = pattern; /* and `reserved`: the order of bytes is the databases' */
    to->start = start;
    to->end = end;
    memcpy((uint8_t *)to + offsetof(trawl_match, pattern), &last, sizeof last);
}

/* Makes room for at least one more match. */
static inline trawl_status trawl_sink_make_room(trawl_sink *sink) {
    return __builtin_expect(sink->count == sink->capacity, 0) ? sink->flush(sink) : TRAWL_OK;
}

static inline trawl_status trawl_sink_put(trawl_sink *sink, uint64_t start, uint64_t end,
                                          uint32_t pattern) {
    trawl_status status = trawl_sink_make_room(sink);
    if (status != TRAWL_OK) {
        return status;
    }
    sink->matches[sink->count++] =
        (trawl_match){.start = start, .end = end, .pattern = pattern, .reserved = 0};
    return TRAWL_OK;
}

/* What a counting walk adds to. */
typedef struct trawl_counts {
    uint64_t total;
    uint64_t *per_pattern; /* one for each pattern, or NULL when only the total is wanted */
} trawl_counts;

/* A walker is the scratch of one thread for one database; its first member is this. */
typedef struct trawl_walker {
    const struct trawl_walker_type *type;
    const trawl_db *db;
    /* Set by the runner, for a walker that divides windows itself: how many threads it may use, and
     * on the CPU the team that has them, or NULL for the calling thread alone. */
    uint32_t threads;
    struct trawl_team *team;
    /* Set by the runner: opens a walker of an automaton over the same patterns, for texts that
     * defeat an engine's filter. Leaves it NULL where there is no memory for one. */
    trawl_status (*open_fallback)(const trawl_db *db, struct trawl_walker **fallback,
                                  trawl_error *error);
} trawl_walker;

typedef struct trawl_walker_type {
    /* `options` are complete and outlive the walker; walkers of the CPU need none of them. */
    trawl_status (*open)(const trawl_db *db, const trawl_scan_options *options,
                         trawl_walker **walker, trawl_error *error);
    void (*close)(trawl_walker *walker);
    trawl_status (*scan)(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                         trawl_error *error);
    /* Counts what scan would report, in any order. It may put off part of the counting by pattern:
     * see settle. */
    trawl_status (*count)(trawl_walker *walker, const trawl_window *window, trawl_counts *counts,
                          trawl_error *error);
    /* Adds to counts->per_pattern what count has put off, once after many windows. NULL when count
     * puts nothing off. Called only when counts->per_pattern is wanted. */
    void (*settle)(trawl_walker *walker, trawl_counts *counts);
    /* Adds what the walker has done so far to the CPU's part of a report. NULL: nothing to add. */
    void (*describe)(const trawl_walker *walker, trawl_scan_report *report);
    /* Whether walkers of this database share a window among threads themselves, so
     * that the runner shows them one window at a time. NULL: they never do. */
    bool (*own_threads)(const trawl_db *db);
    bool long_windows;  /* windows may be of any length */
    bool reads_sources; /* windows may have a `reading` instead of a text */
} trawl_walker_type;

#endif
