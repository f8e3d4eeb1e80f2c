/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Chooses the device of a scan, once for all texts: resolves --device auto, and applies the profile
 * of `trawl tune` for that device.
 */
#ifndef CLI_TARGET_CHOICE_H
#define CLI_TARGET_CHOICE_H

#include <stdio.h>

#include "cli/base/report.h"
#include "cli/flags/cuda.h"
#include "cli/target/profile.h"
#include "trawl/trawl_study.h"

typedef struct device_choice {
    bool is_cuda;
    bool was_auto;
    bool or_cpu;                    /* the CPU is chosen if the GPU cannot scan */
    char name[16];                  /* "cpu", "cuda:0", "cuda:0-7" */
    char scanned[128];              /* of GPUs: the name that scans are given */
    char reason[192];               /* of --device auto; else empty */
    profile_entry tuned;            /* holds the kernel's name that the scan options point to */
    trawl_study_scan_options study; /* with the block shape of a profile: what they point to then */
    char profile[4096];             /* path of the profile that was applied; else empty */
    trawl_error profile_error;      /* why a profile was not applied; status TRAWL_OK: no reason */
} device_choice;

/* Chooses the device, and completes `options`: options->device names it, or several GPUs, and the
 * kernel and block shape, if not given, are those of the profile for the engine and variant of
 * `db`. A GPU arranges its tables by a sample of the file at `text`; NULL: no sample. False after
 * reporting that the device cannot scan with this database and these options, or that --profile
 * cannot be read. */
bool device_choose(device_choice *choice, const trawl_db *db, const profile_options *profile,
                   const char *text, trawl_scan_options *options);

/* The same for one GPU that a caller has found for --device auto: where that GPU cannot scan, the
 * CPU is chosen without a message. */
bool device_choose_or_cpu(device_choice *choice, const trawl_db *db, const profile_options *profile,
                          const char *text, trawl_scan_options *options);

/* What a scan reports: both reports, or their sums over several scans. */
typedef struct scan_done {
    trawl_scan_report scan;
    trawl_study_scan_report study;
} scan_done;

/* Makes scans with `options` report into *done (NULL: no more). `study` becomes what options->study
 * points to. */
void device_want_report(trawl_scan_options *options, trawl_study_scan_options *study,
                        scan_done *done);

/* For output: "plain", "texture" or "read-only". */
const char *table_path_name(trawl_table_path path);

/* Prints the keys of --stats about the device, each after a comma. `totals` has the sums over all
 * scans. */
void device_print_stats(FILE *file, const device_choice *choice, const scan_done *totals);

/* Prints a comma, a key and a string. */
void device_print_stat(FILE *file, const char *key, const char *text);

/* Adds the report of one scan to the sums. */
void device_add_report(scan_done *totals, const scan_done *done);

#endif
