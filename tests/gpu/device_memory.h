/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Device memory, pinned memory and streams for the tests: the functions of CUDA's runtime that they
 * use, in C. Compiled by nvcc for a device, and against tests/emulator for the emulated builds.
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

/* Device memory; NULL if there is too little. The address is a multiple of 256. */
void *device_allocate(size_t bytes);
void device_release(void *memory);

/* Bytes of device memory that are free. */
size_t device_free_bytes(void);

/* Page-locked host memory. */
void *pinned_allocate(size_t bytes);
void pinned_release(void *memory);

/* A stream of the caller's own, as trawl_cuda_scan takes it. */
void *device_stream_new(void);
void device_stream_release(void *stream);

/* These put work into `stream` (NULL: the default one). They return false when CUDA reports an
 * error, which may come from earlier work of the stream; device_complaint has its message. */
bool device_write(void *to, const void *from, size_t bytes, void *stream);
bool device_fill(void *to, int byte, size_t bytes, void *stream);

/* These wait for the stream. */
bool device_read(void *to, const void *from, size_t bytes, void *stream);
bool device_wait(void *stream);

const char *device_complaint(void);

/* The functions below work in emulated builds only. */

/* Runs threads, blocks and streams in an order that `seed` chooses; 0: the plain order. */
void device_shake(unsigned seed);

/* Makes allocations of device and pinned memory fail, from the one after `after` more of them on;
 * negative: none fails. Returns false if the build cannot do that. */
bool device_fail_allocations(long after);

/* Makes page-locking fail for memory that CUDA has not allocated. Returns false if the build cannot
 * do that. */
bool device_refuse_locking(bool refuse);

/* Sets the number of devices that CUDA reports. Returns false if the build cannot do that. */
bool device_set_count(int count);

/* Makes call number `number` to CUDA from now on fail, 1 being the next one; 0: none fails.
 * `lasting`: the device of that call fails from then on. Returns false if the build cannot do
 * that. */
bool device_fail_call(long number, bool lasting);

/* Calls to CUDA since the last use of this function or of device_fail_call. */
long device_calls(void);

/* Limits textures to this number of elements; 0: the usual limit. Returns false if the build cannot
 * do that. */
bool device_limit_textures(size_t elements);

/* Allocations, streams, events and textures that have not been freed. */
size_t device_live_objects(void);

#ifdef __cplusplus
}
#endif
#endif
