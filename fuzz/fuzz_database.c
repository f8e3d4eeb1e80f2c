/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Any bytes as a database: refused with a sentence, or usable. Each input is tried as it is and
 * with its checksum made right, because an attacker can make a right checksum.
 */
#include "seal.h"

#include "trawl/trawl_groups.h"
#include "trawl/trawl_scanner.h"
#include "trawl/trawl_study.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t text[] = "ushers USHERS \0\xff\0\xff\0 his abcabcabcabcabcabcabcabcabc SheR"
                              "acgtacgtacgtacgtacgtacg AACCggttaaccggttaaccgca tactacacg";
enum { MATCHES_ENOUGH = 20000 };

static int enough(const trawl_match *match, void *context) {
    size_t *count = context;
    (void)match;
    return ++*count >= MATCHES_ENOUGH;
}

static void use(const trawl_db *db) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    trawl_pattern pattern = TRAWL_PATTERN;
    trawl_error error;
    uint64_t total, sum = 0;
    size_t calls = 0;
    (void)trawl_db_info(db, &information, NULL);
    sum += strlen(information.engine) + strlen(information.variant) + strlen(information.reason);
    trawl_study_plan plan = TRAWL_STUDY_PLAN;
    char *json = NULL;
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
    for (uint32_t id = 0; trawl_db_pattern(db, id, &pattern); id++) {
        for (size_t i = 0; i < pattern.length + pattern.name_length; i++)
            sum +=
                i < pattern.length ? pattern.bytes[i] : (uint8_t)pattern.name[i - pattern.length];
        for (size_t i = 0; pattern.value && i <= pattern.value_length; i++)
            sum += pattern.value[i];
        sum += pattern.group != trawl_db_group_at(db, trawl_db_group_index(db, id));
    }
    if (sum == UINT64_MAX) /* never; keeps the reads */
        abort();
    uint64_t *each = calloc(2 * information.patterns + 1, sizeof(*each));
    if (!each)
        return;
    trawl_scan(db, text, sizeof(text) - 1, NULL, enough, &calls, &error);
    trawl_count(db, text, sizeof(text) - 1, NULL, &total, each, &error);
    trawl_count(db, text, sizeof(text) - 1, NULL, &total, NULL, &error);
    trawl_scanner *scanner;
    uint32_t ids[4];
    if (trawl_scanner_open(db, NULL, &scanner, &error) == TRAWL_OK) {
        trawl_scanner_which(scanner, text, sizeof(text) - 1, ids, 4);
        trawl_db_sum_groups(db, each, each + information.patterns);
    }
    trawl_scanner_close(scanner);
    trawl_stream *stream;
    calls = 0;
    if (trawl_stream_open(db, NULL, enough, &calls, &stream, &error) == TRAWL_OK) {
        trawl_stream_write(stream, text, 20, &error);
        trawl_stream_flush(stream, &error);
        trawl_stream_write(stream, text + 20, sizeof(text) - 21, &error);
        trawl_stream_close(stream, &error);
    }
    free(each);
}

static void load(const uint8_t *block, size_t size) {
    trawl_db *db = NULL;
    trawl_error error;
    trawl_status status = trawl_db_load_memory(block, size, &db, &error);
    if (status == TRAWL_OK) {
        use(db);
        trawl_db_free(db);
    } else if (db || !error.message[0] || status != error.status) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    load(data, size);
    uint8_t *sealed = malloc(size + 1);
    if (!sealed)
        return 0;
    memcpy(sealed, data, size);
    seal_block(sealed, size);
    load(sealed, size);
    free(sealed);
    return 0;
}
