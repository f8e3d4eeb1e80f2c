/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The contract of an engine: it turns a pattern set into sections of a database, and it checks such
 * sections when a database is loaded. Its walkers (scan/contract.h) scan texts with them.
 *
 * Compilation (database/assemble.c), in this order:
 *
 *     plan       decides everything, and reserves each section with its exact size
 *                (trawl_build_reserve); trawl_compile_size ends here
 *     -          the block is allocated, all sections in one piece
 *     fill       writes the sections in place (trawl_image_section)
 *     release    frees what plan left in build->state
 *
 * How to add an engine: docs/internals/architecture.md. The numbers of its sections are in
 * database/image.h, its line is in engines/list.h; engines/wu_manber/build.c is an example.
 * Descriptions are constants, and their functions are called from any number of threads at once,
 * each with a build or a database of its own.
 */
#ifndef TRAWL_DATABASE_ENGINE_H
#define TRAWL_DATABASE_ENGINE_H

#include "database/compile_settings.h"
#include "database/database.h"
#include "pattern/patterns.h"

struct trawl_qgram_choice;
struct trawl_walker_type;

/* A kernel in the list of an engine: the members of trawl_kernel_description. */
typedef struct trawl_kernel_entry {
    const char *name;
    const char *summary;
    const char *source;
} trawl_kernel_entry;

/* One compilation. The first group is given to the engine; `plan` fills the second one. */
typedef struct trawl_build {
    const trawl_patterns *patterns; /* at least one, except for engines/empty */
    /* Every member is set, possibly to 0; `sample` and `costs` are never NULL. */
    const trawl_compile_settings *options;
    const struct trawl_qgram_choice *choice; /* qgram: its tiers; other engines: NULL */
    unsigned variant;                        /* index into description.variants */
    uint64_t max_table_bytes;                /* limit of table_bytes; never 0 */
    trawl_image *image;
    trawl_error *error; /* where the sentence of a failure goes; may be NULL */

    void *state;          /* what plan leaves for fill; `release` frees it */
    uint64_t table_bytes; /* bytes of the engine's own sections; trawl_build_reserve adds them */
    const char *instead;  /* what to do, from when they are beyond the limit; NULL before */
    /* For trawl_db_information; 0 (parts: 1) where an engine has no such thing. */
    uint64_t states;
    uint32_t parts; /* tables side by side, each with keys of its own; 1 for most engines */
    uint32_t byte_classes;
    uint32_t state_bytes;
    char remark[256]; /* what else the reason should say, in words; empty: nothing */
} trawl_build;

typedef struct trawl_engine {
    /* Every member but `size` is set: `trawl engines` prints all of them. `source` of an engine
     * that is from no paper: "trawl". */
    trawl_engine_description description;

    /* The kind of the first section that only this engine has, or that it shares with another one
     * whose tables it has: TRAWL_IMAGE_ENGINE_KINDS kinds from there on. 0: none. */
    trawl_section_kind tables;

    /* Decides everything and reserves every section with its exact size. A set that the engine
     * cannot take is refused with TRAWL_ERROR_LIMIT and a sentence that names the limit and what to
     * do. The same patterns and options always give the same sizes. */
    trawl_status (*plan)(trawl_build *build);

    /* Writes every byte of the sections that plan has reserved. The same patterns and options give
     * the same bytes. */
    trawl_status (*fill)(trawl_build *build);

    /* Frees build->state, which may be NULL. Called once after plan, whatever plan and fill have
     * returned. */
    void (*release)(trawl_build *build);

    /* Checks that the engine's sections cannot make a walker read or write outside of them, or walk
     * for ever: each size, offset, id and state is in range. Any bytes may stand there: files can
     * be forged. The header, the section table and the patterns have been checked before, and that
     * there are no tables of other engines. The parts of the header must be those that the engine's
     * sections have: functions that walk over the parts read these sections without another check.
     * TRAWL_ERROR_FORMAT with a sentence if something is wrong. */
    trawl_status (*validate)(const trawl_db *db, trawl_error *error);

    /* The walkers for CPUs. */
    const struct trawl_walker_type *walker;

    /* The kernels for CUDA devices, the default one first; the last entry has no name. NULL: the
     * engine has none. Builds without CUDA have the same list, so that --help does not depend on
     * the build. The programs themselves: gpu/contract.cuh. */
    const trawl_kernel_entry *kernels;

    /* The kernel for a text that stays in the host's memory and is read over the bus (zero-copy):
     * its thread blocks must read each line of the text once, together. NULL: the default kernel.
     */
    const char *zero_copy_kernel;
} trawl_engine;

/* The index of a variant's name in the engine's list, or -1. */
int trawl_engine_variant(const trawl_engine *engine, const char *name);

/* Reserves a section of `count` objects of `object` bytes, and adds its bytes to
 * build->table_bytes. If these exceed the limit, trawl_build_check refuses, so that its sentence
 * has the whole size. `instead` is the end of the sentence, what to do: TRAWL_RAISE_LIMIT, and an
 * engine where one needs less memory for the very set. */
trawl_status trawl_build_reserve(trawl_build *build, trawl_section_kind kind, uint32_t part,
                                 uint64_t count, uint64_t object, const char *instead);

#define TRAWL_RAISE_LIMIT "raise it: max_table_bytes, --max-tables"
/* The same of an engine that chooses larger tables where the limit allows them. */
#define TRAWL_RAISE_LIMIT_FURTHER                                                                  \
    "raise it further than that, as larger tables may be chosen then: max_table_bytes, "           \
    "--max-tables"

/* Refuses with TRAWL_ERROR_LIMIT if `bytes` more would exceed the limit and are many, but reserves
 * nothing. Engines call it before they build what might not fit into memory. */
trawl_status trawl_build_foresee(trawl_build *build, uint64_t bytes, const char *instead);

/* After all has been reserved: refuses if the sections exceed the limit. */
trawl_status trawl_build_check(const trawl_build *build, const char *engine);

#endif
