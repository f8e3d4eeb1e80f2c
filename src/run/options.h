/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The options of a scan, checked and completed. */
#ifndef TRAWL_RUN_OPTIONS_H
#define TRAWL_RUN_OPTIONS_H

#include "database/database.h"
#include "scan/settings.h"

/* The caller's reports, each NULL if it is not wanted, and the values for them. */
typedef struct trawl_wanted_report {
    trawl_scan_report *scan;
    trawl_study_scan_report *study;
    trawl_report values;
} trawl_wanted_report;

/*
 * Checks every member of `given` (NULL: defaults) for a scan of `db`, and sets every member of
 * `options`: `threads` to the real number, `device` to NULL for the CPU or to the name of a CUDA
 * device that can be used. Begins the report, if one is wanted, with the device and the reason for
 * it; options->report then points into *report. A CUDA device that cannot be used is
 * TRAWL_ERROR_UNAVAILABLE; "auto" takes the CPU instead.
 */
trawl_status trawl_options_read(const trawl_db *db, const trawl_scan_options *given,
                                trawl_scan_settings *options, trawl_wanted_report *report,
                                trawl_error *error);

/* Whether these options, NULL or valid, ask for nothing but threads on the CPU: no device, no
 * report, no study options. Sets *threads to their number as it was given. */
bool trawl_options_are_plain(const trawl_scan_options *given, uint32_t *threads);

/* Copies `study` of trawl_scan_options or trawl_cuda_scan_options (NULL: none) into *study; members
 * that the caller's version lacks become 0. */
trawl_status trawl_study_options_read(const trawl_study_scan_options *given,
                                      trawl_study_scan_options *study, trawl_error *error);

/* Copies the values to the caller's reports. */
void trawl_report_hand_out(const trawl_wanted_report *report);

#endif
