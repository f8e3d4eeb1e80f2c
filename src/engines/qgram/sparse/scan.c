/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/sparse/scan.h"

#include "engines/qgram/sparse/choose.h"
#include "engines/qgram/tier.h"
#include "engines/qgram/verify/found_ends.h"

/* Samples between the request for a line of the text, or a word of the filter, and its use. Lines
 * come from memory: with 16, 32 and 64 a sample took 12.1, 11.0 and 13.9 ns at stride 240, 14.3,
 * 12.9 and 12.9 ns at stride 1,008 (2 cores of a Xeon; docs/notebook/2026-11-long-strides.md).
 * Words come from the second- or third-level cache: with 8 instead of 16 a filter of 34 MB
 * took 1.05 times as long. */
#define LINES_AHEAD 48u
#define WORDS_AHEAD 16u

/* Candidates that are compared with their buckets together. */
#define AT_ONCE 64u

trawl_sparse_view trawl_sparse_view_of(const trawl_db *db, uint32_t part,
                                       const trawl_qgram_tier *tier) {
    const trawl_sparse_header *header =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_BUCKETS, part, NULL);
    const uint32_t *heads = (const uint32_t *)(header + 1);
    return (trawl_sparse_view){
        .heads = heads,
        .entries = (const uint64_t *)(heads + ((size_t)1 << tier->suffix_filter_bits) + 2),
        .case_bits = trawl_qgram_case_bits(tier->folded != 0),
        .bucket_bits = tier->suffix_filter_bits,
        .reach = header->reach,
    };
}

/* Candidates of a block. */
typedef struct candidates {
    uint32_t count;
    uint32_t at[AT_ONCE]; /* in the window */
    uint64_t hash[AT_ONCE];
} candidates;

/* Hashes a sample, and prefetches its word of the filter and the line of a later sample. Of most
 * lines of the text nothing but one sample is read. */
static inline uint64_t hash_sample(const trawl_tier_walker *walker, const uint8_t *sample) {
    /* The line may be behind the text: prefetching it is harmless. It will not be read again, and
     * must not evict the filter from the second-level cache. */
    size_t ahead = (size_t)LINES_AHEAD * walker->tier->stride;
    __builtin_prefetch((const void *)((uintptr_t)sample + ahead), 0, 0);
    trawl_sparse_gram gram = trawl_sparse_read(sample, walker->sparse.case_bits);
    uint64_t hash = trawl_sparse_hash(gram.first, gram.last);
    __builtin_prefetch(&walker->filter.rows[trawl_sparse_word(hash, walker->tier->row_bits)]);
    return hash;
}

/* Compares a candidate with the entries heads[0] .. heads[1] - 1. */
static uint64_t compare_bucket(const trawl_sparse_view *view, const uint32_t *heads, uint64_t hash,
                               size_t sample, trawl_found_ends *found) {
    const uint64_t *entry = &view->entries[heads[0] & ~TRAWL_SPARSE_CROWDED];
    if ((heads[0] & TRAWL_SPARSE_CROWDED) != 0) {
        return trawl_found_ends_mark(found, sample, *entry, trawl_sparse_step(view->reach));
    }
    const uint64_t *past = &view->entries[heads[1] & ~TRAWL_SPARSE_CROWDED];
    uint32_t tag = trawl_sparse_tag(hash);
    uint64_t compared = 0;
    trawl_found_ends_make_room(found, TRAWL_SPARSE_MOST_ENTRIES);
    for (; entry != past; entry++) {
        bool is_possible = *entry >> 48 == tag;
        trawl_found_ends_note(found, sample + (*entry >> 32 & 0xffff), (uint32_t)*entry,
                              is_possible);
        compared += is_possible;
    }
    return compared;
}

/* Compares all candidates, of which the heads have been prefetched. */
static uint64_t compare_buckets(const trawl_sparse_view *view, candidates *listed,
                                trawl_found_ends *found) {
    uint64_t compared = 0;
    for (uint32_t i = 0; i < listed->count; i++) {
        size_t bucket = trawl_sparse_bucket(listed->hash[i], view->bucket_bits);
        __builtin_prefetch(&view->entries[view->heads[bucket] & ~TRAWL_SPARSE_CROWDED]);
    }
    for (uint32_t i = 0; i < listed->count; i++) {
        size_t bucket = trawl_sparse_bucket(listed->hash[i], view->bucket_bits);
        compared +=
            compare_bucket(view, &view->heads[bucket], listed->hash[i], listed->at[i], found);
    }
    listed->count = 0;
    return compared;
}

/* Tests `count` samples from `at` on. A sample is tested with the filter some steps after its hash
 * was computed, so that text and filter are waited for together all the time. */
static uint64_t test_samples(trawl_tier_walker *walker, const uint8_t *text, size_t at,
                             size_t count, trawl_found_ends *found) {
    const uint32_t *words = walker->filter.rows;
    const trawl_sparse_view *view = &walker->sparse;
    uint32_t row_bits = walker->tier->row_bits;
    size_t stride = walker->tier->stride;
    uint64_t compared = 0, hashes[WORDS_AHEAD] = {0};
    candidates listed;
    listed.count = 0;
    for (size_t i = 0; i < count + WORDS_AHEAD; i++) {
        uint64_t hash = hashes[i % WORDS_AHEAD];
        if (i < count) {
            hashes[i % WORDS_AHEAD] = hash_sample(walker, text + at + i * stride);
        }
        uint32_t mask = trawl_sparse_mask(hash);
        if (i < WORDS_AHEAD || (words[trawl_sparse_word(hash, row_bits)] & mask) != mask) {
            continue;
        }
        __builtin_prefetch(&view->heads[trawl_sparse_bucket(hash, view->bucket_bits)]);
        listed.at[listed.count] = (uint32_t)(at + (i - WORDS_AHEAD) * stride);
        listed.hash[listed.count++] = hash;
        walker->passed++;
        if (listed.count == AT_ONCE) {
            compared += compare_buckets(view, &listed, found);
        }
    }
    return compared + compare_buckets(view, &listed, found);
}

/* The first sample at `from` or behind it. All blocks of a window share one grid of samples, so
 * that lines are prefetched for the next block too. Samples are aligned as words are if strides
 * are: then none is in two lines. */
static size_t first_sample(const uint8_t *text, size_t from, size_t stride) {
    size_t phase = (size_t)(-(uintptr_t)text % TRAWL_SPARSE_GRAM) % stride;
    return from <= phase ? phase : phase + (from - phase + stride - 1) / stride * stride;
}

size_t trawl_sparse_find_ends(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                              size_t end, const trawl_qgram_lists *lists, uint64_t *compared) {
    const trawl_qgram_tier *tier = walker->tier;
    size_t first_end = begin + 1 < tier->window ? tier->window : begin + 1;
    if (first_end > end) {
        return 0;
    }
    /* Samples before the block may belong to keys that end in it. */
    size_t reach = walker->sparse.reach, from = first_end < reach ? 0 : first_end - reach;
    size_t at = first_sample(window->text, from, tier->stride);
    size_t count =
        at + TRAWL_SPARSE_GRAM > end ? 0 : (end - TRAWL_SPARSE_GRAM - at) / tier->stride + 1;
    trawl_found_ends found;
    trawl_found_ends_begin(&found, walker, window, first_end, end, lists);
    *compared += test_samples(walker, window->text, at, count, &found);
    return trawl_found_ends_finish(&found);
}
