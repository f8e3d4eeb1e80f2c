/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "io/thread.h"

#include "base/thread.h"

int thread_start(pthread_t *thread, void *(*work)(void *), void *context) {
    return trawl_thread_start(thread, work, context);
}
