/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Makes a database of one engine: the block with the sections that every database has, the
 * engine's own, and the header. */
#ifndef TRAWL_DATABASE_ASSEMBLE_H
#define TRAWL_DATABASE_ASSEMBLE_H

#include "database/engine.h"

/* What goes into a database besides the patterns. */
typedef struct trawl_assembly {
    const trawl_engine *engine;
    unsigned variant;                        /* index into the engine's variants */
    const struct trawl_qgram_choice *choice; /* qgram: its tiers; else NULL */
    const char *reason;                      /* why this engine, in words */
    struct {
        const void *bytes; /* NULL: the database has no such section */
        size_t size;
    } records[2]; /* sections PLAN and DEVICE_PLAN */
    double start; /* trawl_seconds() when the compilation began */
} trawl_assembly;

/* Builds the database into *db, or, when db is NULL, only says in *size how many bytes it would
 * have. `options` are complete (database/engine.h). TRAWL_ERROR_LIMIT when the engine refuses. */
trawl_status trawl_assemble(const trawl_patterns *patterns, const trawl_compile_options *options,
                            const trawl_assembly *plan, trawl_db **db, uint64_t *size,
                            trawl_error *error);

#endif
