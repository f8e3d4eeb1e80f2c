/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/ac_nfa/variants.h"

#include "base/allocate.h"
#include "base/cpu.h"
#include "base/status.h"
#include "engines/ac_nfa/step.h"
#include "engines/engines.h"
#include "scan/lanes.h"

/* How failure links are followed: up to a complete row; in a loop up to the root; a fixed number of
 * times. */
enum nfa_way { NFA_ROWS, NFA_LOOP, NFA_FIXED, NFA_WAYS };

#define VERSION(name) plain_##name
#define TARGET
#include "engines/ac_nfa/loops.h"

#if TRAWL_HAVE_X86
/* Steps on bitmaps count bits and mask those below a bit: one instruction each with this set. */
#define VERSION(name) popcnt_##name
#define TARGET __attribute__((target("popcnt,bmi,bmi2")))
#include "engines/ac_nfa/loops.h"
#endif

static const trawl_lane_loops *choose_loops(const trawl_nfa_header *header,
                                            const trawl_nfa_variant *variant, trawl_cpu_set set) {
    (void)set;
    enum nfa_way way = variant->divergence_free ? NFA_FIXED
                       : variant->complete_top  ? NFA_ROWS
                                                : NFA_LOOP;
    /* Bitmaps with records of one word have loops of their own; all these variants have rows. */
    bool one_word = way == NFA_ROWS && header->representation == TRAWL_NFA_BITMAP &&
                    header->record_bytes == sizeof(trawl_packed_state);
#if TRAWL_HAVE_X86
    if (set != TRAWL_CPU_SCALAR) {
        return one_word ? &popcnt_short_loops : popcnt_loops_of[header->representation][way];
    }
#endif
    return one_word ? &plain_short_loops : plain_loops_of[header->representation][way];
}

typedef struct nfa_walker {
    trawl_lane_walker lanes; /* first, so that a pointer to it is one to the walker */
    nfa_view view;
    trawl_outputs outputs;
} nfa_walker;

static trawl_status open(const trawl_db *db, const trawl_scan_settings *options,
                         trawl_walker **walker, trawl_error *error) {
    trawl_cpu_set set;
    trawl_status status = trawl_cpu_choose(&set, error);
    if (status != TRAWL_OK) {
        return status;
    }
    nfa_walker *made = trawl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        return trawl_fail_memory(error, "scanning", sizeof *made);
    }
    const trawl_nfa_header *header = trawl_db_section(db, TRAWL_SECTION_NFA_HEADER, 0, NULL);
    int variant = trawl_engine_variant(db->engine, db->header->variant);
    trawl_outputs_view(db, 0, &made->outputs);
    made->view = (nfa_view){.class_of = trawl_db_section(db, TRAWL_SECTION_CLASSES, 0, NULL),
                            .top = trawl_db_section(db, TRAWL_SECTION_NFA_TOP, 0, NULL),
                            .top_mask = header->top_span - 1,
                            .states = trawl_db_section(db, TRAWL_SECTION_NFA_STATES, 0, NULL),
                            .record_bytes = header->record_bytes,
                            .failure = trawl_db_section(db, TRAWL_SECTION_NFA_FAILURE, 0, NULL),
                            .wide = trawl_db_section(db, TRAWL_SECTION_NFA_WIDE, 0, NULL),
                            .wide_rows = header->wide,
                            .words = header->words,
                            .levels = header->levels,
                            .matching = trawl_db_section(db, TRAWL_SECTION_NFA_MATCHING, 0, NULL),
                            .rank = trawl_db_section(db, TRAWL_SECTION_NFA_RANK, 0, NULL),
                            .output = trawl_db_section(db, TRAWL_SECTION_NFA_OUTPUT, 0, NULL),
                            .total = made->outputs.total};
    made->lanes = (trawl_lane_walker){
        .base = {.type = &trawl_walker_ac_nfa, .db = db},
        .loops = choose_loops(header, trawl_nfa_variant_at((unsigned)variant), set),
        .automaton = &made->view,
        .outputs = &made->outputs,
        .patterns = &db->patterns,
        .states = header->states,
        .overlap = db->header->max_length - 1,
        .verify = header->verify != 0,
        .plain = options->plain_walk};
    *walker = &made->lanes.base;
    return TRAWL_OK;
}

static void close(trawl_walker *walker) {
    trawl_lanes_release(&((nfa_walker *)walker)->lanes);
    trawl_release(walker);
}

const trawl_walker_type trawl_walker_ac_nfa = {.open = open,
                                               .close = close,
                                               .scan = trawl_lanes_scan,
                                               .count = trawl_lanes_count,
                                               .reserve = trawl_lanes_reserve,
                                               .settle = trawl_lanes_settle,
                                               .automaton = trawl_lanes_automaton};
