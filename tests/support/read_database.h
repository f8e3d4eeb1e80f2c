/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Calls all functions that read a database, for tests of damaged ones: sanitizers find reads
 * outside of it. */
#ifndef TRAWL_TESTS_READ_DATABASE_H
#define TRAWL_TESTS_READ_DATABASE_H

#include "trawl/trawl_groups.h"
#include "trawl/trawl_study.h"

#include <string.h>

static inline uint64_t read_bytes(const void *bytes, size_t length) {
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += ((const uint8_t *)bytes)[i];
    return sum;
}

static inline uint64_t read_pattern(const trawl_db *db, uint32_t id, const trawl_pattern *pattern) {
    uint64_t sum = read_bytes(pattern->bytes, pattern->length);
    sum += read_bytes(pattern->name, pattern->name_length);
    if (pattern->value)
        sum += read_bytes(pattern->value, pattern->value_length + 1);
    return sum + (pattern->group != trawl_db_group_at(db, trawl_db_group_index(db, id)));
}

/* Returns a number that depends on everything that was read, so that compilers keep the reads. */
static inline uint64_t read_database(const trawl_db *db) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    trawl_study_plan plan = TRAWL_STUDY_PLAN;
    trawl_pattern pattern = TRAWL_PATTERN;
    trawl_error error;
    char *json = NULL;
    (void)trawl_db_info(db, &information, NULL);
    uint64_t sum = strlen(information.engine) + strlen(information.variant);
    sum += strlen(information.reason);
    sum += trawl_study_db_plan(db, &plan, &error) != TRAWL_OK;
    for (size_t i = 0; i < plan.engines; i++)
        sum += strlen(plan.engine[i].engine) + strlen(plan.engine[i].kernel);
    for (size_t i = 0; i < plan.filters; i++)
        sum += strlen(plan.filter[i].kind) + plan.filter[i].min_length;
    for (size_t i = 0; i < plan.device_filters; i++)
        sum += strlen(plan.device_filter[i].kind) + plan.device_filter[i].min_length;
    if (trawl_db_explain(db, &json, &error) == TRAWL_OK)
        sum += strlen(json);
    trawl_text_free(json);
    for (uint32_t id = 0; trawl_db_pattern(db, id, &pattern); id++)
        sum += read_pattern(db, id, &pattern);
    return sum;
}

#endif
