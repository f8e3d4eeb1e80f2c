/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>
#include <sys/mman.h>

#include "base/allocate.h"
#include "base/status.h"
#include "base/table_file.h"
#include "database/selection.h"
#include "database/validate.h"
#include "engines/engines.h"
#include "engines/registry.h"

/* Finds the engine whose name is in the block's header. */
static trawl_status find_engine(const uint8_t *block, const char *name, const trawl_engine **engine,
                                trawl_error *error) {
    const trawl_image_header *header = (const trawl_image_header *)block;
    *engine = trawl_engine_find(header->engine);
    if (*engine == NULL || trawl_engine_variant(*engine, header->variant) < 0) {
        return trawl_fail(error, TRAWL_ERROR_FORMAT,
                          "%.300s: made for engine %s variant %s, which this library does not have",
                          name, header->engine, header->variant);
    }
    if (header->pattern_count == 0) {
        *engine = &trawl_engine_empty;
    }
    return TRAWL_OK;
}

/* Validates a block and makes a handle for it. The block is freed if that fails. */
static trawl_status open_block(uint8_t *block, uint64_t size, trawl_block_owner owner,
                               const char *name, trawl_db **db, trawl_error *error) {
    const trawl_engine *engine = NULL;
    trawl_status status = trawl_validate_block(block, size, name, error);
    if (status == TRAWL_OK) {
        status = find_engine(block, name, &engine, error);
    }
    if (status != TRAWL_OK) {
        if (owner == TRAWL_BLOCK_MAPPED) {
            (void)munmap(block, size);
        } else {
            trawl_release(block);
        }
        return status;
    }
    trawl_db *made = NULL;
    status = trawl_db_adopt(block, size, owner, engine, &made, error);
    if (status == TRAWL_OK) {
        status = trawl_validate_tables(made, error);
    }
    if (status == TRAWL_OK) {
        status = made->engine->validate(made, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_selection_validate(made, error);
    }
    if (status != TRAWL_OK) {
        trawl_db_free(made);
        return status;
    }
    *db = made;
    return TRAWL_OK;
}

trawl_status trawl_db_load_memory(const void *bytes, size_t size, trawl_db **db,
                                  trawl_error *error) {
    trawl_clear(error);
    if (db == NULL || (bytes == NULL && size != 0)) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_db_load_memory: %s is NULL",
                          db == NULL ? "db" : "bytes");
    }
    *db = NULL;
    uint8_t *block = trawl_allocate_table(size);
    if (block == NULL) {
        return trawl_fail_memory(error, "the database", size);
    }
    if (size != 0) {
        memcpy(block, bytes, size);
    }
    return open_block(block, size, TRAWL_BLOCK_ALLOCATED, "memory", db, error);
}

static trawl_status copy_block(const trawl_table_file *file, uint8_t **block, trawl_error *error) {
    /* The size of a sparse file costs its owner nothing: no memory before the header agrees. */
    trawl_image_header header = {.size = 0};
    size_t known = file->size < sizeof header ? file->size : sizeof header;
    trawl_status status = trawl_table_file_read(file, &header, known, error);
    if (status == TRAWL_OK) {
        status = trawl_validate_header(&header, file->size, file->path, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    *block = trawl_allocate_table(file->size);
    if (*block == NULL) {
        return trawl_fail_memory(error, "the database", file->size);
    }
    memcpy(*block, &header, sizeof header);
    status = trawl_table_file_read(file, *block + sizeof header, file->size - sizeof header, error);
    if (status != TRAWL_OK) {
        trawl_release(*block);
    }
    return status;
}

trawl_status trawl_db_load(const char *path, trawl_db **db, trawl_error *error) {
    trawl_clear(error);
    if (db == NULL || path == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_db_load: %s is NULL",
                          db == NULL ? "db" : "path");
    }
    *db = NULL;
    trawl_table_file file;
    uint8_t *block = NULL;
    trawl_status status = trawl_table_file_open(path, "a trawl database", &file, error);
    if (status != TRAWL_OK) {
        return status;
    }
    status = file.trusted ? trawl_table_file_map(&file, &block, error)
                          : copy_block(&file, &block, error);
    trawl_table_file_close(&file);
    if (status != TRAWL_OK) {
        return status;
    }
    if (file.trusted) {
        /* Validation reads all of it: the kernel may read ahead. */
        (void)madvise(block, file.size, MADV_WILLNEED);
    }
    return open_block(block, file.size, file.trusted ? TRAWL_BLOCK_MAPPED : TRAWL_BLOCK_ALLOCATED,
                      path, db, error);
}
