/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/verify/found_ends.h"

static inline uint64_t load(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

void trawl_found_ends_begin(trawl_found_ends *found, trawl_tier_walker *walker,
                            const trawl_window *window, size_t first, size_t last,
                            const trawl_qgram_lists *lists) {
    /* Possible keys are written before they are read. */
    found->walker = walker;
    found->window = window;
    found->first = first;
    found->last = last;
    found->ends = lists->ends;
    found->keys = lists->keys;
    found->count = 0;
    found->marks = lists->words;
    found->has_marks = false;
    found->compared = 0;
    found->possible_count = 0;
    found->records = walker->search.view.outputs.records;
    found->is_near = walker->search.view.outputs.keys <= TRAWL_FOUND_ENDS_NEAR_KEYS;
}

/* Enters an end with a key into the lists, which are sorted; of two keys of one end the longer one
 * stays. Samples ascend, and few ends lie between the ends of two samples: insertion takes a step
 * or two. */
static void insert(trawl_found_ends *found, uint32_t end, uint32_t key, const uint32_t *lengths) {
    size_t at = found->count;
    while (at != 0 && found->ends[at - 1] > end) {
        at--;
    }
    if (at != 0 && found->ends[at - 1] == end) {
        if (lengths[key] > lengths[found->keys[at - 1]]) {
            found->keys[at - 1] = key;
        }
        return;
    }
    for (size_t i = found->count; i > at; i--) {
        found->ends[i] = found->ends[i - 1];
        found->keys[i] = found->keys[i - 1];
    }
    found->ends[at] = end;
    found->keys[at] = key;
    found->count++;
}

static inline uint64_t difference(const uint8_t *past, const uint8_t *here, size_t bytes,
                                  bool folded) {
    uint64_t key = load(past - bytes), text = load(here - bytes);
    return folded ? trawl_fold_word(key) ^ trawl_fold_word(text) : key ^ text;
}

/* Whether the `length` bytes before `past` and before `here` are equal. The first eight are
 * compared first: a long key that ends with a run of one byte begins with others. Eight bytes can
 * be read before both. Keys of up to 16 bytes, whose lengths no branch predicts, are compared
 * without one. Adds the bytes that were compared to *compared. */
static inline bool is_equal(const uint8_t *past, const uint8_t *here, size_t length, bool folded,
                            uint64_t *compared) {
    const size_t all = length < 8 ? 8 : length;
    if (length <= 16) {
        const size_t last = length < 8 ? length : 8;
        *compared += all;
        return (difference(past, here, 8, folded) | difference(past, here, all, folded)) >>
                   (64 - 8 * last) ==
               0;
    }
    size_t bytes = all;
    uint64_t unequal;
    do {
        unequal = difference(past, here, bytes, folded);
        bytes = bytes >= 16 ? bytes - 8 : bytes == 8 ? 0 : 8;
    } while (unequal == 0 && bytes != 0);
    *compared += all - bytes;
    return unequal == 0;
}

static inline uint32_t id_of(const trawl_endings_view *view, uint32_t key) {
    const trawl_key_record *record = &view->outputs.records[key];
    return record->patterns == 1 ? record->ids : view->outputs.ids[view->outputs.first[key]];
}

/* Compares a key with the text, and enters its end if they are equal. The key is not longer than
 * the text before its end. */
static inline void compare(trawl_found_ends *found, const trawl_endings_view *view, size_t end,
                           uint32_t key, size_t length, const uint8_t *past) {
    const uint8_t *here = found->window->text + end;
    bool can_read = length >= 8 || (end >= 8 && past - view->patterns.bytes >= 8);
    if (can_read ? is_equal(past, here, length, view->folded, &found->compared)
                 : trawl_ending_common(past, here, 0, length, view->folded) == length) {
        insert(found, (uint32_t)end, key, view->outputs.length);
    }
}

/* Compares the keys that are waiting one after the other. */
static void compare_near(trawl_found_ends *found) {
    const trawl_endings_view *view = &found->walker->search.view;
    for (uint32_t i = 0; i < found->possible_count; i++) {
        const trawl_possible_key *possible = &found->possible[i];
        uint32_t length = view->outputs.records[possible->key].length;
        if (length <= possible->end) {
            const uint8_t *past = trawl_view_end(&view->patterns, id_of(view, possible->key));
            compare(found, view, possible->end, possible->key, length, past);
        }
    }
}

/* The same where tables and patterns come from farther away: each loop prefetches the memory that
 * the next one reads. */
static void compare_far(trawl_found_ends *found) {
    const trawl_endings_view *view = &found->walker->search.view;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < found->possible_count; i++) {
        trawl_possible_key possible = found->possible[i];
        possible.length = view->outputs.records[possible.key].length;
        possible.id = id_of(view, possible.key);
        __builtin_prefetch(&view->patterns.offsets[possible.id + 1]);
        found->possible[kept] = possible;
        kept += possible.length <= possible.end;
    }
    for (uint32_t i = 0; i < kept; i++) {
        trawl_possible_key *possible = &found->possible[i];
        possible->past = trawl_view_end(&view->patterns, possible->id);
        __builtin_prefetch(possible->past - 1);
    }
    for (uint32_t i = 0; i < kept; i++) {
        const trawl_possible_key *possible = &found->possible[i];
        compare(found, view, possible->end, possible->key, possible->length, possible->past);
    }
}

void trawl_found_ends_compare(trawl_found_ends *found) {
    if (found->is_near) {
        compare_near(found);
    } else {
        compare_far(found);
    }
    found->possible_count = 0;
}

size_t trawl_found_ends_mark(trawl_found_ends *found, size_t sample, uint64_t steps,
                             uint32_t step) {
    size_t marked = 0;
    if (!found->has_marks) {
        found->has_marks = true;
        memset(found->marks, 0, ((found->last - found->first) / 64 + 1) * sizeof *found->marks);
    }
    for (; steps != 0; steps &= steps - 1) {
        size_t end = sample + 1 + step * (size_t)__builtin_ctzll(steps);
        size_t past = end + step;
        for (; end < past; end++) {
            if (end >= found->first && end <= found->last) {
                size_t bit = end - found->first;
                found->marks[bit / 64] |= UINT64_C(1) << bit % 64;
                marked++;
            }
        }
    }
    return marked;
}

/* Adds the marked ends to the lists, to be looked up: the look-up finds the longest key, whatever
 * key the lists had. */
static void add_marked_ends(trawl_found_ends *found) {
    size_t words = (found->last - found->first) / 64 + 1, more = 0;
    for (size_t i = 0; i < found->count; i++) {
        size_t bit = found->ends[i] - found->first;
        uint64_t mark = UINT64_C(1) << bit % 64;
        found->keys[i] = (found->marks[bit / 64] & mark) != 0 ? TRAWL_NO_KEY : found->keys[i];
        found->marks[bit / 64] &= ~mark;
    }
    for (size_t i = 0; i < words; i++) {
        more += (size_t)__builtin_popcountll(found->marks[i]);
    }
    size_t from = found->count, to = from + more;
    found->count = to;
    for (size_t i = words; i-- > 0;) { /* both lists from their ends, into their common place */
        for (uint64_t marks = found->marks[i]; marks != 0;) {
            uint32_t bit = 63 - trawl_leading_zeros(marks);
            uint32_t end = (uint32_t)(found->first + 64 * i + bit);
            for (; from != 0 && found->ends[from - 1] > end; from--) {
                found->ends[--to] = found->ends[from - 1];
                found->keys[to] = found->keys[from - 1];
            }
            found->ends[--to] = end;
            found->keys[to] = TRAWL_NO_KEY;
            marks &= ~(UINT64_C(1) << bit);
        }
    }
}

size_t trawl_found_ends_finish(trawl_found_ends *found) {
    trawl_found_ends_compare(found);
    found->walker->search.compared += found->compared;
    if (found->has_marks) {
        add_marked_ends(found);
    }
    return found->count;
}
