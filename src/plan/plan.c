#include "plan/plan.h"

#include <stdio.h>

#include "pattern/keys.h"

/* Above this size of its table, ac-dfa mostly waits for memory and the far smaller ac-nfa, whose
 * states stay in the cache, is faster (docs/PERFORMANCE.md, "DFA or NFA"). */
#define DFA_TABLE_LIMIT ((uint64_t)512 << 20)

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
    bool small = table <= limit;
    plan->engine = small ? &trawl_engine_ac_dfa : &trawl_engine_ac_nfa;
    plan->variant = 0;
    (void)snprintf(plan->reason, sizeof plan->reason,
                   "%llu states of %llu byte classes: a DFA table of %.1f MB is %s %.0f MB, so %s",
                   (unsigned long long)statistics.states, (unsigned long long)columns,
                   (double)table / 1e6, small ? "within" : "above", (double)limit / 1e6,
                   small ? "ac-dfa, one lookup for each byte"
                         : "ac-nfa, which needs a fraction of that");
    return TRAWL_OK;
}
