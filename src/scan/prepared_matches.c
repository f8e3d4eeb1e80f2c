/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "scan/prepared_matches.h"

#include <string.h>

#include "base/allocate.h"
#include "base/cpu.h"

/* Matches of a chain, at most: whoever writes one has room for so many. */
#define MOST_MATCHES 24u
/* Matches that are written at a time. */
#define AT_ONCE 4u
/* Matches whose letters are compared without a branch on how many there are. */
#define FEW_MATCHES 2u
/* Events that are worked on at a time, and how many matches that were verified they may have. */
#define BATCH ((size_t)256)
#define VERIFIED ((size_t)512)
/* How far behind matches memory for others is asked for: what is written in one go is many times
 * what the processor looks ahead by itself. */
#define AHEAD 16384u
/* Matches of all chains, and keys: they are read at random and have to stay in the second-level
 * cache. */
#define MOST_IN_ALL ((size_t)1 << 15)

static trawl_prepared_writer *choose_writer(void);

/* ------------------------------------------------------------------ making */

static uint32_t ready(const trawl_outputs *outputs, uint32_t key) {
    if (trawl_record_is_plain(&outputs->records[key])) {
        return 1; /* also where links are not followed: for leftmost kinds */
    }
    return outputs->total[key] > MOST_MATCHES ? 0 : outputs->total[key];
}

/* What a match has to be besides a match of folded text. */
static trawl_prepared_letters letters_of(const trawl_pattern_view *patterns, uint32_t id) {
    uint64_t wanted = 0;
    uint32_t length = patterns->offsets[id + 1] - patterns->offsets[id];
    uint32_t known = length < sizeof wanted ? length : sizeof wanted;
    memcpy((uint8_t *)&wanted + sizeof wanted - known,
           patterns->bytes + patterns->offsets[id + 1] - known, known);
    return (trawl_prepared_letters){.wanted = wanted,
                                    .mask = ~UINT64_C(0) << (8 * (sizeof wanted - known))};
}

static void fill(const trawl_outputs *outputs, const trawl_pattern_view *patterns,
                 trawl_prepared_matches *chains) {
    uint32_t used = 0;
    chains->longest = sizeof(uint64_t);
    for (uint32_t key = 0; key < outputs->keys; key++) {
        uint32_t count = ready(outputs, key);
        bool ask = count == 0 || (outputs->verify[key] & TRAWL_VERIFY_CHAIN) != 0;
        chains->keys[key] = used | count << TRAWL_CHAIN_COUNT_SHIFT | (ask ? TRAWL_CHAIN_ASK : 0);
        uint32_t past = used + count;
        for (uint32_t link = key; used != past; link = outputs->link[link]) {
            bool own = (outputs->verify[link] & TRAWL_VERIFY_OWN) != 0;
            for (uint32_t i = outputs->first[link]; i < outputs->first[link + 1] && used != past;
                 i++, used++) {
                uint32_t id = outputs->ids[i];
                bool exact = own && (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) == 0;
                chains->matches[used] = (trawl_match){
                    .start = UINT64_C(0) - outputs->length[link], .end = 0, .pattern = id};
                chains->letters[used] =
                    exact ? letters_of(patterns, id) : (trawl_prepared_letters){.mask = 0};
            }
        }
        if (outputs->length[key] > chains->longest) {
            chains->longest = outputs->length[key];
        }
    }
    chains->used = used;
    memset(chains->matches + used, 0, (VERIFIED + AT_ONCE) * sizeof *chains->matches);
}

static void make(const trawl_outputs *outputs, const trawl_pattern_view *patterns,
                 trawl_prepared_matches *chains) {
    size_t used = 0;
    chains->refused = true;
    for (uint32_t key = 0; key < outputs->keys && used <= MOST_IN_ALL; key++) {
        used += ready(outputs, key);
    }
    if (used > MOST_IN_ALL || outputs->keys > MOST_IN_ALL) {
        return;
    }
    chains->keys = trawl_allocate(outputs->keys, sizeof *chains->keys);
    chains->matches = trawl_allocate(used + VERIFIED + AT_ONCE, sizeof *chains->matches);
    chains->letters = trawl_allocate(used, sizeof *chains->letters);
    if (chains->keys == NULL || chains->matches == NULL || chains->letters == NULL) {
        trawl_prepared_release(chains);
        return;
    }
    fill(outputs, patterns, chains);
    chains->write = choose_writer();
}

/* Whether the chains are made, or can be now, for events that stand behind `begin` of a text. */
static bool prepare(trawl_prepared_matches *chains, const trawl_outputs *outputs,
                    const trawl_pattern_view *patterns, size_t begin, size_t count) {
    if (chains->keys == NULL && !chains->refused) {
        chains->events += count;
        if (chains->events > outputs->keys) {
            make(outputs, patterns, chains);
        }
    }
    /* Keys of a forged automaton may begin before the text. */
    return chains->keys != NULL && begin >= chains->longest;
}

void trawl_prepared_release(trawl_prepared_matches *chains) {
    trawl_release(chains->keys);
    trawl_release(chains->matches);
    trawl_release(chains->letters);
    chains->keys = NULL;
    chains->matches = NULL;
    chains->letters = NULL;
}

/* ------------------------------------------------------------------ writing */

/* Whether a match that ends at `behind` in the window's text, whose `last` bytes these are, has its
 * pattern's own letters. */
static inline bool stands(const trawl_prepared_letters *letters, const trawl_match *match,
                          const trawl_pattern_view *patterns, uint64_t last,
                          const uint8_t *behind) {
    bool alike = ((last ^ letters->wanted) & letters->mask) == 0;
    if (__builtin_expect(alike && letters->mask == ~UINT64_C(0), 0)) {
        size_t length = (size_t)(UINT64_C(0) - match->start);
        alike = trawl_pattern_matches(patterns, match->pattern, behind - length);
    }
    return alike;
}

/* The part of at most two matches that stands: it has no gap. */
static inline trawl_prepared_key few_that_stand(const trawl_prepared_matches *chains,
                                                uint32_t first, uint32_t count,
                                                const trawl_pattern_view *patterns, uint64_t last,
                                                const uint8_t *behind) {
    uint32_t second = first + count - 1; /* or the first once more */
    uint32_t stand0 =
        stands(&chains->letters[first], &chains->matches[first], patterns, last, behind);
    uint32_t stand1 =
        stands(&chains->letters[second], &chains->matches[second], patterns, last, behind);
    uint32_t left = stand0 + (stand1 & (second - first));
    return (first + 1 - stand0) | left << TRAWL_CHAIN_COUNT_SHIFT;
}

/* Finds the matches that events end in a text; those that some chain has left when it was asked are
 * written behind all chains. Chains for which there is no room there, or that have too many, are
 * still to be asked. */
static void find_chains(trawl_prepared_matches *chains, const trawl_pattern_view *patterns,
                        const uint8_t *text, const trawl_ending_event *events, size_t count,
                        trawl_prepared_key *found) {
    uint32_t asked[BATCH];
    size_t asking = 0;
    for (size_t i = 0; i < count; i++) {
        trawl_prepared_key chain = chains->keys[events[i].key];
        found[i] = chain;
        asked[asking] = (uint32_t)i;
        asking += (chain & TRAWL_CHAIN_ASK) != 0 ? 1 : 0;
    }
    uint32_t next = chains->used, limit = chains->used + VERIFIED;
    for (size_t a = 0; a < asking; a++) {
        uint32_t i = asked[a];
        trawl_prepared_key chain = found[i] & ~TRAWL_CHAIN_ASK;
        uint32_t first = trawl_prepared_key_first(chain),
                 past = first + trawl_prepared_key_count(chain);
        const uint8_t *behind = text + events[i].position;
        uint64_t last;
        if (past == first || past - first > limit - next) {
            continue;
        }
        memcpy(&last, behind - sizeof last, sizeof last);
        if (past - first <= FEW_MATCHES) {
            found[i] = few_that_stand(chains, first, past - first, patterns, last, behind);
            continue;
        }
        uint32_t kept = next;
        for (; first < past; first++) {
            chains->matches[next] = chains->matches[first];
            next += stands(&chains->letters[first], &chains->matches[first], patterns, last, behind)
                        ? 1
                        : 0;
        }
        found[i] = kept | (next - kept) << TRAWL_CHAIN_COUNT_SHIFT;
    }
}

/* Two words: every set of instructions that trawl is compiled for can add them at once. */
typedef uint64_t two_words __attribute__((vector_size(16)));

/* Four matches are six pairs of words. */
static inline void write_four_narrow(trawl_match *to, const trawl_match *from, uint64_t end) {
    const two_words ends[3] = {{end, end}, {0, end}, {end, 0}};
    for (unsigned i = 0; i < 6; i++) {
        two_words words;
        memcpy(&words, (const uint8_t *)from + i * sizeof words, sizeof words);
        words += ends[i % 3];
        memcpy((uint8_t *)to + i * sizeof words, &words, sizeof words);
    }
}

#define NAME(base) base##_narrow
#define TARGET
#include "scan/prepared_matches_template.h"

#if TRAWL_HAVE_X86
#include <immintrin.h>

TRAWL_TARGET_AVX2 static inline void write_four_avx2(trawl_match *to, const trawl_match *from,
                                                     uint64_t end) {
    const __m256i ends = _mm256_set1_epi64x((long long)end), none = _mm256_setzero_si256();
    const __m256i added[3] = {_mm256_blend_epi32(ends, none, 0x30),
                              _mm256_blend_epi32(ends, none, 0x0c),
                              _mm256_blend_epi32(ends, none, 0xc3)};
    for (unsigned i = 0; i < 3; i++) {
        __m256i words = _mm256_loadu_si256((const __m256i *)from + i);
        _mm256_storeu_si256((__m256i *)to + i, _mm256_add_epi64(words, added[i]));
    }
}

#define NAME(base) base##_avx2
#define TARGET TRAWL_TARGET_AVX2
#include "scan/prepared_matches_template.h"
#endif

static trawl_prepared_writer *choose_writer(void) {
#if TRAWL_HAVE_X86
    trawl_cpu_set set;
    trawl_error unused;
    if (trawl_cpu_choose(&set, &unused) == TRAWL_OK && set != TRAWL_CPU_SCALAR) {
        return write_events_avx2;
    }
#endif
    return write_events_narrow;
}

trawl_status trawl_prepared_emit(trawl_prepared_matches *chains, const trawl_outputs *outputs,
                                 const trawl_pattern_view *patterns, const trawl_window *window,
                                 size_t begin, const trawl_ending_event *events, size_t count,
                                 trawl_sink *sink) {
    if (!prepare(chains, outputs, patterns, begin, count)) {
        return trawl_emit_events(outputs, patterns, window, begin, events, count, sink);
    }
    for (size_t done = 0; done < count;) {
        trawl_prepared_key found[BATCH];
        const trawl_ending_event *these = events + done;
        size_t some = count - done < BATCH ? count - done : BATCH;
        find_chains(chains, patterns, window->text + begin, these, some, found);
        for (size_t i = 0; i < some; i++) {
            i += chains->write(chains->matches, window->base + begin, these + i, found + i,
                               some - i, sink);
            if (i < some) {
                trawl_status status =
                    trawl_emit_events(outputs, patterns, window, begin, these + i, 1, sink);
                if (status != TRAWL_OK) {
                    return status;
                }
            }
        }
        done += some;
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ counting */

void trawl_prepared_count(trawl_prepared_matches *chains, const trawl_outputs *outputs,
                          const trawl_pattern_view *patterns, const trawl_window *window,
                          size_t begin, const trawl_ending_event *events, size_t count,
                          trawl_counts *counts) {
    bool prepared = prepare(chains, outputs, patterns, begin, count);
    for (size_t done = 0; done < count;) {
        trawl_prepared_key found[BATCH];
        const trawl_ending_event *these = events + done;
        size_t some = count - done < BATCH ? count - done : BATCH;
        if (prepared) {
            find_chains(chains, patterns, window->text + begin, these, some, found);
        }
        for (size_t i = 0; i < some; i++) {
            if (prepared && (found[i] & TRAWL_CHAIN_ASK) == 0) {
                counts->total += trawl_prepared_key_count(found[i]);
            } else {
                trawl_emit_counts(outputs, patterns, window, begin + these[i].position,
                                  these[i].key, counts, NULL);
            }
        }
        done += some;
    }
}
