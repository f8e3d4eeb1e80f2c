/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/status.h"
#include "gpu/module.h"

trawl_status trawl_cuda_check_patterns(const trawl_db *db, trawl_error *error) {
    /* Kernels have marks among the highest numbers (run/gpu/rows.cuh), which are no ids then. */
    if (db->patterns.bases == NULL && db->patterns.count <= INT32_MAX) {
        return TRAWL_OK;
    }
    return trawl_fail(error, TRAWL_ERROR_LIMIT,
                      "GPUs take sets of up to %d patterns of 2 GiB together: this one has more; "
                      "scan it on the CPU",
                      INT32_MAX);
}
