/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "text_source.h"

#include <stdio.h>
#include <string.h>

static trawl_status read_bytes(void *context, uint64_t offset, void *buffer, size_t capacity,
                               size_t *length, trawl_error *error) {
    const text_source *text = context;
    uint64_t readable = text_source_readable(text);
    uint64_t left = offset < readable ? readable - offset : 0;
    *length = (size_t)(left < capacity ? left : capacity);
    *length = *length < text->most ? *length : (size_t)text->most;
    if (*length != 0)
        memcpy(buffer, text->bytes + offset, *length);
    /* The library must not read beyond the length. */
    if (offset + capacity > text->source.length || (left == 0 && offset >= text->broken)) {
        error->status = TRAWL_ERROR_IO;
        (void)snprintf(error->message, sizeof error->message, "%s",
                       left == 0 ? "broken" : "asked for bytes behind the text");
        return TRAWL_ERROR_IO;
    }
    return TRAWL_OK;
}

void text_source_open(text_source *source, const uint8_t *bytes, uint64_t length) {
    *source = (text_source){.source = {sizeof source->source, length, read_bytes, source},
                            .bytes = bytes,
                            .most = UINT64_MAX,
                            .broken = UINT64_MAX,
                            .end = UINT64_MAX};
}

uint64_t text_source_readable(const text_source *source) {
    uint64_t end = source->end < source->broken ? source->end : source->broken;
    return end < source->source.length ? end : source->source.length;
}
