/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Index files in memory, for tests. */
#ifndef TRAWL_TESTS_INDEX_MEMORY_H
#define TRAWL_TESTS_INDEX_MEMORY_H

#include "index/builder.h"

#include <stdlib.h>
#include <string.h>

typedef struct index_memory {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    bool wide; /* positions of 8 bytes (index/builder.h) */
} index_memory;

/* A trawl_index_sink whose context is an index_memory. */
static inline trawl_status index_memory_sink(void *context, const void *bytes, size_t length,
                                             trawl_error *error) {
    index_memory *memory = context;
    (void)error;
    if (memory->capacity < memory->size + length) {
        memory->capacity = 2 * (memory->size + length);
        memory->bytes = realloc(memory->bytes, memory->capacity);
        if (!memory->bytes)
            abort();
    }
    memcpy(memory->bytes + memory->size, bytes, length);
    memory->size += length;
    return TRAWL_OK;
}

/* A document of a test. */
typedef struct index_text {
    const char *name;
    const void *bytes;
    size_t length;
} index_text;

static inline trawl_status index_memory_build(const index_text *texts, size_t count,
                                              const trawl_index_options *options,
                                              index_memory *memory, trawl_error *error) {
    trawl_index_builder *builder = NULL;
    trawl_status status = trawl_index_builder_new(&builder, error);
    if (status == TRAWL_OK)
        builder->wide = memory->wide;
    for (size_t i = 0; i < count && status == TRAWL_OK; i++) {
        const index_text *text = &texts[i];
        status = trawl_index_builder_document(builder, text->name, strlen(text->name), error);
        size_t half = text->length / 2; /* in two pieces */
        if (status == TRAWL_OK)
            status = trawl_index_builder_append(builder, text->bytes, half, error);
        if (status == TRAWL_OK)
            status = trawl_index_builder_append(builder, (const uint8_t *)text->bytes + half,
                                                text->length - half, error);
    }
    memory->size = 0;
    if (status == TRAWL_OK)
        status = trawl_index_write(builder, options, index_memory_sink, memory, error);
    trawl_index_builder_free(builder);
    return status;
}

#endif
