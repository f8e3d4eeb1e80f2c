/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Sections of a database on a device, and textures over them. */
#include "gpu/contract.cuh"

const void *trawl_cuda_section(const trawl_cuda_db *uploaded, trawl_section_kind kind,
                               uint32_t part) {
    const trawl_section *sections = (const trawl_section *)(uploaded->db->header + 1);
    for (uint32_t i = 0; i < uploaded->db->header->section_count; i++) {
        if (sections[i].kind == (uint32_t)kind && sections[i].part == part) {
            return uploaded->block + uploaded->section_offsets[i];
        }
    }
    return NULL;
}

trawl_status trawl_cuda_texture(const trawl_cuda_db *uploaded, trawl_section_kind kind,
                                uint32_t part, uint32_t element_bytes, cudaTextureObject_t *texture,
                                trawl_error *obstacle, trawl_error *error) {
    uint64_t bytes;
    (void)trawl_db_section(uploaded->db, kind, part, &bytes);
    *texture = 0;
    if (bytes / element_bytes > uploaded->device.texture_elements) {
        trawl_error_write(obstacle, TRAWL_ERROR_LIMIT,
                          "a texture object holds at most %zu elements, these tables have "
                          "%" PRIu64 "; table path read-only takes them",
                          uploaded->device.texture_elements, bytes / element_bytes);
        return TRAWL_OK;
    }
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<void *>(trawl_cuda_section(uploaded, kind, part));
    resource.res.linear.sizeInBytes = bytes;
    if (element_bytes == 16) {
        resource.res.linear.desc =
            cudaCreateChannelDesc(32, 32, 32, 32, cudaChannelFormatKindUnsigned);
    } else {
        resource.res.linear.desc =
            cudaCreateChannelDesc((int)element_bytes * 8, 0, 0, 0, cudaChannelFormatKindUnsigned);
    }
    cudaTextureDesc description;
    memset(&description, 0, sizeof description);
    description.readMode = cudaReadModeElementType;
    TRAWL_CUDA_TRY(cudaCreateTextureObject(texture, &resource, &description, NULL), error);
    return TRAWL_OK;
}

void trawl_cuda_texture_free(cudaTextureObject_t texture) {
    if (texture != 0) {
        (void)cudaDestroyTextureObject(texture);
    }
}
