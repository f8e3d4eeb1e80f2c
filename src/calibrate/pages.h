/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TRAWL_CALIBRATE_PAGES_H
#define TRAWL_CALIBRATE_PAGES_H

#include "base/status.h"

/* Measures trawl_costs.page_walk. Errors: TRAWL_ERROR_MEMORY. */
trawl_status trawl_measure_page_walk(double *nanoseconds, trawl_error *error);

#endif
