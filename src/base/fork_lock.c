/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/fork_lock.h"

#include <stdbool.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds between two looks at a lock that is held: short beside the time to make an automaton,
 * long beside that of a call to the system. Chosen, not measured. */
#define PAUSE 200000

void trawl_fork_lock_take(trawl_fork_lock *lock) {
    const int32_t own = (int32_t)getpid();
    const struct timespec pause = {.tv_nsec = PAUSE};
    for (bool taken = false; !taken;) {
        int32_t holder = __atomic_load_n(&lock->holder, __ATOMIC_RELAXED);
        if (holder == own) {
            (void)nanosleep(&pause, NULL);
        } else {
            taken = __atomic_compare_exchange_n(&lock->holder, &holder, own, false,
                                                __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
        }
    }
}

void trawl_fork_lock_give(trawl_fork_lock *lock) {
    __atomic_store_n(&lock->holder, 0, __ATOMIC_RELEASE);
}
