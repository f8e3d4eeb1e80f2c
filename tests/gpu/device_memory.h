/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Device memory, pinned memory and streams for the tests: what they need of CUDA's runtime, in C.
 * Compiled by nvcc for a device, and against tests/emulator for the emulated builds.
 */
#ifndef TRAWL_TESTS_DEVICE_MEMORY_H
#define TRAWL_TESTS_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether "device" memory is the host's, and kernels run on the CPU. */
bool device_is_emulated(void);

/* The devices that there are, and the one that the calls below use from now on. */
int device_count(void);
bool device_select(int number);

/* NULL when there is not so much. The address is a multiple of 256. */
void *device_allocate(size_t bytes);
void device_release(void *memory);

/* Device memory that is free. */
size_t device_free_bytes(void);

/* Page-locked host memory. */
void *pinned_allocate(size_t bytes);
void pinned_release(void *memory);

/* A stream of the caller's own, as trawl_cuda_scan takes it. */
void *device_stream_new(void);
void device_stream_release(void *stream);

/* Put into `stream` (NULL: the default one). They return false when CUDA reports an error, which
 * may come from whatever was put into the stream before: device_complaint has its words. */
bool device_write(void *to, const void *from, size_t bytes, void *stream);
bool device_fill(void *to, int byte, size_t bytes, void *stream);

/* These wait for the stream. */
bool device_read(void *to, const void *from, size_t bytes, void *stream);
bool device_wait(void *stream);

const char *device_complaint(void);

/* The rest does something in emulated builds only. */

/* Lets threads, blocks and streams run in an order that `seed` chooses: 0 is the plain one. */
void device_shake(unsigned seed);

/* The allocation of device or pinned memory after `after` more of them fails, and all that follow;
 * negative: none does. Returns false where that cannot be done. */
bool device_fail_allocations(long after);

/* Memory that is not CUDA's own cannot be page-locked. Returns false where that cannot be done. */
bool device_refuse_locking(bool refuse);

/* Offers so many devices. Returns false where that cannot be done. */
bool device_set_count(int count);

/* Call number `number` to CUDA from now on fails, 1 being the next one; 0: none does. `lasting`:
 * the device of that call is gone from then on. Returns false where that cannot be done. */
bool device_fail_call(long number, bool lasting);

/* Calls to CUDA since the last use of this function or of device_fail_call. */
long device_calls(void);

/* Textures of more elements than this cannot be made; 0: as usual. Returns false where that cannot
 * be done. */
bool device_limit_textures(size_t elements);

/* Allocations, streams, events and textures that have not been freed. */
size_t device_live_objects(void);

#ifdef __cplusplus
}
#endif
#endif
