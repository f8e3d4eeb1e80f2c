/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The links of a pair of automata for sets with conditions, and matches by these links. */
#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"
#include "database/conditions.h"
#include "database/outputs.h"
#include "run/case_pair.h"

/* Bytes of the links, heads and steps of an automaton, at most: as much as a large automaton
 * itself. Policy. */
#define LINK_BYTES (UINT64_C(512) << 20)

/* ------------------------------------------------------------------ making the links */

/* The index in outputs->ids, from `index` on, of the key's next pattern with the condition. Ids of
 * a key ascend. */
static uint32_t find_pattern(const trawl_db *db, const trawl_outputs *outputs, const uint32_t *ids,
                             uint32_t key, uint32_t index, uint32_t condition) {
    for (; index < outputs->first[key + 1]; index++) {
        if (db->conditions.of[ids[outputs->ids[index]]] == condition) {
            return index;
        }
    }
    return TRAWL_NO_PATTERN;
}

/* Sets the heads of one condition, and which patterns of a key have the same one. */
static void note_patterns(const trawl_db *db, const trawl_case_pair *pair, unsigned number,
                          const trawl_outputs *outputs, uint32_t condition) {
    const uint32_t *ids = pair->ids[number];
    uint32_t *heads = pair->heads[number] + (size_t)condition * outputs->keys;
    for (uint32_t key = 0; key < outputs->keys; key++) {
        uint32_t index = find_pattern(db, outputs, ids, key, outputs->first[key], condition);
        heads[key] = index;
        while (index != TRAWL_NO_PATTERN) {
            uint32_t next = find_pattern(db, outputs, ids, key, index + 1, condition);
            pair->same[number][index] = next;
            index = next;
        }
    }
}

/* Whether a boundary may hold beside a byte of a key. */
typedef enum certainty { NEVER, DEPENDS, ALWAYS } certainty;

/* `mask`: of the boundary. `any`: the key is found in any letter case. */
static certainty holds_beside(const trawl_condition_view *view, uint8_t byte, uint16_t mask,
                              bool any) {
    uint8_t other = any && trawl_is_letter(byte) ? (uint8_t)(byte ^ 0x20) : byte;
    bool one = (view->outside[byte] & mask) != 0, both = (view->outside[other] & mask) != 0;
    return one != both ? DEPENDS : one ? ALWAYS : NEVER;
}

/* Sets the links of one condition, of which the heads are known. Keys are numbered so that links
 * lead to smaller numbers. Where it depends on the text whether a boundary holds, links lead to the
 * key; true: there is such a key. */
static bool link_condition(const trawl_db *db, const trawl_case_pair *pair, unsigned number,
                           const trawl_outputs *outputs, uint32_t condition) {
    const trawl_condition_view *view = &db->conditions;
    const trawl_pattern_view *patterns = &pair->automaton[number]->patterns;
    const trawl_condition_record *record = &view->records[condition];
    const uint32_t *heads = pair->heads[number] + (size_t)condition * outputs->keys;
    uint32_t *links = pair->links[number] + (size_t)condition * outputs->keys;
    uint16_t mask = pair->is_reversed ? record->right : record->left;
    bool depends = false;
    /* What ends where the text ends is the longest key that starts there. */
    bool alone = pair->is_reversed && record->at_end != 0;
    for (uint32_t key = 0; key < outputs->keys; key++) {
        uint32_t shorter = alone ? TRAWL_NO_KEY : outputs->link[key];
        links[key] = shorter;
        if (shorter == TRAWL_NO_KEY) {
            continue;
        }
        const uint8_t *bytes =
            patterns->bytes + patterns->offsets[outputs->ids[outputs->first[key]]];
        uint8_t before = bytes[outputs->length[key] - outputs->length[shorter] - 1];
        certainty holds = holds_beside(view, before, mask, number == 0);
        if (holds == NEVER || heads[shorter] == TRAWL_NO_PATTERN) {
            links[key] = links[shorter];
        } else {
            depends = depends || holds == DEPENDS;
        }
    }
    return depends;
}

/* Puts the lowest ids in the place of the heads, in a pair of reversed patterns, and makes the
 * steps of the condition if boundaries depend on the text. */
static trawl_status note_lowest(const trawl_db *db, const trawl_case_pair *pair, unsigned number,
                                const trawl_outputs *outputs, uint32_t condition, bool depends) {
    const uint32_t *links = pair->links[number] + (size_t)condition * outputs->keys;
    uint32_t *lowest = pair->heads[number] + (size_t)condition * outputs->keys;
    for (uint32_t key = 0; key < outputs->keys; key++) {
        if (lowest[key] != TRAWL_NO_PATTERN) {
            lowest[key] = pair->ids[number][outputs->ids[lowest[key]]];
        }
    }
    if (depends &&
        trawl_pair_steps_make(outputs, links, lowest, &pair->steps[condition]) != TRAWL_OK) {
        return TRAWL_ERROR_MEMORY;
    }
    bool first = db->header->match_kind == TRAWL_MATCH_LEFTMOST_FIRST;
    for (uint32_t key = 0; first && key < outputs->keys; key++) {
        uint32_t link = lowest[key] == TRAWL_NO_PATTERN ? TRAWL_NO_KEY : links[key];
        if (link != TRAWL_NO_KEY && lowest[link] < lowest[key]) {
            lowest[key] = lowest[link];
        }
    }
    return TRAWL_OK;
}

static trawl_status link_automaton(const trawl_db *db, trawl_case_pair *pair, unsigned number) {
    trawl_outputs outputs;
    trawl_outputs_view(pair->automaton[number], 0, &outputs);
    uint64_t count = (uint64_t)pair->conditions * outputs.keys;
    if (count > LINK_BYTES / (2 * sizeof(uint32_t))) {
        return TRAWL_ERROR_MEMORY;
    }
    if (pair->is_reversed && number == 0) {
        pair->steps = trawl_allocate_zeroed(pair->conditions, sizeof *pair->steps);
        if (pair->steps == NULL) {
            return TRAWL_ERROR_MEMORY;
        }
    }
    pair->links[number] = trawl_allocate((size_t)count, sizeof(uint32_t));
    pair->heads[number] = trawl_allocate((size_t)count, sizeof(uint32_t));
    pair->same[number] = trawl_allocate(outputs.first[outputs.keys], sizeof(uint32_t));
    if (pair->links[number] == NULL || pair->heads[number] == NULL || pair->same[number] == NULL) {
        return TRAWL_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < pair->conditions; i++) {
        note_patterns(db, pair, number, &outputs, i);
        bool depends = link_condition(db, pair, number, &outputs, i);
        if (!pair->is_reversed) {
            continue;
        }
        count += depends ? UINT64_C(3) * outputs.keys / 2 : 0;
        if (count > LINK_BYTES / (2 * sizeof(uint32_t)) ||
            note_lowest(db, pair, number, &outputs, i, depends) != TRAWL_OK) {
            return TRAWL_ERROR_MEMORY;
        }
    }
    return TRAWL_OK;
}

trawl_status trawl_case_pair_link(const trawl_db *db, trawl_case_pair *pair) {
    trawl_status status = TRAWL_OK;
    for (unsigned number = 0; number < 2 && status == TRAWL_OK; number++) {
        status = pair->automaton[number] == NULL ? TRAWL_OK : link_automaton(db, pair, number);
    }
    return status;
}

/* ------------------------------------------------------------------ matches */

/* The matches of an automaton with one condition that end at a position: from the pattern with
 * index `next` of `key` on. */
typedef struct cursor {
    const trawl_outputs *outputs;
    const uint32_t *ids;   /* of the automaton's patterns, in the whole set */
    const uint32_t *links; /* of the condition; of the outputs: all keys are entered */
    const uint32_t *heads; /* of the condition */
    const uint32_t *same;
    uint32_t key;  /* TRAWL_NO_KEY: no more */
    uint32_t next; /* index into outputs->ids */
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

/* Turns to the first pattern of the condition of this key, or of one that the links lead to. */
static void settle(cursor *at) {
    while (at->key != TRAWL_NO_KEY && at->heads[at->key] == TRAWL_NO_PATTERN) {
        at->key = at->links[at->key];
    }
    at->next = at->key == TRAWL_NO_KEY ? 0 : at->heads[at->key];
}

/* Turns to the next pattern of the condition. */
static void advance(cursor *at) {
    at->next = at->same[at->next];
    if (at->next == TRAWL_NO_PATTERN) {
        at->key = at->links[at->key];
        settle(at);
    }
}

/* Enters the matches of one condition from the longest key on. */
static void enter(cursor *at, const question *about, const trawl_condition_record *record) {
    const uint32_t *lengths = at->outputs->length;
    if (!may_start(about, record, lengths[at->key])) {
        at->key = at->links[at->key];
    }
    /* Only the ends of max_length bytes have keys to be passed over here. */
    while (at->key != TRAWL_NO_KEY && about->end - lengths[at->key] < record->min_start) {
        at->key = at->links[at->key];
    }
    settle(at);
}

static bool comes_before(const cursor *left, const cursor *right) {
    uint32_t one = left->outputs->length[left->key], other = right->outputs->length[right->key];
    return one != other ? one > other
                        : left->ids[left->outputs->ids[left->next]] <
                              right->ids[right->outputs->ids[right->next]];
}

/* Moves a cursor down in a binary heap, the first of all cursors on top. */
static void sink_cursor(cursor *heap, size_t count, size_t index) {
    const cursor moved = heap[index];
    for (size_t below; (below = 2 * index + 1) < count; index = below) {
        below += below + 1 < count && comes_before(&heap[below + 1], &heap[below]);
        if (!comes_before(&heap[below], &moved)) {
            break;
        }
        heap[index] = heap[below];
    }
    heap[index] = moved;
}

/* Puts the matches of all cursors, of which each has one. */
static trawl_status merge(cursor *cursors, size_t count, const question *about, trawl_sink *sink) {
    for (size_t index = count / 2; index-- > 0;) {
        sink_cursor(cursors, count, index);
    }
    while (count != 0) {
        cursor *first = &cursors[0];
        trawl_status status =
            trawl_sink_put(sink, about->end - first->outputs->length[first->key], about->end,
                           first->ids[first->outputs->ids[first->next]]);
        if (status != TRAWL_OK) {
            return status;
        }
        advance(first);
        if (first->key == TRAWL_NO_KEY) {
            *first = cursors[--count];
        }
        if (count > 1) {
            sink_cursor(cursors, count, 0);
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
            size_t from = (size_t)condition * outputs[number].keys;
            *at = (cursor){.outputs = &outputs[number],
                           .ids = pair->ids[number],
                           .links = outputs[number].link,
                           .heads = pair->heads[number] + from,
                           .same = pair->same[number],
                           .key = keys[number]};
            if (window->one_text) {
                at->links = pair->links[number] + from;
                enter(at, &about, &db->conditions.records[condition]);
            } else {
                settle(at);
            }
            count += at->key != TRAWL_NO_KEY;
        }
    }
    return merge(cursors, count, &about, sink);
}
