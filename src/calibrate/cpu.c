/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl_study_measure_costs: times the steps of scans on this CPU. Sets and texts are made up in
 * which one step takes nearly all of the time, or is the only difference between two measurements.
 */
#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/sized.h"
#include "base/status.h"
#include "calibrate/pages.h"
#include "engines/qgram/registers/format.h"
#include "engines/qgram/teddy/format.h"
#include "plan/plan.h"

/* More than a core's own caches hold, so that the text comes from where real texts come from, and
 * tables share the caches with it. */
#define TEXT_BYTES ((size_t)16 << 20)
/* Of the text, for filters in vector registers: little enough for the second cache level of CPUs
 * with AVX2. They have no tables in caches, and run at the speed of memory when the text comes from
 * there, which the planner adds itself. */
#define CACHED_TEXT_BYTES ((size_t)256 << 10)
#define RUNS 3u /* of a scan in one round */
/* All scans are timed again in each round, as a disturbance may last as long as one round. Each
 * cost is computed from the fastest run of each scan. */
#define ROUNDS 3u
#define MOST_SCANS 96u /* of a round */

/* Tables of up to 4 MiB are timed. Larger ones take long to build; some of their costs are assumed:
 * 1.6 times that of the next smaller table. */
#define TIMED_SIZES 6u

typedef struct bench {
    uint8_t *text;
    size_t bytes; /* of the text, that are scanned */
    uint64_t random;
    uint64_t sharing;           /* groups of so many patterns have the same last 16 bytes */
    double fastest[MOST_SCANS]; /* nanoseconds a byte of each scan in all rounds so far */
    unsigned scans;             /* of this round so far */
    trawl_costs *costs;
    trawl_error *error;
} bench;

static uint64_t next_random(bench *self) {
    return trawl_random_next(&self->random);
}

static double size_of(unsigned index) {
    return (double)(UINT64_C(4096) << (2 * index));
}

/* ------------------------------------------------------------------ sets and texts */

/* Writes pattern `number`: any 8 of its bytes tell it from all other patterns, except that the last
 * 16 are the same in a group of `sharing` patterns. */
static void write_pattern(const bench *self, uint64_t number, size_t length, uint8_t *bytes) {
    uint64_t value = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < length; i++) {
        if (i + 16 == length && self->sharing > 1) {
            value = (number / self->sharing + 1) * UINT64_C(0xe7037ed1a0b428db);
        }
        value ^= value >> 29;
        value *= UINT64_C(0xbf58476d1ce4e5b9);
        bytes[i] = (uint8_t)('a' + (value >> 40) % 16);
    }
}

static trawl_status make_set(bench *self, size_t count, size_t length, trawl_patterns **set) {
    uint8_t bytes[64];
    trawl_status status = trawl_patterns_new(set, self->error);
    for (size_t i = 0; status == TRAWL_OK && i < count; i++) {
        write_pattern(self, i, length, bytes);
        status = trawl_patterns_add(*set, bytes, length, 0, self->error);
    }
    return status;
}

/* Fills the text with bytes that no pattern has. */
static void fill_with_other_bytes(bench *self) {
    for (size_t i = 0; i < self->bytes; i++) {
        self->text[i] = (uint8_t)(next_random(self) >> 40 | 0x80);
    }
}

/* Fills the text with other bytes, and at about one position in `every` with the bytes
 * [from, past) of a random one of `count` patterns. */
static void plant(bench *self, size_t count, size_t from, size_t past, size_t every) {
    uint8_t bytes[64];
    fill_with_other_bytes(self);
    for (size_t i = 16; i + past < self->bytes; i++) {
        if ((next_random(self) >> 20) % every == 0) {
            write_pattern(self, (next_random(self) >> 20) % count, past, bytes);
            memcpy(self->text + i, bytes + from, past - from);
            for (size_t k = 1; self->sharing > 1 && k <= from; k++) { /* not those of a pattern */
                self->text[i - k] = (uint8_t)('a' + (next_random(self) >> 40) % 16);
            }
            i += past - from;
        }
    }
}

/* Bytes from one beginning of what plant() writes to the next, on average: of the positions
 * between, one in `every` is chosen, and then past - from bytes are written. */
static double planted_distance(size_t from, size_t past, size_t every) {
    return (double)(every + past - from);
}

/* Fills the text with the first `length` bytes of random patterns, without gaps. */
static void fill_with_parts(bench *self, size_t count, size_t length) {
    uint8_t bytes[64];
    for (size_t i = 0; i + length <= self->bytes; i += length) {
        write_pattern(self, (next_random(self) >> 20) % count, length, bytes);
        memcpy(self->text + i, bytes, length);
    }
}

/* ------------------------------------------------------------------ one measurement */

/* Sums up the words of the text; the sum is only there to be used. */
static trawl_status read_text(const bench *self, uint64_t *sum) {
    for (size_t i = 0; i + sizeof *sum <= self->bytes; i += sizeof *sum) {
        uint64_t word;
        memcpy(&word, self->text + i, sizeof word);
        *sum += word;
    }
    return TRAWL_OK;
}

/* Counts the matches in the text, or without a database only reads it; *nanoseconds: for a byte, in
 * the fastest run of all rounds. */
static trawl_status time_scan(bench *self, const trawl_db *db, double *nanoseconds) {
    if (self->scans == MOST_SCANS) {
        return trawl_fail(self->error, TRAWL_ERROR_LIMIT,
                          "measuring costs: more than %u scans in a round", MOST_SCANS);
    }
    double *fastest = &self->fastest[self->scans++];
    trawl_status status = TRAWL_OK;
    for (unsigned run = 0; run < RUNS && status == TRAWL_OK; run++) {
        uint64_t matches = 0;
        double start = trawl_thread_seconds();
        for (size_t bytes = 0; bytes < TEXT_BYTES && status == TRAWL_OK; bytes += self->bytes) {
            status = db == NULL ? read_text(self, &matches)
                                : trawl_count(db, self->text, self->bytes, NULL, &matches, NULL,
                                              self->error);
        }
        double taken = (trawl_thread_seconds() - start) * 1e9 / (double)TEXT_BYTES;
        *fastest = taken < *fastest ? taken : *fastest;
    }
    *nanoseconds = *fastest;
    return status;
}

/* Times an engine with patterns 0 to count - 1. */
static trawl_status time_engine(bench *self, const char *engine, size_t count, size_t length,
                                double *nanoseconds) {
    trawl_patterns *set = NULL;
    trawl_db *db = NULL;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = engine;
    trawl_status status = make_set(self, count, length, &set);
    if (status == TRAWL_OK) {
        status = trawl_compile(set, &options, &db, self->error);
    }
    if (status == TRAWL_OK) {
        status = time_scan(self, db, nanoseconds);
    }
    trawl_db_free(db);
    trawl_patterns_free(set);
    return status;
}

/* Times qgram with one tier; patterns of up to two bytes have the table of pairs. */
static trawl_status time_tier(bench *self, size_t count, size_t length, uint32_t gram,
                              uint32_t stride, uint32_t row_bits, double *nanoseconds) {
    trawl_patterns *set = NULL;
    trawl_db *db = NULL;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "qgram";
    trawl_qgram_choice choice;
    memset(&choice, 0, sizeof choice);
    choice.header.tiers = 1;
    choice.header.tier[0] = (trawl_qgram_tier){.kind = TRAWL_TIER_BLOOM,
                                               .min_length = (uint32_t)length,
                                               .max_length = (uint32_t)length,
                                               .window = (uint32_t)length,
                                               .gram = gram,
                                               .stride = stride,
                                               .row_bits = row_bits};
    if (length <= 2) {
        choice.header.tier[0] = (trawl_qgram_tier){.kind = TRAWL_TIER_DIRECT,
                                                   .min_length = (uint32_t)length,
                                                   .max_length = (uint32_t)length,
                                                   .window = 1,
                                                   .gram = 2,
                                                   .stride = 1};
    }
    trawl_status status = make_set(self, count, length, &set);
    if (status == TRAWL_OK) {
        status = trawl_compile_divided(set, &options, &choice, &db, self->error);
    }
    if (status == TRAWL_OK) {
        status = time_scan(self, db, nanoseconds);
    }
    trawl_db_free(db);
    trawl_patterns_free(set);
    return status;
}

/* ------------------------------------------------------------------ qgram */

/* The difference of two measurements may be tiny or negative. */
static double at_least(double value, double least) {
    return value > least ? value : least;
}

/* A larger table never costs less: if it seems to, the smaller one was disturbed. */
static void smooth(double *by_size) {
    for (unsigned i = TRAWL_COST_SIZES - 1; i-- > 0;) {
        by_size[i] = by_size[i] < by_size[i + 1] ? by_size[i] : by_size[i + 1];
    }
}

/* What a sample costs more by its length and by how far it is behind the one before. */
static trawl_status measure_sample_shapes(bench *self) {
    enum { APART = 16 };
    trawl_costs *costs = self->costs;
    double least = 0, eight = 0, apart = 0, sixteen = 0;
    fill_with_other_bytes(self);
    trawl_status status = time_tier(self, 1, 32, 4, 1, 10, &least);
    if (status == TRAWL_OK) {
        status = time_tier(self, 1, 32, 8, 1, 10, &eight);
    }
    if (status == TRAWL_OK) {
        status = time_tier(self, 1, 32, 8, APART, 10, &apart);
    }
    if (status == TRAWL_OK) {
        status = time_tier(self, 1, 32, 12, 1, 10, &sixteen);
    }
    costs->sample_eight = at_least(eight - least, 0.01);
    costs->sample_apart = at_least(APART * apart - least, 0.01);
    costs->sample_sixteen = at_least(sixteen - least, 0.01);
    return status;
}

static trawl_status measure_samples(bench *self) {
    enum { SPARSE = 8 }; /* bytes from one sample to the next */
    trawl_costs *costs = self->costs;
    fill_with_other_bytes(self);
    trawl_status status = time_scan(self, NULL, &costs->memory);
    if (status == TRAWL_OK) {
        status = time_tier(self, 1, 32, 4, 1, 10, &costs->sample[0]);
    }
    for (unsigned i = 1; status == TRAWL_OK && i < TRAWL_COST_SIZES; i++) {
        /* Large tables share the caches with the text: they are timed with a stride, as large sets
         * have one. */
        uint32_t stride = i < 4 ? 1 : SPARSE;
        double taken = 0;
        status = time_tier(self, 1, 32, 4, stride, 10 + 2 * i, &taken);
        costs->sample[i] =
            stride *
            sqrt(at_least(taken * taken - costs->memory * costs->memory * (stride > 1 ? 1 : 0),
                          1e-6));
    }
    smooth(costs->sample);
    if (status == TRAWL_OK) { /* too many patterns for Teddy */
        status = time_tier(self, TRAWL_TEDDY_PATTERNS + 72, 2, 4, 1, 0, &costs->direct);
    }
    return status;
}

/* Samples pass the filter where four bytes of a pattern are written; no end of a pattern is found.
 * By planted_distance() that is one sample in 44. 1 / 43 is 2 % more, and stays, so that costs can
 * be compared with those of earlier measurements. */
static trawl_status measure_sample_candidates(bench *self) {
    const double pass = 1.0 / 43;
    double taken = 0;
    plant(self, 1, 8, 12, 40);
    trawl_status status = time_tier(self, 1, 12, 4, 1, 10, &taken);
    self->costs->sample_candidate = at_least((taken - self->costs->sample[0]) / pass, 1);
    return status;
}

/* The difference between two texts. One has the last four bytes of patterns: they pass the sample
 * filter, but not the suffix filter. The other one has the last sixteen, so that the pattern is
 * compared, but not the bytes before. The third one has whole patterns, of twenty bytes. So that
 * candidates are equally frequent in all three, shorter pieces have more bytes between them. */
static trawl_status measure_verification(bench *self) {
    const size_t every = 40;
    const double distance = planted_distance(4, 20, every);
    self->sharing = 2;
    trawl_costs *costs = self->costs;
    trawl_status status = TRAWL_OK;
    for (unsigned i = 0; status == TRAWL_OK && i < TRAWL_COST_SIZES; i++) {
        if (i >= TIMED_SIZES) {
            costs->verify[i] = 1.6 * costs->verify[i - 1];
            continue;
        }
        size_t count = (size_t)(size_of(i) / 64);
        uint32_t row_bits = 10 + 2 * i < 18 ? 10 + 2 * i : 18;
        double passed = 0, looked_up = 0, found = 0;
        plant(self, count, 16, 20, every + 12);
        status = time_tier(self, count, 20, 4, 1, row_bits, &passed);
        if (status == TRAWL_OK) {
            plant(self, count, 4, 20, every);
            status = time_tier(self, count, 20, 4, 1, row_bits, &looked_up);
            costs->verify[i] = at_least((looked_up - passed) * distance, 6);
        }
        if (i == 0 && status == TRAWL_OK) {
            plant(self, count, 0, 20, every - 4);
            status = time_tier(self, count, 20, 4, 1, row_bits, &found);
            costs->match = at_least((found - looked_up) * distance, 1);
        }
    }
    self->sharing = 1;
    smooth(costs->verify);
    return status;
}

static trawl_status compile_variant(bench *self, const char *variant, size_t count, size_t length,
                                    trawl_db **db) {
    trawl_patterns *set = NULL;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "qgram";
    options.variant = variant;
    trawl_status status = make_set(self, count, length, &set);
    if (status == TRAWL_OK) {
        status = trawl_compile(set, &options, db, self->error);
    }
    trawl_patterns_free(set);
    return status;
}

/* The register Bloom filter with grams of four bytes; no position is a candidate. */
static trawl_status measure_register_bloom(bench *self) {
    trawl_db *db = NULL;
    trawl_status status = compile_variant(self, "registers", 1, 4, &db);
    if (status == TRAWL_OK) {
        fill_with_other_bytes(self);
        status = time_scan(self, db, &self->costs->register_bloom);
    }
    self->costs->register_bloom /= trawl_register_bloom_work(4, false);
    trawl_db_free(db);
    return status;
}

enum { CANDIDATE_EVERY = 50 };

/* Times a text without candidates, then one with a candidate at one position in CANDIDATE_EVERY:
 * the bytes [from, past) of a pattern. */
static trawl_status time_candidates(bench *self, const trawl_db *db, size_t count, size_t from,
                                    size_t past, double *nothing, double *with_candidates) {
    fill_with_other_bytes(self);
    trawl_status status = time_scan(self, db, nothing);
    if (status == TRAWL_OK) {
        plant(self, count, from, past, CANDIDATE_EVERY);
        status = time_scan(self, db, with_candidates);
    }
    return status;
}

/* Candidates that end no pattern: all hashed bytes are those of a pattern, the bytes before are
 * not. */
static trawl_status measure_register_bloom_candidates(bench *self) {
    enum { PATTERNS = 300, LENGTH = 12 };
    trawl_db *db = NULL;
    double nothing = 0, candidates = 0;
    trawl_status status = compile_variant(self, "registers", PATTERNS, LENGTH, &db);
    if (status == TRAWL_OK) {
        status = time_candidates(self, db, PATTERNS, LENGTH - TRAWL_REGISTER_BLOOM_BYTES, LENGTH,
                                 &nothing, &candidates);
    }
    self->costs->register_bloom_candidate =
        at_least((candidates - nothing) * (CANDIDATE_EVERY + TRAWL_REGISTER_BLOOM_BYTES), 1);
    trawl_db_free(db);
    return status;
}

enum { TEDDY_PATTERNS = 4, TEDDY_LENGTH = 4 };

/* Teddy with patterns of four bytes; no position is a candidate. */
static trawl_status measure_teddy(bench *self) {
    trawl_db *db = NULL;
    trawl_status status = compile_variant(self, "teddy", TEDDY_PATTERNS, TEDDY_LENGTH, &db);
    if (status == TRAWL_OK) {
        fill_with_other_bytes(self);
        status = time_scan(self, db, &self->costs->teddy);
    }
    if (status == TRAWL_OK) {
        self->costs->teddy /=
            trawl_teddy_work(trawl_db_section(db, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, 0, NULL));
    }
    trawl_db_free(db);
    return status;
}

/* Every candidate ends a pattern. */
static trawl_status measure_teddy_candidates(bench *self) {
    trawl_db *db = NULL;
    double nothing = 0, candidates = 0;
    trawl_status status = compile_variant(self, "teddy", TEDDY_PATTERNS, TEDDY_LENGTH, &db);
    if (status == TRAWL_OK) {
        status = time_candidates(self, db, TEDDY_PATTERNS, 0, TEDDY_LENGTH, &nothing, &candidates);
    }
    self->costs->teddy_candidate =
        at_least((candidates - nothing) * (CANDIDATE_EVERY + TEDDY_LENGTH) - self->costs->match, 1);
    trawl_db_free(db);
    return status;
}

/* ------------------------------------------------------------------ other engines */

/* A text of sixteen letters, eight of which are patterns: a match ends at half of all bytes. */
static trawl_status measure_frequent_matches(bench *self) {
    for (size_t i = 0; i < self->bytes; i++) {
        self->text[i] = (uint8_t)('a' + (next_random(self) >> 40) % 16);
    }
    trawl_patterns *set = NULL;
    trawl_db *db = NULL;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "ac-dfa";
    double nanoseconds = 0;
    trawl_status status = trawl_patterns_new(&set, self->error);
    for (uint8_t letter = 'a'; status == TRAWL_OK && letter < 'a' + 8; letter++) {
        status = trawl_patterns_add(set, &letter, 1, 0, self->error);
    }
    if (status == TRAWL_OK) {
        status = trawl_compile(set, &options, &db, self->error);
    }
    if (status == TRAWL_OK) {
        status = time_scan(self, db, &nanoseconds);
    }
    trawl_db_free(db);
    trawl_patterns_free(set);
    trawl_costs *costs = self->costs;
    costs->dfa_match_often = at_least((nanoseconds - costs->dfa_step[0]) * 2, 0.5);
    return status;
}

/* A text of patterns' prefixes visits all states of the automaton, in an order that no prefetcher
 * guesses. */
static trawl_status measure_automata(bench *self) {
    trawl_costs *costs = self->costs;
    trawl_status status = TRAWL_OK;
    for (unsigned i = 0; status == TRAWL_OK && i < TRAWL_COST_SIZES; i++) {
        if (i >= TIMED_SIZES) {
            costs->nfa_step[i] = 1.6 * costs->nfa_step[i - 1];
        }
        /* Each pattern adds about six states; a row of the DFA is a cache line. */
        size_t count = (size_t)(size_of(i) / 64 / 6);
        fill_with_parts(self, count, 7);
        status = time_engine(self, "ac-dfa", count, 8, &costs->dfa_step[i]);
        if (status == TRAWL_OK && i < TIMED_SIZES) {
            status = time_engine(self, "ac-nfa", count * 2, 8, &costs->nfa_step[i]);
        }
    }
    smooth(costs->dfa_step);
    smooth(costs->nfa_step);
    double with = 0, without = 0;
    if (status == TRAWL_OK) {
        plant(self, 64, 0, 7, 8);
        status = time_engine(self, "ac-dfa", 64, 8, &without);
    }
    if (status == TRAWL_OK) {
        status = time_engine(self, "ac-dfa", 64, 7, &with);
        costs->dfa_match = at_least((with - without) * 15, 0.5);
    }
    if (status == TRAWL_OK) {
        status = measure_frequent_matches(self);
    }
    return status;
}

/* Bytes by which a window of 16 bytes moves on where no block is of a pattern: 16 - B + 1 for
 * blocks of B bytes. Here B is 4 for the smaller sets to 6 for the larger ones (choose_block of
 * engines/wu_manber), which makes 13 to 11: in between. */
#define LARGEST_SHIFT 12.0
/* Bytes of SHIFT for each pattern of 16 bytes: one for each entry, and 8 entries
 * (TRAWL_WU_MANBER_ENTRIES_PER_BLOCK) for each of its 13 blocks of 4 bytes. */
#define SHIFT_BYTES_PER_PATTERN ((size_t)13 * 8)

/* Every window moves on by the largest shift. */
static trawl_status measure_shifts(bench *self) {
    trawl_costs *costs = self->costs;
    trawl_status status = TRAWL_OK;
    fill_with_other_bytes(self);
    for (unsigned i = 0; status == TRAWL_OK && i < TRAWL_COST_SIZES; i++) {
        if (i >= TIMED_SIZES) {
            costs->shift[i] = 1.6 * costs->shift[i - 1];
            continue;
        }
        size_t count = (size_t)size_of(i) / SHIFT_BYTES_PER_PATTERN + 1;
        double nanoseconds = 0;
        status = time_engine(self, "wu-manber", count, 16, &nanoseconds);
        costs->shift[i] = at_least(nanoseconds * LARGEST_SHIFT, 0.5);
    }
    smooth(costs->shift);
    double zero = 0;
    if (status == TRAWL_OK) {
        /* Many patterns, so that the branch predictor does not foresee which are looked up. */
        const size_t count = 4096;
        plant(self, count, 4, 16, 64);
        status = time_engine(self, "wu-manber", count, 16, &zero);
        double table_bytes = (double)(count * SHIFT_BYTES_PER_PATTERN);
        double shifts = trawl_cost_at(costs->shift, table_bytes) / LARGEST_SHIFT;
        costs->shift_zero = at_least((zero - shifts) * planted_distance(4, 16, 64), 3);
    }
    return status;
}

static trawl_status measure_round(bench *self) {
    static const struct part {
        trawl_status (*measure)(bench *);
        size_t bytes;
    } parts[] = {{measure_sample_shapes, CACHED_TEXT_BYTES},
                 {measure_samples, TEXT_BYTES},
                 {measure_sample_candidates, TEXT_BYTES},
                 {measure_verification, TEXT_BYTES},
                 {measure_teddy, CACHED_TEXT_BYTES},
                 {measure_teddy_candidates, TEXT_BYTES},
                 {measure_register_bloom, CACHED_TEXT_BYTES},
                 {measure_register_bloom_candidates, TEXT_BYTES},
                 {measure_automata, TEXT_BYTES},
                 {measure_shifts, TEXT_BYTES}};
    trawl_status status = TRAWL_OK;
    self->random = UINT64_C(0x853c49e6748fea9b); /* the same texts in each round */
    self->scans = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == TRAWL_OK; i++) {
        self->bytes = parts[i].bytes;
        status = parts[i].measure(self);
    }
    return status;
}

trawl_status trawl_study_measure_costs(trawl_costs *costs, trawl_error *error) {
    trawl_clear(error);
    if (costs == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_study_measure_costs: costs is NULL");
    }
    trawl_status status =
        trawl_sized_check(costs, "trawl_study_measure_costs: costs", "TRAWL_COSTS", error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_costs measured = {.size = sizeof measured};
    bench self = {.costs = &measured, .sharing = 1, .error = error};
    for (unsigned i = 0; i < MOST_SCANS; i++) {
        self.fastest[i] = HUGE_VAL;
    }
    self.text = trawl_allocate(TEXT_BYTES, 1);
    if (self.text == NULL) {
        return trawl_fail_memory(error, "measuring costs", TEXT_BYTES);
    }
    for (unsigned i = 0; i < ROUNDS && status == TRAWL_OK; i++) {
        status = measure_round(&self);
    }
    if (status == TRAWL_OK) {
        status = trawl_measure_page_walk(&measured.page_walk, error);
    }
    if (status == TRAWL_OK) {
        trawl_sized_write(costs, &measured, sizeof measured);
    }
    trawl_release(self.text);
    return status;
}
