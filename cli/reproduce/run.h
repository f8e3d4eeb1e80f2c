/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * One run of `trawl reproduce`: what was asked for, and what several cells use: texts, pattern
 * sets, databases, the numbers of matches that are expected, times that were measured already.
 */
#ifndef CLI_REPRODUCE_RUN_H
#define CLI_REPRODUCE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/reproduce/workload.h"
#include "trawl/trawl_study.h"

typedef struct reproduction reproduction;

typedef struct run_settings {
    uint64_t shrink;     /* factor by which texts are shorter than the papers' */
    uint32_t most_runs;  /* of a cell; fewer if a run takes long */
    uint32_t most_ranks; /* of trawl-mpi; cells with more are left empty */
    bool progress;
    bool cpu_only;    /* cells that need a GPU are left empty */
    const char *cuda; /* "cuda:N" */
} run_settings;

/* A database, and what a GPU has of it. */
typedef struct run_database {
    trawl_db *db;
    trawl_cuda_db *uploaded; /* NULL until run_upload */
    double build_seconds;
} run_database;

/* What a database is made from. `engine` NULL: the planner chooses, for the GPU if `for_cuda`. */
typedef struct run_recipe {
    set_kind set;
    size_t patterns;
    const char *engine, *variant;
    uint32_t parts; /* ac-split; 0: the engine's choice */
    bool for_cuda;
    text_kind text; /* of the sample for the planner; only without an engine */
} run_recipe;

reproduction *run_begin(const run_settings *settings);
void run_end(reproduction *run);

/* Frees texts, sets and databases, before the next paper. */
void run_forget(reproduction *run);

const run_settings *run_settings_of(const reproduction *run);

/* Shows on a terminal what is being measured. */
void run_show(reproduction *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void run_show_nothing(reproduction *run);

/* Whether there is a GPU; else writes what is missing. */
bool run_has_cuda(const reproduction *run, char *why);
/* Why there is none; NULL: there is one. */
const char *run_cuda_absence(const reproduction *run);

/* Bytes of a text here that has `bytes` in the paper. */
size_t run_bytes(const reproduction *run, uint64_t bytes);

/* The text of a workload; NULL after writing why there is none. Valid until run_forget, or until a
 * longer one of this kind is asked for. */
const uint8_t *run_text(reproduction *run, const workload *data, char *why);

/* A pattern set; owned by the run. */
const trawl_patterns *run_patterns(reproduction *run, set_kind set, size_t patterns);

/* A database, compiled once. NULL after writing why there is none. */
run_database *run_compile(reproduction *run, const run_recipe *recipe, char *why);

/* Seconds of compiling it once more; NAN if that fails. */
double run_compile_again(reproduction *run, const run_recipe *recipe);

/* Copies a database to the GPU, once. False after writing why not. */
bool run_upload(reproduction *run, run_database *database, char *why);

/* The number of matches of a workload, found on the CPU by an engine other than `engine`. False
 * after writing why it is not known. */
bool run_expected(reproduction *run, const workload *data, const char *engine, uint64_t *matches,
                  char *why);

/* Writes that a number of matches, or a state, is wrong, and remembers it. Always NAN. */
double run_mismatch(reproduction *run, uint64_t found, uint64_t expected, char *why);
double run_states_mismatch(reproduction *run, char *why);
size_t run_mismatches(const reproduction *run);

/* Writes an error to `why`; returns NAN. */
double run_failed(const trawl_error *error, char *why);

/* Adds something that was found while measuring, such as how a kernel read its tables. What is
 * found under one heading is printed as one sentence beside the table; twice the same once. */
void run_note(reproduction *run, const char *heading, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The sentences since the last call, which the caller frees; NULL: none. */
char *run_take_notes(reproduction *run);

/* Files that the text is made from; 0: it was not used. */
size_t run_files(const reproduction *run, bool *repeated);

/* Numbers that were measured under a name before, or NULL; and remembers them. */
const double *run_recall(const reproduction *run, const char *name);
const double *run_remember(reproduction *run, const char *name, const double *values, size_t count);

#endif
