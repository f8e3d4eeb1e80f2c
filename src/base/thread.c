/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/thread.h"

#include <signal.h>
#include <stddef.h>

int trawl_thread_start(pthread_t *thread, void *(*work)(void *), void *context) {
    static const int own[] = {SIGPIPE, SIGXFSZ, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP};
    sigset_t blocked, before;
    (void)sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        (void)sigdelset(&blocked, own[i]);
    }
    /* A thread begins with the mask of the one that creates it. */
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int result = pthread_create(thread, NULL, work, context);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}
