/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/status.h"
#include "base/thread.h"

/* A member besides the calling thread. */
typedef struct helper {
    trawl_team *team;
    uint32_t member;
    bool wanted; /* it is to begin in the current call, and has not */
    pthread_t thread;
    pthread_cond_t woken;
} helper;

struct trawl_team {
    pthread_mutex_t lock; /* for all members below */
    pthread_cond_t done;
    trawl_team_work work;
    void *context;
    uint32_t working; /* helpers that have begun and not ended */
    bool ending;
    uint32_t most, started; /* helpers: that there may be, that there are */
    helper *helpers;
    pid_t process; /* that has the helpers */
};

static void *help(void *context) {
    helper *self = context;
    trawl_team *team = self->team;
    (void)pthread_mutex_lock(&team->lock);
    while (!team->ending) {
        if (!self->wanted) {
            (void)pthread_cond_wait(&self->woken, &team->lock);
            continue;
        }
        self->wanted = false;
        team->working++;
        (void)pthread_mutex_unlock(&team->lock);
        team->work(team->context, self->member);
        (void)pthread_mutex_lock(&team->lock);
        if (--team->working == 0) {
            (void)pthread_cond_signal(&team->done);
        }
    }
    (void)pthread_mutex_unlock(&team->lock);
    return NULL;
}

trawl_status trawl_team_open(trawl_team **team, uint32_t members, trawl_error *error) {
    uint32_t most = members == 0 ? 0 : members - 1;
    trawl_team *made = trawl_allocate_zeroed(1, sizeof *made);
    helper *helpers = trawl_allocate_zeroed(most, sizeof *helpers);
    if (made == NULL || helpers == NULL) {
        trawl_release(made);
        trawl_release(helpers);
        return trawl_fail_memory(error, "threads", sizeof *made + most * sizeof *helpers);
    }
    made->most = most;
    made->helpers = helpers;
    (void)pthread_mutex_init(&made->lock, NULL);
    (void)pthread_cond_init(&made->done, NULL);
    *team = made;
    return TRAWL_OK;
}

/* In the child of a fork, which has no helpers: forgets them. Initialises the condition on which
 * they slept, since destroying it would wait for them, and the lock that one may have held. */
static void forget_lost_helpers(trawl_team *team) {
    if (team->started == 0 || team->process == getpid()) {
        return;
    }
    (void)pthread_mutex_init(&team->lock, NULL);
    (void)pthread_cond_init(&team->done, NULL);
    team->started = 0;
}

/* Starts helpers until there are `count`, or the system refuses one. Caller holds the lock, so that
 * they wait. */
static void start_helpers(trawl_team *team, uint32_t count) {
    team->process = getpid();
    while (team->started < count) {
        helper *next = &team->helpers[team->started];
        next->team = team;
        next->member = team->started + 1;
        (void)pthread_cond_init(&next->woken, NULL);
        if (trawl_thread_start(&next->thread, help, next) != 0) {
            (void)pthread_cond_destroy(&next->woken);
            team->most = team->started; /* the system is not asked again */
            break;
        }
        team->started++;
    }
}

uint32_t trawl_processors(void) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        return (uint32_t)CPU_COUNT(&allowed);
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more processors than the set has bits */
    return online < 1 ? 1 : (uint32_t)online;
}

void trawl_team_run(trawl_team *team, uint32_t members, trawl_team_work work, void *context) {
    if (team == NULL || members <= 1) {
        work(context, 0);
        return;
    }
    uint32_t count = members - 1;
    forget_lost_helpers(team);
    (void)pthread_mutex_lock(&team->lock);
    count = count < team->most ? count : team->most;
    if (team->started < count) {
        start_helpers(team, count);
        count = count < team->started ? count : team->started;
    }
    team->work = work;
    team->context = context;
    for (uint32_t i = 0; i < count; i++) {
        team->helpers[i].wanted = true;
        (void)pthread_cond_signal(&team->helpers[i].woken);
    }
    (void)pthread_mutex_unlock(&team->lock);
    work(context, 0);
    (void)pthread_mutex_lock(&team->lock);
    for (uint32_t i = 0; i < count; i++) {
        team->helpers[i].wanted = false;
    }
    while (team->working != 0) {
        (void)pthread_cond_wait(&team->done, &team->lock);
    }
    (void)pthread_mutex_unlock(&team->lock);
}

void trawl_team_close(trawl_team *team) {
    if (team == NULL) {
        return;
    }
    forget_lost_helpers(team);
    (void)pthread_mutex_lock(&team->lock);
    team->ending = true;
    for (uint32_t i = 0; i < team->started; i++) {
        (void)pthread_cond_signal(&team->helpers[i].woken);
    }
    (void)pthread_mutex_unlock(&team->lock);
    for (uint32_t i = 0; i < team->started; i++) {
        (void)pthread_join(team->helpers[i].thread, NULL);
        (void)pthread_cond_destroy(&team->helpers[i].woken);
    }
    (void)pthread_cond_destroy(&team->done);
    (void)pthread_mutex_destroy(&team->lock);
    trawl_release(team->helpers);
    trawl_release(team);
}
