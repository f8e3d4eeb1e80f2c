/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The report of `trawl info` for users: a screen of 80 columns and 24 lines. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/base/names.h"
#include "cli/base/words.h"
#include "cli/flags/compile.h"
#include "cli/flags/device.h"
#include "cli/info/measure.h"
#include "cli/info/print.h"
#include "cli/info/report.h"
#include "cli/target/profile_load.h"
#include "trawl/trawl.h"

enum { LABEL_COLUMN = 12, FIELD_BYTES = 2048 };

static void print_field(const char *label, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints a label and words beside it. */
static void print_field(const char *label, const char *format, ...) {
    char text[FIELD_BYTES];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    name_hide_controls(text); /* a forged database may have any in its reason */
    (void)printf("  %-*s", LABEL_COLUMN - 2, label);
    words_print(text, strlen(text), LABEL_COLUMN, LABEL_COLUMN);
}

/* ------------------------------------------------------------------ the set */

static void print_lengths(const trawl_statistics *set, char *text, size_t size) {
    if (set->count == 0)
        text[0] = '\0';
    else if (set->min_length == set->max_length)
        (void)snprintf(text, size, " of %zu byte%s", set->min_length,
                       set->min_length == 1 ? "" : "s");
    else
        (void)snprintf(text, size, " of %zu to %zu bytes (mean %.1f, median %zu)", set->min_length,
                       set->max_length, set->mean_length, set->median_length);
}

/* The number of case-insensitive patterns, and of patterns that occur twice. */
static void print_kinds(const trawl_statistics *set, char *text, size_t size) {
    char number[WORDS_NUMBER_BYTES];
    size_t used = 0;
    text[0] = '\0';
    if (set->count != 0 && set->case_insensitive == set->count)
        used = (size_t)snprintf(text, size, "; letters match either case");
    else if (set->case_insensitive != 0)
        used = (size_t)snprintf(text, size, "; letters of %s patterns match either case",
                                words_grouped(set->case_insensitive, number));
    if (set->distinct != set->count)
        (void)snprintf(text + used, size - used, "; %s duplicate%s",
                       words_grouped(set->count - set->distinct, number),
                       set->count - set->distinct == 1 ? "" : "s");
}

static void print_set(const info_report *report) {
    const trawl_statistics *set = &report->statistics;
    char count[WORDS_NUMBER_BYTES];
    char bytes[WORDS_NUMBER_BYTES];
    char lengths[128];
    char kinds[160];
    print_lengths(set, lengths, sizeof lengths);
    print_kinds(set, kinds, sizeof kinds);
    char *source = string_copy(report->source);
    name_hide_controls(source);
    (void)printf("%s\n", source);
    free(source);
    print_field("set", "%s pattern%s%s, %s byte%s in all, %zu different byte value%s%s",
                words_grouped(set->count, count), set->count == 1 ? "" : "s", lengths,
                words_grouped(set->total_bytes, bytes), set->total_bytes == 1 ? "" : "s",
                set->alphabet, set->alphabet == 1 ? "" : "s", kinds);
}

/* ------------------------------------------------------------------ the plan */

/* The part of the report about one database: one that was given, or the one that the plan makes. */
typedef struct subject {
    const char *engine;
    const char *variant;
    trawl_match_kind matches;
    const char *reason;
    uint64_t table_bytes;
    uint64_t total_bytes;
    double build_seconds;
    const trawl_study_plan *expected; /* NULL: nothing was expected */
    bool is_brief;                    /* another plan follows, so details are left out */
} subject;

static const char *engine_summary(const char *name) {
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    return engine_find(name, &engine) ? engine.summary : "";
}

/* For a database that was given: the speed that was expected when it was compiled. */
static void print_old_speed(const trawl_study_plan *expected) {
    print_field("speed", "%.*f GB/s expected of %s when it was compiled, in %s",
                expected->for_cuda ? 0 : 2, expected->gb_per_second,
                expected->for_cuda ? "a GPU" : "one thread",
                expected->sample_bytes != 0 ? "texts like the sample of that time"
                                            : "a text made up of the patterns");
}

static void print_speed(const info_report *report, const trawl_study_plan *expected) {
    char name[128];
    char who[192];
    device_maker_name("cpu", name, sizeof name);
    if (expected->for_cuda)
        (void)snprintf(who, sizeof who, "a GPU that counts a text in its memory");
    else
        (void)snprintf(who, sizeof who, "one thread of this CPU (%s)", name);
    if (expected->sample_bytes != 0)
        print_field("speed", "%.*f GB/s expected of %s, in texts like %s",
                    expected->for_cuda ? 0 : 2, expected->gb_per_second, who, report->sample);
    else if (report->sample != NULL)
        print_field("speed",
                    "%.*f GB/s expected of %s, in a text made up of the patterns, full of matches, "
                    "since the sample %s has fewer than 4,096 bytes",
                    expected->for_cuda ? 0 : 2, expected->gb_per_second, who, report->sample);
    else
        print_field("speed",
                    "%.*f GB/s expected of %s, in a text made up of the patterns, full of matches; "
                    "--sample FILE plans for texts like yours",
                    expected->for_cuda ? 0 : 2, expected->gb_per_second, who);
}

static void print_plan(const info_report *report, const subject *plan) {
    char tables[WORDS_NUMBER_BYTES];
    char total[WORDS_NUMBER_BYTES];
    char built[48] = "";
    bool is_all = plan->matches == TRAWL_MATCH_ALL;
    print_field("plan", "engine %s, variant %s%s%s%s%s", plan->engine, plan->variant,
                is_all ? "" : ", matches ", is_all ? "" : match_kind_name(plan->matches),
                plan->is_brief ? "" : ": ", plan->is_brief ? "" : engine_summary(plan->engine));
    if (report->statistics.count == 0)
        print_field("speed", "not estimated, as nothing is searched for");
    else if (plan->expected == NULL)
        print_field("speed", "not estimated, as no plan was made; --sample FILE makes one");
    else if (!info_plan_is_finite(plan->expected))
        print_field("speed",
                    "unknown, as the plan of this database has numbers that are infinite or none; "
                    "compile the patterns again");
    else if (report->is_database && plan->expected == &report->expected)
        print_old_speed(plan->expected);
    else
        print_speed(report, plan->expected);
    if (isfinite(plan->build_seconds))
        (void)snprintf(built, sizeof built, ", built in %.2g s", plan->build_seconds);
    print_field("size", "tables %s bytes, database %s bytes%s",
                words_grouped(plan->table_bytes, tables), words_grouped(plan->total_bytes, total),
                built);
    print_field("why", "%s", plan->reason);
}

/* ------------------------------------------------------------------ filters */

static const char *filter_words(const char *kind) {
    static const char *const words[][2] = {
        {"bloom", "bloom: of samples, in memory"}, {"teddy", "teddy: up to 128 patterns"},
        {"registers", "registers: hundreds"},      {"packed", "packed: up to 4 letters"},
        {"direct", "direct: pairs of bytes"},      {"shared", "in shared memory"},
        {"anchors", "anchors: rare strings"},      {"global", "behind the L2 cache"},
        {"automaton", "an automaton instead"},     {"sparse", "sparse: long patterns"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i][0], kind) == 0)
            return words[i][1];
    }
    return kind;
}

static void print_range(const trawl_study_filter *filter, char *text, size_t size) {
    if (filter->min_length == filter->max_length)
        (void)snprintf(text, size, "%zu", filter->min_length);
    else
        (void)snprintf(text, size, "%zu-%zu", filter->min_length, filter->max_length);
}

static void print_device_filters(const trawl_study_plan *plan) {
    if (plan->device_filters == 0)
        return;
    (void)printf("\n  %-28s %11s %9s\n", "filter", "lengths", "table");
    for (size_t i = 0; i < plan->device_filters; i++) {
        const trawl_study_filter *filter = &plan->device_filter[i];
        char lengths[48];
        char bytes[WORDS_NUMBER_BYTES];
        print_range(filter, lengths, sizeof lengths);
        (void)printf("  %-28s %11s %9s\n", filter_words(filter->kind), lengths,
                     words_bytes(filter->table_bytes, bytes));
    }
}

static void print_filters(const trawl_study_plan *plan) {
    if (!info_plan_is_finite(plan))
        return;
    if (plan->for_cuda) {
        print_device_filters(plan);
        return;
    }
    if (plan->filters == 0)
        return;
    (void)printf("\n  %-28s %11s %9s %9s %10s %6s\n", "filter", "lengths", "patterns", "table",
                 "candidates", "GB/s");
    for (size_t i = 0; i < plan->filters; i++) {
        const trawl_study_filter *filter = &plan->filter[i];
        char lengths[48];
        char patterns[WORDS_NUMBER_BYTES];
        char bytes[WORDS_NUMBER_BYTES];
        print_range(filter, lengths, sizeof lengths);
        (void)printf("  %-28s %11s %9s %9s %8.2g %% %#6.3g\n", filter_words(filter->kind), lengths,
                     words_grouped(filter->patterns, patterns),
                     words_bytes(filter->table_bytes, bytes), filter->candidates * 100,
                     filter->gb_per_second);
    }
}

/* ------------------------------------------------------------------ all of it */

static void print_database(const info_report *report) {
    const trawl_db_information *db = &report->database;
    const subject described = {.engine = db->engine,
                               .variant = db->variant,
                               .matches = db->matches,
                               .reason = db->reason,
                               .table_bytes = db->table_bytes,
                               .total_bytes = db->total_bytes,
                               .build_seconds = db->build_seconds,
                               .expected = report->has_expected ? &report->expected : NULL,
                               .is_brief = report->has_plan};
    print_plan(report, &described);
    if (report->has_expected && !report->has_plan)
        print_filters(&report->expected);
}

static void print_new_plan(const info_report *report) {
    const info_row *row = &report->plan;
    const trawl_study_plan *expected =
        report->is_database ? (report->has_new_expected ? &report->new_expected : NULL)
                            : (report->has_expected ? &report->expected : NULL);
    const subject described = {.engine = row->engine,
                               .variant = row->variant,
                               .matches = report->matches,
                               .reason = report->plan_reason,
                               .table_bytes = row->table_bytes,
                               .total_bytes = row->total_bytes,
                               .build_seconds = row->build_seconds,
                               .expected = expected};
    if (report->is_database && !row->built && !row->refused)
        return; /* --no-build: nothing is known of it */
    if (report->is_database)
        (void)printf("\nCompiled now\n");
    if (!row->built) {
        print_field("plan", "%s", row->reason);
        return;
    }
    print_plan(report, &described);
    if (expected != NULL && !report->is_database)
        print_filters(expected);
}

void info_print_text(const info_report *report) {
    print_set(report);
    if (report->is_database)
        print_database(report);
    if (report->has_plan)
        print_new_plan(report);
    if (report->profile_error.status != TRAWL_OK)
        print_field("profile", "ignored: %s", report->profile_error.message);
    if (report->row_count != 0 || report->is_database)
        return;
    (void)putchar('\n');
    print_field("more", "%s. --papers lists every engine, and the formulas of papers.",
                report->costs_are_measured
                    ? "The speed is computed from what 'trawl tune' measured on this machine"
                    : "The speed is computed from costs of another machine; 'trawl tune' measures "
                      "this one");
}
