/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The database handle: a finished block, and views of it that every engine needs. */
#ifndef TRAWL_DATABASE_DATABASE_H
#define TRAWL_DATABASE_DATABASE_H

#include <pthread.h>

#include "base/byte_set.h"
#include "base/fork_lock.h"
#include "database/image.h"
#include "pattern/conditions.h"
#include "pattern/offsets.h"
#include "trawl/trawl_study.h"

typedef enum trawl_block_owner {
    TRAWL_BLOCK_ALLOCATED, /* free with trawl_release */
    TRAWL_BLOCK_MAPPED     /* free with munmap */
} trawl_block_owner;

struct trawl_engine;

/* Pattern `id` is bytes[offset of id] .. bytes[offset of id + 1] (pattern/offsets.h). */
typedef struct trawl_pattern_view {
    const uint32_t *offsets;
    const uint64_t *bases; /* NULL: 32 bits suffice; always so on GPUs */
    const uint8_t *bytes;
    const uint8_t *flags;
    uint32_t count;
} trawl_pattern_view;

/* The first byte of a pattern, and behind its last one. */
TRAWL_BOTH const uint8_t *trawl_view_begin(const trawl_pattern_view *patterns, uint32_t id) {
    return patterns->bytes + trawl_offset(patterns->offsets, patterns->bases, id);
}

TRAWL_BOTH const uint8_t *trawl_view_end(const trawl_pattern_view *patterns, uint32_t id) {
    return patterns->bytes + trawl_offset(patterns->offsets, patterns->bases, (size_t)id + 1);
}

/* Conditions of patterns (database/conditions.h). */
typedef struct trawl_condition_view {
    const trawl_condition_record *records; /* NULL: no pattern has a condition */
    const uint32_t *of;                    /* the record of each pattern */
    uint16_t outside[256];                 /* of each byte, the bits of the classes it is not in */
    uint16_t left;                         /* left boundaries of all patterns together */
} trawl_condition_view;

/* Groups and values of patterns (database/groups.h). */
typedef struct trawl_group_view {
    const uint32_t *of;  /* the index of each pattern's group; NULL: that is its id */
    const uint32_t *ids; /* of `count` groups, ascending; NULL: the index is the group */
    uint32_t count;
    const uint32_t *value_offsets; /* NULL: no pattern has a value */
    const uint8_t *values;
} trawl_group_view;

/* What the CUDA module keeps with a database, so that the database is uploaded once for many scans.
 * The module defines what `items` points to, reads and writes it with the lock held, and sets
 * `release`. */
typedef struct trawl_uploads {
    pthread_mutex_t lock;
    void *items;
    void (*release)(void *items); /* called by trawl_db_free when items is not NULL */
} trawl_uploads;

/* The fallback automata: databases of automata for the same patterns, compiled when a scan first
 * needs them: one (run/fallback.h), or a pair (run/case_pair.h). */
typedef struct trawl_fallback {
    trawl_fork_lock lock; /* held while they are made; `decided` and `pair_decided` are set last, by
                             atomic stores, and read without the lock */
    bool decided;         /* `db` is made, or refused, mostly for lack of memory */
    bool pair_decided;    /* whether the pair is needed is known, and it is made if so */
    struct trawl_db *db;  /* NULL: not compiled yet, or refused */
    struct trawl_case_pair *pair;                       /* NULL: not needed, or refused */
    void (*release_pair)(struct trawl_case_pair *pair); /* set with `pair` */
} trawl_fallback;

/* A scanner that a database keeps for its calls (run/idle.h) begins with this. */
typedef struct trawl_idle_scanner {
    void (*close)(struct trawl_idle_scanner *scanner); /* called by trawl_db_free */
} trawl_idle_scanner;

/* Idle scanners of a database, at most. No measurement chose it: with more slots more threads find
 * a scanner, but each slot may hold up to a megabyte (docs/notebook/2026-11-one-calls.md). */
#define TRAWL_IDLE_SLOTS 16

/* A place for an idle scanner, read and written by atomic operations. `scanner` is NULL until a
 * call first uses the slot, and changes only while that call holds `busy`. A cache line each, so
 * that threads with slots of their own do not wait for each other. */
typedef struct trawl_idle_slot {
    trawl_idle_scanner *scanner;
    uint32_t busy; /* 1: a call uses the slot */
    char rest_of_line[64 - sizeof(void *) - sizeof(uint32_t)];
} trawl_idle_slot;

struct trawl_db {
    const uint8_t *block;
    uint64_t size;
    trawl_block_owner owner;
    const trawl_image_header *header;
    const struct trawl_engine *engine;
    trawl_pattern_view patterns;
    trawl_condition_view conditions;
    trawl_group_view groups;
    const trawl_byte_set *rare_bytes; /* every pattern contains one of them; NULL: none are known */
    const uint32_t *name_offsets;     /* NULL when no pattern has a name */
    const char *names;
    /* The storage of these three changes while the database is const for its users. So each is
     * reached through a pointer, which does not change. */
    trawl_uploads *uploads;
    trawl_uploads uploads_storage;
    trawl_fallback *fallback;
    trawl_fallback fallback_storage;
    trawl_idle_slot *idle; /* TRAWL_IDLE_SLOTS */
    trawl_idle_slot idle_storage[TRAWL_IDLE_SLOTS];
    trawl_device_costs device_costs; /* of the compilation; size 0: not known, as `db` was loaded */
};

/* Makes a handle for a block of `engine` whose header, section table and pattern sections are
 * valid. The block belongs to the handle from now on; it is freed if the call fails. */
trawl_status trawl_db_adopt(uint8_t *block, uint64_t size, trawl_block_owner owner,
                            const struct trawl_engine *engine, trawl_db **db, trawl_error *error);

/* A section's bytes and size; NULL (and size 0) when the database has none of that kind and part.
 */
const void *trawl_db_section(const trawl_db *db, trawl_section_kind kind, uint32_t part,
                             uint64_t *size);

/* The overlap of a window, in bytes: where matches of the owned bytes may begin. With conditions,
 * also the byte before such a match. */
static inline size_t trawl_db_overlap(const trawl_db *db) {
    return db->header->max_length - (db->conditions.records == NULL ? 1u : 0u);
}

/* Whether text[0 .. length of the pattern) is pattern `id`, in any case if the pattern has the flag
 * for that. */
bool trawl_pattern_matches(const trawl_pattern_view *patterns, uint32_t id, const uint8_t *text);

#endif
