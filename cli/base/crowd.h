/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Work on many small items, such as files, by several threads at once. Each thread takes one item
 * after the other. Results are written in the order of the items:
 *
 *     item      0         1                2         3                  4         5
 *               written   turn: may write  in work   finished, waits    in work   not begun
 *
 * Memory is bounded: no item is begun that is far behind the one whose turn it is. A thread that
 * has gathered a large result waits for its item's turn, and then writes directly.
 */
#ifndef CLI_BASE_CROWD_H
#define CLI_BASE_CROWD_H

#include "io/output_file.h"

typedef struct crowd crowd;

/* Works on item `index` and ends it with crowd_finish. `member`: that of the calling thread. */
typedef void (*crowd_work)(crowd *self, void *member, size_t index);

/* Works on items [0, count) with `threads` threads (1 or more), of which the calling one is the
 * first; with fewer if the system refuses threads. `members`: one for each thread, `member_bytes`
 * apart. After a failure of the output no further item is begun. The output may be NULL if there
 * are no results. */
void crowd_run(output_file *output, size_t count, crowd_work work, void *members,
               size_t member_bytes, size_t threads);

/* Waits until the results of all items before this one are written. Then its thread alone may
 * write to the output until it ends the item. */
output_file *crowd_await_turn(crowd *self, size_t index);

/* Ends an item with the rest of its result: `bytes`, which malloc made, or NULL. They are freed
 * when they are written. */
void crowd_finish(crowd *self, size_t index, char *bytes, size_t length);

#endif
