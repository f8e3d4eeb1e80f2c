#include "plan/plan.h"

#include <stdio.h>

#include "pattern/keys.h"

/* In ordinary text ac-dfa is the faster one whatever its size; this is the memory that a program
 * may spend on it without having been asked (docs/PERFORMANCE.md, "DFA or NFA"). */
#define DFA_TABLE_LIMIT ((uint64_t)512 << 20)

/* From this length of the shortest pattern on, wu-manber's windows skip enough of ordinary text to
 * be two to four times as fast as ac-nfa (docs/PERFORMANCE.md, "Without ac-dfa"). */
#define LONG_PATTERN 8

trawl_status trawl_plan_choose(const trawl_patterns *patterns, uint64_t max_table_bytes,
                               trawl_plan *plan, trawl_error *error) {
    trawl_statistics statistics;
    trawl_status status = trawl_patterns_statistics(patterns, &statistics, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uint64_t entry = statistics.states <= 65536 ? 2 : 4;
    uint64_t columns = statistics.alphabet < 256 ? statistics.alphabet + 1 : 256;
    uint64_t table = statistics.states * columns * entry;
    uint64_t limit = max_table_bytes < DFA_TABLE_LIMIT ? max_table_bytes : DFA_TABLE_LIMIT;
    const char *why;
    if (table <= limit) {
        plan->engine = &trawl_engine_ac_dfa;
        why = "ac-dfa, one lookup for each byte of text";
    } else if (statistics.min_length >= LONG_PATTERN) {
        plan->engine = &trawl_engine_wu_manber;
        why = "wu-manber, which skips text as no pattern is shorter than 8 bytes";
    } else {
        plan->engine = &trawl_engine_ac_nfa;
        why = "ac-nfa, which needs a fraction of that";
    }
    plan->variant = 0;
    (void)snprintf(plan->reason, sizeof plan->reason,
                   "%llu states of %llu byte classes: a DFA table of %.1f MB is %s %.0f MB, so %s",
                   (unsigned long long)statistics.states, (unsigned long long)columns,
                   (double)table / 1e6, table <= limit ? "within" : "above", (double)limit / 1e6,
                   why);
    return TRAWL_OK;
}

bool trawl_plan_next(trawl_plan *plan) {
    const trawl_engine *refused = plan->engine;
    if (refused == &trawl_engine_ac_dfa) {
        plan->engine = &trawl_engine_ac_nfa;
    } else if (refused == &trawl_engine_ac_nfa) {
        plan->engine = &trawl_engine_wu_manber;
    } else if (refused == &trawl_engine_wu_manber) {
        plan->engine = &trawl_engine_rabin_karp;
    } else {
        return false;
    }
    plan->variant = 0;
    (void)snprintf(plan->reason, sizeof plan->reason,
                   "the tables of %s would exceed the limit, so %s, which needs less",
                   refused->description.name, plan->engine->description.name);
    return true;
}
