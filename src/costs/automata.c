/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "costs/automata.h"

#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"
#include "base/text_pieces.h"
#include "constants/cpu.h"
#include "costs/count_states.h"
#include "costs/long_patterns.h"
#include "costs/prefix_hash.h"
#include "database/outputs.h"
#include "scan/contract.h"

/* Walks the sample without an automaton. A state is a prefix of a pattern: the longest one that
 * ends at this byte of the text. A Bloom filter holds the hashes of all prefixes of up to
 * TRAWL_WALK_DEPTH bytes; longer prefixes are found by comparing long patterns with the text. */

#define PIECE ((size_t)TRAWL_SAMPLE_PIECE_BYTES)

/* Number of patterns whose words of the Bloom filter are prefetched together, so that their cache
 * misses overlap. No measurement chose it. */
#define TOGETHER 16u

/* A Bloom filter that has all bits of an item in one word. */
typedef struct bit_set {
    uint64_t *words;
    uint32_t bits; /* log2 of the number of words */
    uint32_t each; /* bits of an item */
} bit_set;

static uint64_t mask_of(const bit_set *set, uint64_t hash) {
    uint64_t mask = 0;
    for (uint32_t i = 0; i < set->each; i++) {
        mask |= UINT64_C(1) << (hash >> (6 * i) & 63);
    }
    return mask;
}

static bool has(const bit_set *set, uint64_t hash) {
    uint64_t mask = mask_of(set, hash);
    return (set->words[hash >> (64 - set->bits)] & mask) == mask;
}

static bool add(const bit_set *set, uint64_t hash) {
    uint64_t mask = mask_of(set, hash);
    uint64_t *word = &set->words[hash >> (64 - set->bits)];
    bool new = (*word & mask) != mask;
    *word |= mask;
    return new;
}

static uint64_t hash_bytes(const uint8_t *bytes, size_t count) {
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++) {
        hash = trawl_prefix_extend(hash, bytes[i]);
    }
    return trawl_prefix_spread(hash);
}

/* The key in `exact` of a pattern whose ends are not compared with the text; `hash`: of its folded
 * bytes. The key of another pattern is the hash of its own bytes. */
static uint64_t in_any_case(uint64_t hash) {
    return ~hash;
}

typedef struct walk {
    const trawl_patterns *patterns;
    const uint8_t *text;
    size_t length;
    uint8_t fold[256];
    bit_set beginnings, wholes, verified, exact, lines, nfa_lines, met;
    double matches, met_keys;           /* so far: matches, and different patterns that match */
    trawl_long_patterns longs;          /* patterns longer than TRAWL_WALK_DEPTH */
    bool lengths[TRAWL_WALK_DEPTH + 1]; /* whether a pattern has this length */
    uint8_t *ends;                      /* whether a match ends with each byte of text */
    uint64_t *states;                   /* NULL, or for each byte of text the state before it */
    double classes;           /* byte classes: bytes that no pattern tells apart are one */
    double columns, entry;    /* of the DFA: columns of a row, bytes of an entry */
    uint64_t most_beginnings; /* that are kept */
    trawl_automata_estimate *estimate;
} walk;

/* ------------------------------------------------------------------ the patterns */

static uint64_t bytes_looked_at(const trawl_patterns *patterns, size_t step) {
    uint64_t sum = 0;
    for (size_t id = 0; id < patterns->count; id += step) {
        uint32_t length = trawl_pattern_length(patterns, id);
        sum += length < TRAWL_WALK_DEPTH ? length : TRAWL_WALK_DEPTH;
    }
    return sum;
}

static size_t count_long(const trawl_patterns *patterns, size_t step) {
    size_t count = 0;
    for (size_t id = 0; id < patterns->count; id += step) {
        count += trawl_pattern_length(patterns, id) > TRAWL_WALK_DEPTH;
    }
    return count;
}

/* Makes a filter for about `items` items, with `room` words for a hundred of them. */
static trawl_status make_set(bit_set *set, uint64_t items, unsigned room, uint32_t each,
                             trawl_error *error) {
    set->bits = 4;
    set->each = each;
    while (set->bits < 20 && UINT64_C(1) << set->bits < items * room / 100) {
        set->bits++;
    }
    size_t bytes = sizeof *set->words << set->bits;
    set->words = trawl_allocate_table(bytes);
    if (set->words == NULL) {
        return trawl_fail_memory(error, "planning", bytes);
    }
    memset(set->words, 0, bytes);
    return TRAWL_OK;
}

/* Sets hashes[i] to the hash of the first i + 1 bytes of a pattern, and prefetches their words,
 * since each would be a cache miss in a large filter. Returns the number of hashes. */
static uint32_t hash_beginnings(const walk *self, size_t id, bool *bytes, uint64_t *hashes) {
    const uint8_t *pattern = trawl_pattern_bytes(self->patterns, id);
    uint32_t length = trawl_pattern_length(self->patterns, id);
    uint32_t depth = length < TRAWL_WALK_DEPTH ? length : TRAWL_WALK_DEPTH;
    const bit_set *beginnings = &self->beginnings;
    uint64_t hash = 0;
    for (uint32_t i = 0; i < depth; i++) {
        uint8_t byte = self->fold[pattern[i]];
        bytes[byte] = true;
        hash = trawl_prefix_extend(hash, byte);
        hashes[i] = trawl_prefix_spread(hash);
        __builtin_prefetch(&beginnings->words[hashes[i] >> (64 - beginnings->bits)], 1);
    }
    return depth;
}

/* Counts the states of a pattern beyond TRAWL_WALK_DEPTH bytes that no pattern before has. Compares
 * its prefixes of twice, four times, ... as many bytes, and the whole of it, so that equal patterns
 * and patterns of one period are counted once. `hash` is that of the first TRAWL_WALK_DEPTH bytes.
 */
static uint64_t count_deep_states(const walk *self, size_t id, uint64_t hash) {
    const uint8_t *pattern = trawl_pattern_bytes(self->patterns, id);
    uint32_t length = trawl_pattern_length(self->patterns, id);
    uint64_t states = 0;
    for (uint32_t at = TRAWL_WALK_DEPTH, past = 2 * TRAWL_WALK_DEPTH; at < length; past *= 2) {
        uint32_t depth = past < length ? past : length, begin = at;
        for (; at < depth; at++) {
            hash = trawl_prefix_extend(hash, self->fold[pattern[at]]);
        }
        states += add(&self->beginnings, trawl_prefix_spread(hash ^ depth)) ? depth - begin : 0;
    }
    return states;
}

/* The sizes of the automata's tables. `bytes`: those that the patterns have. */
static void set_sizes(walk *self, const bool bytes[256], double states) {
    double classes = 1;
    for (unsigned byte = 0; byte < 256; byte++) {
        classes += bytes[byte];
    }
    trawl_automata_estimate *estimate = self->estimate;
    estimate->states = states;
    self->entry = states <= 65536 ? 2 : 4;
    self->classes = classes < 256 ? classes : 256;
    self->columns = self->classes;
    if (states <= 65536) { /* rows of the narrow table are a power of two */
        self->columns = exp2(ceil(log2(self->columns)));
    }
    double dfa = states * self->columns * self->entry;
    double nfa = states * TRAWL_WALK_NFA_STATE_BYTES;
    estimate->dfa_bytes = dfa < 1e18 ? (uint64_t)dfa : UINT64_C(1) << 60;
    estimate->nfa_bytes = (uint64_t)nfa;
    estimate->dfa.all = dfa / TRAWL_CACHE_LINE_BYTES;
    estimate->nfa.all = nfa / TRAWL_CACHE_LINE_BYTES;
}

/* Whether the states of all patterns are worth counting: the tables would be large, so that their
 * size may decide whether an automaton is taken, and building them would take longer. */
static bool should_count(const walk *self) {
    return self->estimate->dfa_bytes > TRAWL_COUNTED_TABLE_BYTES &&
           trawl_patterns_bytes(self->patterns) < TRAWL_COUNTED_MOST_BYTES;
}

/* Examines every `step`th pattern. *factor: patterns of the set for each that was examined;
 * *others: states of the whole set for each state of the examined patterns. */
static void add_patterns(walk *self, size_t step, double *factor, double *others) {
    const trawl_patterns *patterns = self->patterns;
    uint64_t states = 1, seen = 0, deep = 0, half = 0, all = patterns->count / step;
    bool bytes[256] = {false};
    uint64_t hashes[TOGETHER][TRAWL_WALK_DEPTH];
    uint32_t depths[TOGETHER];
    for (size_t next = 0, id = 0; id < patterns->count;) {
        uint32_t count = 0;
        for (; next < patterns->count && count < TOGETHER; next += step) {
            depths[count] = hash_beginnings(self, next, bytes, hashes[count]);
            count++;
        }
        for (uint32_t k = 0; k < count; k++, id += step) {
            uint64_t whole = 0;
            for (uint32_t i = 0; i < depths[k]; i++) {
                whole = hashes[k][i];
                states += add(&self->beginnings, whole);
            }
            uint32_t length = trawl_pattern_length(patterns, id);
            bool verified =
                patterns->case_insensitive != 0 && trawl_outputs_verifies(patterns, (uint32_t)id);
            self->estimate->verifies |= verified;
            if (length > TRAWL_WALK_DEPTH) {
                deep += count_deep_states(self, id, whole);
                trawl_long_patterns_add(&self->longs, id, whole, verified);
                continue;
            }
            (void)add(&self->wholes, whole);
            if (verified) {
                (void)add(&self->verified, whole);
                (void)add(&self->exact, hash_bytes(trawl_pattern_bytes(patterns, id), length));
            } else if (patterns->case_insensitive != 0) {
                (void)add(&self->exact, in_any_case(whole));
            }
            self->lengths[length] = true;
        }
        seen += count;
        half = 2 * seen <= all ? states + deep : half;
    }
    *factor = (double)patterns->count / (double)seen;
    /* The patterns that were left out are expected to add new states at the rate of the second half
     * of those that were examined. */
    double grown = half == 0 ? 1 : log2((double)(states + deep) / (double)half);
    *others = pow(*factor, grown < 1 ? grown : 1);
    set_sizes(self, bytes, (double)(states + deep) * *others);
    if (should_count(self)) {
        const double counted = trawl_count_states(patterns, self->fold);
        *others = fmax(counted / (double)(states + deep), 1);
        set_sizes(self, bytes, counted);
    }
}

/* ------------------------------------------------------------------ the text */

/* Counts the cache lines of the state before text[at] and of its entry for that byte, if they have
 * not been touched before. */
static void touch(walk *self, uint64_t state, size_t at, double *lines, double *nfa_lines) {
    uint8_t byte = self->fold[self->text[at]];
    if (self->states != NULL) { /* a trace does not count lines */
        self->states[at] = state;
        return;
    }
    double lines_of_row = self->columns * self->entry / TRAWL_CACHE_LINE_BYTES;
    uint64_t line = lines_of_row <= 1 ? 0 : 1 + (uint64_t)(byte * lines_of_row / 256);
    *lines += add(&self->lines, trawl_prefix_spread(trawl_prefix_extend(state, (uint8_t)line)));
    *nfa_lines += add(&self->nfa_lines, trawl_prefix_spread(state));
}

/* Notes that the state before text[at] is `state`, unless a longer suffix of the text before it,
 * which was found earlier, begins a pattern too. */
static void arrive(walk *self, uint64_t state, size_t at, size_t *known, double *lines,
                   double *nfa_lines) {
    if (at > *known) {
        *known = at;
        if (at < self->length) {
            touch(self, state, at, lines, nfa_lines);
        }
    }
}

/* Notes matches of a pattern; `bits`: the hash of its folded bytes. */
static void meet(walk *self, uint64_t bits, uint32_t matches) {
    self->matches += matches;
    self->met_keys += matches != 0 && add(&self->met, trawl_prefix_spread(bits));
}

/* Keeps how far the walk is: after 1/128, 2/128, 4/128, ... of the text. */
static void note_point(walk *self, unsigned point, size_t steps, double dfa_lines,
                       double nfa_lines) {
    trawl_automata_estimate *estimate = self->estimate;
    estimate->dfa.steps[point] = estimate->nfa.steps[point] = (double)steps;
    estimate->met.growth.steps[point] = (double)steps;
    estimate->dfa.lines[point] = dfa_lines;
    estimate->nfa.lines[point] = nfa_lines * TRAWL_WALK_NFA_STATE_BYTES / TRAWL_CACHE_LINE_BYTES;
    estimate->met.growth.lines[point] = self->met_keys;
}

/* Long patterns are looked for at the first `starts` positions only, which have met `matches` and
 * `keys`. If these are not all positions, the number of different keys is taken to grow further
 * with the square root of the text's length. */
static void finish_met(walk *self, double starts, double matches, double keys) {
    trawl_met_keys *met = &self->estimate->met;
    met->per_byte = starts > 0 ? matches / starts : 0;
    for (unsigned point = 0; point < TRAWL_GROWTH_POINTS; point++) {
        double ratio = starts > 0 ? met->growth.steps[point] / starts : 0;
        if (ratio > 1) {
            met->growth.lines[point] = keys * sqrt(ratio);
        }
    }
}

/* Whether a pattern matches text[start..start + bytes], where the folded text has the folded
 * pattern; `hash`: of these folded bytes. */
static bool matches_itself(const walk *self, size_t start, size_t bytes, uint64_t hash) {
    return has(&self->exact, in_any_case(hash)) ||
           has(&self->exact, hash_bytes(self->text + start, bytes));
}

static void count_ends(trawl_new_ends *sum, trawl_new_ends new) {
    sum->folded += new.folded;
    sum->matches += new.matches;
    sum->compared += new.compared;
}

static void walk_text(walk *self) {
    trawl_automata_estimate *estimate = self->estimate;
    double lines = 0, nfa_lines = 0, long_starts = 0;
    trawl_new_ends short_ends = {0}, long_ends = {0};
    double matches = 0, keys = 0; /* as long as long patterns were looked for */
    double rows_of_line = TRAWL_CACHE_LINE_BYTES / (self->columns * self->entry);
    double share = rows_of_line > 1 ? rows_of_line : 1; /* states in one cache line */
    size_t known = 0; /* the last byte before which the state is known */
    unsigned point = 0;
    if (self->length != 0) {
        touch(self, 0, 0, &lines, &nfa_lines);
    }
    for (size_t start = 0; start < self->length; start++) {
        uint64_t hash = 0;
        uint32_t depth = 0; /* of the state that begins here, if that is beyond TRAWL_WALK_DEPTH */
        bool compares = self->longs.compared < TRAWL_WALK_MOST_COMPARED;
        long_starts += compares;
        matches = compares ? self->matches : matches;
        keys = compares ? self->met_keys : keys;
        for (size_t i = start; i < self->length && i < start + TRAWL_WALK_DEPTH; i++) {
            hash = trawl_prefix_extend(hash, self->fold[self->text[i]]);
            uint64_t bits = trawl_prefix_spread(hash);
            if (!has(&self->beginnings, bits)) {
                break;
            }
            if (self->lengths[i - start + 1] && has(&self->wholes, bits)) {
                bool verified = has(&self->verified, bits);
                bool found = !verified || matches_itself(self, start, i + 1 - start, bits);
                count_ends(&short_ends, trawl_mark_end(&self->ends[i], verified, found));
                meet(self, bits, found);
            }
            if (compares && i + 1 == start + TRAWL_WALK_DEPTH) {
                trawl_new_ends found =
                    trawl_long_patterns_find(&self->longs, self->text + start, self->length - start,
                                             bits, self->ends + start, &depth);
                count_ends(&long_ends, found);
                meet(self, ~bits, found.matches);
            }
            arrive(self, hash, i + 1, &known, &lines, &nfa_lines);
        }
        for (size_t i = start + TRAWL_WALK_DEPTH; start + depth > known && i < start + depth; i++) {
            hash = trawl_prefix_extend(hash, self->fold[self->text[i]]);
            arrive(self, hash, i + 1, &known, &lines, &nfa_lines);
        }
        arrive(self, 0, start + 1, &known, &lines, &nfa_lines);
        if (start + 1 == self->length >> (TRAWL_GROWTH_POINTS - 1 - point)) {
            note_point(self, point, start + 1, lines / share, nfa_lines);
            point++;
        }
    }
    finish_met(self, long_starts, matches, keys);
    if (self->length != 0) {
        double starts = (double)self->length;
        estimate->match_ends = short_ends.matches / starts + long_ends.matches / long_starts;
        estimate->folded_ends = short_ends.folded / starts + long_ends.folded / long_starts;
        estimate->compared = short_ends.compared / starts + long_ends.compared / long_starts;
    }
}

static void release(walk *self) {
    trawl_release(self->beginnings.words);
    trawl_release(self->wholes.words);
    trawl_release(self->verified.words);
    trawl_release(self->exact.words);
    trawl_release(self->lines.words);
    trawl_release(self->nfa_lines.words);
    trawl_release(self->met.words);
    trawl_long_patterns_close(&self->longs);
}

/* Adds the patterns that were not examined: for each pattern that was, the set is taken to have
 * `others` that match as often. */
static void count_others(trawl_met_keys *met, double others, size_t patterns) {
    for (unsigned point = 0; point < TRAWL_GROWTH_POINTS; point++) {
        met->growth.lines[point] *= others;
    }
    met->per_byte *= others;
    met->growth.all = (double)patterns;
}

/* Walks over the text. The caller has set patterns, text, length, estimate and the arrays. */
static trawl_status measure(walk *self, trawl_error *error) {
    const trawl_patterns *patterns = self->patterns;
    for (unsigned byte = 0; byte < 256; byte++) {
        self->fold[byte] =
            patterns->case_insensitive != 0 ? trawl_fold((uint8_t)byte) : (uint8_t)byte;
    }
    size_t step = 1;
    while (bytes_looked_at(patterns, step) > self->most_beginnings && step < patterns->count) {
        step *= 2;
    }
    const struct {
        bit_set *set;
        uint64_t items;
        unsigned room;
        uint32_t each;
    } sets[] = {
        {&self->beginnings, bytes_looked_at(patterns, step), 50, 3},
        {&self->wholes, patterns->count / step, 100, 4},
        {&self->verified, patterns->case_insensitive != 0 ? patterns->count / step : 1, 100, 4},
        {&self->exact, patterns->case_insensitive != 0 ? patterns->count / step : 1, 100, 4},
        {&self->lines, self->length, 50, 3},
        {&self->nfa_lines, self->length, 50, 3},
        {&self->met, self->length, 25, 3},
    };
    trawl_status status = TRAWL_OK;
    for (size_t i = 0; i < sizeof sets / sizeof *sets && status == TRAWL_OK; i++) {
        status = make_set(sets[i].set, sets[i].items, sets[i].room, sets[i].each, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_long_patterns_open(&self->longs, patterns, self->fold, TRAWL_WALK_DEPTH,
                                          count_long(patterns, step), error);
    }
    if (status == TRAWL_OK) {
        double factor = 1, others = 1;
        trawl_automata_estimate *estimate = self->estimate;
        add_patterns(self, step, &factor, &others);
        walk_text(self);
        estimate->match_ends = fmin(estimate->match_ends * factor, 1);
        estimate->folded_ends = fmin(estimate->folded_ends * factor, 1);
        estimate->compared *= factor;
        count_others(&estimate->met, others, patterns->count);
    }
    release(self);
    return status;
}

/* A step that has no common divisor with `pieces`, near 0.618 times their number (the golden
 * section). Taking every piece at this distance visits each once, and at any moment the visited
 * pieces are spread over the whole text. */
static size_t scattering_step(size_t pieces) {
    size_t step = pieces * 618 / 1000 + 1;
    for (;; step++) {
        size_t larger = step, divisor = pieces;
        while (divisor != 0) {
            size_t rest = larger % divisor;
            larger = divisor;
            divisor = rest;
        }
        if (larger == 1) {
            return step;
        }
    }
}

/* Sets the text to at most `most` bytes of it, in pieces from all over it, in scattered order. The
 * caller releases *taken. In the text's own order, new parts of the automaton would be touched in
 * bursts, one for each kind of content, and the growth at the end of the walk would not predict
 * what follows. */
static trawl_status take_pieces(walk *self, size_t most, uint8_t **taken, trawl_error *error) {
    size_t bytes = self->length < most ? self->length : most;
    size_t pieces = bytes / PIECE;
    *taken = NULL;
    if (pieces < 2) {
        self->length = bytes;
        return TRAWL_OK;
    }
    *taken = trawl_allocate(pieces, PIECE);
    if (*taken == NULL) {
        return trawl_fail_memory(error, "planning", pieces * PIECE);
    }
    size_t step = scattering_step(pieces);
    for (size_t i = 0, piece = 0; i < pieces; i++, piece = (piece + step) % pieces) {
        memcpy(*taken + i * PIECE,
               self->text + trawl_sample_place(piece, pieces, self->length - PIECE), PIECE);
    }
    self->text = *taken;
    self->length = pieces * PIECE;
    return TRAWL_OK;
}

trawl_status trawl_automata_measure(const trawl_patterns *patterns, const uint8_t *text,
                                    size_t length, size_t most, trawl_automata_estimate *estimate,
                                    trawl_error *error) {
    memset(estimate, 0, sizeof *estimate);
    most = most > TRAWL_WALK_LEAST_EXAMINED ? most : TRAWL_WALK_LEAST_EXAMINED;
    size_t text_bytes = TRAWL_WALK_LEAST_TEXT + 64 * patterns->count;
    text_bytes = text_bytes < TRAWL_WALK_MOST_TEXT ? text_bytes : TRAWL_WALK_MOST_TEXT;
    walk self = {.patterns = patterns,
                 .text = text,
                 .length = length,
                 .most_beginnings =
                     most < TRAWL_WALK_MOST_BEGINNINGS ? most : TRAWL_WALK_MOST_BEGINNINGS,
                 .estimate = estimate};
    uint8_t *pieces = NULL;
    trawl_status status = take_pieces(&self, text_bytes < most ? text_bytes : most, &pieces, error);
    self.ends = trawl_allocate_zeroed(self.length + 1, 1);
    if (status == TRAWL_OK && self.ends == NULL) {
        status = trawl_fail_memory(error, "planning", self.length);
    }
    if (status == TRAWL_OK) {
        status = measure(&self, error);
    }
    trawl_release(self.ends);
    trawl_release(pieces);
    return status;
}

trawl_status trawl_automata_trace(const trawl_patterns *patterns, const uint8_t *text,
                                  size_t length, trawl_automata_estimate *estimate,
                                  trawl_automata_steps *trace, trawl_error *error) {
    memset(estimate, 0, sizeof *estimate);
    *trace = (trawl_automata_steps){
        .steps = length,
        .states = trawl_allocate_zeroed(length + 1, sizeof *trace->states),
        .ends = trawl_allocate_zeroed(length + 1, 1),
    };
    trawl_status status = TRAWL_OK;
    if (trace->states == NULL || trace->ends == NULL) {
        status = trawl_fail_memory(error, "planning", length * (sizeof *trace->states + 1));
    } else {
        walk self = {.patterns = patterns,
                     .text = text,
                     .length = length,
                     .ends = trace->ends,
                     .states = trace->states,
                     .most_beginnings = TRAWL_WALK_MOST_BEGINNINGS,
                     .estimate = estimate};
        status = measure(&self, error);
        trace->classes = self.classes;
    }
    if (status != TRAWL_OK) {
        trawl_automata_trace_release(trace);
    }
    return status;
}

void trawl_automata_trace_release(trawl_automata_steps *trace) {
    trawl_release(trace->states);
    trawl_release(trace->ends);
    *trace = (trawl_automata_steps){.steps = 0};
}
