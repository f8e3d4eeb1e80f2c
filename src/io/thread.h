/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TRAWL_IO_THREAD_H
#define TRAWL_IO_THREAD_H

#include <pthread.h>

/* trawl_thread_start (base/thread.h) for commands, which do not see base/. */
int thread_start(pthread_t *thread, void *(*work)(void *), void *context);

#endif
