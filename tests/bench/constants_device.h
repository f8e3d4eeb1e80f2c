/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The part of constants.c that is about GPUs: what a plan puts there, and scans. */
#ifndef TRAWL_TESTS_BENCH_CONSTANTS_DEVICE_H
#define TRAWL_TESTS_BENCH_CONSTANTS_DEVICE_H

#include <stdio.h>

#include "costs/costs.h"
#include "plan/plan.h"
#include "trawl/trawl_cuda.h"

/* The pieces of a text by which it is planned, and by which tables are laid out, as trawl scan
 * takes them (cli/target/planning.c). */
enum { DEVICE_PIECES = 32, DEVICE_PIECE = 4096 };

typedef struct device_text {
    const uint8_t *text;
    size_t text_length;
    uint8_t *repeated; /* as it is scanned; NULL before the first scan */
    uint64_t length;
    uint8_t *table_sample;
    size_t table_sample_length;
} device_text;

/* Takes the table sample of a text. */
trawl_status device_text_make(const uint8_t *text, size_t length, device_text *made);

/* Sets *number to a number for what an upload would put on an H200, without a card, and writes
 * words about it. */
trawl_status device_plan_describe(const trawl_patterns *patterns, const trawl_plan *plan,
                                  const trawl_device_costs *costs, const device_text *text,
                                  uint64_t *number, FILE *words, trawl_error *error);

trawl_status device_upload(const trawl_db *db, const device_text *text, trawl_cuda_db **uploaded,
                           trawl_error *error);

/* Counts all matches in device memory some times; seconds of the fastest. The text is repeated
 * until it is long enough for a GPU to be busy. `engine`: qgram, which was named, or NULL. */
trawl_status device_scan(const trawl_cuda_db *uploaded, const char *engine, device_text *text,
                         double *seconds, uint64_t *matches, trawl_error *error);

#endif
