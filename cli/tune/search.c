/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/tune/search.h"

#include <math.h>
#include <string.h>

typedef struct search {
    const tune_space *space;
    tune_measure measure;
    void *context;
    tune_found *found;
    bool tried[TUNE_MOST_POINTS];
    double seconds[TUNE_MOST_POINTS]; /* INFINITY: refused */
} search;

/* A point's seconds, measured at its first visit. */
static double seconds_of(search *self, const size_t *point) {
    size_t index = 0;
    for (size_t axis = 0; axis < self->space->axes; axis++)
        index = index * self->space->sizes[axis] + point[axis];
    if (!self->tried[index]) {
        double seconds = self->measure(self->context, point);
        bool refused = !(seconds >= 0);
        self->tried[index] = true;
        self->seconds[index] = refused ? (double)INFINITY : seconds;
        self->found->measured++;
        self->found->refused += refused;
    }
    return self->seconds[index];
}

/* Moves to the best value of an axis; returns whether that is another point. */
static bool descend(search *self, size_t axis) {
    tune_found *found = self->found;
    size_t point[TUNE_MOST_AXES];
    size_t before = found->point[axis];
    double best = found->seconds;
    memcpy(point, found->point, sizeof point);
    for (size_t value = 0; value < self->space->sizes[axis]; value++) {
        point[axis] = value;
        double seconds = seconds_of(self, point);
        if (seconds < best &&
            (isinf(found->seconds) || seconds < found->seconds * (1 - self->space->margin))) {
            best = seconds;
            found->point[axis] = value;
        }
    }
    found->seconds = best;
    return found->point[axis] != before;
}

bool tune_search(const tune_space *space, const size_t *start, tune_measure measure, void *context,
                 tune_found *found) {
    static const tune_found nothing;
    size_t points = 1;
    search self = {.space = space, .measure = measure, .context = context, .found = found};
    *found = nothing;
    if (space->axes == 0 || space->axes > TUNE_MOST_AXES)
        return false;
    for (size_t axis = 0; axis < space->axes; axis++) {
        found->point[axis] = start[axis];
        if (space->sizes[axis] == 0 || start[axis] >= space->sizes[axis] ||
            space->sizes[axis] > TUNE_MOST_POINTS / points)
            return false;
        points *= space->sizes[axis];
    }
    found->seconds = seconds_of(&self, found->point);
    /* Each move lowers the time, so the loop ends: when no axis has moved since the last move. */
    size_t still = 0;
    for (size_t axis = 0; still < space->axes; axis = (axis + 1) % space->axes)
        still = descend(&self, axis) ? 1 : still + 1;
    return !isinf(found->seconds);
}
