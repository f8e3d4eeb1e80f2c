/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/allocate.h"
#include "base/status.h"
#include "engines/ac_dfa/lanes.h"
#include "engines/engines.h"

static trawl_status open(const trawl_db *db, const trawl_scan_settings *options,
                         trawl_walker **walker, trawl_error *error) {
    trawl_dfa_walk *made = trawl_allocate(1, sizeof *made);
    if (made == NULL) {
        return trawl_fail_memory(error, "scanning", sizeof *made);
    }
    trawl_dfa_walk_open(db, 0, made);
    made->lanes.base = (trawl_walker){.type = &trawl_walker_ac_dfa, .db = db};
    made->lanes.plain = options->plain_walk;
    *walker = &made->lanes.base;
    return TRAWL_OK;
}

static void close(trawl_walker *walker) {
    trawl_dfa_walk_close((trawl_dfa_walk *)walker);
    trawl_release(walker);
}

const trawl_walker_type trawl_walker_ac_dfa = {.open = open,
                                               .close = close,
                                               .scan = trawl_lanes_scan,
                                               .count = trawl_lanes_count,
                                               .reserve = trawl_lanes_reserve,
                                               .settle = trawl_lanes_settle,
                                               .automaton = trawl_lanes_automaton};
