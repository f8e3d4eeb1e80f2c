/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A row of trawl bench in a process of its own: whatever happens to it, the other rows go on.
 *
 * A peer's program is started as
 *
 *     PROGRAM PATTERNS TEXT LENGTH MATCHES
 *
 * PATTERNS names a file with, for each pattern, its length and its flags (1: ASCII letters match
 * either case), both as 32-bit little-endian numbers, and its bytes. TEXT names a file, of which
 * the first LENGTH bytes are the text. MATCHES is what shall be counted: all, leftmost-first or
 * leftmost-longest. It loads both, builds its tables and writes lines to standard output:
 *
 *     note SENTENCE               what a reader of its row should know; any number of them
 *     unable SENTENCE             it has no such work (no leftmost kinds, say); it ends
 *     refused SENTENCE            it will not do it for this set or text; it ends
 *     built SECONDS TABLE_BYTES NAME VERSION     ready; 0 bytes: not known; no spaces in names
 *
 * Then, for each line that it reads from standard input, it counts once and answers
 *
 *     run SECONDS MATCHES FINGERPRINT     the last one is optional
 *
 * or "refused SENTENCE", until standard input ends.
 */
#ifndef CLI_BENCH_PEERS_PROCESS_H
#define CLI_BENCH_PEERS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_LINE_BYTES = 1024 };

typedef struct bench_process bench_process;

typedef enum bench_answer {
    BENCH_ANSWER_LINE = 0,
    BENCH_ANSWER_ENDED, /* its output ended */
    BENCH_ANSWER_LATE,  /* its time was over; it has been killed */
} bench_answer;

/* Starts a program, found as execvp does, with `seconds` of time in which it is waited for. When
 * memory runs out, it is the first to go. A program that cannot be started ends at once. NULL after
 * one line. */
bench_process *bench_process_start(const char *const *argv, double seconds);

/* Sends a line; what goes wrong shows in the answer. */
void bench_process_ask(bench_process *process, const char *line);

/* Waits for a line, which is returned without its LF. */
bench_answer bench_process_answer(bench_process *process, char line[static BENCH_LINE_BYTES]);

/* Seconds that are left of its time. */
double bench_process_time_left(const bench_process *process);

/* After its output has ended: waits for its end. Returns its exit status, or -1 where a signal
 * ended it. `why` is how it ended, with the last line that it wrote to standard error. */
int bench_process_end_status(bench_process *process, char *why, size_t size);

/* Ends it if it still runs. NULL is allowed. */
void bench_process_close(bench_process *process);

#endif
