/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/words.h"

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

/* Columns of the terminal, of which the last one stays free: some terminals wrap after it. */
static size_t columns(void) {
    struct winsize window;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    return known ? (size_t)window.ws_col - 1 : 79;
}

/* A line whose parts are dropped from the first one on that does not fit. */
typedef struct progress_line {
    char text[192];
    size_t length;
    size_t room;
} progress_line;

static void append(progress_line *line, const char *part) {
    size_t length = strlen(part);
    size_t gap = line->length == 0 ? 0 : 2;
    if (line->length + gap + length > line->room) {
        line->room = 0;
        return;
    }
    memcpy(line->text + line->length, "  ", gap);
    memcpy(line->text + line->length + gap, part, length + 1);
    line->length += gap + length;
}

static void append_time_left(progress_line *line, double elapsed) {
    char part[64];
    double share = (double)state.stored / (double)state.total;
    uint64_t seconds = (uint64_t)(elapsed / share - elapsed + 0.5);
    (void)snprintf(part, sizeof part, "%.0f %%", share * 100);
    append(line, part);
    if (seconds >= 3600)
        (void)snprintf(part, sizeof part, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64 " left",
                       seconds / 3600, seconds / 60 % 60, seconds % 60);
    else
        (void)snprintf(part, sizeof part, "%" PRIu64 ":%02" PRIu64 " left", seconds / 60,
                       seconds % 60);
    append(line, part);
}

/* Caller holds the lock. */
static void draw(double now) {
    char part[WORDS_NUMBER_BYTES + 16];
    char matches[WORDS_NUMBER_BYTES];
    size_t width = columns();
    progress_line line = {.room = width < sizeof line.text ? width : sizeof line.text - 1};
    double elapsed = now - state.begun;
    if (state.total != 0 && state.stored != 0 && state.stored <= state.total)
        append_time_left(&line, elapsed);
    show_bytes(state.text, part, sizeof part);
    append(&line, part);
    show_bytes((uint64_t)((double)state.text / elapsed), part, sizeof part);
    (void)strcat(part, "/s");
    append(&line, part);
    (void)snprintf(part, sizeof part, "%s match%s", words_grouped(state.matches, matches),
                   state.matches == 1 ? "" : "es");
    append(&line, part);
    (void)fprintf(stderr, "\r\033[K%s", line.text);
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
