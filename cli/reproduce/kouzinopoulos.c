/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Kouzinopoulos et al. 2015: Fig. 4, Tables 2 to 5 and Figs. 5 to 7. */
#include <stdio.h>

#include "cli/reproduce/measure.h"
#include "cli/reproduce/paper.h"
#include "cli/reproduce/ranks.h"
#include "cli/reproduce/sentences.h"

enum { AC = 0, WM = 1, NODES = 10, CPU_SHARE = 16 };

static const uint64_t text_bytes = UINT64_C(1) << 30;

/* Algorithm AC or WM on one GPU, as in the paper: the kernel reads the host's memory. */
static scan_job node_job(size_t algorithm, size_t patterns, uint64_t bytes, const char *kernel) {
    return (scan_job){.data = {SET_DNA, patterns, TEXT_DNA, bytes},
                      .engine = algorithm == AC ? "ac-nfa" : "wu-manber",
                      .variant = algorithm == AC ? "array" : "paper",
                      .on_cuda = true,
                      .kernel = kernel,
                      .transfer = "zero-copy"};
}

/* ------------------------------------------------------------------ Fig. 4 */

static const char *const stages[] = {"GPU-U", "GPU-TC", "GPU-CR", "GPU-R16", "GPU-CW", NULL};
static const char *const stage_columns[] = {"AC", "WM", "AC, text on the device",
                                            "WM, text on the device", NULL};
static const double fig_4[] = {55.59 * 1.66, 300.60 * 1.63, PAPER_NONE, PAPER_NONE, 55.59 * 1.66,
                               PAPER_NONE,   PAPER_NONE,    PAPER_NONE, PAPER_NONE, PAPER_NONE,
                               PAPER_NONE,   PAPER_NONE,    PAPER_NONE, PAPER_NONE, PAPER_NONE,
                               PAPER_NONE,   55.59,         300.60,     PAPER_NONE, PAPER_NONE};

static double measure_stage(reproduction *run, const paper_table *table, size_t row, size_t column,
                            char *why) {
    static const char *const names[] = {"u", "tc", "cr", "r16", "cw"};
    (void)table;
    scan_job job = node_job(column % 2, 8000, text_bytes, names[row]);
    if (column >= 2)
        job.transfer = NULL;
    return measure_scan(run, &job, why);
}

/* ------------------------------------------------------------------ Tables 2 to 4 */

static const char *const nodes[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", NULL};
static const char *const searches[] = {"AC GPU", "WM GPU", NULL};

static const double table_2[] = {26.08, 38.80, 13.06, 18.43, 9.68, 12.83, 6.52, 9.78, 5.29, 7.89,
                                 4.38,  6.66,  3.77,  5.78,  3.29, 5.10,  3.08, 4.62, 2.64, 4.17};
static const double table_3[] = {55.59, 300.60, 28.06, 156.19, 18.58, 109.06, 14.31,
                                 83.67, 11.28,  69.27, 9.64,   58.79, 8.13,   53.51,
                                 7.28,  47.97,  6.52,  44.52,  5.77,  43.68};
static const double table_4[] = {66.70,  546.14, 33.74,  275.75, 22.27, 183.72, 17.38,
                                 138.48, 13.62,  111.46, 11.74,  91.97, 9.91,   79.13,
                                 8.95,   69.21,  8.03,   61.53,  7.11,  55.26};

/* The paper's scheme with row + 1 ranks on this machine: on its GPUs, or on its CPU with a shorter
 * text. */
static const double *ranks_times(reproduction *run, size_t row, size_t algorithm, size_t patterns,
                                 char *why) {
    bool on_cuda = run_cuda_absence(run) == NULL;
    ranks_job job = {.data = {SET_DNA, patterns, TEXT_DNA, text_bytes / (on_cuda ? 1 : CPU_SHARE)},
                     .engine = algorithm == AC ? "ac-nfa" : "wu-manber",
                     .variant = algorithm == AC ? "array" : "paper",
                     .kernel = on_cuda ? "cw" : NULL,
                     .ranks = (int)row + 1};
    return measure_ranks(run, &job, why);
}

/* The paper's "AC GPU" and "WM GPU" are times of kernels, which a CPU does not have. */
static ranks_time search_time(const reproduction *run) {
    return run_cuda_absence(run) == NULL ? RANKS_DEVICE : RANKS_SEARCH;
}

static double measure_search(reproduction *run, const paper_table *table, size_t row, size_t column,
                             char *why) {
    const double *times = ranks_times(run, row, column, table->parameter, why);
    return times == NULL ? PAPER_NONE : times[search_time(run)];
}

/* The search of one of row + 1 nodes: its share of the text and the overlap. */
static double measure_share(reproduction *run, const paper_table *table, size_t row, size_t column,
                            char *why) {
    enum { OVERLAP = 7 };
    uint64_t bytes = text_bytes / (row + 1) + (row == 0 ? 0 : OVERLAP);
    scan_job job = node_job(column, table->parameter, bytes, "cw");
    return measure_scan(run, &job, why);
}

/* ------------------------------------------------------------------ AC and WM */

static const size_t set_sizes[] = {1000, 8000, 16000};
static const char *const sets[] = {"1,000 patterns", "8,000", "16,000", NULL};
static const char *const both[] = {"AC", "WM", NULL};
static const double one_node[] = {26.08, 38.80, 55.59, 300.60, 66.70, 546.14};

static double measure_both(reproduction *run, const paper_table *table, size_t row, size_t column,
                           char *why) {
    (void)table;
    scan_job job = node_job(column, set_sizes[row], text_bytes, "cw");
    return measure_scan(run, &job, why);
}

static double measure_sequential(reproduction *run, const paper_table *table, size_t row,
                                 size_t column, char *why) {
    (void)table;
    scan_job job = node_job(column, set_sizes[row], text_bytes / CPU_SHARE, NULL);
    job.on_cuda = false;
    job.transfer = NULL;
    job.plain_walk = true;
    return measure_scan(run, &job, why) * CPU_SHARE;
}

/* ------------------------------------------------------------------ Table 5 */

static const char *const speedups[] = {"AC 1,000",  "WM 1,000",  "AC 8,000", "WM 8,000",
                                       "AC 16,000", "WM 16,000", NULL};
static const double table_5[] = {
    1.00, 1.00, 1.00, 1.00, 1.00, 1.00, 1.71, 1.82, 1.80, 1.89, 1.82, 1.96, 1.94, 2.20, 2.33,
    2.61, 2.40, 2.87, 2.44, 2.66, 2.85, 3.35, 2.93, 3.76, 2.58, 2.89, 3.20, 3.93, 3.34, 4.58,
    2.88, 3.24, 3.59, 4.58, 3.75, 5.49, 2.72, 3.13, 3.59, 4.84, 3.80, 6.17, 2.89, 3.33, 3.83,
    5.32, 4.06, 6.96, 2.82, 3.31, 3.87, 5.59, 4.13, 7.63, 2.52, 2.99, 3.58, 5.45, 3.87, 8.06};

static double total_of(const reproduction *run, const double *times) {
    return times[RANKS_DISTRIBUTE] + times[RANKS_LOAD] + times[search_time(run)] +
           times[RANKS_REDUCE];
}

static double measure_overall(reproduction *run, const paper_table *table, size_t row,
                              size_t column, char *why) {
    (void)table;
    const double *one = ranks_times(run, 0, column % 2, set_sizes[column / 2], why);
    const double *several =
        one == NULL ? NULL : ranks_times(run, row, column % 2, set_sizes[column / 2], why);
    return several == NULL ? PAPER_NONE : total_of(run, one) / total_of(run, several);
}

/* ------------------------------------------------------------------ the other steps */

static const char *const step_columns[] = {"NFS",     "Load Files", "Reduce",
                                           "waiting", "search",     NULL};
static const double paper_steps[] = {
    5.04, 12.40, 0.00, PAPER_NONE, PAPER_NONE, 6.10, 6.36, 0.00, PAPER_NONE, PAPER_NONE,
    7.85, 4.91,  0.00, PAPER_NONE, PAPER_NONE, 7.51, 3.13, 0.71, PAPER_NONE, PAPER_NONE,
    7.07, 2.50,  2.00, PAPER_NONE, PAPER_NONE, 6.09, 2.14, 2.49, PAPER_NONE, PAPER_NONE,
    6.99, 2.31,  2.91, PAPER_NONE, PAPER_NONE, 6.96, 1.68, 3.15, PAPER_NONE, PAPER_NONE,
    7.56, 1.45,  3.36, PAPER_NONE, PAPER_NONE, 8.91, 1.37, 4.35, PAPER_NONE, PAPER_NONE};

static double measure_step(reproduction *run, const paper_table *table, size_t row, size_t column,
                           char *why) {
    static const ranks_time times_of[] = {RANKS_DISTRIBUTE, RANKS_LOAD, RANKS_REDUCE, RANKS_WAIT,
                                          RANKS_SEARCH};
    const double *times = ranks_times(run, row, AC, table->parameter, why);
    return times == NULL ? PAPER_NONE : times[times_of[column]];
}

/* ------------------------------------------------------------------ today */

static const char *const algorithms[] = {"AC of the paper", "WM of the paper", "trawl's choice",
                                         NULL};

static double measure_today(reproduction *run, const paper_table *table, size_t row, size_t column,
                            char *why) {
    (void)table;
    scan_job job = node_job(row, 8000, text_bytes / CPU_SHARE, column == 0 ? NULL : "cw");
    job.on_cuda = column == 1;
    job.transfer = NULL;
    job.plain_walk = true;
    if (row == 2)
        job.engine = job.variant = job.kernel = NULL;
    return measure_gigabytes(run, &job, why);
}

/* Tables 2 to 4: by ranks of this machine, and by the share of one node. */
static const paper_shape by_ranks = {.unit = "s",
                                     .row_axis = "nodes",
                                     .column_axis = "algorithm",
                                     .rows = nodes,
                                     .columns = searches,
                                     .ratio = PAPER_OVER_FIRST_ROW,
                                     .is_time = true,
                                     .measure = measure_search};
static const paper_shape by_node = {.unit = "s",
                                    .row_axis = "nodes",
                                    .column_axis = "algorithm",
                                    .rows = nodes,
                                    .columns = searches,
                                    .ratio = PAPER_OVER_FIRST_ROW,
                                    .is_time = true,
                                    .measure = measure_share};

static const paper_table tables[] = {
    {.id = "fig-4",
     .caption = "Fig. 4: stages of optimization, 8,000 patterns",
     .shape = &(const paper_shape){.unit = "s",
                                   .row_axis = "stage",
                                   .column_axis = "algorithm",
                                   .rows = stages,
                                   .columns = stage_columns,
                                   .ratio = PAPER_OVER_FIRST_ROW,
                                   .is_time = true,
                                   .measure = measure_stage},
     .paper = fig_4,
     .remark = "The paper's text has a number for the last stage only: 1.66 (AC) and 1.63 (WM) "
               "times as fast as the first, whose times are computed from that and from Table 3. "
               "It did not apply TC to AC."},
    {.id = "2",
     .aliases = "fig-5",
     .caption = "Table 2, Fig. 5: search by ranks, 1,000 patterns",
     .shape = &by_ranks,
     .paper = table_2,
     .parameter = 1000,
     .remark = "Ranks of trawl-mpi --split static, all on this machine: on its GPUs in turn, else "
               "one thread each with a sixteenth of the text. More ranks than CPUs or GPUs share "
               "them. Of the slowest rank: the time of its kernels by the GPU's clock, as in the "
               "paper, in which they read the text from the host's memory; starting CUDA and "
               "page-locking the text are not in it. Without a GPU, by the host's clock."},
    {.id = "3",
     .aliases = "fig-6",
     .caption = "Table 3, Fig. 6: search by ranks, 8,000 patterns",
     .shape = &by_ranks,
     .paper = table_3,
     .parameter = 8000},
    {.id = "4",
     .aliases = "fig-7",
     .caption = "Table 4, Fig. 7: search by ranks, 16,000 patterns",
     .shape = &by_ranks,
     .paper = table_4,
     .parameter = 16000},
    {.id = "steps",
     .caption = "Tables 2 to 4, Figs. 5 to 7: the other steps, of AC with 8,000 patterns",
     .shape = &(const paper_shape){.unit = "s",
                                   .row_axis = "nodes",
                                   .column_axis = "step",
                                   .rows = nodes,
                                   .columns = step_columns,
                                   .measure = measure_step},
     .paper = paper_steps,
     .parameter = 8000,
     .remark = "NFS: here rank 0 sends database and list of texts, there the text was copied to "
               "the file server. Load: here from memory. Search by the host's clock also starts "
               "CUDA and page-locks the text. The paper's Reduce contains waiting for "
               "the slowest rank, which has a column of its own here."},
    {.id = "5",
     .caption = "Table 5: overall speed-up, ranks on this machine",
     .shape = &(const paper_shape){.unit = "times",
                                   .row_axis = "nodes",
                                   .column_axis = "algorithm, patterns",
                                   .rows = nodes,
                                   .columns = speedups,
                                   .measure = measure_overall},
     .paper = table_5,
     .remark = "Of the sum of distributing, loading, searching and reducing."},
    {.id = "node-1000",
     .caption = "Table 2, the search of one of several nodes with a GPU each",
     .shape = &by_node,
     .paper = table_2,
     .parameter = 1000,
     .remark = "One GPU searches the share of one node; the slowest of several nodes may be "
               "slower."},
    {.id = "node-8000",
     .caption = "Table 3, the search of one of several nodes with a GPU each",
     .shape = &by_node,
     .paper = table_3,
     .parameter = 8000},
    {.id = "node-16000",
     .caption = "Table 4, the search of one of several nodes with a GPU each",
     .shape = &by_node,
     .paper = table_4,
     .parameter = 16000},
    {.id = "ac-wm",
     .caption = "AC and WM on one GPU",
     .shape = &(const paper_shape){.unit = "s",
                                   .row_axis = "patterns",
                                   .column_axis = "algorithm",
                                   .rows = sets,
                                   .columns = both,
                                   .ratio = PAPER_OVER_FIRST_COLUMN,
                                   .measure = measure_both},
     .paper = one_node,
     .remark = "The ratio is WM's time over AC's. By Tables 2 to 4 it is 1.49, 5.41 and 8.19; the "
               "paper's text has 5.05 and 7.97 for the last two."},
    {.id = "cpu",
     .caption = "AC and WM on one thread of the CPU",
     .shape = &(const paper_shape){.unit = "s",
                                   .row_axis = "patterns",
                                   .column_axis = "algorithm",
                                   .rows = sets,
                                   .columns = both,
                                   .ratio = PAPER_OVER_FIRST_COLUMN,
                                   .measure = measure_sequential},
     .remark = "Measured with a sixteenth of the text, times 16. The paper's tables have no times "
               "of the sequential versions."},
    {.id = "today",
     .caption = "Today: 8,000 patterns",
     .shape = &(const paper_shape){.unit = "GB/s",
                                   .row_axis = "algorithm",
                                   .column_axis = "device",
                                   .rows = algorithms,
                                   .columns = paper_devices,
                                   .ratio = PAPER_OVER_FIRST_ROW,
                                   .measure = measure_today},
     .remark = "Not in the paper. CPU: one thread. GPU: text in its memory. A sixteenth of the "
               "text."},
};

static void conclude(const paper_report *report, char (*sentences)[PAPER_SENTENCE_BYTES]) {
    double gpu[] = {paper_value(report, "fig-4", 0, 0), paper_value(report, "fig-4", 4, 0),
                    paper_value(report, "fig-4", 0, 1), paper_value(report, "fig-4", 4, 1)};
    sentence_write(sentences[0], gpu, 4, "the five stages on a GPU (no CUDA device)",
                   "With the text in the host's memory, as in the paper, all five stages together "
                   "make AC %.2f and WM %.2f times as fast as the first one (paper: 1.66 and "
                   "1.63).",
                   gpu[0] / gpu[1], gpu[2] / gpu[3]);
    double cpu[] = {paper_value(report, "cpu", 0, AC), paper_value(report, "cpu", 0, WM),
                    paper_value(report, "cpu", 2, AC), paper_value(report, "cpu", 2, WM)};
    sentence_write(sentences[1], cpu, 4, "AC and WM on the CPU (table cpu)",
                   "On one thread WM takes %.2f times AC's time with 1,000 patterns and %.2f times "
                   "with 16,000 (paper, on a GPU: 1.49 and 8.19).",
                   cpu[1] / cpu[0], cpu[3] / cpu[2]);
    double today[] = {paper_value(report, "today", 0, 0), paper_value(report, "today", 1, 0),
                      paper_value(report, "today", 2, 0)};
    sentence_write(sentences[2], today, 3, "trawl's choice beside it (table today)",
                   "With 8,000 patterns trawl's choice scans %.2f GB/s on one thread, %.1f times "
                   "AC and %.1f times WM as the paper has them.",
                   today[2], today[2] / today[0], today[2] / today[1]);
}

const paper_description paper_kouzinopoulos = {
    .name = "kouzinopoulos",
    .title = "Kouzinopoulos, Assael, Pyrgiotis, Margaritis 2015: a hybrid parallel implementation "
             "of Aho-Corasick and Wu-Manber with CUDA and MPI",
    .machine = "10 nodes, each a GeForce GT 240 and a Core 2 Duo E8400, 3 GHz; Gigabit Ethernet",
    .workload = "2^30 random letters a, c, g, t; the paper has human ESTs (UCSC hg19) of that "
                "length. 1,000, 8,000 and 16,000 distinct patterns of 8 letters, cut from the "
                "text. On a GPU the kernel reads the text from page-locked memory of the host, as "
                "in the paper. Tables 2 to 5 need trawl-mpi and mpirun; all ranks are on this "
                "machine.",
    .tables = tables,
    .count = sizeof tables / sizeof tables[0],
    .conclude = conclude,
};
