/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The flags of `trawl bench` as one structure. */
#ifndef CLI_BENCH_OPTIONS_H
#define CLI_BENCH_OPTIONS_H

#include "cli/base/memory.h"
#include "cli/bench/subject.h"
#include "cli/flags/arguments.h"
#include "cli/flags/cuda.h"
#include "cli/flags/patterns.h"
#include "cli/flags/study.h"
#include "trawl/trawl_cuda.h"

typedef struct bench_options {
    pattern_options patterns;
    trawl_compile_options compile; /* without engine and variant, which each row has */
    trawl_scan_options scan;
    study_options study; /* of compile and scan */
    profile_options profile;
    string_list engines; /* values of --engine, each a list "a,b:variant,all" */
    string_list texts;
    const char *variant; /* for engines named without one; NULL: the default of each */
    uint64_t limit;      /* bytes of text */
    uint64_t repeats;    /* 0: chosen from the time of the first run */
    uint64_t run_time;   /* milliseconds of all runs together, at least, whatever `repeats` is */
    bench_work work;
    trawl_cuda_form form; /* the same for a CUDA device, which has more forms */
    bool on_device;       /* no rows with the text in host memory */
    bool all_variants;
    bool peers;            /* measure peers and whole programs too, each row in its own process */
    const char *peers_dir; /* directory made by tools/peers.sh; NULL: the default */
    uint64_t time_limit;   /* seconds of each row with --peers */
    bool time_limit_given;
    const char *worker; /* instruction for bench_worker_run; NULL: this process is no worker */
    int argc;           /* the arguments given, which workers get too */
    char **argv;
    bool json;
    bool progress;
} bench_options;

extern const command bench_command;

/* Reads the arguments. False after --help or an error, which has been reported: *status is then the
 * exit status. */
bool bench_options_parse(bench_options *options, int argc, char **argv, int *status);
void bench_options_release(bench_options *options);

#endif
