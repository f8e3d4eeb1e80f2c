/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The best match of each start, for leftmost kinds with conditions. Pieces of the text are reversed
 * and walked by a pair of automata for the reversed patterns:
 *
 *     text       overlap | owned bytes of the piece |
 *     reversed           <--------------------------   the longest keys that end here start there
 *
 * For each start, each condition has one best match: the longest key, or the next shorter one with
 * the condition behind which the right boundary holds. The best of these is reported. Time for a
 * byte does not depend on the number of nested patterns, unless boundaries depend on the letter
 * case of the text and this changes often (run/case_pair_steps.h).
 *
 * A match of a start before the owned bytes is reported if it ends in them. If it does not, it is
 * the best of that start in the window before, too, and has been reported there.
 */
#include "base/allocate.h"
#include "base/status.h"
#include "database/conditions.h"
#include "database/outputs.h"
#include "run/case_pair_ends.h"

#define NOTHING UINT32_MAX

struct trawl_start_walker {
    const trawl_db *db;
    const trawl_case_pair *pair;
    trawl_walker *of[2];
    trawl_outputs outputs[2];
    size_t piece;

    /* Room for `capacity` bytes, which is more than a piece with its overlap has. */
    size_t capacity;
    uint8_t *reversed;
    trawl_match *matches[2];
    /* Indices of starts in the piece by the ends of their matches, as lists with ascending starts:
     * the first one of an end, and the next one of a start, or NOTHING. */
    uint32_t *first, *next;
    uint32_t *ids; /* the match of a start */

    /* For boundaries that depend on the letter case of the text: the classes, and for each of them
     * the runs of the piece, `capacity` places. `masks[i]` is the boundary of runs + i * capacity.
     */
    unsigned classes;
    uint16_t masks[TRAWL_CLASSES];
    trawl_pair_run *runs;
};

/* ------------------------------------------------------------------ opening */

void trawl_start_walker_close(trawl_start_walker *walker) {
    if (walker == NULL) {
        return;
    }
    trawl_case_pair_close(walker->of);
    trawl_release(walker->matches[0]);
    trawl_release(walker->matches[1]);
    trawl_release(walker->reversed);
    trawl_release(walker->first);
    trawl_release(walker->next);
    trawl_release(walker->ids);
    trawl_release(walker->runs);
    trawl_release(walker);
}

/* Notes the boundaries that depend on the text. */
static void note_masks(trawl_start_walker *walker) {
    const trawl_pair_steps *steps = walker->pair->steps;
    for (uint32_t i = 0; steps != NULL && i < walker->pair->conditions; i++) {
        uint16_t right = walker->db->conditions.records[i].right;
        unsigned known = 0;
        while (known < walker->classes && walker->masks[known] != right) {
            known++;
        }
        if (steps[i].jump != NULL && known == walker->classes) {
            walker->masks[walker->classes++] = right;
        }
    }
}

trawl_status trawl_start_walker_open(const trawl_db *db, const trawl_case_pair *pair, size_t piece,
                                     const trawl_scan_settings *settings,
                                     trawl_start_walker **opened, trawl_error *error) {
    trawl_start_walker *walker = trawl_allocate_zeroed(1, sizeof *walker);
    if (walker == NULL) {
        return trawl_fail_memory(error, "a walker", sizeof *walker);
    }
    walker->db = db;
    walker->pair = pair;
    walker->piece = piece;
    note_masks(walker);
    trawl_status status = trawl_case_pair_open(pair, settings, walker->of, walker->outputs, error);
    if (status != TRAWL_OK) {
        trawl_start_walker_close(walker);
        return status;
    }
    *opened = walker;
    return TRAWL_OK;
}

static trawl_status make_room(trawl_start_walker *walker, size_t bytes, trawl_error *error) {
    if (bytes < walker->capacity) {
        return TRAWL_OK;
    }
    size_t capacity = bytes + 1;
    void **arrays[] = {(void **)&walker->matches[0], (void **)&walker->matches[1],
                       (void **)&walker->reversed,   (void **)&walker->first,
                       (void **)&walker->next,       (void **)&walker->ids,
                       (void **)&walker->runs};
    const size_t sizes[] = {sizeof(trawl_match),
                            sizeof(trawl_match),
                            1,
                            4,
                            4,
                            4,
                            walker->classes * sizeof(trawl_pair_run)};
    size_t sum = 0;
    walker->capacity = capacity;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        trawl_release(*arrays[i]);
        *arrays[i] = sizes[i] == 0 ? NULL : trawl_allocate(capacity, sizes[i]);
        walker->capacity = *arrays[i] == NULL && sizes[i] != 0 ? 0 : walker->capacity;
        sum += capacity * sizes[i];
    }
    return walker->capacity != 0 ? TRAWL_OK : trawl_fail_memory(error, "matches by starts", sum);
}

trawl_status trawl_start_walker_reserve(trawl_start_walker *walker, trawl_error *error) {
    trawl_status status =
        make_room(walker, walker->piece + walker->db->header->max_length - 1, error);
    for (unsigned number = 0; number < 2 && status == TRAWL_OK; number++) {
        trawl_walker *of = walker->of[number];
        status = of == NULL || of->type->reserve == NULL ? TRAWL_OK : of->type->reserve(of, error);
    }
    return status;
}

/* ------------------------------------------------------------------ one start */

/* A start, and the text around it. */
typedef struct place {
    const trawl_window *window;
    size_t index; /* of the start in the window */
    size_t from;  /* where the piece begins in the window */
    uint16_t before;
    bool begins; /* the text begins here */
} place;

/* A match of a start. For leftmost-first the length is 0, since it decides nothing. */
typedef struct candidate {
    uint32_t length, id;
} candidate;

static bool is_better(const candidate *left, const candidate *right) {
    return left->length > right->length || (left->length == right->length && left->id < right->id);
}

/* The mask of the byte behind a match. */
static uint16_t mask_behind(const trawl_db *db, const trawl_window *window, size_t end) {
    return end < window->length ? db->conditions.outside[window->text[end]]
           : window->goes_on    ? db->conditions.outside[window->next]
                                : TRAWL_BORDER;
}

/* Improves the best match by those of one condition, of the keys from `key` on, where right
 * boundaries depend on the text. */
static void improve_by_runs(const trawl_start_walker *walker, const place *at, uint32_t condition,
                            uint32_t key, candidate *best) {
    const trawl_outputs *outputs = &walker->outputs[0];
    size_t before = (size_t)condition * outputs->keys;
    const trawl_pair_run *runs = walker->runs;
    for (const uint16_t *mask = walker->masks;
         *mask != walker->db->conditions.records[condition].right; mask++) {
        runs += walker->capacity;
    }
    const trawl_pair_search search = {.length = outputs->length,
                                      .links = walker->pair->links[0] + before,
                                      .offsets = walker->db->patterns.offsets,
                                      .steps = &walker->pair->steps[condition],
                                      .runs = runs,
                                      .start = (uint32_t)(at->index - at->from)};
    if (walker->db->header->match_kind == TRAWL_MATCH_LEFTMOST_FIRST) {
        best->id = trawl_pair_lowest(&search, key, best->id);
        return;
    }
    key = trawl_pair_longest(&search, key);
    if (key != TRAWL_NO_KEY) {
        candidate found = {outputs->length[key], walker->pair->heads[0][before + key]};
        *best = is_better(&found, best) ? found : *best;
    }
}

/* Improves the best match by those of one condition, of the longest key `key` and those that it
 * links to. */
static void improve(const trawl_start_walker *walker, unsigned number, const place *at,
                    uint32_t condition, uint32_t key, candidate *best) {
    const trawl_condition_record *record = &walker->db->conditions.records[condition];
    const trawl_window *window = at->window;
    const trawl_outputs *outputs = &walker->outputs[number];
    const uint32_t *links = walker->pair->links[number] + (size_t)condition * outputs->keys;
    const uint32_t *lowest = walker->pair->heads[number] + (size_t)condition * outputs->keys;
    uint64_t start = window->base + at->index;
    size_t end = at->index + outputs->length[key];
    if ((record->left & at->before) == 0 || start < record->min_start || start >= record->max_end ||
        (record->at_start != 0 && !at->begins) ||
        (record->at_end != 0 && (end < window->length || window->goes_on))) {
        return;
    }
    if (lowest[key] == TRAWL_NO_PATTERN ||
        (record->right & mask_behind(walker->db, window, end)) == 0) {
        key = links[key];
    }
    /* Only near max_end are there keys to be passed over here. */
    while (key != TRAWL_NO_KEY && start + outputs->length[key] > record->max_end) {
        key = links[key];
    }
    if (key == TRAWL_NO_KEY) {
        return;
    }
    bool first = walker->db->header->match_kind == TRAWL_MATCH_LEFTMOST_FIRST;
    candidate most = {first ? 0 : outputs->length[key], lowest[key]};
    if (!is_better(&most, best)) {
        return;
    }
    if (number == 0 && walker->pair->steps[condition].jump != NULL) {
        improve_by_runs(walker, at, condition, key, best);
    } else {
        *best = most;
    }
}

/* Sets *id to the best match of a start. False: there is none. */
static bool find_best(const trawl_start_walker *walker, const place *at, const uint32_t keys[2],
                      uint32_t *id) {
    candidate best = {.length = 0, .id = TRAWL_NO_PATTERN};
    for (unsigned number = 0; number < 2; number++) {
        for (uint32_t i = 0; i < walker->pair->conditions && keys[number] != TRAWL_NO_KEY; i++) {
            improve(walker, number, at, i, keys[number], &best);
        }
    }
    *id = best.id;
    return best.id != TRAWL_NO_PATTERN;
}

/* ------------------------------------------------------------------ pieces */

/* Finds the runs of places behind which a boundary holds, from place 0, which is byte `from` of the
 * window, to place `last`. */
static void find_runs(const trawl_start_walker *walker, const trawl_window *window, size_t from,
                      size_t last, uint16_t mask, trawl_pair_run *runs) {
    size_t begin = 0, end = last + 1;
    for (size_t i = 0; i <= last; i++) {
        bool holds = (mask_behind(walker->db, window, from + i) & mask) != 0;
        runs[i].end = holds ? TRAWL_RUN_HOLDS : 0;
        begin = i != 0 && runs[i - 1].end != runs[i].end ? i : begin;
        runs[i].begin = (uint32_t)begin;
    }
    for (size_t i = last + 1; i-- > 0;) {
        runs[i].end |= (uint32_t)end;
        end = runs[i].begin == i ? i : end;
    }
}

/* Walks bytes from .. end - 1 of the window backwards. */
static trawl_status walk(trawl_start_walker *walker, const trawl_window *window, size_t from,
                         size_t end, trawl_sink found[2], trawl_error *error) {
    trawl_status status = make_room(walker, end - from, error);
    if (status != TRAWL_OK) {
        return status;
    }
    for (size_t i = 0; i < end - from; i++) {
        walker->reversed[i] = window->text[end - 1 - i];
    }
    for (unsigned i = 0; i < walker->classes; i++) {
        find_runs(walker, window, from, end - from, walker->masks[i],
                  walker->runs + i * walker->capacity);
    }
    const trawl_window part = {.text = walker->reversed, .length = end - from};
    for (unsigned number = 0; number < 2 && status == TRAWL_OK; number++) {
        found[number] = (trawl_sink){.matches = walker->matches[number],
                                     .capacity = walker->capacity,
                                     .flush = trawl_case_pair_refuse};
        trawl_walker *one = walker->of[number];
        status = one == NULL ? TRAWL_OK : one->type->scan(one, &part, &found[number], error);
    }
    return status;
}

/* Makes lists of the starts, by the ends of their best matches. */
static void list_starts(trawl_start_walker *walker, const trawl_window *window, size_t from,
                        size_t end, const trawl_sink found[2]) {
    const trawl_db *db = walker->db;
    size_t at[2] = {0, 0};
    uint64_t back = 0; /* from a start to the end of the piece: starts descend */
    uint32_t keys[2];
    for (size_t i = 0; i <= end - from; i++) {
        walker->first[i] = NOTHING;
    }
    while (trawl_case_pair_next(walker->pair, found, at, &back, keys)) {
        size_t index = end - (size_t)back;
        const place here = {
            .window = window,
            .index = index,
            .from = from,
            .before = index == 0 ? TRAWL_BORDER : db->conditions.outside[window->text[index - 1]],
            .begins = window->base + index == 0,
        };
        uint32_t id = 0;
        if (find_best(walker, &here, keys, &id)) {
            size_t start = index - from;
            size_t last = start + db->patterns.offsets[id + 1] - db->patterns.offsets[id];
            walker->ids[start] = id;
            walker->next[start] = walker->first[last];
            walker->first[last] = (uint32_t)start;
        }
    }
}

trawl_status trawl_start_walker_scan(trawl_start_walker *walker, const trawl_window *window,
                                     trawl_sink *sink, trawl_error *error) {
    size_t overlap = walker->db->header->max_length - 1;
    trawl_status status = TRAWL_OK;
    for (size_t begin = window->owned; begin < window->length && status == TRAWL_OK;) {
        size_t left = window->length - begin;
        size_t end = begin + (left < walker->piece ? left : walker->piece);
        size_t from = begin < overlap ? 0 : begin - overlap;
        trawl_sink found[2];
        status = walk(walker, window, from, end, found, error);
        if (status == TRAWL_OK) {
            list_starts(walker, window, from, end, found);
        }
        for (size_t last = begin + 1; last <= end && status == TRAWL_OK; last++) {
            uint32_t start = walker->first[last - from];
            for (; start != NOTHING && status == TRAWL_OK; start = walker->next[start]) {
                status = trawl_sink_put(sink, window->base + from + start, window->base + last,
                                        walker->ids[start]);
            }
        }
        begin = end;
    }
    return status;
}
