/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Coordinate descent over a grid of parameters (Tran et al., 4.3 and Figs. 20-21 vary one parameter
 * at a time). A callback measures each point.
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
    double margin; /* a point is better if it takes less than (1 - margin) of the best time;
                      smaller differences are noise */
} tune_space;

/* The seconds of a point (an index on each axis), or a negative number if it is impossible. */
typedef double (*tune_measure)(void *context, const size_t *point);

typedef struct tune_found {
    size_t point[TUNE_MOST_AXES];
    double seconds;
    size_t measured; /* points that were tried, each once */
    size_t refused;  /* impossible points among these */
} tune_found;

/* Tries all values of one axis with the other axes fixed, moves to the best one, goes on with the
 * next axis, and stops when no axis has a better value. False if all points that differ from
 * `start` on one axis are impossible. */
bool tune_search(const tune_space *space, const size_t *start, tune_measure measure, void *context,
                 tune_found *found);

#endif
