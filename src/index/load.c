/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>
#include <sys/mman.h>

#include <xxhash.h>

#include "base/allocate.h"
#include "base/sized.h"
#include "base/status.h"
#include "base/table_file.h"
#include "index/format.h"

/* ------------------------------------------------------------------ checksums */

trawl_status trawl_index_damaged(const trawl_index *index, trawl_error *error) {
    return trawl_fail(error, TRAWL_ERROR_FORMAT, "%.300s: damaged; build the index anew",
                      index->name);
}

static bool compare_checksum(const trawl_index *index, uint64_t block) {
    if (atomic_load_explicit(&index->verified[block], memory_order_relaxed) != 0) {
        return true;
    }
    uint64_t begin = block * TRAWL_INDEX_CHECKED;
    uint64_t left = index->layout.offsets[TRAWL_INDEX_CHECKSUMS] - begin, expected;
    memcpy(&expected, index->bytes + index->layout.offsets[TRAWL_INDEX_CHECKSUMS] + 8 * block,
           sizeof expected);
    if (XXH3_64bits(index->bytes + begin,
                    left < TRAWL_INDEX_CHECKED ? left : TRAWL_INDEX_CHECKED) != expected) {
        return false;
    }
    atomic_store_explicit(&index->verified[block], 1, memory_order_relaxed);
    return true;
}

bool trawl_index_check(const trawl_index *index, uint64_t offset, uint64_t length) {
    uint64_t last = (offset + length - (length != 0)) / TRAWL_INDEX_CHECKED;
    for (uint64_t block = offset / TRAWL_INDEX_CHECKED; block <= last; block++) {
        if (!compare_checksum(index, block)) {
            return false;
        }
    }
    return true;
}

bool trawl_index_number(const trawl_index *index, trawl_index_part part, uint64_t at,
                        uint64_t *number) {
    uint32_t width = index->header.position_bytes, narrow;
    const uint8_t *bytes = trawl_index_bytes(index, part, at * width, width);
    if (bytes == NULL) {
        return false;
    }
    if (width == sizeof narrow) {
        memcpy(&narrow, bytes, sizeof narrow);
        *number = narrow;
    } else {
        memcpy(number, bytes, sizeof *number);
    }
    return true;
}

/* ------------------------------------------------------------------ opening */

static bool header_sound(const trawl_index_header *header) {
    if (header->documents > TRAWL_INDEX_MAX_DOCUMENTS ||
        header->text_bytes > TRAWL_INDEX_MAX_BYTES || header->rows < header->text_bytes ||
        header->rows - header->text_bytes > header->documents ||
        header->name_bytes > UINT64_C(1) << 48 || header->filler > 255 || header->letters > 256 ||
        (header->position_bytes != 8 &&
         (header->position_bytes != 4 || header->rows > INT32_MAX)) ||
        header->document_bytes != trawl_index_document_bytes(header->documents) ||
        header->first[0] != header->rows - header->text_bytes ||
        header->first[256] != header->rows) {
        return false;
    }
    uint32_t letters = 0;
    for (uint32_t byte = 0; byte < 256; byte++) {
        if (header->first[byte + 1] < header->first[byte]) {
            return false;
        }
        letters += header->first[byte + 1] != header->first[byte];
    }
    return letters == header->letters;
}

static trawl_status refuse_magic(const trawl_index *index, uint64_t size, trawl_error *error) {
    if (size >= 8 && memcmp(index->bytes, TRAWL_INDEX_MAGIC, 8) == 0) {
        return trawl_fail(
            error, TRAWL_ERROR_FORMAT,
            "%.300s: a trawl index that is cut off: %llu bytes long, should be at least %zu",
            index->name, (unsigned long long)size, sizeof(trawl_index_header));
    }
    return trawl_fail(error, TRAWL_ERROR_FORMAT, "%.300s: not a trawl index%s", index->name,
                      size >= 8 && memcmp(index->bytes, "TRAWLDB\n", 8) == 0
                          ? ", but a database of patterns"
                          : "");
}

static trawl_status check_head(trawl_index *index, uint64_t size, trawl_error *error) {
    trawl_index_header *header = &index->header;
    if (size >= sizeof *header) {
        memcpy(header, index->bytes, sizeof *header);
    }
    if (size < sizeof *header || memcmp(header->magic, TRAWL_INDEX_MAGIC, 8) != 0) {
        return refuse_magic(index, size, error);
    }
    if (header->byte_order != TRAWL_INDEX_BYTE_ORDER) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT,
                          "%.300s: made on a machine of the other byte order", index->name);
    }
    if (header->version != TRAWL_INDEX_VERSION) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT,
                          "%.300s: index version %u, this library reads version %u; build it anew",
                          index->name, header->version, (unsigned)TRAWL_INDEX_VERSION);
    }
    if (size < header->size) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT,
                          "%.300s: a trawl index that is cut off: %llu bytes long, should be %llu; "
                          "build it anew",
                          index->name, (unsigned long long)size, (unsigned long long)header->size);
    }
    if (size > header->size) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT,
                          "%.300s: a trawl index that has %llu bytes too many; build it anew",
                          index->name, (unsigned long long)(size - header->size));
    }
    if (!header_sound(header)) {
        return trawl_index_damaged(index, error);
    }
    trawl_index_lay_out(header, &index->layout);
    return index->layout.size == size ? TRAWL_OK : trawl_index_damaged(index, error);
}

static trawl_status open_bytes(trawl_index *index, uint64_t size, trawl_error *error) {
    trawl_status status = check_head(index, size, error);
    if (status != TRAWL_OK) {
        return status;
    }
    const trawl_index_layout *layout = &index->layout;
    uint64_t checksums = layout->sizes[TRAWL_INDEX_CHECKSUMS], trailer;
    memcpy(&trailer, index->bytes + layout->offsets[TRAWL_INDEX_TRAILER], sizeof trailer);
    if (XXH3_64bits(index->bytes + layout->offsets[TRAWL_INDEX_CHECKSUMS], checksums) != trailer) {
        return trawl_index_damaged(index, error);
    }
    index->verified = trawl_allocate_zeroed(checksums / sizeof(uint64_t), 1);
    if (index->verified == NULL) {
        return trawl_fail_memory(error, "the index", checksums / sizeof(uint64_t));
    }
    uint16_t column = 0;
    for (uint32_t byte = 0; byte < 256; byte++) {
        index->columns[byte] = column;
        column = (uint16_t)(column + (index->header.first[byte + 1] != index->header.first[byte]));
    }
    return trawl_index_check(index, 0, sizeof index->header) ? TRAWL_OK
                                                             : trawl_index_damaged(index, error);
}

/* Makes the index of these bytes. On success it owns the bytes as `owner` says; on failure they
 * stay with the caller. */
static trawl_status open_index(const uint8_t *bytes, uint64_t size, trawl_index_owner owner,
                               const char *name, trawl_index **index, trawl_error *error) {
    trawl_index *made = trawl_allocate_zeroed(1, sizeof *made);
    char *copy = trawl_allocate(strlen(name) + 1, 1);
    trawl_status status = TRAWL_OK;
    if (made == NULL || copy == NULL) {
        trawl_release(copy);
        status = trawl_fail_memory(error, "the index", sizeof *made);
    } else {
        memcpy(copy, name, strlen(name) + 1);
        made->bytes = bytes;
        made->name = copy;
        status = open_bytes(made, size, error);
        made->owner = status == TRAWL_OK ? owner : TRAWL_INDEX_BORROWED;
    }
    if (status == TRAWL_OK) {
        *index = made;
    } else {
        trawl_index_free(made);
    }
    return status;
}

trawl_status trawl_index_load_memory(const void *bytes, size_t size, trawl_index **index,
                                     trawl_error *error) {
    trawl_clear(error);
    if (index == NULL || bytes == NULL || (uintptr_t)bytes % sizeof(uint64_t) != 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_index_load_memory: %s",
                          index == NULL   ? "index is NULL"
                          : bytes == NULL ? "bytes is NULL"
                                          : "bytes is not aligned to 8 bytes");
    }
    *index = NULL;
    return open_index(bytes, size, TRAWL_INDEX_BORROWED, "memory", index, error);
}

/* Copies a file that another user may write to, and so change after it has been checked. */
static trawl_status copy_bytes(const trawl_table_file *file, uint8_t **bytes, trawl_error *error) {
    trawl_index_header header = {.size = 0};
    trawl_index known = {.bytes = (const uint8_t *)&header, .name = (char *)(uintptr_t)file->path};
    size_t first = file->size < sizeof header ? file->size : sizeof header;
    trawl_status status = trawl_table_file_read(file, &header, first, error);
    if (status == TRAWL_OK) {
        status = check_head(&known, file->size, error); /* before memory is allocated for it */
    }
    if (status != TRAWL_OK) {
        return status;
    }
    *bytes = trawl_allocate_table(file->size);
    if (*bytes == NULL) {
        return trawl_fail_memory(error, "the index", file->size);
    }
    memcpy(*bytes, &header, sizeof header);
    status = trawl_table_file_read(file, *bytes + sizeof header, file->size - sizeof header, error);
    if (status != TRAWL_OK) {
        trawl_release(*bytes);
    }
    return status;
}

static void release_bytes(const uint8_t *bytes, size_t size, trawl_index_owner owner) {
    void *memory = (void *)(uintptr_t)bytes;
    if (owner == TRAWL_INDEX_MAPPED) {
        (void)munmap(memory, size);
    } else if (owner == TRAWL_INDEX_ALLOCATED) {
        trawl_release(memory);
    }
}

trawl_status trawl_index_load(const char *path, trawl_index **index, trawl_error *error) {
    trawl_clear(error);
    if (index == NULL || path == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_index_load: %s is NULL",
                          index == NULL ? "index" : "path");
    }
    *index = NULL;
    trawl_table_file file;
    uint8_t *bytes = NULL;
    trawl_status status = trawl_table_file_open(path, "a trawl index", &file, error);
    if (status != TRAWL_OK) {
        return status;
    }
    status = file.trusted ? trawl_table_file_map(&file, &bytes, error)
                          : copy_bytes(&file, &bytes, error);
    trawl_table_file_close(&file);
    if (status == TRAWL_OK) {
        trawl_index_owner owner = file.trusted ? TRAWL_INDEX_MAPPED : TRAWL_INDEX_ALLOCATED;
        status = open_index(bytes, file.size, owner, path, index, error);
        if (status != TRAWL_OK) {
            release_bytes(bytes, file.size, owner);
        }
    }
    return status;
}

void trawl_index_free(trawl_index *index) {
    if (index == NULL) {
        return;
    }
    release_bytes(index->bytes, (size_t)index->header.size, index->owner);
    trawl_release((void *)index->verified);
    trawl_release(index->name);
    trawl_release(index);
}

/* ------------------------------------------------------------------ what is in it */

trawl_status trawl_index_verify(const trawl_index *index, trawl_error *error) {
    trawl_clear(error);
    if (index == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_index_verify: index is NULL");
    }
    return trawl_index_check(index, 0, index->layout.offsets[TRAWL_INDEX_CHECKSUMS])
               ? TRAWL_OK
               : trawl_index_damaged(index, error);
}

trawl_status trawl_index_info(const trawl_index *index, trawl_index_information *information,
                              trawl_error *error) {
    trawl_clear(error);
    if (index == NULL || information == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_index_info: %s is NULL",
                          index == NULL ? "index" : "information");
    }
    trawl_status status =
        trawl_sized_check(information, "trawl_index_information", "TRAWL_INDEX_INFORMATION", error);
    if (status == TRAWL_OK) {
        const trawl_index_information known = {
            .documents = index->header.documents,
            .text_bytes = index->header.text_bytes,
            .file_bytes = index->header.size,
            .position_bytes = index->header.position_bytes,
            .letters = index->header.letters,
        };
        trawl_sized_write(information, &known, sizeof known);
    }
    return status;
}

/* Reads numbers `at` and `at` + 1 of an array of offsets that must not exceed `limit`. */
static bool read_range(const trawl_index *index, trawl_index_part part, uint64_t at, uint64_t limit,
                       uint64_t range[2]) {
    const uint8_t *bytes = trawl_index_bytes(index, part, at * sizeof(uint64_t), 2 * sizeof *range);
    if (bytes == NULL) {
        return false;
    }
    memcpy(range, bytes, 2 * sizeof *range);
    return range[0] <= range[1] && range[1] <= limit;
}

trawl_status trawl_index_get_document(const trawl_index *index, uint32_t number,
                                      trawl_index_document *document, trawl_error *error) {
    trawl_clear(error);
    if (index == NULL || document == NULL || number >= index->header.documents) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_index_get_document: %s",
                          index == NULL      ? "index is NULL"
                          : document == NULL ? "document is NULL"
                                             : "there is no document of that number");
    }
    trawl_status status =
        trawl_sized_check(document, "trawl_index_document", "TRAWL_INDEX_DOCUMENT", error);
    if (status != TRAWL_OK) {
        return status;
    }
    uint64_t text[2], name[2];
    const uint8_t *bytes = NULL;
    if (read_range(index, TRAWL_INDEX_STARTS, number, index->header.rows, text) &&
        read_range(index, TRAWL_INDEX_NAME_OFFSETS, number, index->header.name_bytes, name)) {
        bytes = trawl_index_bytes(index, TRAWL_INDEX_NAMES, name[0], name[1] - name[0]);
    }
    if (bytes == NULL) {
        return trawl_index_damaged(index, error);
    }
    const trawl_index_document known = {
        .name = (const char *)bytes,
        .name_length = (size_t)(name[1] - name[0]),
        .length = text[1] - text[0] - (text[1] != text[0]), /* without the border */
    };
    trawl_sized_write(document, &known, sizeof known);
    return TRAWL_OK;
}
