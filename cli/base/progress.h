/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * One line on a terminal that says how far a long piece of work has come: bytes, rate, matches,
 * time left. Nothing appears unless standard error is a terminal, the work has taken a second, and
 * --no-progress was not given.
 */
#ifndef CLI_BASE_PROGRESS_H
#define CLI_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Begins; `wanted` false switches it off for this process. `total_bytes` is the stored size of all
 * texts, 0 when not known. */
void progress_begin(bool wanted, uint64_t total_bytes);

/* Adds what was done since the last call: bytes as stored (for the share of the total), bytes of
 * text, matches. Any thread; cheap. */
void progress_add(uint64_t stored_bytes, uint64_t text_bytes, uint64_t matches);

/* Removes the line, so that something else can be printed; it comes back with the next add. */
void progress_clear(void);

/* Removes the line for good. */
void progress_end(void);

#endif
