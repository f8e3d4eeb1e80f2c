#include "engine/ac_nfa.h"

#include <string.h>

#include "common/allocate.h"
#include "common/status.h"
#include "cpu/lanes.h"
#include "cpu/walkers.h"

/* An NFA as the loops want it. */
typedef struct nfa_view {
    const uint8_t *class_of;
    const uint32_t *top;
    uint32_t top_states;
    uint32_t classes;
    const uint8_t *states;
    size_t record_bytes;
    const uint32_t *failure; /* array */
    const uint64_t *wide;    /* packed */
    uint32_t words;
    uint32_t levels;
    const uint64_t *matching;
    const uint32_t *rank;
    const uint32_t *output;
    const uint32_t *total;
} nfa_view;

/* Set bits of a bitmap below bit `label`. */
static inline uint32_t bits_below(const uint64_t *bits, uint32_t label) {
    uint32_t count =
        (uint32_t)__builtin_popcountll(bits[label / 64] & ((UINT64_C(1) << (label % 64)) - 1));
    for (uint32_t word = 0; word < label / 64; word++) {
        count += (uint32_t)__builtin_popcountll(bits[word]);
    }
    return count;
}

static inline bool has_bit(const uint64_t *bits, uint32_t label) {
    return (bits[label / 64] >> (label % 64) & 1) != 0;
}

/* goto of each representation: the child of `state` over a byte or class, or 0. */
static inline uint32_t goto_array(const nfa_view *a, uint32_t state, uint32_t byte) {
    return ((const uint32_t *)a->states)[(size_t)state * 256 + byte];
}

static inline const trawl_bitmap_state *bitmap_at(const nfa_view *a, uint32_t state) {
    return (const trawl_bitmap_state *)(a->states + state * a->record_bytes);
}

static inline uint32_t goto_bitmap(const nfa_view *a, uint32_t state, uint32_t label) {
    const trawl_bitmap_state *record = bitmap_at(a, state);
    return has_bit(record->bits, label) ? record->first_child + bits_below(record->bits, label) : 0;
}

static inline uint32_t goto_counts(const nfa_view *a, uint32_t state, uint32_t label) {
    const trawl_bitmap_state *record = bitmap_at(a, state);
    if (!has_bit(record->bits, label)) {
        return 0;
    }
    const uint8_t *counts = (const uint8_t *)(record->bits + a->words);
    uint64_t below = record->bits[label / 64] & ((UINT64_C(1) << (label % 64)) - 1);
    return record->first_child + counts[label / 64] + (uint32_t)__builtin_popcountll(below);
}

/* The labels of a packed state are bytes 9 to 15 of its record: compared all at once as a word,
 * whose byte 0 is the count. */
static inline uint32_t goto_packed(const nfa_view *a, uint32_t state, uint32_t label) {
    const trawl_packed_state *packed = (const trawl_packed_state *)a->states + state;
    uint64_t word;
    memcpy(&word, &packed->count, sizeof word);
    uint32_t count = word & 0xff;
    if (__builtin_expect(count == TRAWL_PACKED_WIDE, 0)) {
        const uint64_t *bits = a->wide + (size_t)(uint32_t)(word >> 8) * a->words;
        return has_bit(bits, label) ? packed->first_child + bits_below(bits, label) : 0;
    }
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t differ = (word ^ label * ones) >> 8;
    /* The lowest byte that is zero has its high bit set here; higher ones may be wrong. */
    uint64_t zero = (differ - ones) & ~differ & (ones << 7);
    uint32_t index = (uint32_t)__builtin_ctzll(zero | UINT64_C(1) << 63) / 8;
    return index < count ? packed->first_child + index : 0;
}

static inline uint32_t failure_record(const nfa_view *a, uint32_t state) {
    return ((const trawl_bitmap_state *)(a->states + state * a->record_bytes))->failure;
}

/*
 * The failure walk (Kouzinopoulos et al. 2015, Algorithm 3): until there is a child, or a state
 * with a complete row, go to the failure. The root's children are missing, not its failure: it
 * stays.
 */
#define FAILURE_WALK(function, goto_child, failure_of)                                             \
    static inline uint32_t function(const nfa_view *a, uint32_t state, uint32_t symbol) {          \
        while (state >= a->top_states) {                                                           \
            uint32_t child = goto_child(a, state, symbol);                                         \
            if (child != 0) {                                                                      \
                return child;                                                                      \
            }                                                                                      \
            state = failure_of(a, state);                                                          \
        }                                                                                          \
        return a->top[(size_t)state * a->classes + symbol];                                        \
    }

FAILURE_WALK(walk_packed, goto_packed, failure_record)
FAILURE_WALK(walk_bitmap, goto_bitmap, failure_record)
FAILURE_WALK(walk_counts, goto_counts, failure_record)

static inline uint32_t walk_array(const nfa_view *a, uint32_t state, uint32_t byte) {
    for (;;) {
        uint32_t child = goto_array(a, state, byte);
        if (child != 0 || state == 0) {
            return child;
        }
        state = a->failure[state];
    }
}

/*
 * The divergence-free step (Charan 2015, Algorithm 5): always as many failure steps as there are
 * levels, and the first child that was found. The paper collects the children as a bit mask and
 * takes its lowest bit; keeping the first one in a register is the same without a limit of levels.
 */
#define DIVERGENCE_FREE(function, goto_child, failure_of)                                          \
    static inline uint32_t function(const nfa_view *a, uint32_t state, uint32_t symbol) {          \
        uint32_t found = 0;                                                                        \
        for (uint32_t step = 0; step <= a->levels; step++) {                                       \
            uint32_t child = goto_child(a, state, symbol);                                         \
            found = found != 0 ? found : child;                                                    \
            state = failure_of(a, state);                                                          \
        }                                                                                          \
        return found;                                                                              \
    }

static inline uint32_t failure_array(const nfa_view *a, uint32_t state) {
    return a->failure[state];
}

DIVERGENCE_FREE(fixed_array, goto_array, failure_array)
DIVERGENCE_FREE(fixed_bitmap, goto_bitmap, failure_record)
DIVERGENCE_FREE(fixed_counts, goto_counts, failure_record)

/* What all the loops have in common. */
#define NFA_MATCHING(state) ((a->matching[(state) / 64] >> ((state) % 64) & 1) != 0)
#define NFA_KEY(state)                                                                             \
    (a->output[a->rank[(state) / 64] +                                                             \
               (uint32_t)__builtin_popcountll(a->matching[(state) / 64] &                          \
                                              ((UINT64_C(1) << ((state) % 64)) - 1))])
#define NFA_TOTAL(state) (a->total[NFA_KEY(state)])

#define LOOPS packed_loops
#define NAME(base) packed_##base
#define STEP(state, byte) walk_packed(a, state, a->class_of[byte])
#include "cpu/nfa_loops.h"

#define LOOPS array_loops
#define NAME(base) array_##base
#define STEP(state, byte) walk_array(a, state, byte)
#include "cpu/nfa_loops.h"

#define LOOPS bitmap_loops
#define NAME(base) bitmap_##base
#define STEP(state, byte) walk_bitmap(a, state, a->class_of[byte])
#include "cpu/nfa_loops.h"

#define LOOPS counts_loops
#define NAME(base) counts_##base
#define STEP(state, byte) walk_counts(a, state, a->class_of[byte])
#include "cpu/nfa_loops.h"

#define LOOPS array_fixed_loops
#define NAME(base) array_fixed_##base
#define STEP(state, byte) fixed_array(a, state, byte)
#include "cpu/nfa_loops.h"

#define LOOPS bitmap_fixed_loops
#define NAME(base) bitmap_fixed_##base
#define STEP(state, byte) fixed_bitmap(a, state, a->class_of[byte])
#include "cpu/nfa_loops.h"

#define LOOPS counts_fixed_loops
#define NAME(base) counts_fixed_##base
#define STEP(state, byte) fixed_counts(a, state, a->class_of[byte])
#include "cpu/nfa_loops.h"

/* By index into the engine's variants. */
static const trawl_lane_loops *const variant_loops[] = {
    &packed_loops,      &array_loops,        &bitmap_loops,      &counts_loops,
    &array_fixed_loops, &bitmap_fixed_loops, &counts_fixed_loops};

typedef struct nfa_walker {
    trawl_walker base;
    nfa_view view;
    trawl_outputs outputs;
    trawl_lane_walker lanes;
} nfa_walker;

static trawl_status open(const trawl_db *db, trawl_walker **walker, trawl_error *error) {
    nfa_walker *made = trawl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        return trawl_fail_memory(error, "scanning", sizeof *made);
    }
    const trawl_nfa_header *header = trawl_db_section(db, TRAWL_SECTION_NFA_HEADER, 0, NULL);
    int variant = trawl_engine_variant(db->engine, db->header->variant);
    trawl_outputs_view(db, 0, &made->outputs);
    made->base = (trawl_walker){.type = &trawl_cpu_ac_nfa, .db = db};
    made->view = (nfa_view){.class_of = trawl_db_section(db, TRAWL_SECTION_CLASSES, 0, NULL),
                            .top = trawl_db_section(db, TRAWL_SECTION_NFA_TOP, 0, NULL),
                            .top_states = header->top,
                            .classes = header->classes,
                            .states = trawl_db_section(db, TRAWL_SECTION_NFA_STATES, 0, NULL),
                            .record_bytes = header->record_bytes,
                            .failure = trawl_db_section(db, TRAWL_SECTION_NFA_FAILURE, 0, NULL),
                            .wide = trawl_db_section(db, TRAWL_SECTION_NFA_WIDE, 0, NULL),
                            .words = header->words,
                            .levels = header->levels,
                            .matching = trawl_db_section(db, TRAWL_SECTION_NFA_MATCHING, 0, NULL),
                            .rank = trawl_db_section(db, TRAWL_SECTION_NFA_RANK, 0, NULL),
                            .output = trawl_db_section(db, TRAWL_SECTION_NFA_OUTPUT, 0, NULL),
                            .total = made->outputs.total};
    made->lanes = (trawl_lane_walker){.loops = variant_loops[variant],
                                      .automaton = &made->view,
                                      .outputs = &made->outputs,
                                      .patterns = &db->patterns,
                                      .overlap = db->header->max_length - 1,
                                      .verify = header->verify != 0};
    *walker = &made->base;
    return TRAWL_OK;
}

static void close(trawl_walker *walker) {
    trawl_lanes_release(&((nfa_walker *)walker)->lanes);
    trawl_release(walker);
}

static trawl_status scan(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                         trawl_error *error) {
    return trawl_lanes_scan(&((nfa_walker *)walker)->lanes, window, sink, error);
}

static trawl_status count(trawl_walker *walker, const trawl_window *window, trawl_counts *counts,
                          trawl_error *error) {
    return trawl_lanes_count(&((nfa_walker *)walker)->lanes, window, counts, error);
}

static void settle(trawl_walker *walker, trawl_counts *counts) {
    trawl_lanes_settle(&((nfa_walker *)walker)->lanes, counts);
}

const trawl_walker_type trawl_cpu_ac_nfa = {.engine = "ac-nfa",
                                            .open = open,
                                            .close = close,
                                            .scan = scan,
                                            .count = count,
                                            .settle = settle};
