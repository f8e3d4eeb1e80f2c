/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Corrects the unprotected part of a damaged block's header, with its checksum, so that the checks
 * behind it are tested. An attacker can do that too.
 */
#ifndef TRAWL_TESTS_SEAL_H
#define TRAWL_TESTS_SEAL_H

#include "database/image.h"

#include <string.h>

#include <xxhash.h>

static inline void seal_block(uint8_t *block, size_t size) {
    uint32_t version = TRAWL_IMAGE_VERSION, byte_order = TRAWL_IMAGE_BYTE_ORDER;
    uint64_t size64 = size, checksum;
    if (size < sizeof(trawl_image_header))
        return;
    checksum = XXH3_64bits(block + TRAWL_IMAGE_UNCHECKED, size - TRAWL_IMAGE_UNCHECKED);
    memcpy(block + offsetof(trawl_image_header, magic), TRAWL_IMAGE_MAGIC, 8);
    memcpy(block + offsetof(trawl_image_header, version), &version, sizeof(version));
    memcpy(block + offsetof(trawl_image_header, byte_order), &byte_order, sizeof(byte_order));
    memcpy(block + offsetof(trawl_image_header, size), &size64, sizeof(size64));
    memcpy(block + offsetof(trawl_image_header, checksum), &checksum, sizeof(checksum));
}

#endif
