/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What this folder's CUDA code defines, for a build without CUDA: there is no device, and calls say
 * why. */
#include "gpu/absent.h"

#include "gpu/devices.h"
#include "gpu/module.h"
#include "trawl/trawl_cuda.h"

trawl_status trawl_cuda_absent(trawl_error *error) {
    trawl_clear(error);
    return trawl_fail(error, TRAWL_ERROR_UNAVAILABLE,
                      "this build of trawl has no CUDA module (make CUDA=ON builds it)");
}

size_t trawl_cuda_list(trawl_device *devices, size_t capacity) {
    (void)devices, (void)capacity;
    return 0;
}

trawl_status trawl_cuda_check(uint32_t number, trawl_error *error) {
    (void)number;
    return trawl_cuda_absent(error);
}

trawl_status trawl_cuda_read_properties(uint32_t number, trawl_cuda_properties *properties,
                                        trawl_error *error) {
    (void)number, (void)properties;
    return trawl_cuda_absent(error);
}

trawl_status trawl_cuda_start(uint32_t device, trawl_error *error) {
    (void)device;
    return trawl_cuda_absent(error);
}

trawl_status trawl_cuda_devices_find(trawl_device_set *set, trawl_error *error) {
    (void)set;
    return trawl_cuda_absent(error);
}

void trawl_cuda_db_free(trawl_cuda_db *uploaded) {
    (void)uploaded;
}

size_t trawl_study_cuda_state_bytes(const trawl_cuda_db *uploaded) {
    (void)uploaded;
    return 0;
}
