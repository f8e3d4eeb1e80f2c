/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A set of more than 2 GiB of patterns, made, compiled, saved, loaded and searched for:
 *
 *     bench_large_set COUNT LENGTH DATABASE [ENGINE [MEGABYTES]]
 *
 * COUNT random patterns of LENGTH bytes; DATABASE is a file that is written. The text has MEGABYTES
 * (64) of random bytes, with patterns from all of the set in a half of it. Prints times, memory and
 * GB/s; ends with 1 unless exactly these patterns are found where they are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steps.h"
#include "trawl/trawl.h"

static trawl_error error;

static void require(trawl_status status) {
    if (status != TRAWL_OK) {
        (void)fprintf(stderr, "bench_large_set: %s\n", error.message);
        exit(2);
    }
}

/* Random bytes that depend on the seed alone. */
static void make(uint64_t seed, uint8_t *bytes, size_t length) {
    uint64_t state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < length; i += 8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        uint64_t mixed = state * UINT64_C(0x2545f4914f6cdd1d);
        memcpy(bytes + i, &mixed, length - i < 8 ? length - i : 8);
    }
}

typedef struct planted {
    uint64_t count, length, patterns, step, next, found;
} planted;

/* The pattern that ends at (2 * number + 2) * length. */
static uint64_t pattern_at(const planted *self, uint64_t number) {
    return number * self->step % self->patterns;
}

static int see(const trawl_match *match, void *context) {
    planted *self = context;
    bool good = match->pattern == pattern_at(self, self->next) &&
                match->start == (2 * self->next + 1) * self->length &&
                match->end == match->start + self->length;
    self->next++;
    self->found += good;
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        (void)fprintf(stderr,
                      "usage: bench_large_set COUNT LENGTH DATABASE [ENGINE [MEGABYTES]]\n");
        return 2;
    }
    size_t count = strtoul(argv[1], NULL, 10), length = strtoul(argv[2], NULL, 10);
    size_t text_bytes = (argc > 5 ? strtoul(argv[5], NULL, 10) : 64) * 1000000;
    uint8_t *text = malloc(text_bytes), *pattern = malloc(length + 8);
    trawl_patterns *set;
    trawl_db *db;
    if (text == NULL || pattern == NULL)
        return 2;
    double start = trawl_seconds();
    require(trawl_patterns_new(&set, &error));
    for (size_t id = 0; id < count; id++) {
        make(id, pattern, length);
        require(trawl_patterns_add(set, pattern, length, 0, &error));
    }
    start = report_step("set", start);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = argc > 4 ? argv[4] : NULL;
    options.max_table_bytes = UINT64_C(64) << 30;
    require(trawl_compile(set, &options, &db, &error));
    trawl_patterns_free(set);
    start = report_step("compile", start);
    trawl_db_information information = TRAWL_DB_INFORMATION;
    require(trawl_db_info(db, &information, &error));
    printf("%s/%s, %.2f GB: %s\n", information.engine, information.variant,
           (double)information.total_bytes * 1e-9, information.reason);
    require(trawl_db_save(db, argv[3], &error));
    trawl_db_free(db);
    start = report_step("save", start);
    require(trawl_db_load(argv[3], &db, &error));
    start = report_step("load", start);

    planted wanted = {.length = length, .patterns = count, .step = count / 2 + 7919};
    make(UINT64_MAX / 2, text, text_bytes);
    for (; (2 * wanted.count + 2) * length <= text_bytes; wanted.count++)
        make(pattern_at(&wanted, wanted.count), text + (2 * wanted.count + 1) * length, length);
    start = report_step("text", start);
    trawl_scan_options scan = TRAWL_SCAN_OPTIONS;
    scan.threads = 1;
    require(trawl_scan(db, text, text_bytes, &scan, see, &wanted, &error));
    double end = report_step("scan", start);
    uint64_t total;
    require(trawl_count(db, text, text_bytes, &scan, &total, NULL, &error));
    double counted = report_step("count", end);
    printf("%llu planted, %llu found, %llu of them right, %llu counted; %.3f and %.3f GB/s\n",
           (unsigned long long)wanted.count, (unsigned long long)wanted.next,
           (unsigned long long)wanted.found, (unsigned long long)total,
           1e-9 * (double)text_bytes / (end - start), 1e-9 * (double)text_bytes / (counted - end));
    trawl_db_free(db);
    free(text);
    free(pattern);
    return wanted.found != wanted.count || wanted.next != wanted.count || total != wanted.count;
}
