/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/target/start.h"

#include <signal.h>
#include <string.h>

#include "cli/flags/device.h"
#include "trawl/trawl_cuda.h"

static void *start(void *context) {
    const device_start *self = context;
    (void)trawl_cuda_start(self->number, NULL);
    return NULL;
}

void device_start_begin(device_start *self, const char *device) {
    *self = (device_start){.running = false};
    bool is_auto = device != NULL && strcmp(device, "auto") == 0;
    if (!is_auto && !device_number(device, &self->number))
        return;
    sigset_t blocked;
    sigset_t before;
    (void)sigfillset(&blocked); /* the main thread handles signals */
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before);
    self->running = pthread_create(&self->thread, NULL, start, self) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void device_start_end(device_start *self) {
    if (self->running)
        (void)pthread_join(self->thread, NULL);
    self->running = false;
}
