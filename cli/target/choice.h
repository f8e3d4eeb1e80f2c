/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The device of a scan, decided once for all texts: which one --device auto takes and why, and what
 * a profile of `trawl tune` says for it.
 */
#ifndef CLI_TARGET_CHOICE_H
#define CLI_TARGET_CHOICE_H

#include "cli/base/report.h"
#include "cli/flags/cuda.h"
#include "cli/target/profile.h"
#include "trawl/trawl.h"

typedef struct device_choice {
    bool is_cuda;
    bool was_auto;
    char name[16];             /* "cpu", "cuda:0" */
    char reason[192];          /* of --device auto; else empty */
    profile_entry tuned;       /* keeps the kernel's name that the options refer to */
    char profile[4096];        /* the profile that something was taken from; else empty */
    trawl_error profile_error; /* why one that is there was not used; status TRAWL_OK: not so */
} device_choice;

/* Decides, and completes `options`: afterwards options->device names one device, and what was not
 * given is as the profile says, if there is one for the engine and variant of `db`. A GPU lays its
 * tables out by a sample of the text at `text`; NULL: there is none. False after one line: the
 * device cannot scan this database in this way, or --profile cannot be read. */
bool device_choose(device_choice *choice, const trawl_db *db, const profile_options *profile,
                   const char *text, trawl_scan_options *options);

/* The part of --stats that describes the scans on a device, each key after a comma. `totals` has
 * the sums over all scans. */
void device_print_stats(const device_choice *choice, const trawl_scan_report *totals);

/* A key after a comma, and a text. */
void device_print_stat(const char *key, const char *text);

/* Adds what one scan did to the sums. */
void device_add_report(trawl_scan_report *totals, const trawl_scan_report *report);

#endif
