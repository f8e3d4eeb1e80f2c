/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The contract between runners and walkers: what an engine provides so that texts are scanned.
 *
 * A runner (src/run) cuts a text into windows and shows them to walkers; a walker is the part of an
 * engine that scans a window on one device. A window has bytes that it owns, and before them an
 * overlap, in which a match may begin:
 *
 *     text                 text + owned                  text + length
 *      |                    |                             |
 *      | overlap, read only | owned: matches end in here  |
 *      ^                    ^
 *      |                    offset base + owned in the whole text
 *      offset base in the whole text
 *
 * The overlap has max_length - 1 bytes (max_length: of the database's header), or more, or all
 * bytes that the text has before. Only text[0 .. length) may be read. For databases with conditions
 * it has one byte more, the one before the longest match (trawl_db_overlap).
 *
 * A walker reports every match whose last byte is owned, and no other. So a text that is cut into
 * windows one behind the other gives each match once. Offsets are from the beginning of the whole
 * text: base + index. Matches come in canonical order: by end, then start, then pattern id
 * (scan/reorder.h sorts for engines that find them otherwise). Texts need not be valid in any
 * encoding, and may hold any byte.
 *
 * Walkers find patterns by their bytes alone: the runner drops matches that do not fulfil the
 * condition of their pattern (scan/conditions.h). Where conditions rule out matches, a walker may
 * leave them out in windows of one text. A walker has to where nested patterns would otherwise take
 * quadratic time: of the patterns a, aa, ... as whole words, all end at each position of a long run
 * of a's. Walkers that report by key records pass over such ends by gates (scan/gates.c). Others
 * may test each match with trawl_conditions_keep.
 *
 * If the database has selection sections (trawl_selection_of in database/selection.h), the walker
 * reports one match for each position at which keys end: that of the longest key (of each part).
 * Results are right without this, but nested patterns would take quadratic time. Key records have
 * that key alone, so walkers that report by them need no code for it.
 *
 * The shortest complete walker is engines/ac_dfa/scan.c, whose loop other automata share
 * (scan/lanes.h).
 *
 * Threads: a walker is used by one thread at a time, and does not change the database. The runner
 * opens one walker for each of its threads, unless own_threads is true.
 * Memory: a walker's memory does not grow with the text.
 * Errors: a function that fails returns a status and writes one sentence to *error. A walk that
 * failed is not continued; the walker is closed.
 */
#ifndef TRAWL_SCAN_CONTRACT_H
#define TRAWL_SCAN_CONTRACT_H

#include <stddef.h>
#include <string.h>

#include "database/database.h"
#include "scan/settings.h"

/* A text that is read by offset while it is walked. If reading fails, the text ends at the last
 * byte that was read: its matches are still reported. The first failure is kept here, and the
 * runner returns it when the walk has ended. */
typedef struct trawl_reading {
    const trawl_source *source;
    trawl_status status; /* TRAWL_OK, or the first failure */
    trawl_error error;
} trawl_reading;

typedef struct trawl_window {
    const uint8_t *text; /* first readable byte */
    size_t length;       /* readable bytes; at most TRAWL_WINDOW_MAX unless long_windows is true */
    size_t owned;        /* index of the first owned byte */
    uint64_t base;       /* offset of text[0] in the whole text */
    bool goes_on;        /* the text has bytes behind the window, the first of which is `next`: set
                            for databases with conditions, as walkers need not know it */
    uint8_t next;
    /* All bytes are of one text, so that engines may pass over ends where the byte behind rules out
     * every match (trawl_gate). False for texts one behind the other: a border rules out nothing.
     */
    bool one_text;
    /* NULL; or, only for walkers whose reads_sources is true, where the bytes are to be read: byte
     * i of the window is at offset base + i of the source. `text` is NULL then. */
    trawl_reading *reading;
} trawl_window;

/* Sets `next` and `goes_on` of `part`, a window that ends with byte end - 1 of window `of`. */
static inline void trawl_window_set_next(trawl_window *part, const trawl_window *of, size_t end) {
    bool inside = end < of->length;
    part->goes_on = inside || of->goes_on;
    part->next = inside ? of->text[end] : of->next;
    part->one_text = of->one_text;
}

/* The part of window `of` that owns bytes [begin, end), with `overlap` bytes before them, or as
 * many as the window has. */
static inline trawl_window trawl_window_cut(const trawl_window *of, size_t overlap, size_t begin,
                                            size_t end) {
    size_t from = begin < overlap ? 0 : begin - overlap;
    trawl_window part = *of;
    part.length = end - from;
    part.owned = begin - from;
    part.base = of->base + from;
    if (of->reading == NULL) {
        part.text = of->text + from;
        trawl_window_set_next(&part, of, end);
    }
    return part;
}

/* Bytes of a window at most, so that walkers may keep positions in 32 bits. */
#define TRAWL_WINDOW_MAX ((size_t)1 << 30)

/* Lanes: places of a window that an automaton on a CPU walks alternately (scan/lanes.h). */
enum { TRAWL_LANES = 8 };

/* Where matches go: an array with room for `capacity` matches, of which `count` are written. A
 * walker writes behind them and calls flush when the array is full. What it has written when it
 * returns is handled by the runner. */
typedef struct trawl_sink trawl_sink;
typedef struct trawl_ending_event trawl_ending_event; /* scan/emission.h */
struct trawl_sink {
    trawl_match *matches;
    size_t count;
    size_t capacity;
    /* True: flush makes the array larger instead of emptying it, and matches are read when all of
     * them are there. */
    bool grows;
    /* Makes room for at least one match: takes all `count` matches and sets count to 0, or moves
     * `matches` into a larger array. Any other status than TRAWL_OK ends the walk, which returns
     * it: TRAWL_STOPPED if the caller wants no more matches. */
    trawl_status (*flush)(trawl_sink *sink);
    /* NULL, or a function of an owner that needs no single matches, as when matches are counted.
     * Where matches are prepared (scan/prepared_matches.h) it is called with the events in place of
     * the writer (trawl_prepared_writer), which would copy all their matches. `count` of the sink
     * is 0 then. Returns the number of events that it has handled. */
    size_t (*take)(const trawl_match *matches, uint64_t base, const trawl_ending_event *events,
                   const uint32_t *found, size_t count, trawl_sink *sink);
};

/* Whether matches that are written now will have left the caches before they are read: the array
 * grows and holds 8 MiB or more, which is more than the last-level cache that most processors have
 * for each core. Whole cache lines of such an array may be written past the caches (non-temporal
 * stores). */
static inline bool trawl_sink_is_far(const trawl_sink *sink) {
    return sink->grows && sink->count >= ((size_t)8 << 20) / sizeof(trawl_match);
}

/* Writes a match in three stores of 8 bytes; from an assignment compilers make four. */
static inline void trawl_write_match(trawl_match *to, uint64_t start, uint64_t end,
                                     uint32_t pattern) {
    uint64_t last = pattern; /* and `reserved`, which is 0: least significant byte first */
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

/* What a counting walk adds to. Pairs of pattern and end are counted: the matches that a scan
 * reports. */
typedef struct trawl_counts {
    uint64_t total;
    uint64_t *per_pattern; /* one for each pattern, or NULL when only the total is wanted */
} trawl_counts;

/* What one thread needs to scan with one database. Each engine's walker is a struct of its own that
 * begins with this one; its `open` sets `type` and `db`, and the runner sets the other members
 * before the first window. */
typedef struct trawl_walker {
    const struct trawl_walker_type *type;
    const trawl_db *db;
    /* Threads that a walker with own_threads may use; 1 for other walkers. `team`: on CPUs, the
     * threads themselves; NULL: the calling thread alone. */
    uint32_t threads;
    struct trawl_team *team;
    /* Opens a walker of an automaton for the same patterns, the fallback automaton. An engine whose
     * time depends on the text scans with it where the text is slow (scan/guard.h). The engine owns
     * that walker and closes it. *fallback is NULL, which is no error, if there is no memory for
     * it. A function pointer, since compiling is above all engines. */
    trawl_status (*open_fallback)(const trawl_db *db, struct trawl_walker **fallback,
                                  trawl_error *error);
    /* What the fallback automaton is expected to take: seconds for a byte of text, and to be built.
     * 0: nothing is known. */
    double fallback_step, fallback_build;
} trawl_walker;

/* The functions of an engine's walkers. Members that are not written in an initializer are NULL or
 * false, which is always right for those that say so. */
typedef struct trawl_walker_type {
    /* Opens a walker, on the thread that will use it. The database is valid and outlives the
     * walker, and so do the options, whose every member is set; walkers for CPUs need none of them.
     * *walker is set on success alone. */
    trawl_status (*open)(const trawl_db *db, const trawl_scan_settings *options,
                         trawl_walker **walker, trawl_error *error);

    /* Frees everything that open and walks have allocated, also after a walk that failed. */
    void (*close)(trawl_walker *walker);

    /* Reports the window's matches into the sink. Windows of one text come in order, each with its
     * complete overlap, so nothing has to be remembered from one to the next; with several threads
     * a walker sees some of the windows only. */
    trawl_status (*scan)(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                         trawl_error *error);

    /* Adds to *counts what scan would report. It may keep counts by pattern in the walker until
     * settle is called; the total is always complete. */
    trawl_status (*count)(trawl_walker *walker, const trawl_window *window, trawl_counts *counts,
                          trawl_error *error);

    /* Allocates all that scan, and count without counts->per_pattern, may need for windows of any
     * length: afterwards they allocate nothing and take no lock. Called once, before the first
     * window; walker->threads is 1. NULL: they never allocate. */
    trawl_status (*reserve)(trawl_walker *walker, trawl_error *error);

    /* Adds to counts->per_pattern, which is not NULL here, what count has kept. Called once after
     * the last window. NULL: count keeps nothing. */
    void (*settle)(trawl_walker *walker, trawl_counts *counts);

    /* Adds what the walker has done so far to the report of the scan. NULL: nothing to add. */
    void (*describe)(const trawl_walker *walker, trawl_study_scan_report *report);

    /* The walk of one automaton of the walker (scan/lanes.h), whose states callers ask for; `part`
     * is below the database's parts. NULL: the engine has no automaton. */
    struct trawl_lane_walker *(*automaton)(trawl_walker *walker, uint32_t part);

    /* Whether a walker of this database spreads a window over walker->threads threads itself. The
     * runner then opens one walker and does not cut the window into chunks. NULL: false. */
    bool (*own_threads)(const trawl_db *db);

    /* The engine goes on with its filter where a set has a pair of automata (run/case_pair.h),
     * which is its fallback automaton then. False: such a set is scanned with the pair alone. */
    bool falls_back;
    bool long_windows;  /* windows may be longer than TRAWL_WINDOW_MAX */
    bool reads_sources; /* windows may have a `reading` instead of `text` */
} trawl_walker_type;

#endif
