/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Starting CUDA takes a fifth of a second: it goes on while patterns are read and compiled. */
#ifndef CLI_TARGET_START_H
#define CLI_TARGET_START_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct device_start {
    bool running;
    uint32_t number;
    pthread_t thread;
} device_start;

/* Begins to start the CUDA device of that name ("cuda", "cuda:N"; "auto": the first one) in a
 * thread of its own; of another name, or NULL: nothing. *self must stay where it is until the end.
 * What is wrong with the device is left to those who use it afterwards: they find the same. */
void device_start_begin(device_start *self, const char *device);

/* Waits until it is there. May be called more than once, and must be before the process ends. */
void device_start_end(device_start *self);

#endif
