/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The part of the report of `trawl info` for those who compare it with papers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/words.h"
#include "cli/info/measure.h"
#include "cli/info/print.h"
#include "cli/info/report.h"
#include "trawl/trawl.h"

static void print_trie(const info_report *report) {
    const trawl_statistics *set = &report->statistics;
    char states[WORDS_NUMBER_BYTES];
    (void)printf("\nTrie: %s states on %zu levels; %.0f %% of the bytes are shared prefixes\n",
                 words_grouped(set->states, states), set->levels, set->prefix_sharing * 100);
}

static void print_engines(const trawl_study_plan *plan) {
    char bytes[WORDS_NUMBER_BYTES];
    char shared[WORDS_NUMBER_BYTES];
    (void)printf("\nExpected of engines; sizes are estimates of the planner\n"
                 "  %-10s %-8s %9s %13s %9s\n",
                 "engine", "kernel", "tables", "shared memory", "GB/s");
    for (size_t i = 0; i < plan->engines; i++) {
        const trawl_study_engine *engine = &plan->engine[i];
        bool on_cpu = engine->kernel[0] == '\0';
        (void)printf(
            "  %-10s %-8s %9s %13s %#9.3g\n", engine->engine, on_cpu ? "-" : engine->kernel,
            engine->table_bytes == 0 ? "-" : words_bytes(engine->table_bytes, bytes),
            on_cpu ? "-" : words_bytes(engine->shared_bytes, shared), engine->gb_per_second);
    }
}

static void print_filter(const trawl_study_filter *filter, bool on_device) {
    char lengths[48];
    (void)snprintf(lengths, sizeof lengths, "%zu-%zu", filter->min_length, filter->max_length);
    (void)printf("  %-9s %11s ", filter->kind, lengths);
    if (on_device)
        (void)printf("%4s %3u %3u\n", "-", filter->gram, filter->stride);
    else
        (void)printf("%4u %3u %3u %14.3f %% %10.3f %%\n", filter->window, filter->gram,
                     filter->stride, filter->pass_rate * 100, filter->candidates * 100);
}

/* The parameters of the filters of engine qgram. */
static void print_filters(const trawl_study_plan *plan) {
    const trawl_study_filter *filters = plan->for_cuda ? plan->device_filter : plan->filter;
    size_t count = plan->for_cuda ? plan->device_filters : plan->filters;
    if (count == 0)
        return;
    (void)printf("\nFilters of qgram\n"
                 "  m, q, s: bytes of a window, of a sample, and from one sample to the next\n"
                 "  samples passed: share of the samples that a filter does not exclude\n"
                 "  candidates: positions that are compared with patterns, share of all bytes\n"
                 "  %-9s %11s %4s %3s %3s %16s %12s\n",
                 "kind", "lengths", "m", "q", "s", "samples passed", "candidates");
    for (size_t i = 0; i < count; i++)
        print_filter(&filters[i], plan->for_cuda);
}

static void print_formulas(const info_report *report) {
    char states[WORDS_NUMBER_BYTES];
    char bytes[WORDS_NUMBER_BYTES];
    char tables[WORDS_NUMBER_BYTES];
    char outputs[WORDS_NUMBER_BYTES];
    (void)printf("\nSpace by the formulas of Charan 2015, 4.3 and 4.4, in bits\n"
                 "  N = %s states, log N = %u bits; trawl: same structure\n"
                 "  %-21s %-31s %7s %8s %7s\n",
                 words_grouped(report->statistics.states, states), report->log_states, "structure",
                 "bits", "bytes", "trawl", "outputs");
    for (size_t i = 0; i < INFO_FORMULAS; i++) {
        const info_formula *formula = &report->formulas[i];
        const info_row *row = info_find_row(report, formula->engine, formula->variant, 0);
        bool built = row != NULL && row->built;
        (void)printf("  %-21s %-31s %7s %8s %7s\n", formula->structure, formula->formula,
                     words_bytes((formula->bits + 7) / 8, bytes),
                     built ? words_bytes(row->next_bytes, tables) : "-",
                     built ? words_bytes(row->table_bytes - row->next_bytes, outputs) : "-");
    }
}

/* States of each part, as in Tran et al., Table 2. */
static void print_parts(const info_report *report) {
    char states[WORDS_NUMBER_BYTES];
    for (uint32_t parts = 4; parts <= INFO_MOST_PARTS; parts *= 2) {
        const info_row *row = info_find_row(report, "ac-split", "stt", parts);
        if (row == NULL || !row->built || row->built_parts != parts)
            continue;
        (void)printf("  %u parts: %s states, %+.2f %% of one automaton's\n   ", parts,
                     words_grouped(row->states, states),
                     ((double)row->states / (double)report->statistics.states - 1) * 100);
        for (uint32_t part = 0; part < parts; part++)
            (void)printf(" %zu", row->part_states[part]);
        (void)printf("\n");
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
    char count[WORDS_NUMBER_BYTES];
    const info_row *four = info_find_row(report, "ac-split", "stt", 4);
    (void)printf("\nSize of the plain STT (257 columns of 4 bytes), with Tran et al., Table 3\n"
                 "  here, %s patterns: %.0f KB",
                 words_grouped(report->statistics.count, count),
                 (double)report->plain_table_bytes / 1024);
    if (four != NULL && four->built)
        (void)printf("; in 4 parts: %.0f KB", (double)four->table_bytes / 1024);
    (void)printf("\n  there, 100 patterns: 576 KB (4 parts 580), 5,000: 8,640 KB (8,662),\n"
                 "  50,000: 26,472 KB (26,537)\n");
    const info_paper_build *paper = info_nearest_paper_build(report->statistics.count);
    (void)printf("\nSeconds to build, with Tran et al., Table 4 at %s patterns (their machine)\n"
                 "  %-12s %10s %10s\n",
                 words_grouped(paper->patterns, count), "", "there", "here");
    print_seconds(report, "one STT", "ac-dfa", "stt", 0, paper->one);
    print_seconds(report, "4 STTs", "ac-split", "stt", 4, paper->four);
    print_seconds(report, "8 STTs", "ac-split", "stt", 8, paper->eight);
}

void info_print_papers(const info_report *report) {
    print_trie(report);
    if (report->has_expected && info_plan_is_finite(&report->expected)) {
        print_engines(&report->expected);
        print_filters(&report->expected);
    }
    info_print_rows(report);
    print_formulas(report);
    (void)printf("\nStates of the parts of ac-split stt, with Tran et al., Table 2\n"
                 "  there, 50,000 patterns: 4 parts +0.24 %%, 8 parts +0.74 %%\n");
    print_parts(report);
    print_tables(report);
}
