/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Work on many small things side by side, one thread each, and results in the order of the things:
 *
 *     written | turn: may write | in work | finished, waits | in work | not begun
 *
 * Memory is bounded: no thing is begun that is far behind the one whose turn it is, and who has
 * gathered much of a result waits for the turn and then writes to the output itself.
 */
#ifndef CLI_BASE_CROWD_H
#define CLI_BASE_CROWD_H

#include "io/output_file.h"

typedef struct crowd crowd;

/* Works on thing `index`, which it ends with crowd_finish. `member`: of the thread that calls. */
typedef void (*crowd_work)(crowd *self, void *member, size_t index);

/* Works on things [0, count) with `threads` threads, 1 or more, of which this one is the first; if
 * the system refuses threads, with fewer. `members`: one for each, `member_bytes` apart. Begins no
 * thing after a failure of the output, which may be NULL if there are no results. */
void crowd_run(output_file *output, size_t count, crowd_work work, void *members,
               size_t member_bytes, size_t threads);

/* Waits until the results of all things before this one are written. Then its thread alone may
 * write to the output until it ends the thing. */
output_file *crowd_await_turn(crowd *self, size_t index);

/* Ends a thing with the rest of its result: `bytes`, which malloc made, or NULL. They are freed
 * when they are written. */
void crowd_finish(crowd *self, size_t index, char *bytes, size_t length);

#endif
