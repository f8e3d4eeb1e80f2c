/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "plan/hashing.h"

#include <math.h>

#include "constants/cpu.h"
#include "engines/qgram/cost.h"
#include "engines/rabin_karp/measure.h"
#include "engines/wu_manber/format.h"
#include "engines/wu_manber/measure.h"

/* Bytes of the table HASH for each pattern: two slots (trawl_ending_bits). A window that is not
 * excluded reads one slot. */
#define HASH_BYTES (2 * sizeof(uint32_t))

/* Nanoseconds of `look_ups` windows that are looked up, `steps` of binary searches among their keys
 * and the matches. `alone`: a look-up whose key is in the nearest cache. Trials know some patterns
 * of a large set; but each end of a match is looked up, and automata count those of all. */
static double price_look_ups(const trawl_hashing_input *input, double alone, double look_ups,
                             double steps) {
    const trawl_costs *costs = input->options->costs;
    const trawl_automata_estimate *automata = input->automata;
    double key = trawl_look_up_cost(&automata->met, costs->verify, (double)input->patterns->count);
    double all = fmax(look_ups, automata->folded_ends);
    double all_steps = look_ups > 0 ? steps * all / look_ups : steps;
    return all * (alone + key - costs->verify[0]) +
           (all_steps + automata->compared) * TRAWL_PLAN_SEARCH_STEP * key +
           automata->match_ends * costs->match;
}

static double share(double half, double all, double factor) {
    double rate = trawl_cost_extrapolate(half, all, factor);
    return rate < 1 ? rate : 1;
}

trawl_hashing_trial trawl_try_wu_manber(const trawl_hashing_input *input) {
    const trawl_compile_settings *options = input->options;
    double patterns = (double)input->patterns->count;
    double shift = trawl_wu_manber_largest_shift((uint32_t)input->patterns->min_length, 1);
    double blocks = patterns * shift, most = (double)TRAWL_WU_MANBER_TRIAL_BLOCKS;
    return (trawl_hashing_trial){.least = options->costs->shift[0] / shift,
                                 .bytes = TRAWL_CACHE_LINE_BYTES * patterns,
                                 .nanoseconds =
                                     TRAWL_EFFORT_ENTRY * (blocks < most ? blocks : most) +
                                     TRAWL_EFFORT_BYTE * (double)options->sample_length};
}

trawl_hashing_trial trawl_try_rabin_karp(const trawl_hashing_input *input) {
    const trawl_compile_settings *options = input->options;
    double patterns = (double)input->patterns->count;
    double most = (double)(UINT64_C(1) << TRAWL_RABIN_KARP_TRIAL_LOG);
    return (trawl_hashing_trial){
        .least = TRAWL_PLAN_RABIN_KARP_STEPS * options->costs->dfa_step[0],
        .bytes = TRAWL_CACHE_LINE_BYTES * patterns,
        /* A pattern is entered twice: its end, and the hash by which patterns are told apart. */
        .nanoseconds = 2 * TRAWL_EFFORT_ENTRY * (patterns < most ? patterns : most) +
                       TRAWL_EFFORT_BYTE * (double)options->sample_length};
}

trawl_status trawl_price_wu_manber(const trawl_hashing_input *input, trawl_hashing_price *price,
                                   trawl_error *error) {
    const trawl_compile_settings *options = input->options;
    const trawl_costs *costs = options->costs;
    double patterns = (double)input->patterns->count;
    trawl_wu_manber_estimate walk;
    trawl_status status = trawl_wu_manber_measure(
        input->patterns, options->sample, options->sample_length, input->blocks,
        options->wu_manber_block, options->max_table_bytes, &walk, error);
    if (status != TRAWL_OK) {
        return status;
    }
    double windows = share(walk.half.windows, walk.all.windows, walk.factor);
    double zeros = share(walk.half.zeros, walk.all.zeros, walk.factor);
    double look_ups = share(walk.half.look_ups, walk.all.look_ups, walk.factor);
    double steps = walk.all.look_ups > 0 ? walk.all.steps * look_ups / walk.all.look_ups : 0;
    double others = zeros > look_ups ? zeros - look_ups : 0;
    /* A text that has only a share of all q-grams of four bytes (`spread`) reads about this share
     * of SHIFT. Longer blocks differ more: they are taken to read all of it. */
    double read = walk.shift_bytes * (walk.block <= 4 ? input->spread : 1);
    double moving = windows * trawl_cost_at(costs->shift, read) +
                    others * (TRAWL_PLAN_WU_MANBER_ZERO * costs->shift_zero +
                              trawl_cost_wait(costs, (double)HASH_BYTES * patterns));
    /* Where windows move on by more than a line, only the lines of their ends are read. */
    double line = TRAWL_SPARSE_LINE_BYTES * windows;
    double memory = costs->memory * (line < 1 ? line : 1);
    price->nanoseconds =
        hypot(moving, memory) +
        price_look_ups(input, TRAWL_PLAN_WU_MANBER_LOOK_UP * costs->shift_zero, look_ups, steps);
    price->bytes = (uint64_t)(walk.shift_bytes + TRAWL_CACHE_LINE_BYTES * patterns);
    price->factor = walk.factor;
    return TRAWL_OK;
}

trawl_status trawl_price_rabin_karp(const trawl_hashing_input *input, trawl_hashing_price *price,
                                    trawl_error *error) {
    const trawl_compile_settings *options = input->options;
    const trawl_costs *costs = options->costs;
    double patterns = (double)input->patterns->count;
    trawl_rabin_karp_estimate search;
    trawl_status status = trawl_rabin_karp_measure(input->patterns, options->sample,
                                                   options->sample_length, &search, error);
    if (status != TRAWL_OK) {
        return status;
    }
    double hashing = 0, filters = 0;
    for (uint32_t pass = 0; pass < search.passes; pass++) {
        hashing += TRAWL_PLAN_RABIN_KARP_STEPS * costs->dfa_step[0] +
                   trawl_cost_wait(costs, search.filter_bytes[pass]);
        filters += search.filter_bytes[pass];
    }
    double others = search.candidates - search.look_ups;
    double listed =
        others * (costs->shift_zero + trawl_cost_wait(costs, (double)HASH_BYTES * patterns));
    price->nanoseconds = hypot(hashing + listed, costs->memory) +
                         price_look_ups(input, TRAWL_PLAN_RABIN_KARP_LOOK_UP * costs->shift_zero,
                                        search.look_ups, search.steps);
    price->bytes = (uint64_t)(filters + TRAWL_CACHE_LINE_BYTES * patterns);
    price->factor = 1;
    return TRAWL_OK;
}
