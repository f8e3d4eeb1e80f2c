#include "common/status.h"
#include "engine/engine.h"

trawl_status trawl_build_reserve(trawl_build *build, trawl_section_kind kind, uint32_t part,
                                 uint64_t count, uint64_t object, const char *instead) {
    trawl_status status =
        trawl_image_reserve(build->image, kind, part, count, object, build->error);
    if (status != TRAWL_OK) {
        return status;
    }
    build->table_bytes += count * object;
    if (build->table_bytes > build->max_table_bytes) {
        return trawl_fail(build->error, TRAWL_ERROR_LIMIT,
                          "the tables would take more than the limit of %llu bytes; %s",
                          (unsigned long long)build->max_table_bytes, instead);
    }
    return TRAWL_OK;
}
