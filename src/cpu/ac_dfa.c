#include "common/allocate.h"
#include "common/status.h"
#include "cpu/dfa_walk.h"
#include "cpu/walkers.h"

typedef struct dfa_walker {
    trawl_walker base;
    trawl_dfa_walk walk;
} dfa_walker;

static trawl_status open(const trawl_db *db, trawl_walker **walker, trawl_error *error) {
    dfa_walker *made = trawl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        return trawl_fail_memory(error, "scanning", sizeof *made);
    }
    made->base = (trawl_walker){.type = &trawl_cpu_ac_dfa, .db = db};
    trawl_dfa_walk_open(db, 0, &made->walk);
    *walker = &made->base;
    return TRAWL_OK;
}

static void close(trawl_walker *walker) {
    trawl_dfa_walk_close(&((dfa_walker *)walker)->walk);
    trawl_release(walker);
}

static trawl_status scan(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                         trawl_error *error) {
    return trawl_lanes_scan(&((dfa_walker *)walker)->walk.lanes, window, sink, error);
}

static trawl_status count(trawl_walker *walker, const trawl_window *window, trawl_counts *counts,
                          trawl_error *error) {
    return trawl_lanes_count(&((dfa_walker *)walker)->walk.lanes, window, counts, error);
}

static void settle(trawl_walker *walker, trawl_counts *counts) {
    trawl_lanes_settle(&((dfa_walker *)walker)->walk.lanes, counts);
}

const trawl_walker_type trawl_cpu_ac_dfa = {.engine = "ac-dfa",
                                            .open = open,
                                            .close = close,
                                            .scan = scan,
                                            .count = count,
                                            .settle = settle};
