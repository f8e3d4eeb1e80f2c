/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The links of a pair of automata for sets with conditions, and matches by these links. */
#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"
#include "database/conditions.h"
#include "database/outputs.h"
#include "run/case_pair.h"

/* Bytes of the links of an automaton, at most: as much as a large automaton itself. Policy. */
#define LINK_BYTES (UINT64_C(512) << 20)

/* ------------------------------------------------------------------ making the links */

/* Whether the bytes of a class stay in it when they are lower-cased. */
static bool is_closed(const trawl_condition_view *view, uint16_t left) {
    bool closed = true;
    for (int letter = 'a'; letter <= 'z'; letter++) {
        closed =
            closed && ((view->outside[letter] ^ view->outside[letter - 'a' + 'A']) & left) == 0;
    }
    return closed;
}

static bool has_condition(const trawl_db *db, const trawl_outputs *outputs, const uint32_t *ids,
                          uint32_t key, uint32_t condition) {
    bool found = false;
    for (uint32_t i = outputs->first[key]; i < outputs->first[key + 1] && !found; i++) {
        found = db->conditions.of[ids[outputs->ids[i]]] == condition;
    }
    return found;
}

/* Sets the links of one condition. Keys are numbered so that links lead to smaller numbers. */
static void link_condition(const trawl_db *db, const trawl_case_pair *pair, unsigned number,
                           const trawl_outputs *outputs, uint32_t condition, uint32_t *links) {
    const trawl_condition_view *view = &db->conditions;
    const trawl_pattern_view *patterns = &pair->automaton[number]->patterns;
    uint16_t left = view->records[condition].left;
    /* Keys of automaton 0 are found in any case: then the byte before may be another one. */
    bool any = number == 0 && !is_closed(view, left);
    for (uint32_t key = 0; key < outputs->keys; key++) {
        uint32_t shorter = outputs->link[key];
        links[key] = shorter;
        if (shorter == TRAWL_NO_KEY) {
            continue;
        }
        const uint8_t *bytes =
            patterns->bytes + patterns->offsets[outputs->ids[outputs->first[key]]];
        uint8_t before = bytes[outputs->length[key] - outputs->length[shorter] - 1];
        bool holds = any || (view->outside[before] & left) != 0;
        if (!holds || !has_condition(db, outputs, pair->ids[number], shorter, condition)) {
            links[key] = links[shorter];
        }
    }
}

trawl_status trawl_case_pair_link(const trawl_db *db, trawl_case_pair *pair) {
    for (unsigned number = 0; number < 2; number++) {
        if (pair->automaton[number] == NULL) {
            continue;
        }
        trawl_outputs outputs;
        trawl_outputs_view(pair->automaton[number], 0, &outputs);
        uint64_t count = (uint64_t)pair->conditions * outputs.keys;
        if (count > LINK_BYTES / sizeof(uint32_t)) {
            return TRAWL_ERROR_MEMORY;
        }
        pair->links[number] = trawl_allocate((size_t)count, sizeof(uint32_t));
        if (pair->links[number] == NULL) {
            return TRAWL_ERROR_MEMORY;
        }
        for (uint32_t i = 0; i < pair->conditions; i++) {
            link_condition(db, pair, number, &outputs, i,
                           pair->links[number] + (size_t)i * outputs.keys);
        }
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ matches */

/* The matches of an automaton with one condition that end at a position: from the pattern with
 * index `next` of `key` on. */
typedef struct cursor {
    const trawl_outputs *outputs;
    const uint32_t *ids;   /* of the automaton's patterns, in the whole set */
    const uint32_t *links; /* of the condition; of the outputs: all keys are entered */
    uint32_t condition;
    uint32_t key; /* TRAWL_NO_KEY: no more */
    uint32_t next;
} cursor;

/* What is asked of one end. */
typedef struct question {
    const trawl_db *db;
    const trawl_window *window;
    uint64_t end;
    uint16_t behind;
    bool text_ends;
} question;

static question ask(const trawl_db *db, const trawl_window *window, uint64_t end) {
    size_t index = (size_t)(end - window->base);
    bool inside = index < window->length;
    question about = {.db = db, .window = window, .end = end, .behind = TRAWL_BORDER};
    if (inside || window->goes_on) {
        about.behind = db->conditions.outside[inside ? window->text[index] : window->next];
    } else {
        about.text_ends = true;
    }
    return about;
}

/* Whether a match that ends there may fulfil the condition. */
static bool may_end(const question *about, const trawl_condition_record *record) {
    return (record->right & about->behind) != 0 && about->end <= record->max_end &&
           about->end > record->min_start && (record->at_end == 0 || about->text_ends) &&
           (record->at_start == 0 || about->end <= about->db->header->max_length);
}

/* Whether a match of the longest key may, by the byte before it. */
static bool may_start(const question *about, const trawl_condition_record *record,
                      uint32_t length) {
    const trawl_window *window = about->window;
    uint64_t start = about->end - length;
    uint16_t before = start <= window->base
                          ? TRAWL_BORDER
                          : about->db->conditions.outside[window->text[start - window->base - 1]];
    return (record->left & before) != 0;
}

/* Turns to the first pattern of the condition from `next` on, of this key or of one that the links
 * lead to. */
static void settle(cursor *at, const trawl_db *db) {
    while (at->key != TRAWL_NO_KEY) {
        for (; at->next < at->outputs->first[at->key + 1]; at->next++) {
            if (db->conditions.of[at->ids[at->outputs->ids[at->next]]] == at->condition) {
                return;
            }
        }
        at->key = at->links[at->key];
        at->next = at->key == TRAWL_NO_KEY ? 0 : at->outputs->first[at->key];
    }
}

/* Enters the matches of one condition from the longest key on. */
static void enter(cursor *at, const question *about) {
    const trawl_condition_record *record = &about->db->conditions.records[at->condition];
    const uint32_t *lengths = at->outputs->length;
    if (!may_start(about, record, lengths[at->key])) {
        at->key = at->links[at->key];
    }
    /* Only the ends of max_length bytes have keys to be passed over here. */
    while (at->key != TRAWL_NO_KEY && about->end - lengths[at->key] < record->min_start) {
        at->key = at->links[at->key];
    }
    at->next = at->key == TRAWL_NO_KEY ? 0 : at->outputs->first[at->key];
    settle(at, about->db);
}

static bool comes_before(const cursor *left, const cursor *right) {
    uint32_t one = left->outputs->length[left->key], other = right->outputs->length[right->key];
    return one != other ? one > other
                        : left->ids[left->outputs->ids[left->next]] <
                              right->ids[right->outputs->ids[right->next]];
}

/* Puts the matches of all cursors, of which each has one. */
static trawl_status merge(cursor *cursors, size_t count, const question *about, trawl_sink *sink) {
    while (count != 0) {
        size_t best = 0;
        for (size_t i = 1; i < count; i++) {
            best = comes_before(&cursors[i], &cursors[best]) ? i : best;
        }
        cursor *first = &cursors[best];
        trawl_status status =
            trawl_sink_put(sink, about->end - first->outputs->length[first->key], about->end,
                           first->ids[first->outputs->ids[first->next++]]);
        if (status != TRAWL_OK) {
            return status;
        }
        settle(first, about->db);
        if (first->key == TRAWL_NO_KEY) {
            *first = cursors[--count];
        }
    }
    return TRAWL_OK;
}

trawl_status trawl_case_pair_emit(const trawl_case_pair *pair, const trawl_outputs *outputs,
                                  const trawl_db *db, const trawl_window *window, uint64_t end,
                                  const uint32_t keys[2], trawl_sink *sink) {
    cursor cursors[2 * TRAWL_CASE_PAIR_CONDITIONS];
    size_t count = 0;
    const question about = ask(db, window, end);
    for (uint32_t condition = 0; condition < pair->conditions; condition++) {
        /* In texts one behind the other a match may start or end at any border. */
        if (window->one_text && !may_end(&about, &db->conditions.records[condition])) {
            continue;
        }
        for (unsigned number = 0; number < 2; number++) {
            if (keys[number] == TRAWL_NO_KEY) {
                continue;
            }
            cursor *at = &cursors[count];
            *at = (cursor){.outputs = &outputs[number],
                           .ids = pair->ids[number],
                           .links = outputs[number].link,
                           .condition = condition,
                           .key = keys[number],
                           .next = outputs[number].first[keys[number]]};
            if (window->one_text) {
                at->links = pair->links[number] + (size_t)condition * outputs[number].keys;
                enter(at, &about);
            } else {
                settle(at, db);
            }
            count += at->key != TRAWL_NO_KEY;
        }
    }
    return merge(cursors, count, &about, sink);
}
