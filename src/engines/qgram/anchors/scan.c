/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/anchors/scan.h"

#include "engines/qgram/tier.h"
#include "engines/qgram/verify/found_ends.h"

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
        .behind = trawl_anchors_behind(tier->gram),
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
        unsigned crowded = entry[0].more != 0, more = entry[1].more != 0;
        unsigned further = trawl_anchors_neighbours_fit(entry[1].value, text[sample - 1],
                                                        text[sample + view.behind]);
        kept += first | crowded | (second & !more) | (further & more);
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

/* Notes the key of an entry, if its value is in the text. */
INLINE void test_entry(trawl_found_ends *found, const trawl_anchors_entry *entry,
                       const uint8_t *bytes, uint32_t sample, uint64_t case_bits) {
    trawl_found_ends_note(found, (size_t)sample + entry->end, entry->key,
                          has_value(entry, bytes, case_bits) & (entry->key != TRAWL_NO_KEY));
}

_Static_assert(TRAWL_ANCHORS_MOST_ENTRIES <= TRAWL_FOUND_ENDS_AT_ONCE, "room for a bucket");

/* Compares a sample with the entries of its bucket. `bytes`: the sample's first byte, with
 * MARGIN bytes before and behind that can be read. */
static void compare_bucket(trawl_found_ends *found, const trawl_anchors_view *view,
                           const uint8_t *bytes, uint32_t sample, uint32_t number) {
    const trawl_anchors_bucket *bucket = &view->buckets[number];
    if (bucket->entry[0].more == TRAWL_ANCHORS_CROWDED) {
        (void)trawl_found_ends_mark(found, sample, bucket->entry[0].value, TRAWL_ANCHORS_STEP);
        return;
    }
    uint32_t more = bucket->entry[1].more;
    trawl_found_ends_make_room(found, more == 0 ? 2 : 1 + more);
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
static size_t compare_at_edge(trawl_found_ends *found, const trawl_anchors_view *view,
                              uint32_t sample) {
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

size_t trawl_anchors_find_ends(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                               size_t end, const trawl_qgram_lists *lists, uint64_t *compared) {
    const trawl_qgram_tier *tier = walker->tier;
    const trawl_anchors_view *view = &walker->anchors;
    size_t first_end = begin + 1 < tier->window ? tier->window : begin + 1;
    if (first_end > end) {
        return 0;
    }
    /* Samples before the block may belong to keys that end in it. The first sample ends at `end` or
     * before it, as `window` and `reach` are at least `gram` (engines/qgram/anchors/format.h). */
    size_t from = first_end < view->reach ? 0 : first_end - view->reach;
    const trawl_qgram_grid grid = {
        .text = window->text, .from = from, .stride = tier->stride, .prefetch = walker->first};
    uint32_t *samples = lists->samples;
    size_t count = trawl_bloom_list_samples(walker, window, &grid, end, lists);
    trawl_found_ends found;
    trawl_found_ends_begin(&found, walker, window, first_end, end, lists);
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
    return trawl_found_ends_finish(&found);
}
