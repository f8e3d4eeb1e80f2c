/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/status.h"
#include "gpu/module.h"

trawl_status trawl_cuda_check_patterns(const trawl_db *db, trawl_error *error) {
    if (db->patterns.bases == NULL) {
        return TRAWL_OK;
    }
    return trawl_fail(error, TRAWL_ERROR_LIMIT,
                      "GPUs take sets of up to 2 GiB of patterns: this one has more; "
                      "scan it on the CPU");
}
