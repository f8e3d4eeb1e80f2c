/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "constants/fallback.h"
#include "plan/record.h"
#include "run/fallback.h"

void trawl_fallback_offer(trawl_walker *walker) {
    walker->open_fallback = trawl_fallback_open;
    const trawl_plan_record *plan = trawl_plan_record_of(walker->db);
    if (plan != NULL) {
        bool is_dfa = plan->bytes[TRAWL_PLAN_AC_DFA] <= TRAWL_FALLBACK_DFA_BYTES;
        uint32_t engine = is_dfa ? TRAWL_PLAN_AC_DFA : TRAWL_PLAN_AC_NFA;
        walker->fallback_step = 1e-9 * plan->nanoseconds[engine];
        walker->fallback_build = 1e-9 * trawl_plan_building(plan, engine);
    }
}
