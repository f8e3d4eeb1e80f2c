/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The table of functions that an engine is. An engine turns a pattern set into sections of a
 * database and can check such sections; walking them over a text is the business of a walker
 * (engine/walk.h), of which each device has its own.
 */
#ifndef TRAWL_ENGINE_ENGINE_H
#define TRAWL_ENGINE_ENGINE_H

#include "engine/database.h"
#include "pattern/patterns.h"

struct trawl_qgram_choice;

/* One compilation. The compiler fills the first group; the engine's `plan` fills the second. */
typedef struct trawl_build {
    const trawl_patterns *patterns;
    const trawl_compile_options *options; /* complete: every field is set, possibly to 0; sample and
                                             costs always */
    const struct trawl_qgram_choice *choice; /* qgram: its tiers; else NULL */
    unsigned variant;                        /* index into the engine's variants */
    uint64_t max_table_bytes;                /* the limit; never 0 here */
    trawl_image *image;
    trawl_error *error;

    void *state;          /* whatever plan leaves for fill; `release` frees it */
    uint64_t states;      /* for trawl_db_information; 0 or 1 where they do not apply */
    uint64_t table_bytes; /* the engine's own sections together */
    uint32_t parts;
    uint32_t byte_classes;
    uint32_t state_bytes;
} trawl_build;

typedef struct trawl_engine {
    trawl_engine_description description;

    /* Decides everything and reserves every section with its exact size, or refuses with
     * TRAWL_ERROR_LIMIT and a sentence that names the limit and the engine that would do. */
    trawl_status (*plan)(trawl_build *build);

    /* Writes the sections; the image has been allocated. */
    trawl_status (*fill)(trawl_build *build);

    /* Frees build->state; called once after plan, whatever plan and fill returned. */
    void (*release)(trawl_build *build);

    /* Checks that the engine's sections cannot make a walker read or write outside them: every
     * offset, id and state in range. The header, the section table and the patterns have been
     * checked before. TRAWL_ERROR_FORMAT with a sentence otherwise. */
    trawl_status (*validate)(const trawl_db *db, trawl_error *error);
} trawl_engine;

/* The engine of that name, or NULL. */
const trawl_engine *trawl_engine_find(const char *name);

/* The index of a variant's name in the engine's list, or -1. */
int trawl_engine_variant(const trawl_engine *engine, const char *name);

/* Reserves a section that counts towards build->table_bytes and refuses when they exceed the limit;
 * `instead` names an engine that would do. */
trawl_status trawl_build_reserve(trawl_build *build, trawl_section_kind kind, uint32_t part,
                                 uint64_t count, uint64_t object, const char *instead);

/* Refuses in the same words when `bytes` more would exceed the limit, without reserving anything:
 * for engines that can tell before they build what would not fit into memory either. */
trawl_status trawl_build_foresee(trawl_build *build, uint64_t bytes, const char *instead);

extern const trawl_engine trawl_engine_ac_dfa;
extern const trawl_engine trawl_engine_ac_nfa;
extern const trawl_engine trawl_engine_ac_split;
extern const trawl_engine trawl_engine_wu_manber;
extern const trawl_engine trawl_engine_rabin_karp;
extern const trawl_engine trawl_engine_qgram;

#endif
