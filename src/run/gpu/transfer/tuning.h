/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Tuning numbers for copying a text from host memory or a file to a GPU, and its matches back.
 * They depend on the link and the host rather than on the GPU's architecture. Chosen on machines
 * with an H200 and PCIe 5.0 x16, 55 GB/s (docs/notebook/2026-11-gpu-files.md).
 */
#ifndef TRAWL_RUN_GPU_TRANSFER_TUNING_H
#define TRAWL_RUN_GPU_TRANSFER_TUNING_H

#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ slots */

#define TRAWL_RING_MOST_SLOTS 64u   /* that a caller may ask for */
#define TRAWL_RING_SLOTS_B 2u       /* of strategy B: two input and output buffers */
#define TRAWL_RING_DEFAULT_SLOTS 3u /* one is copied in, one scanned, one copied out */
#define TRAWL_RING_FILLED_SLOTS                                                                    \
    4u /* with filling: one more is filled meanwhile; five were slower */

/* A slot of this size or smaller stays with the database for the next scan. */
#define TRAWL_SLOT_KEPT_BYTES ((size_t)64 << 20)

/* From this size on, staging memory is ordinary memory first, and page-locked when it has been
 * filled: the filling threads then touch its pages, which is faster than what CUDA does. */
#define TRAWL_SLOT_LARGE_STAGING ((size_t)4 << 20)

/* ------------------------------------------------------------------ segments */

/* A segment owns a sixteenth of the window, between these bounds. Below the lower bound a launch
 * takes as long as the copy. Above the upper bound nothing is gained, while the first copy and the
 * last scan, which overlap with nothing, take longer. */
#define TRAWL_SEGMENT_FRACTION 16u
#define TRAWL_SEGMENT_LEAST_BYTES ((uint64_t)1 << 20)
#define TRAWL_SEGMENT_MOST_BYTES ((uint64_t)32 << 20)

/* Bytes of the staging memory of all devices that take part in a scan, at most: as long as it stays
 * in the caches of the CPUs, text that is copied into it and read from it is not written to memory
 * and read again in between. Two H200, a file in the page cache, in turn: 128 MiB 63 to 88 GB/s,
 * 256 MiB 49 to 65; on another day 96 MiB 91 to 94, 128 MiB 88 to 92
 * (docs/notebook/2026-11-several-gpus.md). */
#define TRAWL_STAGING_BYTES ((uint64_t)96 << 20)

/* Owned bytes for each byte of overlap, which is copied twice: at most 6 % more are copied. */
#define TRAWL_SEGMENT_OVERLAP_FACTOR 16u

/* A walk that waits for its turn gives its device new work after each such time: about as long as a
 * device scans one segment. */
#define TRAWL_SHARE_WAIT_MICROSECONDS 500u

/* ------------------------------------------------------------------ filling */

/* Bytes that a thread takes at once: much longer to copy than to take, and much less than a
 * segment, so that all threads finish a fill at about the same time. */
#define TRAWL_FILL_SHARE_BYTES ((uint64_t)1 << 20)

/* Shares of a window for each thread, at least: for fewer, waking another thread is not worth
 * it. */
#define TRAWL_FILL_SHARES_EACH 2u

/* More threads than this do not read faster than a device takes text. */
#define TRAWL_FILL_MOST_THREADS 16u

/* ------------------------------------------------------------------ matches */

/* Matches that a slot has room for: one for every four owned bytes of a segment, between these
 * bounds. Where there are more, the segment is scanned range by range. */
#define TRAWL_SLOT_BYTES_PER_MATCH 4u
#define TRAWL_SLOT_LEAST_MATCHES ((uint64_t)4096)
#define TRAWL_SLOT_MOST_MATCHES ((uint64_t)1 << 20)

/* Matches that are delivered before the device is given more work: delivering these takes some
 * milliseconds if they are formatted. */
#define TRAWL_DELIVERED_AT_ONCE ((uint64_t)1 << 16)

/* ------------------------------------------------------------------ the sample of a text */

/* A sample of fewer bytes says less about the states that a text visits than the patterns do. */
#define TRAWL_UPLOAD_LEAST_SAMPLE ((size_t)4096)

#endif
