/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "plan/plan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "costs/automata.h"
#include "costs/cpu_constants.h"
#include "engines/engines.h"
#include "plan/hashing.h"

static const trawl_engine *const engines[TRAWL_PLAN_ENGINES] = {
    [TRAWL_PLAN_QGRAM] = &trawl_engine_qgram,
    [TRAWL_PLAN_AC_DFA] = &trawl_engine_ac_dfa,
    [TRAWL_PLAN_AC_NFA] = &trawl_engine_ac_nfa,
    [TRAWL_PLAN_WU_MANBER] = &trawl_engine_wu_manber,
    [TRAWL_PLAN_RABIN_KARP] = &trawl_engine_rabin_karp,
};

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

/* Nanoseconds for a byte of text that matches take which the prices of qgram's filters leave out:
 * those of patterns that are runs of one byte. Where a text has such runs at all, each byte of a
 * run ends a match, and each costs a look-up. */
static double price_unforeseen_matches(const trawl_costs *costs, const trawl_plan *plan,
                                       double keys, double ends) {
    for (uint32_t i = 0; i < plan->division.header.tiers; i++) {
        ends -= plan->division.estimate[i].look_ups;
    }
    return ends > 0 ? ends * trawl_cost_at(costs->verify, keys * TRAWL_COST_KEY_BYTES) : 0;
}

/* Prices the engines that look up windows by a hash. */
static trawl_status price_hashing(const trawl_qgram_survey *survey,
                                  const trawl_automata_estimate *automata,
                                  const trawl_compile_settings *options, trawl_plan_record *record,
                                  trawl_error *error) {
    const trawl_hashing_input input = {.patterns = survey->patterns,
                                       .options = options,
                                       .automata = automata,
                                       .spread = survey->spread};
    trawl_hashing_price price[2];
    trawl_status status = trawl_price_wu_manber(&input, &price[0], error);
    if (status == TRAWL_OK) {
        status = trawl_price_rabin_karp(&input, &price[1], error);
    }
    if (status == TRAWL_OK) {
        record->nanoseconds[TRAWL_PLAN_WU_MANBER] = price[0].nanoseconds;
        record->bytes[TRAWL_PLAN_WU_MANBER] = price[0].bytes;
        record->nanoseconds[TRAWL_PLAN_RABIN_KARP] = price[1].nanoseconds;
        record->bytes[TRAWL_PLAN_RABIN_KARP] = price[1].bytes;
    }
    return status;
}

static void price_all(const trawl_qgram_survey *survey, const trawl_automata_estimate *automata,
                      const trawl_costs *costs, trawl_plan *plan) {
    trawl_plan_record *record = &plan->record;
    double ends = automata->match_ends;
    record->match_ends = ends;
    double keys = (double)survey->patterns->count;
    record->nanoseconds[TRAWL_PLAN_QGRAM] = plan->division.nanoseconds;
    if (!plan->division.exact) {
        record->nanoseconds[TRAWL_PLAN_QGRAM] +=
            ends * costs->match + price_unforeseen_matches(costs, plan, keys, ends);
    }
    double dfa = trawl_automata_step(&automata->dfa, costs->dfa_step);
    double nfa = trawl_automata_step(&automata->nfa, costs->nfa_step);
    nfa = nfa > TRAWL_PLAN_NFA_STEPS * dfa ? nfa : TRAWL_PLAN_NFA_STEPS * dfa;
    double matches = price_automaton_matches(costs, ends);
    record->nanoseconds[TRAWL_PLAN_AC_DFA] = dfa + matches;
    record->nanoseconds[TRAWL_PLAN_AC_NFA] = nfa + matches;
    record->bytes[TRAWL_PLAN_AC_DFA] = automata->dfa_bytes;
    record->bytes[TRAWL_PLAN_AC_NFA] = automata->nfa_bytes;
    record->bytes[TRAWL_PLAN_QGRAM] =
        TRAWL_PLAN_QGRAM_PATTERN_BYTES * (uint64_t)survey->patterns->count +
        (uint64_t)trawl_qgram_choice_bytes(&plan->division);
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

static double price_within(const trawl_plan_record *record, uint32_t engine,
                           const uint64_t *limits) {
    return record->bytes[engine] <= limits[engine] ? record->nanoseconds[engine] : (double)INFINITY;
}

static void explain_speed(trawl_plan *plan, uint32_t engine, const uint64_t *limits) {
    const trawl_plan_record *record = &plan->record;
    const char *name = engines[engine]->description.name;
    if (record->bytes[engine] > limits[engine]) {
        trawl_plan_add(plan, "%s none, as its tables of about %.0f MB are above %.0f MB", name,
                       (double)record->bytes[engine] / 1e6, (double)limits[engine] / 1e6);
    } else {
        trawl_plan_add(plan, "%s %.2f GB/s", name, 1 / record->nanoseconds[engine]);
    }
}

/* Names the fastest engine, if it was not chosen: its tables are large. */
static void explain_tables(trawl_plan *plan, uint32_t chosen, const uint64_t *limits) {
    const trawl_plan_record *record = &plan->record;
    uint32_t fastest = chosen;
    for (uint32_t i = 0; i < TRAWL_PLAN_ENGINES; i++) {
        bool is_faster = price_within(record, i, limits) < price_within(record, fastest, limits);
        fastest = is_faster ? i : fastest;
    }
    if (fastest != chosen) {
        trawl_plan_add(
            plan,
            " %s would be faster, but not by enough for its larger tables (about %.1f MB "
            "instead of %.1f MB).",
            engines[fastest]->description.name, (double)record->bytes[fastest] / 1e6,
            (double)record->bytes[chosen] / 1e6);
    }
}

/* The reason in words, then the expected speeds, the fastest engine first. */
static void explain(trawl_plan *plan, uint32_t chosen, const uint64_t *limits) {
    const trawl_plan_record *record = &plan->record;
    bool is_told[TRAWL_PLAN_ENGINES] = {[0] = false};
    plan->reason[0] = '\0';
    explain_choice(plan, chosen);
    explain_tables(plan, chosen, limits);
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

trawl_status trawl_plan_divide(const trawl_patterns *patterns,
                               const trawl_compile_settings *options, trawl_plan *plan,
                               trawl_error *error) {
    trawl_qgram_survey survey;
    trawl_status status =
        trawl_survey_open(&survey, patterns, options->sample, options->sample_length, error);
    if (status == TRAWL_OK) {
        status = trawl_qgram_divide(&survey, options, &plan->division, error);
    }
    trawl_survey_close(&survey);
    if (status == TRAWL_OK) {
        plan->divided = true;
        record_tiers(patterns, plan);
        plan->record.nanoseconds[TRAWL_PLAN_QGRAM] = plan->division.nanoseconds;
    }
    return status;
}

/* The most bytes of tables that an engine may have. */
static uint64_t table_limit(uint32_t engine, const trawl_compile_settings *options) {
    uint64_t limit = options->max_table_bytes;
    bool is_dfa = engine == TRAWL_PLAN_AC_DFA;
    return is_dfa && limit > TRAWL_PLAN_MAX_DFA_BYTES ? TRAWL_PLAN_MAX_DFA_BYTES : limit;
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
            price += bytes * trawl_plan_build_byte_costs[i] / (double)options->text_bytes;
        }
        price = trawl_cost_compared(price, bytes, patterns);
        best = price < least ? i : best;
        least = price < least ? price : least;
    }
    return best;
}

/* Prices all engines and takes the cheapest one. */
static trawl_status compare_engines(const trawl_qgram_survey *survey,
                                    const trawl_compile_settings *options, trawl_plan *plan,
                                    trawl_error *error) {
    trawl_automata_estimate automata;
    trawl_status status = trawl_automata_measure(survey->patterns, options->sample,
                                                 options->sample_length, &automata, error);
    if (status == TRAWL_OK) {
        status = trawl_qgram_divide(survey, options, &plan->division, error);
    }
    if (status == TRAWL_OK) {
        status = price_hashing(survey, &automata, options, &plan->record, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    plan->divided = true;
    price_all(survey, &automata, options->costs, plan);
    record_tiers(survey->patterns, plan);
    uint64_t limits[TRAWL_PLAN_ENGINES];
    for (uint32_t i = 0; i < TRAWL_PLAN_ENGINES; i++) {
        limits[i] = table_limit(i, options);
    }
    uint32_t chosen =
        find_cheapest(&plan->record, (double)survey->patterns->count, options, limits);
    plan->engine = engines[chosen];
    plan->variant = 0;
    explain(plan, chosen, limits);
    return TRAWL_OK;
}

trawl_status trawl_plan_choose(const trawl_patterns *patterns,
                               const trawl_compile_settings *options, trawl_plan *plan,
                               trawl_error *error) {
    trawl_qgram_survey survey;
    trawl_status status =
        trawl_survey_open(&survey, patterns, options->sample, options->sample_length, error);
    if (status == TRAWL_OK) {
        status = compare_engines(&survey, options, plan, error);
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
