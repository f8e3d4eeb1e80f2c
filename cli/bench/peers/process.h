/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A row of trawl bench in a process of its own, so that a crash, a lack of memory or a slow program
 * does not end the measurement of other rows.
 *
 * A peer's program is started as
 *
 *     PROGRAM PATTERNS TEXT LENGTH MATCHES
 *
 * PATTERNS is the path of a file with all patterns one after the other, each as
 *
 *     | length, 4 bytes | flags, 4 bytes | bytes of the pattern |
 *
 * Numbers are little-endian; flag 1: ASCII letters match both cases. TEXT is the path of a file
 * whose first LENGTH bytes are the text. MATCHES is the kind of matches to count: all,
 * leftmost-first or leftmost-longest. The program loads both files, builds its tables and writes
 * lines to standard output:
 *
 *     note SENTENCE               a remark that is printed with its row; any number of lines
 *     unable SENTENCE             the program cannot do this kind of work; it ends
 *     refused SENTENCE            the program refuses this set or text; it ends
 *     built SECONDS TABLE_BYTES NAME VERSION     ready; 0 bytes: unknown; names without spaces
 *
 * Then, for each line on its standard input, the program counts once and answers
 *
 *     run SECONDS MATCHES FINGERPRINT     FINGERPRINT may be left out
 *
 * or "refused SENTENCE". It ends when its standard input ends.
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
    BENCH_ANSWER_ENDED, /* the process has ended */
    BENCH_ANSWER_LATE,  /* the time limit is reached; the process has been killed */
    BENCH_ANSWER_LONG,  /* its line is longer than BENCH_LINE_BYTES; the process has been killed */
} bench_answer;

/* Starts a program, found as execvp does, with LC_ALL=C in its environment; waiting for its answers
 * may take `seconds` together. If memory runs out, the system ends this process first. A program
 * that does not exist shows as one that ended. NULL after reporting another error. */
bench_process *bench_process_start(const char *const *argv, double seconds);

/* Sends a line. An error shows in the answer. */
void bench_process_ask(bench_process *process, const char *line);

/* Waits for a line and stores it without its LF. */
bench_answer bench_process_answer(bench_process *process, char line[static BENCH_LINE_BYTES]);

/* The seconds left of its time. */
double bench_process_time_left(const bench_process *process);

/* The exit status of a process that has ended, or -1 if a signal ended it. `why` says how it ended,
 * with the last line of its standard error. */
int bench_process_end_status(bench_process *process, char *why, size_t size);

/* Kills the process if it still runs, and frees it. NULL is allowed. */
void bench_process_close(bench_process *process);

#endif
