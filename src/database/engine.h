/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The contract of an engine: it turns a pattern set into sections of a database, and it checks such
 * sections. A walker (scan/contract.h) scans a text with them; each device has its own walker.
 *
 * Compiling calls, in this order (database/assemble.c):
 *
 *     plan      decides everything; reserves each section with its exact size
 *     fill      writes the sections (not called after a refusal)
 *     release   frees what plan allocated (always called)
 *
 * Loading a database calls validate. Section kinds of a new engine are new values at the end of
 * trawl_section_kind (database/image.h). engines/wu_manber/build.c is an example of all four.
 */
#ifndef TRAWL_DATABASE_ENGINE_H
#define TRAWL_DATABASE_ENGINE_H

#include "database/database.h"
#include "pattern/patterns.h"

struct trawl_qgram_choice;
struct trawl_walker_type;

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

    void *state; /* what plan leaves for fill; `release` frees it */
    /* For trawl_db_information; 0 or 1 where they do not apply. */
    uint64_t states;
    uint64_t table_bytes; /* of the engine's own sections; trawl_build_reserve adds to it */
    uint32_t parts;       /* tables side by side, each with keys of its own; 1 for most engines */
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

    /* Scans on the CPU. */
    const struct trawl_walker_type *walker;

    /* The kernels for CUDA devices: known in every build, with or without CUDA, so that lists and
     * help do not depend on it. The last entry has no name; NULL: the engine has no kernels. */
    const trawl_kernel_description *kernels;

    /* The kernel for a text that stays in host memory and is read over the link (zero-copy): one
     * whose blocks read each line of the text once, together. NULL: the default kernel. */
    const char *zero_copy_kernel;
} trawl_engine;

/* The index of a variant's name in the engine's list, or -1. */
int trawl_engine_variant(const trawl_engine *engine, const char *name);

/* Reserves a section that counts towards build->table_bytes and refuses when they exceed the limit;
 * `instead` names an engine that would do. */
trawl_status trawl_build_reserve(trawl_build *build, trawl_section_kind kind, uint32_t part,
                                 uint64_t count, uint64_t object, const char *instead);

/* Refuses in the same words when `bytes` more would exceed the limit, without reserving anything:
 * for engines that can tell before they build what would not fit into memory either. */
trawl_status trawl_build_foresee(trawl_build *build, uint64_t bytes, const char *instead);

#endif
