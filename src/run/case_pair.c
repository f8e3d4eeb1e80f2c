/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/case_pair.h"

#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"
#include "database/endings.h"
#include "database/selection.h"
#include "engines/engines.h"
#include "run/fallback.h"

/* ------------------------------------------------------------------ making */

/* Whether the database needs a pair. Its own keys do not tell: engines may keep case-sensitive
 * patterns apart, and a fallback automaton may take their place. Without memory: no. */
static bool is_needed(const trawl_db *db) {
    if (db->conditions.records != NULL || trawl_selection_of(db).keys != NULL ||
        db->patterns.count <= TRAWL_CASE_PAIR_CHAIN) {
        return false;
    }
    trawl_patterns *patterns = NULL;
    trawl_patterns reversed = {.bytes = NULL};
    trawl_keys keys = {.count = 0};
    trawl_status status = trawl_patterns_new(&patterns, NULL);
    if (status == TRAWL_OK) {
        status = trawl_patterns_add_database(patterns, db, NULL);
    }
    if (status == TRAWL_OK) {
        status = trawl_endings_reverse(patterns, &reversed, NULL);
    }
    if (status == TRAWL_OK) {
        status = trawl_keys_make(&reversed, NULL, 0, &keys, NULL);
    }
    bool needed = status == TRAWL_OK && trawl_endings_most(&keys) > TRAWL_CASE_PAIR_CHAIN;
    trawl_keys_release(&keys);
    trawl_release(reversed.bytes);
    trawl_patterns_free(patterns);
    return needed;
}

/* The automaton that a pattern belongs to: 1 if lower-casing changes what it matches. */
static unsigned automaton_of(const trawl_pattern_view *patterns, uint32_t id) {
    if ((patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0) {
        return 0;
    }
    for (uint32_t i = patterns->offsets[id]; i < patterns->offsets[id + 1]; i++) {
        if (trawl_is_letter(patterns->bytes[i])) {
            return 1;
        }
    }
    return 0;
}

/* Compiles one of the automata, and notes the ids of its patterns and their keys. */
static trawl_status make_automaton(const trawl_db *db, unsigned number, trawl_case_pair *pair,
                                   trawl_error *error) {
    const trawl_pattern_view *all = &db->patterns;
    trawl_patterns *patterns = NULL;
    trawl_status status = trawl_patterns_new(&patterns, error);
    uint32_t count = 0;
    for (uint32_t id = 0; status == TRAWL_OK && id < all->count; id++) {
        if (automaton_of(all, id) == number) {
            pair->ids[number][count++] = id;
            status =
                trawl_patterns_add(patterns, all->bytes + all->offsets[id],
                                   all->offsets[id + 1] - all->offsets[id], all->flags[id], error);
        }
    }
    if (status == TRAWL_OK) {
        status = trawl_fallback_compile(patterns, (trawl_match_kind)db->header->match_kind,
                                        &pair->automaton[number], error);
    }
    trawl_patterns_free(patterns);
    if (status == TRAWL_OK) {
        const uint32_t *keys = trawl_selection_of(pair->automaton[number]).patterns;
        for (uint32_t i = 0; i < count; i++) {
            pair->keys[pair->ids[number][i]] = keys[i] | (number == 1 ? TRAWL_CASE_PAIR_SECOND : 0);
        }
    }
    return status;
}

static void release(trawl_case_pair *pair) {
    for (unsigned number = 0; number < 2; number++) {
        trawl_db_free(pair->automaton[number]);
        trawl_release(pair->ids[number]);
    }
    trawl_release(pair->keys);
    trawl_release(pair);
}

static trawl_case_pair *make(const trawl_db *db) {
    trawl_case_pair *pair = trawl_allocate_zeroed(1, sizeof *pair);
    if (pair == NULL) {
        return NULL;
    }
    size_t count = db->patterns.count;
    pair->keys = trawl_allocate(count, sizeof *pair->keys);
    trawl_status status = pair->keys == NULL ? TRAWL_ERROR_MEMORY : TRAWL_OK;
    for (unsigned number = 0; number < 2 && status == TRAWL_OK; number++) {
        pair->ids[number] = trawl_allocate(count, sizeof *pair->ids[number]);
        status =
            pair->ids[number] == NULL ? TRAWL_ERROR_MEMORY : make_automaton(db, number, pair, NULL);
    }
    if (status != TRAWL_OK) {
        release(pair);
        return NULL;
    }
    return pair;
}

const trawl_case_pair *trawl_case_pair_of(const trawl_db *db) {
    if (db->header->match_kind == TRAWL_MATCH_ALL || db->header->folded == 0) {
        return NULL;
    }
    trawl_fallback *fallback = db->fallback;
    (void)pthread_mutex_lock(&fallback->lock);
    if (!fallback->pair_decided) {
        fallback->pair_decided = true;
        fallback->release_pair = release;
        fallback->pair = is_needed(db) ? make(db) : NULL;
    }
    const trawl_case_pair *pair = fallback->pair;
    (void)pthread_mutex_unlock(&fallback->lock);
    return pair;
}

/* ------------------------------------------------------------------ walking */

/* Owned bytes that both automata walk before their matches are merged: few enough for the matches
 * to stay in the caches. */
#define PIECE ((size_t)8192)
#define OVERLAP_FACTOR 4 /* bytes of a piece for each byte of overlap, which is walked twice */

typedef struct pair_walker {
    trawl_walker base;
    const trawl_case_pair *pair;
    trawl_walker *of[2];
    trawl_match *matches[2]; /* `capacity` of each: one for each byte of a piece, and one more */
    size_t capacity;
    size_t piece;
    uint64_t bytes; /* walked so far */
} pair_walker;

static void close_pair(trawl_walker *base) {
    pair_walker *walker = (pair_walker *)base;
    for (unsigned number = 0; number < 2; number++) {
        if (walker->of[number] != NULL) {
            walker->of[number]->type->close(walker->of[number]);
        }
        trawl_release(walker->matches[number]);
    }
    trawl_release(walker);
}

static trawl_status open_pair(const trawl_db *db, const trawl_scan_settings *settings,
                              trawl_walker **opened, trawl_error *error) {
    pair_walker *walker = trawl_allocate_zeroed(1, sizeof *walker);
    if (walker == NULL) {
        return trawl_fail_memory(error, "a walker", sizeof *walker);
    }
    size_t overlap = db->header->max_length - 1;
    walker->base.type = &trawl_case_pair_walker;
    walker->base.db = db;
    walker->pair = trawl_case_pair_of(db);
    walker->piece = PIECE < OVERLAP_FACTOR * overlap ? OVERLAP_FACTOR * overlap : PIECE;
    trawl_status status = TRAWL_OK;
    for (unsigned number = 0; number < 2 && status == TRAWL_OK; number++) {
        const trawl_db *automaton = walker->pair->automaton[number];
        status = automaton->engine->walker->open(automaton, settings, &walker->of[number], error);
        if (status == TRAWL_OK) {
            walker->of[number]->threads = 1;
            walker->of[number]->open_fallback = trawl_fallback_open;
        }
    }
    if (status != TRAWL_OK) {
        close_pair(&walker->base);
        return status;
    }
    *opened = &walker->base;
    return TRAWL_OK;
}

/* Makes room for the matches of a piece of `bytes`. */
static trawl_status make_room(pair_walker *walker, size_t bytes, trawl_error *error) {
    if (bytes < walker->capacity) {
        return TRAWL_OK;
    }
    for (unsigned number = 0; number < 2; number++) {
        trawl_release(walker->matches[number]);
        walker->matches[number] = trawl_allocate(bytes + 1, sizeof(trawl_match));
    }
    walker->capacity = bytes + 1;
    if (walker->matches[0] == NULL || walker->matches[1] == NULL) {
        walker->capacity = 0;
        return trawl_fail_memory(error, "matches of two automata",
                                 2 * (bytes + 1) * sizeof(trawl_match));
    }
    return TRAWL_OK;
}

static trawl_status reserve_pair(trawl_walker *base, trawl_error *error) {
    pair_walker *walker = (pair_walker *)base;
    trawl_status status = make_room(walker, walker->piece, error);
    for (unsigned number = 0; number < 2 && status == TRAWL_OK; number++) {
        trawl_walker *of = walker->of[number];
        status = of->type->reserve == NULL ? TRAWL_OK : of->type->reserve(of, error);
    }
    return status;
}

/* `flush` of a piece's sink, which has room for all matches of a database that is not forged. */
static trawl_status refuse(trawl_sink *sink) {
    (void)sink;
    return TRAWL_ERROR_FORMAT;
}

static bool is_before(const trawl_match *left, const trawl_match *right) {
    return left->end != right->end ? left->end < right->end : left->start <= right->start;
}

/* Puts the matches of both sinks, each of which is in canonical order, in this order. Two that are
 * equal but for the pattern may come in any order: the selection compares them. */
static trawl_status merge(const pair_walker *walker, const trawl_sink *of, trawl_sink *sink) {
    size_t at[2] = {0, 0};
    while (at[0] < of[0].count || at[1] < of[1].count) {
        unsigned number = at[0] == of[0].count                                      ? 1
                          : at[1] == of[1].count                                    ? 0
                          : is_before(&of[0].matches[at[0]], &of[1].matches[at[1]]) ? 0
                                                                                    : 1;
        const trawl_match *match = &of[number].matches[at[number]++];
        trawl_status status = trawl_sink_put(sink, match->start, match->end,
                                             walker->pair->ids[number][match->pattern]);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    return TRAWL_OK;
}

static trawl_status scan_pair(trawl_walker *base, const trawl_window *window, trawl_sink *sink,
                              trawl_error *error) {
    pair_walker *walker = (pair_walker *)base;
    size_t overlap = base->db->header->max_length - 1;
    trawl_status status = TRAWL_OK;
    for (size_t begin = window->owned; begin < window->length && status == TRAWL_OK;) {
        size_t left = window->length - begin;
        size_t end = begin + (left < walker->piece ? left : walker->piece);
        size_t from = begin < overlap ? 0 : begin - overlap;
        const trawl_window part = {.text = window->text + from,
                                   .length = end - from,
                                   .owned = begin - from,
                                   .base = window->base + from};
        trawl_sink found[2];
        status = make_room(walker, end - begin, error);
        for (unsigned number = 0; number < 2 && status == TRAWL_OK; number++) {
            found[number] = (trawl_sink){
                .matches = walker->matches[number], .capacity = walker->capacity, .flush = refuse};
            status =
                walker->of[number]->type->scan(walker->of[number], &part, &found[number], error);
        }
        if (status == TRAWL_OK) {
            status = merge(walker, found, sink);
        }
        walker->bytes += end - begin;
        begin = end;
    }
    return status;
}

static void describe_pair(const trawl_walker *base, trawl_study_scan_report *report) {
    report->fallback_bytes += ((const pair_walker *)base)->bytes;
}

/* No `count`: leftmost matches are counted when they have been selected. */
const trawl_walker_type trawl_case_pair_walker = {
    .open = open_pair,
    .close = close_pair,
    .scan = scan_pair,
    .reserve = reserve_pair,
    .describe = describe_pair,
};

const trawl_walker_type *trawl_case_pair_walker_of(const trawl_db *db) {
    return trawl_case_pair_of(db) != NULL ? &trawl_case_pair_walker : db->engine->walker;
}
