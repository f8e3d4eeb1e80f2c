/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Tran et al.: throughput of P-1 and P-2 (Figs. 11 to 19) and of many cores (Fig. 22); all tables
 * of the paper. */
#include "cli/reproduce/tran.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/reproduce/sentences.h"

enum { MEGABYTE = 1 << 20, SERVER_THREADS = 6, THREADS_A_CORE = 4 };

const size_t tran_set_sizes[] = {100, 5000, 50000};
const char *const tran_sets[] = {"100 patterns", "5,000", "50,000", NULL};
const uint32_t tran_part_counts[] = {1, 4, 8};
const char *const tran_parts[] = {"1 STT", "4 STTs", "8 STTs", NULL};

scan_job tran_job(size_t patterns, uint32_t parts_wanted, const char *kernel, uint64_t megabytes) {
    return (scan_job){.data = {SET_WORDS, patterns, TEXT_WORDS, megabytes * MEGABYTE},
                      .engine = "ac-split",
                      .variant = "stt",
                      .parts = parts_wanted,
                      .on_cuda = kernel != NULL,
                      .kernel = kernel};
}

/* ------------------------------------------------------------------ Figs. 11, 12, 17, 18 */

static const uint64_t sizes[] = {20, 50, 100, 200, 500};
static const char *const size_rows[] = {"20 MB", "50 MB", "100 MB", "200 MB", "500 MB", NULL};

/* One table for each kernel, number of patterns and text. */
static const struct {
    const char *kernel;
    size_t patterns;
    text_kind text;
} series[] = {
    {"p1", 100, TEXT_WORDS},      {"p1", 5000, TEXT_WORDS},      {"p1", 50000, TEXT_WORDS},
    {"p2", 100, TEXT_WORDS},      {"p2", 5000, TEXT_WORDS},      {"p2", 50000, TEXT_WORDS},
    {"p1", 100, TEXT_DICTIONARY}, {"p1", 5000, TEXT_DICTIONARY}, {"p1", 50000, TEXT_DICTIONARY},
    {"p2", 100, TEXT_DICTIONARY}, {"p2", 5000, TEXT_DICTIONARY}, {"p2", 50000, TEXT_DICTIONARY}};

static double measure_series(reproduction *run, const paper_table *table, size_t row, size_t column,
                             char *why) {
    size_t i = table->parameter;
    scan_job job =
        tran_job(series[i].patterns, tran_part_counts[column], series[i].kernel, sizes[row]);
    job.data.text = series[i].text;
    return measure_gigabits(run, &job, why);
}

/* ------------------------------------------------------------------ Figs. 14 to 16 */

static const char *const cpu_rows[] = {"100 patterns: 50 MB",
                                       "100 MB",
                                       "200 MB",
                                       "500 MB",
                                       "5,000 patterns: 50 MB",
                                       "100 MB",
                                       "200 MB",
                                       "500 MB",
                                       "50,000 patterns: 50 MB",
                                       "100 MB",
                                       "200 MB",
                                       "500 MB",
                                       NULL};
static const char *const cpu_columns[] = {"one CPU core", "6 threads", "P-2, 8 STTs", NULL};

/* One core and six threads walk one table of the whole set. */
static double measure_over_cpu(reproduction *run, const paper_table *table, size_t row,
                               size_t column, char *why) {
    enum { SIZES = 4 };
    (void)table;
    scan_job job = tran_job(tran_set_sizes[row / SIZES], column == 2 ? 8 : 1,
                            column == 2 ? "p2" : NULL, sizes[1 + row % SIZES]);
    job.threads = column == 1 ? SERVER_THREADS : 0;
    job.plain_walk = true;
    return measure_gigabits(run, &job, why);
}

/* Dict_Input_S: the text is all patterns once. */
static scan_job small_job(reproduction *run, const char *kernel, size_t row, size_t column) {
    scan_job job = tran_job(tran_set_sizes[row], tran_part_counts[column], kernel, 0);
    trawl_statistics statistics = {.size = sizeof statistics};
    (void)trawl_patterns_statistics(run_patterns(run, SET_WORDS, tran_set_sizes[row]), &statistics,
                                    NULL);
    job.data.text = TEXT_DICTIONARY;
    job.data.bytes = statistics.total_bytes + statistics.count;
    return job;
}

static double measure_small(reproduction *run, const paper_table *table, size_t row, size_t column,
                            char *why) {
    scan_job job = small_job(run, table->parameter == 0 ? "p1" : "p2", row, column);
    return measure_scan(run, &job, why) * 1e3;
}

static double measure_small_speed(reproduction *run, const paper_table *table, size_t row,
                                  size_t column, char *why) {
    scan_job job = small_job(run, table->parameter == 0 ? "p1" : "p2", row, column);
    return measure_gigabits(run, &job, why);
}

/* The paper says by how many percent the run times are better: 18.15 is a time of 0.8185. */
static const double fig_15a[] = {1, 0.8185, 0.80, 1, 0.7659, 0.701, 1, 0.6986, 0.646};

/* ------------------------------------------------------------------ Fig. 19 */

static const char *const conflicts[] = {"with bank conflicts", "without", NULL};

static double measure_conflicts(reproduction *run, const paper_table *table, size_t row,
                                size_t column, char *why) {
    (void)table;
    scan_job job = tran_job(tran_set_sizes[row], 8, column == 0 ? "p2-conflicts" : "p2", 100);
    double seconds = measure_scan(run, &job, why);
    uint32_t accesses = measure_bank_accesses(run, &job);
    if (accesses != 0)
        run_note(run, "Accesses of shared memory for one read of a warp, computed from the layout",
                 "%s %" PRIu32, job.kernel, accesses);
    return seconds * 1e3;
}

/* ------------------------------------------------------------------ Fig. 22 */

static const char *const many_rows[] = {"100 patterns: 20 MB",
                                        "50 MB",
                                        "100 MB",
                                        "200 MB",
                                        "500 MB",
                                        "5,000 patterns: 20 MB",
                                        "50 MB",
                                        "100 MB",
                                        "200 MB",
                                        "500 MB",
                                        "50,000 patterns: 20 MB",
                                        "50 MB",
                                        "100 MB",
                                        "200 MB",
                                        "500 MB",
                                        NULL};
static const char *const many_columns[] = {"1 STT", "4 STTs", NULL};

static double measure_many(reproduction *run, const paper_table *table, size_t row, size_t column,
                           char *why) {
    enum { SIZES = 5 };
    (void)table;
    scan_job job =
        tran_job(tran_set_sizes[row / SIZES], tran_part_counts[column], NULL, sizes[row % SIZES]);
    job.threads = TRAWL_THREADS_ALL;
    job.placement = TRAWL_PLACEMENT_SPREAD;
    job.plain_walk = true;
    return measure_gigabits(run, &job, why);
}

static const char *const density_rows[] = {"1 thread a CPU", "2", "3", "4", NULL};

static double measure_density(reproduction *run, const paper_table *table, size_t row,
                              size_t column, char *why) {
    (void)table;
    trawl_device cpu[1] = {TRAWL_DEVICE};
    size_t count = 0;
    (void)trawl_devices(cpu, 1, &count, NULL);
    scan_job job = tran_job(50000, tran_part_counts[column], NULL, 100);
    job.threads = cpu->units * (uint32_t)(row + 1);
    job.placement = TRAWL_PLACEMENT_SPREAD;
    job.plain_walk = true;
    return measure_gigabits(run, &job, why);
}

/* ------------------------------------------------------------------ today */

static const char *const rivals[] = {"1 STT", "8 STTs", "trawl's choice", NULL};

static double measure_today(reproduction *run, const paper_table *table, size_t row, size_t column,
                            char *why) {
    (void)table;
    scan_job job = tran_job(5000, row == 0 ? 1 : 8, column == 0 ? NULL : "p2", 100);
    job.plain_walk = true;
    if (row == 2)
        job = (scan_job){.data = job.data, .on_cuda = job.on_cuda};
    return measure_gigabytes(run, &job, why);
}

/* Figs. 11, 12, 17 and 18. */
static const paper_shape by_text = {.unit = "Gbps",
                                    .row_axis = "text",
                                    .column_axis = "tables",
                                    .rows = size_rows,
                                    .columns = tran_parts,
                                    .ratio = PAPER_OVER_FIRST_COLUMN,
                                    .measure = measure_series};

/* Figs. 15 and 16. */
static const paper_shape small_times = {.unit = "ms",
                                        .row_axis = "patterns",
                                        .column_axis = "tables",
                                        .rows = tran_sets,
                                        .columns = tran_parts,
                                        .ratio = PAPER_OVER_FIRST_COLUMN,
                                        .is_time = true,
                                        .measure = measure_small};
static const paper_shape small_speeds = {.unit = "Gbps",
                                         .row_axis = "patterns",
                                         .column_axis = "tables",
                                         .rows = tran_sets,
                                         .columns = tran_parts,
                                         .ratio = PAPER_OVER_FIRST_COLUMN,
                                         .measure = measure_small_speed};

static const paper_table tables[] = {
    {.id = "2",
     .caption = "Table 2: states of each STT",
     .shape = &(const paper_shape){.unit = "states",
                                   .row_axis = "table",
                                   .column_axis = "patterns",
                                   .rows = tran_state_rows,
                                   .columns = tran_sets,
                                   .ratio = PAPER_OVER_FIRST_ROW,
                                   .measure = tran_measure_states},
     .paper = tran_table_2,
     .remark = "Parts of one set are compared by the share that each has of the single table."},
    {.id = "3",
     .caption = "Table 3: size of one STT and of four",
     .shape = &(const paper_shape){.unit = "KB",
                                   .row_axis = "tables",
                                   .column_axis = "patterns",
                                   .rows = tran_size_rows,
                                   .columns = tran_sets,
                                   .ratio = PAPER_OVER_FIRST_ROW,
                                   .measure = tran_measure_kilobytes},
     .paper = tran_table_3,
     .remark = "257 columns of 4 bytes for each state."},
    {.id = "4",
     .caption = "Table 4: time to build the STTs",
     .shape = &(const paper_shape){.unit = "s",
                                   .row_axis = "patterns",
                                   .column_axis = "tables",
                                   .rows = tran_build_rows,
                                   .columns = tran_parts,
                                   .ratio = PAPER_OVER_FIRST_COLUMN,
                                   .is_time = true,
                                   .measure = tran_measure_build},
     .paper = tran_table_4,
     .remark = "Medians of several runs, of fewer where one takes long."},
    {.id = "fig-11a",
     .aliases = "fig-11 fig-13 fig-13a",
     .caption = "Fig. 11a, 13a: P-1, 100 patterns",
     .shape = &by_text,
     .parameter = 0,
     .remark = "Figures without numbers. The text of the paper has 1.47 to 2.73 for 4 and 8 STTs "
               "over 1, growing with text and patterns, and at most 75.8 Gbps."},
    {.id = "fig-11b",
     .aliases = "fig-11 fig-13 fig-13a",
     .caption = "Fig. 11b, 13a: P-1, 5,000 patterns",
     .shape = &by_text,
     .parameter = 1},
    {.id = "fig-11c",
     .aliases = "fig-11 fig-13 fig-13a",
     .caption = "Fig. 11c, 13a: P-1, 50,000 patterns",
     .shape = &by_text,
     .parameter = 2},
    {.id = "fig-12a",
     .aliases = "fig-12 fig-13 fig-13b",
     .caption = "Fig. 12a, 13b: P-2, 100 patterns",
     .shape = &by_text,
     .parameter = 3,
     .remark = "The text of the paper has 1.34 to 1.86 for 4 and 8 STTs over 1, growing up to 200 "
               "MB, and at most 692.7 Gbps: 9.14 times P-1."},
    {.id = "fig-12b",
     .aliases = "fig-12 fig-13 fig-13b",
     .caption = "Fig. 12b, 13b: P-2, 5,000 patterns",
     .shape = &by_text,
     .parameter = 4},
    {.id = "fig-12c",
     .aliases = "fig-12 fig-13 fig-13b",
     .caption = "Fig. 12c, 13b: P-2, 50,000 patterns",
     .shape = &by_text,
     .parameter = 5},
    {.id = "fig-14",
     .aliases = "fig-14a fig-14b",
     .caption = "Fig. 14: P-2 over one CPU core and over 6 threads",
     .shape = &(const paper_shape){.unit = "Gbps",
                                   .row_axis = "patterns, text",
                                   .column_axis = "device",
                                   .rows = cpu_rows,
                                   .columns = cpu_columns,
                                   .ratio = PAPER_OVER_FIRST_COLUMN,
                                   .measure = measure_over_cpu},
     .remark = "The text of the paper has 127 to 311 for P-2 over one core, 86 to 183 over 6 "
               "threads."},
    {.id = "fig-15a",
     .aliases = "fig-15",
     .caption = "Fig. 15a: run time on Dict_Input_S, P-1",
     .shape = &small_times,
     .paper = fig_15a,
     .parameter = 0,
     .remark = "The text of the paper: 4 STTs are 18.15, 23.41 and 30.14 % better than 1, 8 STTs "
               "20, 29.9 and 35.4 %; its times here are shares of the time with 1 STT."},
    {.id = "fig-15b",
     .aliases = "fig-15",
     .caption = "Fig. 15b: run time on Dict_Input_S, P-2",
     .shape = &small_times,
     .parameter = 1},
    {.id = "fig-16a",
     .aliases = "fig-16",
     .caption = "Fig. 16a: the same in Gbps, P-1",
     .shape = &small_speeds,
     .parameter = 0},
    {.id = "fig-16b",
     .aliases = "fig-16",
     .caption = "Fig. 16b: the same in Gbps, P-2",
     .shape = &small_speeds,
     .parameter = 1},
    {.id = "fig-17a",
     .aliases = "fig-17",
     .caption = "Fig. 17: Dict_Input_L, P-1, 100 patterns",
     .shape = &by_text,
     .parameter = 6,
     .remark = "The paper finds the trends of Figs. 11 and 12 again."},
    {.id = "fig-17b",
     .aliases = "fig-17",
     .caption = "Fig. 17: Dict_Input_L, P-1, 5,000 patterns",
     .shape = &by_text,
     .parameter = 7},
    {.id = "fig-17c",
     .aliases = "fig-17",
     .caption = "Fig. 17: Dict_Input_L, P-1, 50,000 patterns",
     .shape = &by_text,
     .parameter = 8},
    {.id = "fig-18a",
     .aliases = "fig-18",
     .caption = "Fig. 18: Dict_Input_L, P-2, 100 patterns",
     .shape = &by_text,
     .parameter = 9},
    {.id = "fig-18b",
     .aliases = "fig-18",
     .caption = "Fig. 18: Dict_Input_L, P-2, 5,000 patterns",
     .shape = &by_text,
     .parameter = 10},
    {.id = "fig-18c",
     .aliases = "fig-18",
     .caption = "Fig. 18: Dict_Input_L, P-2, 50,000 patterns",
     .shape = &by_text,
     .parameter = 11},
    {.id = "fig-19",
     .caption = "Fig. 19: P-2 with and without bank conflicts, 100 MB, 8 STTs",
     .shape = &(const paper_shape){.unit = "ms",
                                   .row_axis = "patterns",
                                   .column_axis = "kernel",
                                   .rows = tran_sets,
                                   .columns = conflicts,
                                   .ratio = PAPER_OVER_FIRST_COLUMN,
                                   .is_time = true,
                                   .measure = measure_conflicts},
     .remark =
         "The text of the paper has 1.72 to 4.48. More accesses than one are bank conflicts: they "
         "are computed from the places of the words in the 32 banks, not counted by the GPU."},
    {.id = "fig-20",
     .caption = "Fig. 20: P-1 by threads a block, 100 MB, 8 STTs",
     .shape = &tran_by_threads,
     .remark = "The paper: 128 threads are best for all sets. A thread has 128 bytes here."},
    {.id = "fig-21",
     .caption = "Fig. 21: P-2 by threads a block, 8 KB of shared memory, 100 MB, 8 STTs",
     .shape = &tran_by_threads,
     .parameter = TRAN_P2,
     .remark = "The paper: 256 threads are best for 100 and 5,000 patterns, 512 for 50,000."},
    {.id = "shared",
     .caption = "5.2.2: P-2 by shared memory a block, 256 threads, 100 MB, 8 STTs",
     .shape = &tran_by_shared,
     .remark = "The text of the paper: 8 KB are best."},
    {.id = "bytes",
     .caption = "4.3: P-1 by bytes a thread, 128 threads, 100 MB, 8 STTs",
     .shape = &tran_by_bytes,
     .remark = "The paper searches the chunk of a thread and has no numbers for it."},
    {.id = "grid",
     .caption = "5.2.2: P-2 by threads and shared memory a block, 5,000 patterns, 100 MB, 8 STTs",
     .shape = &tran_grid_p2,
     .remark = "The paper searches almost all combinations and prints two curves. A thread has the "
               "bytes of shared memory divided by the threads."},
    {.id = "grid-p1",
     .caption = "4.3: P-1 by threads a block and bytes a thread, 5,000 patterns, 100 MB, 8 STTs",
     .shape = &tran_grid_p1},
    {.id = "forms",
     .caption = "5.2.2: P-2 by threads a block and by what is written, 5,000 patterns, 100 MB, "
                "8 STTs",
     .shape = &tran_forms_by_threads,
     .parameter = TRAN_P2,
     .remark = "The paper writes counts. 8 KB of shared memory."},
    {.id = "forms-shared",
     .caption = "5.2.2: P-2 by shared memory a block and by what is written, 256 threads, 5,000 "
                "patterns, 100 MB, 8 STTs",
     .shape = &tran_forms_by_shared},
    {.id = "forms-p1",
     .caption =
         "5.2.2: P-1 by threads a block and by what is written, 5,000 patterns, 100 MB, 8 STTs",
     .shape = &tran_forms_by_threads,
     .remark = "128 bytes a thread."},
    {.id = "forms-bytes",
     .caption = "4.3: P-1 by bytes a thread and by what is written, 128 threads, 5,000 patterns, "
                "100 MB, 8 STTs",
     .shape = &tran_forms_by_bytes},
    {.id = "tables",
     .caption = "5.2: P-2 by number of tables, 100 MB",
     .shape = &tran_by_tables,
     .remark = "The paper has 1, 4 and 8 tables."},
    {.id = "chunk",
     .caption = "4.3: many cores by chunk of a thread, 5,000 patterns, 100 MB, all CPUs",
     .shape = &tran_by_chunk,
     .remark = "The paper has no numbers for this."},
    {.id = "fig-22",
     .caption = "Fig. 22: many cores, 4 STTs over 1, all CPUs",
     .shape = &(const paper_shape){.unit = "Gbps",
                                   .row_axis = "patterns, text",
                                   .column_axis = "tables",
                                   .rows = many_rows,
                                   .columns = many_columns,
                                   .ratio = PAPER_OVER_FIRST_COLUMN,
                                   .measure = measure_many},
     .remark =
         "Threads are placed as far apart as the CPUs permit, the paper's scatter affinity. Its "
         "text has 1.60 to 2.00 on a Xeon Phi with 60 cores."},
    {.id = "fig-22-threads",
     .caption = "Fig. 22: threads a CPU, 50,000 patterns, 100 MB",
     .shape = &(const paper_shape){.unit = "Gbps",
                                   .row_axis = "threads",
                                   .column_axis = "tables",
                                   .rows = density_rows,
                                   .columns = many_columns,
                                   .ratio = PAPER_OVER_FIRST_ROW,
                                   .measure = measure_density},
     .remark = "The paper: 2 or 3 threads a core are best. Its cores run 4 threads at once."},
    {.id = "ranges",
     .caption = "Ratios that the text of the paper gives",
     .shape = &(const paper_shape){.unit = "times",
                                   .row_axis = "ratio",
                                   .column_axis = "",
                                   .rows = tran_range_rows,
                                   .columns = tran_range_columns,
                                   .measure = tran_measure_range},
     .paper = tran_ranges,
     .remark = "Of Figs. 13, 14, 19 and 22. P-1 and P-2 over 1 STT: with 4 and with 8."},
    {.id = "best",
     .caption = "Best throughput of P-1 and P-2",
     .shape = &(const paper_shape){.unit = "Gbps",
                                   .row_axis = "kernel",
                                   .column_axis = "",
                                   .rows = tran_best_rows,
                                   .columns = tran_best_columns,
                                   .ratio = PAPER_OVER_FIRST_ROW,
                                   .measure = tran_measure_best},
     .paper = tran_best},
    {.id = "today",
     .caption = "Today: 5,000 patterns, 100 MB",
     .shape = &(const paper_shape){.unit = "GB/s",
                                   .row_axis = "algorithm",
                                   .column_axis = "device",
                                   .rows = rivals,
                                   .columns = paper_devices,
                                   .ratio = PAPER_OVER_FIRST_ROW,
                                   .measure = measure_today},
     .remark = "Not in the paper. CPU: one thread. GPU: P-2, text in its memory."},
};

static void conclude(const paper_report *report, char (*sentences)[PAPER_SENTENCE_BYTES]) {
    double gpu[] = {paper_value(report, "fig-12c", 4, 0), paper_value(report, "fig-12c", 4, 2),
                    paper_value(report, "fig-12a", 4, 0), paper_value(report, "fig-12a", 4, 2)};
    sentence_write(sentences[0], gpu, 4, "several tables on a GPU (no CUDA device)",
                   "On this GPU 8 tables are %.2f times as fast as one with 50,000 patterns and "
                   "%.2f times with 100, at 500 MB (paper: 1.34 to 1.86).",
                   gpu[1] / gpu[0], gpu[3] / gpu[2]);
    ratio_range range = sentence_range(report, "fig-22");
    double many[] = {range.mean};
    sentence_write(sentences[1], many, 1, "4 tables over 1 on the CPU (fig-22)",
                   "On the CPU 4 tables are %.2f times as fast as one on average, %.2f to %.2f "
                   "(paper, Xeon Phi: 1.60 to 2.00).",
                   range.mean, range.least, range.most);
    double today[] = {paper_value(report, "today", 0, 0), paper_value(report, "today", 1, 0),
                      paper_value(report, "today", 2, 0)};
    sentence_write(
        sentences[2], today, 3, "trawl's choice beside it (table today)",
        "With 5,000 patterns one table scans %.3f GB/s on one thread, 8 tables %.3f, and "
        "trawl's choice %.2f.",
        today[0], today[1], today[2]);
}

const paper_description paper_tran = {
    .name = "tran",
    .title = "Tran, Lee, Choi 2015: Cache Locality-Centric Parallel String Matching on Many-Core "
             "Accelerator Chips",
    .machine = "Tesla K20 (208 GB/s); Xeon E5-2650, 6 cores used; Xeon Phi 5120D, 60 cores",
    .workload = "Made-up words of syllables, drawn by Zipf's law, since the paper's magazines are "
                "not published; patterns are words of 5 letters or more, drawn with repetition, as "
                "the paper's must be. The automata of its 100, 5,000 and 50,000 patterns have 573, "
                "8,606 and 26,369 states, of these sets 778, 12,145 and 25,774 (table 2). MB are "
                "2^20 bytes. "
                "Curves are compared with the ranges in the paper's text, as its figures have no "
                "numbers.",
    .tables = tables,
    .count = sizeof tables / sizeof tables[0],
    .conclude = conclude,
};
