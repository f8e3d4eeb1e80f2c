#include "cpu/chains.h"

#include <string.h>

#include "common/allocate.h"
#include "common/cpu.h"

/* Matches of a chain, at most: whoever writes one has room for so many. */
#define MOST_MATCHES 24u
/* Matches that are written at a time. */
#define AT_ONCE 4u
/* Matches of all chains, and keys: they are read at random and have to stay in the second-level
 * cache. */
#define MOST_IN_ALL ((size_t)1 << 15)

static trawl_chain_writer *choose_writer(void);

/* ------------------------------------------------------------------ making */

static uint32_t ready(const trawl_outputs *outputs, uint32_t key) {
    return outputs->total[key] > MOST_MATCHES ? 0 : outputs->total[key];
}

/* What a match has to be besides a match of folded text. */
static trawl_chain_letters letters_of(const trawl_pattern_view *patterns, uint32_t id) {
    uint64_t wanted = 0;
    uint32_t length = patterns->offsets[id + 1] - patterns->offsets[id];
    uint32_t known = length < sizeof wanted ? length : sizeof wanted;
    memcpy((uint8_t *)&wanted + sizeof wanted - known,
           patterns->bytes + patterns->offsets[id + 1] - known, known);
    return (trawl_chain_letters){.wanted = wanted,
                                 .mask = ~UINT64_C(0) << (8 * (sizeof wanted - known))};
}

static void fill(const trawl_outputs *outputs, const trawl_pattern_view *patterns,
                 trawl_chains *chains) {
    uint32_t used = 0;
    chains->longest = sizeof(uint64_t);
    for (uint32_t key = 0; key < outputs->keys; key++) {
        uint32_t count = ready(outputs, key);
        bool verify = (outputs->verify[key] & TRAWL_VERIFY_CHAIN) != 0;
        chains->keys[key] = (trawl_chain){
            .first = used, .count = count | (verify && count != 0 ? TRAWL_CHAIN_VERIFY : 0)};
        for (uint32_t link = key; count != 0 && link != TRAWL_NO_KEY; link = outputs->link[link]) {
            bool own = (outputs->verify[link] & TRAWL_VERIFY_OWN) != 0;
            for (uint32_t i = outputs->first[link]; i < outputs->first[link + 1]; i++, used++) {
                uint32_t id = outputs->ids[i];
                bool exact = own && (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) == 0;
                chains->matches[used] = (trawl_match){
                    .start = UINT64_C(0) - outputs->length[link], .end = 0, .pattern = id};
                chains->letters[used] =
                    exact ? letters_of(patterns, id) : (trawl_chain_letters){.mask = 0};
            }
        }
        if (outputs->length[key] > chains->longest) {
            chains->longest = outputs->length[key];
        }
    }
    memset(chains->matches + used, 0, AT_ONCE * sizeof *chains->matches);
}

static void make(const trawl_outputs *outputs, const trawl_pattern_view *patterns,
                 trawl_chains *chains) {
    size_t used = 0;
    chains->refused = true;
    for (uint32_t key = 0; key < outputs->keys && used <= MOST_IN_ALL; key++) {
        used += ready(outputs, key);
    }
    if (used > MOST_IN_ALL || outputs->keys > MOST_IN_ALL) {
        return;
    }
    chains->keys = trawl_allocate(outputs->keys, sizeof *chains->keys);
    chains->matches = trawl_allocate(used + AT_ONCE, sizeof *chains->matches);
    chains->letters = trawl_allocate(used, sizeof *chains->letters);
    if (chains->keys == NULL || chains->matches == NULL || chains->letters == NULL) {
        trawl_chains_release(chains);
        return;
    }
    fill(outputs, patterns, chains);
    chains->write = choose_writer();
}

/* Whether the chains are made, or can be now, for events that stand behind `begin` of a text. */
static bool prepare(trawl_chains *chains, const trawl_outputs *outputs,
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

void trawl_chains_release(trawl_chains *chains) {
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
static inline bool stands(const trawl_chain_letters *letters, const trawl_match *match,
                          const trawl_pattern_view *patterns, uint64_t last,
                          const uint8_t *behind) {
    bool alike = ((last ^ letters->wanted) & letters->mask) == 0;
    if (__builtin_expect(alike && letters->mask == ~UINT64_C(0), 0)) {
        size_t length = (size_t)(UINT64_C(0) - match->start);
        alike = trawl_pattern_matches(patterns, match->pattern, behind - length);
    }
    return alike;
}

/* write_chain for a chain of which some matches are to be verified; `behind` is where it ends in
 * the window's text. */
static inline trawl_match *write_verified(const trawl_chains *chains, trawl_chain chain,
                                          const trawl_pattern_view *patterns, const uint8_t *behind,
                                          uint64_t end, trawl_match *to) {
    uint64_t last;
    memcpy(&last, behind - sizeof last, sizeof last);
    uint32_t past = chain.first + (chain.count & ~TRAWL_CHAIN_VERIFY);
    for (uint32_t i = chain.first; i < past; i++) {
        const trawl_match *match = &chains->matches[i];
        const trawl_chain_letters *letters = &chains->letters[i];
        trawl_write_match(to, match->start + end, end, match->pattern);
        to += stands(letters, match, patterns, last, behind) ? 1 : 0;
    }
    return to;
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
#include "cpu/chains_template.h"

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
#include "cpu/chains_template.h"
#endif

static trawl_chain_writer *choose_writer(void) {
#if TRAWL_HAVE_X86
    trawl_cpu_set set;
    trawl_error unused;
    if (trawl_cpu_choose(&set, &unused) == TRAWL_OK && set != TRAWL_CPU_SCALAR) {
        return write_events_avx2;
    }
#endif
    return write_events_narrow;
}

trawl_status trawl_chains_emit(trawl_chains *chains, const trawl_outputs *outputs,
                               const trawl_pattern_view *patterns, const trawl_window *window,
                               size_t begin, const trawl_ending_event *events, size_t count,
                               trawl_sink *sink) {
    if (!prepare(chains, outputs, patterns, begin, count)) {
        return trawl_emit_events(outputs, patterns, window, begin, events, count, sink);
    }
    const trawl_chain_text where = {
        .patterns = patterns, .text = window->text + begin, .base = window->base + begin};
    for (size_t done = 0; done < count;) {
        done += chains->write(chains, &where, events + done, count - done, sink);
        if (done < count) {
            trawl_status status =
                trawl_emit_events(outputs, patterns, window, begin, events + done, 1, sink);
            if (status != TRAWL_OK) {
                return status;
            }
            done++;
        }
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ counting */

/* How many matches of a chain of which some are to be verified stand there. */
static inline uint64_t count_verified(const trawl_chains *chains, trawl_chain chain,
                                      const trawl_pattern_view *patterns, const uint8_t *behind) {
    uint64_t last, found = 0;
    memcpy(&last, behind - sizeof last, sizeof last);
    uint32_t past = chain.first + (chain.count & ~TRAWL_CHAIN_VERIFY);
    for (uint32_t i = chain.first; i < past; i++) {
        found += stands(&chains->letters[i], &chains->matches[i], patterns, last, behind) ? 1 : 0;
    }
    return found;
}

void trawl_chains_count(trawl_chains *chains, const trawl_outputs *outputs,
                        const trawl_pattern_view *patterns, const trawl_window *window,
                        size_t begin, const trawl_ending_event *events, size_t count,
                        trawl_counts *counts) {
    bool prepared = prepare(chains, outputs, patterns, begin, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t key = events[i].key;
        size_t end = begin + events[i].position;
        if (!prepared || chains->keys[key].count == 0) {
            trawl_emit_counts(outputs, patterns, window, end, key, counts, NULL);
        } else if ((chains->keys[key].count & TRAWL_CHAIN_VERIFY) == 0) {
            counts->total += chains->keys[key].count;
        } else {
            counts->total +=
                count_verified(chains, chains->keys[key], patterns, window->text + end);
        }
    }
}
