/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/prepare.h"

#include <stdlib.h>

#include "cli/base/clock.h"
#include "cli/base/database.h"
#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/flags/device.h"
#include "cli/flags/patterns.h"
#include "cli/target/planning.h"
#include "trawl/trawl_groups.h"

const char *scan_sample_of(const scan_options *options, const scan_texts *texts) {
    if (options->sample != NULL)
        return options->sample;
    for (size_t i = 0; i < texts->count; i++) {
        if (texts->items[i].stored_bytes != 0)
            return texts->items[i].path;
    }
    return NULL;
}

static bool compile(const scan_options *options, const scan_texts *texts,
                    const trawl_patterns *patterns, trawl_db **db, trawl_error *ignored) {
    trawl_error error;
    trawl_compile_options compile = options->compile;
    planning plan;
    trawl_status status = TRAWL_ERROR_IO;
    device_choose_engine(&compile, &options->scan);
    compile.text_bytes = texts->stored_bytes;
    if (planning_begin(&plan, scan_sample_of(options, texts), options->sample != NULL, &compile)) {
        status = trawl_compile(patterns, &compile, db, &error);
        if (status != TRAWL_OK)
            (void)report_error(&error);
    }
    *ignored = plan.profile_error;
    planning_end(&plan);
    return status == TRAWL_OK;
}

/* Says on standard error if patterns without a group are counted with others, since their ids are
 * the numbers of groups. */
static void note_groups(const trawl_db *db, const pattern_counts *tally) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    size_t patterns = information.patterns, groups = trawl_db_groups(db);
    if (tally->grouped == 0 || tally->grouped == patterns)
        return;
    uint32_t *members = allocate_zeros(groups * sizeof *members);
    for (uint32_t id = 0; id < patterns; id++)
        members[trawl_db_group_index(db, id)]++;
    for (uint32_t id = 0; id < patterns; id++) {
        if (trawl_db_group(db, id) != id || members[trawl_db_group_index(db, id)] == 1)
            continue;
        report("note: --by-group: the number of a pattern stands in for a missing group; group %u "
               "has pattern %u and others",
               id, id);
        break;
    }
    free(members);
}

bool scan_get_database(const scan_options *options, const scan_texts *texts, trawl_db **db,
                       double *seconds, trawl_error *ignored) {
    trawl_error error;
    trawl_db_information information = TRAWL_DB_INFORMATION;
    *ignored = (trawl_error){.status = TRAWL_OK};
    if (options->database != NULL) {
        if (database_load(options->database, options->database_copy, db, &error) != TRAWL_OK) {
            (void)report_error(&error);
            return false;
        }
        (void)trawl_db_info(*db, &information, NULL);
        *seconds = information.build_seconds;
        return true;
    }
    trawl_patterns *patterns = NULL;
    pattern_counts tally = {0};
    if (!pattern_options_load(&options->patterns, &patterns, &tally))
        return false;
    double begin = seconds_now();
    bool compiled = compile(options, texts, patterns, db, ignored);
    *seconds = seconds_now() - begin;
    if (compiled && options->by_group)
        note_groups(*db, &tally);
    trawl_patterns_free(patterns);
    return compiled;
}
