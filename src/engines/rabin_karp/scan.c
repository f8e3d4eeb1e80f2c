/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/rabin_karp/format.h"

#include "base/allocate.h"
#include "base/status.h"
#include "constants/fallback.h"
#include "engines/engines.h"
#include "engines/rabin_karp/steps.h"
#include "scan/guard.h"
#include "scan/reorder.h"

/* Each hash depends on the one before. So a single window waits for the latency of each step; LANES
 * windows, each in its own part of the text (a lane), are moved in turn, and their steps overlap. A
 * lane has at most LANE_BYTES bytes, which bounds the lists of candidates, and at least
 * FEWEST_LANE_BYTES, as the hash of its first window costs up to 32 steps. All three chosen; no
 * measurement of them alone is on record. */
#define LANES ((size_t)4)
#define LANE_BYTES ((size_t)8192)
#define FEWEST_LANE_BYTES ((size_t)128)

/* One pass of `grouped`. */
typedef struct pass_tables {
    trawl_rabin_karp_pass pass;
    trawl_rolling rolling;
    const uint64_t *filter;
    const uint32_t *heads;
    const trawl_ending_range *ranges;
    trawl_endings_search search;
    trawl_rolling_table table;
} pass_tables;

typedef struct rabin_karp_walker {
    trawl_walker base;
    const trawl_rabin_karp_header *header;
    /* grouped */
    pass_tables *passes;
    size_t lane_bytes;    /* capacity of a lane: LANE_BYTES, or less for short texts */
    uint32_t *candidates; /* LANES * lane_bytes: last bytes of candidates */
    uint64_t *hashes;     /* of the candidates */
    trawl_guard guard;
    /* paper, single, steps */
    const uint32_t *lengths;
    const uint32_t *heads;
    const uint32_t *ids;
    trawl_steps_walk steps; /* variant `steps` */
    trawl_reorder_memory order;
} rabin_karp_walker;

/* ------------------------------------------------------------------ grouped */

typedef struct lane_set {
    size_t first[LANES]; /* the last byte of each lane's first window */
    size_t count[LANES]; /* of candidates */
} lane_set;

/* The kinds of arithmetic. One loop is compiled for each: d^window is 0; modulo 2^64; modulo q; and
 * one for any of them, which takes the short ends of texts. */
typedef enum arithmetic { VANISHING, WRAPPING, MODULAR, ANY } arithmetic;

/* Moves a window of each lane over `steps` positions, and lists those whose hash the filter has. */
static inline __attribute__((always_inline)) void
sweep_lanes(const rabin_karp_walker *walker, const pass_tables *tables, const uint8_t *text,
            lane_set *lanes, size_t steps, size_t count, arithmetic kind) {
    trawl_rolling rolling = tables->rolling;
    if (kind != ANY) { /* constants, for the compiler */
        rolling.modulus = kind == MODULAR ? rolling.modulus : 0;
        rolling.vanishing = kind == VANISHING;
    }
    const trawl_rolling_table *table = &tables->table;
    const uint64_t *filter = tables->filter;
    uint32_t filter_bits = tables->pass.filter_bits;
    size_t window = tables->pass.window;
    const uint8_t *begin[LANES]; /* of each lane's first window */
    uint64_t hash[LANES];
    size_t noted[LANES];
    for (size_t l = 0; l < count; l++) {
        begin[l] = text + lanes->first[l] + 1 - window;
        hash[l] = trawl_rolling_hash(&rolling, table, begin[l], (uint32_t)window);
        noted[l] = l * walker->lane_bytes;
    }
    for (size_t i = 0;; i++) {
        uint64_t reduced[LANES], passes[LANES], any = 0;
#pragma GCC unroll 4
        for (size_t l = 0; l < count; l++) {
            reduced[l] = trawl_rolling_reduce(&rolling, hash[l]);
            size_t bit = trawl_rabin_karp_bit(rolling.vanishing, reduced[l], filter_bits);
            passes[l] = filter[bit / 64] >> bit % 64;
            any |= passes[l];
        }
        /* One branch for all lanes, and none for the single ones: each writes its position and
         * hash, and the next entry overwrites them if it was no candidate. */
        if (__builtin_expect((any & 1) != 0, 0)) {
            for (size_t l = 0; l < count; l++) {
                walker->candidates[noted[l]] = (uint32_t)(lanes->first[l] + i);
                walker->hashes[noted[l]] = reduced[l];
                noted[l] += passes[l] & 1;
            }
        }
        if (i + 1 == steps) {
            break;
        }
#pragma GCC unroll 4
        for (size_t l = 0; l < count; l++) {
            uint64_t sum = table->entering[begin[l][i + window]];
            if (kind != VANISHING) {
                sum += table->leaving[begin[l][i]];
            }
            hash[l] = trawl_rolling_step(&rolling, hash[l], sum);
        }
    }
    for (size_t l = 0; l < count; l++) {
        lanes->count[l] = noted[l] - l * walker->lane_bytes;
    }
}

static void sweep(const rabin_karp_walker *walker, const pass_tables *tables, const uint8_t *text,
                  lane_set *lanes, size_t steps, size_t count) {
    if (count != LANES) {
        sweep_lanes(walker, tables, text, lanes, steps, 1, ANY);
    } else if (tables->rolling.vanishing) {
        sweep_lanes(walker, tables, text, lanes, steps, LANES, VANISHING);
    } else if (tables->rolling.modulus == 0) {
        sweep_lanes(walker, tables, text, lanes, steps, LANES, WRAPPING);
    } else {
        sweep_lanes(walker, tables, text, lanes, steps, LANES, MODULAR);
    }
}

static trawl_status look_up(pass_tables *tables, const trawl_window *window, size_t end,
                            uint64_t hash, const trawl_consumer *consumer) {
    uint64_t ending = trawl_ending_load(window->text, end, tables->search.view.folded);
    size_t slot = trawl_ending_slot(hash, tables->pass.hash_bits);
    const uint32_t first = tables->heads[slot], past = tables->heads[slot + 1];
    trawl_endings_read(&tables->search, past - first);
    for (uint32_t i = first; i < past; i++) {
        const trawl_ending_range *range = &tables->ranges[i];
        if (range->word != hash) {
            continue;
        }
        uint32_t key = trawl_endings_find(&tables->search, range->first, range->last, 0,
                                          window->text, end, ending);
        if (key != TRAWL_NO_KEY) {
            /* Ranges differ in the bytes that were hashed, so no other one can match here. */
            return trawl_endings_report(&tables->search, window, end, key, consumer);
        }
    }
    return TRAWL_OK;
}

/* Allocates room for the candidates of a text with `owned` owned bytes. */
static trawl_status prepare(rabin_karp_walker *walker, size_t owned, trawl_error *error) {
    size_t needed = owned / LANES;
    /* A text that is too short for several lanes is searched in one. */
    size_t least = LANES * FEWEST_LANE_BYTES;
    needed = needed < least ? least : needed < LANE_BYTES ? needed : LANE_BYTES;
    if (needed <= walker->lane_bytes) {
        return TRAWL_OK;
    }
    trawl_release(walker->candidates);
    trawl_release(walker->hashes);
    size_t positions = LANES * needed;
    walker->candidates = trawl_allocate(positions, sizeof *walker->candidates);
    walker->hashes = trawl_allocate(positions, sizeof *walker->hashes);
    bool made = walker->candidates != NULL && walker->hashes != NULL;
    walker->lane_bytes = made ? needed : 0;
    return made ? TRAWL_OK
                : trawl_fail_memory(error, "scanning",
                                    positions *
                                        (sizeof *walker->candidates + sizeof *walker->hashes));
}

/* Ends early, where `most` bytes of keys have been compared. *reached: the pass has found its
 * matches that end in the first so many bytes of the window. */
static trawl_status walk_pass(rabin_karp_walker *walker, pass_tables *tables,
                              const trawl_window *window, const trawl_consumer *consumer,
                              uint64_t most, size_t *reached) {
    const uint64_t before = tables->search.compared;
    size_t hashed = tables->pass.window;
    size_t position = window->owned < hashed - 1 ? hashed - 1 : window->owned;
    while (position < window->length) {
        size_t left = window->length - position;
        size_t steps = left / LANES < LANE_BYTES ? left / LANES : LANE_BYTES;
        size_t count = LANES;
        if (steps < FEWEST_LANE_BYTES) {
            steps = left < LANE_BYTES ? left : LANE_BYTES;
            count = 1;
        }
        lane_set lanes;
        for (size_t l = 0; l < count; l++) {
            lanes.first[l] = position + l * steps;
        }
        sweep(walker, tables, window->text, &lanes, steps, count);
        for (size_t l = 0; l < count; l++) {
            size_t from = l * walker->lane_bytes;
            for (size_t i = from; i < from + lanes.count[l]; i++) {
                *reached = (size_t)walker->candidates[i] + 1;
                trawl_status status =
                    look_up(tables, window, *reached, walker->hashes[i], consumer);
                if (status != TRAWL_OK || tables->search.compared - before > most) {
                    return status;
                }
            }
        }
        position += count * steps;
    }
    *reached = window->length;
    return TRAWL_OK;
}

/* Ends early, where the only pass has compared `most` bytes; several passes do not. */
static trawl_status walk_grouped(rabin_karp_walker *walker, const trawl_window *window,
                                 const trawl_consumer *consumer, uint64_t most, size_t *reached,
                                 trawl_error *error) {
    most = walker->header->passes == 1 ? most : UINT64_MAX;
    trawl_status status = prepare(walker, window->length - window->owned, error);
    for (uint32_t pass = 0; status == TRAWL_OK && pass < walker->header->passes; pass++) {
        pass_tables *tables = &walker->passes[pass];
        status = trawl_endings_begin(&tables->search, consumer, error);
        if (status == TRAWL_OK) {
            status = walk_pass(walker, tables, window, consumer, most, reached);
        }
    }
    return status;
}

/* ------------------------------------------------------------------ paper */

/* Figure 3 of the paper, once for each distinct length. */
static trawl_status walk_paper(const rabin_karp_walker *walker, const trawl_window *window,
                               const trawl_consumer *consumer) {
    const uint32_t *heads = walker->heads;
    bool folded = walker->base.db->header->folded != 0;
    for (uint32_t pass = 0; pass < walker->header->passes; pass++) {
        size_t length = walker->lengths[pass];
        size_t start = window->owned + 1 < length ? 0 : window->owned + 1 - length;
        if (window->length < length || start > window->length - length) {
            break; /* lengths ascend: no longer pattern ends in the owned part either */
        }
        trawl_rolling rolling =
            trawl_rolling_make(walker->header->base, walker->header->modulus, (uint32_t)length);
        trawl_rolling_table table;
        trawl_rolling_table_make(&rolling, (uint32_t)length, folded, &table);
        const uint8_t *text = window->text;
        uint64_t hash = trawl_rolling_hash(&rolling, &table, text + start, (uint32_t)length);
        for (size_t last = window->length - length;; start++) {
            uint64_t reduced = trawl_rolling_reduce(&rolling, hash);
            if (heads[reduced] != heads[reduced + 1]) {
                trawl_status status =
                    trawl_rabin_karp_verify(&walker->base.db->patterns, heads, walker->ids, reduced,
                                            window, start, length, consumer);
                if (status != TRAWL_OK) {
                    return status;
                }
            }
            if (start == last) {
                break;
            }
            uint64_t sum = table.entering[text[start + length]] + table.leaving[text[start]];
            hash = trawl_rolling_step(&rolling, hash, sum);
        }
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ single */

/* Figure 2 of the paper for one pattern: compares the window's hash (Ht) with its hash (Hp). */
static trawl_status walk_pattern(const rabin_karp_walker *walker, const trawl_window *window,
                                 uint32_t id, const trawl_consumer *consumer) {
    const trawl_db *db = walker->base.db;
    const trawl_pattern_view *patterns = &db->patterns;
    const uint8_t *text = window->text;
    size_t length = patterns->offsets[id + 1] - patterns->offsets[id];
    size_t start = window->owned + 1 < length ? 0 : window->owned + 1 - length;
    if (window->length < length || start > window->length - length) {
        return TRAWL_OK;
    }
    trawl_rolling rolling =
        trawl_rolling_make(walker->header->base, walker->header->modulus, (uint32_t)length);
    trawl_rolling_table table;
    trawl_rolling_table_make(&rolling, (uint32_t)length, db->header->folded != 0, &table);
    uint64_t wanted =
        trawl_rolling_hash(&rolling, &table, trawl_view_begin(patterns, id), (uint32_t)length);
    wanted = trawl_rolling_reduce(&rolling, wanted);
    uint64_t hash = trawl_rolling_hash(&rolling, &table, text + start, (uint32_t)length);
    for (size_t last = window->length - length;; start++) {
        if (trawl_rolling_reduce(&rolling, hash) == wanted &&
            trawl_pattern_matches(patterns, id, text + start)) {
            trawl_status status = trawl_consume(consumer, window, start, start + length, id);
            if (status != TRAWL_OK) {
                return status;
            }
        }
        if (start == last) {
            return TRAWL_OK;
        }
        uint64_t sum = table.entering[text[start + length]] + table.leaving[text[start]];
        hash = trawl_rolling_step(&rolling, hash, sum);
    }
}

static trawl_status walk_single(const rabin_karp_walker *walker, const trawl_window *window,
                                const trawl_consumer *consumer) {
    trawl_status status = TRAWL_OK;
    for (uint32_t id = 0; status == TRAWL_OK && id < walker->base.db->patterns.count; id++) {
        status = walk_pattern(walker, window, id, consumer);
    }
    return status;
}

/* ------------------------------------------------------------------ the walker */

static bool is_grouped(const rabin_karp_walker *walker) {
    return walker->header->variant == TRAWL_RABIN_KARP_GROUPED;
}

static trawl_status walk(trawl_walker *walker, const trawl_window *window,
                         const trawl_consumer *consumer, trawl_error *error) {
    rabin_karp_walker *opened = (rabin_karp_walker *)walker;
    switch (opened->header->variant) {
    case TRAWL_RABIN_KARP_PAPER:
        return walk_paper(opened, window, consumer);
    case TRAWL_RABIN_KARP_SINGLE:
        return walk_single(opened, window, consumer);
    case TRAWL_RABIN_KARP_STEPS:
        return trawl_steps_walk_window(walker->db, &opened->steps, window, consumer, error);
    default: {
        size_t reached;
        return walk_grouped(opened, window, consumer, UINT64_MAX, &reached, error);
    }
    }
}

const double *trawl_rabin_karp_step_seconds(const trawl_walker *walker) {
    return ((const rabin_karp_walker *)walker)->steps.seconds;
}

static trawl_status find(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                         trawl_error *error) {
    trawl_consumer consumer = {.sink = sink};
    return walk(walker, window, &consumer, error);
}

static void close(trawl_walker *walker) {
    rabin_karp_walker *opened = (rabin_karp_walker *)walker;
    trawl_guard_close(&opened->guard);
    for (uint32_t pass = 0; opened->passes != NULL && pass < opened->header->passes; pass++) {
        trawl_endings_close(&opened->passes[pass].search);
    }
    trawl_steps_close(&opened->steps);
    trawl_reorder_release(&opened->order);
    trawl_release(opened->passes);
    trawl_release(opened->candidates);
    trawl_release(opened->hashes);
    trawl_release(opened);
}

static trawl_status open_grouped(const trawl_db *db, rabin_karp_walker *made, trawl_error *error) {
    uint32_t passes = made->header->passes;
    made->passes = trawl_allocate_zeroed(passes, sizeof *made->passes);
    if (made->passes == NULL) {
        return trawl_fail_memory(error, "scanning", passes * sizeof *made->passes);
    }
    const trawl_rabin_karp_pass *records =
        trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_GROUPS, 0, NULL);
    for (uint32_t pass = 0; pass < passes; pass++) {
        pass_tables *tables = &made->passes[pass];
        tables->pass = records[pass];
        tables->rolling =
            trawl_rolling_make(made->header->base, made->header->modulus, tables->pass.window);
        tables->filter = trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_FILTER, pass, NULL);
        tables->heads = trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_TABLE, pass, NULL);
        tables->ranges = trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_IDS, pass, NULL);
        trawl_endings_open(db, pass, &tables->search);
        trawl_rolling_table_make(&tables->rolling, tables->pass.window, db->header->folded != 0,
                                 &tables->table);
    }
    return TRAWL_OK;
}

static trawl_status open(const trawl_db *db, const trawl_scan_settings *options,
                         trawl_walker **walker, trawl_error *error) {
    (void)options;
    rabin_karp_walker *made = trawl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        return trawl_fail_memory(error, "scanning", sizeof *made);
    }
    made->base = (trawl_walker){.type = &trawl_walker_rabin_karp, .db = db};
    made->header = trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_HEADER, 0, NULL);
    trawl_status status = TRAWL_OK;
    if (made->header->variant == TRAWL_RABIN_KARP_GROUPED) {
        trawl_guard_begin(&made->guard, db);
        status = open_grouped(db, made, error);
    } else {
        made->lengths = trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_GROUPS, 0, NULL);
        made->heads = trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_TABLE, 0, NULL);
        made->ids = trawl_db_section(db, TRAWL_SECTION_RABIN_KARP_IDS, 0, NULL);
    }
    if (status == TRAWL_OK && made->header->variant == TRAWL_RABIN_KARP_STEPS) {
        status = trawl_steps_open(db, &made->steps, error);
    }
    if (status != TRAWL_OK) {
        close(&made->base);
        return status;
    }
    *walker = &made->base;
    return TRAWL_OK;
}

/* Scans a window of `grouped` without the guard; `most` and `reached` as for walk_grouped. */
static trawl_status scan_grouped(trawl_walker *walker, const trawl_window *window,
                                 const trawl_consumer *consumer, uint64_t most, size_t *reached,
                                 trawl_error *error) {
    rabin_karp_walker *opened = (rabin_karp_walker *)walker;
    /* In one pass, matches are found in order of their ends and need no sorting. */
    if (consumer->sink == NULL || opened->header->passes == 1) {
        return walk_grouped(opened, window, consumer, most, reached, error);
    }
    *reached = window->length;
    return trawl_reorder(walker, window, consumer->sink, find, &opened->order, error);
}

/* The trawl_guard_stretch of `grouped`. Every stretch is timed: where nested patterns are long, few
 * look-ups take much time. */
static trawl_status scan_stretch(trawl_walker *walker, const trawl_window *window,
                                 const trawl_consumer *consumer, bool careful, size_t *begin,
                                 uint64_t *look_ups, trawl_error *error) {
    size_t most = careful ? TRAWL_FALLBACK_CAREFUL_BYTES : TRAWL_FALLBACK_STRETCH;
    if (((const rabin_karp_walker *)walker)->header->passes != 1) {
        most = trawl_guard_block(walker->db, most);
    }
    size_t left = window->length - *begin, bytes = left < most ? left : most;
    const trawl_window part =
        trawl_window_cut(window, trawl_db_overlap(walker->db), *begin, *begin + bytes);
    size_t reached = part.owned;
    trawl_status status = scan_grouped(walker, &part, consumer,
                                       TRAWL_FALLBACK_LOOK_UP_BYTES * bytes, &reached, error);
    *look_ups = bytes;
    *begin += reached - part.owned;
    return status;
}

static trawl_status scan(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                         trawl_error *error) {
    rabin_karp_walker *opened = (rabin_karp_walker *)walker;
    trawl_consumer consumer = {.sink = sink};
    return is_grouped(opened)
               ? trawl_guard_scan(&opened->guard, walker, window, &consumer, scan_stretch, error)
               : trawl_reorder(walker, window, sink, find, &opened->order, error);
}

static trawl_status count(trawl_walker *walker, const trawl_window *window, trawl_counts *counts,
                          trawl_error *error) {
    rabin_karp_walker *opened = (rabin_karp_walker *)walker;
    trawl_consumer consumer = {.counts = counts};
    return is_grouped(opened)
               ? trawl_guard_scan(&opened->guard, walker, window, &consumer, scan_stretch, error)
               : walk(walker, window, &consumer, error);
}

static trawl_status reserve(trawl_walker *walker, trawl_error *error) {
    rabin_karp_walker *opened = (rabin_karp_walker *)walker;
    bool in_order = is_grouped(opened) && opened->header->passes == 1;
    trawl_status status = TRAWL_OK;
    if (is_grouped(opened)) {
        status = prepare(opened, LANES * LANE_BYTES, error);
        if (status == TRAWL_OK) {
            status = trawl_guard_reserve(&opened->guard, walker, error);
        }
        for (uint32_t pass = 0; pass < opened->header->passes; pass++) {
            trawl_endings_search_reserve(&opened->passes[pass].search);
        }
    } else if (opened->header->variant == TRAWL_RABIN_KARP_STEPS) {
        status = trawl_steps_reserve(walker->db, &opened->steps, error);
    }
    return status != TRAWL_OK || in_order
               ? status
               : trawl_reorder_reserve(&opened->order, walker->db, error);
}

static void settle(trawl_walker *walker, trawl_counts *counts) {
    rabin_karp_walker *opened = (rabin_karp_walker *)walker;
    for (uint32_t pass = 0; is_grouped(opened) && pass < opened->header->passes; pass++) {
        trawl_endings_settle(&opened->passes[pass].search, counts);
    }
    trawl_guard_settle(&opened->guard, counts);
}

static void describe(const trawl_walker *walker, trawl_study_scan_report *report) {
    trawl_guard_describe(&((const rabin_karp_walker *)walker)->guard, report);
}

const trawl_walker_type trawl_walker_rabin_karp = {.open = open,
                                                   .close = close,
                                                   .scan = scan,
                                                   .count = count,
                                                   .reserve = reserve,
                                                   .settle = settle,
                                                   .describe = describe};
