/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Any bytes as an index file: refused with a sentence, or usable. Each input is tried as it is and
 * with its size and checksums made right, because an attacker can make right ones.
 */
#include "index_seal.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void load(const uint8_t *bytes, size_t size) {
    trawl_index *index = NULL;
    trawl_error error;
    trawl_status status = trawl_index_load_memory(bytes, size, &index, &error);
    if (status == TRAWL_OK) {
        (void)index_use_all(index);
        trawl_index_free(index);
    } else if (index || !error.message[0] || status != error.status) {
        abort();
    }
}

/* False where the numbers of the header leave no place for checksums. */
static bool seal(uint8_t *bytes, size_t *size) {
    trawl_index_header header;
    trawl_index_layout layout;
    if (*size < sizeof header)
        return false;
    memcpy(&header, bytes, sizeof header);
    if (header.rows > *size || header.documents > *size || header.name_bytes > *size ||
        (header.position_bytes != 4 && header.position_bytes != 8) || header.document_bytes > 4 ||
        header.letters > 256)
        return false;
    trawl_index_lay_out(&header, &layout);
    if (layout.size > *size)
        return false;
    header.size = *size = (size_t)layout.size;
    memcpy(bytes, &header, sizeof header);
    index_seal(bytes, &layout);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size + 1); /* aligned, which an input need not be */
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    load(copy, size);
    if (seal(copy, &size))
        load(copy, size);
    free(copy);
    return 0;
}
