/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What a caller asks of a scan, read and completed. */
#ifndef TRAWL_RUN_OPTIONS_H
#define TRAWL_RUN_OPTIONS_H

#include "database/database.h"

/*
 * Reads the options of a scan of `db` (NULL: defaults): checks every value, sets `threads` to the
 * real number and `device` to NULL for the CPU or to the name of a CUDA device that can be used.
 * Begins the report, if one is wanted, with the device and the reason for it. A CUDA device that
 * cannot be used is TRAWL_ERROR_UNAVAILABLE; only "auto" takes the CPU then.
 */
trawl_status trawl_options_read(const trawl_db *db, const trawl_scan_options *given,
                                trawl_scan_options *options, trawl_error *error);

#endif
