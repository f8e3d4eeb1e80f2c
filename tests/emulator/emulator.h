/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Controls of the CUDA emulation, for tests. Each has an environment variable as well, which is
 * read at the first CUDA call; README.md lists them.
 */
#ifndef TRAWL_EMULATOR_H
#define TRAWL_EMULATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum emulator_order { EMULATOR_FORWARD, EMULATOR_REVERSE, EMULATOR_RANDOM } emulator_order;

/* The order in which the threads of a block run between two barriers, and the blocks of a grid. */
void emulator_set_order(emulator_order order, unsigned seed);

/* Lazy streams run their work only when the program waits for it, so that a missing wait is found.
 * By default work runs in the call. */
void emulator_set_lazy(int lazy);

/* Calls of the runtime function `name` fail with `code` from the `after`-th on (0: the next one).
 * The name "allocation" stands for all functions that allocate memory. NULL: nothing fails. */
void emulator_fail(const char *name, int code, long after);

/* Call number `number` of all runtime functions from now on (1: the next one) fails with `code`.
 * 0: no call fails, and lost devices are back. `lasting`: the device that is current in that
 * call is lost, and all its later calls fail too. Functions that free something free it even if
 * they fail. */
void emulator_fail_call(long number, int code, int lasting);

/* Calls since emulator_fail_call or this function was last called. */
long emulator_calls(void);

/* Sets the number of devices, at most 64. No object of the process may be on a device that is
 * removed. */
void emulator_set_devices(int count);

/* The number of objects that have not been freed: device and pinned host allocations,
 * registrations, streams, events and textures. */
size_t emulator_live_objects(void);

/* The elements that a texture over linear memory may have. */
void emulator_set_texture_elements(size_t elements);

#ifdef __cplusplus
}
#endif
#endif
