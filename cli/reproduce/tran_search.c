/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Tran et al.: the search for launch shapes (4.3, 5.2.2, Figs. 20 and 21), of P-1 by threads and
 * bytes a thread, of P-2 by threads and shared memory, for every form of results; numbers of
 * tables; the CPU's chunk. */
#include "cli/reproduce/tran.h"

enum {
    PATTERNS = 5000, /* where the set is no axis */
    TABLES = 8,
    MEGABYTES = 100,
    P1_THREADS = 128, /* best in the paper, for all sets */
    P1_BYTES = 128,
    P2_THREADS = 256, /* best in the paper, for most sets */
    P2_SHARED = 8 << 10
};

/* Milliseconds of P-1 whose threads have `bytes` of text each. */
static double p1_time(reproduction *run, size_t patterns, uint32_t threads, uint32_t bytes,
                      trawl_cuda_form form, char *why) {
    scan_job job = tran_job(patterns, TABLES, "p1", MEGABYTES);
    job.form = form;
    job.block_threads = threads;
    job.block_bytes = threads * bytes;
    return measure_scan(run, &job, why) * 1e3;
}

/* Milliseconds of P-2 whose blocks have `shared` bytes of shared memory each. */
static double p2_time(reproduction *run, size_t patterns, uint32_t threads, uint32_t shared,
                      trawl_cuda_form form, char *why) {
    scan_job job = tran_job(patterns, TABLES, "p2", MEGABYTES);
    job.form = form;
    job.block_threads = threads;
    job.block_bytes = shared;
    return measure_scan(run, &job, why) * 1e3;
}

/* ------------------------------------------------------------------ axes */

static const uint32_t thread_counts[] = {32, 64, 128, 256, 512};
static const char *const thread_rows[] = {"32 threads a block", "64", "128", "256", "512", NULL};

static const uint32_t shared_bytes[] = {2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10};
static const char *const shared_rows[] = {"2 KB a block", "4", "8", "16", "32", NULL};
static const char *const shared_columns[] = {"2 KB", "4 KB", "8 KB", "16 KB", "32 KB", NULL};

static const uint32_t thread_bytes[] = {32, 64, 128, 256, 512};
static const char *const bytes_rows[] = {"32 bytes a thread", "64", "128", "256", "512", NULL};
static const char *const bytes_columns[] = {"32 bytes",  "64 bytes",  "128 bytes",
                                            "256 bytes", "512 bytes", NULL};

/* What a scan writes: the search of the paper has one of these. */
static const char *const form_columns[] = {"count", "counts by pattern", "ends", "matches", NULL};
static const trawl_cuda_form forms[] = {TRAWL_CUDA_COUNT, TRAWL_CUDA_PATTERNS, TRAWL_CUDA_ENDS,
                                        TRAWL_CUDA_MATCHES};

/* ------------------------------------------------------------------ one axis */

static double measure_threads(reproduction *run, const paper_table *table, size_t row,
                              size_t column, char *why) {
    size_t patterns = tran_set_sizes[column];
    uint32_t threads = thread_counts[row];
    return table->parameter == TRAN_P2
               ? p2_time(run, patterns, threads, P2_SHARED, TRAWL_CUDA_COUNT, why)
               : p1_time(run, patterns, threads, P1_BYTES, TRAWL_CUDA_COUNT, why);
}

const paper_shape tran_by_threads = {.unit = "ms",
                                     .row_axis = "threads",
                                     .column_axis = "patterns",
                                     .rows = thread_rows,
                                     .columns = tran_sets,
                                     .ratio = PAPER_OVER_FIRST_ROW,
                                     .is_time = true,
                                     .measure = measure_threads};

static double measure_shared(reproduction *run, const paper_table *table, size_t row, size_t column,
                             char *why) {
    (void)table;
    return p2_time(run, tran_set_sizes[column], P2_THREADS, shared_bytes[row], TRAWL_CUDA_COUNT,
                   why);
}

const paper_shape tran_by_shared = {.unit = "ms",
                                    .row_axis = "shared memory",
                                    .column_axis = "patterns",
                                    .rows = shared_rows,
                                    .columns = tran_sets,
                                    .ratio = PAPER_OVER_FIRST_ROW,
                                    .is_time = true,
                                    .measure = measure_shared};

static double measure_bytes(reproduction *run, const paper_table *table, size_t row, size_t column,
                            char *why) {
    (void)table;
    return p1_time(run, tran_set_sizes[column], P1_THREADS, thread_bytes[row], TRAWL_CUDA_COUNT,
                   why);
}

const paper_shape tran_by_bytes = {.unit = "ms",
                                   .row_axis = "bytes a thread",
                                   .column_axis = "patterns",
                                   .rows = bytes_rows,
                                   .columns = tran_sets,
                                   .ratio = PAPER_OVER_FIRST_ROW,
                                   .is_time = true,
                                   .measure = measure_bytes};

static const uint32_t table_counts[] = {1, 2, 4, 8, 16};
static const char *const table_rows[] = {"1 STT", "2 STTs", "4", "8", "16", NULL};

static double measure_tables(reproduction *run, const paper_table *table, size_t row, size_t column,
                             char *why) {
    (void)table;
    scan_job job = tran_job(tran_set_sizes[column], table_counts[row], "p2", MEGABYTES);
    return measure_scan(run, &job, why) * 1e3;
}

const paper_shape tran_by_tables = {.unit = "ms",
                                    .row_axis = "tables",
                                    .column_axis = "patterns",
                                    .rows = table_rows,
                                    .columns = tran_sets,
                                    .ratio = PAPER_OVER_FIRST_ROW,
                                    .is_time = true,
                                    .measure = measure_tables};

/* 4.3 searches chunks of a thread; the number of tables is the other axis. */
static const size_t chunk_kilobytes[] = {16, 64, 256, 1024, 4096};
static const char *const chunk_rows[] = {"16 KB a chunk", "64", "256", "1,024", "4,096", NULL};

static double measure_chunk(reproduction *run, const paper_table *table, size_t row, size_t column,
                            char *why) {
    (void)table;
    scan_job job = tran_job(PATTERNS, tran_part_counts[column], NULL, MEGABYTES);
    job.threads = TRAWL_THREADS_ALL;
    job.placement = TRAWL_PLACEMENT_SPREAD;
    job.plain_walk = true;
    job.chunk_bytes = chunk_kilobytes[row] << 10;
    return measure_gigabits(run, &job, why);
}

const paper_shape tran_by_chunk = {.unit = "Gbps",
                                   .row_axis = "chunk",
                                   .column_axis = "tables",
                                   .rows = chunk_rows,
                                   .columns = tran_parts,
                                   .ratio = PAPER_OVER_FIRST_ROW,
                                   .measure = measure_chunk};

/* ------------------------------------------------------------------ two axes */

static double measure_grid_p2(reproduction *run, const paper_table *table, size_t row,
                              size_t column, char *why) {
    (void)table;
    return p2_time(run, PATTERNS, thread_counts[row], shared_bytes[column], TRAWL_CUDA_COUNT, why);
}

const paper_shape tran_grid_p2 = {.unit = "ms",
                                  .row_axis = "threads",
                                  .column_axis = "shared memory",
                                  .rows = thread_rows,
                                  .columns = shared_columns,
                                  .ratio = PAPER_OVER_FIRST_ROW,
                                  .is_time = true,
                                  .measure = measure_grid_p2};

static double measure_grid_p1(reproduction *run, const paper_table *table, size_t row,
                              size_t column, char *why) {
    (void)table;
    return p1_time(run, PATTERNS, thread_counts[row], thread_bytes[column], TRAWL_CUDA_COUNT, why);
}

const paper_shape tran_grid_p1 = {.unit = "ms",
                                  .row_axis = "threads",
                                  .column_axis = "bytes a thread",
                                  .rows = thread_rows,
                                  .columns = bytes_columns,
                                  .ratio = PAPER_OVER_FIRST_ROW,
                                  .is_time = true,
                                  .measure = measure_grid_p1};

/* ------------------------------------------------------------------ forms */

static double measure_forms_by_threads(reproduction *run, const paper_table *table, size_t row,
                                       size_t column, char *why) {
    uint32_t threads = thread_counts[row];
    return table->parameter == TRAN_P2
               ? p2_time(run, PATTERNS, threads, P2_SHARED, forms[column], why)
               : p1_time(run, PATTERNS, threads, P1_BYTES, forms[column], why);
}

const paper_shape tran_forms_by_threads = {.unit = "ms",
                                           .row_axis = "threads",
                                           .column_axis = "form",
                                           .rows = thread_rows,
                                           .columns = form_columns,
                                           .ratio = PAPER_OVER_FIRST_ROW,
                                           .is_time = true,
                                           .measure = measure_forms_by_threads};

static double measure_forms_by_shared(reproduction *run, const paper_table *table, size_t row,
                                      size_t column, char *why) {
    (void)table;
    return p2_time(run, PATTERNS, P2_THREADS, shared_bytes[row], forms[column], why);
}

const paper_shape tran_forms_by_shared = {.unit = "ms",
                                          .row_axis = "shared memory",
                                          .column_axis = "form",
                                          .rows = shared_rows,
                                          .columns = form_columns,
                                          .ratio = PAPER_OVER_FIRST_ROW,
                                          .is_time = true,
                                          .measure = measure_forms_by_shared};

static double measure_forms_by_bytes(reproduction *run, const paper_table *table, size_t row,
                                     size_t column, char *why) {
    (void)table;
    return p1_time(run, PATTERNS, P1_THREADS, thread_bytes[row], forms[column], why);
}

const paper_shape tran_forms_by_bytes = {.unit = "ms",
                                         .row_axis = "bytes a thread",
                                         .column_axis = "form",
                                         .rows = bytes_rows,
                                         .columns = form_columns,
                                         .ratio = PAPER_OVER_FIRST_ROW,
                                         .is_time = true,
                                         .measure = measure_forms_by_bytes};
