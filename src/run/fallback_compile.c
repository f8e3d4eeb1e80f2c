/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/fallback.h"

#include "constants/fallback.h"

trawl_status trawl_fallback_compile(const trawl_patterns *patterns, trawl_match_kind matches,
                                    trawl_db **automaton, trawl_error *error) {
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "ac-dfa";
    options.matches = matches;
    options.max_table_bytes = TRAWL_FALLBACK_DFA_BYTES;
    trawl_status status = trawl_compile(patterns, &options, automaton, error);
    if (status == TRAWL_ERROR_LIMIT) {
        options.engine = "ac-nfa";
        options.max_table_bytes = 0;
        status = trawl_compile(patterns, &options, automaton, error);
    }
    return status;
}
