/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The progress line of a long scan: share, time left, bytes, rate, matches, as many of these as the
 * terminal has columns for. It appears after one second, if standard error is a terminal and
 * --no-progress was not given.
 */
#ifndef CLI_BASE_PROGRESS_H
#define CLI_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Begins. `wanted` false: no line appears. `total_bytes` is the size of all files as stored
 * (compressed), 0 if unknown. */
void progress_begin(bool wanted, uint64_t total_bytes);

/* Adds the work since the last call: bytes as stored (for the share of the total), bytes of text
 * and matches. Any thread may call this; it is cheap. */
void progress_add(uint64_t stored_bytes, uint64_t text_bytes, uint64_t matches);

/* Removes the line, so that something else can be printed; the next progress_add redraws it. */
void progress_clear(void);

/* Removes the line for good. */
void progress_end(void);

#endif
