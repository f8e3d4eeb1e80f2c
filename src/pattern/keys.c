/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pattern/keys.h"

#include <string.h>

#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"

/* Sorting is by eight bytes at a time: `prefix` is the next eight bytes of a pattern as a number,
 * the first byte the most significant one, with zeros behind the pattern's end. */
typedef struct entry {
    uint64_t prefix;
    uint32_t id;
    uint32_t length;
} entry;

typedef struct sorter {
    const uint8_t *bytes; /* of all patterns, folded if keys are */
    const uint32_t *offsets;
    const uint64_t *bases;
    entry *entries;
    entry *scratch;
} sorter;

/* Patterns of a group that insertion sort takes; radix sort takes larger ones. Half and
 * double: compiling takes 0.98 to 1.04 times as long (docs/notebook/2026-11-constants.md). */
#define SMALL_GROUP 24

static const uint8_t *bytes_of(const sorter *sort, uint32_t id) {
    return sort->bytes + trawl_offset(sort->offsets, sort->bases, id);
}

static uint64_t load_prefix(const sorter *sort, uint32_t id, uint32_t length, uint32_t depth) {
    uint64_t prefix = 0;
    const uint8_t *bytes = bytes_of(sort, id) + depth;
    uint32_t left = length - depth;
    if (left >= 8) {
        memcpy(&prefix, bytes, 8);
        return __builtin_bswap64(prefix);
    }
    for (uint32_t i = 0; i < left; i++) {
        prefix |= (uint64_t)bytes[i] << (56 - 8 * i);
    }
    return prefix;
}

static bool entry_before(const sorter *sort, const entry *left, const entry *right,
                         uint32_t depth) {
    if (left->prefix != right->prefix) {
        return left->prefix < right->prefix;
    }
    uint32_t shorter = left->length < right->length ? left->length : right->length;
    int order = memcmp(bytes_of(sort, left->id) + depth, bytes_of(sort, right->id) + depth,
                       shorter - depth);
    if (order != 0) {
        return order < 0;
    }
    return left->length != right->length ? left->length < right->length : left->id < right->id;
}

static void insertion_sort(const sorter *sort, size_t begin, size_t end, uint32_t depth) {
    entry *entries = sort->entries;
    for (size_t i = begin + 1; i < end; i++) {
        entry moving = entries[i];
        size_t j = i;
        while (j > begin && entry_before(sort, &moving, &entries[j - 1], depth)) {
            entries[j] = entries[j - 1];
            j--;
        }
        entries[j] = moving;
    }
}

#define DIGITS 8u /* bytes of a prefix */

static void count_digits(const entry *entries, size_t count, uint32_t counts[DIGITS][256]) {
    memset(counts, 0, DIGITS * sizeof counts[0]);
    for (size_t i = 0; i < count; i++) {
        uint64_t prefix = entries[i].prefix;
        for (unsigned digit = 0; digit < DIGITS; digit++) {
            counts[digit][prefix >> 8 * digit & 0xff]++;
        }
    }
}

/* Makes counts of values of the sums of all counts before: where entries of each value begin. */
static void sum_counts(uint32_t *counts) {
    uint32_t sum = 0;
    for (unsigned value = 0; value < 256; value++) {
        uint32_t here = counts[value];
        counts[value] = sum;
        sum += here;
    }
}

/* Radix sort of a group by prefix, least significant byte first. It is stable: ids stay ascending.
 * Digits that are the same in all entries are passed over: letters have few values, and short
 * patterns end in zeros. */
static void radix_sort(sorter *sort, size_t begin, size_t end) {
    entry *from = sort->entries + begin;
    entry *to = sort->scratch + begin;
    size_t count = end - begin;
    uint32_t counts[DIGITS][256];
    count_digits(from, count, counts);
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        uint32_t *starts = counts[digit];
        unsigned shift = 8 * digit;
        if (starts[from[0].prefix >> shift & 0xff] == count) {
            continue;
        }
        sum_counts(starts);
        for (size_t i = 0; i < count; i++) {
            to[starts[from[i].prefix >> shift & 0xff]++] = from[i];
        }
        entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != sort->entries + begin) {
        memcpy(sort->entries + begin, from, count * sizeof *from);
    }
}

/* Within a group of equal prefixes: puts patterns that end within these eight bytes first, by
 * length, and returns the index of the first other one. Lengths differ only if there are zero
 * bytes: "a" and "a\0" have equal prefixes. */
static size_t order_ended(sorter *sort, size_t begin, size_t end, uint32_t depth) {
    size_t starts[10] = {0};
    entry *entries = sort->entries;
    for (size_t i = begin; i < end; i++) {
        uint32_t left = entries[i].length - depth;
        starts[(left > 8 ? 9 : left)]++;
    }
    if (starts[9] == end - begin) {
        return begin;
    }
    size_t sum = begin;
    for (unsigned i = 0; i < 10; i++) {
        size_t here = starts[i];
        starts[i] = sum;
        sum += here;
    }
    size_t longer = starts[9];
    for (size_t i = begin; i < end; i++) {
        uint32_t left = entries[i].length - depth;
        sort->scratch[starts[(left > 8 ? 9 : left)]++] = entries[i];
    }
    memcpy(entries + begin, sort->scratch + begin, (end - begin) * sizeof *entries);
    return longer;
}

/* Sorts entries [begin, end), whose first `depth` bytes are equal. Recurses into groups of at most
 * half the size, and loops over a larger one, so that the stack stays small for any input. */
static void sort_group(sorter *sort, size_t begin, size_t end, uint32_t depth) {
    for (;;) {
        for (size_t i = begin; i < end; i++) {
            sort->entries[i].prefix =
                load_prefix(sort, sort->entries[i].id, sort->entries[i].length, depth);
        }
        if (end - begin <= SMALL_GROUP) {
            insertion_sort(sort, begin, end, depth);
            return;
        }
        radix_sort(sort, begin, end);
        size_t next_begin = 0, next_end = 0; /* the group for the next turn of the loop */
        for (size_t i = begin; i < end;) {
            size_t j = i + 1;
            while (j < end && sort->entries[j].prefix == sort->entries[i].prefix) {
                j++;
            }
            size_t longer = j - i > 1 ? order_ended(sort, i, j, depth) : j;
            if (j - longer > 1) {
                if (j - longer > (end - begin) / 2) {
                    next_begin = longer;
                    next_end = j;
                } else {
                    sort_group(sort, longer, j, depth + 8);
                }
            }
            i = j;
        }
        if (next_end - next_begin < 2) {
            return;
        }
        begin = next_begin;
        end = next_end;
        depth += 8;
    }
}

static uint32_t common_prefix(const uint8_t *left, const uint8_t *right, uint32_t length) {
    uint32_t i = 0;
    while (i < length && left[i] == right[i]) {
        i++;
    }
    return i;
}

/* Sorted patterns are anywhere in memory: bytes are prefetched AHEAD patterns before they are
 * copied, offsets twice as many. */
#define AHEAD ((size_t)16)

/* Copies the sorted patterns into keys, one for each distinct string. */
static void gather(const sorter *sort, size_t count, trawl_keys *keys) {
    uint64_t first = sort->bases == NULL ? 0 : sort->bases[0], used = 0;
    keys->offsets[0] = (uint32_t)first;
    if (keys->bases != NULL) {
        keys->bases[0] = first;
    }
    for (size_t i = 0; i < count; i++) {
        if (i + 2 * AHEAD < count) {
            __builtin_prefetch(&sort->offsets[sort->entries[i + 2 * AHEAD].id]);
            __builtin_prefetch(bytes_of(sort, sort->entries[i + AHEAD].id));
        }
        const entry *item = &sort->entries[i];
        const uint8_t *bytes = bytes_of(sort, item->id);
        keys->ids[i] = item->id;
        uint32_t common = 0;
        if (keys->count != 0) {
            uint32_t last = keys->count - 1;
            uint32_t last_length = trawl_key_length(keys, last);
            uint32_t shorter = item->length < last_length ? item->length : last_length;
            common = common_prefix(trawl_key_bytes(keys, last), bytes, shorter);
            if (common == item->length && common == last_length) {
                continue;
            }
        }
        keys->common[keys->count] = common;
        keys->first[keys->count] = (uint32_t)i;
        memcpy(keys->bytes + used, bytes, item->length);
        used += item->length;
        keys->count++;
        keys->offsets[keys->count] = (uint32_t)(first + used);
        if (keys->bases != NULL && keys->count % TRAWL_OFFSETS_BLOCK == 0) {
            keys->bases[keys->count >> TRAWL_OFFSETS_BLOCK_BITS] = first + used;
        }
        if (item->length > keys->max_length) {
            keys->max_length = item->length;
        }
    }
    keys->first[keys->count] = (uint32_t)count;
    memset(keys->bytes + used, 0, TRAWL_KEYS_PADDING);
}

/* Folds the bytes of the patterns of all entries, and leaves them where they are in the set: memory
 * of others is not touched, so a small subset of a large set takes little of it, and little time.
 */
static void fold_patterns(const sorter *sort, size_t count, uint8_t *folded) {
    for (size_t i = 0; i < count; i++) {
        const uint8_t *from = bytes_of(sort, sort->entries[i].id);
        uint8_t *to = folded + (from - sort->bytes);
        for (uint32_t at = 0; at < sort->entries[i].length; at++) {
            to[at] = trawl_fold(from[at]);
        }
    }
}

trawl_status trawl_keys_make(const trawl_patterns *patterns, const uint32_t *subset,
                             size_t subset_count, trawl_keys *keys, trawl_error *error) {
    memset(keys, 0, sizeof *keys);
    size_t count = subset == NULL ? patterns->count : subset_count;
    keys->folded = patterns->case_insensitive != 0;
    keys->pattern_count = (uint32_t)count;
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += trawl_pattern_length(patterns, subset == NULL ? i : subset[i]);
    }

    sorter sort = {
        .bytes = patterns->bytes, .offsets = patterns->offsets, .bases = patterns->bases};
    uint8_t *folded = NULL;
    sort.entries = trawl_allocate(count, sizeof *sort.entries);
    sort.scratch = trawl_allocate(count, sizeof *sort.scratch);
    keys->bytes = trawl_allocate(total + TRAWL_KEYS_PADDING, 1);
    /* One allocation for four arrays: that of a large set is returned to the system when freed. */
    keys->offsets = trawl_allocate(4 * count + 2, sizeof *keys->offsets);
    if (patterns->bases != NULL) {
        keys->bases = trawl_allocate(trawl_offsets_bases(count), sizeof *keys->bases);
    }
    if (keys->folded) {
        folded = trawl_allocate(trawl_patterns_bytes(patterns), 1);
    }
    trawl_status status = TRAWL_OK;
    if (sort.entries == NULL || sort.scratch == NULL || keys->bytes == NULL ||
        keys->offsets == NULL || (patterns->bases != NULL && keys->bases == NULL) ||
        (keys->folded && folded == NULL)) {
        status = trawl_fail_memory(error, "sorting the patterns",
                                   total + (uint64_t)count * (2 * sizeof(entry) + 16));
        goto done;
    }
    keys->common = keys->offsets + count + 1;
    keys->first = keys->common + count;
    keys->ids = keys->first + count + 1;
    for (size_t i = 0; i < count; i++) {
        uint32_t id = subset == NULL ? (uint32_t)i : subset[i];
        sort.entries[i] = (entry){.id = id, .length = trawl_pattern_length(patterns, id)};
    }
    if (folded != NULL) {
        fold_patterns(&sort, count, folded);
        sort.bytes = folded;
    }
    sort_group(&sort, 0, count, 0);
    gather(&sort, count, keys);
done:
    trawl_release(folded);
    trawl_release(sort.entries);
    trawl_release(sort.scratch);
    if (status != TRAWL_OK) {
        trawl_keys_release(keys);
    }
    return status;
}

void trawl_keys_release(trawl_keys *keys) {
    trawl_release(keys->bytes);
    trawl_release(keys->offsets);
    trawl_release(keys->bases);
    memset(keys, 0, sizeof *keys);
}

void trawl_keys_release_ids(trawl_keys *keys) {
    size_t kept = (size_t)(keys->first - keys->offsets);
    uint32_t *block = trawl_reallocate(keys->offsets, kept, sizeof *block);
    if (block != NULL) { /* else it keeps its size */
        keys->offsets = block;
        keys->common = block + keys->pattern_count + 1;
    }
    keys->first = NULL;
    keys->ids = NULL;
}

uint64_t trawl_keys_states(const trawl_keys *keys) {
    uint64_t states = 1;
    for (uint32_t k = 0; k < keys->count; k++) {
        states += trawl_key_length(keys, k) - keys->common[k];
    }
    return states;
}
