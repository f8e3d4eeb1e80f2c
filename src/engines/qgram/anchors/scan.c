/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/anchors/scan.h"

#include "engines/qgram/tier.h"

#define INLINE static inline __attribute__((always_inline))

/* Samples between the request for a bucket and its use: the time of a load from memory, about.
 * Chosen, not measured against others. */
#define AHEAD 16u

/* Bytes before and behind a sample that the loops read. */
#define MARGIN 8u

trawl_anchors_view trawl_anchors_view_of(const trawl_db *db, uint32_t part,
                                         const trawl_qgram_tier *tier) {
    const trawl_anchors_header *header =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_BUCKETS, part, NULL);
    const trawl_anchors_bucket *buckets = (const void *)(header + 1);
    return (trawl_anchors_view){
        .tags = trawl_db_section(db, TRAWL_SECTION_QGRAM_TAGS, part, NULL),
        .buckets = buckets,
        .further = buckets[header->buckets].entry,
        .multiplier = trawl_qgram_multiplier(tier->gram),
        .case_bits = trawl_qgram_case_bits(tier->folded != 0),
        .tag_bits = tier->suffix_filter_bits,
        .count = header->buckets,
        .reach = header->reach,
    };
}

/* ------------------------------------------------------------------ tags and values */

INLINE uint64_t load(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Whether the text around a sample has the value of an entry. Bytes that folding makes equal,
 * though they are no letters, are compared once more with the whole key. */
INLINE bool has_value(const trawl_anchors_entry *entry, const uint8_t *sample, uint64_t case_bits) {
    uint64_t word = trawl_qgram_fold(load(sample + entry->from), case_bits);
    return word << (entry->shift & 63) == entry->value;
}

INLINE size_t keep_tags(const trawl_anchors_view *given, const uint8_t *text,
                        uint32_t *restrict samples, size_t count, uint32_t *restrict buckets,
                        uint64_t case_bits) {
    const trawl_anchors_view view = *given;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t sample = samples[i];
        uint64_t hash =
            trawl_anchors_hash(trawl_qgram_fold(load(text + sample), case_bits), view.multiplier);
        uint32_t tags = view.tags[trawl_anchors_tag(hash, view.tag_bits)];
        samples[kept] = sample;
        buckets[kept] = (uint32_t)trawl_anchors_bucket_of(hash, view.count);
        kept += tags >> trawl_anchors_tag_bit(hash) & 1;
    }
    return kept;
}

INLINE size_t keep_values(const trawl_anchors_view *given, const uint8_t *text,
                          uint32_t *restrict samples, size_t count, uint32_t *restrict buckets,
                          uint64_t case_bits) {
    const trawl_anchors_view view = *given;
    size_t kept = 0;
    for (size_t i = 0; i < count && i < AHEAD; i++) {
        __builtin_prefetch(&view.buckets[buckets[i]]);
    }
    for (size_t i = 0; i < count; i++) {
        __builtin_prefetch(&view.buckets[buckets[i + AHEAD < count ? i + AHEAD : i]]);
        uint32_t sample = samples[i], bucket = buckets[i];
        const trawl_anchors_entry *entry = view.buckets[bucket].entry;
        __builtin_prefetch(&view.further[entry[1].more != 0 ? entry[1].key : 0]);
        samples[kept] = sample;
        buckets[kept] = bucket;
        unsigned first = has_value(&entry[0], text + sample, case_bits);
        unsigned second = has_value(&entry[1], text + sample, case_bits);
        unsigned more = (entry[0].more | entry[1].more) != 0;
        kept += first | second | more;
    }
    return kept;
}

static size_t keep_tags_scalar(const trawl_anchors_view *view, const uint8_t *text,
                               uint32_t *samples, size_t count, uint32_t *buckets) {
    return view->case_bits != 0
               ? keep_tags(view, text, samples, count, buckets, trawl_qgram_case_bits(true))
               : keep_tags(view, text, samples, count, buckets, 0);
}

static size_t keep_values_scalar(const trawl_anchors_view *view, const uint8_t *text,
                                 uint32_t *samples, size_t count, uint32_t *buckets) {
    return view->case_bits != 0
               ? keep_values(view, text, samples, count, buckets, trawl_qgram_case_bits(true))
               : keep_values(view, text, samples, count, buckets, 0);
}

static const trawl_anchors_loops loops_scalar = {keep_tags_scalar, keep_values_scalar};

#if TRAWL_HAVE_X86

/* With BMI2 a shift by a variable is one instruction, without it several on Intel's processors. */
TRAWL_TARGET_AVX2 static size_t keep_tags_avx2(const trawl_anchors_view *view, const uint8_t *text,
                                               uint32_t *samples, size_t count, uint32_t *buckets) {
    return view->case_bits != 0
               ? keep_tags(view, text, samples, count, buckets, trawl_qgram_case_bits(true))
               : keep_tags(view, text, samples, count, buckets, 0);
}

TRAWL_TARGET_AVX2 static size_t keep_values_avx2(const trawl_anchors_view *view,
                                                 const uint8_t *text, uint32_t *samples,
                                                 size_t count, uint32_t *buckets) {
    return view->case_bits != 0
               ? keep_values(view, text, samples, count, buckets, trawl_qgram_case_bits(true))
               : keep_values(view, text, samples, count, buckets, 0);
}

static const trawl_anchors_loops loops_avx2 = {keep_tags_avx2, keep_values_avx2};

#endif

const trawl_anchors_loops *trawl_anchors_loops_for(trawl_cpu_set set) {
#if TRAWL_HAVE_X86
    return set == TRAWL_CPU_SCALAR ? &loops_scalar : &loops_avx2;
#else
    (void)set;
    return &loops_scalar;
#endif
}

/* ------------------------------------------------------------------ ends */

/* A key whose value was found. */
typedef struct possible_key {
    uint32_t end, key;
    uint32_t length;
    uint32_t id;         /* of one of its patterns */
    const uint8_t *past; /* behind this pattern's bytes; NULL: the key is known by its value */
} possible_key;

/* Keys that are compared together, so that the loads of their tables and bytes overlap. Chosen, not
 * measured against others. */
#define AT_ONCE 64u

/* The ends of a block that have been found so far. */
typedef struct found_ends {
    const trawl_tier_walker *walker;
    const trawl_window *window;
    size_t first, last; /* ends of the block */
    uint32_t *ends, *keys;
    size_t count;
    /* Ends of crowded buckets, to be looked up: bit i is the end first + i. Cleared at the first
     * one. */
    uint64_t *marks;
    bool has_marks;
    uint32_t possible_count;
    const trawl_key_record *records;
    possible_key possible[AT_ONCE + 1]; /* one is written before it is known to stay */
} found_ends;

/* Enters an end with a key into the lists, which are sorted; of two keys of one end the longer one
 * stays. Samples ascend, and ends are at most 255 bytes behind them, and mostly near: insertion
 * takes a step or two. */
static void insert(found_ends *found, uint32_t end, uint32_t key, const uint32_t *lengths) {
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

/* Whether the `length` bytes before `past` and before `here` are equal. The first eight are
 * compared first: a long key that ends with a run of one byte begins with others. Where `length` is
 * less than eight, eight bytes can be read before both. */
static inline bool is_equal(const uint8_t *past, const uint8_t *here, size_t length, bool folded) {
    size_t bytes = length < 8 ? 8 : length;
    uint64_t unequal;
    do {
        uint64_t key = load(past - bytes), text = load(here - bytes);
        unequal = folded ? trawl_fold_word(key) ^ trawl_fold_word(text) : key ^ text;
        bytes = bytes >= 16 ? bytes - 8 : bytes == 8 ? 0 : 8;
    } while (unequal == 0 && bytes != 0);
    return length < 8 ? unequal >> (64 - 8 * length) == 0 : unequal == 0;
}

/* Compares the keys that are waiting, and enters those that are in the text. Each loop prefetches
 * what the next one reads. */
static void compare_keys(found_ends *found) {
    const trawl_endings_view *view = &found->walker->search.view;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < found->possible_count; i++) {
        possible_key possible = found->possible[i];
        const trawl_key_record *record = &view->outputs.records[possible.key];
        possible.length = record->length;
        possible.id = record->patterns == 1 ? record->ids
                                            : view->outputs.ids[view->outputs.first[possible.key]];
        bool is_known = possible.length <= 8 && !view->folded;
        possible.past = is_known ? NULL : view->patterns.bytes;
        __builtin_prefetch(&view->patterns.offsets[possible.id + 1]);
        found->possible[kept] = possible;
        kept += possible.length <= possible.end;
    }
    for (uint32_t i = 0; i < kept; i++) {
        possible_key *possible = &found->possible[i];
        if (possible->past != NULL) {
            possible->past += view->patterns.offsets[possible->id + 1];
            __builtin_prefetch(possible->past - 1);
        }
    }
    for (uint32_t i = 0; i < kept; i++) {
        const possible_key *possible = &found->possible[i];
        const uint8_t *here = found->window->text + possible->end;
        bool can_read = possible->length >= 8 ||
                        (possible->end >= 8 && possible->past - view->patterns.bytes >= 8);
        if (possible->past == NULL ||
            (can_read ? is_equal(possible->past, here, possible->length, view->folded)
                      : trawl_ending_common(possible->past, here, 0, possible->length,
                                            view->folded) == possible->length)) {
            insert(found, possible->end, possible->key, view->outputs.length);
        }
    }
    found->possible_count = 0;
}

/* Notes the key of an entry, if its value is in the text and its end in the block. Whether it is
 * cannot be predicted, so there is no branch. */
INLINE void test_entry(found_ends *found, const trawl_anchors_entry *entry, const uint8_t *bytes,
                       uint32_t sample, uint64_t case_bits) {
    size_t end = (size_t)sample + entry->end;
    possible_key *next = &found->possible[found->possible_count];
    next->end = (uint32_t)end;
    next->key = entry->key;
    bool is_possible = has_value(entry, bytes, case_bits) & (entry->key != TRAWL_NO_KEY) &
                       (end - found->first <= found->last - found->first);
    __builtin_prefetch(&found->records[is_possible ? entry->key : 0]);
    found->possible_count += is_possible;
}

/* Marks the ends of a crowded bucket. */
static void mark_ends(found_ends *found, uint32_t sample, uint64_t distances) {
    if (!found->has_marks) {
        found->has_marks = true;
        memset(found->marks, 0, ((found->last - found->first) / 64 + 1) * sizeof *found->marks);
    }
    for (; distances != 0; distances &= distances - 1) {
        size_t end = (size_t)sample + 1 + TRAWL_ANCHORS_STEP * (size_t)__builtin_ctzll(distances);
        size_t past = end + TRAWL_ANCHORS_STEP;
        for (; end < past; end++) {
            if (end >= found->first && end <= found->last) {
                size_t bit = end - found->first;
                found->marks[bit / 64] |= UINT64_C(1) << bit % 64;
            }
        }
    }
}

/* Compares a sample with the entries of its bucket. `bytes`: the sample's first byte, with
 * MARGIN bytes before and behind that can be read. */
static void compare_bucket(found_ends *found, const trawl_anchors_view *view, const uint8_t *bytes,
                           uint32_t sample, uint32_t number) {
    const trawl_anchors_bucket *bucket = &view->buckets[number];
    if (bucket->entry[0].more == TRAWL_ANCHORS_CROWDED) {
        mark_ends(found, sample, bucket->entry[0].value);
        return;
    }
    if (found->possible_count + TRAWL_ANCHORS_MOST_ENTRIES > AT_ONCE) {
        compare_keys(found);
    }
    uint32_t more = bucket->entry[1].more;
    test_entry(found, &bucket->entry[0], bytes, sample, view->case_bits);
    if (more == 0) {
        test_entry(found, &bucket->entry[1], bytes, sample, view->case_bits);
    }
    for (uint32_t i = 0; i < more; i++) {
        test_entry(found, &view->further[bucket->entry[1].key + i], bytes, sample, view->case_bits);
    }
}

/* Compares a sample so near to the text's beginning or end that the loops cannot read around it, on
 * a copy with zeros. */
static size_t compare_at_edge(found_ends *found, const trawl_anchors_view *view, uint32_t sample) {
    uint8_t copy[2 * MARGIN] = {0};
    size_t before = sample < MARGIN ? sample : MARGIN, behind = found->window->length - sample;
    behind = behind < MARGIN ? behind : MARGIN;
    memcpy(copy + MARGIN - before, found->window->text + sample - before, before + behind);
    uint32_t first = MARGIN, bucket;
    if (found->walker->anchors_loops->keep_tags(view, copy, &first, 1, &bucket) == 0) {
        return 0;
    }
    compare_bucket(found, view, copy + MARGIN, sample, bucket);
    return 1;
}

/* Adds the marked ends to the lists, to be looked up: the look-up finds the longest key, whatever
 * key the lists had. */
static void add_marked_ends(found_ends *found) {
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

size_t trawl_anchors_find_ends(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                               size_t end, const trawl_qgram_lists *lists, uint64_t *compared) {
    const trawl_qgram_tier *tier = walker->tier;
    const trawl_anchors_view *view = &walker->anchors;
    size_t first_end = begin + 1 < tier->window ? tier->window : begin + 1;
    if (first_end > end) {
        return 0;
    }
    /* Samples before the block may belong to keys that end in it. */
    size_t from = first_end < view->reach ? 0 : first_end - view->reach;
    const trawl_qgram_grid grid = {
        .text = window->text, .from = from, .stride = tier->stride, .prefetch = walker->first};
    uint32_t *samples = lists->samples;
    size_t count = trawl_bloom_list_samples(walker, window, &grid, end, lists);
    found_ends found; /* its keys are written before they are read */
    found.walker = walker;
    found.window = window;
    found.first = first_end;
    found.last = end;
    found.ends = lists->ends;
    found.keys = lists->keys;
    found.count = 0;
    found.marks = lists->words;
    found.has_marks = false;
    found.possible_count = 0;
    found.records = walker->search.view.outputs.records;
    size_t edge = 0;
    for (; edge < count && samples[edge] < MARGIN; edge++) {
        *compared += compare_at_edge(&found, view, samples[edge]);
    }
    samples += edge;
    count -= edge;
    size_t inside = count;
    while (inside != 0 && samples[inside - 1] + MARGIN > window->length) {
        inside--;
    }
    /* The samples behind `inside` are not moved by the loops. */
    size_t kept =
        walker->anchors_loops->keep_tags(view, window->text, samples, inside, lists->possible_ends);
    *compared += kept;
    kept =
        walker->anchors_loops->keep_values(view, window->text, samples, kept, lists->possible_ends);
    for (size_t i = 0; i < kept; i++) {
        compare_bucket(&found, view, window->text + samples[i], samples[i],
                       lists->possible_ends[i]);
    }
    for (size_t i = inside; i < count; i++) {
        *compared += compare_at_edge(&found, view, samples[i]);
    }
    compare_keys(&found);
    if (found.has_marks) {
        add_marked_ends(&found);
    }
    return found.count;
}
