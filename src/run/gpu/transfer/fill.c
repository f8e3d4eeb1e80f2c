/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/gpu/transfer/fill.h"

#include <pthread.h>
#include <string.h>

#include "base/allocate.h"
#include "base/read_source.h"
#include "base/status.h"

typedef struct fill_job {
    uint8_t *to;
    uint64_t begin, end; /* of the window */
    uint64_t taken;      /* the first byte that no thread has taken */
    uint64_t finished;   /* bytes that are there, or could not be read */
    uint64_t reached;    /* the first byte that could not be read, or the end */
    trawl_status status; /* why that byte could not be read */
    trawl_error error;
} fill_job;

struct trawl_fillers {
    const trawl_window *window;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t started;
    pthread_cond_t finished;
    fill_job *jobs;
    uint64_t *order; /* a ring of places whose bytes are not all taken, oldest first */
    uint64_t places, first, waiting;
    bool ended;
};

/* The bytes of a fill that one thread brings at once. */
typedef struct fill_share {
    fill_job *job;
    uint64_t begin, end;
} fill_share;

trawl_status trawl_fillers_open(trawl_fillers **fillers, const trawl_window *window,
                                uint64_t places, trawl_error *error) {
    trawl_fillers *made = trawl_allocate_zeroed(1, sizeof *made);
    if (made != NULL) {
        made->jobs = trawl_allocate_zeroed(places, sizeof *made->jobs);
        made->order = trawl_allocate_zeroed(places, sizeof *made->order);
        if (made->jobs == NULL || made->order == NULL) {
            trawl_release(made->jobs);
            trawl_release(made->order);
            trawl_release(made);
            made = NULL;
        }
    }
    if (made == NULL) {
        return trawl_fail_memory(error, "segments",
                                 sizeof *made + places * (sizeof *made->jobs + sizeof(uint64_t)));
    }
    made->window = window;
    made->places = places;
    (void)pthread_mutex_init(&made->lock, NULL);
    (void)pthread_cond_init(&made->started, NULL);
    (void)pthread_cond_init(&made->finished, NULL);
    *fillers = made;
    return TRAWL_OK;
}

void trawl_fillers_close(trawl_fillers *fillers) {
    if (fillers != NULL) {
        (void)pthread_mutex_destroy(&fillers->lock);
        (void)pthread_cond_destroy(&fillers->started);
        (void)pthread_cond_destroy(&fillers->finished);
        trawl_release(fillers->jobs);
        trawl_release(fillers->order);
        trawl_release(fillers);
    }
}

/* ------------------------------------------------------------------ shares */

/* Takes a share of the oldest fill that has untaken bytes, or of the fill `wanted` alone if that is
 * not NULL. Caller holds the lock. */
static bool take_share(trawl_fillers *fillers, const fill_job *wanted, fill_share *share) {
    if (fillers->ended || fillers->waiting == 0) {
        return false;
    }
    fill_job *job = &fillers->jobs[fillers->order[fillers->first]];
    if (wanted != NULL && job != wanted) {
        return false;
    }
    share->job = job;
    share->begin = job->taken;
    share->end = job->end - job->taken < TRAWL_FILL_SHARE_BYTES
                     ? job->end
                     : job->taken + TRAWL_FILL_SHARE_BYTES;
    job->taken = share->end;
    if (job->taken == job->end) {
        fillers->first = (fillers->first + 1) % fillers->places;
        fillers->waiting--;
    }
    return true;
}

/* Copies or reads a share. Caller holds the lock; it is released during the copy. */
static void bring(trawl_fillers *fillers, const fill_share *share) {
    fill_job *job = share->job;
    const trawl_window *window = fillers->window;
    trawl_status status = TRAWL_OK;
    trawl_error error = {.status = TRAWL_OK};
    uint8_t *to = job->to + (share->begin - job->begin);
    size_t length = (size_t)(share->end - share->begin);
    size_t filled = length;
    (void)pthread_mutex_unlock(&fillers->lock);
    if (window->reading != NULL) {
        status = trawl_read_source(window->reading->source, window->base + share->begin, to, length,
                                   &filled, &error);
    } else {
        memcpy(to, window->text + share->begin, length);
    }
    (void)pthread_mutex_lock(&fillers->lock);
    if (status != TRAWL_OK && share->begin + filled < job->reached) {
        job->reached = share->begin + filled;
        job->status = status;
        job->error = error;
    }
    job->finished += length;
    if (job->finished == job->end - job->begin) {
        (void)pthread_cond_signal(&fillers->finished);
    }
}

static void fill_until_ended(trawl_fillers *fillers) {
    fill_share share;
    (void)pthread_mutex_lock(&fillers->lock);
    while (!fillers->ended) {
        if (take_share(fillers, NULL, &share)) {
            bring(fillers, &share);
        } else {
            (void)pthread_cond_wait(&fillers->started, &fillers->lock);
        }
    }
    (void)pthread_mutex_unlock(&fillers->lock);
}

static void stop_filling(trawl_fillers *fillers) {
    (void)pthread_mutex_lock(&fillers->lock);
    fillers->ended = true;
    (void)pthread_cond_broadcast(&fillers->started);
    (void)pthread_mutex_unlock(&fillers->lock);
}

typedef struct fill_call {
    trawl_fillers *fillers;
    void (*drive)(void *context);
    void *context;
} fill_call;

static void take_part(void *context, uint32_t member) {
    const fill_call *call = context;
    if (member == 0) {
        call->drive(call->context);
        stop_filling(call->fillers);
    } else {
        fill_until_ended(call->fillers);
    }
}

void trawl_fillers_run(trawl_fillers *fillers, trawl_team *team, void (*drive)(void *context),
                       void *context) {
    fill_call call = {fillers, drive, context};
    uint64_t members =
        fillers->window->length / (TRAWL_FILL_SHARES_EACH * TRAWL_FILL_SHARE_BYTES) + 1;
    members = members < TRAWL_FILL_MOST_THREADS ? members : TRAWL_FILL_MOST_THREADS;
    if (team == NULL || members == 1) {
        take_part(&call, 0);
    } else {
        trawl_team_run(team, (uint32_t)members, take_part, &call);
    }
}

/* ------------------------------------------------------------------ for the thread that drives */

void trawl_fillers_start(trawl_fillers *fillers, uint64_t place, uint8_t *to, uint64_t begin,
                         uint64_t end) {
    fill_job *job = &fillers->jobs[place];
    (void)pthread_mutex_lock(&fillers->lock);
    job->to = to;
    job->begin = job->taken = begin;
    job->end = job->reached = end;
    job->finished = 0;
    job->status = TRAWL_OK;
    fillers->order[(fillers->first + fillers->waiting) % fillers->places] = place;
    fillers->waiting++;
    (void)pthread_cond_broadcast(&fillers->started);
    (void)pthread_mutex_unlock(&fillers->lock);
}

static bool is_done(const fill_job *job) {
    return job->finished == job->end - job->begin;
}

bool trawl_fillers_done(trawl_fillers *fillers, uint64_t place) {
    (void)pthread_mutex_lock(&fillers->lock);
    bool done = is_done(&fillers->jobs[place]);
    (void)pthread_mutex_unlock(&fillers->lock);
    return done;
}

void trawl_fillers_await(trawl_fillers *fillers, uint64_t place) {
    fill_job *job = &fillers->jobs[place];
    fill_share share;
    (void)pthread_mutex_lock(&fillers->lock);
    while (!is_done(job)) {
        /* Not a share of a later fill: this thread goes on as soon as this fill is complete. */
        if (take_share(fillers, job, &share)) {
            bring(fillers, &share);
        } else {
            (void)pthread_cond_wait(&fillers->finished, &fillers->lock);
        }
    }
    (void)pthread_mutex_unlock(&fillers->lock);
}

uint64_t trawl_fillers_reached(const trawl_fillers *fillers, uint64_t place, trawl_status *status,
                               trawl_error *error) {
    const fill_job *job = &fillers->jobs[place];
    *status = job->status;
    *error = job->error;
    return job->reached;
}
