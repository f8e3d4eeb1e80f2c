/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/target/start.h"

#include <stdlib.h>
#include <string.h>

#include "cli/flags/device.h"
#include "io/thread.h"
#include "trawl/trawl_cuda.h"

/* The library takes a further GPU of a set that is named from so many bytes of a text on
 * (src/gpu/device_name.c); a GPU that is started a little too early does no harm. */
#define BYTES_FOR_EACH ((uint64_t)128 << 20)

static void *start(void *context) {
    (void)trawl_cuda_start(*(const uint32_t *)context, NULL);
    return NULL;
}

static void start_one(device_start *self, uint32_t number) {
    if (self->running == MOST_STARTED)
        return;
    self->number[self->running] = number;
    if (thread_start(&self->thread[self->running], start, &self->number[self->running]) == 0)
        self->running++;
}

void device_start_begin(device_start *self, const char *device) {
    uint32_t number = 0;
    self->running = 0;
    if (device_is_group(device)) /* the first number of a list; 0 of "cuda:all" */
        start_one(self, (uint32_t)strtoul(device + 5, NULL, 10));
    else if ((device != NULL && strcmp(device, "auto") == 0) || device_number(device, &number))
        start_one(self, number);
}

/* Starts devices first to last, but not those that are started, as long as there may be more. */
static void start_range(device_start *self, uint32_t first, uint32_t last, uint64_t most) {
    for (uint32_t number = first; number <= last && self->running < most; number++) {
        bool started = false;
        for (size_t i = 0; i < self->running; i++)
            started = started || self->number[i] == number;
        if (!started)
            start_one(self, number);
    }
}

void device_start_others(device_start *self, const char *device, uint64_t bytes) {
    uint64_t most = bytes / BYTES_FOR_EACH + 1;
    size_t count = 0;
    if (!device_is_group(device) || most < 2 || strcmp(device, "cuda:auto") == 0)
        return;
    if (strcmp(device, "cuda:all") == 0) {
        if (trawl_devices(NULL, 0, &count, NULL) == TRAWL_OK && count > 2)
            start_range(self, 0, (uint32_t)count - 2, most);
        return;
    }
    const char *text = device + 4;
    while (*text != '\0') {
        char *end = NULL;
        uint32_t first = (uint32_t)strtoul(text + 1, &end, 10), last = first;
        if (*end == '-')
            last = (uint32_t)strtoul(end + 1, &end, 10);
        start_range(self, first, last < first + MOST_STARTED ? last : first, most);
        text = end;
    }
}

void device_start_end(device_start *self) {
    while (self->running != 0)
        (void)pthread_join(self->thread[--self->running], NULL);
}
