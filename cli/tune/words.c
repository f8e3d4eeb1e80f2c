/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/tune/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/names.h"
#include "cli/base/report.h"
#include "cli/base/words.h"

/* Ratios below this are not mentioned: two runs on one machine differ as much. */
static const double NOTABLE = 1.15;

/* Costs of tables that depend on their size: the first ones are of up to 256 KiB, which a core's
 * own caches hold, the others of 1 MiB and more. */
enum { SMALL_SIZES = 4 };

void tune_say(const char *format, ...) {
    char text[4608]; /* a path of 4,095 bytes and words */
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    name_hide_controls(text);
    /* Items of a list are indented, and shorter than a line. */
    if (text[0] == ' ')
        (void)printf("# %s\n", text);
    else
        words_print_marked("# ", text);
    (void)flush_output();
}

/* ------------------------------------------------------------------ ratios */

/* The geometric mean of ratios: measured to built-in costs. */
typedef struct mean {
    double logarithms;
    size_t count;
} mean;

static void add(mean *self, const double *measured, const double *built_in, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (measured[i] > 0 && built_in[i] > 0) {
            self->logarithms += log(measured[i] / built_in[i]);
            self->count++;
        }
    }
}

static double value(const mean *self) {
    return self->count == 0 ? 1 : exp(self->logarithms / (double)self->count);
}

/* Of the look-ups of all engines in tables of sizes [begin, end). */
static double look_up_ratio(const trawl_costs *costs, const trawl_costs *built_in, size_t begin,
                            size_t end) {
    mean ratio = {0};
    add(&ratio, costs->sample + begin, built_in->sample + begin, end - begin);
    add(&ratio, costs->dfa_step + begin, built_in->dfa_step + begin, end - begin);
    add(&ratio, costs->nfa_step + begin, built_in->nfa_step + begin, end - begin);
    add(&ratio, costs->shift + begin, built_in->shift + begin, end - begin);
    return value(&ratio);
}

/* ------------------------------------------------------------------ what follows for plans */

static void say_cache_misses(double ratio) {
    if (ratio > NOTABLE)
        tune_say("Large tables cost more beside small ones than the built-in costs say: plans "
                 "turn to small tables sooner, as those of ac-nfa.");
    else if (ratio < 1 / NOTABLE)
        tune_say("Large tables cost less beside small ones than the built-in costs say: plans "
                 "allow large tables more often, as those of ac-dfa and of large filters.");
}

static void say_registers(double ratio) {
    if (ratio > NOTABLE)
        tune_say("Filters in vector registers are slower beside look-ups than the built-in costs "
                 "say: plans take them "
                 "for fewer sets.");
    else if (ratio < 1 / NOTABLE)
        tune_say("Filters in vector registers are faster beside look-ups than the built-in costs "
                 "say: plans take them "
                 "for more sets.");
}

static void say_candidates(double ratio) {
    if (ratio > NOTABLE)
        tune_say("Candidates cost more beside look-ups than the built-in costs say: plans turn "
                 "from filters to automata at "
                 "fewer candidates.");
    else if (ratio < 1 / NOTABLE)
        tune_say("Candidates cost less beside look-ups than the built-in costs say: plans stay "
                 "with filters at more "
                 "candidates.");
}

void tune_explain_costs(const trawl_costs *costs) {
    trawl_costs built_in = TRAWL_COSTS;
    if (trawl_study_built_in_costs(&built_in, NULL) != TRAWL_OK)
        return;
    mean registers = {0};
    mean candidates = {0};
    add(&registers, &costs->teddy, &built_in.teddy, 1);
    add(&registers, &costs->register_bloom, &built_in.register_bloom, 1);
    add(&candidates, &costs->sample_candidate, &built_in.sample_candidate, 1);
    add(&candidates, costs->verify, built_in.verify, TRAWL_COST_SIZES);
    double small = look_up_ratio(costs, &built_in, 0, SMALL_SIZES);
    double large = look_up_ratio(costs, &built_in, SMALL_SIZES, TRAWL_COST_SIZES);
    tune_say("Times on this machine, as multiples of the built-in ones:");
    tune_say("  %4.2f  filters in vector registers (Teddy, register Bloom filter)",
             value(&registers));
    tune_say("  %4.2f  look-ups in tables of up to 256 KiB", small);
    tune_say("  %4.2f  look-ups in tables of 1 MiB and more, with cache misses", large);
    tune_say("  %4.2f  comparing candidates with patterns", value(&candidates));
    double miss = large / small;
    double vector = value(&registers) / small;
    double compare = value(&candidates) / small;
    say_cache_misses(miss);
    say_registers(vector);
    say_candidates(compare);
    if (fabs(log(miss)) <= log(NOTABLE) && fabs(log(vector)) <= log(NOTABLE) &&
        fabs(log(compare)) <= log(NOTABLE))
        tune_say("The steps are as fast beside each other as the built-in costs say: plans stay "
                 "the same, and only the speeds expected of them change.");
}

void tune_explain_device_costs(const trawl_device_costs *costs) {
    trawl_device_costs built_in = TRAWL_DEVICE_COSTS;
    if (trawl_study_built_in_device_costs(&built_in, NULL) != TRAWL_OK)
        return;
    mean filter = {0};
    mean automaton = {0};
    add(&filter, &costs->filter, &built_in.filter, 1);
    add(&filter, &costs->packed, &built_in.packed, 1);
    add(&automaton, &costs->hot_step, &built_in.hot_step, 1);
    add(&automaton, &costs->hot_cached, &built_in.hot_cached, 1);
    double ratio = value(&filter) / value(&automaton);
    tune_say("Times on this GPU, as multiples of an H200's:");
    tune_say("  %4.2f  filters (qgram: kernels filter and packed)", value(&filter));
    tune_say("  %4.2f  steps of an automaton (ac-dfa: kernel hot)", value(&automaton));
    tune_say("%s", ratio > NOTABLE
                       ? "Filters are slow beside automata: plans take ac-dfa more often."
                   : ratio < 1 / NOTABLE
                       ? "Filters are fast beside automata: plans take qgram more often."
                       : "Both are as fast beside each other as on an H200: plans stay the same, "
                         "and only the speeds expected of them change.");
}
