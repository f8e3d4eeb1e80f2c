/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "database/selection_inside.h"

#include "automaton/trie.h"
#include "base/allocate.h"
#include "base/status.h"

/* ------------------------------------------------------------------ which keys may be inside
 *
 * Most keys of large sets are inside no other one, and an automaton of all keys would take many
 * times their bytes. A key can only be inside another one if its last bytes are, so these are
 * looked for with two Bloom filters of one hash: `wanted` has the last bytes of keys, `met` those
 * of them that were found before the end of a key. The number of last bytes is the largest power of
 * two that a key has; keys are handled in classes by it. */

#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* Bits of a filter for each key of a class. */
enum { BITS_PER_KEY = 16 };

typedef struct filters {
    uint64_t *wanted, *met;
    unsigned shift; /* 64 - log2 of the bits of each */
} filters;

static unsigned class_of_length(uint32_t length) {
    return 31 - (unsigned)__builtin_clz(length);
}

static uint64_t hash_of(const uint8_t *bytes, uint32_t length) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < length; i++) {
        hash = hash * HASH_FACTOR + bytes[i] + 1;
    }
    return hash;
}

static uint64_t place_of(const filters *bits, uint64_t hash) {
    return ((hash ^ hash >> 32) * HASH_FACTOR) >> bits->shift;
}

static bool is_set(const uint64_t *words, uint64_t place) {
    return (words[place / 64] >> place % 64 & 1) != 0;
}

static void set(uint64_t *words, uint64_t place) {
    words[place / 64] |= UINT64_C(1) << place % 64;
}

/* Sets in `met` the hashes of `wanted` that occur in a key before its end, which is behind the
 * first of its reversed bytes. Keys in which one occurs become `outer`. */
static void meet(const trawl_keys *keys, uint32_t width, const filters *bits, uint8_t *outer) {
    uint64_t leaving = 1; /* the factor of the byte that leaves the hash */
    for (uint32_t i = 0; i < width; i++) {
        leaving *= HASH_FACTOR;
    }
    for (uint32_t key = 0; key < keys->count; key++) {
        const uint8_t *bytes = keys->bytes + keys->offsets[key];
        uint32_t length = trawl_key_length(keys, key);
        uint64_t hash = length > width ? hash_of(bytes, width) : 0;
        for (uint32_t at = width; at < length; at++) {
            hash = hash * HASH_FACTOR + bytes[at] + 1 - leaving * (uint64_t)(bytes[at - width] + 1);
            uint64_t place = place_of(bits, hash);
            if (is_set(bits->wanted, place)) {
                set(bits->met, place);
                outer[key] = 1;
            }
        }
    }
}

/* Marks the keys of a class that may be inside others, in `inner` at their lowest id. */
static trawl_status mark_class(trawl_build *build, const trawl_keys *keys, unsigned class,
                               uint32_t keys_of_class, uint8_t *inner, uint8_t *outer) {
    unsigned log2 = 6;
    while ((UINT64_C(1) << log2) < (uint64_t)keys_of_class * BITS_PER_KEY) {
        log2++;
    }
    uint64_t words = UINT64_C(1) << (log2 - 6);
    filters bits = {.wanted = trawl_allocate_zeroed(words, 8),
                    .met = trawl_allocate_zeroed(words, 8),
                    .shift = 64 - log2};
    trawl_status status = TRAWL_OK;
    if (bits.wanted == NULL || bits.met == NULL) {
        status = trawl_fail_memory(build->error, "keys inside others", 2 * words * 8);
    } else {
        uint32_t width = UINT32_C(1) << class;
        for (uint32_t key = 0; key < keys->count; key++) {
            if (class_of_length(trawl_key_length(keys, key)) == class) {
                set(bits.wanted, place_of(&bits, hash_of(keys->bytes + keys->offsets[key], width)));
            }
        }
        meet(keys, width, &bits, outer);
        for (uint32_t key = 0; key < keys->count; key++) {
            if (class_of_length(trawl_key_length(keys, key)) == class) {
                uint64_t hash = hash_of(keys->bytes + keys->offsets[key], width);
                inner[keys->ids[keys->first[key]]] = is_set(bits.met, place_of(&bits, hash));
            }
        }
    }
    trawl_release(bits.wanted);
    trawl_release(bits.met);
    return status;
}

static trawl_status mark(trawl_build *build, const trawl_keys *keys, uint8_t *inner,
                         uint8_t *outer) {
    uint32_t counts[32] = {0};
    for (uint32_t key = 0; key < keys->count; key++) {
        counts[class_of_length(trawl_key_length(keys, key))]++;
    }
    trawl_status status = TRAWL_OK;
    for (unsigned class = 0; class < 32 && status == TRAWL_OK; class ++) {
        if (counts[class] != 0) {
            status = mark_class(build, keys, class, counts[class], inner, outer);
        }
    }
    return status;
}

/* ------------------------------------------------------------------ the automaton */

typedef struct inner_automaton {
    trawl_keys keys; /* reversed, with the lowest id of each */
    trawl_classes classes;
    trawl_trie trie;
    uint32_t *best; /* for each terminal: the best of the patterns that begin where it begins */
} inner_automaton;

static void release_automaton(inner_automaton *automaton) {
    trawl_release(automaton->best);
    trawl_trie_release(&automaton->trie);
    trawl_keys_release(&automaton->keys);
}

/* Makes the automaton of the patterns in `subset`. */
static trawl_status make_automaton(trawl_build *build, const trawl_patterns *reversed,
                                   const uint32_t *subset, size_t count,
                                   inner_automaton *automaton) {
    trawl_status status = trawl_keys_make(reversed, subset, count, &automaton->keys, build->error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_classes_make(&automaton->keys, &automaton->classes);
    status = trawl_trie_make(&automaton->keys, &automaton->classes, &automaton->trie, build->error);
    if (status != TRAWL_OK) {
        return status;
    }
    const trawl_trie *trie = &automaton->trie;
    automaton->best = trawl_allocate(trie->terminals, sizeof *automaton->best);
    if (automaton->best == NULL) {
        return trawl_fail_memory(build->error, "keys inside others",
                                 trie->terminals * sizeof *automaton->best);
    }
    bool first = build->options->matches == TRAWL_MATCH_LEFTMOST_FIRST;
    uint32_t terminal = 0;
    for (uint32_t state = 1; state < trie->states && terminal < trie->terminals; state++) {
        if (trie->output[state] == terminal) {
            uint32_t id = automaton->keys.ids[automaton->keys.first[trie->terminal_key[terminal]]];
            uint32_t shorter = trie->output[trie->failure[state]];
            automaton->best[terminal++] =
                first && shorter != TRAWL_NO_KEY && automaton->best[shorter] < id
                    ? automaton->best[shorter]
                    : id;
        }
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ the walk over the keys */

typedef struct inside_list {
    trawl_selection_inside *items;
    size_t count, capacity;
} inside_list;

static trawl_status append(trawl_build *build, inside_list *list, uint32_t offset,
                           uint32_t pattern) {
    if (list->count == list->capacity) {
        size_t larger = list->capacity < 1024 ? 1024 : list->capacity * 2;
        trawl_selection_inside *moved = trawl_reallocate(list->items, larger, sizeof *moved);
        if (moved == NULL) {
            return trawl_fail_memory(build->error, "keys inside others", larger * sizeof *moved);
        }
        list->items = moved;
        list->capacity = larger;
    }
    list->items[list->count++] = (trawl_selection_inside){.offset = offset, .pattern = pattern};
    return TRAWL_OK;
}

/* The walk tells the highest offset first. */
static void turn_around(trawl_selection_inside *begin, trawl_selection_inside *end) {
    while (begin < end) {
        trawl_selection_inside swapped = *begin;
        *begin++ = *--end;
        *end = swapped;
    }
}

static trawl_status walk_key(trawl_build *build, const inner_automaton *automaton,
                             const uint8_t *bytes, trawl_selection_key *key, uint32_t linked,
                             inside_list *list) {
    const trawl_trie *trie = &automaton->trie;
    size_t begin = list->count;
    uint32_t state = 0;
    uint32_t behind = key->length - linked; /* offsets from here on belong to the linked key */
    for (uint32_t offset = key->length; offset-- > 0;) {
        uint8_t label = automaton->classes.class_of[*bytes++];
        uint32_t child;
        while ((child = trawl_trie_goto(trie, state, label)) == 0 && state != 0) {
            state = trie->failure[state];
        }
        state = child;
        uint32_t output = trie->output[state];
        if (output == TRAWL_NO_KEY || offset >= behind) {
            continue;
        }
        uint32_t best = automaton->best[output];
        if (offset != 0) {
            trawl_status status = append(build, list, offset, best);
            if (status != TRAWL_OK) {
                return status;
            }
        } else if (build->options->matches == TRAWL_MATCH_LEFTMOST_FIRST && best < key->pattern) {
            key->pattern = best;
        }
    }
    if (list->count != begin) {
        turn_around(list->items + begin, list->items + list->count);
    }
    return TRAWL_OK;
}

static trawl_status walk_keys(trawl_build *build, const inner_automaton *automaton,
                              const uint8_t *outer, trawl_selection_build *planned) {
    inside_list list = {0};
    const trawl_keys *keys = &planned->keys;
    trawl_status status = TRAWL_OK;
    for (uint32_t i = 0; i < keys->count && status == TRAWL_OK; i++) {
        trawl_selection_key *key = &planned->made[i];
        if (outer[i] != 0) {
            uint32_t linked = key->link == TRAWL_NO_KEY ? 0 : planned->made[key->link].length;
            status = walk_key(build, automaton, keys->bytes + keys->offsets[i], key, linked, &list);
        }
        key->inside_end = (uint32_t)list.count;
    }
    planned->inside = list.items;
    planned->inside_count = list.count;
    return status;
}

trawl_status trawl_selection_find_inside(trawl_build *build, const trawl_patterns *reversed,
                                         trawl_selection_build *planned) {
    const trawl_keys *keys = &planned->keys;
    uint8_t *inner = trawl_allocate_zeroed(reversed->count, 1);
    uint8_t *outer = trawl_allocate_zeroed(keys->count, 1);
    uint32_t *subset = trawl_allocate(keys->count, sizeof *subset);
    inner_automaton automaton = {.best = NULL};
    trawl_status status = TRAWL_OK;
    if (inner == NULL || outer == NULL || subset == NULL) {
        status = trawl_fail_memory(build->error, "keys inside others",
                                   reversed->count + keys->count * (1 + sizeof *subset));
    } else {
        status = mark(build, keys, inner, outer);
    }
    size_t count = 0;
    for (uint32_t id = 0; status == TRAWL_OK && id < reversed->count; id++) {
        if (inner[id] != 0) {
            subset[count++] = id;
        }
    }
    if (status == TRAWL_OK && count != 0) {
        status = make_automaton(build, reversed, subset, count, &automaton);
        if (status == TRAWL_OK) {
            status = walk_keys(build, &automaton, outer, planned);
        }
    }
    release_automaton(&automaton);
    trawl_release(subset);
    trawl_release(outer);
    trawl_release(inner);
    return status;
}
