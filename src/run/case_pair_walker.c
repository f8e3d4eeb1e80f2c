/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The walkers of a pair of automata: both walk a piece of the text, then their matches are merged.
 */
#include "base/allocate.h"
#include "base/status.h"
#include "engines/engines.h"
#include "run/case_pair_ends.h"
#include "scan/emission.h"

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
    trawl_outputs outputs[2];
    uint64_t *per_pattern[2];   /* counts of each automaton's patterns; NULL until needed */
    trawl_start_walker *starts; /* NULL: the pair has no reversed one */
} pair_walker;

static void close_pair(trawl_walker *base) {
    pair_walker *walker = (pair_walker *)base;
    trawl_case_pair_close(walker->of);
    for (unsigned number = 0; number < 2; number++) {
        trawl_release(walker->matches[number]);
        trawl_release(walker->per_pattern[number]);
    }
    trawl_start_walker_close(walker->starts);
    trawl_release(walker);
}

static trawl_status open_pair(const trawl_db *db, const trawl_scan_settings *settings,
                              trawl_walker **opened, trawl_error *error) {
    pair_walker *walker = trawl_allocate_zeroed(1, sizeof *walker);
    if (walker == NULL) {
        return trawl_fail_memory(error, "a walker", sizeof *walker);
    }
    size_t overlap = db->header->max_length - 1;
    walker->base.type = trawl_case_pair_walker(db);
    walker->base.db = db;
    walker->pair = trawl_case_pair_of(db);
    walker->piece = PIECE < OVERLAP_FACTOR * overlap ? OVERLAP_FACTOR * overlap : PIECE;
    trawl_status status =
        trawl_case_pair_open(walker->pair, settings, walker->of, walker->outputs, error);
    if (status == TRAWL_OK && walker->pair->starts != NULL) {
        status = trawl_start_walker_open(db, walker->pair->starts, walker->piece, settings,
                                         &walker->starts, error);
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
    if (status == TRAWL_OK && walker->starts != NULL) {
        status = trawl_start_walker_reserve(walker->starts, error);
    }
    for (unsigned number = 0; number < 2 && status == TRAWL_OK; number++) {
        trawl_walker *of = walker->of[number];
        status = of == NULL || of->type->reserve == NULL ? TRAWL_OK : of->type->reserve(of, error);
    }
    return status;
}

/* ------------------------------------------------------------------ the longest matches */

static bool is_before(const trawl_match *left, const trawl_match *right) {
    return left->end != right->end ? left->end < right->end : left->start <= right->start;
}

/* Puts the matches of both sinks, each of which is in canonical order, in this order. Two that are
 * equal but for the pattern may come in any order: the selection compares them. */
static trawl_status merge_longest(const pair_walker *walker, const trawl_window *window,
                                  const trawl_sink *of, trawl_sink *sink) {
    (void)window;
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

/* ------------------------------------------------------------------ all matches */

/* The matches of an automaton at one end: those of key `key` from the pattern with index `next` on,
 * then those of the keys that it links to. */
typedef struct pair_chain {
    const trawl_outputs *outputs;
    const uint32_t *ids; /* of the automaton's patterns, in the whole set */
    uint32_t key;        /* TRAWL_NO_KEY: no more */
    uint32_t next;       /* index into outputs->ids */
} pair_chain;

static void enter_key(pair_chain *chain, uint32_t key) {
    chain->key = key;
    chain->next = key == TRAWL_NO_KEY ? 0 : chain->outputs->first[key];
}

static uint32_t chain_length(const pair_chain *chain) {
    return chain->outputs->length[chain->key];
}

static uint32_t chain_id(const pair_chain *chain) {
    return chain->ids[chain->outputs->ids[chain->next]];
}

/* Whether the next match of `left` comes before that of `right`: it is longer, or has a lower id.
 */
static bool comes_first(const pair_chain *left, const pair_chain *right) {
    if (left->key == TRAWL_NO_KEY || right->key == TRAWL_NO_KEY) {
        return left->key != TRAWL_NO_KEY;
    }
    uint32_t one = chain_length(left), other = chain_length(right);
    return one != other ? one > other : chain_id(left) < chain_id(right);
}

/* Puts all matches that end at `end`. */
static trawl_status merge_chains(pair_chain *chain, uint64_t end, trawl_sink *sink) {
    while (chain[0].key != TRAWL_NO_KEY || chain[1].key != TRAWL_NO_KEY) {
        pair_chain *first = &chain[comes_first(&chain[0], &chain[1]) ? 0 : 1];
        trawl_status status = trawl_sink_put(sink, end - chain_length(first), end, chain_id(first));
        if (status != TRAWL_OK) {
            return status;
        }
        if (++first->next == first->outputs->first[first->key + 1]) {
            enter_key(first, first->outputs->link[first->key]);
        }
    }
    return TRAWL_OK;
}

/* Puts the matches whose longest ones are in the two sinks. */
static trawl_status merge_all(const pair_walker *walker, const trawl_window *window,
                              const trawl_sink *of, trawl_sink *sink) {
    (void)window;
    size_t at[2] = {0, 0};
    uint64_t end = 0;
    uint32_t keys[2];
    trawl_status status = TRAWL_OK;
    while (status == TRAWL_OK && trawl_case_pair_next(walker->pair, of, at, &end, keys)) {
        pair_chain chain[2];
        for (unsigned number = 0; number < 2; number++) {
            chain[number] =
                (pair_chain){.outputs = &walker->outputs[number], .ids = walker->pair->ids[number]};
            enter_key(&chain[number], keys[number]);
        }
        status = merge_chains(chain, end, sink);
    }
    return status;
}

/* The same without those that cannot fulfil their conditions. */
static trawl_status merge_conditions(const pair_walker *walker, const trawl_window *window,
                                     const trawl_sink *of, trawl_sink *sink) {
    size_t at[2] = {0, 0};
    uint64_t end = 0;
    uint32_t keys[2];
    trawl_status status = TRAWL_OK;
    while (status == TRAWL_OK && trawl_case_pair_next(walker->pair, of, at, &end, keys)) {
        status = trawl_case_pair_emit(walker->pair, walker->outputs, walker->base.db, window, end,
                                      keys, sink);
    }
    return status;
}

/* ------------------------------------------------------------------ walking */

/* `window`: the one that the piece is of. */
typedef trawl_status (*merge_function)(const pair_walker *walker, const trawl_window *window,
                                       const trawl_sink *of, trawl_sink *sink);

static trawl_status scan_with(pair_walker *walker, const trawl_window *window, merge_function merge,
                              trawl_sink *sink, trawl_error *error) {
    size_t overlap = walker->base.db->header->max_length - 1;
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
            found[number] = (trawl_sink){.matches = walker->matches[number],
                                         .capacity = walker->capacity,
                                         .flush = trawl_case_pair_refuse};
            trawl_walker *one = walker->of[number];
            status = one == NULL ? TRAWL_OK : one->type->scan(one, &part, &found[number], error);
        }
        if (status == TRAWL_OK) {
            status = merge(walker, window, found, sink);
        }
        walker->bytes += end - begin;
        begin = end;
    }
    return status;
}

static trawl_status scan_longest(trawl_walker *base, const trawl_window *window, trawl_sink *sink,
                                 trawl_error *error) {
    return scan_with((pair_walker *)base, window, merge_longest, sink, error);
}

static trawl_status scan_all(trawl_walker *base, const trawl_window *window, trawl_sink *sink,
                             trawl_error *error) {
    return scan_with((pair_walker *)base, window, merge_all, sink, error);
}

static trawl_status scan_conditions(trawl_walker *base, const trawl_window *window,
                                    trawl_sink *sink, trawl_error *error) {
    pair_walker *walker = (pair_walker *)base;
    /* Of texts one behind the other, the best match of a start may be in two of them. */
    if (walker->starts == NULL || !window->one_text) {
        return scan_with(walker, window, merge_conditions, sink, error);
    }
    walker->bytes += window->length - window->owned;
    return trawl_start_walker_scan(walker->starts, window, sink, error);
}

static trawl_status count_all(trawl_walker *base, const trawl_window *window, trawl_counts *counts,
                              trawl_error *error) {
    pair_walker *walker = (pair_walker *)base;
    trawl_status status = TRAWL_OK;
    for (unsigned number = 0; number < 2 && status == TRAWL_OK; number++) {
        uint32_t patterns = walker->pair->automaton[number]->patterns.count;
        if (counts->per_pattern != NULL && walker->per_pattern[number] == NULL) {
            walker->per_pattern[number] = trawl_allocate_zeroed(patterns, sizeof(uint64_t));
            if (walker->per_pattern[number] == NULL) {
                return trawl_fail_memory(error, "counting patterns", patterns * sizeof(uint64_t));
            }
        }
        trawl_counts own = {.per_pattern =
                                counts->per_pattern == NULL ? NULL : walker->per_pattern[number]};
        status = walker->of[number]->type->count(walker->of[number], window, &own, error);
        counts->total += own.total;
    }
    walker->bytes += window->length - window->owned;
    return status;
}

static void settle_all(trawl_walker *base, trawl_counts *counts) {
    pair_walker *walker = (pair_walker *)base;
    for (unsigned number = 0; number < 2; number++) {
        trawl_counts own = {.per_pattern = walker->per_pattern[number]};
        if (own.per_pattern == NULL) {
            continue;
        }
        walker->of[number]->type->settle(walker->of[number], &own);
        for (uint32_t i = 0; i < walker->pair->automaton[number]->patterns.count; i++) {
            counts->per_pattern[walker->pair->ids[number][i]] += own.per_pattern[i];
            own.per_pattern[i] = 0;
        }
    }
}

static void describe_pair(const trawl_walker *base, trawl_study_scan_report *report) {
    report->fallback_bytes += ((const pair_walker *)base)->bytes;
}

/* No `count`: leftmost matches are counted when they have been selected. */
static const trawl_walker_type longest_walker = {
    .open = open_pair,
    .close = close_pair,
    .scan = scan_longest,
    .reserve = reserve_pair,
    .describe = describe_pair,
};

static const trawl_walker_type all_walker = {
    .open = open_pair,
    .close = close_pair,
    .scan = scan_all,
    .count = count_all,
    .reserve = reserve_pair,
    .settle = settle_all,
    .describe = describe_pair,
};

/* No `count`: with conditions, matches are counted by reporting them. */
static const trawl_walker_type conditions_walker = {
    .open = open_pair,
    .close = close_pair,
    .scan = scan_conditions,
    .reserve = reserve_pair,
    .describe = describe_pair,
};

const trawl_walker_type *trawl_case_pair_walker(const trawl_db *db) {
    if (db->conditions.records != NULL) {
        return &conditions_walker;
    }
    return db->header->match_kind == TRAWL_MATCH_ALL ? &all_walker : &longest_walker;
}

const trawl_walker_type *trawl_case_pair_walker_of(const trawl_db *db) {
    bool in_place = db->header->match_kind != TRAWL_MATCH_ALL || !db->engine->walker->falls_back ||
                    db->conditions.records != NULL;
    return in_place && trawl_case_pair_of(db) != NULL ? trawl_case_pair_walker(db)
                                                      : db->engine->walker;
}
