/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A set of more than 2^31 patterns, made, compiled and searched for:
 *
 *     bench_limits [COUNT [DISTINCT [ENGINE]]]
 *
 * COUNT (2^31 + 1,000,000) patterns, of which pattern `id` is string id % DISTINCT (1,000,000): all
 * ids of string k are k, k + DISTINCT, k + 2 * DISTINCT, ... The text has 4 MiB and strings at
 * known places, the string of the last id among them. Compares all matches and all counts with
 * these ids; prints seconds and the most memory of each step; ends with 1 unless everything is
 * right.
 *
 * Compiling took 48 bytes a pattern with 20,000,000 of them: expect 105 GB for 2^31 + 1,000,000.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steps.h"
#include "trawl/trawl.h"

enum {
    TEXT_BYTES = 4 << 20,
    STEP = 4096,  /* bytes of text from one string to the next */
    LENGTHS = 5,  /* of strings: 4 to 8 bytes */
    CAPITALS = 5, /* for each length */
    LETTERS = 64, /* behind the capital */
    LONGEST = 3 + LENGTHS,
    MOST_DISTINCT = LENGTHS * CAPITALS * LETTERS * LETTERS * LETTERS
};

/* Strings that are written into the text, and the next match that is expected. */
typedef struct planted {
    uint64_t count, distinct; /* patterns, and different ones */
    uint64_t strings;         /* in the text */
    uint64_t at, id;          /* the next match: of string number `at` of the text */
    uint64_t wrong;
} planted;

static trawl_error error;

static void require(trawl_status status) {
    if (status != TRAWL_OK) {
        (void)fprintf(stderr, "bench_limits: %s\n", error.message);
        exit(2);
    }
}

/* Bytes behind the capital of a string: lower-case letters, digits, and others from 0x80 on. */
static uint8_t letter(uint64_t number) {
    uint64_t value = number % LETTERS;
    return (uint8_t)(value < 26 ? 'a' + value : value < 36 ? '0' + value - 26 : 0x80 + value);
}

/* Writes string k; returns its length. Its first byte is a capital, which no other byte of it is
 * and which tells the length: so no string is inside another one or overlaps with one. */
static size_t write_string(uint64_t k, uint8_t string[LONGEST]) {
    uint64_t number = k / LENGTHS * 41 % (CAPITALS * LETTERS * LETTERS * LETTERS);
    size_t length = 4 + k % LENGTHS;
    uint64_t mixed = (k + 1) * UINT64_C(0x9e3779b97f4a7c15);
    string[0] = (uint8_t)('A' + k % LENGTHS * CAPITALS + number / (LETTERS * LETTERS * LETTERS));
    for (size_t i = 1; i < length; i++) {
        string[i] = letter(i <= 3 ? number : mixed >> 32);
        number /= LETTERS;
        mixed *= UINT64_C(0xd6e8feb86659fd93);
    }
    return length;
}

/* The string that is written to place `at`: that of the last id, then others from all of the set.
 */
static uint64_t string_at(const planted *self, uint64_t at) {
    return (self->count - 1 + at * (self->distinct / 3 + 7919)) % self->distinct;
}

static trawl_patterns *make_set(const planted *self) {
    trawl_patterns *set;
    require(trawl_patterns_new(&set, &error));
    uint64_t k = 0;
    for (uint64_t id = 0; id < self->count; id++) {
        uint8_t string[LONGEST];
        size_t length = write_string(k, string);
        require(trawl_patterns_add(set, string, length, 0, &error));
        k = k + 1 == self->distinct ? 0 : k + 1;
    }
    return set;
}

/* A text without capitals but those of the strings. */
static uint8_t *make_text(const planted *self) {
    uint8_t *text = malloc(TEXT_BYTES);
    uint64_t state = 1;
    if (text == NULL)
        exit(2);
    for (size_t i = 0; i < TEXT_BYTES; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        text[i] = letter(state >> 58);
    }
    for (uint64_t at = 0; at < self->strings; at++) {
        uint8_t string[LONGEST];
        size_t length = write_string(string_at(self, at), string);
        memcpy(text + at * STEP, string, length);
    }
    return text;
}

static int see(const trawl_match *match, void *context) {
    planted *self = context;
    uint8_t string[LONGEST];
    bool good = self->at < self->strings && match->pattern == self->id &&
                match->start == self->at * STEP &&
                match->end - match->start == write_string(self->id % self->distinct, string);
    self->wrong += !good;
    self->id += self->distinct;
    if (self->id >= self->count) { /* the string of the next place */
        self->at++;
        self->id = string_at(self, self->at);
    }
    return 0;
}

/* All matches, by the ids of each string. */
static uint64_t matches_of(const planted *self) {
    uint64_t matches = 0;
    for (uint64_t at = 0; at < self->strings; at++)
        matches += (self->count - 1 - string_at(self, at)) / self->distinct + 1;
    return matches;
}

/* Patterns with another count than that of their string in the text. */
static uint64_t wrong_counts(const planted *self, const uint64_t *per_pattern) {
    uint64_t wrong = 0, *expected = calloc(self->distinct, sizeof *expected);
    if (expected == NULL)
        exit(2);
    for (uint64_t at = 0; at < self->strings; at++)
        expected[string_at(self, at)]++;
    for (uint64_t id = 0; id < self->count; id++)
        wrong += per_pattern[id] != expected[id % self->distinct];
    free(expected);
    return wrong;
}

static trawl_db *compile(const trawl_patterns *set, const char *engine) {
    trawl_db *db;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = engine;
    options.max_table_bytes = UINT64_C(64) << 30;
    require(trawl_compile(set, &options, &db, &error));
    return db;
}

static void describe(const trawl_db *db) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    require(trawl_db_info(db, &information, &error));
    printf("%s/%s, %zu patterns, %.2f GB: %s\n", information.engine, information.variant,
           information.patterns, (double)information.total_bytes * 1e-9, information.reason);
}

int main(int argc, char **argv) {
    planted wanted = {.count =
                          argc > 1 ? strtoull(argv[1], NULL, 10) : (UINT64_C(1) << 31) + 1000000,
                      .distinct = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000,
                      .strings = TEXT_BYTES / STEP};
    if (wanted.distinct == 0 || wanted.distinct > MOST_DISTINCT || wanted.count < wanted.distinct ||
        wanted.count > TRAWL_PATTERNS_MAX_COUNT) {
        (void)fprintf(stderr,
                      "usage: bench_limits [COUNT [DISTINCT [ENGINE]]], COUNT up to %u and not "
                      "below DISTINCT, DISTINCT 1 to %d\n",
                      TRAWL_PATTERNS_MAX_COUNT, MOST_DISTINCT);
        return 2;
    }
    printf("%" PRIu64 " patterns, %" PRIu64 " different ones\n", wanted.count, wanted.distinct);
    double start = trawl_seconds();
    trawl_patterns *set = make_set(&wanted);
    start = report_step("set", start);
    trawl_db *db = compile(set, argc > 3 ? argv[3] : NULL);
    trawl_patterns_free(set);
    start = report_step("compile", start);
    describe(db);

    uint8_t *text = make_text(&wanted);
    trawl_scan_options scan = TRAWL_SCAN_OPTIONS;
    scan.threads = 1; /* each thread has counts of its own for all patterns */
    wanted.id = string_at(&wanted, 0);
    start = trawl_seconds();
    require(trawl_scan(db, text, TEXT_BYTES, &scan, see, &wanted, &error));
    start = report_step("scan", start);
    uint64_t total, *per_pattern = calloc(wanted.count, sizeof *per_pattern);
    if (per_pattern == NULL)
        return 2;
    require(trawl_count(db, text, TEXT_BYTES, &scan, &total, per_pattern, &error));
    start = report_step("count", start);
    uint64_t wrong = wrong_counts(&wanted, per_pattern), all = matches_of(&wanted);
    (void)report_step("compare", start);
    bool good = wrong == 0 && wanted.wrong == 0 && wanted.at == wanted.strings && total == all;
    printf("%" PRIu64 " strings planted; %" PRIu64 " matches expected, %" PRIu64
           " counted; %" PRIu64 " matches wrong, %" PRIu64 " strings complete, %" PRIu64
           " counts wrong; the last id %" PRIu64 " has count %" PRIu64 ": %s\n",
           wanted.strings, all, total, wanted.wrong, wanted.at, wrong, wanted.count - 1,
           per_pattern[wanted.count - 1], good ? "right" : "WRONG");
    free(per_pattern);
    free(text);
    trawl_db_free(db);
    return !good;
}
