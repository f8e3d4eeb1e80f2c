/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/verify/last_bytes.h"

#define INLINE static inline __attribute__((always_inline))

/* Selections by masks: as branches they would be mispredicted. */
INLINE uint32_t all_if(bool yes) {
    return 0 - (uint32_t)yes;
}

/* The eight bytes before `end`, as keys have them (trawl_ending_number). */
INLINE uint64_t ending_before(const uint8_t *text, size_t end, bool folded) {
    uint64_t word;
    memcpy(&word, text + end - sizeof word, sizeof word);
    return folded ? trawl_fold_word(word) : word;
}

/* Keeps the positions behind which a key may end by what stands before its last `tail` bytes: two
 * bytes, or (`many`) eight of them. */
INLINE size_t keep_by_prefix_signatures(const trawl_tier_walker *walker, const uint8_t *text,
                                        size_t count, uint32_t *lasts, bool folded, bool many) {
    const trawl_prefix_signature *leads = walker->leads;
    const trawl_long_prefix_signature *long_prefix_signatures = walker->long_prefix_signatures;
    uint64_t mask = walker->filter.tail_mask;
    size_t tail = walker->tier->tail;
    uint32_t bits = walker->tier->hash_bits - TRAWL_QGRAM_SPARSE_BITS;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t last = lasts[i];
        size_t end = (size_t)last + 1;
        size_t slot = trawl_ending_slot(ending_before(text, end, folded) & mask, bits);
        const uint8_t *lead = text + end - tail;
        lasts[kept] = last;
        kept += many ? trawl_long_prefix_signature_has(&long_prefix_signatures[slot],
                                                       ending_before(text, end - tail, folded))
                     : trawl_prefix_signature_has(&leads[slot], lead[-1], lead[-2]);
    }
    return kept;
}

/* Keeps the ends before which `tail` bytes of some key stand, and for each the number of the range
 * to begin with. Where a slot has more than one range, any end is kept. */
INLINE size_t keep_tails(const trawl_tier_walker *walker, const uint8_t *text, size_t count,
                         uint32_t *restrict lasts, uint32_t *restrict ends, bool folded) {
    const uint32_t *heads = walker->heads;
    const trawl_ending_range *ranges = walker->ranges;
    uint64_t mask = walker->filter.tail_mask;
    uint32_t bits = walker->tier->hash_bits;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        size_t end = (size_t)lasts[i] + 1;
        uint64_t word = ending_before(text, end, folded) & mask;
        size_t slot = trawl_ending_slot(word, bits);
        uint32_t head = heads[slot], listed = heads[slot + 1] - head;
        head &= all_if(listed != 0); /* there is always a first one */
        ends[kept] = (uint32_t)end;
        lasts[kept] = head;
        kept += (listed != 0) & ((listed > 1) | (ranges[head].word == word));
    }
    return kept;
}

/* Whether a key may end behind a run of eight bytes and more. */
static bool run_fits(trawl_tier_walker *walker, const uint8_t *text, size_t end, uint8_t byte) {
    return (trawl_qgram_run_ends(&walker->filter, &walker->run, text, end - 8, end, byte) & 1) !=
               0 &&
           trawl_qgram_run_begins(&walker->filter, &walker->run, text, end);
}

/* Whether a text with these last eight bytes may end with a key of that ending. */
INLINE bool fits(uint64_t word, uint64_t ending, uint32_t length) {
    uint64_t mask = ~UINT64_C(0) << ((64 - 8 * length) & all_if(length < 8));
    return ((word ^ ending) & mask) == 0;
}

/* Compares up to eight bytes with the first two keys of the range: when there are no others, one of
 * them is there or none is. Of two the second one is the longer. Keys of more than eight bytes are
 * to be compared as a whole. */
INLINE size_t keep_keys(trawl_tier_walker *walker, const uint8_t *text, size_t count,
                        const uint32_t *restrict heads, const uint32_t *restrict ends,
                        uint32_t *restrict noted, uint32_t *restrict keys, bool folded) {
    const uint64_t *endings = walker->search.view.endings;
    const uint32_t *lengths = walker->search.view.outputs.length;
    uint64_t tail_mask = walker->filter.tail_mask;
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
        bool suffix_filter_fits = fits(word, endings[second], lengths[second]);
        /* The range may be another one, and have more keys. */
        bool all = (more <= 1) & (range->word == (word & tail_mask));
        uint32_t key = first + ((more != 0) & suffix_filter_fits);
        bool known = all & (first_fits | suffix_filter_fits) & (lengths[key] <= 8);
        noted[kept] = (uint32_t)end;
        keys[kept] = key | all_if(!known); /* TRAWL_NO_KEY */
        kept += first_fits | suffix_filter_fits | !all;
    }
    return kept;
}

INLINE size_t keep(trawl_tier_walker *walker, const uint8_t *text, size_t count,
                   const trawl_qgram_lists *lists, size_t from, bool folded) {
    uint32_t *heads = lists->samples, *ends = lists->candidates;
    uint32_t *noted = lists->ends + from, *keys = lists->keys + from;
    count = keep_by_prefix_signatures(walker, text, count, heads, folded, false);
    count = keep_by_prefix_signatures(walker, text, count, heads, folded, true);
    count = keep_tails(walker, text, count, heads, ends, folded);
    return keep_keys(walker, text, count, heads, ends, noted, keys, folded);
}

static size_t keep_scalar(trawl_tier_walker *walker, const uint8_t *text, size_t count,
                          const trawl_qgram_lists *lists, size_t from) {
    return walker->search.view.folded ? keep(walker, text, count, lists, from, true)
                                      : keep(walker, text, count, lists, from, false);
}

#if TRAWL_HAVE_X86

/* Shifts by a variable are an instruction each (BMI2), else they are several on Intel's. */
TRAWL_TARGET_AVX2 static size_t keep_avx2(trawl_tier_walker *walker, const uint8_t *text,
                                          size_t count, const trawl_qgram_lists *lists,
                                          size_t from) {
    return walker->search.view.folded ? keep(walker, text, count, lists, from, true)
                                      : keep(walker, text, count, lists, from, false);
}

#endif

trawl_tier_tails trawl_tier_tails_for(trawl_cpu_set set) {
#if TRAWL_HAVE_X86
    if (set != TRAWL_CPU_SCALAR) {
        return keep_avx2;
    }
#endif
    (void)set;
    return keep_scalar;
}
