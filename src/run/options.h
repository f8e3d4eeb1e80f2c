/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The options of a scan, checked and completed. */
#ifndef TRAWL_RUN_OPTIONS_H
#define TRAWL_RUN_OPTIONS_H

#include "database/database.h"

/*
 * Checks every member of `given` (NULL: defaults) for a scan of `db`, and sets every member of
 * `options`: `threads` to the real number, `device` to NULL for the CPU or to the name of a CUDA
 * device that can be used. Begins the report, if one is wanted, with the device and the reason for
 * it. A CUDA device that cannot be used is TRAWL_ERROR_UNAVAILABLE; "auto" takes the CPU instead.
 */
trawl_status trawl_options_read(const trawl_db *db, const trawl_scan_options *given,
                                trawl_scan_options *options, trawl_error *error);

#endif
