/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What a database keeps of its plan: in numbers for study, and as JSON. */
#include <string.h>

#include "base/allocate.h"
#include "base/sized.h"
#include "database/engine.h"
#include "database/part_sizes.h"
#include "engines/engines.h"
#include "plan/gpu.h"
#include "plan/json.h"

_Static_assert(TRAWL_MOST_FILTERS == TRAWL_QGRAM_MAX_TIERS, "a study's plan has all tiers");
_Static_assert(TRAWL_STUDY_MOST_DEVICE_FILTERS == TRAWL_DEVICE_MOST_TIERS, "and those of a GPU");
_Static_assert((unsigned)TRAWL_STUDY_MOST_ENGINES >= TRAWL_PLAN_ENGINES, "and all engines");
_Static_assert((unsigned)TRAWL_STUDY_MOST_ENGINES >= TRAWL_DEVICE_WAYS, "on a GPU too");

static const trawl_qgram_header *find_tiers(const trawl_db *db) {
    return db->engine != &trawl_engine_qgram
               ? NULL
               : trawl_db_section(db, TRAWL_SECTION_QGRAM_HEADER, 0, NULL);
}

static double rate(double nanoseconds) {
    return nanoseconds > 0 ? 1 / nanoseconds : 0;
}

/* 10^9 bytes a second from picoseconds for a byte. */
static double device_rate(double picoseconds) {
    return picoseconds > 0 ? 1e3 / picoseconds : 0;
}

/* ------------------------------------------------------------------ the parts of a plan */

static void add_engine(trawl_study_plan *plan, const trawl_study_engine *engine) {
    plan->engine[plan->engines] = *engine;
    plan->engines++;
}

/* A plan for the CPU. */
static void read_record(const trawl_db *db, const trawl_plan_record *record,
                        trawl_study_plan *plan) {
    plan->match_ends = record->match_ends;
    plan->sample_bytes = record->sample_bytes;
    for (size_t i = 0; i < TRAWL_PLAN_ENGINES; i++) {
        if (db->engine == trawl_plan_engines[i]) {
            plan->gb_per_second = rate(record->nanoseconds[i]);
        }
        if (record->nanoseconds[i] > 0) {
            add_engine(plan,
                       &(trawl_study_engine){.engine = trawl_plan_engines[i]->description.name,
                                             .kernel = "",
                                             .gb_per_second = rate(record->nanoseconds[i]),
                                             .table_bytes = record->bytes[i]});
        }
    }
}

static void read_device_filters(const trawl_device_record *device, trawl_study_plan *plan) {
    static const char *const kinds[] = {"direct", "shared", "global", "automaton"};
    for (size_t i = 0; i < device->tiers; i++) {
        const trawl_device_tier_record *tier = &device->tier[i];
        if (tier->place < sizeof kinds / sizeof *kinds) {
            plan->device_filter[plan->device_filters] =
                (trawl_study_filter){.kind = kinds[tier->place],
                                     .min_length = tier->min_length,
                                     .max_length = tier->max_length,
                                     .window = tier->gram,
                                     .gram = tier->gram,
                                     .stride = tier->stride,
                                     .table_bytes = tier->bytes};
            plan->device_filters++;
        }
    }
}

/* A plan for a GPU. */
static void read_device_record(const trawl_device_record *device, trawl_study_plan *plan) {
    plan->for_cuda = true;
    plan->match_ends = device->match_ends;
    plan->sample_bytes = device->sample_bytes;
    plan->gb_per_second = device_rate(device->picoseconds[device->chosen]);
    for (size_t i = 0; i < TRAWL_DEVICE_WAYS; i++) {
        if (device->picoseconds[i] > 0) {
            add_engine(plan,
                       &(trawl_study_engine){.engine = trawl_plan_ways[i].engine,
                                             .kernel = trawl_plan_ways[i].kernel,
                                             .gb_per_second = device_rate(device->picoseconds[i]),
                                             .table_bytes = device->bytes[i],
                                             .shared_bytes = device->shared_bytes[i]});
        }
    }
    read_device_filters(device, plan);
}

/* The filters that the database has; with `record`, what was expected of them. */
static void read_filters(const trawl_db *db, const trawl_plan_record *record,
                         trawl_study_plan *plan) {
    static const char *const kinds[TRAWL_TIER_KINDS] = {
        [TRAWL_TIER_DIRECT] = "direct",       [TRAWL_TIER_BLOOM] = "bloom",
        [TRAWL_TIER_TEDDY] = "teddy",         [TRAWL_TIER_PACKED] = "packed",
        [TRAWL_TIER_REGISTERS] = "registers", [TRAWL_TIER_ANCHORS] = "anchors",
        [TRAWL_TIER_SPARSE] = "sparse",
    };
    const trawl_qgram_header *header = find_tiers(db);
    plan->filters = header == NULL ? 0 : header->tiers;
    for (size_t i = 0; i < plan->filters; i++) {
        const trawl_qgram_tier *tier = &header->tier[i];
        trawl_study_filter *filter = &plan->filter[i];
        uint64_t bytes = 0;
        (void)trawl_db_section(db, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, (uint32_t)i, &bytes);
        *filter = (trawl_study_filter){.kind = kinds[tier->kind],
                                       .min_length = tier->min_length,
                                       .max_length = tier->max_length,
                                       .window = tier->window,
                                       .gram = tier->gram,
                                       .stride = tier->stride,
                                       .table_bytes = bytes};
        if (record != NULL) {
            const trawl_tier_record *expected = &record->tier[i];
            filter->patterns = expected->patterns;
            filter->pass_rate = expected->pass;
            filter->candidates = expected->look_ups;
            filter->gb_per_second = rate(expected->nanoseconds);
        }
    }
}

static void read_plan(const trawl_db *db, trawl_study_plan *plan) {
    const trawl_plan_record *record = trawl_plan_record_of(db);
    const trawl_device_record *device = trawl_device_record_of(db);
    memset(plan, 0, sizeof *plan);
    plan->planned = record != NULL || device != NULL;
    if (device != NULL) {
        read_device_record(device, plan);
    } else if (record != NULL) {
        read_record(db, record, plan);
    }
    read_filters(db, record, plan);
}

trawl_status trawl_study_db_plan(const trawl_db *db, trawl_study_plan *plan, trawl_error *error) {
    trawl_clear(error);
    if (db == NULL || plan == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_study_db_plan: %s is NULL",
                          db == NULL ? "db" : "plan");
    }
    trawl_status status =
        trawl_sized_check(plan, "trawl_study_db_plan: plan", "TRAWL_STUDY_PLAN", error);
    if (status == TRAWL_OK) {
        trawl_study_plan known;
        read_plan(db, &known);
        trawl_sized_write(plan, &known, sizeof known);
    }
    return status;
}

/* ------------------------------------------------------------------ as JSON */

static void write_engine(trawl_json *json, const trawl_study_engine *engine) {
    trawl_json_open(json, NULL, '{');
    trawl_json_text(json, "engine", engine->engine);
    if (engine->kernel[0] != '\0') {
        trawl_json_text(json, "kernel", engine->kernel);
        trawl_json_integer(json, "shared_bytes", engine->shared_bytes);
    }
    trawl_json_integer(json, "table_bytes", engine->table_bytes);
    trawl_json_number(json, "gb_per_second", engine->gb_per_second);
    trawl_json_close(json, '}');
}

static void write_filter(trawl_json *json, const trawl_study_filter *filter, bool on_device) {
    trawl_json_open(json, NULL, '{');
    trawl_json_text(json, "kind", filter->kind);
    trawl_json_integer(json, "min_length", filter->min_length);
    trawl_json_integer(json, "max_length", filter->max_length);
    trawl_json_integer(json, "window", filter->window);
    trawl_json_integer(json, "gram", filter->gram);
    trawl_json_integer(json, "stride", filter->stride);
    trawl_json_integer(json, "table_bytes", filter->table_bytes);
    if (!on_device) {
        trawl_json_integer(json, "patterns", filter->patterns);
        trawl_json_number(json, "pass_rate", filter->pass_rate);
        trawl_json_number(json, "candidates", filter->candidates);
        trawl_json_number(json, "gb_per_second", filter->gb_per_second);
    }
    trawl_json_close(json, '}');
}

static void write_filters(trawl_json *json, const char *name, const trawl_study_filter *filters,
                          size_t count, bool on_device) {
    trawl_json_open(json, name, '[');
    for (size_t i = 0; i < count; i++) {
        write_filter(json, &filters[i], on_device);
    }
    trawl_json_close(json, ']');
}

static void write_plan(trawl_json *json, const trawl_study_plan *plan) {
    if (!plan->planned) {
        trawl_json_null(json, "plan");
        return;
    }
    trawl_json_open(json, "plan", '{');
    trawl_json_text(json, "device", plan->for_cuda ? "cuda" : "cpu");
    trawl_json_integer(json, "sample_bytes", plan->sample_bytes);
    trawl_json_number(json, "match_ends", plan->match_ends);
    trawl_json_number(json, "gb_per_second", plan->gb_per_second);
    trawl_json_open(json, "engines", '[');
    for (size_t i = 0; i < plan->engines; i++) {
        write_engine(json, &plan->engine[i]);
    }
    trawl_json_close(json, ']');
    write_filters(json, "device_filters", plan->device_filter, plan->device_filters, true);
    trawl_json_close(json, '}');
}

/* The automata of a database; of ac-split also how far their patterns' bytes are apart (Tran et
 * al., 4.2). */
static void write_parts(trawl_json *json, const trawl_db *db) {
    uint64_t longest = 0, shortest = UINT64_MAX;
    trawl_part_sizes sizes;
    trawl_json_open(json, "automata", '[');
    for (uint32_t part = 0; part < db->header->parts; part++) {
        if (!trawl_db_part_sizes(db, part, &sizes)) {
            continue;
        }
        longest = sizes.pattern_bytes > longest ? sizes.pattern_bytes : longest;
        shortest = sizes.pattern_bytes < shortest ? sizes.pattern_bytes : shortest;
        trawl_json_open(json, NULL, '{');
        trawl_json_integer(json, "patterns", sizes.patterns);
        trawl_json_integer(json, "pattern_bytes", sizes.pattern_bytes);
        trawl_json_integer(json, "states", sizes.states);
        trawl_json_integer(json, "next_bytes", sizes.next_bytes);
        trawl_json_close(json, '}');
    }
    trawl_json_close(json, ']');
    if (db->engine == &trawl_engine_ac_split) {
        trawl_json_number(json, "imbalance", (double)longest / (double)shortest - 1);
    }
}

trawl_status trawl_db_explain(const trawl_db *db, char **text, trawl_error *error) {
    trawl_clear(error);
    if (db == NULL || text == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_db_explain: %s is NULL",
                          db == NULL ? "db" : "text");
    }
    *text = NULL;
    trawl_db_information about = TRAWL_DB_INFORMATION;
    trawl_status status = trawl_db_info(db, &about, error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_study_plan plan;
    read_plan(db, &plan);
    trawl_json json = {0};
    trawl_json_open(&json, NULL, '{');
    trawl_json_text(&json, "engine", about.engine);
    trawl_json_text(&json, "variant", about.variant);
    trawl_json_text(&json, "reason", about.reason);
    trawl_json_integer(&json, "table_bytes", about.table_bytes);
    trawl_json_integer(&json, "total_bytes", about.total_bytes);
    write_filters(&json, "filters", plan.filter, plan.filters, false);
    write_parts(&json, db);
    write_plan(&json, &plan);
    trawl_json_close(&json, '}');
    *text = trawl_json_finish(&json);
    return *text != NULL ? TRAWL_OK : trawl_fail_memory(error, "explaining", json.needed);
}

void trawl_text_free(char *text) {
    trawl_release(text);
}
