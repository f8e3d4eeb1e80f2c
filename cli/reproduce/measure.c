/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/reproduce/measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/clock.h"
#include "cli/base/memory.h"
#include "cli/reproduce/paper.h"
#include "cli/reproduce/states.h"

enum { NAME_BYTES = 160, MOST_RUNS = MEASURED_MOST_RUNS };

/* Seconds of all runs of a cell together. A cell whose first run takes longer has that run
 * alone. */
static const double CELL_SECONDS = 1.0;

/* What a scan is made with. */
typedef struct scan_parts {
    run_database *database;
    const uint8_t *text;
    size_t length;
    uint64_t expected;
} scan_parts;

static int compare(const void *left, const void *right) {
    double a = *(const double *)left;
    double b = *(const double *)right;
    return a < b ? -1 : a > b;
}

double measure_median(double *seconds, size_t count) {
    qsort(seconds, count, sizeof *seconds, compare);
    return (seconds[(count - 1) / 2] + seconds[count / 2]) / 2;
}

/* Says what the planner has chosen. */
static void note_choice(reproduction *run, const scan_job *job, const trawl_db *db) {
    trawl_db_information information = TRAWL_DB_INFORMATION;
    trawl_study_plan plan = TRAWL_STUDY_PLAN;
    char kinds[NAME_BYTES] = "";
    if (trawl_db_info(db, &information, NULL) != TRAWL_OK ||
        trawl_study_db_plan(db, &plan, NULL) != TRAWL_OK)
        return;
    const trawl_study_filter *filters = job->on_cuda ? plan.device_filter : plan.filter;
    size_t count = job->on_cuda ? plan.device_filters : plan.filters;
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(kinds);
        (void)snprintf(kinds + used, sizeof kinds - used, "%s%s", i == 0 ? ", filters " : " and ",
                       filters[i].kind);
    }
    run_note(run, "trawl's choice", "%s: engine %s%s", job->on_cuda ? "GPU" : "CPU",
             information.engine, kinds);
}

static bool prepare(reproduction *run, const scan_job *job, scan_parts *parts, char *why) {
    run_recipe recipe = {.set = job->data.set,
                         .patterns = job->data.patterns,
                         .engine = job->engine,
                         .variant = job->variant,
                         .parts = job->parts,
                         .for_cuda = job->on_cuda && job->engine == NULL,
                         .text = job->engine == NULL ? job->data.text : TEXT_FILES};
    if (job->on_cuda && !run_has_cuda(run, why))
        return false;
    parts->database = run_compile(run, &recipe, why);
    if (parts->database == NULL ||
        !run_expected(run, &job->data, job->engine, &parts->expected, why))
        return false;
    if (job->engine == NULL)
        note_choice(run, job, parts->database->db);
    parts->length = run_bytes(run, job->data.bytes);
    parts->text = run_text(run, &job->data, why);
    return parts->text != NULL;
}

/* ------------------------------------------------------------------ texts in host memory */

typedef struct host_scan {
    trawl_scan_options options;
    trawl_study_scan_options study;
    trawl_study_scan_report report;
    bool by_events; /* the time is the kernels', by events on the device */
    void *entries;  /* owned; NULL unless states are wanted */
    uint64_t entries_bytes;
    uint32_t entry_bytes; /* of one state */
} host_scan;

/* Prepares scans of texts up to `longest` bytes within the text. */
static void host_begin(const reproduction *run, const scan_job *job, const scan_parts *parts,
                       size_t longest, host_scan *scan) {
    *scan = (host_scan){.options = TRAWL_SCAN_OPTIONS,
                        .study = TRAWL_STUDY_SCAN_OPTIONS,
                        .report = TRAWL_STUDY_SCAN_REPORT};
    scan->options.study = &scan->study;
    scan->study.report = &scan->report;
    scan->by_events = job->transfer != NULL && strcmp(job->transfer, "zero-copy") == 0;
    scan->options.threads = job->threads;
    scan->options.placement = job->placement;
    scan->options.kernel = job->kernel;
    scan->options.transfer = job->transfer;
    scan->options.device = job->on_cuda ? run_settings_of(run)->cuda : NULL;
    scan->study.plain_walk = job->plain_walk;
    scan->study.copy_tables = job->copy_tables;
    scan->study.chunk_bytes = job->chunk_bytes;
    scan->study.block_threads = job->block_threads;
    scan->study.block_bytes = job->block_bytes;
    if (job->segments != 0)
        scan->study.segment_bytes = (parts->length + job->segments - 1) / job->segments;
    scan->study.keep_segments = job->on_cuda; /* so that no timed run allocates them */
    if (job->on_cuda)
        (void)trawl_cuda_pin(parts->text, parts->length, NULL);
    trawl_study_automaton automaton = TRAWL_STUDY_AUTOMATON;
    if (job->form == TRAWL_CUDA_STATES &&
        trawl_study_db_automaton(parts->database->db, 0, &automaton, NULL) == TRAWL_OK) {
        scan->entry_bytes = automaton.state_bytes;
        scan->entries_bytes = (uint64_t)automaton.state_bytes * longest;
        scan->entries = allocate(scan->entries_bytes);
        (void)trawl_cuda_pin(scan->entries, scan->entries_bytes, NULL);
    }
}

static bool host_run(const scan_parts *parts, host_scan *scan, uint64_t *total, double *seconds,
                     trawl_error *error) {
    const trawl_db *db = parts->database->db;
    double begin = seconds_now();
    trawl_status status =
        scan->entries == NULL
            ? trawl_count(db, parts->text, parts->length, &scan->options, total, NULL, error)
            : trawl_study_cuda_entries(db, parts->text, parts->length, TRAWL_CUDA_STATES,
                                       &scan->options, scan->entries, scan->entries_bytes, error);
    *seconds = scan->by_events ? scan->report.scan_seconds : seconds_now() - begin;
    return status == TRAWL_OK;
}

static void host_end(const scan_job *job, const scan_parts *parts, host_scan *scan) {
    if (job->on_cuda) { /* a scan of one byte frees the segments that the database has kept */
        scan_parts one = *parts;
        uint64_t total = 0;
        double seconds = 0;
        one.length = 1;
        scan->study.keep_segments = false;
        (void)host_run(&one, scan, &total, &seconds, NULL);
        trawl_cuda_unpin(parts->text);
    }
    if (scan->entries != NULL)
        trawl_cuda_unpin(scan->entries);
    free(scan->entries);
}

/* Whether a scan wrote the CPU's states, if any. */
static bool host_states_agree(reproduction *run, const scan_parts *parts, const host_scan *scan,
                              char *why) {
    written_states written = {.db = parts->database->db,
                              .text = parts->text,
                              .length = parts->length,
                              .entries = scan->entries,
                              .entry_bytes = scan->entry_bytes};
    if (scan->entries == NULL || states_agree(&written))
        return true;
    (void)run_states_mismatch(run, why);
    return false;
}

static double host_seconds(reproduction *run, const scan_job *job, const scan_parts *parts,
                           trawl_table_path *path, char *why) {
    double seconds[MOST_RUNS];
    double spent = 0;
    uint64_t total = parts->expected;
    size_t done = 0;
    trawl_error error;
    host_scan scan;
    host_begin(run, job, parts, parts->length, &scan);
    bool works = host_run(parts, &scan, &total, &spent, &error);
    bool is_right = total == parts->expected;
    /* On a GPU the first run also copies the database and allocates memory. */
    if (!job->on_cuda && spent > CELL_SECONDS)
        seconds[done++] = spent;
    if (scan.entries != NULL) /* so that a timed run has to write each state */
        memset(scan.entries, UINT8_MAX, scan.entries_bytes);
    for (spent = done == 0 ? 0 : spent;
         works && is_right && done < run_settings_of(run)->most_runs && done < MOST_RUNS &&
         (done == 0 || spent < CELL_SECONDS);
         spent += seconds[done++]) {
        works = host_run(parts, &scan, &total, &seconds[done], &error);
        is_right = total == parts->expected;
    }
    bool agree = !works || host_states_agree(run, parts, &scan, why);
    *path = scan.report.table_path;
    host_end(job, parts, &scan);
    if (!works)
        return run_failed(&error, why);
    if (!is_right)
        return run_mismatch(run, total, parts->expected, why);
    return agree ? measure_median(seconds, done) : PAPER_NONE;
}

/* ------------------------------------------------------------------ texts in device memory */

/* Whether a kernel that writes states writes those of the CPU: for the whole text, in pieces that
 * begin max_length - 1 bytes early, as a state depends on no more. Writes why not. */
static bool states_right(reproduction *run, const scan_job *job, const scan_parts *parts,
                         char *why) {
    enum { PIECE = 1 << 26 };
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(parts->database->db, &information, NULL);
    size_t overlap = information.max_length - 1;
    size_t longest = parts->length < PIECE + overlap ? parts->length : PIECE + overlap;
    bool works = true, agree = true;
    host_scan scan;
    trawl_error error;
    host_begin(run, job, parts, longest, &scan);
    for (size_t begin = 0; begin < parts->length && works && agree; begin += PIECE) {
        scan_parts piece = *parts;
        size_t from = begin < overlap ? 0 : begin - overlap;
        size_t end = parts->length - begin < PIECE ? parts->length : begin + PIECE;
        uint64_t total = 0;
        double seconds = 0;
        piece.text = parts->text + from;
        piece.length = end - from;
        works = host_run(&piece, &scan, &total, &seconds, &error);
        agree = works && host_states_agree(run, &piece, &scan, why);
    }
    host_end(job, parts, &scan);
    if (!works)
        (void)run_failed(&error, why);
    return agree;
}

static double device_seconds(reproduction *run, const scan_job *job, const scan_parts *parts,
                             trawl_table_path *path, char *why) {
    if (!run_upload(run, parts->database, why))
        return PAPER_NONE;
    trawl_error error;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    trawl_cuda_scan_options options = TRAWL_CUDA_SCAN_OPTIONS;
    const trawl_cuda_db *uploaded = parts->database->uploaded;
    uint32_t repeats = run_settings_of(run)->most_runs;
    double seconds[MOST_RUNS];
    uint64_t total = 0;
    repeats = repeats > MOST_RUNS ? MOST_RUNS : repeats;
    study.block_threads = job->block_threads;
    study.block_bytes = job->block_bytes;
    options.study = &study;
    options.kernel = job->kernel;
    bool writes_states = job->form == TRAWL_CUDA_STATES;
    if (writes_states && !states_right(run, job, parts, why))
        return PAPER_NONE;
    trawl_status counted = trawl_study_cuda_measure(uploaded, &options, parts->text, parts->length,
                                                    job->form == TRAWL_CUDA_COUNT ? repeats : 1,
                                                    seconds, &total, &error);
    /* ac4-registers writes states and does not count. */
    if (counted != TRAWL_OK && !(writes_states && counted == TRAWL_ERROR_LIMIT))
        return run_failed(&error, why);
    if (counted == TRAWL_OK && total != parts->expected)
        return run_mismatch(run, total, parts->expected, why);
    options.form = job->form;
    if (job->form != TRAWL_CUDA_COUNT &&
        trawl_study_cuda_measure(uploaded, &options, parts->text, parts->length, repeats, seconds,
                                 NULL, &error) != TRAWL_OK)
        return run_failed(&error, why);
    trawl_cuda_layout layout = TRAWL_CUDA_LAYOUT;
    if (trawl_study_cuda_layout(uploaded, &options, parts->length, &layout, &error) != TRAWL_OK)
        return run_failed(&error, why);
    *path = layout.table_path;
    return measure_median(seconds, repeats);
}

uint32_t measure_bank_accesses(reproduction *run, const scan_job *job) {
    char unused[PAPER_WHY_BYTES];
    scan_parts parts;
    trawl_cuda_scan_options options = TRAWL_CUDA_SCAN_OPTIONS;
    trawl_cuda_layout layout = TRAWL_CUDA_LAYOUT;
    options.kernel = job->kernel;
    options.form = job->form;
    bool works = prepare(run, job, &parts, unused) && run_upload(run, parts.database, unused) &&
                 trawl_study_cuda_layout(parts.database->uploaded, &options, parts.length, &layout,
                                         NULL) == TRAWL_OK;
    return works ? layout.bank_accesses : 0;
}

/* ------------------------------------------------------------------ all */

/* Says how a kernel read its tables, which depends on their size: a texture has a limit. */
static void note_path(reproduction *run, const scan_job *job, trawl_table_path path) {
    static const char *const headings[] = {[TRAWL_TABLES_CHOSEN] = "Tables read by plain loads",
                                           [TRAWL_TABLES_TEXTURE] = "Tables read through textures",
                                           [TRAWL_TABLES_READ_ONLY] =
                                               "Tables read by read-only loads"};
    if (job->on_cuda && job->engine != NULL && job->kernel != NULL)
        run_note(run, headings[path], "%s %s", job->engine, job->kernel);
}

double measure_scan(reproduction *run, const scan_job *job, char *why) {
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name,
                   "scan %d %zu %d %" PRIu64 " %s %s %u %d %u %d %d %d %zu %s %d %u %u %s %" PRIu64,
                   (int)job->data.set, job->data.patterns, (int)job->data.text, job->data.bytes,
                   job->engine == NULL ? "" : job->engine, job->variant == NULL ? "" : job->variant,
                   job->parts, job->on_cuda, job->threads, (int)job->placement, job->plain_walk,
                   job->copy_tables, job->chunk_bytes, job->kernel == NULL ? "" : job->kernel,
                   (int)job->form, job->block_threads, job->block_bytes,
                   job->transfer == NULL ? "" : job->transfer, job->segments);
    const double *known = run_recall(run, name);
    if (known == NULL) {
        scan_parts parts;
        trawl_table_path path = TRAWL_TABLES_CHOSEN;
        if (!prepare(run, job, &parts, why))
            return PAPER_NONE;
        double seconds = job->on_cuda && job->transfer == NULL
                             ? device_seconds(run, job, &parts, &path, why)
                             : host_seconds(run, job, &parts, &path, why);
        if (isnan(seconds))
            return seconds;
        known = run_remember(run, name, (double[]){seconds, (double)path}, 2);
    }
    note_path(run, job, (trawl_table_path)known[1]);
    return known[0];
}

double measure_gigabytes(reproduction *run, const scan_job *job, char *why) {
    return (double)run_bytes(run, job->data.bytes) / 1e9 / measure_scan(run, job, why);
}

double measure_gigabits(reproduction *run, const scan_job *job, char *why) {
    return 8 * measure_gigabytes(run, job, why);
}

/* ------------------------------------------------------------------ steps */

/* Repeats on the CPU; the paper's 20 on a GPU. */
static uint32_t step_repeats(const reproduction *run, bool on_cuda, size_t length) {
    enum { PAPER_RUNS = 20, LONG_TEXT = 1 << 25, LONG_RUNS = 3 };
    uint32_t most = run_settings_of(run)->most_runs;
    if (on_cuda)
        return PAPER_RUNS;
    return length >= LONG_TEXT && most > LONG_RUNS ? LONG_RUNS : most;
}

const double *measure_steps(reproduction *run, const workload *data, bool on_cuda, char *why) {
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name, "steps %zu %" PRIu64 " %d", data->patterns, data->bytes,
                   on_cuda);
    const double *known = run_recall(run, name);
    if (known != NULL)
        return known;
    scan_job job = {.data = *data,
                    .engine = "rabin-karp",
                    .variant = on_cuda ? "paper" : "steps",
                    .on_cuda = on_cuda};
    scan_parts parts;
    trawl_error error;
    trawl_study_steps steps = TRAWL_STUDY_STEPS;
    if (!prepare(run, &job, &parts, why) || (on_cuda && !run_upload(run, parts.database, why)))
        return NULL;
    uint32_t repeats = step_repeats(run, on_cuda, parts.length);
    trawl_status status =
        on_cuda ? trawl_study_cuda_measure_steps(parts.database->uploaded, parts.text, parts.length,
                                                 repeats, &steps, &error)
                : trawl_study_measure_steps(parts.database->db, parts.text, parts.length, repeats,
                                            &steps, &error);
    if (status != TRAWL_OK) {
        (void)run_failed(&error, why);
        return NULL;
    }
    if (steps.total != parts.expected) {
        (void)run_mismatch(run, steps.total, parts.expected, why);
        return NULL;
    }
    double values[MEASURED_STEPS + MEASURED_OCCUPANCIES] = {steps.hashes * 1e3, steps.terms * 1e3,
                                                            steps.sums * 1e3, steps.windows * 1e3};
    for (size_t i = 0; i + 1 < MEASURED_STEPS; i++)
        values[MEASURED_STEPS - 1] += values[i];
    for (size_t i = 0; i < MEASURED_OCCUPANCIES; i++)
        values[MEASURED_STEPS + i] = steps.occupancy[i];
    return run_remember(run, name, values, MEASURED_STEPS + MEASURED_OCCUPANCIES);
}
