/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/scan/prepare.h"

#include "cli/base/clock.h"
#include "cli/base/database.h"
#include "cli/base/report.h"
#include "cli/flags/device.h"
#include "cli/flags/patterns.h"
#include "cli/target/planning.h"

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
    if (!pattern_options_load(&options->patterns, &patterns, NULL))
        return false;
    double begin = seconds_now();
    bool compiled = compile(options, texts, patterns, db, ignored);
    *seconds = seconds_now() - begin;
    trawl_patterns_free(patterns);
    return compiled;
}
