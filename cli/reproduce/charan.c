/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Charan 2015: the comparison that the thesis proposes (Algorithm 4 and Algorithm 5 on the same
 * automaton, in each memory), and its formulas of space. The thesis has no measurements. */
#include <math.h>
#include <stdio.h>

#include "cli/reproduce/charan.h"
#include "cli/reproduce/measure.h"
#include "cli/reproduce/paper.h"
#include "cli/reproduce/sentences.h"

enum { REPRESENTATIONS = 3, CPU = 0, ON_GLOBAL, ON_SHARED, ON_CONSTANT, BITS_OF_BITMAP = 256 };

static const size_t set_sizes[] = {3, 20, 100, 300};

static const char *const rows[] = {"3 patterns: represent. 1",
                                   "representation 2",
                                   "representation 3",
                                   "20 patterns: represent. 1",
                                   "representation 2",
                                   "representation 3",
                                   "100 patterns: represent. 1",
                                   "representation 2",
                                   "representation 3",
                                   "300 patterns: represent. 1",
                                   "representation 2",
                                   "representation 3",
                                   NULL};
static const char *const algorithms[] = {"Algorithm 4", "Algorithm 5", NULL};

/* Of each representation: failure links in a loop (Algorithm 4), and divergence-free (5). */
static const char *const variants[REPRESENTATIONS][2] = {{"array", "array-divergence-free"},
                                                         {"thesis-2", "thesis-2-divergence-free"},
                                                         {"thesis-3", "thesis-3-divergence-free"}};

static workload data_of(size_t row) {
    return (workload){SET_WORDS, set_sizes[row / REPRESENTATIONS], TEXT_WORDS, UINT64_C(100) << 20};
}

static double measure_algorithm(reproduction *run, const paper_table *table, size_t row,
                                size_t column, char *why) {
    static const char *const kernels[] = {NULL, "global", "shared", "constant"};
    scan_job job = {.data = data_of(row),
                    .engine = "ac-nfa",
                    .variant = variants[row % REPRESENTATIONS][column],
                    .on_cuda = table->parameter != CPU,
                    .plain_walk = true,
                    .kernel = kernels[table->parameter]};
    return measure_gigabytes(run, &job, why);
}

/* ------------------------------------------------------------------ space */

static const char *const structures[] = {"20 patterns: states",
                                         "DFA, bytes",
                                         "representation 1",
                                         "representation 2",
                                         "representation 3",
                                         "300 patterns: states",
                                         "DFA, bytes",
                                         "representation 1",
                                         "representation 2",
                                         "representation 3",
                                         NULL};
static const char *const counts[] = {"formula", "here", NULL};

/* Bytes by the formulas of 4.3 and 4.4, the logarithm of the number of states rounded up. */
static double formula(size_t structure, double states) {
    double name = ceil(log2(states));
    const double entry[] = {BITS_OF_BITMAP * name, BITS_OF_BITMAP * name + name,
                            name + BITS_OF_BITMAP + name, name + 2 * BITS_OF_BITMAP + name};
    return states * entry[structure] / 8;
}

/* False with *why if the recipe's set could not be compiled. */
static bool compile_automaton(reproduction *run, const run_recipe *recipe,
                              trawl_study_automaton *automaton, char *why) {
    const run_database *database = run_compile(run, recipe, why);
    trawl_error error;
    if (database == NULL)
        return false;
    if (trawl_study_db_automaton(database->db, 0, automaton, &error) == TRAWL_OK)
        return true;
    (void)run_failed(&error, why);
    return false;
}

static double measure_space(reproduction *run, const paper_table *table, size_t row, size_t column,
                            char *why) {
    enum { ROWS_OF_SET = 5 };
    size_t structure = row % ROWS_OF_SET;
    run_recipe recipe = {.set = SET_WORDS,
                         .patterns = row < ROWS_OF_SET ? 20 : 300,
                         .engine = structure == 1 ? "ac-dfa" : "ac-nfa",
                         .variant = structure == 1 ? "stt16" : "array"};
    (void)table;
    if (structure > 1)
        recipe.variant = variants[structure - 2][0];
    trawl_study_automaton automaton = TRAWL_STUDY_AUTOMATON;
    if (!compile_automaton(run, &recipe, &automaton, why))
        return PAPER_NONE;
    if (structure == 0)
        return (double)automaton.states;
    return column == 0 ? formula(structure - 1, (double)automaton.states)
                       : (double)automaton.next_bytes;
}

/* ------------------------------------------------------------------ capacity */

static const char *const representations[] = {"representation 1", "representation 2",
                                              "representation 3", NULL};
static const char *const capacity_columns[] = {"states in 64 KB", NULL};
static const double capacities[] = {PAPER_NONE, 2000, PAPER_NONE};

/* 64 KB divided by the bytes of a state. */
static double measure_capacity(reproduction *run, const paper_table *table, size_t row,
                               size_t column, char *why) {
    run_recipe recipe = {
        .set = SET_WORDS, .patterns = 100, .engine = "ac-nfa", .variant = variants[row][0]};
    (void)table, (void)column;
    trawl_study_automaton automaton = TRAWL_STUDY_AUTOMATON;
    if (!compile_automaton(run, &recipe, &automaton, why))
        return PAPER_NONE;
    return floor(65536 * (double)automaton.states / (double)automaton.next_bytes);
}

/* ------------------------------------------------------------------ today */

static const char *const rivals[] = {"representation 2, Algorithm 5", "array, Algorithm 4",
                                     "trawl's choice", NULL};

static double measure_today(reproduction *run, const paper_table *table, size_t row, size_t column,
                            char *why) {
    scan_job job = {.data = data_of(3 * REPRESENTATIONS), .on_cuda = column == 1};
    (void)table;
    if (row < 2) {
        job.engine = "ac-nfa";
        job.variant = row == 0 ? variants[1][1] : variants[0][0];
        job.kernel = job.on_cuda ? "global" : NULL;
        job.plain_walk = true;
    }
    return measure_gigabytes(run, &job, why);
}

/* Of one memory. */
static const paper_shape by_algorithm = {.unit = "GB/s",
                                         .row_axis = "automaton",
                                         .column_axis = "algorithm",
                                         .rows = rows,
                                         .columns = algorithms,
                                         .ratio = PAPER_OVER_FIRST_COLUMN,
                                         .measure = measure_algorithm};

static const paper_table tables[] = {
    {.id = "cpu",
     .caption = "Algorithm 4 and Algorithm 5 on the same automaton, on one thread of the CPU",
     .shape = &by_algorithm,
     .parameter = CPU,
     .remark = "A CPU has no threads that diverge: here Algorithm 5 costs what it does in vain."},
    {.id = "global",
     .caption = "Algorithm 4 and Algorithm 5 on the same automaton, in a GPU's global memory",
     .shape = &by_algorithm,
     .parameter = ON_GLOBAL},
    {.id = "shared",
     .caption = "Algorithm 4 and Algorithm 5 on the same automaton, in a GPU's shared memory",
     .shape = &by_algorithm,
     .parameter = ON_SHARED,
     .remark = "An automaton that does not fit is refused."},
    {.id = "constant",
     .caption = "Algorithm 4 and Algorithm 5 on the same automaton, in a GPU's constant memory",
     .shape = &by_algorithm,
     .parameter = ON_CONSTANT,
     .remark = "An automaton that does not fit is refused."},
    {.id = "space",
     .caption = "Space (4.3, 4.4): the formulas, and trawl's tables",
     .shape = &(const paper_shape){.unit = "",
                                   .row_axis = "structure",
                                   .column_axis = "bytes",
                                   .rows = structures,
                                   .columns = counts,
                                   .ratio = PAPER_OVER_FIRST_COLUMN,
                                   .measure = measure_space},
     .remark = "The formulas count bits, trawl's tables whole words. Outputs are not counted."},
    {.id = "capacity",
     .caption = "States that 64 KB of shared or constant memory hold (4.4)",
     .shape = &(const paper_shape){.unit = "states",
                                   .row_axis = "structure",
                                   .column_axis = "",
                                   .rows = representations,
                                   .columns = capacity_columns,
                                   .measure = measure_capacity},
     .paper = capacities,
     .remark = "By the bytes of a state in the automaton of 100 patterns. The thesis has about "
               "2,000 for its NFA. Outputs, which a kernel also copies, are not counted."},
    {.id = "queries",
     .caption = "2.2: queries of 16 MB of text, by KMP and by an index",
     .shape = &charan_by_query,
     .remark = "One thread. Documents of 64 KB; patterns are pieces of them; means of 8 patterns. "
               "KMP reads the text up to the first occurrence, or all of it, as the thesis says "
               "(O(m + n)); the index finds a pattern by backward search and lists documents by "
               "Muthukrishnan's arrays. Both find the same, which is checked. The thesis has no "
               "times."},
    {.id = "today",
     .caption = "Today: speed with 300 patterns",
     .shape = &(const paper_shape){.unit = "GB/s",
                                   .row_axis = "algorithm",
                                   .column_axis = "device",
                                   .rows = rivals,
                                   .columns = paper_devices,
                                   .ratio = PAPER_OVER_FIRST_ROW,
                                   .measure = measure_today},
     .remark = "Not in the thesis. GPU: text in its memory."},
};

static void conclude(const paper_report *report, char (*sentences)[PAPER_SENTENCE_BYTES]) {
    double free_of[] = {paper_value(report, "global", 10, 0), paper_value(report, "global", 10, 1)};
    sentence_write(sentences[0], free_of, 2,
                   "Algorithm 5 against Algorithm 4 on a GPU (no CUDA device)",
                   "On this GPU Algorithm 5 runs at %.2f times the speed of Algorithm 4 "
                   "(representation 2, 300 patterns, global memory).",
                   free_of[1] / free_of[0]);
    double cpu[] = {paper_value(report, "cpu", 9, 0), paper_value(report, "cpu", 10, 0),
                    paper_value(report, "cpu", 10, 1)};
    double bytes[] = {paper_value(report, "space", 7, 1), paper_value(report, "space", 8, 1)};
    double numbers[] = {cpu[0], cpu[1], bytes[0], bytes[1]};
    sentence_write(
        sentences[1], numbers, 4, "representations 1 and 2 (tables cpu, space)",
        "Representation 2 takes %.1f kB for 300 patterns where representation 1 takes "
        "%.1f kB, %.1f times as much, and on one thread it runs at %.2f times the speed: "
        "the space is what it saves.",
        bytes[1] / 1e3, bytes[0] / 1e3, bytes[0] / bytes[1], cpu[1] / cpu[0]);
    double today[] = {paper_value(report, "today", 0, 0), paper_value(report, "today", 2, 0)};
    sentence_write(sentences[2], today, 2, "trawl's choice beside it (table today)",
                   "For the same patterns trawl's choice scans %.2f GB/s on one thread, %.0f times "
                   "the %.3f GB/s of representation 2 by Algorithm 5.",
                   today[1], today[1] / today[0], today[0]);
}

const paper_description paper_charan = {
    .name = "charan",
    .title = "Charan 2015: Thread divergence free and space efficient GPU implementation of NFA AC",
    .machine = "none: the thesis has no measurements",
    .workload = "Made-up words in a made-up text, 100 MB, as frequent as words of a language are; "
                "the thesis names no data. Columns are compared with each other, not with figures "
                "of the thesis.",
    .tables = tables,
    .count = sizeof tables / sizeof tables[0],
    .conclude = conclude,
};
