/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Builds databases without patterns. They keep the name of the engine that was asked for, but have
 * none of its tables: no other engine has to know sets without patterns. */
#include "base/status.h"
#include "engines/engines.h"

static trawl_status plan(trawl_build *build) {
    (void)build;
    return TRAWL_OK;
}

static trawl_status fill(trawl_build *build) {
    (void)build;
    return TRAWL_OK;
}

static void release(trawl_build *build) {
    (void)build;
}

/* Tables of an engine are refused, though nobody would read them: calls that look for a section and
 * not for the engine need not ask whether there are patterns. */
static trawl_status validate(const trawl_db *db, trawl_error *error) {
    const trawl_image_header *header = db->header;
    const trawl_section *sections = (const trawl_section *)(header + 1);
    bool sound = header->parts == 1 && header->states == 0 && header->byte_classes == 0 &&
                 header->state_bytes == 0 && header->table_bytes == 0;
    for (uint32_t i = 0; sound && i < header->section_count; i++) {
        sound = sections[i].kind < TRAWL_SECTION_SELECTION_KEY;
    }
    return sound ? TRAWL_OK
                 : trawl_fail(error, TRAWL_ERROR_FORMAT,
                              "the database has no patterns, but tables of an engine");
}

static const char *const names[] = {"", NULL};

const trawl_engine trawl_engine_empty = {
    .description = {.name = "", .summary = "", .variants = names, .variant_summaries = names},
    .plan = plan,
    .fill = fill,
    .release = release,
    .validate = validate,
    .walker = &trawl_walker_empty,
};
