/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/status.h"
#include "database/selection.h"
#include "database/validate.h"
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

/* Whoever can write to a mapped database can change its tables after they were validated. */
static bool is_trusted(const struct stat *about) {
    return about->st_uid == geteuid() || about->st_uid == 0;
}

static trawl_status read_block(int file, const char *path, uint8_t *block, size_t size,
                               trawl_error *error) {
    size_t filled = 0;
    while (filled < size) {
        ssize_t got = read(file, block + filled, size - filled);
        if (got < 0 && errno != EINTR) {
            return trawl_fail(error, TRAWL_ERROR_IO, "%.300s: %s", path, strerror(errno));
        }
        if (got == 0) {
            return trawl_fail(
                error, TRAWL_ERROR_IO,
                "%.300s: became shorter while it was read: expected %zu bytes, got %zu", path, size,
                filled);
        }
        filled += got < 0 ? 0 : (size_t)got;
    }
    return TRAWL_OK;
}

static trawl_status map_block(int file, const char *path, size_t size, uint8_t **block,
                              trawl_error *error) {
    void *mapped = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped == MAP_FAILED) {
        int reason = errno;
        return trawl_fail(error, reason == ENOMEM ? TRAWL_ERROR_MEMORY : TRAWL_ERROR_IO,
                          "%.300s: cannot be mapped: %s", path, strerror(reason));
    }
    /* Validation reads all of it: the kernel may read ahead. */
    (void)madvise(mapped, size, MADV_WILLNEED);
    *block = mapped;
    return TRAWL_OK;
}

static trawl_status copy_block(int file, const char *path, size_t size, uint8_t **block,
                               trawl_error *error) {
    /* The size of a sparse file costs its owner nothing: no memory before the header agrees. */
    trawl_image_header header = {.size = 0};
    size_t known = size < sizeof header ? size : sizeof header;
    trawl_status status = read_block(file, path, (uint8_t *)&header, known, error);
    if (status == TRAWL_OK) {
        status = trawl_validate_header(&header, size, path, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    *block = trawl_allocate_table(size);
    if (*block == NULL) {
        return trawl_fail_memory(error, "the database", size);
    }
    memcpy(*block, &header, sizeof header);
    status = read_block(file, path, *block + sizeof header, size - sizeof header, error);
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
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
    struct stat about;
    if (file < 0 || fstat(file, &about) != 0) {
        int reason = errno;
        if (file >= 0) {
            (void)close(file);
        }
        return trawl_fail(error, TRAWL_ERROR_IO, "%.300s: %s", path, strerror(reason));
    }
    if (!S_ISREG(about.st_mode) || about.st_size <= 0) {
        (void)close(file);
        return trawl_fail(error, S_ISREG(about.st_mode) ? TRAWL_ERROR_FORMAT : TRAWL_ERROR_IO,
                          "%.300s: %s", path,
                          S_ISDIR(about.st_mode)    ? "is a directory, expected a database file"
                          : !S_ISREG(about.st_mode) ? "is not a regular file"
                                                    : "not a trawl database (empty file)");
    }
    size_t size = (size_t)about.st_size;
    bool maps = is_trusted(&about);
    uint8_t *block = NULL;
    trawl_status status = maps ? map_block(file, path, size, &block, error)
                               : copy_block(file, path, size, &block, error);
    (void)close(file);
    if (status != TRAWL_OK) {
        return status;
    }
    return open_block(block, size, maps ? TRAWL_BLOCK_MAPPED : TRAWL_BLOCK_ALLOCATED, path, db,
                      error);
}
