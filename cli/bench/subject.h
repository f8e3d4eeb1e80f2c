/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The work of a row of trawl bench, in the process that times it: an engine of trawl, or libhs.
 */
#ifndef CLI_BENCH_SUBJECT_H
#define CLI_BENCH_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/trawl.h"

/* What is timed. */
typedef enum bench_work {
    BENCH_COUNT = 0,         /* trawl_count */
    BENCH_COUNT_EACH_ID = 1, /* trawl_count with one counter for each pattern */
    BENCH_COLLECT = 2        /* trawl_collect_into */
} bench_work;

/* What to build, and what to do with it. */
typedef struct bench_job {
    const trawl_patterns *patterns;
    const void *text;
    size_t length;
    bench_work work;
    trawl_compile_options compile; /* with the engine and the variant */
    trawl_scan_options scan;
    const char *library; /* path or name of a libhs, which runs instead of an engine; else NULL */
    /* BENCH_COLLECT: memory for the records of all runs of engines; its owner frees it. In a first,
     * untimed run the system provides its pages, which takes as long as a scan. */
    trawl_matches *records;
} bench_job;

/* What was built. */
typedef struct bench_subject_facts {
    char engine[48];
    char variant[48];
    uint64_t table_bytes;
    uint64_t held_bytes; /* memory in use until it is closed */
    double seconds;      /* to build the tables */
} bench_subject_facts;

/* The result of one run. */
typedef struct bench_run {
    double seconds;
    uint64_t matches;
    uint64_t fingerprint; /* 0 unless it was wanted */
} bench_run;

typedef struct bench_subject bench_subject;

/* Builds the tables. The job's patterns and text must live as long as the subject. False with the
 * reason in `error`; `facts` then has the names that are known. */
bool bench_subject_open(const bench_job *job, bench_subject **subject, bench_subject_facts *facts,
                        trawl_error *error);

/* Does the work once. The fingerprint, whose time is not measured, is equal for equal records or
 * equal counts of each pattern. */
bool bench_subject_run(bench_subject *subject, bool wants_fingerprint, bench_run *run,
                       trawl_error *error);

/* NULL is allowed. */
void bench_subject_close(bench_subject *subject);

#endif
