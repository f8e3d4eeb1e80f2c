/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What steps and look-ups cost in caches, by how fast the lines that they touch grow in number
 * (costs/automata.h). */
#include <math.h>

#include "constants/cpu.h"
#include "costs/automata.h"
#include "scan/contract.h"

/* Returns the number of different lines that have been touched after `steps` steps. *new_share: the
 * share of steps at that point that touch a new line. Between the measured points, and beyond the
 * last one, the number grows as a power of the steps (Heaps' law). */
static double lines_after(const trawl_line_growth *growth, double steps, double *new_share) {
    unsigned point = 1;
    while (point < TRAWL_GROWTH_POINTS - 1 && growth->steps[point] < steps) {
        point++;
    }
    double ratio = growth->lines[point] / growth->lines[point - 1];
    double exponent =
        ratio <= 1 ? 0 : log(ratio) / log(growth->steps[point] / growth->steps[point - 1]);
    exponent = exponent < 1 ? exponent : 1;
    double lines = growth->lines[point] * pow(steps / growth->steps[point], exponent);
    if (lines >= growth->all) {
        *new_share = 0;
        return growth->all;
    }
    double share = exponent * lines / steps;
    *new_share = share < 1 ? share : 1;
    return lines;
}

/* The share of steps that miss a cache of `cache` lines. The cache holds the lines of table and
 * text that the last steps touched; a step that touches another line misses. */
static double share_of_misses(const trawl_line_growth *growth, double cache) {
    double share = 0;
    if (cache >= growth->all + growth->all / TRAWL_CACHE_LINE_BYTES || growth->lines[0] <= 0) {
        return 0;
    }
    double fits = 1, fills = TRAWL_CACHE_LINE_BYTES * cache; /* steps */
    for (unsigned halving = 0; halving < 24; halving++) {
        double steps = sqrt(fits * fills);
        if (lines_after(growth, steps, &share) + steps / TRAWL_CACHE_LINE_BYTES < cache) {
            fits = steps;
        } else {
            fills = steps;
        }
    }
    return share;
}

/* The growth of the pages that a walk has touched. Lines of a large table that a walk touches lie
 * anywhere in it, so that few lines are many pages. */
static trawl_line_growth pages_of(const trawl_line_growth *growth, double all) {
    trawl_line_growth pages = *growth;
    pages.all = all;
    for (unsigned point = 0; point < TRAWL_GROWTH_POINTS; point++) {
        pages.lines[point] = all * (1 - exp(-growth->lines[point] / all));
    }
    return pages;
}

/* The share of rounds in which some lane misses, if a step misses with this probability: lanes step
 * in turn, so a round takes as long if one lane misses as if all do. The costs were measured in the
 * same way. */
static double share_of_rounds(double misses) {
    return 1 - pow(1 - misses, TRAWL_LANES);
}

double trawl_automata_step(const trawl_line_growth *growth, const double *by_size,
                           double page_walk) {
    double nanoseconds = by_size[0];
    for (unsigned i = 1; i < TRAWL_COST_SIZES; i++) {
        double cache = (double)(UINT64_C(4096) << (2 * (i - 1))) / TRAWL_CACHE_LINE_BYTES;
        double more = by_size[i] - by_size[i - 1];
        nanoseconds += (more > 0 ? more : 0) * share_of_rounds(share_of_misses(growth, cache));
    }
    const double all = growth->all * TRAWL_CACHE_LINE_BYTES / TRAWL_PAGE_BYTES;
    if (all <= TRAWL_TLB_PAGES) {
        return nanoseconds;
    }
    const trawl_line_growth pages = pages_of(growth, all);
    return nanoseconds + page_walk * share_of_rounds(share_of_misses(&pages, TRAWL_TLB_PAGES));
}

double trawl_look_up_cost(const trawl_met_keys *met, const double *by_size, double keys) {
    double place = (log2(TRAWL_CACHE_LINE_BYTES * (keys < 1 ? 1 : keys)) - 12) / 2;
    double nanoseconds = by_size[0];
    for (unsigned i = 1; i < TRAWL_COST_SIZES && place > i - 1; i++) {
        double cache = (double)(UINT64_C(4096) << (2 * (i - 1))) / TRAWL_CACHE_LINE_BYTES;
        double misses = 1;
        double share = place < i ? place - (i - 1) : 1; /* of the next larger table */
        if (met != NULL && met->per_byte > 0) {
            misses = share_of_misses(&met->growth, cache) / met->per_byte;
        }
        nanoseconds += (by_size[i] - by_size[i - 1]) * share * (misses < 1 ? misses : 1);
    }
    return nanoseconds;
}
