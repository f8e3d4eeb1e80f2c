/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Starts CUDA, which takes a fifth of a second, while patterns are read and compiled. */
#ifndef CLI_TARGET_START_H
#define CLI_TARGET_START_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { MOST_STARTED = 64 };

typedef struct device_start {
    size_t running; /* threads, each of which starts a device */
    uint32_t number[MOST_STARTED];
    pthread_t thread[MOST_STARTED];
} device_start;

/* Starts the CUDA device of that name ("cuda", "cuda:N"; "auto": the first one; of several: the
 * first) in a thread of its own; does nothing for other names and NULL. *self must not move before
 * device_start_end. Errors are not reported here: the first use of the device returns them. */
void device_start_begin(device_start *self, const char *device);

/* Starts the other GPUs of a name of several, as many as take part in the scan of a text of so many
 * bytes. */
void device_start_others(device_start *self, const char *device, uint64_t bytes);

/* Waits until the device has started. Must be called before the process ends, even twice. */
void device_start_end(device_start *self);

#endif
