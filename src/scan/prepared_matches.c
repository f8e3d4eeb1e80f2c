/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "scan/prepared_matches.h"

#include <string.h>

#include "base/allocate.h"
#include "base/cpu.h"

/* Prepared matches of one key, at most; a writer stops where its sink has less room than for these.
 * No measurement chose it: more of them need more memory, with fewer more keys are written one link
 * after the other. */
#define MOST_MATCHES 24u
/* Matches that are copied at a time. */
#define AT_ONCE 4u
/* Matches that are verified without a branch on how many there are. */
#define FEW_MATCHES 2u
/* Events that are handled at a time, and room for their verified matches. */
#define BATCH ((size_t)256)
#define VERIFIED ((size_t)512)
/* Bytes behind the last written match that are prefetched for writing: matches are written faster
 * than the processor's own prefetching follows. */
#define AHEAD 16384u
/* Limit of the prepared matches of all keys, and of the keys: both are read at random and have to
 * stay in the second-level cache. */
#define MOST_IN_ALL ((size_t)1 << 15)

static trawl_prepared_writer *choose_writer(void);

/* ------------------------------------------------------------------ making */

/* How many matches of a key are prepared: all, or none if there are too many. */
static uint32_t prepared_count(const trawl_outputs *outputs, uint32_t key) {
    if (trawl_record_is_plain(&outputs->records[key])) {
        return 1; /* for leftmost kinds links are not followed */
    }
    return outputs->total[key] > MOST_MATCHES ? 0 : outputs->total[key];
}

/* How a match of the case-sensitive pattern `id`, found in folded text, is verified. */
static trawl_prepared_letters letters_of(const trawl_pattern_view *patterns, uint32_t id) {
    uint64_t wanted = 0;
    uint32_t length = patterns->offsets[id + 1] - patterns->offsets[id];
    uint32_t known = length < sizeof wanted ? length : sizeof wanted;
    memcpy((uint8_t *)&wanted + sizeof wanted - known, trawl_view_end(patterns, id) - known, known);
    return (trawl_prepared_letters){.wanted = wanted,
                                    .mask = ~UINT64_C(0) << (8 * (sizeof wanted - known))};
}

static void fill(const trawl_outputs *outputs, const trawl_pattern_view *patterns,
                 trawl_prepared_matches *prepared) {
    uint32_t used = 0;
    prepared->longest = sizeof(uint64_t);
    for (uint32_t key = 0; key < outputs->keys; key++) {
        uint32_t count = prepared_count(outputs, key);
        bool check = count == 0 || (outputs->verify[key] & TRAWL_VERIFY_CHAIN) != 0;
        prepared->keys[key] =
            used | count << TRAWL_PREPARED_COUNT_SHIFT | (check ? TRAWL_PREPARED_CHECK : 0);
        uint32_t past = used + count;
        for (uint32_t link = key; used != past; link = outputs->link[link]) {
            bool own = (outputs->verify[link] & TRAWL_VERIFY_OWN) != 0;
            for (uint32_t i = outputs->first[link]; i < outputs->first[link + 1] && used != past;
                 i++, used++) {
                uint32_t id = outputs->ids[i];
                bool exact = own && (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) == 0;
                prepared->matches[used] = (trawl_match){
                    .start = UINT64_C(0) - outputs->length[link], .end = 0, .pattern = id};
                prepared->letters[used] =
                    exact ? letters_of(patterns, id) : (trawl_prepared_letters){.mask = 0};
            }
        }
        if (outputs->length[key] > prepared->longest) {
            prepared->longest = outputs->length[key];
        }
    }
    prepared->used = used;
    memset(prepared->matches + used, 0, (VERIFIED + AT_ONCE) * sizeof *prepared->matches);
}

static void make(const trawl_outputs *outputs, const trawl_pattern_view *patterns,
                 trawl_prepared_matches *prepared) {
    size_t used = 0;
    prepared->refused = true;
    for (uint32_t key = 0; key < outputs->keys && used <= MOST_IN_ALL; key++) {
        used += prepared_count(outputs, key);
    }
    if (used > MOST_IN_ALL || outputs->keys > MOST_IN_ALL) {
        return;
    }
    prepared->keys = trawl_allocate(outputs->keys, sizeof *prepared->keys);
    prepared->matches = trawl_allocate(used + VERIFIED + AT_ONCE, sizeof *prepared->matches);
    prepared->letters = trawl_allocate(used, sizeof *prepared->letters);
    if (prepared->keys == NULL || prepared->matches == NULL || prepared->letters == NULL) {
        trawl_prepared_release(prepared);
        return;
    }
    fill(outputs, patterns, prepared);
    prepared->write = choose_writer();
}

/* Whether prepared matches can be used for events behind text[begin]. Makes them now if enough
 * events have been seen. */
static bool prepare(trawl_prepared_matches *prepared, const trawl_outputs *outputs,
                    const trawl_pattern_view *patterns, size_t begin, size_t count) {
    if (prepared->keys == NULL && !prepared->refused) {
        prepared->events += count;
        if (prepared->events > outputs->keys) {
            make(outputs, patterns, prepared);
        }
    }
    /* A forged automaton may report keys that begin before the text. */
    return prepared->keys != NULL && begin >= prepared->longest;
}

void trawl_prepared_reserve(trawl_prepared_matches *prepared, const trawl_outputs *outputs,
                            const trawl_pattern_view *patterns) {
    if (prepared->keys == NULL && !prepared->refused) {
        make(outputs, patterns, prepared);
    }
}

void trawl_prepared_release(trawl_prepared_matches *prepared) {
    trawl_release(prepared->keys);
    trawl_release(prepared->matches);
    trawl_release(prepared->letters);
    prepared->keys = NULL;
    prepared->matches = NULL;
    prepared->letters = NULL;
}

/* ------------------------------------------------------------------ writing */

/* Whether the bytes before `behind`, of which `last` are the last eight, have the letter case that
 * the match's pattern asks for. */
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

/* Verifies one or two neighbouring matches. The result is a part of the two in place (both, the
 * first, the second, or none), so that nothing is copied. */
static inline trawl_prepared_key verify_few(const trawl_prepared_matches *prepared, uint32_t first,
                                            uint32_t count, const trawl_pattern_view *patterns,
                                            uint64_t last, const uint8_t *behind) {
    uint32_t second = first + count - 1; /* or the first once more */
    uint32_t first_stands =
        stands(&prepared->letters[first], &prepared->matches[first], patterns, last, behind);
    uint32_t second_stands =
        stands(&prepared->letters[second], &prepared->matches[second], patterns, last, behind);
    uint32_t left = first_stands + (second_stands & (second - first));
    return (first + 1 - first_stands) | left << TRAWL_PREPARED_COUNT_SHIFT;
}

/* Finds the prepared matches of events in a text. If some of a key's matches have to be verified,
 * those that pass are copied behind all prepared ones. TRAWL_PREPARED_CHECK stays set for keys that
 * have no prepared matches or for whose copies there is no room. */
static void find_prepared(trawl_prepared_matches *prepared, const trawl_pattern_view *patterns,
                          const uint8_t *text, const trawl_ending_event *events, size_t count,
                          trawl_prepared_key *found) {
    uint32_t checked[BATCH];
    size_t checks = 0;
    for (size_t i = 0; i < count; i++) {
        trawl_prepared_key entry = prepared->keys[events[i].key];
        found[i] = entry;
        checked[checks] = (uint32_t)i;
        checks += (entry & TRAWL_PREPARED_CHECK) != 0 ? 1 : 0;
    }
    uint32_t next = prepared->used, limit = prepared->used + VERIFIED;
    for (size_t a = 0; a < checks; a++) {
        uint32_t i = checked[a];
        trawl_prepared_key entry = found[i] & ~TRAWL_PREPARED_CHECK;
        uint32_t first = trawl_prepared_key_first(entry),
                 past = first + trawl_prepared_key_count(entry);
        const uint8_t *behind = text + events[i].position;
        uint64_t last;
        if (past == first || past - first > limit - next) {
            continue;
        }
        memcpy(&last, behind - sizeof last, sizeof last);
        if (past - first <= FEW_MATCHES) {
            found[i] = verify_few(prepared, first, past - first, patterns, last, behind);
            continue;
        }
        uint32_t kept = next;
        for (; first < past; first++) {
            prepared->matches[next] = prepared->matches[first];
            next +=
                stands(&prepared->letters[first], &prepared->matches[first], patterns, last, behind)
                    ? 1
                    : 0;
        }
        found[i] = kept | (next - kept) << TRAWL_PREPARED_COUNT_SHIFT;
    }
}

/* Two 64-bit words: each processor family adds them in one instruction. */
typedef uint64_t two_words __attribute__((vector_size(16)));

/* Four matches are twelve words, which are written as six pairs. A match is the words start, end,
 * and pattern; the pairs are (start, end), (pattern, start), (end, pattern), and the same again. */
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

/* Lets the sink's `take`, or the writer, have events from events[0] on; returns in *done how many
 * of them are handled. */
static trawl_status hand_over(const trawl_prepared_matches *prepared, uint64_t base,
                              const trawl_ending_event *events, const trawl_prepared_key *found,
                              size_t count, trawl_sink *sink, size_t *done) {
    *done = 0;
    if (sink->take == NULL) {
        *done = prepared->write(prepared->matches, base, events, found, count, sink);
        return TRAWL_OK;
    }
    trawl_status status = sink->count == 0 ? TRAWL_OK : sink->flush(sink);
    if (status == TRAWL_OK) {
        *done = sink->take(prepared->matches, base, events, found, count, sink);
    }
    return status;
}

trawl_status trawl_prepared_emit(trawl_prepared_matches *prepared, const trawl_outputs *outputs,
                                 const trawl_pattern_view *patterns, const trawl_window *window,
                                 size_t begin, const trawl_ending_event *events, size_t count,
                                 trawl_sink *sink) {
    if (!prepare(prepared, outputs, patterns, begin, count)) {
        return trawl_emit_events(outputs, patterns, window, begin, events, count, sink);
    }
    for (size_t done = 0; done < count;) {
        trawl_prepared_key found[BATCH];
        const trawl_ending_event *these = events + done;
        size_t some = count - done < BATCH ? count - done : BATCH;
        find_prepared(prepared, patterns, window->text + begin, these, some, found);
        for (size_t i = 0; i < some; i++) {
            size_t taken;
            trawl_status status = hand_over(prepared, window->base + begin, these + i, found + i,
                                            some - i, sink, &taken);
            i += taken;
            if (status == TRAWL_OK && i < some) {
                status = trawl_emit_events(outputs, patterns, window, begin, these + i, 1, sink);
            }
            if (status != TRAWL_OK) {
                return status;
            }
        }
        done += some;
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ counting */

void trawl_prepared_count(trawl_prepared_matches *prepared, const trawl_outputs *outputs,
                          const trawl_pattern_view *patterns, const trawl_window *window,
                          size_t begin, const trawl_ending_event *events, size_t count,
                          trawl_counts *counts, trawl_case_counter *cases) {
    bool usable = prepare(prepared, outputs, patterns, begin, count);
    for (size_t done = 0; done < count;) {
        trawl_prepared_key found[BATCH];
        const trawl_ending_event *these = events + done;
        size_t some = count - done < BATCH ? count - done : BATCH;
        if (usable) {
            find_prepared(prepared, patterns, window->text + begin, these, some, found);
        }
        for (size_t i = 0; i < some; i++) {
            if (usable && (found[i] & TRAWL_PREPARED_CHECK) == 0) {
                counts->total += trawl_prepared_key_count(found[i]);
            } else {
                trawl_emit_counts(outputs, patterns, window, begin + these[i].position,
                                  these[i].key, counts, NULL, cases);
            }
        }
        done += some;
    }
}
