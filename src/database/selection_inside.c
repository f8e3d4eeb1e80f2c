/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "database/selection_inside.h"

#include "automaton/trie.h"
#include "base/allocate.h"
#include "base/status.h"

/* ------------------------------------------------------------------ which keys may be inside
 *
 * Most keys of large sets are inside no other key, and an automaton of all keys would take many
 * times their bytes. So the first step excludes keys that are inside no other one: a key K can only
 * be inside a key L if the last bytes of K (its ending) occur in L before the end of L.
 *
 * The endings of all keys are put into a Bloom filter, and into a hash table behind it. Then each
 * position of each key is looked up. The filter excludes all positions but one in BITS_PER_KEY; the
 * table decides about the others. (The filter alone would not do: a large set has so many positions
 * that nearly every bit is hit by one of them, and every key would seem to be inside another.)
 *
 * The ending of a key of up to 8 bytes is the whole key, as shorter endings occur by chance; that
 * of a longer key has as many bytes as the largest power of two that fits. Keys with endings of the
 * same length form a class and are handled together. */

#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* Bits of the filter for each key of a class. */
enum { BITS_PER_KEY = 16 };
/* Slots of the table for each key of a class: 2 to 4. */
enum { LOG2_BITS_PER_SLOT = 3 };
/* Slots that are probed for a hash, at most. In a table that is at most half full, keys need far
 * fewer probes; only keys that are made to collide need more, and those count as met. No
 * measurement chose the number. */
enum { MOST_PROBES = 64 };

/* The last bytes of the keys of a class. */
typedef struct endings_met {
    uint64_t *filter;
    uint64_t *hashes; /* the table, with linear probing; 0: an empty slot */
    uint8_t *met;     /* of each slot: the bytes occur in a key before its end */
    bool overfull;    /* a hash is not in the table: all keys of the class count as met */
    unsigned shift;   /* 64 - log2 of the bits of the filter */
    uint64_t mask;    /* slots - 1 */
} endings_met;

/* Keys of up to this many bytes are their own ending. */
#define WHOLE 8u
/* Classes of keys by the bytes of their endings: 1 to WHOLE, and the powers of two above. */
#define CLASSES (WHOLE + 32)

static unsigned class_of_length(uint32_t length) {
    unsigned log = 31 - (unsigned)__builtin_clz(length);
    return length <= WHOLE ? length : WHOLE + log;
}

static uint32_t width_of_class(unsigned length_class) {
    return length_class <= WHOLE ? length_class : UINT32_C(1) << (length_class - WHOLE);
}

static uint64_t hash_of(const uint8_t *bytes, uint32_t length) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < length; i++) {
        hash = hash * HASH_FACTOR + bytes[i] + 1;
    }
    return hash;
}

/* The bit of the filter. */
static uint64_t place_of(const endings_met *endings, uint64_t hash) {
    return ((hash ^ hash >> 32) * HASH_FACTOR) >> endings->shift;
}

/* The slot that has the hash, or the empty one where it belongs; NULL: neither is among the first
 * MOST_PROBES. Two strings with one hash share a slot: a key may then seem to be inside another
 * one, which costs time alone. */
static uint64_t *slot_of(const endings_met *endings, uint64_t hash, uint64_t place) {
    uint64_t slot = place >> LOG2_BITS_PER_SLOT;
    for (unsigned probe = 0; probe < MOST_PROBES; probe++) {
        uint64_t *found = &endings->hashes[(slot + probe) & endings->mask];
        if (*found == 0 || *found == hash) {
            return found;
        }
    }
    return NULL;
}

static void add_ending(endings_met *endings, uint64_t hash) {
    uint64_t place = place_of(endings, hash);
    endings->filter[place / 64] |= UINT64_C(1) << place % 64;
    uint64_t *slot = slot_of(endings, hash, place);
    if (slot != NULL && hash != 0) {
        *slot = hash;
    } else {
        endings->overfull = true;
    }
}

static bool is_ending(endings_met *endings, uint64_t hash) {
    uint64_t place = place_of(endings, hash);
    if ((endings->filter[place / 64] >> place % 64 & 1) == 0) {
        return false;
    }
    uint64_t *slot = slot_of(endings, hash, place);
    if (slot == NULL || *slot == 0) {
        return endings->overfull;
    }
    endings->met[slot - endings->hashes] = 1;
    return true;
}

static bool is_met(const endings_met *endings, uint64_t hash) {
    const uint64_t *slot = slot_of(endings, hash, place_of(endings, hash));
    return slot == NULL || endings->overfull || endings->met[slot - endings->hashes] != 0;
}

/* Marks the endings that occur in a key before its end. The bytes of keys are reversed, so the end
 * is before the first of them. Keys in which an ending occurs are set in `outer`. */
static void meet(const trawl_keys *keys, uint32_t width, endings_met *endings, uint8_t *outer) {
    uint64_t leaving = 1; /* the factor of the byte that leaves the hash */
    for (uint32_t i = 0; i < width; i++) {
        leaving *= HASH_FACTOR;
    }
    for (uint32_t key = 0; key < keys->count; key++) {
        const uint8_t *bytes = trawl_key_bytes(keys, key);
        uint32_t length = trawl_key_length(keys, key);
        uint64_t hash = length > width ? hash_of(bytes, width) : 0;
        for (uint32_t at = width; at < length; at++) {
            hash = hash * HASH_FACTOR + bytes[at] + 1 - leaving * (uint64_t)(bytes[at - width] + 1);
            if (is_ending(endings, hash)) {
                outer[key] = 1;
            }
        }
    }
}

/* Marks the keys of a class that may be inside others, in `inner` at their lowest id. */
static void mark_keys(const trawl_keys *keys, unsigned length_class, endings_met *endings,
                      uint8_t *inner, uint8_t *outer) {
    uint32_t width = width_of_class(length_class);
    for (uint32_t key = 0; key < keys->count; key++) {
        if (class_of_length(trawl_key_length(keys, key)) == length_class) {
            add_ending(endings, hash_of(trawl_key_bytes(keys, key), width));
        }
    }
    meet(keys, width, endings, outer);
    for (uint32_t key = 0; key < keys->count; key++) {
        if (class_of_length(trawl_key_length(keys, key)) == length_class) {
            uint64_t hash = hash_of(trawl_key_bytes(keys, key), width);
            inner[keys->ids[keys->first[key]]] = is_met(endings, hash);
        }
    }
}

static trawl_status mark_class(trawl_build *build, const trawl_keys *keys, unsigned length_class,
                               uint32_t keys_of_class, uint8_t *inner, uint8_t *outer) {
    unsigned log2 = 6;
    while ((UINT64_C(1) << log2) < (uint64_t)keys_of_class * BITS_PER_KEY) {
        log2++;
    }
    uint64_t words = UINT64_C(1) << (log2 - 6);
    uint64_t slots = UINT64_C(1) << (log2 - LOG2_BITS_PER_SLOT);
    endings_met endings = {.filter = trawl_allocate_zeroed(words, sizeof *endings.filter),
                           .hashes = trawl_allocate_zeroed(slots, sizeof *endings.hashes),
                           .met = trawl_allocate_zeroed(slots, 1),
                           .shift = 64 - log2,
                           .mask = slots - 1};
    trawl_status status = TRAWL_OK;
    if (endings.filter == NULL || endings.hashes == NULL || endings.met == NULL) {
        status = trawl_fail_memory(build->error, "keys inside others", words * 8 + slots * 9);
    } else {
        mark_keys(keys, length_class, &endings, inner, outer);
    }
    trawl_release(endings.filter);
    trawl_release(endings.hashes);
    trawl_release(endings.met);
    return status;
}

static trawl_status mark(trawl_build *build, const trawl_keys *keys, uint8_t *inner,
                         uint8_t *outer) {
    uint32_t counts[CLASSES] = {0};
    for (uint32_t key = 0; key < keys->count; key++) {
        counts[class_of_length(trawl_key_length(keys, key))]++;
    }
    trawl_status status = TRAWL_OK;
    for (unsigned length_class = 0; length_class < CLASSES && status == TRAWL_OK; length_class++) {
        if (counts[length_class] != 0) {
            status = mark_class(build, keys, length_class, counts[length_class], inner, outer);
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
    if (list->count == UINT32_MAX) {
        return trawl_fail(build->error, TRAWL_ERROR_LIMIT,
                          "patterns are inside others at more than 4294967295 places: leftmost "
                          "matches are not possible, all matches are");
    }
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

/* Reverses [begin, end): the walk finds offsets in descending order. */
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
            status = walk_key(build, automaton, trawl_key_bytes(keys, i), key, linked, &list);
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
