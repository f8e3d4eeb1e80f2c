/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/verify/compare_keys.h"

#define INLINE static inline __attribute__((always_inline))

/* All bits or none: for selections by masks, where branches would be mispredicted. */
INLINE uint32_t all_if(bool yes) {
    return 0 - (uint32_t)yes;
}

/* The eight bytes before `end` as a number, the last one most significant, as in
 * trawl_ending_number. */
INLINE uint64_t ending_before(const uint8_t *text, size_t end, bool folded) {
    uint64_t word;
    memcpy(&word, text + end - sizeof word, sizeof word);
    return folded ? trawl_fold_word(word) : word;
}

/* Keeps the candidates that the prefix signature of their slot allows: by the two bytes before
 * their last look_up_bytes; or with `is_long`, by the four and the eight bytes before them. A
 * candidate is the position of a last byte. */
INLINE size_t keep_by_prefix_signatures(const trawl_tier_walker *walker, const uint8_t *text,
                                        size_t count, uint32_t *lasts, bool folded, bool is_long) {
    const trawl_prefix_signature *signatures = walker->prefix_signatures;
    const trawl_long_prefix_signature *long_signatures = walker->long_prefix_signatures;
    uint64_t mask = walker->filter.look_up_mask;
    size_t bytes = walker->tier->look_up_bytes;
    uint32_t bits = walker->tier->hash_bits - TRAWL_QGRAM_SPARSE_BITS;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t last = lasts[i];
        size_t end = (size_t)last + 1;
        size_t slot = trawl_ending_slot(ending_before(text, end, folded) & mask, bits);
        const uint8_t *before = text + end - bytes;
        lasts[kept] = last;
        kept += is_long ? trawl_long_prefix_signature_has(&long_signatures[slot],
                                                          ending_before(text, end - bytes, folded))
                        : trawl_prefix_signature_has(&signatures[slot], before[-1], before[-2]);
    }
    return kept;
}

/* Keeps the candidates whose last look_up_bytes are those of some key. Writes the end of each to
 * `ends`, and over its entry in `lasts` the index of the range of these keys. If the slot has
 * several ranges, the candidate is kept with the first one, which may be the wrong one. */
INLINE size_t keep_by_ranges(const trawl_tier_walker *walker, const uint8_t *text, size_t count,
                             uint32_t *restrict lasts, uint32_t *restrict ends, bool folded) {
    const uint32_t *heads = walker->heads;
    const trawl_ending_range *ranges = walker->ranges;
    uint64_t mask = walker->filter.look_up_mask;
    uint32_t bits = walker->tier->hash_bits;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        size_t end = (size_t)lasts[i] + 1;
        uint64_t word = ending_before(text, end, folded) & mask;
        size_t slot = trawl_ending_slot(word, bits);
        uint32_t head = heads[slot], listed = heads[slot + 1] - head;
        head &= all_if(listed != 0); /* an empty slot reads range 0, which always exists */
        ends[kept] = (uint32_t)end;
        lasts[kept] = head;
        kept += (listed != 0) & ((listed > 1) | (ranges[head].word == word));
    }
    return kept;
}

/* Whether a key may end at `end`, which has a run of at least eight bytes before it. */
static bool run_fits(trawl_tier_walker *walker, const uint8_t *text, size_t end, uint8_t byte) {
    return (trawl_qgram_ends_after_run(&walker->filter, &walker->run, text, end - 8, end, byte) &
            1) != 0 &&
           trawl_qgram_run_start_fits(&walker->filter, &walker->run, text, end);
}

/* Whether a text whose last eight bytes are `word` may end with the key that has this ending (its
 * last eight bytes, fewer if it is shorter) and length. */
INLINE bool fits(uint64_t word, uint64_t ending, uint32_t length) {
    uint64_t mask = ~UINT64_C(0) << ((64 - 8 * length) & all_if(length < 8));
    return ((word ^ ending) & mask) == 0;
}

/* Keeps the ends whose last up to eight bytes are those of one of the first two keys of the range;
 * of two keys the second one is the longer. Writes the key of each end, or TRAWL_NO_KEY where it is
 * to be looked up:
 *
 *   keys in the range   key of at most 8 bytes fits   longer key fits   none fits
 *   one or two          the key                       look up           not kept
 *   more, or another    look up                       look up           look up
 *   range of the slot
 */
INLINE size_t keep_by_keys(trawl_tier_walker *walker, const uint8_t *text, size_t count,
                           const uint32_t *restrict heads, const uint32_t *restrict ends,
                           uint32_t *restrict list, uint32_t *restrict keys, bool folded) {
    const uint64_t *endings = walker->search.view.endings;
    const uint32_t *lengths = walker->search.view.outputs.length;
    uint64_t mask = walker->filter.look_up_mask;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const trawl_ending_range *range = &walker->ranges[heads[i]];
        size_t end = ends[i];
        uint64_t last = ending_before(text, end, false);
        if (last == (last & 0xff) * UINT64_C(0x0101010101010101) &&
            !run_fits(walker, text, end, (uint8_t)last)) {
            continue;
        }
        uint64_t word = folded ? trawl_fold_word(last) : last;
        uint32_t first = range->first, more = range->last - first - 1;
        uint32_t second = first + (more != 0);
        bool first_fits = fits(word, endings[first], lengths[first]);
        bool second_fits = fits(word, endings[second], lengths[second]);
        /* The range may be another one of the slot, or have more than two keys. */
        bool all = (more <= 1) & (range->word == (word & mask));
        uint32_t key = first + ((more != 0) & second_fits);
        bool known = all & (first_fits | second_fits) & (lengths[key] <= 8);
        list[kept] = (uint32_t)end;
        keys[kept] = key | all_if(!known); /* all bits set: TRAWL_NO_KEY */
        kept += first_fits | second_fits | !all;
    }
    return kept;
}

INLINE size_t compare(trawl_tier_walker *walker, const uint8_t *text, size_t count,
                      const trawl_qgram_lists *lists, size_t from, bool folded) {
    uint32_t *lasts = lists->samples, *ends = lists->possible_ends;
    uint32_t *list = lists->ends + from, *keys = lists->keys + from;
    count = keep_by_prefix_signatures(walker, text, count, lasts, folded, false);
    count = keep_by_prefix_signatures(walker, text, count, lasts, folded, true);
    count = keep_by_ranges(walker, text, count, lasts, ends, folded);
    return keep_by_keys(walker, text, count, lasts, ends, list, keys, folded);
}

static size_t compare_scalar(trawl_tier_walker *walker, const uint8_t *text, size_t count,
                             const trawl_qgram_lists *lists, size_t from) {
    return walker->search.view.folded ? compare(walker, text, count, lists, from, true)
                                      : compare(walker, text, count, lists, from, false);
}

#if TRAWL_HAVE_X86

/* With BMI2 a shift by a variable is one instruction; without it Intel's processors take
 * several. */
TRAWL_TARGET_AVX2 static size_t compare_avx2(trawl_tier_walker *walker, const uint8_t *text,
                                             size_t count, const trawl_qgram_lists *lists,
                                             size_t from) {
    return walker->search.view.folded ? compare(walker, text, count, lists, from, true)
                                      : compare(walker, text, count, lists, from, false);
}

#endif

trawl_compare_keys trawl_compare_keys_for(trawl_cpu_set set) {
#if TRAWL_HAVE_X86
    if (set != TRAWL_CPU_SCALAR) {
        return compare_avx2;
    }
#endif
    (void)set;
    return compare_scalar;
}
