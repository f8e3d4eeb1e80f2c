/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/case_pair_steps.h"

#include <string.h>

#include "base/allocate.h"

/* ------------------------------------------------------------------ making */

/* The jump of a key that links to `link`: over two jumps of equally many links, or its link.
 * `depth`: the links behind each key. */
static uint32_t jump_of(const uint32_t *jumps, const uint32_t *depth, uint32_t link) {
    uint32_t jump = link == TRAWL_NO_KEY ? TRAWL_NO_KEY : jumps[link];
    uint32_t further = jump == TRAWL_NO_KEY ? TRAWL_NO_KEY : jumps[jump];
    bool twice =
        further != TRAWL_NO_KEY && depth[link] - depth[jump] == depth[jump] - depth[further];
    return twice ? further : link;
}

static uint32_t lower(uint32_t left, uint32_t right) {
    return left < right ? left : right;
}

trawl_status trawl_pair_steps_make(const trawl_outputs *outputs, const uint32_t *links,
                                   const uint32_t *own, trawl_pair_steps *steps) {
    size_t keys = outputs->keys;
    uint32_t *depth = trawl_allocate(keys, sizeof *depth);
    uint32_t *jump = trawl_allocate(3 * keys, sizeof *jump);
    if (depth == NULL || jump == NULL) {
        trawl_release(depth);
        trawl_release(jump);
        return TRAWL_ERROR_MEMORY;
    }
    *steps = (trawl_pair_steps){.jump = jump, .own = jump + keys, .lowest = jump + 2 * keys};
    memcpy(steps->own, own, keys * sizeof *own);
    for (size_t key = 0; key < keys; key++) {
        uint32_t link = links[key];
        depth[key] = link == TRAWL_NO_KEY ? 0 : depth[link] + 1;
        jump[key] = jump_of(jump, depth, link);
        steps->lowest[key] = own[key];
        if (jump[key] != link) {
            uint32_t both = lower(steps->lowest[link], steps->lowest[jump[link]]);
            steps->lowest[key] = lower(own[key], both);
        }
    }
    trawl_release(depth);
    return TRAWL_OK;
}

void trawl_pair_steps_free(trawl_pair_steps *steps) {
    trawl_release(steps->jump);
    *steps = (trawl_pair_steps){.jump = NULL};
}

/* ------------------------------------------------------------------ searching */

/* The longest key of at most `most` bytes, from `key` on. */
static uint32_t shorten(const trawl_pair_search *search, uint32_t key, uint32_t most) {
    while (key != TRAWL_NO_KEY && search->length[key] > most) {
        uint32_t jump = search->steps->jump[key];
        key = jump != TRAWL_NO_KEY && search->length[jump] > most ? jump : search->links[key];
    }
    return key;
}

/* The longest key that ends before a run, from `key` on. */
static uint32_t pass(const trawl_pair_search *search, uint32_t key, const trawl_pair_run *run) {
    return run->begin <= search->start ? TRAWL_NO_KEY
                                       : shorten(search, key, run->begin - 1 - search->start);
}

static bool holds(const trawl_pair_run *run) {
    return (run->end & TRAWL_RUN_HOLDS) != 0;
}

uint32_t trawl_pair_longest(const trawl_pair_search *search, uint32_t key) {
    while (key != TRAWL_NO_KEY) {
        const trawl_pair_run *run = &search->runs[search->start + search->length[key]];
        if (holds(run)) {
            break;
        }
        key = pass(search, key, run);
    }
    return key;
}

/* The lowest id of the keys of at least `least` bytes, from `key` on. */
static uint32_t lowest_id(const trawl_pair_search *search, uint32_t key, uint32_t least) {
    const trawl_pair_steps *steps = search->steps;
    uint32_t lowest = UINT32_MAX;
    while (key != TRAWL_NO_KEY && search->length[key] >= least) {
        uint32_t jump = steps->jump[key];
        bool whole = jump != TRAWL_NO_KEY && search->length[jump] >= least;
        lowest = lower(lowest, whole ? steps->lowest[key] : steps->own[key]);
        key = whole ? jump : search->links[key];
    }
    return lowest;
}

/* Keys of one start, from `key` on, of at least `least` bytes. */
typedef struct range {
    uint32_t key, least;
} range;

/* Takes the next run in which the boundary holds out of a range. The lowest id in it; UINT32_MAX:
 * there is no such run. */
static uint32_t take_run(const trawl_pair_search *search, range *of) {
    uint32_t key = trawl_pair_longest(search, of->key), id = UINT32_MAX;
    of->key = key;
    if (key != TRAWL_NO_KEY && search->length[key] >= of->least) {
        const trawl_pair_run *run = &search->runs[search->start + search->length[key]];
        bool divides = run->begin > search->start + of->least;
        id = lowest_id(search, key, divides ? run->begin - search->start : of->least);
        of->key = pass(search, key, run);
    }
    return id;
}

/* Lowest ids are tried in ascending order: ids mostly ascend or descend with the lengths of
 * patterns, so that any fixed order of lengths would be the wrong one for some sets. The run of an
 * id that does not match divides its range, of which the part of longer keys comes first. After
 * some tries the runs are taken one by one, since few of them can be good ones. */
uint32_t trawl_pair_lowest(const trawl_pair_search *search, uint32_t key, uint32_t best) {
    enum { TRIES = 16 };
    range ranges[TRIES + 1] = {{.key = key, .least = 1}};
    size_t count = 1;
    for (unsigned tries = 0; count != 0;) {
        range *at = &ranges[count - 1];
        uint32_t id = lowest_id(search, at->key, at->least);
        if (id >= best) {
            count--;
        } else if (tries == TRIES) {
            best = lower(best, take_run(search, at));
        } else {
            uint32_t length = search->offsets[id + 1] - search->offsets[id];
            const trawl_pair_run *run = &search->runs[search->start + length];
            range longer = {.key = at->key, .least = (run->end & ~TRAWL_RUN_HOLDS) - search->start};
            best = holds(run) ? id : best;
            at->key = pass(search, at->key, run);
            ranges[count] = longer;
            count += !holds(run);
            tries++;
        }
    }
    return best;
}
