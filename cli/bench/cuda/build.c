/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/cuda/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/clock.h"
#include "cli/bench/row.h"
#include "cli/flags/device.h"
#include "cli/target/planning.h"
#include "trawl/trawl_study.h"

void bench_cuda_drop(bench_cuda *bench) {
    trawl_cuda_db_free(bench->uploaded);
    trawl_db_free(bench->db);
    bench->uploaded = NULL;
    bench->db = NULL;
}

static bool is_built(const bench_cuda *bench, size_t index) {
    if (bench->db == NULL)
        return false;
    const bench_row *row = &bench->rows.items[index];
    const bench_row *last = &bench->rows.items[bench->built_for];
    bool same_variant = row->asked_variant == NULL || last->asked_variant == NULL
                            ? row->asked_variant == last->asked_variant
                            : strcmp(row->asked_variant, last->asked_variant) == 0;
    /* On the CPU and on a GPU auto may choose different engines. */
    bool same_device =
        (bench->details[index].ladder == NULL) == (bench->details[bench->built_for].ladder == NULL);
    same_variant = same_variant && (same_device || strcmp(row->asked_engine, "auto") != 0);
    return same_variant && strcmp(row->asked_engine, last->asked_engine) == 0 &&
           bench->details[index].parts == bench->details[bench->built_for].parts;
}

bool bench_cuda_build(bench_cuda *bench, size_t index) {
    bench_row *row = &bench->rows.items[index];
    bench_cuda_row *detail = &bench->details[index];
    if (!is_built(bench, index)) {
        trawl_compile_options options = bench->options->compile;
        options.engine = row->asked_engine;
        options.variant = row->asked_variant;
        trawl_study_compile_options study = study_of_compile(&options);
        if (detail->parts != 0)
            study.split_parts = detail->parts;
        options.study = &study;
        options.device = detail->ladder == NULL ? NULL : bench->device;
        bench_cuda_drop(bench);
        bench_cuda_show(bench, "building", index);
        planning plan;
        planning_begin_with_text(&plan, bench->text->bytes, bench->text->length, &options);
        double begin = seconds_now();
        trawl_status status = trawl_compile(bench->patterns, &options, &bench->db, &row->refusal);
        planning_end(&plan);
        if (status != TRAWL_OK) {
            bench->db = NULL;
            return false;
        }
        bench->build_seconds = seconds_now() - begin;
        bench->built_for = index;
    }
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(bench->db, &information, NULL);
    (void)snprintf(row->engine, sizeof row->engine, "%s", information.engine);
    (void)snprintf(detail->variant, sizeof detail->variant, "%s", information.variant);
    trawl_study_plan plan = TRAWL_STUDY_PLAN;
    if (strcmp(row->asked_engine, "auto") == 0 &&
        trawl_study_db_plan(bench->db, &plan, NULL) == TRAWL_OK && plan.planned) {
        (void)snprintf(detail->reason, sizeof detail->reason, "%s", information.reason);
        detail->expected = plan.gb_per_second;
    }
    row->table_bytes = information.table_bytes;
    row->build_seconds = bench->build_seconds;
    return true;
}

bool bench_cuda_upload(bench_cuda *bench, trawl_error *error) {
    if (bench->uploaded != NULL)
        return true;
    trawl_cuda_upload_options options = TRAWL_CUDA_UPLOAD_OPTIONS;
    options.device = bench->device_number;
    uint8_t *sample =
        planning_table_sample(bench->text->bytes, bench->text->length, &options.sample_length);
    options.sample = sample;
    trawl_status status = trawl_cuda_upload(bench->db, &options, &bench->uploaded, error);
    free(sample);
    return status == TRAWL_OK;
}
