/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Makes a database of one engine: the header, the sections that every database has, and the
 * engine's own. */
#ifndef TRAWL_DATABASE_ASSEMBLE_H
#define TRAWL_DATABASE_ASSEMBLE_H

#include "database/engine.h"

/* What goes into a database besides the patterns. */
typedef struct trawl_assembly {
    const trawl_engine *engine;  /* which the header names */
    const trawl_engine *builder; /* NULL: the same; else the one that builds and scans instead */
    unsigned variant;            /* index into the engine's variants */
    const struct trawl_qgram_choice *choice; /* qgram: its tiers; else NULL */
    const char *reason;                      /* why this engine, in words */
    uint16_t rare_gap;                       /* of the header */
    struct {
        const void *bytes; /* NULL: the database has no such section */
        size_t size;
    } records[3]; /* for TRAWL_SECTION_PLAN, _DEVICE_PLAN and _RARE_BYTES */
    double start; /* trawl_seconds() when the compilation began */
} trawl_assembly;

/* Builds the database into *db. If db is NULL, only *size is set: the bytes that the database would
 * have. `options` are complete (trawl_build in database/engine.h). TRAWL_ERROR_LIMIT if the engine
 * refuses the set. */
trawl_status trawl_assemble(const trawl_patterns *patterns, const trawl_compile_settings *options,
                            const trawl_assembly *plan, trawl_db **db, uint64_t *size,
                            trawl_error *error);

#endif
