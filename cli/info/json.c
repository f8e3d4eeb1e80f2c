/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The report of `trawl info` for programs: one JSON object. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/json_text.h"
#include "cli/base/report.h"
#include "cli/flags/compile.h"
#include "cli/info/measure.h"
#include "cli/info/print.h"
#include "cli/info/report.h"
#include "trawl/trawl.h"

/* Prints ,"KEY":VALUE with so many decimals. A forged database may have numbers that JSON cannot
 * say: null. */
static void print_number(const char *key, int decimals, double value) {
    if (isfinite(value))
        (void)printf(",\"%s\":%.*f", key, decimals, value);
    else
        (void)printf(",\"%s\":null", key);
}

/* The same of a share of something, which may be very small. */
static void print_share(const char *key, double value) {
    if (isfinite(value))
        (void)printf(",\"%s\":%.6g", key, value);
    else
        (void)printf(",\"%s\":null", key);
}

static void print_statistics(const trawl_statistics *set) {
    (void)printf("\"statistics\":{\"patterns\":%zu,\"distinct\":%zu,\"case_insensitive\":%zu,"
                 "\"total_bytes\":%" PRIu64 ",\"min_length\":%zu,\"max_length\":%zu,"
                 "\"mean_length\":%.4f,\"median_length\":%zu,\"alphabet\":%zu,\"states\":%" PRIu64
                 ",\"levels\":%zu,\"prefix_sharing\":%.4f}",
                 set->count, set->distinct, set->case_insensitive, set->total_bytes,
                 set->min_length, set->max_length, set->mean_length, set->median_length,
                 set->alphabet, set->states, set->levels, set->prefix_sharing);
}

static void print_database(const trawl_db_information *db) {
    (void)printf("\"database\":{");
    json_print_member(stdout, "engine", db->engine);
    (void)printf(",");
    json_print_member(stdout, "variant", db->variant);
    (void)printf(",\"matches\":\"%s\",\"states\":%" PRIu64 ",\"parts\":%zu,\"byte_classes\":%zu,"
                 "\"state_bytes\":%zu,\"table_bytes\":%" PRIu64 ",\"total_bytes\":%" PRIu64,
                 match_kind_name(db->matches), db->states, db->parts, db->byte_classes,
                 db->state_bytes, db->table_bytes, db->total_bytes);
    print_number("build_seconds", 6, db->build_seconds);
    (void)printf(",");
    json_print_member(stdout, "reason", db->reason);
    (void)printf("}");
}

/* The states of each part, where they are known. */
static void print_part_states(const info_row *row) {
    if (row->built_parts < 2 || row->built_parts > INFO_MOST_PARTS || row->part_states[0] == 0)
        return;
    for (size_t part = 0; part < row->built_parts; part++)
        (void)printf("%s%zu", part == 0 ? ",\"part_states\":[" : ",", row->part_states[part]);
    (void)printf("]");
}

static void print_row(const info_row *row, size_t levels) {
    (void)printf("{");
    json_print_member(stdout, "engine", row->engine);
    if (row->variant != NULL) {
        (void)printf(",");
        json_print_member(stdout, "variant", row->variant);
    }
    if (row->parts != 0)
        (void)printf(",\"asked_parts\":%u", row->parts);
    if (!row->refused)
        (void)printf(",\"total_bytes\":%" PRIu64, row->total_bytes);
    if (row->built) {
        (void)printf(",\"table_bytes\":%" PRIu64 ",\"states\":%" PRIu64 ",\"levels\":%zu"
                     ",\"parts\":%zu,\"byte_classes\":%zu,\"build_seconds\":%.6f",
                     row->table_bytes, row->states, levels, row->built_parts, row->byte_classes,
                     row->build_seconds);
        print_part_states(row);
    } else {
        (void)printf(",");
        json_print_member(stdout, row->refused ? "refused" : "not_built", row->reason);
    }
}

static void print_engine(const trawl_study_engine *engine, bool is_first) {
    (void)printf("%s{\"engine\":\"%s\"", is_first ? "" : ",", engine->engine);
    if (engine->kernel[0] != '\0')
        (void)printf(",\"kernel\":\"%s\",\"shared_bytes\":%" PRIu64, engine->kernel,
                     engine->shared_bytes);
    (void)printf(",\"table_bytes\":%" PRIu64, engine->table_bytes);
    print_number("gb_per_second", 4, engine->gb_per_second);
    (void)printf("}");
}

static void print_device_filters(const trawl_study_plan *plan) {
    for (size_t i = 0; i < plan->device_filters; i++) {
        const trawl_study_filter *filter = &plan->device_filter[i];
        (void)printf("%s{\"kind\":\"%s\",\"min_length\":%zu,\"max_length\":%zu,\"window\":%u,"
                     "\"gram\":%u,\"stride\":%u,\"table_bytes\":%" PRIu64 "}",
                     i == 0 ? "" : ",", filter->kind, filter->min_length, filter->max_length,
                     filter->window, filter->gram, filter->stride, filter->table_bytes);
    }
}

static void print_expected(const char *key, const trawl_study_plan *expected) {
    (void)printf(",\"%s\":{\"device\":\"%s\",\"sample_bytes\":%" PRIu64, key,
                 expected->for_cuda ? "cuda" : "cpu", expected->sample_bytes);
    print_share("match_ends", expected->match_ends);
    print_number("gb_per_second", 4, expected->gb_per_second);
    (void)printf(",\"engines\":[");
    for (size_t i = 0; i < expected->engines; i++)
        print_engine(&expected->engine[i], i == 0);
    (void)printf("],\"filters\":[");
    for (size_t i = 0; i < expected->filters; i++) {
        const trawl_study_filter *filter = &expected->filter[i];
        (void)printf(
            "%s{\"kind\":\"%s\",\"min_length\":%zu,\"max_length\":%zu,\"patterns\":%" PRIu64
            ",\"window\":%u,\"gram\":%u,\"stride\":%u,\"table_bytes\":%" PRIu64,
            i == 0 ? "" : ",", filter->kind, filter->min_length, filter->max_length,
            filter->patterns, filter->window, filter->gram, filter->stride, filter->table_bytes);
        print_share("pass_rate", filter->pass_rate);
        print_share("candidates", filter->candidates);
        print_number("gb_per_second", 4, filter->gb_per_second);
        (void)printf("}");
    }
    (void)printf("],\"device_filters\":[");
    print_device_filters(expected);
    (void)printf("]}");
}

static void print_formulas(const info_report *report) {
    (void)printf("\"log_states\":%u,\"formulas\":[", report->log_states);
    for (size_t i = 0; i < INFO_FORMULAS; i++) {
        const info_formula *formula = &report->formulas[i];
        (void)printf("%s{", i == 0 ? "" : ",");
        json_print_member(stdout, "structure", formula->structure);
        (void)printf(",");
        json_print_member(stdout, "formula", formula->formula);
        (void)printf(",\"bits\":%" PRIu64 ",\"bytes\":%" PRIu64 ",", formula->bits,
                     (formula->bits + 7) / 8);
        json_print_member(stdout, "engine", formula->engine);
        (void)printf(",");
        json_print_member(stdout, "variant", formula->variant);
        const info_row *row = info_find_row(report, formula->engine, formula->variant, 0);
        if (row != NULL && row->built)
            (void)printf(",\"trawl_bytes\":%" PRIu64 ",\"output_bytes\":%" PRIu64, row->next_bytes,
                         row->table_bytes - row->next_bytes);
        (void)printf("}");
    }
    (void)printf("]");
}

void info_print_json(const info_report *report) {
    (void)printf("{");
    json_print_member(stdout, "source", report->source);
    (void)printf(",");
    print_statistics(&report->statistics);
    (void)printf(",");
    if (report->is_database) {
        print_database(&report->database);
        (void)printf(",");
    }
    (void)printf("\"plan\":");
    print_row(&report->plan, report->statistics.levels);
    (void)printf(",");
    json_print_member(stdout, "reason", report->plan_reason);
    (void)printf("}");
    if (report->profile_error.status != TRAWL_OK) {
        (void)printf(",");
        json_print_member(stdout, "profile_ignored", report->profile_error.message);
    }
    if (report->has_expected)
        print_expected("expected", &report->expected);
    if (report->has_new_expected)
        print_expected("new_expected", &report->new_expected);
    (void)printf(",\"engines\":[");
    for (size_t i = 0; i < report->row_count; i++) {
        (void)printf("%s", i == 0 ? "" : ",");
        print_row(&report->rows[i], report->statistics.levels);
        (void)printf("}");
    }
    (void)printf("],");
    print_formulas(report);
    const info_paper_build *paper = info_nearest_paper_build(report->statistics.count);
    (void)printf(",\"plain_stt_bytes\":%" PRIu64
                 ",\"paper_build_seconds\":{\"patterns\":%u,\"one\":%.4f,\"four\":%.4f,"
                 "\"eight\":%.4f}}\n",
                 report->plain_table_bytes, paper->patterns, paper->one, paper->four, paper->eight);
}
