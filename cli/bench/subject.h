/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What a row of trawl bench runs in the process that times it: one of trawl's engines, or libhs.
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
    BENCH_COLLECT = 2        /* trawl_collect_again */
} bench_work;

/* What to build and what to do with it. */
typedef struct bench_job {
    const trawl_patterns *patterns;
    const void *text;
    size_t length;
    bench_work work;
    trawl_compile_options compile; /* with the engine and the variant */
    trawl_scan_options scan;
    const char *library; /* path or name of a libhs, which runs instead of an engine; else NULL */
    /* BENCH_COLLECT: the array of all runs of engines, which its owner releases. A first run makes
     * the kernel hand its pages out, which takes as long as a scan does; the others are timed. */
    trawl_matches *records;
} bench_job;

/* What was built. */
typedef struct bench_subject_facts {
    char engine[48];
    char variant[48];
    uint64_t table_bytes;
    uint64_t held_bytes; /* memory that is taken until it is closed */
    double seconds;      /* to build it */
} bench_subject_facts;

/* What one run found, and how long it took. */
typedef struct bench_run {
    double seconds;
    uint64_t matches;
    uint64_t fingerprint; /* 0 unless it was asked for */
} bench_run;

typedef struct bench_subject bench_subject;

/* Builds the tables. The job's patterns and text must live as long as the subject. False with the
 * reason in `error`; the names in `facts` are told as far as they are known. */
bool bench_subject_open(const bench_job *job, bench_subject **subject, bench_subject_facts *facts,
                        trawl_error *error);

/* Does the work once. The fingerprint, taken after the time, is the same for all who found the same
 * records or the same counts of each pattern. */
bool bench_subject_run(bench_subject *subject, bool wants_fingerprint, bench_run *run,
                       trawl_error *error);

/* NULL is allowed. */
void bench_subject_close(bench_subject *subject);

#endif
