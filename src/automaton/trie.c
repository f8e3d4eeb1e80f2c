/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "automaton/trie.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"

/* A level of the trie: for each of its states the range of sorted keys that pass through the state.
 * Both ends are stored, as keys that end in a higher level are between the ranges. */
typedef struct level {
    uint32_t *begin;
    uint32_t *end;
} level;

/*
 * Goes over the sorted keys level by level. The keys of a state are one range; a new child begins
 * where a key has no more bytes in common with the key before than the state is deep.
 */
static void number_states(const trawl_keys *keys, const trawl_classes *classes, trawl_trie *trie,
                          level now, level next) {
    uint32_t width = 1;
    uint32_t state = 0;
    trie->states = 1;
    now.begin[0] = 0;
    now.end[0] = keys->count;
    trie->level_first[0] = 0;
    trie->label[0] = 0;
    for (uint32_t depth = 0; width != 0; depth++) {
        trie->level_first[depth + 1] = trie->states;
        uint32_t next_width = 0;
        for (uint32_t i = 0; i < width; i++, state++) {
            uint32_t key = now.begin[i];
            uint32_t end = now.end[i];
            trie->child_first[state] = trie->states;
            trie->output[state] = TRAWL_NO_KEY;
            if (trawl_key_length(keys, key) == depth) {
                trie->output[state] = trie->terminals;
                trie->terminal_key[trie->terminals++] = key++;
            }
            while (key < end) {
                uint8_t byte = trawl_key_bytes(keys, key)[depth];
                next.begin[next_width] = key++;
                while (key < end && keys->common[key] > depth) {
                    key++;
                }
                next.end[next_width++] = key;
                trie->label[trie->states++] = classes->class_of[byte];
            }
        }
        level swap = now;
        now = next;
        next = swap;
        width = next_width;
    }
    trie->child_first[trie->states] = trie->states;
}

/*
 * Sets failure links in the order of states. Nearly all failure walks end in states of depth 0 to
 * 2, which are therefore looked up in tables: first[b] is the state "b", near[a][b] the longest
 * suffix of "ab" that is a state.
 */
static trawl_status link_failures(const trawl_classes *classes, trawl_trie *trie,
                                  trawl_error *error) {
    uint32_t count = classes->count;
    uint32_t *near = trawl_allocate((size_t)count * count, sizeof *near);
    if (near == NULL) {
        return trawl_fail_memory(error, "failure links", (uint64_t)count * count * sizeof *near);
    }
    uint32_t first[256] = {0};
    for (uint32_t s = trie->child_first[0]; s < trie->child_first[1]; s++) {
        first[trie->label[s]] = s;
    }
    for (uint32_t a = 0; a < count; a++) {
        memcpy(near + (size_t)a * count, first, count * sizeof *near);
    }
    for (uint32_t s = trie->child_first[0]; s < trie->child_first[1]; s++) {
        for (uint32_t t = trie->child_first[s]; t < trie->child_first[s + 1]; t++) {
            near[trie->label[s] * count + trie->label[t]] = t;
        }
    }
    uint32_t deeper = trie->level_first[2]; /* the first state of depth 2 */
    for (uint32_t s = 0; s < deeper; s++) {
        trie->failure[s] = 0;
    }
    for (uint32_t parent = 1; parent < trie->states; parent++) {
        for (uint32_t s = trie->child_first[parent]; s < trie->child_first[parent + 1]; s++) {
            uint8_t label = trie->label[s];
            uint32_t candidate = trie->failure[parent];
            uint32_t found = 0;
            while (candidate >= deeper && (found = trawl_trie_goto(trie, candidate, label)) == 0) {
                candidate = trie->failure[candidate];
            }
            if (found == 0) {
                found =
                    candidate == 0 ? first[label] : near[trie->label[candidate] * count + label];
            }
            trie->failure[s] = found;
            if (trie->output[s] == TRAWL_NO_KEY) {
                trie->output[s] = trie->output[found];
            }
        }
    }
    trawl_release(near);
    return TRAWL_OK;
}

/* Arrays of states are read at unrelated places, so they are in huge pages where they are large. */
static void *allocate_states(uint64_t states, size_t size) {
    return trawl_allocate_table(states * size);
}

trawl_status trawl_trie_make(const trawl_keys *keys, const trawl_classes *classes, trawl_trie *trie,
                             trawl_error *error) {
    memset(trie, 0, sizeof *trie);
    uint64_t states = trawl_keys_states(keys);
    if (states > TRAWL_TRIE_MAX_STATES) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "the patterns need %llu automaton states, at most %u are possible; "
                          "engine wu-manber takes such sets",
                          (unsigned long long)states, TRAWL_TRIE_MAX_STATES);
    }
    /* A level is never wider than the number of keys. */
    level now = {trawl_allocate(keys->count, sizeof(uint32_t)),
                 trawl_allocate(keys->count, sizeof(uint32_t))};
    level next = {trawl_allocate(keys->count, sizeof(uint32_t)),
                  trawl_allocate(keys->count, sizeof(uint32_t))};
    trie->levels = keys->max_length;
    trie->level_first = trawl_allocate((size_t)keys->max_length + 2, sizeof *trie->level_first);
    trie->child_first = allocate_states(states + 1, sizeof *trie->child_first);
    trie->label = allocate_states(states + TRAWL_TRIE_LABELS, sizeof *trie->label);
    trie->failure = allocate_states(states, sizeof *trie->failure);
    trie->terminal_key = trawl_allocate(keys->count, sizeof *trie->terminal_key);
    trie->output = allocate_states(states, sizeof *trie->output);
    trawl_status status = TRAWL_OK;
    if (now.begin == NULL || now.end == NULL || next.begin == NULL || next.end == NULL ||
        trie->level_first == NULL || trie->child_first == NULL || trie->label == NULL ||
        trie->failure == NULL || trie->terminal_key == NULL || trie->output == NULL) {
        status = trawl_fail_memory(error, "the trie", states * 13);
    }
    if (status == TRAWL_OK) {
        number_states(keys, classes, trie, now, next);
        memset(trie->label + states, 0, TRAWL_TRIE_LABELS);
        status = link_failures(classes, trie, error);
    }
    trawl_release(now.begin);
    trawl_release(now.end);
    trawl_release(next.begin);
    trawl_release(next.end);
    if (status != TRAWL_OK) {
        trawl_trie_release(trie);
    }
    return status;
}

void trawl_trie_release(trawl_trie *trie) {
    trawl_release(trie->level_first);
    trawl_release(trie->child_first);
    trawl_release(trie->label);
    trawl_release(trie->failure);
    trawl_release(trie->terminal_key);
    trawl_release(trie->output);
    memset(trie, 0, sizeof *trie);
}
