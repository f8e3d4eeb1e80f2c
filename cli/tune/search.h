/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The search for the fastest parameters (Tran et al., 4.3 and Figs. 20-21 vary one parameter at a
 * time): coordinate descent over a grid. Pure logic: what a point of the grid costs, a callback
 * says.
 */
#ifndef CLI_TUNE_SEARCH_H
#define CLI_TUNE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

enum { TUNE_MOST_AXES = 4, TUNE_MOST_POINTS = 4096 };

typedef struct tune_space {
    size_t axes;
    size_t sizes[TUNE_MOST_AXES]; /* values on each axis, at least 1; at most TUNE_MOST_POINTS
                                     points together */
    double margin; /* a point is better when it takes less than (1 - margin) of the best one's
                      time: differences below are noise */
} tune_space;

/* The seconds of a point (an index on each axis), or a negative number when it cannot be. */
typedef double (*tune_measure)(void *context, const size_t *point);

typedef struct tune_found {
    size_t point[TUNE_MOST_AXES];
    double seconds;
    size_t measured; /* points that were tried, each once */
    size_t refused;  /* of these, the ones that could not be */
} tune_found;

/* Tries all values of one axis with the others as they are, goes to the best, takes the next axis,
 * and so on until no axis has a better value. False when no point on the lines through `start` can
 * be. */
bool tune_search(const tune_space *space, const size_t *start, tune_measure measure, void *context,
                 tune_found *found);

#endif
