/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "index/builder.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"

trawl_status trawl_index_builder_new(trawl_index_builder **builder, trawl_error *error) {
    trawl_clear(error);
    if (builder == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_index_builder_new: builder is NULL");
    }
    *builder = trawl_allocate_zeroed(1, sizeof **builder);
    return *builder != NULL ? TRAWL_OK
                            : trawl_fail_memory(error, "an index builder", sizeof **builder);
}

void trawl_index_builder_clear(trawl_index_builder *builder) {
    trawl_array_release(builder->text);
    trawl_array_release(builder->starts);
    trawl_array_release(builder->name_offsets);
    trawl_array_release(builder->names);
    memset(builder, 0, sizeof *builder);
}

void trawl_index_builder_free(trawl_index_builder *builder) {
    if (builder != NULL) {
        trawl_index_builder_clear(builder);
        trawl_release(builder);
    }
}

/* Makes room in an array for `count` objects behind its first `used` ones. `pointer` is the address
 * of the pointer to the array. Large arrays grow by an eighth only, as all that they grow by may
 * stay unused. */
static trawl_status reserve(void *pointer, size_t used, size_t count, size_t size,
                            trawl_error *error) {
    void *array;
    memcpy(&array, pointer, sizeof array);
    size_t capacity = trawl_array_capacity(array, size);
    if (count <= capacity - used) {
        return TRAWL_OK;
    }
    size_t spare = used < 1 << 20 ? used + 64 : used / 8;
    array = trawl_array_grow(array, used + (count > spare ? count : spare), size, &capacity);
    if (array == NULL) {
        return trawl_fail_memory(error, "the text of an index", (uint64_t)(used + count) * size);
    }
    memcpy(pointer, &array, sizeof array);
    return TRAWL_OK;
}

/* A border ends the last document, unless that is empty. */
static trawl_status end_document(trawl_index_builder *builder, trawl_error *error) {
    if (builder->documents == 0 || builder->starts[builder->documents - 1] == builder->length) {
        return TRAWL_OK;
    }
    trawl_status status = reserve(&builder->text, builder->length, 1, sizeof *builder->text, error);
    if (status == TRAWL_OK) {
        builder->text[builder->length++] = 0;
    }
    return status;
}

/* Room for one more number in the two arrays of documents. */
static trawl_status reserve_document(trawl_index_builder *builder, trawl_error *error) {
    trawl_status status =
        reserve(&builder->starts, builder->documents, 1, sizeof *builder->starts, error);
    if (status == TRAWL_OK) {
        status = reserve(&builder->name_offsets, builder->documents, 1,
                         sizeof *builder->name_offsets, error);
    }
    return status;
}

trawl_status trawl_index_builder_document(trawl_index_builder *builder, const char *name,
                                          size_t length, trawl_error *error) {
    trawl_clear(error);
    if (builder == NULL || (name == NULL && length != 0)) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_index_builder_document: %s is NULL",
                          builder == NULL ? "builder" : "name");
    }
    if (length > (UINT64_C(1) << 40) - builder->name_bytes) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT, "all names together have at most 2^40 bytes");
    }
    if (builder->documents == TRAWL_INDEX_MAX_DOCUMENTS) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT, "an index holds at most %u documents",
                          (unsigned)TRAWL_INDEX_MAX_DOCUMENTS);
    }
    trawl_status status = reserve_document(builder, error);
    if (status == TRAWL_OK) {
        status = reserve(&builder->names, builder->name_bytes, length, 1, error);
    }
    if (status == TRAWL_OK) {
        status = end_document(builder, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    builder->starts[builder->documents] = builder->length;
    builder->name_offsets[builder->documents] = builder->name_bytes;
    builder->documents++;
    if (length != 0) {
        memcpy(builder->names + builder->name_bytes, name, length);
        builder->name_bytes += length;
    }
    return TRAWL_OK;
}

trawl_status trawl_index_builder_append(trawl_index_builder *builder, const void *bytes,
                                        size_t length, trawl_error *error) {
    trawl_clear(error);
    if (builder == NULL || (bytes == NULL && length != 0) || builder->documents == 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_index_builder_append: %s",
                          builder == NULL           ? "builder is NULL"
                          : builder->documents == 0 ? "no document was begun"
                                                    : "bytes is NULL");
    }
    if (length > TRAWL_INDEX_MAX_BYTES - builder->text_bytes) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT, "an index holds at most 2^40 bytes of text");
    }
    trawl_status status =
        reserve(&builder->text, builder->length, length, sizeof *builder->text, error);
    if (status != TRAWL_OK) {
        return status;
    }
    if (length == 0) {
        return TRAWL_OK; /* `text` may be NULL */
    }
    const uint8_t *from = bytes;
    uint16_t *to = builder->text + builder->length;
    for (size_t i = 0; i < length; i++) {
        to[i] = (uint16_t)(from[i] + 1);
    }
    builder->length += length;
    builder->text_bytes += length;
    return TRAWL_OK;
}

trawl_status trawl_index_builder_finish(trawl_index_builder *builder, trawl_error *error) {
    trawl_status status = end_document(builder, error);
    if (status == TRAWL_OK) {
        status = reserve_document(builder, error);
    }
    if (status == TRAWL_OK) {
        builder->starts[builder->documents] = builder->length;
        builder->name_offsets[builder->documents] = builder->name_bytes;
    }
    return status;
}
