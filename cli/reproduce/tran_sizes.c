/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Tran et al.: sizes of the state transition tables, and seconds to build them. */
#include <math.h>

#include "cli/reproduce/tran.h"

enum { STATE_BYTES = 1028, PARTS_4 = 4, PARTS_8 = 8, SETS = 3 };

static const size_t set_sizes[SETS] = {100, 5000, 50000};

const char *const tran_state_rows[] = {
    "1 STT", "4 STTs: first", "second", "third", "fourth",  "sum of 4", "8 STTs: first", "second",
    "third", "fourth",        "fifth",  "sixth", "seventh", "eighth",   "sum of 8",      NULL};

const double tran_table_2[] = {573, 8606, 26369, 148, 2177, 6612,  146, 2167, 6610, 142, 2145, 6608,
                               142, 2139, 6603,  578, 8628, 26433, 80,  1104, 3412, 78,  1088, 3406,
                               76,  1086, 3366,  75,  1082, 3298,  74,  1076, 3286, 72,  1077, 3282,
                               72,  1082, 3278,  70,  1069, 3237,  597, 8664, 26565};

static scan_job split_job(size_t patterns, uint32_t parts) {
    return tran_job(patterns, parts, NULL, 0);
}

static run_recipe recipe_of(size_t patterns, uint32_t parts) {
    scan_job job = split_job(patterns, parts);
    return (run_recipe){.set = job.data.set,
                        .patterns = patterns,
                        .engine = job.engine,
                        .variant = job.variant,
                        .parts = parts};
}

static run_database *split(reproduction *run, size_t patterns, uint32_t parts, char *why) {
    run_recipe recipe = recipe_of(patterns, parts);
    return run_compile(run, &recipe, why);
}

/* States of one part, or of all of them (`part` == `parts`). */
static double states_of(reproduction *run, size_t patterns, uint32_t parts, uint32_t part,
                        char *why) {
    const run_database *database = split(run, patterns, parts, why);
    double states = 0;
    if (database == NULL)
        return PAPER_NONE;
    for (uint32_t i = part == parts ? 0 : part; i < (part == parts ? parts : part + 1); i++) {
        trawl_study_automaton automaton = TRAWL_STUDY_AUTOMATON;
        trawl_error error;
        if (trawl_study_db_automaton(database->db, i, &automaton, &error) != TRAWL_OK)
            return run_failed(&error, why);
        states += automaton.states;
    }
    return states;
}

double tran_measure_states(reproduction *run, const paper_table *table, size_t row, size_t column,
                           char *why) {
    enum { FIRST_OF_8 = 2 + PARTS_4 };
    uint32_t place = (uint32_t)row;
    (void)table;
    if (row == 0)
        return states_of(run, set_sizes[column], 1, 0, why);
    if (row < FIRST_OF_8)
        return states_of(run, set_sizes[column], PARTS_4, place - 1, why);
    return states_of(run, set_sizes[column], PARTS_8, place - FIRST_OF_8, why);
}

const char *const tran_size_rows[] = {"1 STT", "4 STTs", NULL};
const double tran_table_3[] = {576, 8640, 26472, 580, 8662, 26537};

double tran_measure_kilobytes(reproduction *run, const paper_table *table, size_t row,
                              size_t column, char *why) {
    uint32_t parts = row == 0 ? 1 : PARTS_4;
    (void)table;
    return states_of(run, set_sizes[column], parts, parts, why) * STATE_BYTES / 1024;
}

const char *const tran_build_rows[] = {"100 patterns", "200",    "500",    "1,000",
                                       "2,000",        "5,000",  "10,000", "20,000",
                                       "30,000",       "40,000", "50,000", NULL};
const double tran_table_4[] = {
    0.2249, 0.1195, 0.099,  0.3883, 0.2209, 0.1828,  0.8046, 0.4383, 0.3716,  1.2972, 0.6755,
    0.5953, 1.9574, 1.0011, 0.8747, 3.5452, 1.9299,  1.6624, 5.0627, 2.786,   2.7159, 7.443,
    4.0041, 3.5579, 9.3607, 5.1498, 4.7219, 11.1045, 6.1751, 5.2814, 12.4503, 6.798,  5.6173};

double tran_measure_build(reproduction *run, const paper_table *table, size_t row, size_t column,
                          char *why) {
    static const size_t patterns[] = {100,   200,   500,   1000,  2000, 5000,
                                      10000, 20000, 30000, 40000, 50000};
    static const uint32_t parts[] = {1, PARTS_4, PARTS_8};
    static const double most_seconds = 1.0; /* of all runs of a cell; a longer one is alone */
    double seconds[MEASURED_MOST_RUNS];
    (void)table;
    run_recipe recipe = recipe_of(patterns[row], parts[column]);
    const run_database *database = run_compile(run, &recipe, why);
    if (database == NULL)
        return PAPER_NONE;
    double spent = seconds[0] = database->build_seconds;
    size_t done = 1;
    for (; done < run_settings_of(run)->most_runs && spent < most_seconds; done++) {
        seconds[done] = run_compile_again(run, &recipe);
        if (isnan(seconds[done]))
            break;
        spent += seconds[done];
    }
    return measure_median(seconds, done);
}
