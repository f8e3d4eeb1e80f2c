/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the launch plans of all engines share: how tables are read, and the shape of blocks. */
#include "gpu/contract.cuh"

const char *trawl_cuda_kernel_name(const trawl_cuda_db *uploaded,
                                   const trawl_cuda_launch_plan *plan) {
    return uploaded->db->engine->kernels[plan->kernel].name;
}

trawl_status trawl_cuda_plan_path(const trawl_cuda_db *uploaded, trawl_table_path path,
                                  const trawl_error *obstacle, trawl_cuda_launch_plan *plan,
                                  trawl_error *error) {
    bool textures = obstacle->status == TRAWL_OK;
    if (path == TRAWL_TABLES_TEXTURE && !textures) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT, "%s, kernel %s: %s",
                          uploaded->db->header->engine, trawl_cuda_kernel_name(uploaded, plan),
                          obstacle->message);
    }
    plan->table_path = path != TRAWL_TABLES_CHOSEN ? path
                       : textures                  ? TRAWL_TABLES_TEXTURE
                                                   : TRAWL_TABLES_READ_ONLY;
    return TRAWL_OK;
}

trawl_status trawl_cuda_plan_text(const trawl_cuda_db *uploaded,
                                  const trawl_cuda_launch_request *request, uint32_t usual,
                                  uint32_t unit, uint32_t most, trawl_cuda_launch_plan *plan,
                                  trawl_error *error) {
    uint32_t block_unit = plan->block_threads * unit;
    if (request->block_bytes % block_unit != 0 || request->block_bytes > most) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "%s, kernel %s: %u bytes of text per block of %u threads; a multiple of "
                          "%u up to %u is expected",
                          uploaded->db->header->engine, trawl_cuda_kernel_name(uploaded, plan),
                          request->block_bytes, plan->block_threads, block_unit, most);
    }
    plan->strip_bytes =
        request->block_bytes != 0 ? request->block_bytes / plan->block_threads : usual;
    return TRAWL_OK;
}

trawl_status trawl_cuda_plan_shared(const trawl_cuda_db *uploaded, uint64_t bytes,
                                    trawl_cuda_launch_plan *plan, trawl_error *error) {
    if (bytes > uploaded->device.shared_bytes) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "%s, kernel %s: %u bytes of text per block of %u threads need %" PRIu64
                          " bytes of shared memory; device %d gives a block %zu",
                          uploaded->db->header->engine, trawl_cuda_kernel_name(uploaded, plan),
                          plan->block_threads * plan->strip_bytes, plan->block_threads, bytes,
                          uploaded->device.number, uploaded->device.shared_bytes);
    }
    plan->shared_bytes = (uint32_t)bytes;
    return TRAWL_OK;
}
