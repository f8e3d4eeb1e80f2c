/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/read_source.h"

#include "base/status.h"

trawl_status trawl_read_source(const trawl_source *source, uint64_t offset, void *to, size_t length,
                               size_t *filled, trawl_error *error) {
    trawl_status status = TRAWL_OK;
    trawl_clear(error);
    *filled = 0;
    while (status == TRAWL_OK && *filled < length) {
        size_t left = length - *filled;
        size_t got = 0;
        status = source->read(source->context, offset + *filled, (uint8_t *)to + *filled, left,
                              &got, error);
        *filled += got < left ? got : left;
        trawl_explain_failure(status, "the function that reads the text", error);
        if (status == TRAWL_OK && got == 0) {
            status = trawl_fail(error, TRAWL_ERROR_IO,
                                "the text became shorter while it was read: expected %" PRIu64
                                " bytes, got %" PRIu64,
                                source->length, offset + *filled);
        }
    }
    return status;
}
