/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "base/status.h"
#include "database/engine.h"

/* Tables up to this size are planned to the end, so that a refusal has their whole size. Chosen,
 * not measured. */
#define PLANNED_BYTES ((uint64_t)16 << 20)

trawl_status trawl_build_foresee(trawl_build *build, uint64_t bytes, const char *instead) {
    uint64_t together;
    if (__builtin_add_overflow(build->table_bytes, bytes, &together)) {
        together = UINT64_MAX;
    }
    if (together > PLANNED_BYTES && (together > build->max_table_bytes || together == UINT64_MAX)) {
        return trawl_fail(build->error, TRAWL_ERROR_LIMIT,
                          "the tables would take %llu bytes or more, beyond the limit of %llu; %s",
                          (unsigned long long)together, (unsigned long long)build->max_table_bytes,
                          instead);
    }
    return TRAWL_OK;
}

trawl_status trawl_build_reserve(trawl_build *build, trawl_section_kind kind, uint32_t part,
                                 uint64_t count, uint64_t object, const char *instead) {
    trawl_status status =
        trawl_image_reserve(build->image, kind, part, count, object, build->error);
    if (status != TRAWL_OK) {
        return status;
    }
    build->table_bytes += count * object;
    if (build->table_bytes > build->max_table_bytes && build->instead == NULL) {
        build->instead = instead;
    }
    return TRAWL_OK;
}

trawl_status trawl_build_check(const trawl_build *build, const char *engine) {
    if (build->instead == NULL) {
        return TRAWL_OK;
    }
    return trawl_fail(build->error, TRAWL_ERROR_LIMIT,
                      "the tables of engine %s take %llu bytes, beyond the limit of %llu; %s",
                      engine, (unsigned long long)build->table_bytes,
                      (unsigned long long)build->max_table_bytes, build->instead);
}

int trawl_engine_variant(const trawl_engine *engine, const char *name) {
    for (int i = 0; engine->description.variants[i] != NULL; i++) {
        if (strcmp(engine->description.variants[i], name) == 0) {
            return i;
        }
    }
    return -1;
}
