/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The report of `trawl info` as text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/report.h"
#include "cli/flags/compile.h"
#include "cli/info/measure.h"
#include "cli/info/print.h"
#include "cli/info/report.h"
#include "trawl/trawl.h"

/* 1234567 as "1,234,567". */
static const char *grouped(uint64_t value, char text[32]) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    size_t out = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = '\0';
    return text;
}

static void print_set(const info_report *report) {
    const trawl_statistics *set = &report->statistics;
    char a[32];
    char b[32];
    char c[32];
    (void)printf("%s\n", report->source);
    (void)printf("  patterns   %s (%s distinct, %s case-insensitive)\n", grouped(set->count, a),
                 grouped(set->distinct, b), grouped(set->case_insensitive, c));
    (void)printf("  bytes      %s; a pattern has %zu to %zu, mean %.1f, median %zu\n",
                 grouped(set->total_bytes, a), set->min_length, set->max_length, set->mean_length,
                 set->median_length);
    (void)printf("  alphabet   %zu byte values\n", set->alphabet);
    (void)printf("  trie       %s states on %zu levels; %.0f %% of the bytes are shared prefixes\n",
                 grouped(set->states, a), set->levels, set->prefix_sharing * 100);
    if (report->is_database) {
        const trawl_db_information *db = &report->database;
        (void)printf("\nThe database\n  engine     %s (%s), matches %s\n", db->engine, db->variant,
                     match_kind_name(db->matches));
        (void)printf("  bytes      %s, of which tables %s\n", grouped(db->total_bytes, a),
                     grouped(db->table_bytes, b));
        if (db->states != 0)
            (void)printf("  tables     %s states, %zu part%s, %zu byte classes, %zu bytes a state "
                         "number\n",
                         grouped(db->states, a), db->parts, db->parts == 1 ? "" : "s",
                         db->byte_classes, db->state_bytes);
        (void)printf("  built in   %.4f s\n  reason     %s\n", db->build_seconds, db->reason);
    }
}

static const char *expected_title(const info_report *report) {
    return report->is_database ? "Expected when it was compiled" : "Expected";
}

static const char *expected_text(const info_report *report) {
    return report->expected.sample_bytes != 0 ? "text like the sample"
                                              : "text like the patterns (no --sample)";
}

static void print_plan(const info_report *report) {
    const info_row *plan = &report->plan;
    (void)printf("\n%s (--engine auto%s)\n",
                 report->is_database ? "Plan if these patterns are compiled now" : "Plan",
                 report->expected.for_cuda ? ", for a GPU" : "");
    if (plan->built)
        (void)printf("  %s (%s): %s\n", plan->engine, plan->variant, report->plan_reason);
    else
        (void)printf("  %s\n", plan->reason);
}

/* The expectations of a plan for a GPU. */
static void print_expected_of_cuda(const info_report *report) {
    char a[32];
    char b[32];
    (void)printf("\n%s: counting on the GPU, %s in its memory\n  %-10s  %-8s %15s %15s %9s\n",
                 expected_title(report), expected_text(report), "engine", "kernel", "est. tables",
                 "shared memory", "GB/s");
    for (size_t i = 0; i < report->expected.engines; i++) {
        const trawl_study_engine *engine = &report->expected.engine[i];
        (void)printf("  %-10s  %-8s %15s %15s %9.0f\n", engine->engine, engine->kernel,
                     grouped(engine->table_bytes, a), grouped(engine->shared_bytes, b),
                     engine->gb_per_second);
    }
    if (report->expected.device_filters == 0)
        return;
    (void)printf("\nFilters of qgram on the GPU\n"
                 "  q, s: bytes of a sample, and from one sample to the next\n"
                 "  %-8s %11s %3s %3s %13s\n",
                 "where", "lengths", "q", "s", "table bytes");
    for (size_t i = 0; i < report->expected.device_filters; i++) {
        const trawl_study_filter *filter = &report->expected.device_filter[i];
        char lengths[48];
        (void)snprintf(lengths, sizeof lengths, "%zu-%zu", filter->min_length, filter->max_length);
        (void)printf("  %-8s %11s %3u %3u %13s\n", filter->kind, lengths, filter->gram,
                     filter->stride, grouped(filter->table_bytes, a));
    }
}

/* Prints the speed that the planner expects of each engine, and of each filter of its choice. */
static void print_expected(const info_report *report) {
    char a[32];
    char b[32];
    if (!report->has_expected)
        return;
    if (report->expected.for_cuda) {
        print_expected_of_cuda(report);
        return;
    }
    (void)printf("\n%s: one thread, %s\n  %-10s  %15s %9s\n", expected_title(report),
                 expected_text(report), "engine", "est. tables", "GB/s");
    for (size_t i = 0; i < report->expected.engines; i++) {
        const trawl_study_engine *engine = &report->expected.engine[i];
        (void)printf("  %-10s  %15s %9.2f\n", engine->engine, grouped(engine->table_bytes, a),
                     engine->gb_per_second);
    }
    if (report->expected.filters == 0)
        return;
    (void)printf(
        "\nFilters of qgram\n"
        "  m, q, s: bytes of a window, of a sample, and from one sample to the next\n"
        "  r: anchor offset, the most bytes from the end of a window to the end of its pattern\n"
        "  pass rate: of samples; candidates: positions to verify, as a share of all bytes\n"
        "  %-8s %11s %12s %4s %3s %3s %3s %13s %9s %10s %8s\n",
        "kind", "lengths", "patterns", "m", "q", "s", "r", "table bytes", "pass rate", "candidates",
        "GB/s");
    for (size_t i = 0; i < report->expected.filters; i++) {
        const trawl_study_filter *filter = &report->expected.filter[i];
        char lengths[48];
        (void)snprintf(lengths, sizeof lengths, "%zu-%zu", filter->min_length, filter->max_length);
        (void)printf("  %-8s %11s %12s %4u %3u %3u %3u %13s %7.3f %% %8.3f %% %8.2f\n",
                     filter->kind, lengths, grouped(filter->patterns, a), filter->window,
                     filter->gram, filter->stride, filter->anchor_slack,
                     grouped(filter->table_bytes, b), filter->pass_rate * 100,
                     filter->candidates * 100, filter->gb_per_second);
    }
}

static void print_row(const info_row *row) {
    char name[64];
    char a[32];
    char b[32];
    char c[32];
    if (row->parts != 0)
        (void)snprintf(name, sizeof name, "%s, %u parts", row->variant, row->parts);
    else
        (void)snprintf(name, sizeof name, "%s", row->variant);
    (void)printf("  %-10s  %-28s ", row->engine, name);
    if (row->refused) {
        (void)printf("refused: %s\n", row->reason);
        return;
    }
    (void)printf("%15s ", grouped(row->total_bytes, a));
    if (!row->built) {
        (void)printf("%s\n", row->reason);
        return;
    }
    (void)printf("%15s ", grouped(row->table_bytes, b));
    if (row->states == 0)
        (void)printf("%12s %7s ", "-", "-");
    else
        (void)printf("%12s %7.1f ", grouped(row->states, c),
                     (double)row->table_bytes / (double)row->states);
    (void)printf("%9.4f\n", row->build_seconds);
}

static void print_rows(const info_report *report) {
    (void)printf("\nEvery engine and variant\n  %-10s  %-28s %15s %15s %12s %7s %9s\n", "engine",
                 "variant", "database bytes", "table bytes", "states", "B/state", "build s");
    for (size_t i = 0; i < report->row_count; i++)
        print_row(&report->rows[i]);
}

static void print_formulas(const info_report *report) {
    char a[32];
    char b[32];
    char c[32];
    (void)printf("\nSpace by the formulas of Charan 2015, 4.3 and 4.4: N = %s states, log N = %u "
                 "bits\n  %-26s %-32s %16s %15s  %s\n",
                 grouped(report->statistics.states, a), report->log_states, "structure", "bits",
                 "bits", "bytes", "trawl's tables");
    for (size_t i = 0; i < INFO_FORMULAS; i++) {
        const info_formula *formula = &report->formulas[i];
        const info_row *row = info_find_row(report, formula->engine, formula->variant, 0);
        (void)printf("  %-26s %-32s %16s %15s  ", formula->structure, formula->formula,
                     grouped(formula->bits, a), grouped((formula->bits + 7) / 8, b));
        if (row != NULL && row->built)
            (void)printf("%s (%s %s)\n", grouped(row->table_bytes, c), row->engine, row->variant);
        else
            (void)printf("-\n");
    }
}

static void print_seconds(const info_report *report, const char *title, const char *engine,
                          const char *variant, uint32_t parts, double paper) {
    const info_row *row = info_find_row(report, engine, variant, parts);
    (void)printf("  %-12s %10.4f ", title, paper);
    if (row != NULL && row->built)
        (void)printf("%10.4f  (%s %s)\n", row->build_seconds, engine, variant);
    else
        (void)printf("%10s\n", "-");
}

static void print_tables(const info_report *report) {
    char a[32];
    const info_row *four = info_find_row(report, "ac-split", "stt", 4);
    (void)printf("\nSize of the plain STT (257 columns of 4 bytes), with Tran et al., Table 3\n"
                 "  here, %s patterns: %.0f KB",
                 grouped(report->statistics.count, a), (double)report->plain_table_bytes / 1024);
    if (four != NULL && four->built)
        (void)printf("; in 4 parts: %.0f KB", (double)four->table_bytes / 1024);
    (void)printf("\n  there: 100 patterns 576 KB (4 parts 580), 5,000: 8,640 KB (8,662), "
                 "50,000: 26,472 KB (26,537)\n");
    const info_paper_build *paper = info_nearest_paper_build(report->statistics.count);
    (void)printf("\nSeconds to build, with Tran et al., Table 4 at %s patterns (their machine)\n"
                 "  %-12s %10s %10s\n",
                 grouped(paper->patterns, a), "", "there", "here");
    print_seconds(report, "one STT", "ac-dfa", "stt", 0, paper->one);
    print_seconds(report, "4 STTs", "ac-split", "stt", 4, paper->four);
    print_seconds(report, "8 STTs", "ac-split", "stt", 8, paper->eight);
}

void info_print_text(const info_report *report) {
    print_set(report);
    /* The expectations of a database are those of the plan that it was compiled by. */
    if (report->is_database)
        print_expected(report);
    print_plan(report);
    if (!report->is_database)
        print_expected(report);
    print_rows(report);
    print_formulas(report);
    print_tables(report);
}
