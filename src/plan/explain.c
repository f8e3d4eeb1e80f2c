/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What a database keeps of its plan, for reports. */
#include <string.h>

#include "database/engine.h"
#include "engines/engines.h"
#include "plan/record.h"

_Static_assert(TRAWL_MOST_FILTERS == TRAWL_QGRAM_MAX_TIERS, "trawl.h names the most tiers");

static const char *const names[TRAWL_PLAN_ENGINES] = {
    [TRAWL_PLAN_QGRAM] = "qgram",
    [TRAWL_PLAN_AC_DFA] = "ac-dfa",
    [TRAWL_PLAN_AC_NFA] = "ac-nfa",
    [TRAWL_PLAN_WU_MANBER] = "wu-manber",
};

/* NULL: the database has none. Nothing depends on its values, so that any will do. */
static const trawl_plan_record *find_record(const trawl_db *db) {
    uint64_t size = 0;
    const trawl_plan_record *record =
        db == NULL ? NULL : trawl_db_section(db, TRAWL_SECTION_PLAN, 0, &size);
    return size == sizeof *record ? record : NULL;
}

static const trawl_qgram_header *find_tiers(const trawl_db *db) {
    return db == NULL || db->engine != &trawl_engine_qgram
               ? NULL
               : trawl_db_section(db, TRAWL_SECTION_QGRAM_HEADER, 0, NULL);
}

static double rate(double nanoseconds) {
    return nanoseconds > 0 ? 1 / nanoseconds : 0;
}

static const trawl_device_record *find_device_record(const trawl_db *db) {
    uint64_t size = 0;
    const trawl_device_record *record =
        db == NULL ? NULL : trawl_db_section(db, TRAWL_SECTION_DEVICE_PLAN, 0, &size);
    return size == sizeof *record && record->chosen < TRAWL_DEVICE_WAYS &&
                   record->tiers <= TRAWL_DEVICE_MOST_TIERS
               ? record
               : NULL;
}

/* Of a whole device: 10^9 bytes a second, from picoseconds. */
static double device_rate(double picoseconds) {
    return picoseconds > 0 ? 1e3 / picoseconds : 0;
}

bool trawl_db_plan(const trawl_db *db, trawl_plan_information *information) {
    const trawl_plan_record *record = find_record(db);
    const trawl_device_record *device = find_device_record(db);
    if ((record == NULL && device == NULL) || information == NULL) {
        return false;
    }
    memset(information, 0, sizeof *information);
    const trawl_qgram_header *header = find_tiers(db);
    information->filters = header == NULL ? 0 : header->tiers;
    if (device != NULL) {
        information->for_cuda = true;
        information->match_ends = device->match_ends;
        information->sample_bytes = device->sample_bytes;
        information->device_filters = device->tiers;
        information->gb_per_second = device_rate(device->picoseconds[device->chosen]);
        for (size_t i = 0; i < TRAWL_DEVICE_WAYS; i++) {
            information->engines += device->picoseconds[i] > 0;
        }
        return true;
    }
    information->match_ends = record->match_ends;
    information->sample_bytes = record->sample_bytes;
    for (size_t i = 0; i < TRAWL_PLAN_ENGINES; i++) {
        information->engines += record->nanoseconds[i] > 0;
        if (strcmp(db->engine->description.name, names[i]) == 0) {
            information->gb_per_second = rate(record->nanoseconds[i]);
        }
    }
    return true;
}

static bool find_way(const trawl_device_record *record, size_t index,
                     trawl_expected_engine *expected) {
    static const char *const engines[TRAWL_DEVICE_WAYS] = {"qgram", "qgram", "ac-dfa"};
    static const char *const kernels[TRAWL_DEVICE_WAYS] = {"filter", "packed", "hot"};
    for (size_t i = 0; i < TRAWL_DEVICE_WAYS; i++) {
        if (record->picoseconds[i] > 0 && index-- == 0) {
            *expected =
                (trawl_expected_engine){.engine = engines[i],
                                        .kernel = kernels[i],
                                        .gb_per_second = device_rate(record->picoseconds[i]),
                                        .table_bytes = record->bytes[i],
                                        .shared_bytes = record->shared_bytes[i]};
            return true;
        }
    }
    return false;
}

bool trawl_db_expected(const trawl_db *db, size_t index, trawl_expected_engine *expected) {
    const trawl_plan_record *record = find_record(db);
    const trawl_device_record *device = find_device_record(db);
    if (device != NULL && expected != NULL) {
        return find_way(device, index, expected);
    }
    for (size_t i = 0; record != NULL && expected != NULL && i < TRAWL_PLAN_ENGINES; i++) {
        if (record->nanoseconds[i] > 0 && index-- == 0) {
            *expected = (trawl_expected_engine){.engine = names[i],
                                                .kernel = "",
                                                .gb_per_second = rate(record->nanoseconds[i]),
                                                .table_bytes = record->bytes[i]};
            return true;
        }
    }
    return false;
}

bool trawl_db_device_filter(const trawl_db *db, size_t index, trawl_filter_information *filter) {
    static const char *const kinds[] = {"direct", "shared", "global", "automaton"};
    const trawl_device_record *device = find_device_record(db);
    if (device == NULL || filter == NULL || index >= device->tiers ||
        device->tier[index].place >= sizeof kinds / sizeof *kinds) {
        return false;
    }
    const trawl_device_tier_record *tier = &device->tier[index];
    *filter = (trawl_filter_information){.kind = kinds[tier->place],
                                         .min_length = tier->min_length,
                                         .max_length = tier->max_length,
                                         .window = tier->gram,
                                         .gram = tier->gram,
                                         .stride = tier->stride,
                                         .table_bytes = tier->bytes};
    return true;
}

bool trawl_db_filter(const trawl_db *db, size_t index, trawl_filter_information *filter) {
    static const char *const kinds[TRAWL_TIER_KINDS] = {
        [TRAWL_TIER_DIRECT] = "direct",       [TRAWL_TIER_BLOOM] = "bloom",
        [TRAWL_TIER_TEDDY] = "teddy",         [TRAWL_TIER_PACKED] = "packed",
        [TRAWL_TIER_REGISTERS] = "registers",
    };
    const trawl_qgram_header *header = find_tiers(db);
    if (header == NULL || filter == NULL || index >= header->tiers) {
        return false;
    }
    const trawl_qgram_tier *tier = &header->tier[index];
    uint64_t bytes = 0;
    (void)trawl_db_section(db, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, (uint32_t)index, &bytes);
    *filter = (trawl_filter_information){.kind = kinds[tier->kind],
                                         .min_length = tier->min_length,
                                         .max_length = tier->max_length,
                                         .window = tier->window,
                                         .gram = tier->gram,
                                         .stride = tier->stride,
                                         .anchor_slack = tier->anchor_slack,
                                         .table_bytes = bytes};
    const trawl_plan_record *record = find_record(db);
    if (record != NULL) {
        const trawl_tier_record *expected = &record->tier[index];
        filter->patterns = expected->patterns;
        filter->pass = expected->pass;
        filter->look_ups = expected->look_ups;
        filter->gb_per_second = rate(expected->nanoseconds);
    }
    return true;
}
