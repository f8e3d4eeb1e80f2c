/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/clock.h"

static struct {
    pthread_mutex_t lock;
    bool active;
    bool visible;
    double begun;
    double next; /* time of the next drawing */
    uint64_t total;
    uint64_t stored;
    uint64_t text;
    uint64_t matches;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

void progress_begin(bool wanted, uint64_t total_bytes) {
    const char *terminal = getenv("TERM");
    bool able = terminal != NULL && strcmp(terminal, "dumb") != 0;
    (void)pthread_mutex_lock(&state.lock);
    state.active = wanted && able && isatty(STDERR_FILENO);
    state.begun = seconds_now();
    state.next = state.begun + 1.0;
    state.total = total_bytes;
    state.stored = state.text = state.matches = 0;
    (void)pthread_mutex_unlock(&state.lock);
}

static void show_bytes(uint64_t bytes, char *text, size_t size) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1000 && unit < 5) {
        value /= 1000;
        unit++;
    }
    (void)snprintf(text, size, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

/* Caller holds the lock. */
static void draw(double now) {
    char done[32];
    char rate[32];
    char left[48] = "";
    double elapsed = now - state.begun;
    show_bytes(state.text, done, sizeof done);
    show_bytes((uint64_t)((double)state.text / elapsed), rate, sizeof rate);
    if (state.total != 0 && state.stored != 0 && state.stored <= state.total) {
        double share = (double)state.stored / (double)state.total;
        uint64_t seconds = (uint64_t)(elapsed / share - elapsed + 0.5);
        (void)snprintf(left, sizeof left, "  %3.0f %%  %" PRIu64 ":%02" PRIu64 " left", share * 100,
                       seconds / 60, seconds % 60);
    }
    (void)fprintf(stderr, "\r\033[K%s  %s/s  %" PRIu64 " matches%s", done, rate, state.matches,
                  left);
    (void)fflush(stderr);
    state.visible = true;
}

void progress_add(uint64_t stored_bytes, uint64_t text_bytes, uint64_t matches) {
    (void)pthread_mutex_lock(&state.lock);
    state.stored += stored_bytes;
    state.text += text_bytes;
    state.matches += matches;
    if (state.active) {
        double now = seconds_now();
        if (now >= state.next) {
            draw(now);
            state.next = now + 0.2;
        }
    }
    (void)pthread_mutex_unlock(&state.lock);
}

void progress_clear(void) {
    (void)pthread_mutex_lock(&state.lock);
    if (state.visible) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
        state.visible = false;
    }
    (void)pthread_mutex_unlock(&state.lock);
}

void progress_end(void) {
    progress_clear();
    (void)pthread_mutex_lock(&state.lock);
    state.active = false;
    (void)pthread_mutex_unlock(&state.lock);
}
