/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The flags of `trawl bench` as one structure. */
#ifndef CLI_BENCH_OPTIONS_H
#define CLI_BENCH_OPTIONS_H

#include "cli/base/memory.h"
#include "cli/bench/subject.h"
#include "cli/flags/arguments.h"
#include "cli/flags/cuda.h"
#include "cli/flags/patterns.h"
#include "trawl/trawl_cuda.h"

typedef struct bench_options {
    pattern_options patterns;
    trawl_compile_options compile; /* without engine and variant, which belong to the rows */
    trawl_scan_options scan;
    profile_options profile;
    string_list engines; /* values of --engine, each a list "a,b:variant,all" */
    string_list texts;
    const char *variant; /* for the engines named without one; NULL: each one's default */
    uint64_t limit;      /* bytes of text */
    uint64_t repeats;    /* 0: from the first run's time */
    bench_work work;
    trawl_cuda_form form; /* the same for a CUDA device, which has more of them */
    bool on_device;       /* no rows host to host */
    bool all_variants;
    bool peers;            /* each row in a process of its own, peers and whole programs too */
    const char *peers_dir; /* what tools/peers.sh made; NULL: where it is expected */
    uint64_t time_limit;   /* seconds of each row with peers */
    const char *worker;    /* what bench_worker_run is to do; NULL: this is no worker */
    int argc;              /* as they were given: workers get the same */
    char **argv;
    bool json;
    bool progress;
} bench_options;

extern const command bench_command;

/* False with the exit status in *status, after printing what there was to say. */
bool bench_options_parse(bench_options *options, int argc, char **argv, int *status);
void bench_options_release(bench_options *options);

#endif
