/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Nunes et al. 2018: Tables I to VI. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/reproduce/measure.h"
#include "cli/reproduce/paper.h"
#include "cli/reproduce/sentences.h"

enum { SIZES = 6, MODULUS_OF_TABLE_I = 13, CPU = 0, GPU = 1, TOTAL = MEASURED_STEPS - 1 };

static workload data_of(size_t patterns, size_t size) {
    return (workload){SET_BYTES, patterns, TEXT_BYTES, UINT64_C(1) << (22 + size)};
}

/* Says how many matches there are. */
static void note_matches(reproduction *run, const workload *data) {
    char why[PAPER_WHY_BYTES];
    uint64_t matches = 0;
    if (run_expected(run, data, "rabin-karp", &matches, why))
        run_note(run, "Matches", "%" PRIu64 " in %zu bytes", matches, run_bytes(run, data->bytes));
}

static const char *const sizes[] = {"n = 2^22", "n = 2^23", "n = 2^24", "n = 2^25",
                                    "n = 2^26", "n = 2^27", NULL};

/* ------------------------------------------------------------------ Table I */

static const char *const exponents[] = {"i = 0", "1", "2", "3",  "4",  "5",  "6",
                                        "7",     "8", "9", "10", "11", "12", NULL};
static const char *const power[] = {"2^i mod 13", NULL};
static const double powers[] = {1, 2, 4, 8, 3, 6, 12, 11, 9, 5, 10, 7, 1};

static double measure_power(reproduction *run, const paper_table *table, size_t row, size_t column,
                            char *why) {
    unsigned value = 1;
    (void)run, (void)table, (void)column, (void)why;
    for (size_t i = 0; i < row; i++)
        value = value * 2 % MODULUS_OF_TABLE_I;
    return value;
}

/* ------------------------------------------------------------------ Table II */

static const double single[] = {159.25,  1.33, 285.37,  2.48,  567.79,  4.77,
                                1094.83, 9.68, 2135.12, 19.50, 4306.30, 37.92};

static double measure_single(reproduction *run, const paper_table *table, size_t row, size_t column,
                             char *why) {
    scan_job job = {.data = data_of(1, row), .engine = "rabin-karp", .variant = "single"};
    (void)table;
    if (column == CPU)
        return measure_scan(run, &job, why) * 1e3;
    const double *steps = measure_steps(run, &job.data, true, why);
    return steps == NULL ? PAPER_NONE : steps[TOTAL];
}

/* ------------------------------------------------------------------ Tables III to V */

static const char *const size_steps[] = {"2^22: step 2",
                                         "step 3",
                                         "step 4",
                                         "step 5",
                                         "total",
                                         "2^23: step 2",
                                         "step 3",
                                         "step 4",
                                         "step 5",
                                         "total",
                                         "2^24: step 2",
                                         "step 3",
                                         "step 4",
                                         "step 5",
                                         "total",
                                         "2^25: step 2",
                                         "step 3",
                                         "step 4",
                                         "step 5",
                                         "total",
                                         "2^26: step 2",
                                         "step 3",
                                         "step 4",
                                         "step 5",
                                         "total",
                                         "2^27: step 2",
                                         "step 3",
                                         "step 4",
                                         "step 5",
                                         "total",
                                         NULL};

static const double k_512[] = {
    4.53,    0.04,  34.53,   0.19, 26.41,   0.49,  92.37,  0.61, 157.83,  1.34,  4.52,    0.04,
    68.54,   0.46,  52.88,   0.75, 184.30,  1.21,  310.25, 2.46, 4.59,    0.03,  138.38,  1.16,
    107.55,  1.18,  373.98,  2.41, 624.50,  4.78,  4.54,   0.04, 274.39,  2.77,  213.38,  2.08,
    743.02,  4.80,  1235.33, 9.69, 4.53,    0.04,  558.04, 6.36, 426.62,  3.62,  1496.06, 9.61,
    2485.25, 19.64, 4.52,    0.04, 1159.64, 13.90, 850.68, 6.83, 2974.56, 17.42, 4989.40, 38.19};

static const double k_1024[] = {
    10.37,   0.05,  40.53,   0.21, 30.29,   0.50,  112.30, 0.61, 193.49,  1.38,  9.33,    0.05,
    73.96,   0.47,  56.75,   0.74, 209.27,  1.21,  349.31, 2.47, 9.05,    0.05,  142.99,  1.16,
    108.69,  1.17,  390.22,  2.41, 650.94,  4.79,  8.97,   0.05, 276.82,  2.77,  215.64,  2.07,
    759.10,  4.81,  1260.53, 9.69, 9.15,    0.05,  554.71, 6.31, 424.45,  3.62,  1492.03, 9.59,
    2480.35, 19.58, 9.06,    0.04, 1157.91, 13.59, 851.91, 6.81, 3004.75, 17.32, 5023.63, 37.77};

static double measure_step(reproduction *run, const paper_table *table, size_t row, size_t column,
                           char *why) {
    workload data = data_of(table->parameter, row / MEASURED_STEPS);
    const double *steps = measure_steps(run, &data, column == GPU, why);
    if (steps != NULL)
        note_matches(run, &data);
    return steps == NULL ? PAPER_NONE : steps[row % MEASURED_STEPS];
}

/* Table V: the columns GPU of Tables III and IV side by side. */
static const char *const sets[] = {"k = 512", "k = 1,024", NULL};

static const double both_sets[] = {
    0.04,  0.05,  0.19, 0.21, 0.49,  0.50,  0.61, 0.61, 1.34,  1.38,  0.04,  0.05,
    0.46,  0.47,  0.75, 0.74, 1.21,  1.21,  2.46, 2.47, 0.03,  0.05,  1.16,  1.16,
    1.18,  1.17,  2.41, 2.41, 4.78,  4.79,  0.04, 0.05, 2.77,  2.77,  2.08,  2.07,
    4.80,  4.81,  9.69, 9.69, 0.04,  0.05,  6.36, 6.31, 3.62,  3.62,  9.61,  9.59,
    19.64, 19.58, 0.04, 0.04, 13.90, 13.59, 6.83, 6.81, 17.42, 17.32, 38.19, 37.77};

static double measure_set(reproduction *run, const paper_table *table, size_t row, size_t column,
                          char *why) {
    workload data = data_of(column == 0 ? 512 : 1024, row / MEASURED_STEPS);
    (void)table;
    const double *steps = measure_steps(run, &data, true, why);
    return steps == NULL ? PAPER_NONE : steps[row % MEASURED_STEPS];
}

/* ------------------------------------------------------------------ Table VI, today */

static const char *const steps[] = {"step 2", "step 3", "step 4", "step 5", NULL};
static const char *const occupancies[] = {"theoretical", "achieved", NULL};
static const double occupancy[] = {100, 91.5, 100, 99.9, 62.5, 61.1, 100, 99.9};

static double measure_occupancy(reproduction *run, const paper_table *table, size_t row,
                                size_t column, char *why) {
    workload data = data_of(512, SIZES - 1);
    (void)table;
    const double *times = measure_steps(run, &data, true, why);
    if (times == NULL)
        return PAPER_NONE;
    double share = times[MEASURED_STEPS + row];
    if (column == 0 && share > 0)
        return 100 * share;
    (void)snprintf(why, PAPER_WHY_BYTES, "%s",
                   column == 0 ? "a kernel of CUB's own" : "needs a profiler, such as ncu");
    return PAPER_NONE;
}

static const char *const rivals[] = {"the paper's steps", "the same, kernel prefix-sums",
                                     "trawl's choice", NULL};

/* At n = 2^26 and k = 512. */
static double measure_today(reproduction *run, const paper_table *table, size_t row, size_t column,
                            char *why) {
    scan_job job = {.data = data_of(512, 4), .on_cuda = column == GPU};
    (void)table;
    if (row == 1) {
        job.engine = "rabin-karp";
        job.variant = "paper";
        job.kernel = "prefix-sums";
        (void)snprintf(why, PAPER_WHY_BYTES, "a kernel of GPUs");
        return job.on_cuda ? measure_gigabytes(run, &job, why) : PAPER_NONE;
    }
    if (row == 2)
        return measure_gigabytes(run, &job, why);
    const double *times = measure_steps(run, &job.data, job.on_cuda, why);
    return times == NULL ? PAPER_NONE : (double)run_bytes(run, job.data.bytes) / 1e6 / times[TOTAL];
}

/* Tables III and IV. */
static const paper_shape by_steps = {.unit = "ms",
                                     .row_axis = "text, step",
                                     .column_axis = "device",
                                     .rows = size_steps,
                                     .columns = paper_devices,
                                     .ratio = PAPER_OVER_FIRST_COLUMN,
                                     .is_time = true,
                                     .measure = measure_step};

static const paper_table tables[] = {
    {.id = "1",
     .caption = "Table I: powers of d = 2 modulo q = 13",
     .shape = &(const paper_shape){.unit = "",
                                   .row_axis = "exponent",
                                   .column_axis = "value",
                                   .rows = exponents,
                                   .columns = power,
                                   .measure = measure_power},
     .paper = powers,
     .remark = "Not measured: this command multiplies itself. That the library's powers are these "
               "is a unit test."},
    {.id = "2",
     .caption = "Table II: one pattern of 1,024 bytes (k = 1)",
     .shape = &(const paper_shape){.unit = "ms",
                                   .row_axis = "text",
                                   .column_axis = "device",
                                   .rows = sizes,
                                   .columns = paper_devices,
                                   .ratio = PAPER_OVER_FIRST_COLUMN,
                                   .is_time = true,
                                   .measure = measure_single},
     .paper = single,
     .remark = "CPU: the loop of the paper's Fig. 2, without a table. GPU: steps 2 to 5."},
    {.id = "3",
     .caption = "Table III: 512 patterns (k = 512), by steps",
     .shape = &by_steps,
     .paper = k_512,
     .parameter = 512,
     .remark = "Steps: 2 hashes of the patterns and HT, 3 terms, 4 prefix sums, 5 windows. On the "
               "GPU terms and sums have 16 bits, on the CPU 32. Steps 3 and 5 have 64 blocks of 64 "
               "threads, as the paper says, so at most 64 of a GPU's multiprocessors work on "
               "them; kernel prefix-sums (table today) uses all."},
    {.id = "4",
     .caption = "Table IV: 1,024 patterns (k = 1,024), by steps",
     .shape = &by_steps,
     .paper = k_1024,
     .parameter = 1024},
    {.id = "5",
     .caption = "Table V: the GPU's steps, 512 and 1,024 patterns",
     .shape = &(const paper_shape){.unit = "ms",
                                   .row_axis = "text, step",
                                   .column_axis = "patterns",
                                   .rows = size_steps,
                                   .columns = sets,
                                   .ratio = PAPER_OVER_FIRST_COLUMN,
                                   .is_time = true,
                                   .measure = measure_set},
     .paper = both_sets},
    {.id = "6",
     .caption = "Table VI: occupancy of the multiprocessors, n = 2^27",
     .shape = &(const paper_shape){.unit = "%",
                                   .row_axis = "step",
                                   .column_axis = "occupancy",
                                   .rows = steps,
                                   .columns = occupancies,
                                   .measure = measure_occupancy},
     .paper = occupancy,
     .remark = "Theoretical: the CUDA runtime's answer for each kernel, its threads and its shared "
               "memory (cudaOccupancyMaxActiveBlocksPerMultiprocessor). Step 4 is a kernel of "
               "CUB's own, which the program cannot ask for. Achieved occupancy needs a profiler, "
               "such as ncu. Steps 3 and 5 have 4,096 threads by the paper's text, a quarter of "
               "the 16,384 that a GTX 960 has room for: the 99.9 % that it gives for them must be "
               "of another grid."},
    {.id = "today",
     .caption = "Today: speed at n = 2^26, k = 512",
     .shape = &(const paper_shape){.unit = "GB/s",
                                   .row_axis = "algorithm",
                                   .column_axis = "device",
                                   .rows = rivals,
                                   .columns = paper_devices,
                                   .ratio = PAPER_OVER_FIRST_ROW,
                                   .measure = measure_today},
     .remark =
         "Not in the paper. The paper's steps: 2 to 5. GPU: text in its memory. Kernel prefix-sums "
         "does steps 3 and 4 in one pass, step 5 with blocks for all multiprocessors, and tests "
         "filters before HT."},
};

static void conclude(const paper_report *report, char (*sentences)[PAPER_SENTENCE_BYTES]) {
    double gpu[] = {paper_value(report, "3", 24, CPU), paper_value(report, "3", 24, GPU)};
    sentence_write(
        sentences[0], gpu, 2, "prefix sums on a GPU (no CUDA device)",
        "On this GPU the paper's steps, with its 64 blocks of 64 threads, are %.0f times "
        "as fast as the same steps on one thread of this CPU (paper: 126.5, k = 512, n = "
        "2^26).",
        gpu[0] / gpu[1]);
    double cpu[] = {paper_value(report, "3", 21, CPU), paper_value(report, "3", 22, CPU),
                    paper_value(report, "3", 23, CPU)};
    sentence_write(sentences[1], cpu, 3, "the steps on the CPU (table 3)",
                   "On the CPU %.0f %% of steps 3 to 5 are terms and prefix sums (paper: 40 %%), "
                   "which a rolling hash does not need.",
                   100 * (cpu[0] + cpu[1]) / (cpu[0] + cpu[1] + cpu[2]));
    double today[] = {paper_value(report, "today", 0, CPU), paper_value(report, "today", 2, CPU)};
    sentence_write(sentences[2], today, 2, "trawl's choice beside it (table today)",
                   "For this set trawl's choice scans %.2f GB/s on one thread, where the paper's "
                   "steps reach %.3f GB/s.",
                   today[1], today[0]);
}

const paper_description paper_nunes = {
    .name = "nunes",
    .title = "Nunes, Bordim, Ito, Nakano 2018: Parallel Rabin-Karp Algorithm Implementation on GPU",
    .machine = "GeForce GTX 960 (112 GB/s), CUDA 7.5; one core of an i5-760, 2.8 GHz",
    .workload = "d = 2, q = 65,521, m = 1,024. The paper does not say what text and patterns hold: "
                "here random bytes; patterns are pieces of the shortest text, one from each of k "
                "equal parts, so that each occurs in every text. The paper's means are of 20 runs; "
                "here 20 on a GPU, fewer on the CPU. Step 1, a table "
                "of powers, is not timed, as in the paper.",
    .tables = tables,
    .count = sizeof tables / sizeof tables[0],
    .conclude = conclude,
};
