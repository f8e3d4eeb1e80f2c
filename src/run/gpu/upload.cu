/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The public call that copies a database to a device. */
#include "engines/registry.cuh"
#include "gpu/contract.cuh"

extern "C" {
#include "base/sized.h"
#include "engines/registry.h"
}

extern "C" trawl_status trawl_cuda_upload(const trawl_db *db,
                                          const trawl_cuda_upload_options *options,
                                          trawl_cuda_db **uploaded, trawl_error *error) {
    trawl_clear(error);
    if (db == NULL || uploaded == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_cuda_upload: %s is NULL",
                          db == NULL ? "db" : "uploaded");
    }
    *uploaded = NULL;
    trawl_cuda_upload_options complete;
    memset(&complete, 0, sizeof complete);
    if (options != NULL) {
        trawl_status status =
            trawl_sized_check(options, "upload options", "TRAWL_CUDA_UPLOAD_OPTIONS", error);
        if (status != TRAWL_OK) {
            return status;
        }
        trawl_sized_read(&complete, options, sizeof complete);
    }
    uint32_t default_kernel;
    trawl_status status = trawl_cuda_check(complete.device, error);
    if (status == TRAWL_OK) {
        status = trawl_kernel_find(db->header->engine, NULL, &default_kernel, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    return trawl_cuda_upload_to(db, trawl_cuda_engine_find(db->engine), &complete, uploaded, error);
}
