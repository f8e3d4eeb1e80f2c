/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "plan/plan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory_bytes.h"
#include "constants/cpu.h"
#include "costs/automata.h"
#include "engines/engines.h"
#include "engines/wu_manber/format.h"
#include "plan/hashing.h"

const trawl_engine *const trawl_plan_engines[TRAWL_PLAN_ENGINES] = {
    [TRAWL_PLAN_QGRAM] = &trawl_engine_qgram,
    [TRAWL_PLAN_AC_DFA] = &trawl_engine_ac_dfa,
    [TRAWL_PLAN_AC_NFA] = &trawl_engine_ac_nfa,
    [TRAWL_PLAN_WU_MANBER] = &trawl_engine_wu_manber,
    [TRAWL_PLAN_RABIN_KARP] = &trawl_engine_rabin_karp,
};

double trawl_plan_nanoseconds(const trawl_plan *plan) {
    for (uint32_t i = 0; i < TRAWL_PLAN_ENGINES; i++) {
        if (trawl_plan_engines[i] == plan->engine) {
            return plan->record.nanoseconds[i];
        }
    }
    return 0;
}

/* ------------------------------------------------------------------ what engines would cost */

/* Nanoseconds for a byte of text that recording matches takes if matches end at the share `ends` of
 * all bytes. A frequent end is cheaper, since its branch is predicted; between the two measured
 * costs it is interpolated. */
static double price_automaton_matches(const trawl_costs *costs, double ends) {
    const double few = TRAWL_PLAN_FEW_ENDS, often = TRAWL_PLAN_OFTEN_ENDS;
    if (ends <= few) {
        return ends * costs->dfa_match;
    }
    double at_few = few * costs->dfa_match, at_often = often * costs->dfa_match_often;
    double each = at_often > at_few ? (at_often - at_few) / (often - few) : 0;
    return at_few + (ends - few) * each;
}

/* The price, in nanoseconds for a byte of text, of matches that the estimates of qgram's tiers
 * leave out. `ends`: ends of all matches, for a byte of text; the tiers' estimates have their own
 * look-ups. What is left are mostly ends of patterns that repeat one byte ("aaaa"): in a run of
 * this byte a match ends at every position, and each of these ends costs one look-up. */
static double price_unforeseen_matches(const trawl_costs *costs, const trawl_qgram_survey *survey,
                                       const trawl_plan *plan, double keys, double ends) {
    for (uint32_t i = 0; i < plan->division.header.tiers; i++) {
        ends -= plan->division.estimate[i].look_ups;
    }
    return ends > 0 ? ends * trawl_cost_look_up(costs, survey, keys) : 0;
}

/* What the engines are compared by. */
typedef struct comparison {
    trawl_qgram_survey *survey;
    const trawl_compile_settings *options;
    trawl_automata_estimate automata;
    uint64_t limits[TRAWL_PLAN_ENGINES]; /* of the tables, in bytes */
    trawl_effort effort;
    trawl_plan *plan;
} comparison;

static double price_within(const trawl_plan_record *record, uint32_t engine,
                           const uint64_t *limits) {
    return record->nanoseconds[engine] > 0 && record->bytes[engine] <= limits[engine]
               ? record->nanoseconds[engine]
               : (double)INFINITY;
}

double trawl_plan_building(const trawl_plan_record *record, uint32_t engine) {
    double nanoseconds = (double)record->bytes[engine] * trawl_plan_build_byte_costs[engine];
    if (engine == TRAWL_PLAN_AC_DFA) {
        nanoseconds += (double)record->bytes[TRAWL_PLAN_AC_NFA] * TRAWL_PLAN_TRIE_BYTE_COST;
    }
    return nanoseconds;
}

/* Sets the effort for trials of an engine that has tables of `bytes` bytes, whatever they show. The
 * best plan so far is that of the engines with a price. */
static void prepare_trials(comparison *self, uint32_t engine, double bytes) {
    trawl_effort *effort = &self->effort;
    effort->least = INFINITY;
    for (uint32_t i = 0; i < TRAWL_PLAN_ENGINES; i++) {
        const trawl_plan_record *record = &self->plan->record;
        effort->building = trawl_plan_building(record, i);
        trawl_effort_know(effort, price_within(record, i, self->limits));
    }
    effort->building = bytes * trawl_plan_build_byte_costs[engine];
}

/* Bytes of qgram's tables without those of its filters. */
static double qgram_bytes(const trawl_qgram_survey *survey) {
    return (double)(TRAWL_PLAN_QGRAM_PATTERN_BYTES * (uint64_t)survey->patterns->count);
}

static trawl_hashing_input hashing_input(const comparison *self) {
    return (trawl_hashing_input){.patterns = self->survey->patterns,
                                 .options = self->options,
                                 .automata = &self->automata,
                                 .spread = self->survey->spread,
                                 .blocks = TRAWL_WU_MANBER_TRIAL_BLOCKS};
}

/* Divides the set into tiers and prices qgram. */
static trawl_status price_qgram(comparison *self, trawl_error *error) {
    const trawl_costs *costs = self->options->costs;
    trawl_plan *plan = self->plan;
    trawl_plan_record *record = &plan->record;
    double ends = self->automata.match_ends;
    double keys = (double)self->survey->patterns->count;
    self->effort.building += ends * costs->match * self->effort.text_bytes;
    trawl_status status =
        trawl_qgram_divide(self->survey, self->options, &self->effort, &plan->division, error);
    if (status != TRAWL_OK) {
        return status;
    }
    plan->divided = true;
    record->nanoseconds[TRAWL_PLAN_QGRAM] = plan->division.nanoseconds;
    if (!plan->division.exact) {
        record->nanoseconds[TRAWL_PLAN_QGRAM] +=
            ends * costs->match + price_unforeseen_matches(costs, self->survey, plan, keys, ends) +
            self->automata.compared * TRAWL_PLAN_SEARCH_STEP *
                trawl_cost_look_up(costs, self->survey, keys);
    }
    record->bytes[TRAWL_PLAN_QGRAM] =
        (uint64_t)(qgram_bytes(self->survey) + trawl_qgram_choice_bytes(&plan->division));
    return TRAWL_OK;
}

static trawl_status price_hashing(comparison *self, uint32_t engine, trawl_error *error) {
    const trawl_hashing_input input = hashing_input(self);
    trawl_hashing_price price = {.nanoseconds = 0};
    trawl_status status = engine == TRAWL_PLAN_WU_MANBER
                              ? trawl_price_wu_manber(&input, &price, error)
                              : trawl_price_rabin_karp(&input, &price, error);
    self->plan->record.nanoseconds[engine] = price.nanoseconds;
    self->plan->record.bytes[engine] = price.bytes;
    return status;
}

/* Prices the engines that have to be tried, as far as that pays: those first whose first trial
 * takes the least time. */
static trawl_status price_by_trials(comparison *self, trawl_error *error) {
    const trawl_hashing_input input = hashing_input(self);
    trawl_hashing_trial trial[TRAWL_PLAN_ENGINES] = {
        [TRAWL_PLAN_QGRAM] = {.least = self->options->costs->memory,
                              .bytes = qgram_bytes(self->survey),
                              .nanoseconds = trawl_qgram_divide_effort(self->survey)},
        [TRAWL_PLAN_WU_MANBER] = trawl_try_wu_manber(&input),
        [TRAWL_PLAN_RABIN_KARP] = trawl_try_rabin_karp(&input)};
    trawl_status status = TRAWL_OK;
    for (;;) {
        uint32_t next = TRAWL_PLAN_ENGINES;
        for (uint32_t i = 0; i < TRAWL_PLAN_ENGINES; i++) {
            bool is_left = trial[i].nanoseconds > 0;
            bool is_next =
                next == TRAWL_PLAN_ENGINES || trial[i].nanoseconds < trial[next].nanoseconds;
            next = is_left && is_next ? i : next;
        }
        if (next == TRAWL_PLAN_ENGINES || status != TRAWL_OK) {
            return status;
        }
        prepare_trials(self, next, trial[next].bytes);
        bool is_qgram = next == TRAWL_PLAN_QGRAM;
        if (trawl_effort_pays(&self->effort, is_qgram ? TRAWL_EFFORT_SURVEYS : TRAWL_EFFORT_HASHING,
                              trial[next].least, trial[next].nanoseconds)) {
            status = is_qgram ? price_qgram(self, error) : price_hashing(self, next, error);
        }
        trial[next].nanoseconds = 0;
    }
}

static void price_automata(const trawl_automata_estimate *automata, const trawl_costs *costs,
                           trawl_plan_record *record) {
    record->match_ends = automata->match_ends;
    double dfa = trawl_automata_step(&automata->dfa, costs->dfa_step, costs->page_walk);
    double nfa = trawl_automata_step(&automata->nfa, costs->nfa_step, costs->page_walk);
    nfa = nfa > TRAWL_PLAN_NFA_STEPS * dfa ? nfa : TRAWL_PLAN_NFA_STEPS * dfa;
    /* Automata compare letter case by eight prepared bytes, which takes as long as a match. */
    double matches =
        price_automaton_matches(costs, automata->folded_ends) + automata->compared * costs->match;
    record->nanoseconds[TRAWL_PLAN_AC_DFA] = dfa + matches;
    record->nanoseconds[TRAWL_PLAN_AC_NFA] = nfa + matches;
    record->bytes[TRAWL_PLAN_AC_DFA] = automata->dfa_bytes;
    record->bytes[TRAWL_PLAN_AC_NFA] = automata->nfa_bytes;
}

static void record_tiers(const trawl_patterns *patterns, trawl_plan *plan) {
    const trawl_qgram_header *header = &plan->division.header;
    for (uint32_t i = 0; i < header->tiers; i++) {
        const trawl_tier_estimate *estimate = &plan->division.estimate[i];
        plan->record.tier[i] = (trawl_tier_record){.pass = estimate->pass,
                                                   .look_ups = estimate->look_ups,
                                                   .nanoseconds = estimate->nanoseconds};
    }
    for (size_t id = 0; id < patterns->count; id++) {
        for (uint32_t i = 0; i < header->tiers; i++) {
            plan->record.tier[i].patterns += trawl_qgram_in_tier(patterns, id, &header->tier[i]);
        }
    }
}

/* ------------------------------------------------------------------ words */

void trawl_plan_add(trawl_plan *plan, const char *format, ...) {
    size_t length = strlen(plan->reason);
    va_list values;
    va_start(values, format);
    (void)vsnprintf(plan->reason + length, sizeof plan->reason - length, format, values);
    va_end(values);
}

/* The share of the positions of a text that qgram's filters leave as candidates, in percent. */
static double candidate_percent(const trawl_plan *plan) {
    double look_ups = 0;
    for (uint32_t i = 0; i < plan->division.header.tiers; i++) {
        look_ups += plan->record.tier[i].look_ups;
    }
    return 100 * look_ups;
}

/* "0.48 %", "100 %": two digits, but no exponent from 100 on. */
static void write_percent(double percent, char *text, size_t size) {
    (void)snprintf(text, size, percent < 99.5 ? "%.2g %%" : "%.0f %%", percent);
}

/* Why the chosen engine is the fastest one here. */
static void explain_choice(trawl_plan *plan, uint32_t chosen) {
    double candidates = candidate_percent(plan);
    uint32_t filters = plan->division.header.tiers;
    bool is_automaton = chosen == TRAWL_PLAN_AC_DFA || chosen == TRAWL_PLAN_AC_NFA;
    if (is_automaton && !plan->divided) {
        trawl_plan_add(plan, "The text is so short that trying filters would take longer than they "
                             "could save; an automaton looks up each byte once.");
        return;
    }
    char share[32];
    write_percent(candidates, share, sizeof share);
    switch (chosen) {
    case TRAWL_PLAN_QGRAM:
        if (plan->division.exact) {
            trawl_plan_add(plan, "The filter finds the matches themselves: no candidate has to be "
                                 "compared with patterns.");
        } else {
            trawl_plan_add(plan,
                           "%u filter%s %s of the positions as candidates; only these are "
                           "compared with patterns.",
                           filters, filters == 1 ? " leaves" : "s leave",
                           candidates > 1e-6 ? share : "hardly any");
        }
        break;
    case TRAWL_PLAN_AC_DFA:
        trawl_plan_add(plan,
                       "Filters would leave %s of the positions as candidates, each to be "
                       "compared with patterns; an automaton looks up each byte once, whatever "
                       "the text is.",
                       share);
        break;
    case TRAWL_PLAN_AC_NFA:
        trawl_plan_add(plan,
                       "An automaton looks up each byte, whatever the text is, and tables with "
                       "failure links (about %.1f MB) are smaller than those of ac-dfa (about "
                       "%.1f MB).",
                       (double)plan->record.bytes[TRAWL_PLAN_AC_NFA] / 1e6,
                       (double)plan->record.bytes[TRAWL_PLAN_AC_DFA] / 1e6);
        break;
    case TRAWL_PLAN_RABIN_KARP:
        trawl_plan_add(plan,
                       "So much of the text matches that each position is best looked up by "
                       "one hash, in tables of about %.1f MB.",
                       (double)plan->record.bytes[TRAWL_PLAN_RABIN_KARP] / 1e6);
        break;
    default:
        trawl_plan_add(plan, "The patterns are so long and so rare in the text that most bytes are "
                             "skipped.");
        break;
    }
}

static void explain_speed(trawl_plan *plan, uint32_t engine, const uint64_t *limits) {
    const trawl_plan_record *record = &plan->record;
    const char *name = trawl_plan_engines[engine]->description.name;
    if (!(record->nanoseconds[engine] > 0)) {
        trawl_plan_add(plan, "%s not tried", name);
    } else if (record->bytes[engine] > limits[engine]) {
        trawl_plan_add(plan, "%s none, as its tables of about %.0f MB are above %.0f MB", name,
                       (double)record->bytes[engine] / 1e6, (double)limits[engine] / 1e6);
    } else {
        trawl_plan_add(plan, "%s %.2f GB/s", name, 1 / record->nanoseconds[engine]);
    }
}

/* The fastest engine with tables of at most so many bytes; `none` if all are slower or larger. */
static uint32_t fastest_within(const trawl_plan_record *record, double most_bytes, uint32_t none,
                               const uint64_t *limits) {
    uint32_t fastest = none;
    for (uint32_t i = 0; i < TRAWL_PLAN_ENGINES; i++) {
        double least =
            fastest < TRAWL_PLAN_ENGINES ? price_within(record, fastest, limits) : (double)INFINITY;
        bool is_small = (double)record->bytes[i] <= most_bytes;
        fastest = is_small && price_within(record, i, limits) < least ? i : fastest;
    }
    return fastest;
}

/* Names the fastest engine, if it was not chosen: its tables are large. If tables that are not
 * small were chosen, names the fastest engine with small ones. */
static void explain_tables(trawl_plan *plan, uint32_t chosen, size_t patterns,
                           const uint64_t *limits) {
    const trawl_plan_record *record = &plan->record;
    const double bytes = (double)record->bytes[chosen];
    const double small = trawl_cost_small_bytes((double)patterns);
    uint32_t fastest = fastest_within(record, (double)INFINITY, chosen, limits);
    uint32_t smaller = fastest_within(record, small, TRAWL_PLAN_ENGINES, limits);
    if (fastest != chosen) {
        trawl_plan_add(
            plan,
            " %s would be faster, but not by enough for its larger tables (about %.1f MB "
            "instead of %.1f MB).",
            trawl_plan_engines[fastest]->description.name, (double)record->bytes[fastest] / 1e6,
            bytes / 1e6);
    }
    if (bytes <= small) {
        return;
    }
    trawl_plan_add(plan, " The tables are large, about %.1f MB: ", bytes / 1e6);
    if (smaller == TRAWL_PLAN_ENGINES) {
        trawl_plan_add(plan, "no engine that was tried has at most %.1f MB.", small / 1e6);
    } else {
        trawl_plan_add(plan, "with at most %.1f MB %s would be the fastest, at %.2f GB/s.",
                       small / 1e6, trawl_plan_engines[smaller]->description.name,
                       1 / price_within(record, smaller, limits));
    }
}

/* The reason in words, then the expected speeds, the fastest engine first. */
static void explain(trawl_plan *plan, uint32_t chosen, size_t patterns, const uint64_t *limits) {
    const trawl_plan_record *record = &plan->record;
    bool is_told[TRAWL_PLAN_ENGINES] = {[0] = false};
    plan->reason[0] = '\0';
    explain_choice(plan, chosen);
    explain_tables(plan, chosen, patterns, limits);
    trawl_plan_add(plan, " Expected of one thread, by %s: ",
                   record->sample_bytes != 0 ? "a sample of the text"
                                             : "a text made up of the patterns");
    explain_speed(plan, chosen, limits);
    is_told[chosen] = true;
    for (uint32_t i = 1; i < TRAWL_PLAN_ENGINES; i++) {
        uint32_t next = TRAWL_PLAN_ENGINES;
        for (uint32_t j = 0; j < TRAWL_PLAN_ENGINES; j++) {
            bool is_next = next == TRAWL_PLAN_ENGINES ||
                           price_within(record, j, limits) < price_within(record, next, limits);
            next = !is_told[j] && is_next ? j : next;
        }
        is_told[next] = true;
        trawl_plan_add(plan, ", ");
        explain_speed(plan, next, limits);
    }
    trawl_plan_add(plan, ".");
}

/* ------------------------------------------------------------------ the choice */

/* Measures automata on the sample, and tells the survey which patterns match there. */
static trawl_status measure_automata(trawl_qgram_survey *survey,
                                     const trawl_compile_settings *options,
                                     trawl_automata_estimate *automata, trawl_error *error) {
    size_t most = trawl_effort_bytes(options->text_bytes, trawl_patterns_bytes(survey->patterns));
    trawl_status status = trawl_automata_measure(survey->patterns, options->sample,
                                                 options->sample_length, most, automata, error);
    survey->met = status == TRAWL_OK ? &automata->met : NULL;
    return status;
}

trawl_status trawl_plan_divide(const trawl_patterns *patterns,
                               const trawl_compile_settings *options, trawl_plan *plan,
                               trawl_error *error) {
    trawl_qgram_survey survey;
    trawl_automata_estimate automata;
    trawl_status status =
        trawl_survey_open(&survey, patterns, options->sample, options->sample_length, error);
    if (status == TRAWL_OK) {
        status = measure_automata(&survey, options, &automata, error);
    }
    if (status == TRAWL_OK) {
        trawl_effort effort = trawl_effort_begin(options->text_bytes);
        effort.building = qgram_bytes(&survey) * trawl_plan_build_byte_costs[TRAWL_PLAN_QGRAM];
        status = trawl_qgram_divide(&survey, options, &effort, &plan->division, error);
    }
    trawl_survey_close(&survey);
    if (status == TRAWL_OK) {
        plan->priced = true;
        plan->divided = true;
        record_tiers(patterns, plan);
        plan->record.nanoseconds[TRAWL_PLAN_QGRAM] = plan->division.nanoseconds;
    }
    return status;
}

uint64_t trawl_plan_dfa_limit(uint64_t memory_bytes, uint64_t max_table_bytes) {
    const uint64_t share = memory_bytes / TRAWL_PLAN_DFA_MEMORY_SHARE;
    const uint64_t limit = share > TRAWL_PLAN_MAX_DFA_BYTES ? share : TRAWL_PLAN_MAX_DFA_BYTES;
    return limit < max_table_bytes ? limit : max_table_bytes;
}

/* The engine with the least price of those within their limits, where small tables are preferred,
 * and building is weighed if the text's length is known. If there is none: ac-nfa, after which
 * trawl_plan_next has engines with smaller tables. */
static uint32_t find_cheapest(const trawl_plan_record *record, double patterns,
                              const trawl_compile_settings *options, const uint64_t *limits) {
    uint32_t best = TRAWL_PLAN_AC_NFA;
    double least = INFINITY;
    for (uint32_t i = 0; i < TRAWL_PLAN_ENGINES; i++) {
        double bytes = (double)record->bytes[i], price = price_within(record, i, limits);
        if (options->text_bytes != 0) {
            price += trawl_plan_building(record, i) / (double)options->text_bytes;
        }
        price = trawl_cost_compared(price, bytes, patterns);
        best = price < least ? i : best;
        least = price < least ? price : least;
    }
    return best;
}

/* Finds the cheapest engine. What a few long patterns say of many is uncertain: a window moves far
 * until the table of shifts is full. So where wu-manber would be taken by few of the patterns, it
 * is tried with more and more of them. Building its tables would take several times as long. */
static trawl_status choose_engine(comparison *self, uint32_t *chosen, trawl_error *error) {
    trawl_plan_record *record = &self->plan->record;
    trawl_hashing_input input = hashing_input(self);
    const double blocks = (double)input.patterns->count *
                          trawl_wu_manber_largest_shift((uint32_t)input.patterns->min_length, 1);
    trawl_hashing_price price = {.factor = blocks / (double)input.blocks};
    for (;;) {
        *chosen = find_cheapest(record, (double)input.patterns->count, self->options, self->limits);
        input.blocks *= TRAWL_WU_MANBER_TRIAL_RATIO;
        if (*chosen != TRAWL_PLAN_WU_MANBER || price.factor <= TRAWL_WU_MANBER_FEW_OTHERS) {
            return TRAWL_OK;
        }
        trawl_status status = trawl_price_wu_manber(&input, &price, error);
        if (status != TRAWL_OK) {
            return status;
        }
        record->nanoseconds[TRAWL_PLAN_WU_MANBER] = price.nanoseconds;
    }
}

/* Prices all engines, the automata first, and takes the cheapest one. */
static trawl_status compare_engines(comparison *self, trawl_error *error) {
    const trawl_patterns *patterns = self->survey->patterns;
    const trawl_compile_settings *options = self->options;
    trawl_plan *plan = self->plan;
    for (uint32_t i = 0; i < TRAWL_PLAN_ENGINES; i++) {
        self->limits[i] = options->max_table_bytes;
    }
    trawl_status status = measure_automata(self->survey, options, &self->automata, error);
    if (status == TRAWL_OK) {
        /* Only large tables need to know the memory, for which files are read. */
        const bool is_large = self->automata.dfa_bytes > TRAWL_PLAN_MAX_DFA_BYTES;
        self->limits[TRAWL_PLAN_AC_DFA] =
            trawl_plan_dfa_limit(is_large ? trawl_memory_bytes() : 0, options->max_table_bytes);
        price_automata(&self->automata, options->costs, &plan->record);
        status = price_by_trials(self, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    uint32_t chosen;
    status = choose_engine(self, &chosen, error);
    if (status != TRAWL_OK) {
        return status;
    }
    plan->priced = true;
    if (plan->divided) {
        record_tiers(patterns, plan);
    }
    plan->engine = trawl_plan_engines[chosen];
    plan->variant = 0;
    explain(plan, chosen, patterns->count, self->limits);
    return TRAWL_OK;
}

trawl_status trawl_plan_choose(const trawl_patterns *patterns,
                               const trawl_compile_settings *options, trawl_plan *plan,
                               trawl_error *error) {
    trawl_qgram_survey survey;
    trawl_status status =
        trawl_survey_open(&survey, patterns, options->sample, options->sample_length, error);
    if (status == TRAWL_OK) {
        comparison compared = {.survey = &survey,
                               .options = options,
                               .effort = trawl_effort_begin(options->text_bytes),
                               .plan = plan};
        status = compare_engines(&compared, error);
    }
    trawl_survey_close(&survey);
    return status;
}

bool trawl_plan_next(trawl_plan *plan) {
    const trawl_engine *refused = plan->engine;
    if (refused == &trawl_engine_qgram) {
        plan->engine = &trawl_engine_ac_dfa;
    } else if (refused == &trawl_engine_ac_dfa) {
        plan->engine = &trawl_engine_ac_nfa;
    } else if (refused == &trawl_engine_ac_nfa) {
        plan->engine = &trawl_engine_wu_manber;
    } else if (refused == &trawl_engine_wu_manber) {
        plan->engine = &trawl_engine_rabin_karp;
    } else {
        return false;
    }
    plan->variant = 0;
    plan->for_device = false; /* what was expected was about another engine */
    (void)snprintf(plan->reason, sizeof plan->reason,
                   "the tables of %s would exceed the limit, so %s, which needs less",
                   refused->description.name, plan->engine->description.name);
    return true;
}
