/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A lock for what is made once and takes long, such as an automaton. After a fork the child has one
 * thread; a mutex that another thread of the parent held would stay locked there for ever. This
 * lock knows which process holds it, so that the child takes it over. The holder publishes its
 * result by one atomic store when the result is complete; an incomplete result is lost to the
 * child, which makes its own.
 */
#ifndef TRAWL_BASE_FORK_LOCK_H
#define TRAWL_BASE_FORK_LOCK_H

#include <stdint.h>

typedef struct trawl_fork_lock {
    int32_t holder; /* the process that holds the lock; 0: free */
} trawl_fork_lock;

/* Waits by sleeping, as holders take milliseconds or seconds. Not recursive. */
void trawl_fork_lock_take(trawl_fork_lock *lock);
void trawl_fork_lock_give(trawl_fork_lock *lock);

#endif
