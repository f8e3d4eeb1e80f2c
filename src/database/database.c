/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "database/database.h"

#include <string.h>
#include <sys/mman.h>

#include "base/allocate.h"
#include "base/fold.h"
#include "base/sized.h"
#include "base/status.h"
#include "database/conditions.h"
#include "database/groups.h"

static void release_block(uint8_t *block, uint64_t size, trawl_block_owner owner) {
    if (owner == TRAWL_BLOCK_MAPPED) {
        (void)munmap(block, size);
    } else {
        trawl_release(block);
    }
}

trawl_status trawl_db_adopt(uint8_t *block, uint64_t size, trawl_block_owner owner,
                            const struct trawl_engine *engine, trawl_db **db, trawl_error *error) {
    trawl_db *made = trawl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        release_block(block, size, owner);
        return trawl_fail_memory(error, "a database handle", sizeof *made);
    }
    made->block = block;
    made->size = size;
    made->owner = owner;
    made->header = (const trawl_image_header *)block;
    made->engine = engine;
    made->patterns.count = made->header->pattern_count;
    made->patterns.offsets = trawl_db_section(made, TRAWL_SECTION_PATTERN_OFFSETS, 0, NULL);
    made->patterns.bases = trawl_db_section(made, TRAWL_SECTION_PATTERN_BASES, 0, NULL);
    made->patterns.bytes = trawl_db_section(made, TRAWL_SECTION_PATTERN_BYTES, 0, NULL);
    made->patterns.flags = trawl_db_section(made, TRAWL_SECTION_PATTERN_FLAGS, 0, NULL);
    trawl_conditions_view(made, &made->conditions);
    trawl_groups_view(made, &made->groups);
    made->rare_bytes = trawl_db_section(made, TRAWL_SECTION_RARE_BYTES, 0, NULL);
    made->name_offsets = trawl_db_section(made, TRAWL_SECTION_NAME_OFFSETS, 0, NULL);
    made->names = trawl_db_section(made, TRAWL_SECTION_NAMES, 0, NULL);
    made->uploads = &made->uploads_storage;
    (void)pthread_mutex_init(&made->uploads->lock, NULL);
    made->fallback = &made->fallback_storage;
    made->idle = made->idle_storage;
    *db = made;
    return TRAWL_OK;
}

/* A slot that is busy now is that of a thread which a fork has not copied: its scanner may be in
 * any state, and stays. */
static void close_idle_scanners(trawl_db *db) {
    for (size_t i = 0; i < TRAWL_IDLE_SLOTS; i++) {
        trawl_idle_slot *slot = &db->idle[i];
        bool busy = __atomic_load_n(&slot->busy, __ATOMIC_ACQUIRE) != 0;
        if (!busy && slot->scanner != NULL) {
            slot->scanner->close(slot->scanner);
        }
    }
}

void trawl_db_free(trawl_db *db) {
    if (db != NULL) {
        close_idle_scanners(db);
        if (db->uploads->items != NULL) {
            db->uploads->release(db->uploads->items);
        }
        (void)pthread_mutex_destroy(&db->uploads->lock);
        trawl_db_free(db->fallback->db);
        if (db->fallback->pair != NULL) {
            db->fallback->release_pair(db->fallback->pair);
        }
        release_block((uint8_t *)(uintptr_t)db->block, db->size, db->owner);
        trawl_release(db);
    }
}

bool trawl_pattern_matches(const trawl_pattern_view *patterns, uint32_t id, const uint8_t *text) {
    const uint8_t *bytes = trawl_view_begin(patterns, id);
    size_t length = patterns->offsets[id + 1] - patterns->offsets[id];
    if ((patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0) {
        return trawl_equal_folded(bytes, text, length);
    }
    return memcmp(bytes, text, length) == 0;
}

const void *trawl_db_bytes(const trawl_db *db, size_t *size) {
    if (size != NULL) {
        *size = db == NULL ? 0 : db->size;
    }
    return db == NULL ? NULL : db->block;
}

trawl_status trawl_db_info(const trawl_db *db, trawl_db_information *information,
                           trawl_error *error) {
    trawl_clear(error);
    if (db == NULL || information == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_db_info: %s is NULL",
                          db == NULL ? "db" : "information");
    }
    trawl_status status =
        trawl_sized_check(information, "trawl_db_info: information", "TRAWL_DB_INFORMATION", error);
    if (status != TRAWL_OK) {
        return status;
    }
    const trawl_image_header *header = db->header;
    const char *reason = trawl_db_section(db, TRAWL_SECTION_REASON, 0, NULL);
    const trawl_db_information known = {
        .engine = header->engine,
        .variant = header->variant,
        .reason = reason == NULL ? "" : reason,
        .matches = (trawl_match_kind)header->match_kind,
        .patterns = header->pattern_count,
        .min_length = header->pattern_count == 0 ? 0 : header->min_length,
        .max_length = header->pattern_count == 0 ? 0 : header->max_length,
        .states = header->states,
        .parts = header->parts,
        .byte_classes = header->byte_classes,
        .state_bytes = header->state_bytes,
        .table_bytes = header->table_bytes,
        .total_bytes = db->size,
        .build_seconds = header->build_seconds,
    };
    trawl_sized_write(information, &known, sizeof known);
    return TRAWL_OK;
}

bool trawl_db_pattern(const trawl_db *db, uint32_t id, trawl_pattern *pattern) {
    if (db == NULL || pattern == NULL || id >= db->patterns.count ||
        trawl_sized_check(pattern, "", "", NULL) != TRAWL_OK) {
        return false;
    }
    const uint32_t *offsets = db->patterns.offsets;
    const uint32_t *name_offsets = db->name_offsets;
    trawl_pattern found = {.bytes = trawl_view_begin(&db->patterns, id),
                           .length = offsets[id + 1] - offsets[id],
                           .flags = db->patterns.flags[id],
                           .group = trawl_db_group(db, id)};
    found.value = trawl_db_value(db, id, &found.value_length);
    if (name_offsets != NULL && name_offsets[id] != name_offsets[id + 1]) {
        found.name = db->names + name_offsets[id];
        found.name_length = name_offsets[id + 1] - name_offsets[id];
    }
    trawl_sized_write(pattern, &found, sizeof found);
    return true;
}
