/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Sizes and build times of every engine and variant for one pattern set. */
#include "cli/info/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/memory.h"
#include "cli/base/report.h"
#include "cli/base/words.h"
#include "cli/flags/device.h"
#include "cli/flags/study.h"

static bool take_plan(const trawl_db *db, trawl_study_plan *plan) {
    *plan = (trawl_study_plan)TRAWL_STUDY_PLAN;
    return trawl_study_db_plan(db, plan, NULL) == TRAWL_OK && plan->planned;
}

bool info_plan_is_finite(const trawl_study_plan *plan) {
    bool finite = isfinite(plan->gb_per_second) && isfinite(plan->match_ends);
    for (size_t i = 0; i < plan->engines; i++)
        finite = finite && isfinite(plan->engine[i].gb_per_second);
    for (size_t i = 0; i < plan->filters; i++) {
        const trawl_study_filter *filter = &plan->filter[i];
        finite = finite && isfinite(filter->pass_rate * 100) &&
                 isfinite(filter->candidates * 100) && isfinite(filter->gb_per_second);
    }
    return finite;
}

void info_take_expected(info_report *report, const trawl_db *db) {
    report->has_expected = take_plan(db, &report->expected);
}

static void refuse(info_row *row, const trawl_error *error) {
    row->refused = true;
    (void)snprintf(row->reason, sizeof row->reason, "%s", error->message);
}

static void describe_built(info_row *row, const trawl_db_information *information) {
    row->built = true;
    row->states = information->states;
    row->built_parts = information->parts;
    row->byte_classes = information->byte_classes;
    row->table_bytes = information->table_bytes;
    row->total_bytes = information->total_bytes;
}

static void describe_automata(info_row *row, const trawl_db *db) {
    trawl_study_automaton automaton = TRAWL_STUDY_AUTOMATON;
    for (uint32_t part = 0; part < row->built_parts; part++) {
        if (trawl_study_db_automaton(db, part, &automaton, NULL) != TRAWL_OK)
            return;
        row->next_bytes += automaton.next_bytes;
        if (part < INFO_MOST_PARTS)
            row->part_states[part] = automaton.states;
    }
}

/* Builds a database and describes it in the row. */
static void compile_row(info_row *row, const trawl_patterns *patterns,
                        const trawl_compile_options *options) {
    trawl_error error;
    trawl_db *db = NULL;
    double begin = seconds_now();
    if (trawl_compile(patterns, options, &db, &error) != TRAWL_OK) {
        refuse(row, &error);
        return;
    }
    row->build_seconds = seconds_now() - begin;
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    describe_built(row, &information);
    describe_automata(row, db);
    trawl_db_free(db);
}

static void measure_row(info_row *row, const trawl_patterns *patterns,
                        const trawl_compile_options *given, const info_extent *extent) {
    trawl_compile_options options = *given;
    trawl_error error;
    options.engine = row->engine;
    options.variant = row->variant;
    trawl_study_compile_options study = study_of_compile(given);
    study.split_parts = row->parts;
    options.study = &study;
    options.max_table_bytes = UINT64_MAX; /* so that no size is refused */
    trawl_status status = trawl_compile_size(patterns, &options, &row->total_bytes, &error);
    if (status != TRAWL_OK)
        refuse(row, &error);
    else if (!extent->builds || row->total_bytes > extent->build_limit)
        (void)snprintf(row->reason, sizeof row->reason,
                       extent->builds ? "not built: larger than --build-limit" : "not built");
    else
        compile_row(row, patterns, &options);
}

/* The library's own strings, since a database's are freed with it. */
static void name_engine(info_row *row, const trawl_db_information *information) {
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    if (!engine_find(information->engine, &engine))
        return;
    row->engine = engine.name;
    for (size_t i = 0; engine.variants[i] != NULL; i++) {
        if (strcmp(engine.variants[i], information->variant) == 0)
            row->variant = engine.variants[i];
    }
}

/* Builds the database that a scan would build, and describes its plan. */
static trawl_status measure_plan(info_report *report, const trawl_patterns *patterns,
                                 const trawl_compile_options *given, bool builds,
                                 trawl_error *error) {
    trawl_db *db = NULL;
    info_row *row = &report->plan;
    *row = (info_row){.engine = "auto"};
    report->has_plan = true;
    trawl_status status = builds ? trawl_compile(patterns, given, &db, error)
                                 : trawl_compile_size(patterns, given, &row->total_bytes, error);
    if (status == TRAWL_ERROR_ARGUMENT || status == TRAWL_ERROR_MEMORY)
        return status; /* a wrong TRAWL_CPU, or no memory: there is no plan */
    if (status != TRAWL_OK) {
        refuse(row, error);
        return TRAWL_OK;
    }
    (void)snprintf(row->reason, sizeof row->reason, "%s", builds ? "" : "not built");
    if (!builds)
        return TRAWL_OK;
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    describe_built(row, &information);
    row->build_seconds = information.build_seconds;
    name_engine(row, &information);
    (void)snprintf(report->plan_reason, sizeof report->plan_reason, "%s", information.reason);
    if (report->is_database)
        report->has_new_expected = take_plan(db, &report->new_expected);
    else
        info_take_expected(report, db);
    trawl_db_free(db);
    return TRAWL_OK;
}

static void add_row(info_report *report, const char *engine, const char *variant, uint32_t parts) {
    report->rows = reallocate(report->rows, (report->row_count + 1) * sizeof *report->rows);
    info_row *row = &report->rows[report->row_count++];
    *row = (info_row){.engine = engine, .variant = variant, .parts = parts};
}

static void compute_formulas(info_report *report) {
    uint64_t n = report->statistics.states;
    unsigned bits = 1;
    while (bits < 63 && (UINT64_C(1) << bits) < n)
        bits++;
    report->log_states = bits;
    uint64_t log = bits;
    const info_formula formulas[INFO_FORMULAS] = {
        {"DFA", "N*256*log N", "ac-dfa", "stt", n * 256 * log},
        {"NFA, representation 1", "N*256*log N + N*log N", "ac-nfa", "array",
         n * 256 * log + n * log},
        {"NFA, representation 2", "N*(256 + log N) + N*log N", "ac-nfa", "thesis-2",
         n * (256 + log) + n * log},
        {"NFA, representation 3", "N*(log N + 256 + 256) + N*log N", "ac-nfa", "thesis-3",
         n * (log + 512) + n * log},
        {"3, as 4.4 counts it", "N*(log N + 256 + 64) + N*log N", "ac-nfa", "thesis-3",
         n * (log + 320) + n * log},
    };
    memcpy(report->formulas, formulas, sizeof formulas);
    report->plain_table_bytes = n * 257 * 4;
}

/* Adds a row for every engine and variant. */
static void add_rows(info_report *report) {
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++) {
        for (size_t j = 0; engine.variants != NULL && engine.variants[j] != NULL; j++) {
            const char *variant = engine.variants[j];
            add_row(report, engine.name, variant, 0);
            /* Tran et al. have 4 and 8 parts in Tables 3 and 4. */
            bool split_tables = strcmp(engine.name, "ac-split") == 0 && strcmp(variant, "stt") == 0;
            for (uint32_t parts = 4; split_tables && parts <= 8; parts *= 2)
                add_row(report, engine.name, variant, parts);
        }
    }
}

/* Processor time of all rows for a byte of the patterns: 48 s for 1,000,000 random words of 21 MB
 * (Zen 4, busy), most of it for the tries of 15 variants. */
#define SECONDS_PER_BYTE 2.3e-6
#define LONG_SECONDS 10

/* Says what is computed, if it takes long. */
static void announce(const info_report *info, bool builds) {
    double seconds = SECONDS_PER_BYTE * (double)info->statistics.total_bytes;
    char patterns[WORDS_NUMBER_BYTES];
    char bytes[WORDS_NUMBER_BYTES];
    if (seconds > LONG_SECONDS)
        report("note: %s %zu variants of engines for %s patterns of %s bytes: this takes about "
               "%.0f s or more; the plan alone (no --papers, --no-build or JSON) takes less",
               builds ? "sizing and building" : "sizing", info->row_count,
               words_grouped(info->statistics.count, patterns),
               words_grouped(info->statistics.total_bytes, bytes), seconds);
}

/* Replaces the line on the terminal that says what is measured; row NULL: removes it. */
static void show(const info_report *info, const info_row *row) {
    if (!isatty(STDERR_FILENO))
        return;
    (void)fputs("\r\033[K", stderr);
    if (row != NULL)
        (void)fprintf(stderr, "%zu of %zu: %s %s", (size_t)(row - info->rows) + 1, info->row_count,
                      row->engine, row->variant);
    (void)fflush(stderr);
}

static void measure_rows(info_report *report, const trawl_patterns *patterns,
                         const trawl_compile_options *given, const info_extent *extent) {
    add_rows(report);
    announce(report, extent->builds);
    for (size_t i = 0; i < report->row_count; i++) {
        show(report, &report->rows[i]);
        measure_row(&report->rows[i], patterns, given, extent);
    }
    show(report, NULL);
}

trawl_status info_measure(info_report *report, const trawl_patterns *patterns,
                          const trawl_compile_options *given, const info_extent *extent,
                          trawl_error *error) {
    report->statistics = (trawl_statistics)TRAWL_STATISTICS;
    trawl_status status = trawl_patterns_statistics(patterns, &report->statistics, error);
    if (status != TRAWL_OK)
        return status;
    compute_formulas(report);
    if (extent->plan)
        status = measure_plan(report, patterns, given, extent->builds, error);
    if (status == TRAWL_OK && extent->rows)
        measure_rows(report, patterns, given, extent);
    return status;
}

void info_release(info_report *report) {
    free(report->rows);
}

const info_row *info_find_row(const info_report *report, const char *engine, const char *variant,
                              uint32_t parts) {
    for (size_t i = 0; i < report->row_count; i++) {
        const info_row *row = &report->rows[i];
        if (strcmp(row->engine, engine) == 0 && strcmp(row->variant, variant) == 0 &&
            row->parts == parts)
            return row;
    }
    return NULL;
}

const info_paper_build *info_nearest_paper_build(size_t patterns) {
    static const info_paper_build table[] = {
        {100, 0.2249, 0.1195, 0.099},    {200, 0.3883, 0.2209, 0.1828},
        {500, 0.8046, 0.4383, 0.3716},   {1000, 1.2972, 0.6755, 0.5953},
        {2000, 1.9574, 1.0011, 0.8747},  {5000, 3.5452, 1.9299, 1.6624},
        {10000, 5.0627, 2.786, 2.7159},  {20000, 7.443, 4.0041, 3.5579},
        {30000, 9.3607, 5.1498, 4.7219}, {40000, 11.1045, 6.1751, 5.2814},
        {50000, 12.4503, 6.798, 5.6173},
    };
    size_t best = 0;
    double least = 1e300;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        double ratio = (double)(patterns == 0 ? 1 : patterns) / table[i].patterns;
        double distance = ratio < 1 ? 1 / ratio : ratio;
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return &table[best];
}
