/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TRAWL_BASE_THREAD_H
#define TRAWL_BASE_THREAD_H

#include <pthread.h>

/* Starts a thread that does not handle signals for the program: those that are sent to the process
 * or typed at the terminal are blocked in it, so that another thread handles them. Not blocked are
 * those that the system sends to the thread that causes them, as the thread may run functions of
 * the caller: who writes to a pipe without a reader expects SIGPIPE, not an error. 0, or an errno
 * value: the system refuses the thread. The caller joins it. */
int trawl_thread_start(pthread_t *thread, void *(*work)(void *), void *context);

#endif
